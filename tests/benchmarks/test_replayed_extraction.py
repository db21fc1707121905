"""Recorded graphs replayed by an endpoint on loopback, and graphs held against gold."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.found_graphs import FoundGraph, estimated, extracted, fact_counts, name_counts, names_f1, share_of
from benchmarks.replayed_extraction import RecordedGraph, read_graphs, replaying
from indexing.llm_extraction.reply import ExtractionReply
from indexing.llm_extraction.settings import LlmExtractionSettings
from indexing.model_names import IndexingModels
from model_clients.chat.errors import EndpointFailed
from model_clients.chat.marked_data import MarkedItem, mark_data
from model_clients.chat.messages import CallScope, ChatRequest, Message
from model_clients.chat.task_model import TaskModel

DOCUMENTS = [
    {
        "id": "a",
        "title": "Norby",
        "text": "Anna Lind built the lighthouse of Norby. It is red. Norby lies in the north.",
    },
    {"id": "b", "title": "Norby Church", "text": "Erik Holm built a church. It is red."},
    {"id": "c", "title": "Norby Church", "text": "Erik Holm built a church."},
]
GRAPHS = {
    "a": RecordedGraph(entities=("Anna Lind", "Norby"), triples=(("Anna Lind", "lived in", "Norby"),)),
    "b": RecordedGraph(entities=("Erik Holm",), triples=()),
    "c": RecordedGraph(entities=("church",), triples=()),
}


def about(passage: str, title: str) -> ChatRequest:
    data = mark_data([MarkedItem(text=passage, heading=f"{title} > History")])
    return ChatRequest(
        task="extraction",
        prompt="test/1",
        messages=(Message(role="system", content="Do it."), Message(role="user", content=f"{data.rule}\n{data.text}")),
        scope=CallScope(tenant="t"),
        max_tokens=100,
    )


@pytest.fixture
def model() -> Iterator[TaskModel]:
    with replaying(GRAPHS, DOCUMENTS) as asked:
        yield asked


@pytest.mark.parametrize(
    ("passage", "title", "names"),
    [
        ("Anna Lind built the lighthouse\nof Norby.", "Norby", ["Anna Lind", "Norby"]),
        ("Erik Holm built a church.", "Norby", ["church"]),
        ("It is red.", "Norby Church", ["Erik Holm"]),
        ("It is red.", "Norby", ["Anna Lind", "Norby"]),
    ],
)
def test_a_passage_gets_the_graph_of_its_document(model: TaskModel, passage: str, title: str, names: list[str]) -> None:
    reply = model.ask_for(about(passage, title), ExtractionReply)
    assert [entity.name for entity in reply.value.entities] == names
    assert (reply.model, reply.usage.prompt_tokens, reply.usage.reply_tokens) == ("replay", 11, 7)


def test_a_triple_quotes_the_shortest_sentence_with_both_ends(model: TaskModel) -> None:
    reply = model.ask_for(about("It is red. Norby lies in the north.", "Norby"), ExtractionReply)
    assert [relation.quote for relation in reply.value.relations] == ["Anna Lind built the lighthouse of Norby."]


def test_a_passage_of_no_document_is_refused(model: TaskModel) -> None:
    with pytest.raises(EndpointFailed, match="no recorded document"):
        model.ask_for(about("Nobody wrote this.", "Norby"), ExtractionReply)


@pytest.mark.model
@pytest.mark.corpus
def test_the_gold_graph_of_a_few_documents_is_indexed(corpora: Path, tmp_path: Path) -> None:
    folder = corpora / "musique_train100"
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(next(lines)) for _ in range(4)]
    (tmp_path / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    graphs = read_graphs(folder / "openie.jsonl")
    with replaying(graphs, rows) as asked:
        found = extracted(tmp_path, IndexingModels(extraction=asked), LlmExtractionSettings(mode="instead"))
    assert (found.asked >= len(rows), found.failed) == (True, 0)
    for row in rows:
        told = {(subject.casefold(), target.casefold()) for subject, _, target in graphs[row["id"]].triples}
        kept = {(subject.casefold(), target.casefold()) for subject, _, target in found.graphs[row["id"]].triples}
        assert kept & told


GOLD = {
    "entities": [
        {"name": "Anna Lind", "type": "PER", "aliases": ["Lind"]},
        {"name": "Norby", "type": "LOC", "aliases": []},
        {"name": "1871", "type": "TIME", "aliases": []},
    ],
    "triples": [("Anna Lind", "residence", "Norby"), ("Norby", "inception", "1871")],
}


def test_names_and_linked_ends_are_counted_by_any_spelling() -> None:
    names = (frozenset({"lind"}), frozenset({"1871"}), frozenset({"oslo"}))
    graph = FoundGraph(names=names, triples=(("Norby", "home of", "Lind"),))
    assert name_counts(graph, GOLD) == [3, 2, 2, 1, 2, 1]


def test_facts_are_held_by_one_triple_or_a_few() -> None:
    facts = ["Lind built the lighthouse", "Lind built the lighthouse, the church, the mill and the bridge of Norby"]
    graph = FoundGraph(names=(), triples=(("Lind", "built", "lighthouse"), ("Lind", "built", "church")))
    assert fact_counts(graph, facts) == [2, 1, 2]
    assert fact_counts(FoundGraph(names=(), triples=graph.triples[1:]), ["Holm met Berg at the church"]) == [1, 0, 0]


def test_a_figure_is_of_the_sums_and_its_interval_of_documents() -> None:
    estimate = estimated([[1, 1], [3, 0]], share_of(1, 0), seed=0)
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == (0.25, 0.0, 1.0, 2)
    assert estimated([[4, 2, 4, 2, 0, 0]], names_f1, seed=0).value == 0.5
    assert estimated([[0, 0, 4, 0, 0, 0]], names_f1, seed=0).value == 0.0
