from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import SourcedSentence
from query.digest import DerivedText, DigestShape, SourceReader, digest
from tests.query.small_store import EMBEDDER

TOWN = "default/bergvik/0"
FIRST = SourcedSentence(
    text="Bergvik is a harbour town on the northern coast.", chunk_ids=(TOWN,), char_start=0, char_end=48
)
MARKET = SourcedSentence(text="Its herring market opened in 1820.", chunk_ids=(TOWN,), char_start=49, char_end=83)


def texts_told(store: EmbeddedStore, texts: list[DerivedText], shape: DigestShape) -> list[list[str]]:
    blocks = digest(SourceReader(store, Access(), texts), texts, shape)
    return [[sentence.text for sentence in block.sentences] for block in blocks]


def test_without_a_vector_the_first_sentences_are_told(small_store: EmbeddedStore) -> None:
    texts = [DerivedText(title="Town", sentences=(FIRST, MARKET))]
    assert texts_told(small_store, texts, DigestShape(per_text=1)) == [[FIRST.text]]


def test_with_a_vector_the_nearest_sentences_are_told_in_the_order_of_the_text(small_store: EmbeddedStore) -> None:
    vector = EMBEDDER.embed_question("When did the herring market open?")
    texts = [DerivedText(title="Town", sentences=(FIRST, MARKET))]
    assert texts_told(small_store, texts, DigestShape(per_text=1, vector=vector)) == [[MARKET.text]]
    assert texts_told(small_store, texts, DigestShape(per_text=2, vector=vector)) == [[FIRST.text, MARKET.text]]


def test_sentences_far_below_the_nearest_are_left_out(small_store: EmbeddedStore) -> None:
    vector = EMBEDDER.embed_question("When did the herring market open?")
    shape = DigestShape(per_text=2, vector=vector, share_of_best=0.9)
    assert texts_told(small_store, [DerivedText(title="Town", sentences=(FIRST, MARKET))], shape) == [[MARKET.text]]


def test_nothing_is_told_twice(small_store: EmbeddedStore) -> None:
    texts = [
        DerivedText(title="Town", sentences=(FIRST,)),
        DerivedText(title="Again", sentences=(FIRST,)),
        DerivedText(title="More", sentences=(FIRST, MARKET)),
    ]
    assert texts_told(small_store, texts, DigestShape(per_text=1)) == [[FIRST.text], [MARKET.text]]


def test_a_sentence_that_its_source_does_not_say_is_left_out(small_store: EmbeddedStore) -> None:
    altered = SourcedSentence(text="Bergvik is a desert.", chunk_ids=(TOWN,), char_start=0, char_end=48)
    unreadable = SourcedSentence(text="The reef", chunk_ids=("default/reef-survey/0",), char_start=0, char_end=8)
    texts = [DerivedText(title="Town", sentences=(altered, unreadable, MARKET))]
    assert texts_told(small_store, texts, DigestShape(per_text=3)) == [[MARKET.text]]


def test_a_sentence_in_new_words_is_backed_by_the_nearest_of_its_source(small_store: EmbeddedStore) -> None:
    written = SourcedSentence(text="Herring has been sold on a market since 1820.", chunk_ids=(TOWN,))
    texts = [DerivedText(title="Town", sentences=(written,))]
    (block,) = digest(SourceReader(small_store, Access(), texts), texts, DigestShape(per_text=1))
    assert block.sentences[0].text == written.text
    assert block.sentences[0].quotes[0].text == MARKET.text


def test_of_many_documents_those_not_told_yet_come_first(small_store: EmbeddedStore) -> None:
    lamp = SourcedSentence(
        text="Skerry Rock Lighthouse was built in 1874 by Ida Holm.",
        chunk_ids=("default/skerry-rock-lighthouse/0",),
        char_start=0,
        char_end=53,
    )
    texts = [DerivedText(title="Towns", sentences=(FIRST,)), DerivedText(title="Coast", sentences=(MARKET, lamp))]
    assert texts_told(small_store, texts, DigestShape(per_text=1)) == [[FIRST.text], [MARKET.text]]
    spread = DigestShape(per_text=1, of_many_documents=True)
    assert texts_told(small_store, texts, spread) == [[FIRST.text], [lamp.text]]


def test_sentences_that_hold_the_words_of_the_title_come_first(small_store: EmbeddedStore) -> None:
    texts = [DerivedText(title="Herring markets: Bergvik", sentences=(FIRST, MARKET))]
    assert texts_told(small_store, texts, DigestShape(per_text=1, of_many_documents=True)) == [[MARKET.text]]
