"""Records as the JSON objects that are printed; the keys are part of the product's face."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from belvedere.chain_json import chain_step_json

if TYPE_CHECKING:
    from belvedere.doctor import Examination
    from belvedere.embedding_migration import MigrationReport
    from belvedere.entity_view import EntityView
    from belvedere.reconciliation import Reconciliation
    from belvedere.status import StoreStatus
    from belvedere.store_copy import CopyReport
    from graph_store.records import Community, TreeNode
    from graph_store.spaces import SpareSpace, VectorSpace
    from indexing.reconciling import Drift
    from indexing.report import IndexReport
    from model_clients.chat.messages import TokenUsage
    from query.outcome import Answer, Citation, LlmUse, SearchOutcome, ShortAnswer

DRIFT_KINDS = ("missing", "stale", "orphaned", "lag")
"""In the order in which differences between a store and its sources are told."""


def index_json(report: "IndexReport") -> dict[str, object]:
    """Return a report as the JSON object that is printed."""
    documents = report.documents
    return {
        "documents": {
            "added": documents.added,
            "updated": documents.updated,
            "unchanged": documents.unchanged,
            "deleted": documents.deleted,
            "gone": documents.gone,
            "gone_outside": documents.gone_outside,
            "failed": [{"uri": failure.uri, "error": failure.error} for failure in documents.failed],
        },
        "chunks": report.chunks,
        "entities": report.entities,
        "relations": report.relations,
        "communities": report.communities,
        "tree_nodes": report.tree_nodes,
        "seconds": {step: round(seconds, 3) for step, seconds in report.seconds.items()},
        "usage": {task: usage_json(used) for task, used in report.usage.items()},
        "usage_by_unit": {
            task: {unit: usage_json(used) for unit, used in units.items()}
            for task, units in report.usage_by_unit.items()
        },
        "failed_calls": dict(report.failed_calls),
        "done_without_model": [
            {"task": failed.task, "about": failed.about, "error": failed.error}
            for failed in (report.model_work.failed if report.model_work else ())
        ],
        "not_borne_out": dict(report.model_work.dropped) if report.model_work else {},
    }


def usage_json(usage: "TokenUsage") -> dict[str, object]:
    """Return what calls of a language model used; ``cost`` is in the currency of the configured prices.

    ``estimated`` are the calls whose tokens the endpoint did not count, or not to the end.
    """
    return {
        "calls": usage.calls,
        "cached": usage.cached,
        "estimated": usage.estimated,
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
        "cost": round(usage.cost, 6),
    }


def reconciliation_json(found: "Reconciliation") -> dict[str, object]:
    """Return a comparison with the sources as the JSON object that is printed."""
    content: dict[str, object] = {
        "agrees": found.agrees,
        "agreeing": found.agreeing,
        "gone_outside": found.gone_outside,
    }
    for kind in DRIFT_KINDS:
        content[kind] = [_drift_json(drift) for drift in found.drifts if drift.kind == kind]
    age = found.oldest_change_seconds
    return {
        **content,
        "unreadable": [{"source": failure.uri, "error": failure.error} for failure in found.unreadable],
        "oldest_change_seconds": None if age is None else round(age, 1),
        "left": [{"kind": drift.kind, **_drift_json(drift)} for drift in found.left],
        "fixed": None if found.report is None else index_json(found.report),
    }


def _drift_json(drift: "Drift") -> dict[str, object]:
    if drift.kind == "lag":
        return {"says": drift.says}
    return {"id": drift.document_id, "source": drift.source, "says": drift.says}


def examination_json(found: "Examination") -> dict[str, object]:
    """Return an examination as the JSON object that is printed."""
    return {
        "store": str(found.store),
        "healthy": found.healthy,
        "findings": [
            {"check": item.check, "level": item.level, "says": item.says, "remedy": item.remedy}
            for item in found.findings
        ],
    }


def answer_json(answer: "Answer") -> dict[str, object]:
    """Return an answer as the JSON object that is printed."""
    return {
        "question": answer.question,
        "answer": answer.answer,
        "short_answer": None if answer.short_answer is None else _short_answer_json(answer.short_answer),
        "abstained": answer.abstained,
        "route": answer.route,
        "route_reason": answer.route_reason,
        "made_by": answer.made_by,
        "citations": [_citation_json(citation) for citation in answer.citations],
        "evidence": [
            {
                "chunk_id": piece.chunk_id,
                "document_id": piece.document_id,
                "title": piece.title,
                "cosine": piece.cosine,
                "weak": piece.weak,
                "text": piece.text,
            }
            for piece in answer.evidence
        ],
        "timings_ms": dict(answer.timings_ms),
        "tokens": dict(answer.tokens),
        **({"asked_as": answer.asked_as} if answer.asked_as else {}),
        **({"llm": _llm_json(answer.llm)} if answer.llm is not None else {}),
    }


def _llm_json(use: "LlmUse") -> dict[str, object]:
    """Return what language models did; the key is there only where they did anything."""
    return {
        "model": use.model,
        "fell_back": use.fell_back,
        "dropped": dict(use.dropped),
        "unsupported": list(use.unsupported),
        "searches": [{"transformation": item.transformation, "text": item.text} for item in use.searches],
        "trouble": list(use.trouble),
        "usage": usage_json(use.usage),
    }


def _short_answer_json(short: "ShortAnswer") -> dict[str, object]:
    return {
        "text": short.text,
        "kind": short.kind,
        "citations": list(short.citations),
        "confidence": round(short.confidence, 4),
    }


def _citation_json(citation: "Citation") -> dict[str, object]:
    return {
        "number": citation.number,
        "chunk_id": citation.chunk_id,
        "document_id": citation.document_id,
        "title": citation.title,
        "source_uri": citation.source_uri,
        "heading_path": list(citation.heading_path),
        "page": citation.page,
        "quote": citation.quote,
        "char_start": citation.char_start,
        "char_end": citation.char_end,
    }


def search_json(outcome: "SearchOutcome") -> dict[str, object]:
    """Return the results as the JSON object that is printed."""
    return {
        "route": outcome.route,
        "results": [
            {
                "rank": result.rank,
                "kind": result.kind,
                "id": result.id,
                "document_id": result.document_id,
                "title": result.title,
                "score": result.score,
                "signals": dict(result.signals),
                "text": result.text,
                "chain": [chain_step_json(step) for step in result.chain],
                "duplicates": list(result.duplicates),
                **({"made_by": result.made_by} if result.made_by.startswith("llm:") else {}),
            }
            for result in outcome.results
        ],
        "timings_ms": dict(outcome.timings_ms),
    }


def status_json(found: "StoreStatus") -> dict[str, object]:
    """Return a status as the JSON object that is printed."""
    counts = found.counts
    return {
        "store": str(found.store),
        "embedding_model": found.embedding_model,
        "dimension": found.dimension,
        "tenant": found.tenant,
        "documents": counts.documents,
        "chunks": counts.chunks,
        "entities": counts.entities,
        "relations": counts.relations,
        "communities": counts.communities,
        "tree_nodes": counts.tree_nodes,
        "up_to_date": found.up_to_date,
        "store_bytes": found.store_bytes,
        "second_space": None
        if found.second_space is None
        else {**second_space_json(found.second_space), "whole": found.second_space_whole},
        "llm_tasks": dict(found.tasks),
        "kept_replies": found.kept_replies,
        "settings_changed": {name: {"then": then, "now": now} for name, (then, now) in found.settings_changed.items()},
    }


def second_space_json(spare: "SpareSpace") -> dict[str, object]:
    """Return what a second vector space is of; ``old`` tells that it was live before."""
    return {**_space_json(spare.space), "old": spare.former}


def _space_json(space: "VectorSpace") -> dict[str, object]:
    return {
        "embedding_model": space.embedding_model,
        "dimension": space.dimension,
        "token_space": space.token_space,
        "token_dimension": space.token_dimension,
    }


def migration_json(report: "MigrationReport") -> dict[str, object]:
    """Return how a store's vector spaces stand as the JSON object that is printed."""
    filled = report.filled
    return {
        "live": _space_json(report.live.space),
        "second": None if report.spare is None else {**second_space_json(report.spare), "lacking": report.lacking},
        "filled": {"chunks": filled.chunks, "communities": filled.communities, "tree_nodes": filled.tree_nodes},
        "in_pieces": filled.in_pieces,
        "switched": report.switched,
        "dropped": report.dropped,
    }


