"""What must hold whatever the text: see ``checked``."""

from hypothesis import given, settings
from hypothesis import strategies as st

from graph_store.indexed_text import indexed_text
from indexing.chunking.chunk_document import chunk_document
from indexing.chunking.settings import ChunkingSettings
from model_clients.hashing_embedder import HashingEmbedder
from tests.indexing.chunking.checked import chunked, document

WORDS = st.sampled_from(
    ["dish", "Canberra", "D.C.", "U.S.", "1963.", "is", "a", "network!", "(see", "it)", "北京。", "e.g.", "x" * 40]
)
SENTENCE = st.lists(WORDS, min_size=1, max_size=12).map(lambda words: " ".join(words) + ".")
PARAGRAPH = st.lists(SENTENCE, min_size=1, max_size=6).map(" ".join)
HEADING = st.builds(lambda level, words: "#" * level + " " + words, st.integers(1, 4), SENTENCE)
ROWS = st.lists(SENTENCE, min_size=1, max_size=8)
TABLE = ROWS.map(lambda rows: "| name | value |\n|---|---|\n" + "\n".join(f"| {row} | 1 |" for row in rows))
ITEMS = st.lists(st.tuples(st.integers(0, 3), SENTENCE), min_size=1, max_size=8)
LIST = ITEMS.map(lambda items: "\n".join("  " * depth + "- " + item for depth, item in items))
CODE = PARAGRAPH.map(lambda code: f"```\n{code}\n\n{code}\n```")
QUOTE = PARAGRAPH.map(lambda quote: f"> {quote}")
MARKDOWN = st.lists(st.one_of(HEADING, PARAGRAPH, TABLE, LIST, CODE, QUOTE), max_size=10).map("\n\n".join)
SIGNS = st.text(alphabet=st.sampled_from("ab A.!?|-#>*`~=_[]():1 \n\n\t\r\u2028\u00a0\u200b。é"), max_size=200)
ANYTHING = st.text(max_size=120)
SETTINGS = st.builds(
    ChunkingSettings,
    strategy=st.sampled_from(["structure", "window"]),
    max_tokens=st.integers(1, 60),
    overlap=st.sampled_from([0.0, 0.15, 0.5]),
    small_tokens=st.sampled_from([0, 5, 20]),
    parent_tokens=st.integers(1, 120),
    window_tokens=st.integers(8, 60),
    window_overlap=st.integers(0, 7),
)
TITLES = st.sampled_from(["", "Stations", "Canberra is a dish."])


@given(text=st.one_of(MARKDOWN, SIGNS, ANYTHING), chunking=SETTINGS, title=TITLES, limit=st.integers(24, 80))
@settings(max_examples=150, deadline=None)
def test_chunks_cover_the_text_and_fit(text: str, chunking: ChunkingSettings, title: str, limit: int) -> None:
    chunked(text, chunking, title=title, embedder=HashingEmbedder(dimension=8, max_tokens=limit))


@given(first=MARKDOWN, second=MARKDOWN)
@settings(max_examples=30, deadline=None)
def test_an_unchanged_chunk_keeps_its_id(first: str, second: str) -> None:
    """A new first section changes no chunk whose words and headings stay the same, wherever it now stands."""
    chunking = ChunkingSettings(max_tokens=30, small_tokens=0)
    embedder = HashingEmbedder(dimension=8)
    body = f"# Body\n\n{first}"
    longer = f"# New\n\n{second}\n\n# Body\n\n{first}"
    before = chunk_document(document(), body, (), embedder, chunking).chunks
    after = chunk_document(document(), longer, (), embedder, chunking).chunks
    first_with: dict[str, str] = {}
    for chunk in before:
        first_with.setdefault(indexed_text("", chunk), chunk.id)
    ids_after = {indexed_text("", chunk): set[str]() for chunk in after}
    for chunk in after:
        ids_after[indexed_text("", chunk)].add(chunk.id)
    assert all(identifier in ids_after.get(key, {identifier}) for key, identifier in first_with.items())
