"""Asks questions once more of their gold documents alone: would the answer be right, had the evidence been found?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from belvedere.evaluation.dataset import Dataset, LabelledQuestion
from belvedere.evaluation.failures import RANKED, answered_right
from belvedere.evaluation.index_cache import DOCUMENT_NUMBER
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.measures import with_gold_as_groups
from belvedere.evaluation.summaries import estimates
from belvedere.evaluation.systems import SystemRun, reply_of
from belvedere.knowledge_base import KnowledgeBase
from graph_store.filters import MetadataFilter
from indexing.report import Progress

_RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldEvidence:
    """Questions by whether all their gold was among the first ``RANKED`` documents, and by whether the answer is right
    where only gold documents are asked. ``right`` is the share of the latter.

    Where it is wrong on gold the answering is to mend, where gold is missing the search.
    """

    found_right: int
    found_wrong: int
    missing_right: int
    missing_wrong: int
    right: Estimate


def ask_gold_evidence(
    kb: KnowledgeBase, dataset: Dataset, run: SystemRun, progress: Callable[[Progress], None] | None = None
) -> GoldEvidence | None:
    """Ask each question that has a reference of its gold documents alone; ``run`` is that of the same system on all.

    Questions without any gold document in the corpus are left out. None where no question is left.
    """
    numbers = {str(row["id"]): str(number) for number, row in enumerate(dataset.corpus)}
    cells: list[tuple[bool, bool]] = []
    for place, question in enumerate(dataset.questions):
        if progress is not None:
            progress(Progress(step="asking_of_gold", done=place, total=len(dataset.questions)))
        gold = _gold_numbers(question, numbers)
        if gold and question.references:
            cells.append((_is_found(question, run.rankings[place]), _right_on(kb, question, gold)))
    if not cells:
        return None
    rows = [{_RIGHT: float(right)} for _, right in cells]
    return GoldEvidence(
        found_right=cells.count((True, True)),
        found_wrong=cells.count((True, False)),
        missing_right=cells.count((False, True)),
        missing_wrong=cells.count((False, False)),
        right=estimates(rows, [_RIGHT], seed=dataset.seed)[_RIGHT],
    )


def _gold_numbers(question: LabelledQuestion, numbers: Mapping[str, str]) -> list[str]:
    named = sorted(frozenset[str]().union(*question.gold))
    return [numbers[name] for name in named if name in numbers]


def _is_found(question: LabelledQuestion, ranking: Sequence[str]) -> bool:
    first = with_gold_as_groups(ranking, question.gold)[:RANKED]
    return sum(name.startswith("gold:") for name in first) == len(question.gold)


def _right_on(kb: KnowledgeBase, question: LabelledQuestion, gold: Sequence[str]) -> bool:
    condition = MetadataFilter(key=DOCUMENT_NUMBER, operator="in", value=",".join(gold))
    answer = kb.ask(question.text, route="local", filters=[condition], versions=question.versions)
    return answered_right(question, reply_of(answer)) is True
