"""An evaluation as one HTML page that needs nothing else: no script, no font, no address is loaded.

Questions, answers and titles come from untrusted documents: the template escapes whatever it prints, control characters
are taken out, and the page's own policy forbids it to load or run anything.
"""

import re
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING

from belvedere.evaluation.answers import RIGHT_F1
from belvedere.evaluation.dataset import Dataset
from belvedere.evaluation.evaluate import Evaluation
from belvedere.evaluation.facts import changed_settings, package_versions
from belvedere.evaluation.failures import FAILURE_MEANINGS
from belvedere.evaluation.gates import GateOutcome
from belvedere.evaluation.judging.scores_html import computed_rows, judged_rows
from belvedere.evaluation.machine import describe_machine
from belvedere.evaluation.measures import GRADED
from belvedere.evaluation.shown_figures import (
    shown_chance,
    shown_difference,
    shown_interval,
    shown_measure,
    shown_name,
    shown_number,
)
from belvedere.settings import Settings

if TYPE_CHECKING:
    from jinja2 import Template

_PLOTTED = ("R@5", "R@10", "all@5", "MRR@10", "nDCG@10", GRADED)
# Control characters, single surrogates, and marks that turn the reading direction.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def report_html(
    evaluation: Evaluation, dataset: Dataset, settings: Settings, *, gates: Sequence[GateOutcome] = ()
) -> str:
    """Return the page."""
    systems = evaluation.systems
    kinds = sorted({kind for scores in systems.values() for kind in scores.by_type})
    return _template().render(
        evaluation=evaluation,
        dataset=dataset,
        gates=gates,
        measures={name: scores.measures for name, scores in systems.items()},
        plotted=[name for name in _PLOTTED if all(name in scores.measures for scores in systems.values())],
        graded=GRADED,
        types={kind: {name: scores.by_type[kind] for name, scores in systems.items()} for kind in kinds},
        answers={
            name: {"all questions": scores.answers.measures, **scores.answers.by_type}
            for name, scores in systems.items()
            if scores.answers is not None
        },
        judged={name: judged_rows(scores.judged) for name, scores in systems.items() if scores.judged is not None},
        computed={
            name: computed_rows(scores.computed) for name, scores in systems.items() if scores.computed is not None
        },
        meanings=FAILURE_MEANINGS,
        right_f1=RIGHT_F1,
        machine=describe_machine(),
        versions=package_versions(),
        changed=changed_settings(settings),
        index=evaluation.index.report,
    )


def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  # heavy import, only when used

    environment = Environment(autoescape=True, undefined=StrictUndefined, finalize=_printable)
    environment.filters |= {
        "number": shown_number,
        "signed": shown_difference,
        "interval": shown_interval,
        "chance": shown_chance,
        "words": shown_name,
        "measure": shown_measure,
    }
    source = files("belvedere.evaluation").joinpath("report.html.jinja").read_text(encoding="utf-8")
    return environment.from_string(source)


def _printable(value: object) -> object:
    """Take unprintable characters out of plain texts; what the template itself has marked up passes."""
    return _UNPRINTABLE.sub("", value) if type(value) is str else value
