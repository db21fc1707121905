"""Commands that read, over one small store."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.belvedere.small_store import ARTICLES, Belvedere, Place, make_place

pytestmark = pytest.mark.model

CITATION_KEYS = {
    *("number", "chunk_id", "document_id", "title", "source_uri", "heading_path", "page", "quote"),
    *("char_start", "char_end"),
}


def test_ask_for_people(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("ask", "When was the lighthouse of Norby built by Anna Lind?", *indexed_place.options)
    assert outcome.code == 0
    assert "1871" in outcome.out
    assert "[1] Lighthouse of Norby, characters " in outcome.out
    assert str(indexed_place.corpus / "lighthouse.md") in outcome.out
    # The answer is made of quotations: they are not printed a second time.
    assert " ".join(outcome.out.split()).count("was built by Anna Lind in 1871") == 1
    assert "route: local." in outcome.out
    assert "time: " in outcome.out
    assert "cosine" not in outcome.out


def test_ask_shows_its_context_on_demand(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("ask", "Who founded the Northern Lens Company?", "--show-context", *indexed_place.options)
    assert "Passages that were weighed" in outcome.out
    assert "cosine" in outcome.out
    assert "“" in outcome.out


def test_loading_is_told_apart_from_embedding(belvedere: Belvedere, indexed_place: Place) -> None:
    times = belvedere("ask", "Who was Anna Lind?", "--json", *indexed_place.options).json()["timings_ms"]
    assert next(iter(times)) == "load"
    assert times["total"] >= times["load"] + times["embed"]


def test_ask_in_json(belvedere: Belvedere, indexed_place: Place) -> None:
    question = "When was the lighthouse of Norby built by Anna Lind?"
    answer = belvedere("ask", question, "--json", "--route", "local", *indexed_place.options).json()
    assert set(answer) == {
        *(
            "question",
            "answer",
            "short_answer",
            "abstained",
            "route",
            "route_reason",
            "made_by",
            "citations",
            "evidence",
        ),
        *("timings_ms", "tokens"),
    }
    assert answer["question"] == question
    assert answer["abstained"] is False
    assert answer["route"] == "local"
    assert [citation["number"] for citation in answer["citations"]] == list(range(1, len(answer["citations"]) + 1))
    for citation in answer["citations"]:
        assert set(citation) == CITATION_KEYS
        assert f"[{citation['number']}]" in answer["answer"]
        # The articles are clean already, so the offsets of the cleaned text are those of the file.
        text = ARTICLES[citation["document_id"]]
        assert text[citation["char_start"] : citation["char_end"]] == citation["quote"]


def test_a_question_that_the_documents_do_not_answer(belvedere: Belvedere, indexed_place: Place) -> None:
    answer = belvedere("ask", "zxqv wvut?", "--json", *indexed_place.options).json()
    assert answer["abstained"] is True
    assert answer["citations"] == []
    assert "not found" in answer["answer"].lower()


@pytest.mark.parametrize("question", ["?!…", "word " * 4000, "ORA-01555", "北京", "\x1b[31mred"])
def test_any_text_is_a_question(belvedere: Belvedere, indexed_place: Place, question: str) -> None:
    outcome = belvedere("ask", "--json", *indexed_place.options, "--", question)
    assert outcome.code == 0
    assert outcome.json()["question"] == question


def test_search_in_json(belvedere: Belvedere, indexed_place: Place) -> None:
    found = belvedere("search", "Anna Lind", "-k", "2", "--route", "local", "--json", *indexed_place.options).json()
    assert set(found) == {"route", "results", "timings_ms"}
    assert [result["rank"] for result in found["results"]] == [1, 2]
    for result in found["results"]:
        assert set(result) == {
            *("rank", "kind", "id", "document_id", "title", "score", "signals", "text", "chain", "duplicates"),
        }
        assert result["kind"] == "chunk"
        assert result["document_id"] in ARTICLES


@pytest.mark.parametrize(("route", "kind"), [("community", "report"), ("tree", "tree_node")])
def test_the_route_can_be_chosen(belvedere: Belvedere, indexed_place: Place, route: str, kind: str) -> None:
    found = belvedere("search", "Anna Lind's life", "--route", route, "--json", *indexed_place.options).json()
    assert found["route"] == route
    assert {result["kind"] for result in found["results"]} <= {kind}


def test_search_for_people(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("search", "In which year did Anna Lind move to Bergen?", *indexed_place.options)
    assert outcome.code == 0
    assert ". Anna Lind > Later life (anna-lind.md), score " in outcome.out
    assert outcome.out.startswith("1. Anna Lind")
    assert "    In 1890 Anna Lind moved to Bergen" in outcome.out
    assert "route: " in outcome.out
    assert "bm25" not in outcome.out


def test_search_explains_itself_on_demand(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("search", "Northern Lens Company", "--explain", *indexed_place.options)
    assert "bm25_rank 1" in outcome.out


def test_status(belvedere: Belvedere, indexed_place: Place) -> None:
    status = belvedere("status", "--json", *indexed_place.options).json()
    assert set(status) == {
        *("store", "embedding_model", "dimension", "tenant", "documents", "chunks", "entities", "relations"),
        *("communities", "tree_nodes", "up_to_date", "store_bytes", "settings_changed", "second_space"),
        *("llm_tasks", "kept_replies"),
    }
    assert status["settings_changed"] == {}
    assert status["documents"] == len(ARTICLES)
    assert status["dimension"] == 64
    assert status["up_to_date"] is True
    assert status["store_bytes"] == sum(
        path.stat().st_size for path in indexed_place.store.rglob("*") if path.is_file()
    )
    shown = belvedere("status", *indexed_place.options).out
    assert "documents" in shown
    assert "up to date with the documents in the store; `belvedere reconcile`" in " ".join(shown.split())
    assert "no documents to read" not in shown
    assert "other settings" not in shown


READING_COMMANDS = [
    ["ask", "Who?"],
    ["search", "Who?"],
    ["context", "Who?"],
    ["communities"],
    ["tree"],
    ["tree", "anna-lind.md"],
    ["graph", "Anna Lind"],
    ["export", "--format", "jsonl"],
    ["export", "--format", "graphml"],
    ["ranker", "explain", "Who is Anna Lind?"],
]


@pytest.mark.parametrize("command", [*READING_COMMANDS, ["delete", "anna-lind.md"], ["eval-init", "--out", "drafts"]])
def test_who_may_read_nothing_is_told_so(
    belvedere: Belvedere, indexed_place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for options in ([], ["--json"] if "export" not in command else ["--json", "--output", "x"]):
        outcome = belvedere(*command, "--tenant", "others", *options, *indexed_place.options)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.splitlines()[-1] == (
            "belvedere: the tenant 'others' without a group has no documents to read here: name another --tenant or "
            "--groups (`belvedere doctor --all` lists the tenants), or run `belvedere index`"
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", READING_COMMANDS)
def test_who_may_read_something_is_not(belvedere: Belvedere, indexed_place: Place, command: list[str]) -> None:
    outcome = belvedere(*command, *indexed_place.options)
    assert outcome.code == 0
    assert "no documents to read" not in outcome.err


def test_another_tenant_sees_nothing(belvedere: Belvedere, indexed_place: Place) -> None:
    status = belvedere("status", "--json", "--tenant", "others", *indexed_place.options).json()
    assert (status["documents"], status["chunks"], status["entities"]) == (0, 0, 0)
    shown = " ".join(belvedere("status", "--tenant", "others", *indexed_place.options).out.split())
    assert "The tenant 'others' without a group has no documents to read here: name another --tenant" in shown
    assert "default" not in shown
    staff = belvedere("status", "--tenant", "others", "--groups", "a,b", *indexed_place.options).out
    assert "in the groups a, b has no documents" in " ".join(staff.split())


def test_communities(belvedere: Belvedere, indexed_place: Place) -> None:
    found = belvedere("communities", "--json", *indexed_place.options).json()["communities"]
    assert found
    finest = belvedere("communities", "--level", "0", "--json", *indexed_place.options).json()["communities"]
    assert {community["level"] for community in finest} == {0}
    assert finest == [community for community in found if community["level"] == 0]
    assert finest[0]["title"] in belvedere("communities", *indexed_place.options).out
    assert "no communities on level 99" in belvedere("communities", "--level", "99", *indexed_place.options).out


def test_tree_of_one_document(belvedere: Belvedere, indexed_place: Place) -> None:
    nodes = belvedere("tree", "anna-lind.md", "--json", *indexed_place.options).json()["nodes"]
    assert {node["document_id"] for node in nodes} <= {"anna-lind.md"}
    assert belvedere("tree", *indexed_place.options).code == 0


def test_a_tree_of_no_document(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("tree", "anna-lynd.md", *indexed_place.options)
    assert outcome.code == 2
    assert "no document has the id 'anna-lynd.md' (similar: anna-lind.md)" in outcome.err


def test_graph_of_an_entity(belvedere: Belvedere, indexed_place: Place) -> None:
    (entity, *_) = belvedere("graph", "Anna Lind", "--json", *indexed_place.options).json()["entities"]
    assert entity["name"] == "Anna Lind"
    assert entity["mentions"]["anna-lind.md"] >= 2
    assert {home["document_id"] for home in entity["homes"]} == {"anna-lind.md"}
    shown = belvedere("graph", "anna lind", *indexed_place.options).out
    assert "Anna Lind" in shown
    assert "told of in passages" in shown
    assert "    Anna Lind (anna-lind.md)" in shown


def test_graph_shows_as_much_as_is_asked_for(belvedere: Belvedere, indexed_place: Place) -> None:
    (entity, *_) = belvedere("graph", "Anna Lind", "--json", "--limit", "1", *indexed_place.options).json()["entities"]
    assert len(entity["relations"]) > 1
    assert len(entity["mentions"]) > 1
    shown = belvedere("graph", "Anna Lind", "--limit", "1", *indexed_place.options).out
    assert shown.count("→") == 1
    assert f"relations ({len(entity['relations'])}):" in shown
    assert f"… and {len(entity['relations']) - 1} more; --limit shows them" in shown


@pytest.mark.parametrize("name", ["Anna Lindt", "Lindt", "lyghthouse"])
def test_a_graph_of_no_entity(belvedere: Belvedere, indexed_place: Place, name: str) -> None:
    outcome = belvedere("graph", name, *indexed_place.options)
    assert outcome.code == 2
    assert f"the documents name no {name!r} (similar: " in outcome.err


def test_export_of_the_graph(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    path = tmp_path / "graph.graphml"
    exported = belvedere("export", "--format", "graphml", "--output", path, "--json", *indexed_place.options).json()
    status = belvedere("status", "--json", *indexed_place.options).json()
    assert exported["records"] == {"entities": status["entities"], "relations": status["relations"]}
    nodes = ET.parse(path).getroot().findall(".//{http://graphml.graphdrawing.org/xmlns}node")
    assert len(nodes) == status["entities"]
    assert [name.name for name in tmp_path.iterdir()] == ["graph.graphml"]


def test_export_of_every_record(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("export", "--format", "jsonl", *indexed_place.options)
    records = [json.loads(line) for line in outcome.out.splitlines()]
    status = belvedere("status", "--json", *indexed_place.options).json()
    for kind, name in (
        ("document", "documents"),
        ("chunk", "chunks"),
        ("entity", "entities"),
        ("community", "communities"),
    ):
        assert sum(record["kind"] == kind for record in records) == status[name]
    texts = {record["id"]: record["text"] for record in records if record["kind"] == "document"}
    for record in records:
        if record["kind"] == "chunk":
            assert record["text"] == texts[record["document_id"]][record["char_start"] : record["char_end"]]


def test_export_in_json_needs_a_file(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("export", "--format", "jsonl", "--json", *indexed_place.options)
    assert outcome.code == 2
    assert outcome.out == ""
    assert "--output" in outcome.err


def test_export_into_a_folder_that_is_not_there(belvedere: Belvedere, indexed_place: Place, tmp_path: Path) -> None:
    outcome = belvedere("export", "--format", "jsonl", "--output", tmp_path / "no" / "x.jsonl", *indexed_place.options)
    assert outcome.code == 2


@pytest.mark.model
def test_a_twin_is_named_by_its_place(belvedere: Belvedere, tmp_path: Path) -> None:
    text = "The ferry to Hven leaves the pier of Norby each morning, and comes back before the lamp is lit at dusk.\n"
    place = make_place(
        tmp_path / "place",
        {"ferry.md": f"# Ferries\n\n## Hven\n\n{text}", "leaflet.md": f"# Leaflet\n\n## By ship\n\n{text}"},
    )
    with place.config.open("a", encoding="utf-8") as settings:
        settings.write("query: {diversity: {duplicate_cosine: 0.5, duplicate_shingles: 0.5}}\n")
    assert belvedere("index", place.corpus, *place.options).code == 0
    question = ("search", "When does the ferry to Hven leave?", "--route", "local", *place.options)
    (found,) = belvedere(*question, "--json").json()["results"]
    shown = belvedere(*question).out
    twin = "Leaflet > By ship (leaflet.md)" if found["document_id"] == "ferry.md" else "Ferries > Hven (ferry.md)"
    assert f"    nearly the same stands in: {twin}\n" in shown
    assert all(chunk_id not in shown for chunk_id in (found["id"], *found["duplicates"]))
