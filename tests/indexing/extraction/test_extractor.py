"""Entities, statements and homes read by the real parser."""

import pytest

from graph_store.records import Chunk, Document
from indexing.extraction.extractor import EntityExtractor, Extraction
from indexing.extraction.settings import ExtractionSettings

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def extractor() -> EntityExtractor:
    return EntityExtractor(ExtractionSettings())


def make_document(
    *texts: str, title: str = "", headings: tuple[tuple[str, ...], ...] = ()
) -> tuple[Document, tuple[Chunk, ...]]:
    document = Document(id="d", source_uri="d", title=title, media_type="text/markdown", content_hash="")
    chunks = tuple(
        Chunk(
            id=f"c{position}",
            document_id="d",
            document_version=1,
            text=text,
            heading_path=headings[position] if headings else (),
            char_start=0,
            char_end=len(text),
            position=position,
        )
        for position, text in enumerate(texts)
    )
    return document, chunks


def extract(extractor: EntityExtractor, *texts: str, title: str = "") -> Extraction:
    return extractor.extract([make_document(*texts, title=title)])[0]


def triples(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(item.subject, item.predicate, item.object) for item in extraction.relations}


def homes(extraction: Extraction) -> set[tuple[str, str, str]]:
    return {(home.chunk_id, home.name, home.kind) for home in extraction.homes}


def test_mentions_stand_where_they_say(extractor: EntityExtractor) -> None:
    text = "# Radium\n\nThe physicist **Marie Curie** was born in [Warsaw](https://example.org/warsaw).\n"
    found = extract(extractor, text)
    assert {(item.name, item.type) for item in found.mentions} == {("Marie Curie", "PERSON"), ("Warsaw", "PLACE")}
    assert all(text[item.char_start : item.char_end] == item.surface for item in found.mentions)


def test_surname_and_acronym_go_by_their_full_names(extractor: EntityExtractor) -> None:
    found = extract(
        extractor,
        "Marie Curie joined the International Atomic Energy Agency (IAEA) in Vienna.",
        "In 1911, Curie left the IAEA for France.",
    )
    names = {item.surface: item.name for item in found.mentions}
    assert names["Curie"] == "Marie Curie"
    assert names["IAEA"] == "International Atomic Energy Agency"


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Marie Curie discovered Polonium in Paris.", ("Marie Curie", "discovered in", "Paris")),
        ("James Cameron directed Titanic and Avatar.", ("James Cameron", "directed", "Titanic")),
        ("Marie Curie was born in Warsaw.", ("Marie Curie", "born in", "Warsaw")),
        ("Angela Merkel was the chancellor of Germany.", ("Angela Merkel", "was chancellor of", "Germany")),
        ("Microsoft was founded by Bill Gates in Albuquerque.", ("Microsoft", "founded by", "Bill Gates")),
        ("Paris, the capital of France, lies on the Seine.", ("Paris", "capital of", "France")),
        ("Angela Merkel did not visit Canada.", ("Angela Merkel", "not visit", "Canada")),
        ("Bill Gates, who founded Microsoft, lives in Medina.", ("Bill Gates", "founded", "Microsoft")),
    ],
)
def test_statements(extractor: EntityExtractor, text: str, triple: tuple[str, str, str]) -> None:
    assert triple in triples(extract(extractor, text))


def test_statement_names_its_sentence(extractor: EntityExtractor) -> None:
    text = "It rained. Marie Curie was born in Warsaw. It rained again."
    found = [item for item in extract(extractor, text).relations if item.object == "Warsaw"]
    assert [text[item.char_start : item.char_end] for item in found] == ["Marie Curie was born in Warsaw."]


def test_being_named_together_is_no_statement(extractor: EntityExtractor) -> None:
    assert triples(extract(extractor, "The agencies are NASA, ESA, and many others.")) == set()


def test_pronoun_in_the_lead_stands_for_the_title(extractor: EntityExtractor) -> None:
    found = extract(
        extractor, "Marie Curie was a physicist. She was born in Warsaw.", "She died in France.", title="Marie Curie"
    )
    assert ("Marie Curie", "born in", "Warsaw") in triples(found)
    assert ("Marie Curie", "died in", "France") not in triples(found)


