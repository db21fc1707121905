from dataclasses import replace
from pathlib import Path

import pytest

from graph_store.records import Chunk, Document
from indexing.chunking.chunk_document import chunk_document
from indexing.chunking.settings import ChunkingSettings
from indexing.loading.loaded import PageSpan
from model_clients.hashing_embedder import HashingEmbedder
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings
from tests.indexing.chunking.checked import chunked, document

EMBEDDER = HashingEmbedder()
SETTINGS = ChunkingSettings(max_tokens=30)
TEXT = "# A\n\n" + "One sentence of six words here. " * 10 + "\n\n# B\n\n" + "Other words in this sentence now. " * 10


def chunks_of(given: Document, text: str = TEXT, pages: tuple[PageSpan, ...] = ()) -> tuple[Chunk, ...]:
    return chunk_document(given, text, pages, EMBEDDER, SETTINGS).chunks


def test_a_chunk_belongs_to_its_document() -> None:
    given = replace(document(), tenant="acme", groups=("staff",), version=7)
    for chunk in chunks_of(given):
        assert (chunk.document_id, chunk.document_version) == ("d1", 7)
        assert (chunk.tenant, chunk.groups) == ("acme", ("staff",))
        assert chunk.embedding_model == EMBEDDER.model_id


def test_ids_depend_on_tenant_and_document_and_not_on_version() -> None:
    ids = {chunk.id for chunk in chunks_of(document())}
    assert ids == {chunk.id for chunk in chunks_of(replace(document(), version=2))}
    assert not ids & {chunk.id for chunk in chunks_of(replace(document(), tenant="acme"))}
    assert not ids & {chunk.id for chunk in chunks_of(document(identifier="d2"))}


def test_ids_depend_on_words_and_headings() -> None:
    before = {chunk.text: chunk.id for chunk in chunks_of(document())}
    after = {chunk.text: chunk.id for chunk in chunks_of(document(), TEXT.replace("# B", "# C"))}
    shared = before.keys() & after.keys()
    assert any(before[text] == after[text] for text in shared)
    assert any(before[text] != after[text] for text in shared)


def test_ids_are_the_same_on_every_machine() -> None:
    assert chunks_of(document(), "Just one sentence.")[0].id == "cfc824c84d68c7c414de0"


def test_a_chunk_is_on_the_page_where_it_begins() -> None:
    middle = TEXT.index("# B")
    pages = (
        PageSpan(number=3, char_start=0, char_end=middle - 2),
        PageSpan(number=4, char_start=middle, char_end=len(TEXT)),
    )
    assert [(chunk.char_start >= middle, chunk.page) for chunk in chunks_of(document(), TEXT, pages)] == [
        (chunk.char_start >= middle, 4 if chunk.char_start >= middle else 3) for chunk in chunks_of(document())
    ]
    assert {chunk.page for chunk in chunks_of(document())} == {None}


def test_parents_gather_chunks_and_end_with_sections() -> None:
    section = "Some words make up this sentence here. " * 10
    text = "\n\n".join(f"# Section {number}\n\n{section}" for number in range(6))
    result = chunked(text, ChunkingSettings(max_tokens=40, parent_tokens=200))
    assert [text[parent.char_start :][:11] for parent in result.parents] == [
        "# Section 0",
        "# Section 2",
        "# Section 4",
    ]


def test_a_chunk_above_the_size_of_parents_is_its_own() -> None:
    result = chunked(TEXT, ChunkingSettings(max_tokens=30, parent_tokens=10))
    assert len(result.parents) == len(result.chunks)


@pytest.mark.parametrize("strategy", ["structure", "window"])
@pytest.mark.parametrize(
    "text",
    [
        "antidisestablishmentarianism pneumonoultramicroscopic " * 200,
        "x" * 99 + " " + "한국어 문장입니다 " * 300,
        "北京是中国的首都它有很多人" * 100,
        "zxqvkj" * 500,
        "a.b.c.d/e-f_g " * 400,
        "\U0001f600" * 700,
        "ﬃ…㍿" * 300,
    ],
)
def test_the_real_tokenizer_never_gets_more_than_it_reads(strategy: str, text: str) -> None:
    settings = ChunkingSettings(strategy="window") if strategy == "window" else ChunkingSettings(max_tokens=250)
    chunked(text, settings, embedder=SentenceTransformerEmbedder(EmbedderSettings()))


@pytest.mark.corpus
def test_real_documents(corpora: Path) -> None:
    embedder = SentenceTransformerEmbedder(EmbedderSettings())
    for path in sorted((corpora / "files").glob("**/*.md"))[:20]:
        chunked(path.read_text(encoding="utf-8", errors="replace"), embedder=embedder, title=path.stem)
