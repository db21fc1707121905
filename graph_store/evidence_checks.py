"""What a derived layer rests on must be in the store, and be read by those who may read the derived record."""

from collections.abc import Iterable, Mapping

from graph_store.bundles import Generation
from graph_store.errors import InvalidRecord
from graph_store.records import Community, TreeNode


def check_evidence(generation: Generation, chunks: Iterable[str]) -> None:
    """Raise ``InvalidRecord`` where evidence is not in the store: the layer was made from another state of it."""
    named: set[str] = set()
    named.update(mention.chunk_id for mention in generation.mentions)
    named.update(home.chunk_id for home in generation.homes)
    for edge in generation.passage_edges:
        named.update((edge.source_id, edge.target_id))
    for relation in generation.relations:
        named.update(relation.evidence)
    for text in _texts(generation):
        named.update(text.chunk_ids)
    _need_known(named, chunks, "chunk")
    known = {entity.id for entity in generation.entities}
    used = {mention.entity_id for mention in generation.mentions}
    used.update(home.entity_id for home in generation.homes)
    used.update(entity_id for r in generation.relations for entity_id in (r.source_id, r.target_id))
    _need_known(used, known, "entity")
    _check_descriptions(generation)


def _check_descriptions(generation: Generation) -> None:
    """Raise ``InvalidRecord`` where a description rests on a chunk that says nothing of its entity."""
    places = {(mention.entity_id, mention.chunk_id) for mention in generation.mentions}
    places.update((home.entity_id, home.chunk_id) for home in generation.homes)
    for entity in generation.entities:
        strange = [chunk_id for chunk_id in entity.description_chunk_ids if (entity.id, chunk_id) not in places]
        if strange:
            raise InvalidRecord(f"{entity.id!r} is described by the chunk {strange[0]!r}, which does not mention it")


def check_audiences(generation: Generation, groups: Mapping[str, Iterable[str]]) -> None:
    """Raise ``InvalidRecord`` where a derived text rests on a chunk of another audience: it would carry it across.

    ``groups`` is chunk id -> groups of all chunks of the tenant.
    """
    audiences = {chunk_id: frozenset(names) for chunk_id, names in groups.items()}
    for text in _texts(generation):
        own = frozenset(text.groups)
        for chunk_id in text.chunk_ids:
            if audiences[chunk_id] != own:
                raise InvalidRecord(
                    f"{text.id!r} rests on the chunk {chunk_id!r}, which has other groups than it has itself"
                )


def _texts(generation: Generation) -> Iterable[Community | TreeNode]:
    yield from generation.communities
    yield from generation.tree_nodes


def _need_known(named: set[str], known: Iterable[str], what: str) -> None:
    unknown = sorted(named.difference(known))
    if unknown:
        raise InvalidRecord(f"the derived layer rests on the {what} {unknown[0]!r}, which is not there: make it again")
