"""What a language model is asked about a chunk.

The names of the example occur in no document, and a name that does not occur in the chunk is never taken, so nothing
of the example can enter the graph.
"""

import json
from collections.abc import Sequence
from dataclasses import replace

from graph_store.records import Chunk, Document
from indexing.llm_extraction.settings import LlmExtractionSettings
from model_clients.chat.marked_data import MarkedItem, mark_data
from model_clients.chat.messages import CallScope, ChatRequest, Message

PROMPT = "extraction/1"
"""Raised with every change of what is asked: chunks are then asked about again."""

_SECOND_LOOK = f"{PROMPT}/second_look"
_EXAMPLE_PASSAGE = "Quillemara Vontrask founded the Ostrellin Works in Harvegloom, which build airships."
_EXAMPLE_REPLY = {
    "entities": [
        {"name": "Quillemara Vontrask", "type": "person", "description": "Founder of the Ostrellin Works."},
        {"name": "Ostrellin Works", "type": "organization", "description": "A builder of airships in Harvegloom."},
        {"name": "Harvegloom", "type": "place", "description": "Where the Ostrellin Works were founded."},
    ],
    "relations": [
        {
            "source": "Quillemara Vontrask",
            "target": "Ostrellin Works",
            "predicate": "founded",
            "strength": 9,
            "quote": "Quillemara Vontrask founded the Ostrellin Works",
        }
    ],
}
_RULES = """You read one passage of a document and write down as JSON which things it names and what it states of them.

entities: every thing with a name of its own, such as a person, an organization, a place, a work, a product, an event
or a term of the field. No pronouns, and no bare numbers or dates.
- name: as it is written in the passage, in full.
- type: {types}
- description: one short sentence, from this passage alone.
relations: what the passage states between two of them.
- source, target: names of entities.
- predicate: {predicates}
- strength: from 0 (hinted at) to 10 (stated outright).
- quote: the words of the passage that state it, copied exactly, at most one sentence.
Write descriptions and predicates in the language of the passage. Where there is nothing, give empty lists. Reply with
the JSON object alone."""


def extraction_request(document: Document, chunk: Chunk, settings: LlmExtractionSettings) -> ChatRequest:
    """Return the first question about a chunk."""
    heading = " > ".join(part for part in (document.title, *chunk.heading_path) if part)
    text = f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text
    data = mark_data([MarkedItem(text=text, heading=heading)])
    return ChatRequest(
        task="extraction",
        prompt=PROMPT,
        messages=(
            Message(role="system", content=_instructions(settings)),
            Message(role="user", content=f"{data.rule}\n\n{data.text}"),
        ),
        scope=CallScope(
            tenant=chunk.tenant, groups=tuple(sorted(chunk.groups)), documents=(document.id,), unit=document.id
        ),
        max_tokens=settings.max_reply_tokens,
    )


def second_look_request(first: ChatRequest, reply: str) -> ChatRequest:
    """Return the question what the first reply about a chunk missed."""
    asked = "What did you miss? Give further entities and relations of the same passage alone, in the same form."
    return replace(
        first,
        prompt=_SECOND_LOOK,
        messages=(
            *first.messages,
            Message(role="assistant", content=reply),
            Message(role="user", content=asked),
        ),
    )


def _instructions(settings: LlmExtractionSettings) -> str:
    rules = _RULES.replace("{types}", _choice(settings.entity_types, "one or two words, such as person"))
    rules = rules.replace("{predicates}", _choice(settings.relation_types, "a few words, such as founded"))
    return f"{rules}\n\nAn example. The passage: {_EXAMPLE_PASSAGE}\nThe reply: {json.dumps(_EXAMPLE_REPLY)}"


def _choice(types: Sequence[str], otherwise: str) -> str:
    if not types:
        return f"{otherwise}."
    return (
        f"one of {', '.join(json.dumps(name, ensure_ascii=False) for name in types)}; leave out what is none of them."
    )
