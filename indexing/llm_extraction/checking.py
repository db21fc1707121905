"""What of a model's reply about a chunk is believed: what the chunk itself bears out.

An entity must stand in the chunk, letter case and blanks aside; each place where it does becomes a mention. A relation
must have its quote in the chunk, and its two ends must be entities of the same reply, or names that the parser found in
the document (a chunk may speak of the subject of its document without naming it) unless types of entities are given.
Numbers and names of a description must stand in the chunk or above it, and what the chunk denies is not described, else
the entity goes undescribed (:mod:`raptor.claims.comparison`). All else is dropped, and counted.
"""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from graph_store.ids import name_key
from graph_store.records import Chunk, NamedMention, NamedRelation
from indexing.extraction.names import TOPIC
from indexing.llm_extraction.known_names import KnownNames, common_type
from indexing.llm_extraction.reply import ExtractionReply, ToldEntity, ToldRelation
from indexing.llm_extraction.settings import LlmExtractionSettings
from model_clients.chat.marked_data import harmless
from model_clients.chat.quotations import SearchedText
from raptor.claims.comparison import Ground, lack

_LONGEST_NAME = 100
_MOST_WORDS = 12
_LONGEST_PREDICATE = 80
_LONGEST_DESCRIPTION = 300


@dataclass(slots=True)
class ChunkFacts:
    """What was believed of the replies about a chunk, and how much was not."""

    mentions: list[NamedMention] = field(default_factory=list)
    relations: list[NamedRelation] = field(default_factory=list)
    dropped: int = 0


class ReplyCheck:
    """Checks replies about one chunk. ``above`` are the titles and headings that it stands under."""

    def __init__(
        self, chunk: Chunk, known: KnownNames, settings: LlmExtractionSettings, *, above: Sequence[str]
    ) -> None:
        self._chunk = chunk
        self._known = known
        self._settings = settings
        self._searched = SearchedText(chunk.text)
        self._ground = Ground(sentences=(chunk.text,), around="\n".join((*above, chunk.context)))
        self._types = {name.casefold(): name for name in settings.entity_types}
        self._predicates = {_folded(name): name for name in settings.relation_types}
        self._told: dict[str, str] = {}

    def facts(self, replies: Iterable[ExtractionReply]) -> ChunkFacts:
        """Return what is believed of all replies together; what two of them say alike counts once."""
        facts = ChunkFacts()
        spans: dict[tuple[int, int], NamedMention] = {}
        relations: dict[tuple[str, str, str], NamedRelation] = {}
        told = list(replies)
        for entity in (entity for reply in told for entity in reply.entities):
            found = self._mentions(entity)
            facts.dropped += not found
            for mention in found:
                spans.setdefault((mention.char_start, mention.char_end), mention)
        for statement in (relation for reply in told for relation in reply.relations):
            relation = self._relation(statement)
            facts.dropped += relation is None
            if relation is not None:
                key = (name_key(relation.subject), relation.predicate, name_key(relation.object))
                relations.setdefault(key, relation)
        facts.mentions = [spans[span] for span in sorted(spans)]
        facts.relations = list(relations.values())
        return facts

    def _mentions(self, entity: ToldEntity) -> list[NamedMention]:
        name = _clean(entity.name)
        kind = self._type(name, entity.type)
        if kind is None or not _is_name(name):
            return []
        full = self._known.full(name)
        mentions = [
            NamedMention(
                chunk_id=self._chunk.id,
                name=full[0] if full else name,
                type=kind,
                surface=self._chunk.text[start:end],
                char_start=start,
                char_end=end,
            )
            for start, end in self._searched.find_all(name)
        ]
        if mentions:
            self._told.setdefault(name_key(name), kind)
            mentions[0] = replace(mentions[0], description=self._description(entity.description))
        return mentions

    def _type(self, name: str, told: str) -> str | None:
        """Return the type of an entity, None where it is none of those that are looked for."""
        if self._types:
            return self._types.get(_clean(told).casefold())
        full = self._known.full(name)
        return full[1] if full and full[1] != TOPIC else common_type(_clean(told))

    def _description(self, told: str) -> str:
        description = _clean(told)
        is_borne_out = lack(description, self._ground, least_words=0.0, is_sentence=False) is None
        return description if is_borne_out and len(description) <= _LONGEST_DESCRIPTION else ""

    def _relation(self, told: ToldRelation) -> NamedRelation | None:
        predicate = self._predicate(told.predicate)
        quoted = next(self._searched.find_all(_clean(told.quote)), None)
        source, target = self._end(told.source), self._end(told.target)
        if not predicate or quoted is None or source is None or target is None:
            return None
        if name_key(source[0]) == name_key(target[0]):
            return None
        return NamedRelation(
            chunk_id=self._chunk.id,
            subject=source[0],
            subject_type=source[1],
            predicate=predicate,
            object=target[0],
            object_type=target[1],
            char_start=quoted[0],
            char_end=quoted[1],
            strength=told.strength,
        )

    def _predicate(self, told: str) -> str:
        predicate = _clean(told)
        if self._predicates:
            return self._predicates.get(_folded(predicate), "")
        return predicate if len(predicate) <= _LONGEST_PREDICATE else ""

    def _end(self, told: str) -> tuple[str, str] | None:
        """Return (full name, type) of one end of a relation; None where nobody vouches for the name."""
        name = _clean(told)
        full = self._known.full(name)
        kind = self._told.get(name_key(name))
        if kind is not None:
            return (full[0] if full else name), kind
        if full is None or self._types or not self._known.stands(full[0]):
            return None
        return full


def _clean(text: str) -> str:
    return " ".join(harmless(unicodedata.normalize("NFC", text)).split())


def _folded(predicate: str) -> str:
    return " ".join(predicate.replace("_", " ").casefold().split())


def _is_name(name: str) -> bool:
    return (
        0 < len(name) <= _LONGEST_NAME and len(name.split()) <= _MOST_WORDS and any(letter.isalpha() for letter in name)
    )
