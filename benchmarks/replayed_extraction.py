"""An endpoint that replies with graphs that others made of the very documents, as if a model had made them now."""

import json
import re
import tempfile
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from belvedere.language_models import LanguageModels
from indexing.sentences import sentence_spans
from model_clients.chat.quotations import SearchedText
from model_clients.chat.reply_cache import ReplyCache
from model_clients.chat.settings import LlmSettings, TaskSettings
from model_clients.chat.task_model import TaskModel
from tests.llm.scripted_openai_server import Asked, Replied, fails, says, scripted_server

# The lines of a passage inside a prompt, and those that begin one with what stands above it.
_DATA_LINE = re.compile(r"^\| (.*)$", re.MULTILINE)
_HEADING = re.compile(r"^passage 1 [0-9a-f]{16}: (.*)$", re.MULTILINE)


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


class ReplayedGraphs:
    """Replies of the scripted server: to a question about a passage the graph of its document.

    The document is the one whose text holds the passage, or at least its letters and digits; of several that which
    has the title above it, else the shortest. Recorded triples have no quotes: the shortest sentence of the document
    that holds both ends stands for one, else the first that holds one of them. What does not stand in the chunk is
    dropped by whoever checks the reply. A passage of no document is refused.
    """

    def __init__(self, graphs: Mapping[str, RecordedGraph], documents: Sequence[Mapping[str, Any]]) -> None:
        """``documents`` are rows with the keys "id", "title" and "text"."""
        self._graphs = graphs
        self._texts = {str(row["id"]): str(row["text"]) for row in documents}
        self._titles = {str(row["id"]): _letters(str(row["title"])) for row in documents}
        self._words = {key: " ".join(text.split()) for key, text in self._texts.items()}
        self._letters = {key: _letters(text) for key, text in self._texts.items()}

    def __call__(self, asked: Asked) -> Replied:
        """Reply with the graph of the document that the question is about."""
        question = str(asked.body["messages"][-1]["content"])
        document = self._document(question)
        if document is None:
            return fails(400, "this passage stands in no recorded document")(asked)
        graph = self._graphs.get(document, RecordedGraph(entities=(), triples=()))
        return says(json.dumps(_reply(graph, self._texts[document])))(asked)

    def _document(self, question: str) -> str | None:
        words = " ".join(" ".join(_DATA_LINE.findall(question)).split())
        passage = _letters(words)
        found = [key for key, text in self._letters.items() if passage in text]
        found = [key for key in found if words in self._words[key]] or found
        heading = _letters(" ".join(_HEADING.findall(question)))
        titled = [key for key in found if heading.startswith(self._titles[key])]
        return max(titled or found, key=lambda key: (len(self._titles[key]), -len(self._letters[key])), default=None)


@contextmanager
def replaying(graphs: Mapping[str, RecordedGraph], documents: Sequence[Mapping[str, Any]]) -> Iterator[TaskModel]:
    """Serve recorded graphs on loopback for the time of the block, and give the model that asks for them there."""
    with scripted_server(ReplayedGraphs(graphs, documents)) as server, extracting(server.base_url, "replay") as model:
        yield model


@contextmanager
def extracting(base_url: str, model: str, *, timeout_s: float = 120.0) -> Iterator[TaskModel]:
    """Give the model for extraction behind an endpoint; nothing of its replies is kept."""
    tasks = TaskSettings(extraction=True)
    settings = LlmSettings(base_url=base_url, model=model, tasks=tasks, cache=False, timeout_s=timeout_s)
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(LanguageModels(settings, ReplyCache(Path(folder) / "replies.sqlite"))) as models,
    ):
        assert models.tasks.extraction is not None
        yield models.tasks.extraction


def _letters(text: str) -> str:
    normal = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in normal if character.isalnum())


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
