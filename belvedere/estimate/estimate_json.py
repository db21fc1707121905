"""An estimate as the JSON object that is printed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from belvedere.estimate.cheapest import Offer

if TYPE_CHECKING:
    from belvedere.estimate.estimate import Estimate
    from belvedere.estimate.storage import StorageEstimate
    from belvedere.estimate.task_estimate import Between, TaskEstimate


def estimate_json(found: "Estimate", offers: Sequence[Offer] | None) -> dict[str, object]:
    """Return an estimate; ``offers`` are those of ``--cheapest``, None without it."""
    content: dict[str, object] = {
        "documents": found.documents,
        "chunks": found.chunks,
        "sampled_chunks": found.sampled,
        "storage": _storage_json(found.storage),
        "tasks": {
            **{name: {"per": "collection", **_task_json(task)} for name, task in found.tasks.items()},
            **{name: {"per": "question", **_task_json(task)} for name, task in found.per_question.items()},
        },
        "lazy": {
            "per": "question",
            **_task_json(found.lazy_reports),
            "share_of_indexing": round(found.lazy_share, 4),
        },
        "cost": round(found.cost.likely, 6),
        "cost_interval": _interval(found.cost, 6),
        "embedding_tokens": None if found.embedding is None else round(found.embedding.likely),
        "failed": [{"uri": failure.uri, "error": failure.error} for failure in found.failed],
    }
    if offers is not None:
        content["cheapest"] = [
            {
                "task": offer.task,
                "per": offer.per,
                "model": offer.model,
                "cost": _rounded(offer.cost),
                "buys": offer.buys,
            }
            for offer in offers
        ]
    return content


def _storage_json(storage: "StorageEstimate") -> Mapping[str, int]:
    return {
        "total": round(storage.total),
        "chunk_vectors": round(storage.chunk_vectors),
        "sentence_vectors": round(storage.sentence_vectors),
        "token_vectors": round(storage.token_vectors),
        "derived_vectors": round(storage.derived_vectors),
        "hnsw": round(storage.hnsw),
        "text": round(storage.text),
        "rest": round(storage.rest),
    }


def _task_json(task: "TaskEstimate") -> Mapping[str, object]:
    return {
        "on": task.on,
        "model": task.model,
        "calls": round(task.calls.likely),
        "calls_interval": _interval(task.calls),
        "tokens": round(task.tokens.likely),
        "tokens_interval": _interval(task.tokens),
        "prompt_tokens": round(task.prompt_tokens.likely),
        "reply_tokens": round(task.reply_tokens.likely),
        "cost": None if task.cost is None else round(task.cost.likely, 6),
        "cost_interval": None if task.cost is None else _interval(task.cost, 6),
    }


def _interval(between: "Between", digits: int | None = None) -> list[float]:
    return [round(between.low, digits), round(between.high, digits)]


def _rounded(cost: float | None) -> float | None:
    return None if cost is None else round(cost, 6)
