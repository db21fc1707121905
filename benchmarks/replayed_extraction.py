"""A language model that replies with graphs that others made of the very documents, as if it had made them now."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexing.sentences import sentence_spans
from model_clients.chat.messages import ChatReply, ChatRequest
from model_clients.chat.quotations import SearchedText


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedGraph:
    """The names and triples (subject, predicate, object) that were found in a document."""

    entities: tuple[str, ...]
    triples: tuple[tuple[str, str, str], ...]


def read_graphs(path: Path, **wanted: str) -> dict[str, RecordedGraph]:
    """Return document id -> graph, of the rows of a JSONL file in which some keys have the ``wanted`` values."""
    graphs = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        if all(row.get(key) == value for key, value in wanted.items()):
            triples = tuple((str(s), str(p), str(o)) for s, p, o in row["triples"])
            graphs[row["id"]] = RecordedGraph(entities=tuple(map(str, row["entities"])), triples=triples)
    return graphs


class ReplayingModel:
    """Replies to a question about a chunk with the graph of its document.

    Recorded triples have no quotes: the shortest sentence of the document that holds both ends stands for one, else the
    first that holds one of them. What does not stand in the chunk is dropped by whoever checks the reply.
    """

    def __init__(self, graphs: Mapping[str, RecordedGraph], texts: Mapping[str, str]) -> None:
        self._graphs = graphs
        self._texts = texts

    @property
    def model_id(self) -> str:
        """The name of the model."""
        return "replay"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the graph of the document that the question is about."""
        (document,) = request.scope.documents
        graph = self._graphs.get(document, RecordedGraph(entities=(), triples=()))
        return ChatReply(text=json.dumps(_reply(graph, self._texts[document])), model=self.model_id)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str | ChatReply]:
        """Yield the reply in one piece."""
        reply = await self.complete(request)
        yield reply.text
        yield reply


def _reply(graph: RecordedGraph, text: str) -> dict[str, object]:
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    searched = [SearchedText(sentence) for sentence in sentences]

    def holding(name: str) -> set[int]:
        return {number for number, sentence in enumerate(searched) if next(sentence.find_all(name), None)}

    relations = []
    for subject, predicate, target in graph.triples:
        quote = _quote(sentences, holding(subject), holding(target))
        relations.append({"source": subject, "target": target, "predicate": predicate, "strength": 5, "quote": quote})
    return {"entities": [{"name": name} for name in graph.entities], "relations": relations}


def _quote(sentences: Sequence[str], first: set[int], second: set[int]) -> str:
    both = first & second
    if both:
        return min((sentences[number] for number in sorted(both)), key=len)
    either = sorted(second or first)
    return sentences[either[0]] if either else ""
