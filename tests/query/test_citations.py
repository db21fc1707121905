from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from query.citations import DraftBlock, DraftSentence, Quote, cite, shown

TEXT = "Ida Holm was an engineer from Bergvik. She died of pneumonia in 1911."
FIRST = Quote(chunk_id="default/ida-holm/0", char_start=0, char_end=38, text=TEXT[:38])
SECOND = Quote(chunk_id="default/ida-holm/0", char_start=39, char_end=69, text=TEXT[39:])


def draft(*quotes: Quote, title: str = "") -> DraftBlock:
    return DraftBlock(title=title, sentences=tuple(DraftSentence(text=quote.text, quotes=(quote,)) for quote in quotes))


def test_quotations_that_hold_are_numbered_in_order(small_store: EmbeddedStore) -> None:
    cited = cite(small_store, Access(), [draft(FIRST, SECOND)])
    assert cited.text == f"{TEXT[:38]} [1] {TEXT[39:]} [2]"
    assert [citation.number for citation in cited.citations] == [1, 2]
    assert cited.citations[1].quote == "She died of pneumonia in 1911."
    assert (cited.citations[1].char_start, cited.citations[1].char_end) == (39, 69)


def test_a_quotation_used_twice_has_one_number(small_store: EmbeddedStore) -> None:
    cited = cite(small_store, Access(), [draft(FIRST), draft(SECOND, FIRST)])
    assert cited.text.split("\n\n") == [f"{TEXT[:38]} [1]", f"{TEXT[39:]} [2] {TEXT[:38]} [1]"]
    assert len(cited.citations) == 2


def test_words_that_do_not_stand_at_their_span_are_not_said(small_store: EmbeddedStore) -> None:
    altered = Quote(chunk_id=FIRST.chunk_id, char_start=0, char_end=38, text="Ida Holm was an engineer from Bergen..")
    shifted = Quote(chunk_id=FIRST.chunk_id, char_start=1, char_end=38, text=TEXT[:38])
    beyond = Quote(chunk_id=FIRST.chunk_id, char_start=60, char_end=900, text=TEXT[60:])
    empty = Quote(chunk_id=FIRST.chunk_id, char_start=5, char_end=5, text="")
    cited = cite(small_store, Access(), [draft(altered, shifted, beyond, empty, SECOND)])
    assert cited.text == f"{TEXT[39:]} [1]"
    assert len(cited.citations) == 1


def test_what_the_caller_may_not_read_is_not_said(small_store: EmbeddedStore) -> None:
    secret = Quote(chunk_id="default/reef-survey/0", char_start=0, char_end=8, text="The reef")
    assert cite(small_store, Access(), [draft(secret)]).text == ""
    assert cite(small_store, Access(tenant="rival"), [draft(FIRST)]).citations == ()
    assert cite(small_store, Access(groups=frozenset({"staff"})), [draft(secret)]).text == "The reef [1]"


def test_a_block_of_which_nothing_holds_loses_its_title(small_store: EmbeddedStore) -> None:
    missing = Quote(chunk_id="nowhere", char_start=0, char_end=3, text="The")
    cited = cite(small_store, Access(), [draft(missing, title="Ghosts"), draft(FIRST, title="People")])
    assert cited.text == f"People\n{TEXT[:38]} [1]"


def test_a_sentence_keeps_the_quotations_that_hold(small_store: EmbeddedStore) -> None:
    missing = Quote(chunk_id="nowhere", char_start=0, char_end=3, text="The")
    sentence = DraftSentence(text="An engineer died.", quotes=(missing, FIRST, SECOND, FIRST))
    cited = cite(small_store, Access(), [DraftBlock(sentences=(sentence,))])
    assert cited.text == "An engineer died. [1][2]"


def test_reference_marks_of_the_source_are_no_marks_of_the_answer() -> None:
    assert shown("It sank.[12] Nobody\n drowned [3].") == "It sank.(12) Nobody drowned (3)."


def test_headings_and_list_signs_are_not_shown() -> None:
    assert shown("## Early life") == "Early life"
    assert shown("- a keeper") == "a keeper"
    assert shown("3. Close the inlet.") == "Close the inlet."
    assert shown("1874 was a good year.") == "1874 was a good year."


def test_nothing_drafted_gives_nothing(small_store: EmbeddedStore) -> None:
    cited = cite(small_store, Access(), [])
    assert (cited.text, cited.citations) == ("", ())
