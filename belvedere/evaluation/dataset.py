"""Reads a data set for evaluation: documents, and questions with their gold documents."""

import contextlib
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TypeAlias

from belvedere.evaluation.dataset_files import (
    DatasetError,
    Row,
    corpus_rows,
    question_rows,
    refuse_duplicates,
    shown,
)
from belvedere.evaluation.safety_rules import SafetyRules, read_rules, rules_problem
from graph_store.filters import CURRENT, FilterOperator, MetadataFilter, Versions, is_date

Gold: TypeAlias = tuple[frozenset[str], ...]

_DATE = re.compile(r"\d{4}-\d{2}")

_HIGHEST_GRADE = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """A question with its gold: each group is one piece of evidence that any of its documents supplies.

    No group at all says that the documents do not answer the question, or, where ``gold_known`` is False, that nobody
    said what answers it: only its ``rules`` are measured. ``references`` are right answers, each as good
    as any other; none where the data set gives none. ``grades`` tell how well single documents answer, higher is better
    and all above 0; none where the data set does not grade. ``draft``: a program made it, nobody has checked it.
    ``versions``: which versions of the documents it is about.
    """

    id: str
    text: str
    type: str
    gold: Gold
    references: tuple[str, ...] = ()
    grades: Mapping[str, int] = field(default_factory=dict)
    draft: bool = False
    versions: Versions = CURRENT
    rules: SafetyRules = field(default_factory=SafetyRules)
    gold_known: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """A shuffled corpus and the questions to score on it: a sample of ``limit``, what passed ``filters``."""

    name: str
    corpus: tuple[Row, ...]
    questions: tuple[LabelledQuestion, ...]
    seed: int
    limit: int | None = None
    filters: tuple[str, ...] = ()

    @property
    def text_bytes(self) -> int:
        """Return the size of all document texts in UTF-8."""
        return sum(len(str(row["text"]).encode("utf-8", "surrogatepass")) for row in self.corpus)

    def missing_gold(self) -> frozenset[str]:
        """Return the gold documents that the corpus does not have: no system can find them."""
        known = {str(row["id"]) for row in self.corpus}
        return frozenset(name for question in self.questions for group in question.gold for name in group - known)


def read_dataset(
    folder: Path,
    *,
    seed: int,
    limit: int | None = None,
    filters: Sequence[MetadataFilter] = (),
    versions: Versions = CURRENT,
) -> Dataset:
    """Read ``folder``; the corpus comes back in a seeded random order.

    ``filters`` apply to the fields of documents and of questions, each file where it has the field. ``limit`` takes a
    seeded sample of the questions, in the file's order. ``versions`` are those that the questions are about.
    """
    documents = corpus_rows(folder)
    asked = question_rows(folder, _question_problem)
    for condition in filters:
        if not any(condition.key in row for row in (*documents, *asked)):
            raise DatasetError(f"no document or question of {folder} has the field {condition.key!r} to filter by")
    corpus = _filtered(documents, filters)
    refuse_duplicates(corpus, folder)
    random.Random(seed).shuffle(corpus)
    questions = [_question(number, row) for number, row in enumerate(_filtered(asked, filters))]
    questions = [replace(question, versions=versions) for question in questions]
    if not any(question.gold or question.rules for question in questions):
        raise DatasetError(
            f"no question in {folder / 'questions.jsonl'} names a gold document, or what its answer must or "
            "must not contain: nothing can be scored"
        )
    return Dataset(
        name=folder.resolve().name,
        corpus=tuple(corpus),
        questions=_sample(questions, limit, seed),
        seed=seed,
        limit=limit,
        filters=(*sorted(map(_written, filters)), *_written_versions(versions)),
    )


def _written(condition: MetadataFilter) -> str:
    operator = " in " if condition.operator == "in" else condition.operator
    return f"{condition.key}{operator}{condition.value}"


def _written_versions(versions: Versions) -> Iterator[str]:
    if versions.as_of is not None:
        yield f"as of {versions.as_of}"
    if versions.all_versions:
        yield "all versions"


def read_corpus(folder: Path, *, seed: int) -> Dataset:
    """Read the corpus of ``folder`` alone, in a seeded random order, without questions."""
    corpus = corpus_rows(folder)
    refuse_duplicates(corpus, folder)
    random.Random(seed).shuffle(corpus)
    return Dataset(name=folder.resolve().name, corpus=tuple(corpus), questions=(), seed=seed)


def _question_problem(row: Row) -> str:
    if not str(row["question"]).strip():
        return "the question is empty"
    return rules_problem(row) or ("" if _only_rules(row) else _gold_problem(row))


def _only_rules(row: Row) -> bool:
    """Tell whether a row says nothing of gold, but what its answer must (not) contain."""
    return bool(read_rules(row)) and all(row.get(name) is None for name in ("gold_ids", "gold_groups", "gold_grades"))


def _gold_problem(row: Row) -> str:
    """Tell what is wrong with the gold of a question: none at all is not the same as an empty list."""
    given = {name: row[name] for name in ("gold_ids", "gold_groups") if row.get(name) is not None}
    if row.get("gold_grades") is not None:
        return _grades_problem(row["gold_grades"], given)
    if not given:
        return (
            "the question has no gold_ids, gold_groups or gold_grades: list the ids of the documents that answer it, "
            'or write "gold_ids": [] where none does'
        )
    for name, value in given.items():
        if not isinstance(value, list):
            return f"{name} must be a list, not {shown(value)}"
    groups = _listed(given.get("gold_groups"))
    for group in groups:
        if not isinstance(group, list) or not group:
            return f"every group of gold_groups must be a list of ids with one at least, not {shown(group)}"
    for document in chain(_listed(given.get("gold_ids")), *map(_listed, groups)):
        if not _is_id(document):
            return f"the gold must name documents by their id, not {shown(document)}"
    return ""


