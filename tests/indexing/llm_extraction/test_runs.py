"""Runs in which a model is asked about every chunk: what it costs, what failures cost, what changes ask again."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from graph_store.access import Access
from indexing.llm_extraction.settings import LlmExtractionSettings
from indexing.model_names import IndexingModels
from indexing.options import IndexOptions
from indexing.report import IndexReport
from indexing.settings import IndexingSettings
from model_clients.chat.errors import BudgetSpent, ChatFailed, EndpointFailed, EndpointUnusable
from model_clients.chat.messages import ChatRequest
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from tests.indexing.counted_runs import CountedRuns, counted_runs

pytestmark = pytest.mark.model  # the parser is loaded

EVERYBODY = Access()
TEXTS = {
    "glass.md": "# Glass\n\nThe florbic acid of Elsa Brandt dissolves quartz glass in the dark.\n",
    "tides.md": "# Tides\n\nRota station measures the tides near Lisbon with seven gauges.\n",
}
ACID = {
    "entities": [
        {"name": "florbic acid", "type": "substance", "description": "It dissolves quartz glass."},
        {"name": "quartz glass", "type": "material", "description": ""},
    ],
    "relations": [
        {
            "source": "florbic acid",
            "target": "quartz glass",
            "predicate": "dissolves",
            "strength": 9,
            "quote": "florbic acid of Elsa Brandt dissolves quartz glass",
        }
    ],
}
NOTHING = json.dumps({"entities": [], "relations": []})


def asked_text(request: ChatRequest) -> str:
    return request.messages[1].content


def knowing(request: ChatRequest) -> str:
    """Reply as a good model would."""
    return json.dumps(ACID) if "florbic" in asked_text(request) else NOTHING


class Runs:
    """Runs over one folder with a scripted model."""

    def __init__(self, runs: CountedRuns, folder: Path) -> None:
        self.runs = runs
        self.folder = folder
        self.model = ScriptedChatModel(knowing)

    def index(
        self, script: Callable[[ChatRequest], str] | None = knowing, settings: IndexingSettings | None = None
    ) -> IndexReport:
        """Run once; ``model.requests`` are those of this run alone. Without a script no model takes part."""
        self.model = ScriptedChatModel(script or knowing, model_id=self.model.model_id)
        models = IndexingModels(extraction=TaskModel(self.model) if script else None)
        return self.runs.index(self.folder, options=IndexOptions(models=models), settings=settings)

    def facts(self) -> set[tuple[str, str, str, float]]:
        """Return (source, predicate, target, strength) of all relations."""
        names = {entity.id: entity.name for entity in self.runs.store.list_entities(EVERYBODY)}
        relations = self.runs.store.list_relations(EVERYBODY)
        return {(names[item.source_id], item.predicate, names[item.target_id], item.strength) for item in relations}

    def chunks_embedded(self) -> list[str]:
        """Return what the last run embedded of chunks: they have a heading, reports and summaries have none."""
        return [text for text in self.runs.work.embedded if "\n# " in text]

    def names(self) -> set[str]:
        return {entity.name for entity in self.runs.store.list_entities(EVERYBODY)}


DISSOLVES = ("florbic acid", "dissolves", "quartz glass", 9.0)


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runs]:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    with counted_runs(tmp_path / "store", monkeypatch) as made:
        yield Runs(made, folder)


def test_what_the_model_finds_joins_the_graph_and_is_asked_once(runs: Runs) -> None:
    runs.index(None)
    assert DISSOLVES not in runs.facts()
    plain = runs.names()
    assert len(runs.chunks_embedded()) == 2
    report = runs.index()
    assert report.model_work is not None
    assert (report.model_work.asked, report.model_work.failed) == ({"extraction": 2}, ())
    assert DISSOLVES in runs.facts()
    assert plain < runs.names()
    assert runs.chunks_embedded() == []
    again = runs.index()
    assert (runs.model.requests, again.model_work, again.documents.unchanged) == ([], None, 2)


def test_without_a_model_the_store_is_what_it_was(runs: Runs) -> None:
    runs.index(None)
    before = runs.runs.store.content_digest("default")
    runs.index()
    assert runs.runs.store.content_digest("default") != before
    report = runs.index(None)
    assert report.model_work is None
    assert runs.runs.store.content_digest("default") == before


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I am sorry, but I cannot help with that.",
        '{"entities": [{"name": "florbic acid"',
        json.dumps({"error": {"message": "rate limit reached"}}),
        "[]",
        "null",
    ],
)
def test_a_bad_reply_costs_one_chunk_and_is_asked_again(runs: Runs, reply: str) -> None:
    report = runs.index(lambda request: reply if "florbic" in asked_text(request) else NOTHING)
    assert report.model_work is not None
    (failed,) = report.model_work.failed
    assert (failed.task, failed.about) == ("extraction", "chunk 1 of 'glass.md'")
    assert report.model_work.unfinished == ("glass.md",)
    assert report.documents.added == 2
    assert "Elsa Brandt" in runs.names(), "the parser stands in"
    version = runs.runs.store.document_states("default")["glass.md"].version
    again = runs.index()
    assert [("florbic" in asked_text(request)) for request in runs.model.requests] == [True]
    assert (again.documents.updated, again.documents.unchanged) == (1, 1)
    assert DISSOLVES in runs.facts()
    assert runs.runs.store.document_states("default")["glass.md"].version == version
    assert runs.index().model_work is None


@pytest.mark.parametrize("error", [EndpointFailed("it is down"), BudgetSpent("all is spent")])
def test_what_is_done_is_kept_where_the_endpoint_or_the_budget_ends(runs: Runs, error: ChatFailed) -> None:
    def failing(request: ChatRequest) -> str:
        if "tides" in asked_text(request):
            raise error
        return knowing(request)

    report = runs.index(failing)
    assert report.model_work is not None
    assert [item.error for item in report.model_work.failed] == [str(error)]
    assert DISSOLVES in runs.facts()
    runs.index()
    assert len(runs.model.requests) == 1


def test_an_endpoint_that_cannot_be_used_ends_the_run(runs: Runs) -> None:
    def refusing(_request: ChatRequest) -> str:
        raise EndpointUnusable("the key is wrong")

    with pytest.raises(EndpointUnusable):
        runs.index(refusing)
    assert runs.index().documents.added == 2


def test_other_models_types_and_modes_ask_again_and_embed_nothing(runs: Runs) -> None:
    runs.index()
    typed = IndexingSettings(llm_extraction=LlmExtractionSettings(entity_types=("substance",)))
    runs.index(settings=typed)
    assert len(runs.model.requests) == 2
    assert "substance" in runs.model.requests[0].messages[0].content
    assert runs.chunks_embedded() == []
    assert "quartz glass" not in runs.names()
    runs.model.model_id = "another"
    runs.index(settings=typed)
    assert len(runs.model.requests) == 2


def test_instead_leaves_the_parsers_names_out_where_the_model_replied(runs: Runs) -> None:
    settings = IndexingSettings(llm_extraction=LlmExtractionSettings(mode="instead"))
    runs.index(settings=settings)
    assert runs.names().isdisjoint({"Elsa Brandt", "Lisbon"})
    assert {"florbic acid", "quartz glass"} <= runs.names()


def broken_off(request: ChatRequest) -> str:
    """Reply as ``knowing`` does, and stop in the midst of the relation."""
    return knowing(request).partition('"target"')[0]


@pytest.mark.parametrize("mode", ["beside", "instead"])
def test_a_reply_that_broke_off_is_kept_named_and_asked_for_again(
    runs: Runs, mode: Literal["beside", "instead"]
) -> None:
    settings = IndexingSettings(llm_extraction=LlmExtractionSettings(mode=mode))
    report = runs.index(broken_off, settings)
    assert {"florbic acid", "Elsa Brandt"} <= runs.names(), "half a reply does not take the place of the parser"
    assert DISSOLVES not in runs.facts()
    assert report.model_work is not None
    (failed,) = report.model_work.failed
    assert failed.about == "chunk 1 of 'glass.md'"
    assert "broke off; what was whole of it is kept" in failed.error
    assert report.model_work.unfinished == ("glass.md",)
    report = runs.index(settings=settings)
    assert len(runs.model.requests) == 1
    assert DISSOLVES in runs.facts()
    assert ("Elsa Brandt" in runs.names()) == (mode == "beside")
    assert report.model_work is not None
    assert report.model_work.failed == ()


def test_a_second_look_keeps_what_both_found(runs: Runs) -> None:
    settings = IndexingSettings(llm_extraction=LlmExtractionSettings(second_look=True))
    missed = {"entities": [{"name": "dark", "type": "state"}], "relations": []}

    def looking(request: ChatRequest) -> str:
        if len(request.messages) == 2:
            return knowing(request)
        assert (
            "florbic acid" in request.messages[2].content
            or request.messages[2].content == '{"entities":[],"relations":[]}'
        )
        return json.dumps(missed)

    report = runs.index(looking, settings)
    assert (len(runs.model.requests), report.model_work and report.model_work.dropped["extraction"]) == (4, 1)
    assert {"florbic acid", "dark"} <= runs.names()

    def blinking(request: ChatRequest) -> str:
        return knowing(request) if len(request.messages) == 2 else "?"

    (runs.folder / "glass.md").write_text(TEXTS["glass.md"] + "\nIt glows.\n", encoding="utf-8")
    report = runs.index(blinking, settings)
    assert report.model_work is not None
    assert report.model_work.unfinished == ("glass.md",)
    assert DISSOLVES in runs.facts(), "what the first look found is kept"


def test_nobody_is_asked_about_chunks_of_few_words(runs: Runs) -> None:
    runs.index(settings=IndexingSettings(llm_extraction=LlmExtractionSettings(min_words=500)))
    assert runs.model.requests == []


def test_one_prompt_holds_one_audience(runs: Runs) -> None:
    runs.index()
    (runs.folder / "secret").mkdir()
    (runs.folder / "secret" / "note.md").write_text("# Note\n\nThe zorvex vault opens at noon every day.\n", "utf-8")
    model = ScriptedChatModel(knowing)
    options = IndexOptions(models=IndexingModels(extraction=TaskModel(model)), groups=("staff",))
    runs.runs.index(runs.folder / "secret", options=options)
    (request,) = model.requests
    assert (request.scope.groups, request.scope.documents, request.scope.unit) == (("staff",), ("note.md",), "note.md")


def test_deletion_takes_what_the_model_told(runs: Runs) -> None:
    runs.index()
    (runs.folder / "glass.md").unlink()
    options = IndexOptions(prune=True, models=IndexingModels(extraction=TaskModel(ScriptedChatModel(knowing))))
    runs.runs.index(runs.folder, options=options)
    runs.index()
    everything = repr((runs.facts(), runs.runs.store.list_entities(EVERYBODY), runs.runs.store.communities(EVERYBODY)))
    assert "florbic" not in everything
    assert "quartz" not in everything


def test_a_moved_document_that_is_not_finished_is_asked_about_under_its_name(runs: Runs) -> None:
    runs.index(lambda _request: "")
    (runs.folder / "glass.md").rename(runs.folder / "mirror.md")
    report = runs.index()
    assert report.documents.added == 0
    assert set(runs.runs.store.document_states("default")) == {"glass.md", "tides.md"}
    assert DISSOLVES in runs.facts()


def test_an_unfinished_document_of_groups_is_not_opened_by_a_copy(runs: Runs) -> None:
    options = IndexOptions(groups=("staff",))
    failing = IndexingModels(extraction=TaskModel(ScriptedChatModel(lambda _request: "")))
    runs.runs.index(runs.folder, options=replace(options, models=failing))
    (runs.folder / "copy.md").write_text(TEXTS["glass.md"], encoding="utf-8")
    report = runs.index()
    assert any("copy.md" in failure.uri for failure in report.documents.failed)
    assert runs.runs.store.list_documents(EVERYBODY) == ()
