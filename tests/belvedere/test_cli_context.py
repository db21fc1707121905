"""``belvedere context`` and ``KnowledgeBase.context``."""

import pytest

from belvedere.knowledge_base import KnowledgeBase
from query.packing.packed_context import packed_documents
from tests.belvedere.small_store import ARTICLES, Belvedere, Place

pytestmark = pytest.mark.model

QUESTION = "In which year did the engineer of the lighthouse of Norby move to Bergen?"


def test_a_context_in_json_can_be_cited(belvedere: Belvedere, indexed_place: Place) -> None:
    context = belvedere("context", QUESTION, "--budget", "60", "--json", *indexed_place.options).json()
    assert set(context) == {
        *("question", "route", "route_reason", "text", "budget", "tokens", "counted_by", "left_out", "blocks"),
        "timings_ms",
    }
    assert context["tokens"] <= context["budget"] == 60
    sources = [source for block in context["blocks"] for source in block["sources"]]
    assert [source["number"] for source in sources] == list(range(1, len(sources) + 1))
    for source in sources:
        assert f"[{source['number']}] {source['title']}" in context["text"]
        text = ARTICLES[source["document_id"]]
        for sentence in source["sentences"]:
            assert text[sentence["char_start"] : sentence["char_end"]] == sentence["text"]
            assert sentence["chunk_id"] in source["chunk_ids"]


def test_a_context_for_people(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("context", QUESTION, *indexed_place.options)
    assert outcome.code == 0
    assert outcome.out.startswith("[1] ")
    assert "In 1890 Anna Lind moved to Bergen" in outcome.out
    assert "anna-lind.md, characters " in outcome.out
    assert "of 3000, counted as hashing" in outcome.out
    assert "left out" not in outcome.out


def test_too_small_a_budget_is_said(belvedere: Belvedere, indexed_place: Place) -> None:
    outcome = belvedere("context", QUESTION, "--budget", "2", *indexed_place.options)
    assert outcome.code == 0
    assert outcome.out.startswith("Nothing that was found fits in the budget.")
    assert "tokens: 0 of 2" in outcome.out
    nothing = belvedere("context", "?!", *indexed_place.options)
    assert nothing.out.startswith("Nothing found.")


@pytest.mark.parametrize("budget", ["0", "-5", "many"])
def test_a_budget_that_is_none_is_the_users_mistake(belvedere: Belvedere, indexed_place: Place, budget: str) -> None:
    outcome = belvedere("context", QUESTION, "--budget", budget, *indexed_place.options)
    assert outcome.code == 2
    assert "--budget" in outcome.err


def test_rows_of_a_table_come_with_its_columns(belvedere: Belvedere, indexed_place: Place) -> None:
    context = belvedere("context", "How many lenses in 1890?", "--json", *indexed_place.options).json()
    sources = [source for block in context["blocks"] for source in block["sources"]]
    rows = [source for source in sources if source["columns"]]
    assert [source["columns"] for source in rows] == ["| Year | Lenses |"]
    assert "| Year | Lenses |" in context["text"]
    assert "\n| 1880 | 12 |\n| 1890 | 40 |" in context["text"]


def test_another_tenant_gets_nothing(indexed_place: Place) -> None:
    with KnowledgeBase.open(indexed_place.store, config=indexed_place.config, tenant="others") as kb:
        assert kb.context(QUESTION).sources == ()


def test_contexts_from_python(indexed_place: Place) -> None:
    with KnowledgeBase.open(indexed_place.store, config=indexed_place.config) as kb:
        context = kb.context(QUESTION, budget=80, route="local", k=2)
        assert "load" in context.timings_ms
        assert "pack" in context.timings_ms
        assert packed_documents(context) <= ARTICLES.keys()
        with pytest.raises(ValueError, match="the budget must be 1 or more"):
            kb.context(QUESTION, budget=0)
