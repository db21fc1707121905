"""Descriptions of entities that many chunks describe, summed up by a language model where their evidence changed."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from graph_store.bundles import Collection
from graph_store.records import Chunk, Entity, SourcedSentence
from indexing.model_work import FailedCall, WorkTally
from indexing.resolution import Resolution
from indexing.told_descriptions import MAX_DESCRIPTION, ToldDescription
from model_clients.chat.errors import ChatFailed
from model_clients.chat.messages import CallScope
from model_clients.chat.task_model import TaskModel
from raptor.told_summary import MAX_EVIDENCE, SummaryMaterial, ToldSummary, dropped_of, tell_summaries


def sum_up_descriptions(
    resolution: Resolution, collection: Collection, model: TaskModel, *, previous: Iterable[Entity], work: WorkTally
) -> Resolution:
    """Return the resolution with one description for each entity of which more was told than a description holds.

    A ``previous`` description that rests on the same chunks stays. Where the model fails, what was told stands as far
    as there is room. Raises ``EndpointUnusable``.
    """
    chunks = {chunk.id: chunk for chunk in collection.chunks}
    made_by = f"llm:{model.model_id}"
    known = {(item.id, item.description_chunk_ids): item for item in previous if item.description_made_by == made_by}
    long = {key: told for key, told in resolution.told.items() if len(" ".join(told.texts)) > MAX_DESCRIPTION}
    summed = {
        key: known[key, _rests_on(told)].description for key, told in long.items() if (key, _rests_on(told)) in known
    }
    asked = {key: told for key, told in long.items() if key not in summed}
    replies = tell_summaries(model, [_material(told, chunks) for told in asked.values()], "summaries")
    names = {entity.id: entity.name for entity in resolution.entities}
    for key, reply in zip(asked, replies, strict=True):
        work.count("summaries", dropped=dropped_of(reply))
        if isinstance(reply, ChatFailed):
            work.fail(FailedCall(task="summaries", about=f"the description of {names[key]!r}", error=str(reply)))
        else:
            summed[key] = _text(reply)
    if asked:
        work.count("summaries", asked=len(asked))
    return replace(
        resolution,
        entities=tuple(_described(entity, summed, resolution.told, made_by) for entity in resolution.entities),
    )


def _rests_on(told: ToldDescription) -> tuple[str, ...]:
    return tuple(dict.fromkeys(told.chunk_ids[:MAX_EVIDENCE]))


def _material(told: ToldDescription, chunks: Mapping[str, Chunk]) -> SummaryMaterial:
    pairs = list(zip(told.texts, told.chunk_ids, strict=True))[:MAX_EVIDENCE]
    own = [chunks[chunk_id] for _, chunk_id in pairs]
    return SummaryMaterial(
        evidence=tuple(SourcedSentence(text=text, chunk_ids=(chunk_id,)) for text, chunk_id in pairs),
        scope=CallScope(
            tenant=own[0].tenant,
            groups=tuple(sorted(set(own[0].groups))),
            documents=tuple(sorted({chunk.document_id for chunk in own})),
            unit="descriptions",
        ),
    )


def _text(told: ToldSummary) -> str:
    """Return as many whole claims as a description has room for, at least one."""
    kept = told.claims[0].text
    for claim in told.claims[1:]:
        if len(kept) + 1 + len(claim.text) > MAX_DESCRIPTION:
            break
        kept = f"{kept} {claim.text}"
    return kept


def _described(entity: Entity, summed: Mapping[str, str], told: Mapping[str, ToldDescription], made_by: str) -> Entity:
    if entity.id not in summed:
        return entity
    return replace(
        entity,
        description=summed[entity.id],
        description_made_by=made_by,
        description_chunk_ids=_rests_on(told[entity.id]),
    )
