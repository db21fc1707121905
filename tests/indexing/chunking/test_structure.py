from itertools import pairwise

import pytest

from indexing.chunking.errors import ChunkingError
from indexing.chunking.settings import ChunkingSettings
from model_clients.hashing_embedder import HashingEmbedder
from tests.indexing.chunking.checked import chunked, texts_of

SMALL = ChunkingSettings(max_tokens=30, small_tokens=5)


def sentences(count: int, words: int = 9) -> str:
    return " ".join(f"Sentence {number} has {'word ' * (words - 4)}here." for number in range(count))


def test_each_section_is_a_chunk_under_its_headings() -> None:
    headings = ["# Stations", "## Canberra", "### Dishes", "## Madrid"]
    text = "\n\n".join(f"{heading}\n\n{sentences(2)}" for heading in headings)
    result = chunked(text)
    assert [chunk.heading_path for chunk in result.chunks] == [
        (),
        ("Canberra",),
        ("Canberra", "Dishes"),
        ("Madrid",),
    ]
    assert [chunk.text.splitlines()[0] for chunk in result.chunks] == headings


def test_marks_are_left_out_of_heading_paths() -> None:
    text = f"## The **large** [dish](http://a.b) ##\n\n{sentences(2)}\n\nUnderlined `code`\n---\n\n{sentences(2)}"
    assert [chunk.heading_path for chunk in chunked(text).chunks] == [("The large dish",), ("Underlined code",)]


def test_paragraphs_of_a_section_share_a_chunk_until_it_is_full() -> None:
    paragraphs = [sentences(1), sentences(1, 8), sentences(1, 7), sentences(1, 6)]
    result = chunked("\n\n".join(paragraphs), ChunkingSettings(max_tokens=30, overlap=0))
    assert texts_of(result) == ["\n\n".join(paragraphs[:3]), paragraphs[3]]


def test_a_paragraph_that_fits_in_a_chunk_is_not_cut() -> None:
    first, second = sentences(2), sentences(2, 10)
    assert texts_of(chunked(f"{first}\n\n{second}", SMALL)) == [first, second]


def test_a_large_paragraph_is_cut_between_sentences() -> None:
    result = chunked(sentences(12), ChunkingSettings(max_tokens=40, overlap=0))
    assert len(result.chunks) > 2
    assert all(chunk.text.startswith("Sentence") and chunk.text.endswith("here.") for chunk in result.chunks)


def test_chunks_of_a_section_share_whole_sentences() -> None:
    result = chunked(sentences(12), ChunkingSettings(max_tokens=60, overlap=0.2))
    for before, after in pairwise(result.chunks):
        shared = before.char_end - after.char_start
        assert shared > 0
        assert before.text[-shared:].startswith("Sentence")
        assert before.text[-shared:].count("here.") == 1


def test_sections_share_nothing() -> None:
    result = chunked(f"# A\n\n{sentences(3)}\n\n# B\n\n{sentences(3)}", SMALL)
    starts = [chunk for chunk in result.chunks if chunk.text.startswith("# B")]
    assert len(starts) == 1


def test_a_sentence_without_end_is_cut_between_words_with_an_overlap() -> None:
    text = " ".join(f"w{number}" for number in range(4000))
    result = chunked(text, ChunkingSettings(max_tokens=200, overlap=0.15))
    assert all(chunk.text.startswith("w") and chunk.text[-1].isdigit() for chunk in result.chunks)
    words = [chunk.text.split() for chunk in result.chunks]
    assert all(before[-30:] == after[:30] for before, after in pairwise(words))
    assert 4000 / (200 * 0.85) <= len(words) <= 4000 / (180 * 0.80)


def test_an_enormous_word_is_cut_by_characters() -> None:
    result = chunked("x" * 10_000)
    assert len(result.chunks) > 1
    assert max(len(chunk.text) for chunk in result.chunks) <= 2_000


def test_headings_without_text_go_to_the_section_after() -> None:
    text = f"# Part\n\n## Chapter\n\n### First\n\n{sentences(3)}\n\n# Last words"
    result = chunked(text)
    assert [chunk.heading_path for chunk in result.chunks] == [()]
    assert chunked(text.removesuffix("\n\n# Last words")).chunks[0].heading_path == ("Part", "Chapter", "First")


def test_nothing_but_headings() -> None:
    assert texts_of(chunked("# A\n\n## B\n\n# C")) == ["# A\n\n## B\n\n# C"]


def test_small_sections_join_the_next_under_the_headings_that_both_have() -> None:
    text = f"# Guide\n\n## Name\n\nBob.\n\n## Age\n\nTen.\n\n## Story\n\n{sentences(4)}"
    result = chunked(text, ChunkingSettings(small_tokens=20))
    assert [chunk.heading_path for chunk in result.chunks] == [("Guide",)]
    apart = chunked(text, ChunkingSettings(small_tokens=0))
    assert [chunk.heading_path[-1] for chunk in apart.chunks] == ["Name", "Age", "Story"]


