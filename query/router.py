"""Which route answers a question: a small trained classifier on its words, and what the collection has."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias, cast

from graph_store.bundles import StoreCounts
from query.logistic import read_weights, softmax
from query.outcome import Route
from query.question import Question
from query.router_features import router_features
from query.settings import RouterSettings
from query.theme_words import BREADTH, names_one_document, topic_stems

_Weights: TypeAlias = Mapping[str, Mapping[str, float]]

_NAMED: Mapping[Route, str] = {
    "local": "a particular fact",
    "community": "themes across the documents",
    "tree": "a summary",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteDecision:
    """The route taken, the reason as a sentence, and the classifier's probabilities.

    ``undecided`` where the question stays local for want of certainty, so summaries are worth showing as well.
    """

    route: Route
    reason: str
    scores: Mapping[Route, float]
    undecided: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteEvidence:
    """What retrieval knows when the route is chosen. ``named_document`` is the title that the question names."""

    counts: StoreCounts
    named_document: str | None = None


def route_probabilities(question: Question) -> dict[Route, float]:
    """Return the classifier's probability of each route, from the question's text alone."""
    routes, bias, weights = _model()
    totals = dict(bias)
    for feature, value in router_features(question).items():
        for route, weight in weights.get(feature, {}).items():
            totals[route] += weight * value
    return cast("dict[Route, float]", dict(zip(routes, softmax([totals[route] for route in routes]), strict=True)))


def decide_route(question: Question, gather: Callable[[], RouteEvidence], settings: RouterSettings) -> RouteDecision:
    """Decide the route and say why.

    An identifier, a question without words and a collection without summaries stay local; else the classifier decides,
    where it is confident enough. ``gather`` is called only where the question looks global, so that others stay fast.
    """
    if not question.words:
        return RouteDecision(route="local", reason="The question has no words to route by.", scores={})
    scores = route_probabilities(question)
    if question.identifiers:
        reason = f"The question names the identifier {question.identifiers[0]}, which stands in single passages."
        return RouteDecision(route="local", reason=reason, scores=scores)
    best = max(scores, key=lambda route: (scores[route], route))
    if best == "local":
        reason = f"The question asks for a particular fact (probability {scores['local']:.2f})."
        return RouteDecision(route="local", reason=reason, scores=scores)
    return _global_route(question, scores, gather, settings)


def _global_route(
    question: Question,
    scores: Mapping[Route, float],
    gather: Callable[[], RouteEvidence],
    settings: RouterSettings,
) -> RouteDecision:
    best = max(scores, key=lambda route: (scores[route], route))
    globally = 1.0 - scores["local"]
    if globally < settings.confident:
        reason = (
            f"The question may ask for {_NAMED[best]} (probability {scores[best]:.2f}), which is not certain enough: "
            "passages answer, summaries are listed after them."
        )
        return RouteDecision(route="local", reason=reason, scores=scores, undecided=True)
    evidence = gather()
    if evidence.named_document is not None and (question.quoted or names_one_document(question)):
        best = "tree"  # however it is asked, one document is told by its summary
    elif evidence.named_document is None and BREADTH.search(question.searched) and topic_stems(question):
        best = "community"  # a subject "across all reports" is told by points from many of them
    available = _available(best, evidence)
    if available is None:
        reason = f"The question asks for {_NAMED[best]}, but the documents have no summaries yet."
        return RouteDecision(route="local", reason=reason, scores=scores)
    about = f" of the document {evidence.named_document!r}" if available == "tree" and evidence.named_document else ""
    reason = f"The question asks for {_NAMED[available]}{about} (probability {globally:.2f})."
    return RouteDecision(route=available, reason=reason, scores=scores)


def _available(best: Route, evidence: RouteEvidence) -> Route | None:
    has: dict[Route, bool] = {
        "community": evidence.counts.communities > 0,
        "tree": evidence.counts.tree_nodes > 0 or evidence.named_document is not None,
    }
    other: Route = "tree" if best == "community" else "community"
    return next((route for route in (best, other) if has[route]), None)


@cache
def _model() -> tuple[tuple[str, ...], Mapping[str, float], _Weights]:
    loaded = read_weights("router_weights.json")
    routes = tuple(cast("list[str]", loaded["routes"]))
    return routes, cast("Mapping[str, float]", loaded["bias"]), cast("_Weights", loaded["weights"])
