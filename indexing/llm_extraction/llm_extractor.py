"""Asks a language model about each chunk, and joins what is believed of its replies to what the parser found."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from graph_store.records import Chunk, Document, NamedMention, NamedRelation
from indexing.extraction.extractor import Extraction
from indexing.llm_extraction.checking import ChunkFacts, ReplyCheck
from indexing.llm_extraction.known_names import KnownNames
from indexing.llm_extraction.prompt import extraction_request, second_look_request
from indexing.llm_extraction.reply import ExtractionReply
from indexing.llm_extraction.settings import LlmExtractionSettings
from indexing.model_work import FailedCall, WorkTally
from model_clients.chat.errors import ChatFailed, ReplyUnusable
from model_clients.chat.messages import ChatRequest
from model_clients.chat.structured_reply import StructuredReply
from model_clients.chat.task_model import TaskModel


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDocument:
    """A document with its chunks and what the parser found in them."""

    document: Document
    chunks: tuple[Chunk, ...]
    extraction: Extraction


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelExtraction:
    """What was found in one document with the model's help.

    For the chunks of ``failed`` there is only what the parser found (or what the first look found), so the document is
    not finished. ``asked`` counts chunks, ``dropped`` entities and relations that the chunk does not bear out.
    """

    extraction: Extraction
    asked: int
    dropped: int
    failed: tuple[FailedCall, ...] = ()


@dataclass(slots=True)
class _Told:
    """The replies about one chunk, and the failure that ended them.

    The parser's finds stay beside a first reply that broke off: nobody knows what it would have gone on to tell.
    """

    replies: list[ExtractionReply] = field(default_factory=list)
    failure: ChatFailed | None = None
    is_first_whole: bool = False

    def take(self, reply: StructuredReply[ExtractionReply] | ChatFailed) -> None:
        if isinstance(reply, ChatFailed):
            self.failure = reply
            return
        self.replies.append(reply.value)
        if reply.cut_off:
            self.failure = ReplyUnusable(
                f"the reply of {reply.model!r} broke off; what was whole of it is kept", fault="broken off"
            )
        elif len(self.replies) == 1:
            self.is_first_whole = True


class LlmExtractor:
    """Reads entities and relations with a language model. One bad reply costs one chunk its part alone."""

    def __init__(self, model: TaskModel, settings: LlmExtractionSettings, work: WorkTally) -> None:
        self._model = model
        self._settings = settings
        self._work = work

    def extract(self, batch: Sequence[ParsedDocument]) -> list[ModelExtraction]:
        """Return one result per document, in order, and count the work. Raises ``EndpointUnusable``."""
        requests = {
            chunk.id: extraction_request(item.document, chunk, self._settings)
            for item in batch
            for chunk in item.chunks
            if is_asked_about(chunk, self._settings)
        }
        told = self._replies(requests)
        results = [self._joined(item, told) for item in batch]
        for item, result in zip(batch, results, strict=True):
            self._work.count("extraction", asked=result.asked, dropped=result.dropped)
            if result.failed:
                self._work.failed += result.failed
                self._work.unfinished.append(item.document.id)
        return results

    def _replies(self, requests: Mapping[str, ChatRequest]) -> Mapping[str, _Told]:
        found = self._model.ask_all_for(list(requests.values()), ExtractionReply)
        told = {}
        for key, reply in zip(requests, found, strict=True):
            told[key] = _Told()
            told[key].take(reply)
        if self._settings.second_look:
            self._look_again(requests, told)
        return told

    def _look_again(self, requests: Mapping[str, ChatRequest], told: Mapping[str, _Told]) -> None:
        """Add what a second look finds; where it fails, what the first one found stays."""
        again = {
            key: second_look_request(requests[key], entry.replies[0].model_dump_json())
            for key, entry in told.items()
            if entry.failure is None
        }
        found = self._model.ask_all_for(list(again.values()), ExtractionReply)
        for key, reply in zip(again, found, strict=True):
            told[key].take(reply)

    def _joined(self, item: ParsedDocument, told: Mapping[str, _Told]) -> ModelExtraction:
        parsed = item.extraction
        stays = self._settings.mode == "beside"
        known = KnownNames(parsed.mentions, parsed.homes, mentions_stay=stays)
        facts: dict[str, ChunkFacts] = {}
        for chunk in item.chunks:
            if chunk.id in told and told[chunk.id].replies:
                above = (item.document.title, *chunk.heading_path)
                check = ReplyCheck(chunk, known, self._settings, above=above)
                facts[chunk.id] = check.facts(told[chunk.id].replies)
        asked = [chunk for chunk in item.chunks if chunk.id in told]
        replaced = set() if stays else {chunk.id for chunk in asked if told[chunk.id].is_first_whole}
        failures = [(chunk, told[chunk.id].failure) for chunk in asked]
        return ModelExtraction(
            extraction=Extraction(
                mentions=tuple(_mentions(item, facts, replaced, typed=bool(self._settings.entity_types))),
                relations=tuple(_relations(item, facts, replaced)),
                homes=parsed.homes,
            ),
            asked=len(asked),
            dropped=sum(found.dropped for found in facts.values()),
            failed=tuple(
                FailedCall(
                    task="extraction", about=f"chunk {chunk.position + 1} of {item.document.id!r}", error=str(error)
                )
                for chunk, error in failures
                if error is not None
            ),
        )


def is_asked_about(chunk: Chunk, settings: LlmExtractionSettings) -> bool:
    """Tell whether a chunk has enough words to be sent."""
    return len(chunk.text.split()) >= settings.min_words or (
        not chunk.text.isascii() and len(chunk.text) >= 4 * settings.min_words
    )


def _mentions(
    item: ParsedDocument, facts: Mapping[str, ChunkFacts], replaced: Set[str], *, typed: bool
) -> Iterable[NamedMention]:
    """Yield the mentions of each chunk; at one place the parser's name stays, with the model's description of it.

    Those of the parser are left out of ``replaced`` chunks. Where types were given, the model's type counts.
    """
    parsed: defaultdict[str, dict[tuple[int, int], NamedMention]] = defaultdict(dict)
    for mention in item.extraction.mentions:
        if mention.chunk_id not in replaced:
            parsed[mention.chunk_id][mention.char_start, mention.char_end] = mention
    for chunk in item.chunks:
        found = parsed[chunk.id]
        told = facts[chunk.id].mentions if chunk.id in facts else []
        for mention in told:
            span = mention.char_start, mention.char_end
            known = found.get(span)
            if known is None:
                found[span] = mention
            else:
                kind = mention.type if typed else known.type
                found[span] = replace(known, type=kind, description=mention.description)
        yield from (found[span] for span in (sorted(found) if told else found))


def _relations(item: ParsedDocument, facts: Mapping[str, ChunkFacts], replaced: Set[str]) -> Iterable[NamedRelation]:
    parsed: defaultdict[str, list[NamedRelation]] = defaultdict(list)
    for relation in item.extraction.relations:
        if relation.chunk_id not in replaced:
            parsed[relation.chunk_id].append(relation)
    for chunk in item.chunks:
        yield from parsed[chunk.id]
        if chunk.id in facts:
            yield from facts[chunk.id].relations
