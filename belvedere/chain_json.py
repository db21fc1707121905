"""Chains as the JSON objects that are printed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from query.chain_ranking.chains import ChainStep
    from query.chain_ranking.explanation import ExplainedRanking


def ranking_json(found: "ExplainedRanking") -> Mapping[str, object]:
    """Return an explained ranking as the JSON object that is printed."""
    return {
        "question": found.question,
        "trust": found.trust,
        "gate": dict(found.gate),
        "results": [
            {
                "rank": rank,
                "chunk_id": result.chunk_id,
                "document_id": result.document_id,
                "title": result.title,
                "score": result.score,
                "chain_score": result.chain_score,
                "chain": [chain_step_json(step) for step in result.chain],
                "reasons": dict(result.reasons),
            }
            for rank, result in enumerate(found.results, start=1)
        ],
    }


def chain_step_json(step: "ChainStep") -> Mapping[str, object]:
    """Return a step of a chain; ``sentence`` is a span in the text of the chunk before."""
    return {
        "chunk_id": step.chunk_id,
        "document_id": step.document_id,
        "title": step.title,
        "bridge": step.bridge,
        "sentence": None if step.sentence is None else list(step.sentence),
        "explains": list(step.explains),
    }
