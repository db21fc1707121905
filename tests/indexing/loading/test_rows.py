import json
from pathlib import Path

import pytest

from indexing.loading.errors import LoadError
from indexing.loading.load import iterate_source, load_source
from indexing.loading.loaded import LoadedDocument, LoadFailure
from indexing.loading.settings import LoadingSettings


def items(
    folder: Path, *lines: bytes | str, settings: LoadingSettings | None = None
) -> list[LoadedDocument | LoadFailure]:
    path = folder / "corpus.jsonl"
    path.write_bytes(b"\n".join(line.encode() if isinstance(line, str) else line for line in lines))
    return list(iterate_source(path, settings or LoadingSettings()))


def one(folder: Path, row: object) -> LoadedDocument:
    (item,) = items(folder, json.dumps(row))
    assert isinstance(item, LoadedDocument)
    return item


def error(folder: Path, line: bytes | str) -> str:
    (item,) = items(folder, line)
    assert isinstance(item, LoadFailure)
    return item.error


def test_a_row_is_a_document(tmp_path: Path) -> None:
    document = one(tmp_path, {"id": "d1", "title": " A\ntitle ", "text": "Some\r\ntext\u200b."})
    assert document.key == "d1"
    assert document.source_uri == f"{tmp_path / 'corpus.jsonl'}#d1"
    assert document.title == "A title"
    assert document.text == "Some\ntext."
    assert document.media_type == "application/jsonl"
    assert document.updated_at.endswith("+00:00")


def test_other_fields_are_metadata_and_the_metadata_field_wins(tmp_path: Path) -> None:
    row = {
        "id": 7,
        "text": "x",
        "label": "sport",
        "year": 1999,
        "metadata": {"year": 2001, "tags": ["a", "b"], "ok": True},
    }
    document = one(tmp_path, row)
    assert document.key == "7"
    assert document.metadata == {"label": "sport", "year": 2001, "tags": ("a", "b"), "ok": True}


def test_metadata_that_no_store_can_hold_is_left_out_or_kept_as_text(tmp_path: Path) -> None:
    line = (
        '{"id": "a", "text": "x", "nan": NaN, "null": null, "map": {"a": 1}, "big": 99999999999999999999, "list": [{}]}'
    )
    (document,) = items(tmp_path, line)
    assert isinstance(document, LoadedDocument)
    assert document.metadata == {"big": hex(99999999999999999999)}


def test_a_date_of_the_row_is_its_own(tmp_path: Path) -> None:
    assert one(tmp_path, {"id": "a", "text": "x", "updated_at": "2024-05-01"}).updated_at == "2024-05-01"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"id": "a", "title": "Only a title"}', "no text"),
        ('{"id": "a", "text": "  \\u200b\\n"}', "no text"),
        ('{"id": "a", "text": ["x"]}', "no text"),
        ('{"text": "x"}', "no id"),
        ('{"id": true, "text": "x"}', "no id"),
        ('{"id": " ", "text": "x"}', "no id"),
        ("[1, 2]", "not a JSON object"),
        ('{"id": "a", ', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        (b'{"id": "a", "text": "caf\xe9"}', "not UTF-8"),
    ],
)
def test_a_bad_row_is_named_with_the_reason(tmp_path: Path, line: bytes | str, said: str) -> None:
    assert said in error(tmp_path, line)


def test_one_bad_row_costs_that_row_alone(tmp_path: Path) -> None:
    found = items(tmp_path, '{"id": "a", "text": "x"}', "oops", "", '{"id": "b", "text": "y"}')
    assert [type(item) for item in found] == [LoadedDocument, LoadFailure, LoadedDocument]
    assert isinstance(found[1], LoadFailure)
    assert found[1].uri.endswith("#line 2")


def test_the_second_row_of_an_id_is_left_out(tmp_path: Path) -> None:
    first, second = items(tmp_path, '{"id": "a", "text": "x"}', '{"id": "a", "text": "y"}')
    assert isinstance(first, LoadedDocument)
    assert isinstance(second, LoadFailure)
    assert "twice" in second.error


def test_a_row_without_text_does_not_take_its_id_from_a_later_one(tmp_path: Path) -> None:
    _, second = items(tmp_path, '{"id": "a", "text": ""}', '{"id": "a", "text": "y"}')
    assert isinstance(second, LoadedDocument)


def test_lone_surrogates_are_dropped(tmp_path: Path) -> None:
    (document,) = items(
        tmp_path, '{"id": "a\\ud800", "title": "t\\udc00", "text": "x\\ud83dy", "k\\ud800": "v\\ud800"}'
    )
    assert isinstance(document, LoadedDocument)
    assert (document.key, document.title, document.text, document.metadata) == ("a", "t", "xy", {"k": "v"})


def test_a_row_beyond_the_cap_is_passed_over(tmp_path: Path) -> None:
    long = json.dumps({"id": "long", "text": "x" * 5000})
    settings = LoadingSettings(max_row_bytes=100)
    first, second, third = items(tmp_path, long, '{"id": "b", "text": "y"}', long, settings=settings)
    assert isinstance(first, LoadFailure)
    assert "max_row_bytes" in first.error
    assert isinstance(second, LoadedDocument)
    assert isinstance(third, LoadFailure)


def test_many_bad_rows_are_counted_in_one_last_failure(tmp_path: Path) -> None:
    found = items(tmp_path, *["oops"] * 1005, settings=LoadingSettings(max_reported_rows=3))
    assert len(found) == 4
    assert isinstance(found[-1], LoadFailure)
    assert "1,002" in found[-1].error


def test_a_byte_order_mark_is_no_part_of_the_first_row(tmp_path: Path) -> None:
    (document,) = items(tmp_path, b"\xef\xbb\xbf" + b'{"id": "a", "text": "x"}')
    assert isinstance(document, LoadedDocument)


def test_utf_16_is_refused_as_a_whole(tmp_path: Path) -> None:
    (failure,) = items(tmp_path, '{"id": "a"}'.encode("utf-16"))
    assert isinstance(failure, LoadFailure)
    assert "UTF-16" in failure.error


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    assert items(tmp_path, "") == []


def test_loading_all_rows_stops_at_the_first_bad_one(tmp_path: Path) -> None:
    items(tmp_path, '{"id": "a", "text": "x"}', "oops")
    with pytest.raises(LoadError, match="not valid JSON"):
        load_source(tmp_path / "corpus.jsonl", LoadingSettings())
