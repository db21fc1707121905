"""What a task will take, in the middle and at both ends, from the calls that a sample of documents makes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from belvedere.estimate.recording import CountedCall
from model_clients.chat.messages import Task
from model_clients.chat.settings import ModelPrice

# A real reply may be half as long as one by rules, or twice.
_SHORT_REPLY, _LONG_REPLY = 0.5, 2.0
# The tokenizer of the model is not at hand: it may count a tenth less than is likely, and at most the upper bound.
_FEWER_TOKENS = 0.9
# Two standard errors of the sample.
_ERRORS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Between:
    """A number that is not known exactly: what is likely, and between which two it lies in nearly all cases."""

    likely: float
    low: float
    high: float

    def __add__(self, other: "Between") -> "Between":
        """Return the sum; the ends are those where both err the same way."""
        return Between(likely=self.likely + other.likely, low=self.low + other.low, high=self.high + other.high)

    def times(self, factor: float) -> "Between":
        """Return it multiplied."""
        return Between(likely=self.likely * factor, low=self.low * factor, high=self.high * factor)


NOTHING = Between(likely=0.0, low=0.0, high=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEstimate:
    """What a task will take. ``on`` tells whether the settings switch it on, ``model`` which model does or would do it
    (empty for none). ``cost`` is None where no price of the model is configured.
    """

    task: Task
    on: bool
    model: str
    calls: Between
    prompt_tokens: Between
    reply_tokens: Between
    cost: Between | None

    @property
    def tokens(self) -> Between:
        """Tokens sent and replied together."""
        return self.prompt_tokens + self.reply_tokens

    def times(self, factor: float) -> "TaskEstimate":
        """Return it multiplied."""
        return replace(
            self,
            calls=self.calls.times(factor),
            prompt_tokens=self.prompt_tokens.times(factor),
            reply_tokens=self.reply_tokens.times(factor),
            cost=None if self.cost is None else self.cost.times(factor),
        )

    def cost_at(self, price: ModelPrice) -> Between:
        """Return what it costs at a price."""
        return self.prompt_tokens.times(price.prompt / 1e6) + self.reply_tokens.times(price.reply / 1e6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """The calls of each document (or of all, where they cannot be told apart) of a sample, and how much it stands for.

    ``scale`` is how many times as much there is in all; 1 where the sample is everything.
    """

    calls: Sequence[CountedCall]
    scale: float


def estimate_task(task: Task, sampled: Sampled, *, on: bool, model: str, price: ModelPrice | None) -> TaskEstimate:
    """Return the estimate of a task."""
    made = TaskEstimate(
        task=task,
        on=on,
        model=model,
        calls=_calls(sampled),
        prompt_tokens=_tokens(
            sampled, lambda call: call.prompt, low=lambda call: call.prompt * _FEWER_TOKENS, high=_most_prompt
        ),
        reply_tokens=_tokens(
            sampled, lambda call: call.reply, low=lambda call: call.reply * _SHORT_REPLY, high=_long_reply
        ),
        cost=None,
    )
    if price is None:
        return made
    return TaskEstimate(
        task=task,
        on=on,
        model=model,
        calls=made.calls,
        prompt_tokens=made.prompt_tokens,
        reply_tokens=made.reply_tokens,
        cost=made.cost_at(price),
    )


def spread(likely: TaskEstimate, *, least: TaskEstimate, most: TaskEstimate) -> TaskEstimate:
    """Return an estimate that may also come to as little as one, and to as much as another."""

    def between(middle: Between, low: Between, high: Between) -> Between:
        return Between(likely=middle.likely, low=min(middle.low, low.low), high=max(middle.high, high.high))

    costs = (likely.cost, least.cost, most.cost)
    return replace(
        likely,
        calls=between(likely.calls, least.calls, most.calls),
        prompt_tokens=between(likely.prompt_tokens, least.prompt_tokens, most.prompt_tokens),
        reply_tokens=between(likely.reply_tokens, least.reply_tokens, most.reply_tokens),
        cost=between(*(cost for cost in costs if cost is not None)) if likely.cost is not None else None,
    )


def _most_prompt(call: CountedCall) -> float:
    return call.most_prompt


def _long_reply(call: CountedCall) -> float:
    return min(call.reply * _LONG_REPLY, call.most_reply)


def _calls(sampled: Sampled) -> Between:
    """Return how many calls there are. Their number in a sample errs as a count does (Poisson)."""
    likely = len(sampled.calls) * sampled.scale
    error = _ERRORS * math.sqrt(len(sampled.calls)) * sampled.scale * _unseen(sampled)
    return Between(likely=likely, low=max(0.0, likely - error), high=likely + error)


def _tokens(
    sampled: Sampled,
    likely: Callable[[CountedCall], float],
    *,
    low: Callable[[CountedCall], float],
    high: Callable[[CountedCall], float],
) -> Between:
    middle = sum(map(likely, sampled.calls)) * sampled.scale
    least, most = sum(map(low, sampled.calls)) * sampled.scale, sum(map(high, sampled.calls)) * sampled.scale
    # The error of a sum of as many calls as there happen to be: that of their number and of their sizes.
    squares = sum(likely(call) ** 2 for call in sampled.calls)
    error = _ERRORS * math.sqrt(squares) * sampled.scale * _unseen(sampled)
    return Between(likely=middle, low=max(0.0, least - error), high=most + error)


def _unseen(sampled: Sampled) -> float:
    """Return how much of the error of a sample is left: none where it is everything."""
    return math.sqrt(max(0.0, 1 - 1 / sampled.scale)) if sampled.scale else 0.0
