"""Settings of the language model, which is off until a task is switched on."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, TypeAlias, get_args
from urllib.parse import urlsplit

from annotated_types import Ge, Interval

from model_clients.chat.messages import Task

Switch: TypeAlias = bool | str
"""``on``, ``off``, or the name of a model. YAML 1.1 reads ``on`` and ``off`` as booleans, quoted they are texts."""

StructuredMode: TypeAlias = Literal["auto", "json_schema", "json_object", "text"]

TASKS: tuple[Task, ...] = get_args(Task)
INDEXING_TASKS: tuple[Task, ...] = ("extraction", "reports", "summaries")
"""The tasks of which a store is made; the others are those of asking."""
NO_TASK = "none"

_ON = frozenset({"on", "true", "yes"})
_OFF = frozenset({"off", "false", "no", ""})
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPrice:
    """What a model costs, in the currency of your choice, for a million tokens."""

    prompt: Annotated[float, Ge(0)] = 0.0
    """Of what is sent."""
    reply: Annotated[float, Ge(0)] = 0.0
    """Of what is replied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSettings:
    """Which tasks a language model does: `on` (with `llm.model`), `off`, or the name of another model."""

    extraction: Switch = False
    """Entities and relations of each chunk. Sends all text once."""
    reports: Switch = False
    """Reports on communities. Sends the evidence of each community."""
    summaries: Switch = False
    """Summaries of the trees. Sends all text once, and the summaries themselves."""
    rewriting: Switch = False
    """Follow-ups become stand-alone questions, and questions are put in other words. Sends the question."""
    answers: Switch = False
    """Answers in the model's words. Sends the question with the passages that were found."""
    judge: Switch = False
    """Judging answers in an evaluation. Sends questions, answers, and passages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetSettings:
    """What one run may use up: one command, or a knowledge base from opening to closing. What is done stays done."""

    tokens: Annotated[int, Ge(0)] = 0
    """Tokens sent and replied, together; 0 for no limit."""
    money: Annotated[float, Ge(0)] = 0.0
    """Cost at the configured prices; 0 for no limit."""
    ask_above: Annotated[float, Ge(0)] = 1.0
    """`index` asks before it spends more than this, by its own estimate; `--yes` goes on without asking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """Which language model is used, for what, and within which limits. Any endpoint that speaks OpenAI's protocol."""

    base_url: str = ""
    """Address of the endpoint, such as `http://localhost:11434/v1`; empty for OPENAI_BASE_URL, else OpenAI itself."""
    model: str = ""
    """Name of the model for tasks that are `on`."""
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the key. The key itself never stands in a file."""
    tasks: TaskSettings = field(default_factory=TaskSettings)
    lazy: bool = False
    """Asks no model at indexing. The task `reports` then tells a report when an answer by a model first touches it:
    cheap where few are ever asked of, and the first such question waits."""
    prices: Mapping[str, ModelPrice] = field(default_factory=dict)
    """What models cost, by name, in any currency for a million tokens: `{NAME: {prompt: 0.5, reply: 1.5}}`."""
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    concurrency: Annotated[int, Interval(ge=1, le=256)] = 8
    """Calls under way at once."""
    requests_per_minute: Annotated[int, Ge(0)] = 0
    """Calls begun within a minute; 0 for no limit."""
    tokens_per_minute: Annotated[int, Ge(0)] = 0
    """Tokens sent and asked for within a minute; 0 for no limit."""
    timeout_s: Annotated[float, Interval(ge=0.1, le=3600.0)] = 120.0
    """Seconds to wait for a reply, or for the next piece of one that comes in pieces."""
    stream_timeout_s: Annotated[float, Interval(ge=0.1, le=86_400.0)] = 600.0
    """Seconds that a reply in pieces may take in all; what has come by then counts as broken off."""
    retries: Annotated[int, Interval(ge=0, le=20)] = 5
    """Further attempts where the endpoint is busy, fails, or cannot be reached."""
    cache: bool = True
    """Whether replies are kept beside the store, so that the same call is paid once."""
    structured: StructuredMode = "auto"
    """How replies in JSON are asked for: `json_schema`, `json_object`, `text`, or what the endpoint takes (`auto`)."""

    def __post_init__(self) -> None:
        """Refuse what cannot work; a complaint never repeats what may be a key."""
        if not _VARIABLE.fullmatch(self.api_key_env):
            raise ValueError(
                "api_key_env is not the name of an environment variable; put the key into one such as "
                "OPENAI_API_KEY, never into the settings"
            )
        self._check_address()
        for task in TASKS:
            if _is_on(getattr(self.tasks, task)) and not self.model:
                raise ValueError(f"tasks.{task} is on, but model names no language model")
        self._check_prices()

    def _check_address(self) -> None:
        if not self.base_url:
            return
        address = urlsplit(self.base_url)
        if address.username or address.password:
            raise ValueError("base_url holds a user or password; put the key into the variable that api_key_env names")
        if has_more_than_a_path(self.base_url):
            raise ValueError(
                "base_url ends in a query or fragment (what follows ? or #), which no call can keep; leave it out, and "
                "put a key into the variable that api_key_env names"
            )
        if address.scheme not in {"http", "https"} or not address.hostname:
            raise ValueError(f"base_url: {self.base_url!r} is no address such as http://localhost:11434/v1")

    def _check_prices(self) -> None:
        unpriced = sorted({model for model in self.models().values() if model not in self.prices})
        if self.budget.money and unpriced:
            raise ValueError(f"budget.money needs the prices of each model, and prices has none of {unpriced[0]!r}")

    def models(self) -> dict[Task, str]:
        """Return the model of each task that is switched on."""
        chosen = {task: self.model_of(task) for task in TASKS}
        return {task: model for task, model in chosen.items() if model is not None}

    def model_of(self, task: Task) -> str | None:
        """Return the name of the task's model, None where the task is off."""
        switch: Switch = getattr(self.tasks, task)
        if _is_on(switch):
            return self.model
        return None if _is_off(switch) else str(switch)

    def with_tasks(self, names: Iterable[str]) -> "LlmSettings":
        """Return settings in which exactly these tasks are on, each with its model if it has one of its own.

        ``none`` alone switches all off. Raises ValueError for a name that is no task, or a task without a model.
        """
        given = set(names)
        wanted = set() if given == {NO_TASK} else given
        unknown = sorted(wanted.difference(TASKS))
        if unknown:
            known = ", ".join(TASKS)
            raise ValueError(f"there is no task {unknown[0]!r} of a language model; choose from {known}, or none")
        switches = {name: self._switched(getattr(self.tasks, name), name in wanted) for name in TASKS}
        return replace(self, tasks=TaskSettings(**switches))

    @staticmethod
    def _switched(switch: Switch, on: bool) -> Switch:
        if not on:
            return False
        return True if _is_on(switch) or _is_off(switch) else switch


def _is_on(switch: Switch) -> bool:
    return switch is True or (isinstance(switch, str) and switch.strip().lower() in _ON)


def _is_off(switch: Switch) -> bool:
    return switch is False or (isinstance(switch, str) and switch.strip().lower() in _OFF)


def has_more_than_a_path(address: str) -> bool:
    """Tell whether an address has a query or a fragment: paths of calls are put behind it, and it is shown."""
    return "?" in address or "#" in address
