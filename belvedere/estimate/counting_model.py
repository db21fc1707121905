"""A chat model that replies by rules and counts: what indexing with a language model sends, without paying for it.

Prompts are the real ones. Replies are as long as those of a model that does all that it is asked: of a document whose
facts are known (``known``) all of these, of another chunk every name with capitals, and for each sentence with two of
them a relation; of evidence its first sentences as claims. A second look finds a third as much again.
"""

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from model_clients.chat.messages import ChatReply, ChatRequest, TokenUsage

CHARACTERS_PER_TOKEN = 4

_BLOCK_LINE = re.compile(r"^\| (.*)$", re.MULTILINE)
_NAME = re.compile(r"[A-Z][\w'-]+(?:(?: (?:of|the|and|de|von))? [A-Z][\w'-]+)*")
_SENTENCE = re.compile(r"[^.!?]+[.!?]+")
_CLAIMS = 6
_SECOND_LOOK = 3  # one of so many things is only found at second sight
_DESCRIPTION_WORDS = 12

Triple: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFacts:
    """What a document is known to tell: its entities, and relations between them."""

    entities: tuple[str, ...]
    triples: tuple[Triple, ...]


def counted_tokens(text: str) -> int:
    """Return how many tokens a text counts as: four characters each."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


@dataclass(slots=True)
class CountingModel:
    """Replies by rules; ``counts`` is what each prompt used up, by its name."""

    known: Mapping[str, KnownFacts] = field(default_factory=dict)
    model_id: str = "counted"
    counts: dict[str, TokenUsage] = field(default_factory=dict)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return a reply of the form that is asked for, and count both."""
        text = json.dumps(self._reply(request), ensure_ascii=False)
        sent = sum(counted_tokens(message.content) for message in request.messages)
        schema = counted_tokens(json.dumps(request.schema)) if request.schema else 0
        usage = TokenUsage(calls=1, prompt_tokens=sent + schema, reply_tokens=counted_tokens(text))
        key = f"{request.task}: {request.prompt}"
        self.counts[key] = self.counts.get(key, TokenUsage()) + usage
        return ChatReply(text=text, model=self.model_id, usage=usage)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the reply that ``complete`` returns as one piece, then the whole of it."""
        reply = await self.complete(request)
        yield reply.text
        yield reply

    def _reply(self, request: ChatRequest) -> Mapping[str, object]:
        user = next(message.content for message in request.messages if message.role == "user")
        lines = _BLOCK_LINE.findall(user)
        if request.task != "extraction":
            return _summary(lines)
        passage = " ".join(lines)
        known = self.known.get(request.scope.documents[0])
        reply = _known_facts(passage, known) if known is not None else _named_things(passage)
        if "second_look" in request.prompt:
            return {name: found[::_SECOND_LOOK] for name, found in reply.items()}
        return reply


def _summary(evidence: Sequence[str]) -> Mapping[str, object]:
    claims = [{"text": line, "evidence": [number]} for number, line in enumerate(evidence[:_CLAIMS], start=1)]
    return {"title": " ".join(evidence[0].split()[:8]) if evidence else "", "claims": claims}


def _known_facts(passage: str, known: KnownFacts) -> dict[str, list[dict[str, object]]]:
    return {
        "entities": [_entity(name, passage) for name in known.entities],
        "relations": [_relation(*triple, passage) for triple in known.triples],
    }


def _named_things(passage: str) -> dict[str, list[dict[str, object]]]:
    names = list(dict.fromkeys(_NAME.findall(passage)))
    pairs = [_NAME.findall(sentence)[:2] for sentence in _sentences(passage)]
    relations = [_relation(pair[0], "is told of with", pair[1], passage) for pair in pairs if len(set(pair)) == 2]
    return {"entities": [_entity(name, passage) for name in names], "relations": relations}


def _entity(name: str, passage: str) -> dict[str, object]:
    words = _sentence_with(name, passage).split()
    return {"name": name, "type": "thing", "description": " ".join(words[:_DESCRIPTION_WORDS])}


def _relation(source: str, predicate: str, target: str, passage: str) -> dict[str, object]:
    quote = _sentence_with(source, passage)
    return {"source": source, "target": target, "predicate": predicate, "strength": 8, "quote": quote}


def _sentence_with(name: str, passage: str) -> str:
    sentences = _sentences(passage)
    return next((sentence for sentence in sentences if name in sentence), sentences[0] if sentences else passage)


def _sentences(passage: str) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE.findall(passage)]