def _is_id(name: object) -> bool:
    """Tell whether a value names a document; YAML reads an id such as 12 as a number."""
    return isinstance(name, str | int) and not isinstance(name, bool) and name != ""


def _grades_problem(grades: object, given: Row) -> str:
    """Tell what is wrong with ``gold_grades``, which are the gold, or say more of the same documents as gold_ids."""
    if not isinstance(grades, dict):
        return f'gold_grades must be an object such as {{"d4": 3, "d9": 1}}, not {shown(grades)}'
    if not grades and "gold_ids" not in given:
        return 'gold_grades grade nothing: write "gold_ids": [] where no document answers'
    problem = next(filter(None, (_grade_problem(name, grade) for name, grade in grades.items())), "")
    if not problem and len(set(map(str, grades))) < len(grades):
        problem = "gold_grades grade a document twice, as a number and as a text: leave one out"
    if problem:
        return problem
    if "gold_groups" in given:
        return "gold_grades grade single documents: give them with gold_ids or alone, not with gold_groups"
    if "gold_ids" in given and set(map(str, grades)) != set(map(str, _listed(given["gold_ids"]))):
        return "gold_grades and gold_ids name different documents: grade those of gold_ids, or leave gold_ids out"
    return ""


def _grade_problem(name: object, grade: object) -> str:
    if not _is_id(name):
        return f"gold_grades must name documents by their id, not {shown(name)}"
    if not isinstance(grade, int) or isinstance(grade, bool) or not 1 <= grade <= _HIGHEST_GRADE:
        return (
            f"the grade of {shown(name)} must be a whole number, 1 to {_HIGHEST_GRADE:,}, higher is better, "
            f"not {shown(grade)}: leave out what does not answer the question"
        )
    return ""


def _question(number: int, row: Row) -> LabelledQuestion:
    return LabelledQuestion(
        id=str(row.get("id", number)),
        text=str(row["question"]),
        type=str(row.get("type") or "question"),
        gold=_gold(row),
        references=_references(row),
        grades=_grades(row),
        draft=row.get("draft") is True,
        rules=read_rules(row),
        gold_known=not _only_rules(row),
    )


def _gold(row: Row) -> Gold:
    """Return the groups of a row; ``gold_groups`` says more than ``gold_ids`` where a row has both."""
    names = _listed(row.get("gold_ids")) or list(_grades(row))
    groups = row.get("gold_groups") or [[name] for name in names]
    sets = [frozenset(map(str, _listed(group))) for group in _listed(groups)]
    return tuple(dict.fromkeys(group for group in sets if group))


def _grades(row: Row) -> dict[str, int]:
    grades = row.get("gold_grades")
    return {str(name): grade for name, grade in grades.items()} if isinstance(grades, dict) else {}


def _references(row: Row) -> tuple[str, ...]:
    """Return the right answers of a row: ``answer``, a text or a list of them, and its other spellings."""
    given = row.get("answer")
    texts = [*(given if isinstance(given, list) else [given]), *_listed(row.get("answers"))]
    texts += _listed(row.get("answer_aliases"))
    return tuple(dict.fromkeys(str(text).strip() for text in texts if _is_told(text)))


def _is_told(text: object) -> bool:
    return isinstance(text, str | int | float) and not isinstance(text, bool) and bool(str(text).strip())


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _sample(questions: Sequence[LabelledQuestion], limit: int | None, seed: int) -> tuple[LabelledQuestion, ...]:
    if limit is None or limit >= len(questions):
        return tuple(questions)
    chosen = random.Random(seed).sample(range(len(questions)), limit)
    return tuple(questions[index] for index in sorted(chosen))


def _filtered(rows: Sequence[Row], filters: Sequence[MetadataFilter]) -> list[Row]:
    """Return the rows that pass every condition on a field that some row of this file has."""
    present = [condition for condition in filters if any(condition.key in row for row in rows)]
    return [row for row in rows if all(_passes(row, condition) for condition in present)]


def _passes(row: Row, condition: MetadataFilter) -> bool:
    if condition.key not in row:
        return condition.operator == "!="
    stored = row[condition.key]
    if isinstance(stored, list):
        return (not set(condition.values).isdisjoint(map(str, stored))) == (condition.operator != "!=")
    return any(_compare(stored, condition.operator, value) for value in condition.values)


def _compare(stored: object, operator: FilterOperator, value: str) -> bool:
    left: float | str = str(stored)
    right: float | str = value
    if is_date(value) and _DATE.match(str(stored)):
        left = str(stored)[: len(value)]
    with contextlib.suppress(ValueError):
        left, right = float(left), float(right)
    order = (left > right) - (left < right)  # type: ignore[operator]  # both are numbers, or both are texts
    return {
        "=": order == 0,
        "in": order == 0,
        "!=": order != 0,
        "<": order < 0,
        "<=": order <= 0,
        ">": order > 0,
        ">=": order >= 0,
    }[operator]
