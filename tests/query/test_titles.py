from graph_store.records import Document
from query.question import analyse
from query.titles import TitleIndex


def titles(*names: str) -> TitleIndex:
    return TitleIndex(
        [
            Document(id=f"d{place}", source_uri="", title=name, media_type="text/plain", content_hash="")
            for place, name in enumerate(names)
        ]
    )


def named(index: TitleIndex, question: str) -> str | None:
    found = index.named_by(analyse(question), least_share=0.6)
    return found.document.title if found is not None else None


def test_a_title_that_stands_in_the_question_names_the_document() -> None:
    index = titles("Ion Propulsion", "Propulsion", "Voyager 1")
    assert named(index, "Summarise the article on ion propulsion.") == "Ion Propulsion"
    assert named(index, "What is the page on propulsion about?") == "Propulsion"


def test_other_forms_of_the_words_name_it_too() -> None:
    assert named(
        titles("Error-Correcting Codes", "Deep Space Network"), "Sum up the text on error correction codes"
    ) == ("Error-Correcting Codes")


def test_a_longer_title_wins_over_its_part() -> None:
    index = titles("Pioneer", "Pioneer 10")
    assert named(index, "Summarise the article on Pioneer 10.") == "Pioneer 10"
    assert named(index, "Summarise the article on Pioneer.") == "Pioneer"


def test_two_titles_name_neither_document_alone() -> None:
    assert named(titles("Mariner 10", "Voyager 2"), "Summarise gravity assists by Mariner 10 and Voyager 2.") is None


def test_a_few_common_words_name_nothing() -> None:
    index = titles("History of the Railway in Norway", "History of Bells", "History of Salt")
    assert named(index, "Summarise the history of tax law.") is None
    assert named(titles(), "Summarise the article on bells.") is None
    assert named(titles("", "?!"), "Summarise the article on bells.") is None


def test_of_documents_with_one_title_the_same_is_named_each_time() -> None:
    found = titles("Minutes", "Minutes").named_by(analyse("Summarise the minutes."), least_share=0.6)
    assert found is not None
    assert found.document.id == "d0"


def test_coverage_sums_what_a_title_holds() -> None:
    index = titles("Ion Propulsion", "Propulsion", "Voyager 1")
    assert index.coverage({"propuls": 0.5, "ion": 0.25, "comet": 0.25}) == {"d0": 0.75, "d1": 0.5}


def test_a_file_name_in_the_question_names_its_document() -> None:
    index = TitleIndex(
        [
            Document(id=name, source_uri="", title=title, media_type="text/plain", content_hash="")
            for name, title in (("company.md", "Tollund Ferries"), ("notes/company.md", "Minutes"), ("plain", "Plain"))
        ]
    )
    assert named(index, "Summarise company.md.") == "Tollund Ferries"
    assert named(index, "What is 'Notes/company.md' about?") == "Minutes"
    assert named(index, "Summarise company.txt.") is None
