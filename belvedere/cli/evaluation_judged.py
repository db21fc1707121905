"""What was judged, computed and checked of answers, as text for people: each figure beside what it was judged by."""

from textwrap import shorten
from typing import TYPE_CHECKING

from belvedere.cli.printing import say
from belvedere.evaluation.shown_figures import shown_interval, shown_number

if TYPE_CHECKING:
    from belvedere.evaluation.gold_evidence import GoldEvidence
    from belvedere.evaluation.intervals import Estimate
    from belvedere.evaluation.judging.scores import ComputedScores, JudgedScores
    from belvedere.evaluation.safety import SafetyScores

_EXAMPLE = 100  # characters


def show_judged(system: str, scores: "JudgedScores") -> None:
    """Print what a language model judged, by which prompt, and how many of its verdicts failed."""
    say()
    say(f"{system}, judged by the language model {scores.judge}", bold=True)
    if scores.judges_itself:
        say("  it wrote answers itself that it judges here: such a judge is kinder than others")
    for name, estimate in scores.measures.items():
        verdicts = scores.verdicts[name]
        reasons = "; ".join(f"{count} {reason}" for reason, count in verdicts.failed.items())
        failed = f", {verdicts.failures} failed ({reasons})" if verdicts.failures else ""
        _say_measure(name, estimate, f"{scores.judged_by(name)}; {verdicts.given} verdicts{failed}")
    used = scores.usage
    say(
        f"  {used.calls:,} calls of the judge, {used.cached:,} of them from the cache; {used.prompt_tokens:,} tokens "
        f"sent, {used.reply_tokens:,} replied; cost {used.cost:.4f}"
    )


def show_computed(system: str, scores: "ComputedScores") -> None:
    """Print what words and vectors tell of the answers."""
    say()
    say(
        f"{system}, computed without a judge: words and vectors in common, which tell of no claim whether it holds",
        bold=True,
    )
    for name, estimate in scores.measures.items():
        _say_measure(name, estimate, scores.by[name])


def _say_measure(name: str, estimate: "Estimate", by: str) -> None:
    say(f"  {name:<28}{shown_number(estimate.value):>6} {shown_interval(estimate):>13} n {estimate.n:<6} {by}")


def show_gold_evidence(found: "GoldEvidence") -> None:
    """Print which half needs mending: the search, or the answer that is made of what it finds."""
    say()
    say(
        f"local, asked of gold documents alone: claim or text has the reference for {shown_number(found.right.value)} "
        f"{shown_interval(found.right)} of {found.right.n} questions",
        bold=True,
    )
    say(f"  {'':<34}{'right on gold':>14}{'wrong on gold':>15}")
    say(f"  {'all gold among the first 10':<34}{found.found_right:>14}{found.found_wrong:>15}")
    say(f"  {'some gold missing there':<34}{found.missing_right:>14}{found.missing_wrong:>15}")
    say("  where the answer is wrong on gold, mend the answering; where gold is missing, the search")


def show_safety(system: str, safety: "SafetyScores") -> None:
    """Print how many safety questions passed, and of each that failed, what its answer lacks or must not have."""
    say()
    say(
        f"{system}, safety: {safety.passed.n - len(safety.failures)} of {safety.passed.n} questions passed "
        f"{shown_interval(safety.passed)}",
        bold=True,
    )
    for failure in safety.failures:
        say(f"  failed {failure.question.id}: {shorten(failure.question.text, _EXAMPLE, placeholder=' ...')}")
        for told, found in (("lacks", failure.missing), ("has and must not", failure.forbidden)):
            if found:
                say(f"    {told}: " + ", ".join(repr(shorten(words, _EXAMPLE, placeholder=" ...")) for words in found))
