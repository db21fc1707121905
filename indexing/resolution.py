"""From names in documents to the entities of a tenant.

Names become one entity only where their normal form (:func:`graph_store.ids.name_key`) is the same and their types are
compatible, or where a document itself says that they mean the same (an acronym in brackets, a surname after the full
name, a title with its qualifier). Likeness alone never merges: "John Doe" and "John T. Doe" stay apart.

*Types.* One name has one type in one document, the one most mentions have. PERSON, ORG and PLACE are incompatible with
each other, all other types are compatible with everything. Over all documents an incompatible type is believed where it
has at least a third of the documents with such a type and more than one mention (or a home); else it is the parser's
noise and joins the majority. One mention against one other stays undecided: two entities.

*Homonyms.* Titles tell them apart: "Li Wei (footballer)" and "Li Wei (chemist)" are two, and a document that is neither
joins one only if it has the qualifier's last word too. Without brackets, two documents that define a person differently
("is a footballer", "was a chemist") and share no other name are two people. What cannot be told apart stays together:
two people of one name and one profession, or homonyms that no document defines; two spellings of one name stay two.

The result does not depend on the order of the documents.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from graph_store.bundles import Collection
from graph_store.ids import stable_id
from graph_store.records import Chunk, Entity, Home, HomeKind, Mention, Relation
from indexing.defining_sentences import ChunkSentences, find_defining_sentence
from indexing.extraction.titles import title_names
from indexing.senses import Place, Sense, assign_senses, cached_key
from indexing.told_descriptions import ToldDescription, tell_apart

_KIND_ORDER: Mapping[HomeKind, int] = {"title": 0, "lead_subject": 1, "definition": 2, "heading": 3}
_MAX_DESCRIPTION = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """The entities of a tenant with their evidence.

    Entities and relations are ordered by id, mentions and homes by entity, chunk and place. Every entity has a mention
    or a home. ``told`` is, by the id of its entity, all that a language model told and that may be told as one.
    """

    entities: tuple[Entity, ...]
    mentions: tuple[Mention, ...]
    homes: tuple[Home, ...]
    relations: tuple[Relation, ...]
    told: Mapping[str, ToldDescription] = field(default_factory=dict)


@dataclass(slots=True)
class _Evidence:
    """What the documents say of one sense; ``names`` counts full names, ``surfaces`` are all spellings.

    ``told`` is what a language model says of it, by chunk.
    """

    names: Counter[str] = field(default_factory=Counter)
    surfaces: set[str] = field(default_factory=set)
    mentions: set[tuple[str, int, int]] = field(default_factory=set)
    homes: dict[str, HomeKind] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)


def resolve(collection: Collection, *, model: str = "") -> Resolution:
    """Resolve the names of a tenant's documents to entities. Deterministic, whatever the order of the documents.

    ``model`` is the language model that described names in chunks, where one did.
    """
    sentences = ChunkSentences(collection)
    resolver = _Resolver(collection, assign_senses(collection, sentences), sentences, model=model)
    return resolver.resolution()


class _Resolver:
    def __init__(
        self, collection: Collection, senses: Mapping[Place, Sense], sentences: ChunkSentences, *, model: str
    ) -> None:
        self._model = model
        self._collection = collection
        self._senses = senses
        self._sentences = sentences
        self._chunks: Mapping[str, Chunk] = {chunk.id: chunk for chunk in collection.chunks}
        self._evidence: defaultdict[Sense, _Evidence] = defaultdict(_Evidence)
        self._collect()

    def resolution(self) -> Resolution:
        # The parser's peoples and nationalities join everything with everything: only those with a home stay.
        kept = {sense: found for sense, found in self._evidence.items() if found.homes or sense.type != "GROUP"}
        ids = {sense: self._entity_id(sense) for sense in kept}
        told = {ids[sense]: text for sense, found in kept.items() if (text := self._told(found)) is not None}
        entities = [self._entity(sense, found, told.get(ids[sense])) for sense, found in kept.items()]
        mentions = [
            Mention(entity_id=ids[sense], chunk_id=chunk_id, char_start=start, char_end=end)
            for sense, found in kept.items()
            for chunk_id, start, end in found.mentions
        ]
        homes = [
            Home(entity_id=ids[sense], chunk_id=chunk_id, kind=kind)
            for sense, found in kept.items()
            for chunk_id, kind in found.homes.items()
        ]
        return Resolution(
            entities=tuple(sorted(entities, key=lambda entity: entity.id)),
            mentions=tuple(sorted(mentions, key=lambda item: (item.entity_id, item.chunk_id, item.char_start))),
            homes=tuple(sorted(homes, key=lambda home: (home.entity_id, home.chunk_id))),
            relations=tuple(sorted(self._relations(ids), key=lambda relation: relation.id)),
            told=told,
        )

    def _collect(self) -> None:
        for mention in self._collection.mentions:
            found = self._found(mention.chunk_id, mention.name)
            if found is not None:
                found.names[mention.name] += 1
                found.surfaces.update((mention.name, " ".join(mention.surface.split())))
                found.mentions.add((mention.chunk_id, mention.char_start, mention.char_end))
                if mention.description:
                    found.told.setdefault(mention.chunk_id, mention.description)
        for home in self._collection.homes:
            found = self._found(home.chunk_id, home.name)
            if found is not None:
                found.surfaces.add(home.name)
                known = found.homes.get(home.chunk_id, home.kind)
                found.homes[home.chunk_id] = min(known, home.kind, key=_KIND_ORDER.__getitem__)
        for document in self._collection.documents:
            title = title_names(document.title)
            sense = self._senses.get((document.id, cached_key(title.name))) if title else None
            if title is not None and sense is not None:
                self._evidence[sense].names[title.name] += 1

    def _found(self, chunk_id: str, name: str) -> _Evidence | None:
        sense = self._sense(chunk_id, name)
        return None if sense is None else self._evidence[sense]

    def _sense(self, chunk_id: str, name: str) -> Sense | None:
        return self._senses.get((self._chunks[chunk_id].document_id, cached_key(name)))

    def _entity_id(self, sense: Sense) -> str:
        qualifier = (sense.qualifier,) if sense.qualifier else ()
        return stable_id("ent-", self._collection.tenant, sense.key, sense.type, *qualifier)

    def _entity(self, sense: Sense, found: _Evidence, told: ToldDescription | None) -> Entity:
        full = Counter({name: count for name, count in found.names.items() if cached_key(name) == sense.key})
        counts = full or found.names or Counter(found.surfaces)
        name = min(counts, key=lambda item: (-counts[item], item))
        entity = Entity(
            id=self._entity_id(sense),
            tenant=self._collection.tenant,
            name=name,
            name_key=cached_key(name),
            type=sense.type,
            aliases=tuple(sorted(found.surfaces - {name})),
            description=self._description(found, frozenset(map(cached_key, found.surfaces | {name}))),
        )
        if told is None:
            return entity
        description, chunk_ids = told.joined()
        made_by = f"llm:{self._model}" if self._model else "llm"
        return replace(entity, description=description, description_made_by=made_by, description_chunk_ids=chunk_ids)

    def _told(self, found: _Evidence) -> ToldDescription | None:
        return tell_apart(found.told, self._chunks.__getitem__, self._audiences(found)) if found.told else None

    def _audiences(self, found: _Evidence) -> set[tuple[str, ...]]:
        """Return the groups of all chunks that the evidence lies in."""
        audiences = {self._chunks[chunk_id].groups for chunk_id in found.homes}
        audiences.update(self._chunks[chunk_id].groups for chunk_id, _, _ in found.mentions)
        return audiences

    def _description(self, found: _Evidence, keys: frozenset[str]) -> str:
        """Return the best defining sentence of a home, cut at 200 characters.

        A sentence from a chunk that some readers of the entity may not read would tell them what is not theirs, so it
        must come from a chunk without groups or from one whose groups all of the evidence has.
        """
        audiences = self._audiences(found)
        for chunk in sorted(map(self._chunks.__getitem__, found.homes), key=lambda chunk: self._rank(chunk, found)):
            if chunk.groups and len(audiences) > 1:
                continue
            defined = find_defining_sentence(self._sentences.of(chunk.id), keys)
            if defined is not None:
                return _cut(defined.text)
        return ""

    def _rank(self, chunk: Chunk, found: _Evidence) -> tuple[int, str, int]:
        return _KIND_ORDER[found.homes[chunk.id]], chunk.document_id, chunk.position

    def _relations(self, ids: Mapping[Sense, str]) -> Iterator[Relation]:
        stated: defaultdict[tuple[str, str, str], dict[tuple[str, int], set[str]]] = defaultdict(dict)
        strengths: defaultdict[tuple[str, str, str], float] = defaultdict(float)
        for relation in self._collection.relations:
            source = ids.get(self._sense(relation.chunk_id, relation.subject) or _NOTHING)
            target = ids.get(self._sense(relation.chunk_id, relation.object) or _NOTHING)
            if source is None or target is None or source == target:
                continue
            chunk = self._chunks[relation.chunk_id]
            # Overlapping chunks repeat a sentence: it counts once, and both chunks are evidence.
            sentence = chunk.document_id, chunk.char_start + relation.char_start
            triple = source, relation.predicate, target
            stated[triple].setdefault(sentence, set()).add(chunk.id)
            strengths[triple] = max(strengths[triple], relation.strength)
        for (source, predicate, target), sentences in stated.items():
            yield Relation(
                id=stable_id("rel-", self._collection.tenant, source, target, predicate),
                tenant=self._collection.tenant,
                source_id=source,
                target_id=target,
                predicate=predicate,
                weight=float(len(sentences)),
                evidence=_sorted_union(sentences.values()),
                strength=strengths[source, predicate, target],
            )


_NOTHING = Sense("", "", "")


def _sorted_union(groups: Iterable[set[str]]) -> tuple[str, ...]:
    return tuple(sorted(set().union(*groups)))


def _cut(sentence: str) -> str:
    """Cut a sentence at the last word that fits."""
    if len(sentence) <= _MAX_DESCRIPTION:
        return sentence
    return sentence[: _MAX_DESCRIPTION - 1].rsplit(" ", 1)[0].rstrip(" ,;:") + "\u2026"
