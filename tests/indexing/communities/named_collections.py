"""Collections with their entities: every capitalised word of a text is an entity and a mention of it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.bundles import Collection
from graph_store.ids import name_key, stable_id
from graph_store.records import Community, Entity, Home, Mention, Relation
from indexing.communities.build import build_communities
from indexing.communities.entity_places import gather_knowledge
from indexing.communities.previous import PreviousCommunities
from indexing.communities.settings import CommunitySettings
from indexing.communities.told_reports import ReportTeller
from tests.raptor.text_collections import Texts, collection_of

NOTHING = PreviousCommunities()
_NAME = re.compile(r"\b[A-Z]\w+")
_ORDINARY = {"The", "And", "In", "Then"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A collection with what resolution finds in it."""

    collection: Collection
    entities: tuple[Entity, ...]
    mentions: tuple[Mention, ...]
    homes: tuple[Home, ...] = ()
    relations: tuple[Relation, ...] = ()

    def communities(
        self,
        settings: CommunitySettings | None = None,
        *,
        previous: PreviousCommunities = NOTHING,
        teller: ReportTeller | None = None,
    ) -> tuple[Community, ...]:
        """Build the communities, or repair the previous ones."""
        return build_communities(
            self.collection,
            knowledge=gather_knowledge(
                entities=self.entities, mentions=self.mentions, homes=self.homes, relations=self.relations
            ),
            settings=settings or CommunitySettings(),
            previous=previous,
            teller=teller,
        )

    def names(self, community: Community) -> set[str]:
        """Return the names of the members."""
        return {entity.name for entity in self.entities if entity.id in community.entity_ids}


def entity_id(name: str) -> str:
    """Return the id of the entity of a name."""
    return stable_id("ent-", "default", name_key(name))


def named(
    texts: Texts,
    *,
    groups: Mapping[str, tuple[str, ...]] | None = None,
    relations: Sequence[tuple[str, str, tuple[str, ...]]] = (),
    homes: Sequence[tuple[str, str]] = (),
) -> Named:
    """Return a collection with its entities; ``relations`` are (source, target, chunk ids), ``homes`` (name, chunk)."""
    collection = collection_of(texts, groups=groups)
    found = [
        (match.group(), chunk.id, match.span())
        for chunk in collection.chunks
        for match in _NAME.finditer(chunk.text)
        if match.group() not in _ORDINARY
    ]
    names = sorted({name for name, _, _ in found} | {name for name, _ in homes})
    return Named(
        collection=collection,
        entities=tuple(
            Entity(id=entity_id(name), tenant="default", name=name, name_key=name_key(name), type="ORG")
            for name in names
        ),
        mentions=tuple(
            Mention(entity_id=entity_id(name), chunk_id=chunk, char_start=start, char_end=end)
            for name, chunk, (start, end) in found
        ),
        homes=tuple(Home(entity_id=entity_id(name), chunk_id=chunk, kind="title") for name, chunk in homes),
        relations=tuple(
            Relation(
                id=f"{source}-{target}",
                tenant="default",
                source_id=entity_id(source),
                target_id=entity_id(target),
                predicate="met",
                weight=1.0,
                evidence=evidence,
            )
            for source, target, evidence in relations
        ),
    )
