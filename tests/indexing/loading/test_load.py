import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexing.cleaning import clean_text
from indexing.loading.errors import LoadError, LoadingError
from indexing.loading.load import iterate_source, load_source
from indexing.loading.loaded import LoadFailure
from indexing.loading.media_types import MEDIA_TYPES
from indexing.loading.settings import LoadingSettings
from tests.indexing.loading.source_files import load_one, make_docx, make_pdf, paragraph, pdf_text, refusal


def test_a_text_file_is_one_clean_document(tmp_path: Path) -> None:
    document = load_one(tmp_path, "a.txt", "Some te\u200bxt.\r\n\r\n\r\n\r\n\r\nMore.  \r\n")
    assert document.text == "Some text.\n\n\nMore."
    assert document.source_uri == str(tmp_path / "a.txt")
    assert (document.key, document.title, document.media_type) == ("", "", "text/plain")
    assert document.updated_at.endswith("+00:00")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Annual report\n\nThe text.", "Annual report"),
        ("The text begins at once.\n\nAnd goes on.", ""),
        ("Annual report\nThe text.", ""),
        ("lower case line\n\nThe text.", ""),
        ("Annual report", ""),
        ("Annual report\n\n\n", ""),
        ("- item\n\nThe text.", ""),
        ("W" * 101 + "\n\nThe text.", ""),
        ("\u5831\u544a\n\nText", "\u5831\u544a"),
    ],
)
def test_the_title_of_a_text_is_a_first_line_that_stands_alone(tmp_path: Path, text: str, title: str) -> None:
    assert load_one(tmp_path, "a.txt", text).title == title


@pytest.mark.parametrize("name", ["a.TXT", "a.Md", "a.HTML"])
def test_suffixes_count_in_any_case(tmp_path: Path, name: str) -> None:
    assert load_one(tmp_path, name, "text").text == "text"


@pytest.mark.parametrize("text", ["", "\n\n\n", " \t\u200b\ufeff ", "\ufeff"])
@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".csv"])
def test_a_file_without_text_is_a_failure(tmp_path: Path, suffix: str, text: str) -> None:
    assert refusal(tmp_path, f"a{suffix}", text) == "It holds no text."


@pytest.mark.parametrize("suffix", [".txt", ".md", ".html", ".csv"])
def test_binary_data_under_the_name_of_a_text_is_refused(tmp_path: Path, suffix: str) -> None:
    assert "binary" in refusal(tmp_path, f"a{suffix}", bytes(range(256)))


@pytest.mark.parametrize("name", ["a.exe", "a"])
def test_an_unknown_suffix_is_refused(tmp_path: Path, name: str) -> None:
    assert "not supported" in refusal(tmp_path, name, "text")


@pytest.mark.parametrize("suffix", sorted(set(MEDIA_TYPES) - {".jsonl"}))
def test_a_file_beyond_the_cap_is_refused(tmp_path: Path, suffix: str) -> None:
    said = refusal(tmp_path, f"a{suffix}", "x" * 11, LoadingSettings(max_file_bytes=10))
    assert "larger than 10 bytes" in said
    assert "max_file_bytes" in said


def test_a_file_that_is_gone_is_a_failure(tmp_path: Path) -> None:
    (failure,) = iterate_source(tmp_path / "gone.txt", LoadingSettings())
    said = "It cannot be read: No such file or directory."
    assert failure == LoadFailure(uri=str(tmp_path / "gone.txt"), error=said, passing=True)


def test_a_folder_with_the_name_of_a_file_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "a.md").mkdir()
    (failure,) = iterate_source(tmp_path / "a.md", LoadingSettings())
    assert isinstance(failure, LoadFailure)


def test_loading_raises_with_the_source_and_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("")
    with pytest.raises(LoadingError, match="holds no text") as caught:
        load_source(path, LoadingSettings())
    assert isinstance(caught.value, LoadError)
    assert caught.value.uri == str(path)
    assert caught.value.sentence == "It holds no text."


def test_one_long_line_is_read_in_passable_time(tmp_path: Path) -> None:
    assert len(load_one(tmp_path, "a.txt", b"word " * 400_000).text) == 1_999_999


@settings(deadline=None)  # a busy machine is no fault
@given(data=st.binary(max_size=200), suffix=st.sampled_from(sorted(MEDIA_TYPES)))
def test_any_bytes_under_any_suffix_give_documents_or_failures(data: bytes, suffix: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(data)
        for item in iterate_source(path, LoadingSettings()):
            assert item.error if isinstance(item, LoadFailure) else clean_text(item.text) == item.text != ""


@settings(deadline=None)  # as above
@given(at=st.integers(min_value=0), stump=st.binary(max_size=8), kind=st.sampled_from([".docx", ".pdf"]))
def test_a_damaged_file_gives_documents_or_failures(at: int, stump: bytes, kind: str) -> None:
    whole = make_docx(paragraph("Some text.")) if kind == ".docx" else make_pdf([pdf_text(72, 700, "Some text.")])
    cut = at % len(whole)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{kind}"
        path.write_bytes(whole[:cut] + stump + whole[cut + len(stump) :])
        assert list(iterate_source(path, LoadingSettings()))