def copy_json(report: "CopyReport") -> dict[str, object]:
    """Return what a copy did, and how both stores compare, as the JSON object that is printed."""
    found = report.comparison
    return {
        "tenants": list(report.tenants),
        "documents": {"written": report.written, "kept": report.kept, "removed": report.removed},
        "same": found.agrees,
        "kinds": {kind: asdict(digest) for kind, digest in found.kinds.items()},
        "differing": found.differing,
        "differences": [asdict(item) for item in found.differences],
    }


def community_json(community: "Community", names: Mapping[str, str]) -> dict[str, object]:
    """Return a community; ``names`` are those of entities by id."""
    return {
        "id": community.id,
        "level": community.level,
        "parent_id": community.parent_id,
        "title": community.title,
        "entities": len(community.entity_ids),
        "key_entities": key_entity_names(community, names),
        "report": [{"text": sentence.text, "chunk_ids": list(sentence.chunk_ids)} for sentence in community.report],
        "made_by": community.made_by,
    }


def key_entity_names(community: "Community", names: Mapping[str, str]) -> list[str]:
    """Return the names of the key entities of a community."""
    return [names[entity_id] for entity_id in community.key_entity_ids if entity_id in names]


def node_json(node: "TreeNode") -> dict[str, object]:
    """Return a node of a summary tree."""
    return {
        "id": node.id,
        "level": node.level,
        "parent_id": node.parent_id,
        "document_id": node.document_id,
        "title": node.title,
        "summary": [{"text": sentence.text, "chunk_ids": list(sentence.chunk_ids)} for sentence in node.summary],
        "child_ids": list(node.child_ids),
        "chunk_ids": list(node.chunk_ids),
        "made_by": node.made_by,
    }


def entity_json(view: "EntityView") -> dict[str, object]:
    """Return an entity with its relations and mentions."""
    entity = view.entity
    return {
        "id": entity.id,
        "name": entity.name,
        "type": entity.type,
        "aliases": list(entity.aliases),
        "description": entity.description,
        "homes": [
            {
                "chunk_id": home.chunk_id,
                "document_id": home.document_id,
                "title": home.title,
                "heading_path": list(home.heading_path),
            }
            for home in view.homes
        ],
        "relations": [
            {
                "source": relation.source,
                "predicate": relation.predicate,
                "target": relation.target,
                "weight": relation.weight,
                "evidence": list(relation.evidence),
            }
            for relation in view.relations
        ],
        "mentions": dict(view.mentions_by_document),
    }
