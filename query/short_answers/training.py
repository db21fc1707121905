"""Trains the choice of short answers on questions with references, and tells how well it did on questions held out."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from graph_store.access import Access
from graph_store.store import GraphStore
from model_clients.embedder import Embedder
from query.abstention import SupportEvidence
from query.local import rank_local
from query.local_answer import weigh_passages
from query.question import analyse
from query.readable_view import ReadableView
from query.request import Request
from query.settings import QuerySettings
from query.short_answers.candidates import find_candidates
from query.short_answers.fitting import Example, fit, out_of_fold
from query.short_answers.model import Choice, SpanModel, choose

WEIGHTS = Path(__file__).parent / "weights.json"
# Of the answers claimed on questions held out, this share is right or nearly so.
_CLAIMED_RIGHT = 0.6
_NEARLY = 0.6
_DECIMALS = 4

Score: TypeAlias = Callable[[str], Mapping[str, float]]
Kept: TypeAlias = tuple["TrainingAnswer", Choice | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingAnswer:
    """A question of a set, with its candidates; ``score`` tells "exact" and "F1" of an answer, 0 to 1."""

    source: str
    example: Example
    score: Score


class EvidenceMaker:
    """Weighs the evidence of questions to one store as the local route does."""

    def __init__(self, store: GraphStore, embedder: Embedder, settings: QuerySettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._view = ReadableView(store, Access(), store.passage_graph(Access()))

    def evidence(self, text: str) -> SupportEvidence:
        """Return what an answer to the question would be told from."""
        question = analyse(text)
        vectors = self._embedder.embed_question_tokens(question.searched)
        request = Request(
            question=question,
            vector=vectors.vector,
            tokens=vectors.tokens,
            access=Access(),
            filters=(),
            k=self._settings.answer.results,
        )
        ranking = rank_local(self._store, request, self._view, self._settings.local)
        return weigh_passages(self._store, request, self._view, ranking, self._settings.answer)


def training_answer(source: str, evidence: SupportEvidence, score: Score) -> TrainingAnswer:
    """Return the candidates of a question with the F1 of each."""
    candidates = find_candidates(evidence)
    known: dict[str, float] = {}
    for candidate in candidates:
        if candidate.text not in known:
            known[candidate.text] = score(candidate.text)["F1"]
    f1 = tuple(known[candidate.text] for candidate in candidates)
    return TrainingAnswer(source=source, example=Example(candidates=candidates, f1=f1), score=score)


def trained_weights(answers: Sequence[TrainingAnswer]) -> str:
    """Return the weights file as text, with what it was trained on and how well it did on questions held out."""
    choices = out_of_fold([answer.example for answer in answers])
    held_out = list(zip(answers, choices, strict=True))
    threshold = threshold_for(held_out)
    model = replace(fit([answer.example for answer in answers]), threshold=threshold)
    sources = sorted({answer.source for answer in answers})
    content = {
        "trained_on": {source: sum(answer.source == source for answer in answers) for source in sources},
        "cross_validated": {source: figures(_of(held_out, source), threshold) for source in sources},
        "trained_on_the_other_sets": {source: _transfer(answers, source, threshold) for source in sources},
        "in_sample": {source: figures(_of(_chosen(answers, model), source), threshold) for source in sources},
        "threshold": threshold,
        "none": model.none,
        "weights": dict(model.weights),
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def threshold_for(held_out: Sequence[Kept]) -> float:
    """Return the least confidence from which on claimed answers are right often enough; above 1 where none is."""
    ordered = sorted(held_out, key=lambda kept: -_confidence(kept[1]))
    threshold, right = 1.01, 0
    for count, (answer, choice) in enumerate(ordered, start=1):
        right += _f1(answer, choice) >= _NEARLY
        if choice is not None and right >= _CLAIMED_RIGHT * count:
            threshold = choice.confidence
    return round(threshold, _DECIMALS)


def figures(kept: Sequence[Kept], threshold: float) -> dict[str, float]:
    """Return exact match and F1 of all best spans, how many are claimed, and how many of these are right."""
    claimed = [(answer, choice) for answer, choice in kept if _confidence(choice) >= threshold]
    exact = [_scored(answer, choice)["exact"] for answer, choice in kept]
    return {
        "exact_of_best": _mean(exact),
        "F1_of_best": _mean([_f1(answer, choice) for answer, choice in kept]),
        "claimed": round(len(claimed) / max(1, len(kept)), 3),
        "claimed_exact": _mean([_scored(answer, choice)["exact"] for answer, choice in claimed]),
        "claimed_F1": _mean([_f1(answer, choice) for answer, choice in claimed]),
    }


def _transfer(answers: Sequence[TrainingAnswer], source: str, threshold: float) -> dict[str, float]:
    others = [answer.example for answer in answers if answer.source != source]
    if not others:
        return {}
    own = [answer for answer in answers if answer.source == source]
    return figures(_chosen(own, fit(others)), threshold)


def _chosen(answers: Sequence[TrainingAnswer], model: SpanModel) -> list[Kept]:
    return [(answer, choose(model, answer.example.candidates)) for answer in answers]


def _of(kept: Sequence[Kept], source: str) -> list[Kept]:
    return [(answer, choice) for answer, choice in kept if answer.source == source]


def _confidence(choice: Choice | None) -> float:
    return 0.0 if choice is None else choice.confidence


def _scored(answer: TrainingAnswer, choice: Choice | None) -> Mapping[str, float]:
    return answer.score("" if choice is None else choice.candidate.text)


def _f1(answer: TrainingAnswer, choice: Choice | None) -> float:
    return _scored(answer, choice)["F1"]


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / max(1, len(values)), 3)