def test_a_small_last_section_joins_the_one_before() -> None:
    assert len(chunked(f"# A\n\n{sentences(3)}\n\n# End\n\nBye.").chunks) == 1


def test_a_small_rest_of_a_section_joins_the_chunk_before_where_it_fits() -> None:
    text = f"{sentences(2)}\n\n{sentences(2)}\n\nBye now."
    assert texts_of(chunked(text, ChunkingSettings(max_tokens=24, small_tokens=5, overlap=0)))[-1].endswith("Bye now.")
    assert len(chunked(text, ChunkingSettings(max_tokens=24, small_tokens=5, overlap=0)).chunks) == 2


def test_table_rows_that_go_on_in_another_chunk_have_the_header_as_context() -> None:
    rows = "\n".join(f"| DSS-{number} | {number} metres |" for number in range(60))
    header = "| Antenna | Diameter |"
    result = chunked(f"## Antennas\n\n{header}\n|---|---|\n{rows}", ChunkingSettings(max_tokens=60))
    assert len(result.chunks) > 3
    assert [chunk.context for chunk in result.chunks] == ["", *[header] * (len(result.chunks) - 1)]
    assert all(chunk.text.startswith("| DSS-") for chunk in result.chunks[1:])
    assert all(chunk.text.endswith("|") for chunk in result.chunks)


def test_list_items_are_not_cut_where_they_fit() -> None:
    items = [f"{'  ' * (number % 3)}- item {number} has some words in it" for number in range(40)]
    result = chunked("\n".join(items), ChunkingSettings(max_tokens=50, overlap=0))
    lines = [line.strip() for chunk in result.chunks for line in chunk.text.splitlines()]
    assert lines == [item.strip() for item in items]


def test_marks_inside_code_are_no_headings() -> None:
    result = chunked(f"{sentences(2)}\n\n```sh\n# no heading\nrm file\n```\n\n{sentences(2)}")
    assert [chunk.heading_path for chunk in result.chunks] == [()]


def test_a_paragraph_above_a_row_of_dashes_is_no_heading() -> None:
    paragraph = "\n".join([sentences(1)] * 3)
    assert chunked(f"{paragraph}\n-----\n{paragraph}").chunks[0].heading_path == ()


def test_chinese_text() -> None:
    result = chunked("北京是中国的首都。它有很多人。" * 100)
    assert all(chunk.text.endswith("。") for chunk in result.chunks)


def test_repeated_paragraphs_keep_ids_apart() -> None:
    result = chunked("\n\n".join(["The same words again and again."] * 100), ChunkingSettings(max_tokens=7, overlap=0))
    assert len(result.chunks) == 100


@pytest.mark.parametrize("text", ["", " \n\t\n "])
def test_no_text_gives_no_chunks(text: str) -> None:
    result = chunked(text)
    assert (result.chunks, result.parents, result.sentences) == ((), (), ())


def test_one_word() -> None:
    assert texts_of(chunked("\n word \n")) == ["word"]


def test_text_without_a_token_is_kept() -> None:
    assert texts_of(chunked("\u200b", embedder=WordsOnlyEmbedder())) == ["\u200b"]


class WordsOnlyEmbedder(HashingEmbedder):
    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(start, end) for start, end in super().token_spans(text) if text[start].isalnum()]


def test_long_headings_and_wide_tables_leave_half_of_the_room_to_the_text() -> None:
    heading = "# " + "very long heading " * 9 + "\n\n## " + "second heading " * 11
    header = "|" + " some column |" * 40
    rows = "\n".join("|" + " cell |" * 40 for _ in range(6))
    embedder = HashingEmbedder(max_tokens=100)
    text = f"{heading}\n\n{sentences(10)}\n\n{header}\n{'|---' * 40}|\n{rows}"
    result = chunked(text, ChunkingSettings(max_tokens=100), embedder=embedder)
    stored = [" > ".join(chunk.heading_path) + chunk.context for chunk in result.chunks]
    assert all(len(embedder.token_spans(prefix)) <= 50 for prefix in stored)
    assert any(chunk.context for chunk in result.chunks)


def test_an_endless_title_is_cut_in_the_prefix() -> None:
    chunked(sentences(30), title="A title of many words " * 500)
    chunked(sentences(30), title="标题" * 500, embedder=HashingEmbedder(max_tokens=100))


def test_a_title_that_fills_what_the_embedder_reads_is_an_error() -> None:
    with pytest.raises(ChunkingError, match="shorten it"):
        chunked("Some text.", title="t " * 20, embedder=HashingEmbedder(max_tokens=24))
