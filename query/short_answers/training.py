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
from query.readable_view import WholeView
from query.request import Request
from query.settings import QuerySettings
from query.short_answers.asked import is_plain
from query.short_answers.candidates import find_candidates
from query.short_answers.fitting import Example, fit, out_of_fold
from query.short_answers.model import Choice, ClaimRule, SpanModel, choose

WEIGHTS = Path(__file__).parent / "weights.json"
# Of the answers claimed on questions of every set held out, this share is right: token F1 of at least a half.
_CLAIMED_RIGHT = 0.85
_RIGHT_F1 = 0.5
_THRESHOLDS = tuple(round(0.2 + 0.025 * step, 3) for step in range(32))
_COVERED = (0.0, 0.4, 0.5, 0.6, 0.7)

Score: TypeAlias = Callable[[str], Mapping[str, float]]
Kept: TypeAlias = tuple["TrainingAnswer", Choice | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingAnswer:
    """A question of a set, with its candidates; ``score`` tells "exact" and "F1" of an answer, 0 to 1.

    ``groups`` are what figures are told by besides the set, such as "asks for a person". Nothing is claimed where the
    question is not plain.
    """

    source: str
    example: Example
    score: Score
    groups: tuple[str, ...] = ()
    is_plain: bool = True


class EvidenceMaker:
    """Weighs the evidence of questions to one store as the local route does."""

    def __init__(self, store: GraphStore, embedder: Embedder, settings: QuerySettings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._view = WholeView(store, Access(), store.passage_graph(Access()))

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


def training_answer(
    source: str, evidence: SupportEvidence, score: Score, groups: tuple[str, ...] = ()
) -> TrainingAnswer:
    """Return the candidates of a question with the F1 of each."""
    candidates = find_candidates(evidence)
    known: dict[str, float] = {}
    for candidate in candidates:
        if candidate.text not in known:
            known[candidate.text] = score(candidate.text)["F1"]
    f1 = tuple(known[candidate.text] for candidate in candidates)
    return TrainingAnswer(
        source=source,
        example=Example(candidates=candidates, f1=f1),
        score=score,
        groups=groups,
        is_plain=is_plain(evidence.question),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A model with its rule of claiming, and the choices by models that saw nothing of the fold, and of the set."""

    model: SpanModel
    by_fold: tuple[Kept, ...]
    by_set: tuple[Kept, ...]
    in_sample: tuple[Kept, ...]


def train(answers: Sequence[TrainingAnswer]) -> Trained:
    """Fit the model, and rule what is claimed by choices of models that saw nothing of the set: so it will be used."""
    examples = [answer.example for answer in answers]
    sources = sorted({answer.source for answer in answers})
    by_fold = _kept(answers, out_of_fold(examples))
    by_set = _kept(answers, out_of_fold(examples, [sources.index(answer.source) for answer in answers]))
    rule = claim_rule(by_fold, by_set) if len(sources) > 1 else claim_rule(by_fold)
    model = replace(fit(examples), threshold=rule.threshold, covered=rule.covered)
    in_sample = _kept(answers, [choose(model, example.candidates) for example in examples])
    return Trained(model=model, by_fold=by_fold, by_set=by_set, in_sample=in_sample)


def weights_text(trained: Trained) -> str:
    """Return the weights file, with what it was trained on and how well it did on questions held out."""
    model, by_set = trained.model, trained.by_set
    sources = sorted({answer.source for answer, _ in by_set})
    content = {
        "trained_on": {source: len(_of(by_set, source)) for source in sources},
        "cross_validated": {source: figures(_of(trained.by_fold, source), model) for source in sources},
        "trained_and_ruled_by_the_other_sets": {
            source: figures(_of(by_set, source), _rule_of_others(trained, source)) for source in sources
        },
        "trained_on_the_other_sets": {source: figures(_of(by_set, source), model) for source in sources},
        "in_sample": {source: figures(_of(trained.in_sample, source), model) for source in sources},
        "threshold": model.threshold,
        "covered": model.covered,
        "none": model.none,
        "weights": dict(model.weights),
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _rule_of_others(trained: Trained, source: str) -> ClaimRule:
    return claim_rule(
        *([pair for pair in kept if pair[0].source != source] for kept in (trained.by_fold, trained.by_set))
    )


def claim_rule(*held_out: Sequence[Kept]) -> ClaimRule:
    """Return the rule by which most right answers are claimed, among those that hold often enough in every set and for
    each way to hold out. Without such a rule nothing is claimed.
    """
    best, most = ClaimRule(threshold=1.01, covered=0.0), 0.0
    for rule in (ClaimRule(threshold=least, covered=covered) for covered in _COVERED for least in _THRESHOLDS):
        told = [_claimed(own, rule) for kept in held_out for own in _by_source(kept)]
        if all(claims.holds() for claims in told):
            right = sum(claims.right / claims.questions for claims in told)
            best, most = (rule, right) if right > most else (best, most)
    return best


def _by_source(kept: Sequence[Kept]) -> list[list[Kept]]:
    return [_of(kept, source) for source in sorted({answer.source for answer, _ in kept})]


@dataclass(frozen=True, slots=True)
class _Claims:
    """How many questions a set has, how many answers are claimed, and how many of those are right."""

    questions: int
    claimed: int
    right: int

    def holds(self) -> bool:
        return self.right >= _CLAIMED_RIGHT * self.claimed


def _claimed(kept: Sequence[Kept], rule: ClaimRule) -> _Claims:
    claimed = _claims_of(kept, rule)
    right = sum(_f1(answer, choice) >= _RIGHT_F1 for answer, choice in claimed)
    return _Claims(questions=len(kept), claimed=len(claimed), right=right)


def _claims_of(kept: Sequence[Kept], rule: ClaimRule) -> list[tuple[TrainingAnswer, Choice]]:
    return [
        (answer, choice) for answer, choice in kept if answer.is_plain and choice is not None and rule.claims(choice)
    ]


def figures(kept: Sequence[Kept], rule: ClaimRule) -> dict[str, float]:
    """Return exact match and F1 of all best spans, how many are claimed, and how many of these are right."""
    claimed = _claims_of(kept, rule)
    return {
        "exact_of_best": _mean([_scored(answer, choice)["exact"] for answer, choice in kept]),
        "F1_of_best": _mean([_f1(answer, choice) for answer, choice in kept]),
        "claimed": round(len(claimed) / max(1, len(kept)), 3),
        "claimed_exact": _mean([_scored(answer, choice)["exact"] for answer, choice in claimed]),
        "claimed_right": _mean([float(_f1(answer, choice) >= _RIGHT_F1) for answer, choice in claimed]),
    }


def _kept(answers: Sequence[TrainingAnswer], choices: Sequence[Choice | None]) -> tuple[Kept, ...]:
    return tuple(zip(answers, choices, strict=True))


def _of(kept: Sequence[Kept], source: str) -> list[Kept]:
    return [(answer, choice) for answer, choice in kept if answer.source == source]


def _scored(answer: TrainingAnswer, choice: Choice | None) -> Mapping[str, float]:
    return answer.score("" if choice is None else choice.candidate.text)


def _f1(answer: TrainingAnswer, choice: Choice | None) -> float:
    return _scored(answer, choice)["F1"]


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / max(1, len(values)), 3)
