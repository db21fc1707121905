"""Measures of a ranking of documents against gold, per question, through ir_measures.

R@k is the share of the gold found in the top k, all@k the share of questions whose gold is found whole, Success@k the
share with any gold found: three different things, never mixed. nDCG@10 is binary; nDCG@10.graded takes the grades of
single documents as gains, where a question has them.
"""

from collections.abc import Iterable, Mapping, Sequence

import ir_measures

from belvedere.evaluation.dataset import Gold

# Name in reports -> name in ir_measures.
_COMPUTED: Mapping[str, str] = {
    "R@2": "R@2",
    "R@5": "R@5",
    "R@10": "R@10",
    "Success@5": "Success@5",
    "MRR@10": "RR@10",
    "nDCG@10": "nDCG@10",
}
_WHOLE: Mapping[str, str] = {"all@5": "R@5", "all@10": "R@10"}

MEASURES: tuple[str, ...] = ("R@2", "R@5", "R@10", "all@5", "all@10", "Success@5", "MRR@10", "nDCG@10")

GRADED = "nDCG@10.graded"
"""Only of questions whose documents are graded; the other measures are of every question with gold."""


def collapse(document_ids: Iterable[str]) -> tuple[str, ...]:
    """Turn the documents of ranked chunks into a ranking of documents: each at its first occurrence."""
    return tuple(dict.fromkeys(document_ids))


def with_gold_as_groups(ranking: Sequence[str], gold: Gold) -> tuple[str, ...]:
    """Rename gold documents to their group, so that each group counts once, where its first member stands.

    Later members of a group that was found are dropped: they would push others down and say nothing new. A document
    of several groups stands for all of them, one after the other.
    """
    groups_of: dict[str, list[str]] = {}
    for number, group in enumerate(gold):
        for document_id in group:
            groups_of.setdefault(document_id, []).append(group_name(number))
    renamed = (name for document_id in ranking for name in groups_of.get(document_id, [f"document:{document_id}"]))
    return collapse(renamed)


def group_name(number: int) -> str:
    """Return the name under which gold group ``number`` is ranked."""
    return f"gold:{number}"


def score_rankings(rankings: Sequence[Sequence[str]], golds: Sequence[Gold]) -> list[dict[str, float] | None]:
    """Score one document ranking per question: measure -> value in [0, 1], None where a question has no gold."""
    qrels = [
        ir_measures.Qrel(str(question), group_name(number), 1)
        for question, gold in enumerate(golds)
        for number in range(len(gold))
    ]
    run = [
        ir_measures.ScoredDoc(str(question), name, -float(rank))
        for question, (ranking, gold) in enumerate(zip(rankings, golds, strict=True))
        for rank, name in enumerate(with_gold_as_groups(ranking, gold))
        if gold
    ]
    computed = _calculate(qrels, run, _COMPUTED.values())
    return [_all_measures(computed.get(str(question), {})) if gold else None for question, gold in enumerate(golds)]


def score_grades(
    rankings: Sequence[Sequence[str]], grades: Sequence[Mapping[str, int]]
) -> list[dict[str, float] | None]:
    """Score document rankings against graded documents: ``GRADED`` -> value, None where a question has no grades.

    The gain of a document is its grade, its discount log2(rank + 1), as trec_eval has it; documents without a grade
    gain nothing.
    """
    graded = [number for number, found in enumerate(grades) if found]
    qrels = [ir_measures.Qrel(str(number), name, grade) for number in graded for name, grade in grades[number].items()]
    run = [
        ir_measures.ScoredDoc(str(number), name, -float(rank))
        for number in graded
        for rank, name in enumerate(rankings[number])
    ]
    computed = _calculate(qrels, run, ["nDCG@10"])
    return [{GRADED: computed.get(str(n), {}).get("nDCG@10", 0.0)} if found else None for n, found in enumerate(grades)]


def _calculate(
    qrels: Sequence[ir_measures.Qrel], run: Sequence[ir_measures.ScoredDoc], names: Iterable[str]
) -> dict[str, dict[str, float]]:
    """Return question -> name in ir_measures -> value; a question without any result may be missing."""
    if not run:
        return {}
    measures = [ir_measures.parse_measure(name) for name in names]
    values: dict[str, dict[str, float]] = {}
    for metric in ir_measures.iter_calc(measures, qrels, run):
        values.setdefault(metric.query_id, {})[str(metric.measure)] = float(metric.value)
    return values


def measures_of(rows: Sequence[Mapping[str, float]]) -> tuple[str, ...]:
    """Return the names of the measures that questions were scored by: ``GRADED`` only where one of them has it."""
    return (*MEASURES, GRADED) if any(GRADED in values for values in rows) else MEASURES


def _all_measures(computed: Mapping[str, float]) -> dict[str, float]:
    values = {name: computed.get(source, 0.0) for name, source in _COMPUTED.items()}
    values |= {name: float(computed.get(source, 0.0) > 1.0 - 1e-9) for name, source in _WHOLE.items()}
    return {name: values[name] for name in MEASURES}
