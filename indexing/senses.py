"""Which entity a name means in which document. The rules stand in :mod:`indexing.resolution`."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from graph_store.bundles import Collection
from graph_store.ids import name_key
from indexing.defining_sentences import ChunkSentences, find_defining_sentence
from indexing.extraction.aliases import is_acronym, without_middle_names
from indexing.extraction.names import TOPIC
from indexing.extraction.titles import TitleNames, title_names

_EXCLUSIVE = frozenset({"PERSON", "ORG", "PLACE"})
_TELLING = frozenset({"PERSON", "ORG", "WORK", "EVENT", "PRODUCT", "LAW", "IDENTIFIER"})
_MIN_ACRONYM = 3

_NO_TITLE: tuple[None, frozenset[str]] = (None, frozenset())

# A name stands in many places: its key is made once.
cached_key = lru_cache(maxsize=1 << 18)(name_key)

Place = tuple[str, str]
"""A document id and a name key: where a name has one meaning."""


@dataclass(frozen=True, slots=True, order=True)
class Sense:
    """One meaning of a name: its key, what tells it from others of that key (may be empty), and its type."""

    key: str
    qualifier: str
    type: str


def assign_senses(collection: Collection, sentences: ChunkSentences) -> Mapping[Place, Sense]:
    """Map every name of every document, as (document id, name key), to what it means there."""
    names = DocumentKeys(collection)
    senses = TitleSenses(collection, names)
    by_title = {place: senses.choose(*place) for place in names.places()}
    typed = _with_types(by_title, names)
    return _split_people(typed, names, sentences)


class DocumentKeys:
    """The name keys of each document with their types."""

    def __init__(self, collection: Collection) -> None:
        self.document_of = {chunk.id: chunk.document_id for chunk in collection.chunks}
        self._texts: defaultdict[str, list[str]] = defaultdict(list)
        for chunk in collection.chunks:
            self._texts[chunk.document_id].append(chunk.text)
        self._votes: defaultdict[str, defaultdict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self.home_chunks: defaultdict[Place, list[str]] = defaultdict(list)
        self.acronyms: defaultdict[str, set[str]] = defaultdict(set)
        self.short_of: dict[Place, str] = {}
        self.long_of: dict[Place, str] = {}
        self._collect(collection)
        self._words: dict[str, str] = {}

    def _collect(self, collection: Collection) -> None:
        for mention in collection.mentions:
            key = cached_key(mention.name)
            self._votes[self.document_of[mention.chunk_id]][key][mention.type] += 1
            if mention.surface != mention.name and is_acronym(mention.surface):
                self.acronyms[cached_key(mention.surface)].add(key)
        for home in collection.homes:
            place = self.document_of[home.chunk_id], cached_key(home.name)
            self._votes[place[0]][place[1]][home.type] += 0
            self.home_chunks[place].append(home.chunk_id)
            short = without_middle_names(home.name) if home.kind == "lead_subject" else None
            if short is not None:
                self.short_of[place] = cached_key(short)
                self.long_of[place[0], cached_key(short)] = place[1]
        for relation in collection.relations:
            document_id = self.document_of[relation.chunk_id]
            self._votes[document_id][cached_key(relation.subject)][relation.subject_type] += 0
            self._votes[document_id][cached_key(relation.object)][relation.object_type] += 0

    def places(self) -> Iterator[Place]:
        """Yield every (document id, name key), sorted."""
        for document_id in sorted(self._votes):
            yield from ((document_id, key) for key in sorted(self._votes[document_id]) if key)

    def type_at(self, place: Place) -> str:
        """Return the type that most mentions of a name have in a document; TOPIC only where there is no other."""
        votes = self._votes[place[0]][place[1]]
        return min(votes, key=lambda kind: (kind == TOPIC, -votes[kind], kind))

    def support(self, place: Place) -> int:
        """Return how often a name stands in a document; a home passage counts as once more."""
        return sum(self._votes[place[0]][place[1]].values()) + bool(self.home_chunks.get(place))

    def telling_keys(self, document_id: str) -> frozenset[str]:
        """Return the names of a document that tell whom it is about: not places and peoples, which many share."""
        keys = self._votes[document_id]
        return frozenset(key for key in keys if self.type_at((document_id, key)) in _TELLING)

    def has_words(self, document_id: str, key: str) -> bool:
        """Tell whether the words of ``key`` stand in a document, in that order."""
        if document_id not in self._words:
            self._words[document_id] = f" {name_key(' '.join(self._texts[document_id]))} "
        return f" {key} " in self._words[document_id]


class TitleSenses:
    """The meanings that titles give to names."""

    def __init__(self, collection: Collection, names: DocumentKeys) -> None:
        self._names = names
        self._own: dict[str, tuple[Sense, frozenset[str]]] = {}
        self._claims: defaultdict[str, dict[Sense, str]] = defaultdict(dict)
        for document in collection.documents:
            title = title_names(document.title)
            if title is not None:
                self._own[document.id] = _title_sense(title), frozenset(map(cached_key, title.names))
                self._claim(title)

    def _claim(self, title: TitleNames) -> None:
        """Note for each name of a title its sense, with the words that tell that this sense is meant."""
        sense = _title_sense(title)
        for name in title.names:
            key = cached_key(name)
            telling = sense.qualifier.rsplit(" ", 1)[-1] if key == sense.key else cached_key(title.after_comma)
            self._claims[key].setdefault(sense, telling)

    def choose(self, document_id: str, key: str) -> Sense:
        """Return the sense of a name in a document, its type still open."""
        place = document_id, key
        own, own_keys = self._own.get(document_id, _NO_TITLE)
        if own is not None and (key in own_keys or self._names.short_of.get(place) in own_keys):
            return own
        # Who leads the text is the same person with and without middle names, in this document.
        key = self._names.long_of.get(place, key)
        if key not in self._claims:
            key = self._long_form(key)
        claims = self._claims.get(key, {})
        named = [sense for sense, telling in claims.items() if telling and self._names.has_words(document_id, telling)]
        if len(named) == 1:
            return named[0]
        wanted = [sense for sense in claims if self._stands_for(key, sense, document_id)]
        return wanted[0] if len(claims) == len(wanted) == 1 else Sense(key, "", "")

    def _long_form(self, key: str) -> str:
        """Return what an acronym stands for where all documents that explain it agree."""
        found = self._names.acronyms.get(key, set())
        return next(iter(found)) if len(found) == 1 and len(key) >= _MIN_ACRONYM else key

    def _stands_for(self, key: str, sense: Sense, document_id: str) -> bool:
        """Tell whether a name means a title elsewhere without more words: a title without brackets does, also up to
        its comma ("David Steel" for "David Steel, Baron Steel") but for places ("Paris" is not "Paris, Texas").
        """
        if key == f"{sense.key} {sense.qualifier}".rstrip():
            return True
        if key == sense.key or sense.qualifier:
            return False
        return " " in key and self._names.type_at((document_id, key)) != "PLACE"


def _title_sense(title: TitleNames) -> Sense:
    return Sense(cached_key(title.name), cached_key(title.qualifier), "")


def _with_types(senses: Mapping[Place, Sense], names: DocumentKeys) -> dict[Place, Sense]:
    """Give each sense its type, splitting it where incompatible types are both well supported."""
    places: defaultdict[Sense, list[Place]] = defaultdict(list)
    for place, sense in senses.items():
        places[sense].append(place)
    result = {}
    for sense, found in places.items():
        types = {place: names.type_at(place) for place in found}
        chosen = _chosen_types(types, names)
        for place, kind in types.items():
            result[place] = replace(sense, type=chosen.get(kind, chosen[""]))
    return result


def _chosen_types(types: Mapping[Place, str], names: DocumentKeys) -> Mapping[str, str]:
    """Map the types of one sense to those its entities get; ``""`` maps to that of all other types."""
    documents = Counter(types.values())
    exclusive = {kind: count for kind, count in documents.items() if kind in _EXCLUSIVE}
    support = {
        kind: sum(names.support(place) for place, its_kind in types.items() if its_kind == kind) for kind in exclusive
    }
    third = sum(exclusive.values()) / 3
    believed = [kind for kind, count in exclusive.items() if count >= third and support[kind] > 1]
    # Where nothing is well supported, a single mention stands against a single mention: neither is noise.
    believed = believed or list(exclusive)
    if len(believed) > 1:
        return {**{kind: kind for kind in believed}, "": _most({kind: exclusive[kind] for kind in believed})}
    known = {kind: count for kind, count in documents.items() if kind != TOPIC}
    return {"": _most(known) if known else TOPIC}


def _most(counts: Mapping[str, int]) -> str:
    return min(counts, key=lambda kind: (-counts[kind], kind))


def _split_people(senses: dict[Place, Sense], names: DocumentKeys, sentences: ChunkSentences) -> Mapping[Place, Sense]:
    """Tell people of one name apart where documents define them differently and share no other name."""
    places: defaultdict[Sense, list[Place]] = defaultdict(list)
    for place, sense in senses.items():
        if sense.type == "PERSON" and not sense.qualifier:
            places[sense].append(place)
    for sense, found in places.items():
        if len({document_id for document_id, _ in found}) > 1:
            senses.update(_split_person(sense, found, names, sentences))
    return senses


def _split_person(
    sense: Sense, places: Iterable[Place], names: DocumentKeys, sentences: ChunkSentences
) -> dict[Place, Sense]:
    nouns: dict[str, frozenset[str]] = {}
    others: dict[str, frozenset[str]] = {}
    for document_id, key in places:
        texts = [text for chunk_id in names.home_chunks[document_id, key] for text in sentences.of(chunk_id)]
        defined = find_defining_sentence(texts, frozenset({key}))
        nouns[document_id] = nouns.get(document_id, frozenset()) | (defined.nouns if defined else frozenset())
        others[document_id] = names.telling_keys(document_id) - {sense.key, key}
    groups = _connected({document: nouns[document] | others[document] for document in nouns if nouns[document]})
    if len(groups) < 2:
        return {}
    qualifiers = {}
    for group in groups:
        qualifier = " ".join(sorted(frozenset().union(*(nouns[document] for document in group))))
        qualifiers.update(dict.fromkeys(group, qualifier))
    return {place: replace(sense, qualifier=_qualifier_of(place[0], qualifiers, others)) for place in places}


def _qualifier_of(document_id: str, qualifiers: Mapping[str, str], others: Mapping[str, frozenset[str]]) -> str:
    """Return the document's own qualifier, else that of the only person it shares another name with."""
    own = qualifiers.get(document_id)
    if own is not None:
        return own
    near = {qualifier for document, qualifier in qualifiers.items() if others[document] & others[document_id]}
    return next(iter(near)) if len(near) == 1 else ""


def _connected(tokens: Mapping[str, frozenset[str]]) -> list[frozenset[str]]:
    """Group documents that are joined by shared tokens, directly or through others."""
    groups: list[tuple[set[str], set[str]]] = []
    for document in sorted(tokens):
        members, seen = {document}, set(tokens[document])
        apart = []
        for other_members, other_seen in groups:
            if seen.isdisjoint(other_seen):
                apart.append((other_members, other_seen))
            else:
                members |= other_members
                seen |= other_seen
        groups = [*apart, (members, seen)]
    return [frozenset(members) for members, _ in groups]
