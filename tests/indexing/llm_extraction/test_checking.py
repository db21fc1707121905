"""Of what a model says of a chunk only that enters the graph which the chunk itself bears out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_store.records import Chunk, NamedHome, NamedMention
from indexing.llm_extraction.checking import ChunkFacts, ReplyCheck
from indexing.llm_extraction.known_names import KnownNames
from indexing.llm_extraction.prompt import _EXAMPLE_REPLY
from indexing.llm_extraction.reply import ExtractionReply, ToldRelation
from indexing.llm_extraction.settings import LlmExtractionSettings

TEXT = "Marie Curie\nfound radium in Paris in 1898. In Paris she taught."
NOBODY = KnownNames((), ())
PLAIN = LlmExtractionSettings()


def chunk_of(text: str) -> Chunk:
    return Chunk(
        id="c0",
        document_id="d",
        document_version=1,
        text=text,
        heading_path=(),
        char_start=0,
        char_end=len(text),
        position=0,
    )


def believed(
    reply: dict[str, object],
    text: str = TEXT,
    *,
    known: KnownNames = NOBODY,
    settings: LlmExtractionSettings = PLAIN,
    title: str = "",
) -> ChunkFacts:
    check = ReplyCheck(chunk_of(text), known, settings, above=(title,))
    return check.facts([ExtractionReply.model_validate_json(json.dumps(reply))])


def entity(name: str, kind: str = "person", description: str = "") -> dict[str, str]:
    return {"name": name, "type": kind, "description": description}


def relation(source: str, target: str, quote: str, **more: object) -> dict[str, object]:
    return {"source": source, "target": target, "predicate": "found", "strength": 8, "quote": quote, **more}


CURIE = [entity("Marie Curie"), entity("radium", "element"), entity("Paris", "city")]


def test_every_place_of_a_name_is_a_mention_and_the_first_has_its_description() -> None:
    facts = believed({"entities": [entity("paris", "City", "A place where Marie Curie taught.")], "relations": []})
    assert [(item.surface, item.type, item.name) for item in facts.mentions] == [("Paris", "PLACE", "paris")] * 2
    assert [item.description for item in facts.mentions] == ["A place where Marie Curie taught.", ""]
    assert all(TEXT[item.char_start : item.char_end] == item.surface for item in facts.mentions)


def test_a_quote_stands_in_the_chunk_blanks_aside() -> None:
    facts = believed({"entities": CURIE, "relations": [relation("Marie Curie", "radium", "Marie Curie found radium")]})
    (stated,) = facts.relations
    assert TEXT[stated.char_start : stated.char_end] == "Marie Curie\nfound radium"
    assert (stated.subject_type, stated.object_type, stated.strength, facts.dropped) == ("PERSON", "ELEMENT", 8.0, 0)


@pytest.mark.parametrize(
    "statement",
    [
        relation("Marie Curie", "radium", "Marie Curie discovered radium"),
        relation("Marie Curie", "radium", ""),
        relation("Marie Curie", "Pierre Curie", "Marie Curie found radium"),
        relation("Marie Curie", "marie  curie", "Marie Curie found radium"),
        relation("Marie Curie", "radium", "Marie Curie found radium", predicate=" "),
        relation("Marie Curie", "1898", "in 1898"),
    ],
)
def test_what_is_not_borne_out_is_dropped_and_counted(statement: dict[str, object]) -> None:
    facts = believed({"entities": CURIE, "relations": [statement]})
    assert (facts.relations, facts.dropped) == ([], 1)


@pytest.mark.parametrize("name", ["Pierre Curie", "1898", "", "Cur", "x" * 200, "Curie\u0000 Marie"])
def test_names_that_do_not_stand_in_the_chunk_are_dropped(name: str) -> None:
    facts = believed({"entities": [entity(name)], "relations": []})
    assert (facts.mentions, facts.dropped) == ([], 1)


def test_the_example_of_the_prompt_never_enters_the_graph() -> None:
    facts = believed(dict(_EXAMPLE_REPLY))
    assert (facts.mentions, facts.relations, facts.dropped) == ([], [], 4)


@pytest.mark.parametrize(
    ("given_strength", "kept"),
    [(99, 10.0), (-3, 0.0), ("7", 7.0), ("strong", 0.0), (None, 0.0), (1e400, 10.0), (float("nan"), 0.0)],
)
def test_strength_is_held_within_its_range(given_strength: object, kept: float) -> None:
    stated = relation("Marie Curie", "radium", "found radium", strength=given_strength)
    assert [item.strength for item in believed({"entities": CURIE, "relations": [stated]}).relations] == [kept]


def test_the_last_relation_is_kept_and_one_out_of_form_costs_no_other() -> None:
    statements: list[object] = [
        relation("Marie Curie", "radium", "found radium"),
        {"source": "Marie Curie"},
        "nonsense",
        relation("Marie Curie", "Paris", "Marie Curie found radium in Paris", predicate="worked in"),
    ]
    facts = believed({"entities": CURIE, "relations": statements})
    assert [item.predicate for item in facts.relations] == ["found", "worked in"]


def test_a_reply_without_any_element_in_form_is_no_reply() -> None:
    replies: list[dict[str, object]] = [{}, {"entities": []}, {"entities": [{"a": "x"}], "relations": []}]
    for reply in [*replies, {"entities": "none"}]:
        with pytest.raises(ValueError, match="ExtractionReply"):
            ExtractionReply.model_validate(reply)


def test_descriptions_that_the_chunk_does_not_bear_out_are_left_out() -> None:
    twisted = ("Finder of radium in -1898.", "Teacher who found no radium.", "Found radium, evil.example.")
    for description in ("A friend of Einstein.", "Born in 1867.", "y" * 400, *twisted):
        facts = believed({"entities": [entity("Marie Curie", "person", description)], "relations": []})
        assert [item.description for item in facts.mentions] == [""]
    told = entity("Marie Curie", "person", "Winner of the Nobel Prize.")
    facts = believed({"entities": [told], "relations": []}, title="Nobel Prize")
    assert [item.description for item in facts.mentions] == ["Winner of the Nobel Prize."]


def test_names_go_by_what_the_document_calls_them() -> None:
    mention = NamedMention(chunk_id="c9", name="Marie Curie", type="PERSON", surface="Curie", char_start=0, char_end=5)
    home = NamedHome(chunk_id="c9", name="Radium Institute", type="ORG", kind="title")
    known = KnownNames((mention,), (home,))
    text = "Curie led it in Paris."
    facts = believed(
        {
            "entities": [entity("Curie", "scientist")],
            "relations": [relation("Curie", "Radium Institute", "Curie led it")],
        },
        text,
        known=known,
    )
    assert [(item.name, item.type, item.surface) for item in facts.mentions] == [("Marie Curie", "PERSON", "Curie")]
    assert [(item.subject, item.object) for item in facts.relations] == [("Marie Curie", "Radium Institute")]
    gone = KnownNames((mention,), (), mentions_stay=False)
    facts = believed({"entities": [], "relations": [relation("Curie", "Paris", "Curie led it")]}, text, known=gone)
    assert facts.relations == []


def test_given_types_are_the_only_ones() -> None:
    settings = LlmExtractionSettings(entity_types=("element", "Person"), relation_types=("Worked In",))
    statements = [
        relation("Marie Curie", "radium", "found radium"),
        relation("Marie Curie", "radium", "found radium", predicate="worked_in"),
        relation("Marie Curie", "Paris", "in Paris", predicate="worked in"),
    ]
    facts = believed({"entities": CURIE, "relations": statements}, settings=settings)
    assert [(item.name, item.type) for item in facts.mentions] == [("Marie Curie", "Person"), ("radium", "element")]
    assert [(item.predicate, item.object) for item in facts.relations] == [("Worked In", "radium")]


def test_other_languages_braces_and_dollar_signs() -> None:
    text = "北京大学在北京。 El {Niño} costó $5 (€4) a Muñoz & Söhne; Рига и «Газ» тоже."
    names = ["北京大学", "北京", "{niño}", "muñoz & söhne", "рига", "Mun\u0303oz & Söhne"]
    facts = believed({"entities": [entity(name, "thing") for name in names], "relations": []}, text)
    assert {item.surface for item in facts.mentions} == {"北京大学", "北京", "{Niño}", "Muñoz & Söhne", "Рига"}


@given(st.text(max_size=60), st.text(max_size=12), st.text(max_size=12))
def test_whatever_is_told_every_span_lies_in_the_chunk(text: str, one: str, other: str) -> None:
    reply = {"entities": [entity(one), entity(other)], "relations": [relation(one, other, text)]}
    facts = believed(reply, text)
    for mention in facts.mentions:
        assert 0 <= mention.char_start < mention.char_end <= len(text)
        assert text[mention.char_start : mention.char_end] == mention.surface
    for stated in facts.relations:
        assert 0 <= stated.char_start < stated.char_end <= len(text)


@pytest.mark.parametrize("strength", [10**400, [1], "much", None])
def test_a_strength_that_is_no_number_says_nothing(strength: object) -> None:
    told = {"source": "A", "target": "B", "predicate": "p", "quote": "q", "strength": strength}
    assert ToldRelation.model_validate(told).strength == 0.0