def test_common_noun_in_the_lead_stands_for_what_it_defines(extractor: EntityExtractor) -> None:
    found = extract(
        extractor,
        "Titanic is a film by James Cameron. The film stars Kate Winslet. The ship sank near Canada.",
        title="Titanic",
    )
    assert ("Titanic", "stars", "Kate Winslet") in triples(found)
    assert not any(subject == "Titanic" and target == "Canada" for subject, _, target in triples(found))


def test_definition_gives_the_type(extractor: EntityExtractor) -> None:
    found = extract(extractor, "Paea is a commune in the suburbs of Papeete. Paea lies on Tahiti.", title="Paea")
    assert {item.type for item in found.mentions if item.name == "Paea"} == {"PLACE"}


def test_title_is_a_name_in_the_text_as_a_whole(extractor: EntityExtractor) -> None:
    title = "Anna Akhmatova Literary and Memorial Museum"
    found = extract(extractor, f"The {title} is a museum in St Petersburg.", title=title)
    assert title in {item.name for item in found.mentions}


def test_table_cells_that_are_names_count_and_labels_do_not(extractor: EntityExtractor) -> None:
    table = "| Station | Launch |\n|---|---|\n| DSS-43 | Canberra |\n| DSS-63 | Magenta |\n"
    text = f"Signals go to Canberra and Madrid.\n\n{table}"
    found = extract(extractor, text)
    names = [item.name for item in found.mentions]
    assert names.count("Canberra") == 2
    assert {"DSS-43", "DSS-63"} <= set(names)
    assert not {"Launch", "Magenta", "Station"} & set(names)


def test_homes_of_title_and_headings(extractor: EntityExtractor) -> None:
    entry = make_document(
        "The stations listen.",
        "It has an antenna of 70 metres.",
        "More on the antenna.",
        title="Deep Space Network (DSN)",
        headings=(
            ("Deep Space Network (DSN)", "Introduction"),
            ("Deep Space Network (DSN)", "Canberra Complex"),
            ("Deep Space Network (DSN)", "Canberra Complex"),
        ),
    )
    assert homes(extractor.extract([entry])[0]) == {
        ("c0", "Deep Space Network (DSN)", "title"),
        ("c0", "Deep Space Network", "title"),
        ("c1", "Canberra Complex", "heading"),
    }


def test_lead_subject_is_the_home_of_a_text_without_a_title(extractor: EntityExtractor) -> None:
    found = extract(extractor, "Marie Curie (1867-1934) was a physicist who worked in Paris.", title="Note 2026-04-08")
    assert homes(found) == {("c0", "Marie Curie", "lead_subject")}


def test_pronoun_or_preposition_is_no_lead_subject(extractor: EntityExtractor) -> None:
    assert homes(extract(extractor, "It rains. In the north it snows.")) == set()


def test_definition_further_down_is_a_home(extractor: EntityExtractor) -> None:
    found = extract(
        extractor, "The stations listen.", "Goldstone is a complex in California.", title="Stations of the DSN"
    )
    assert ("c1", "Goldstone", "definition") in homes(found)


@pytest.mark.parametrize("text", ["", "   \n", "x", "?!", "1969", "|||", "the"])
def test_empty_and_tiny_texts_hold_nothing(extractor: EntityExtractor, text: str) -> None:
    assert extract(extractor, text) == Extraction(mentions=(), relations=(), homes=())


def test_no_documents_and_no_chunks(extractor: EntityExtractor) -> None:
    assert extractor.extract([]) == []
    assert extractor.extract([make_document(title="Marie Curie")]) == [Extraction(mentions=(), relations=(), homes=())]


def test_equal_texts_in_two_documents_are_both_read(extractor: EntityExtractor) -> None:
    entry = make_document("Marie Curie was born in Warsaw.")
    first, second = extractor.extract([entry, entry])
    assert first == second
    assert first.mentions


def test_endless_word_is_left_out(extractor: EntityExtractor) -> None:
    found = extract(extractor, "A" * 200_000 + "\n\nMarie Curie was born in Warsaw.")
    assert {item.name for item in found.mentions} == {"Marie Curie", "Warsaw"}
