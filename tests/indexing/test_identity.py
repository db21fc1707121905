from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from graph_store.bundles import DocumentState
from indexing.identity import DocumentIds, document_hash, natural_id
from indexing.loading.loaded import LoadedDocument


def _loaded(
    source_uri: str = "/in/a.md", *, key: str = "", text: str = "text", title: str = "", **metadata: str
) -> LoadedDocument:
    return LoadedDocument(
        source_uri=source_uri, key=key, title=title, media_type="text/markdown", text=text, metadata=metadata
    )


def _state(source_uri: str) -> DocumentState:
    return DocumentState(source_uri=source_uri, content_hash="h", version=1)


def test_a_row_is_called_by_its_own_id(tmp_path: Path) -> None:
    assert natural_id(_loaded(key="row-7"), tmp_path / "corpus.jsonl", [tmp_path]) == "row-7"


def test_a_file_is_called_by_its_path_below_the_folder_given(tmp_path: Path) -> None:
    assert natural_id(_loaded(), tmp_path / "sub" / "a.md", [tmp_path]) == "sub/a.md"


def test_a_file_given_itself_is_called_by_its_name(tmp_path: Path) -> None:
    source = tmp_path / "a.md"
    source.write_text("x")
    assert natural_id(_loaded(), source, [source]) == "a.md"


def test_two_files_of_one_name_get_two_ids() -> None:
    ids = DocumentIds({})
    first, second = ids.assign("a.md", _loaded("/x/a.md"), "h"), ids.assign("a.md", _loaded("/y/a.md"), "h")
    assert first == "a.md"
    assert second.startswith("a.md~")


def test_a_known_source_keeps_its_id_whatever_came_first() -> None:
    before = DocumentIds({})
    before.assign("a.md", _loaded("/x/a.md"), "h")
    qualified = before.assign("a.md", _loaded("/y/a.md"), "h")
    after = DocumentIds({"a.md": _state("/x/a.md"), qualified: _state("/y/a.md")})
    assert after.assign("a.md", _loaded("/y/a.md"), "h") == qualified
    assert after.assign("a.md", _loaded("/x/a.md"), "h") == "a.md"


def test_a_source_that_moved_keeps_its_id(tmp_path: Path) -> None:
    stored = {"a.md": _state("/gone/a.md")}
    assert DocumentIds(stored).assign("a.md", _loaded("/y/a.md"), "h") == "a.md"
    assert DocumentIds(stored).assign("a.md", _loaded("/y/a.md"), "other").startswith("a.md~")
    assert DocumentIds(stored, prune=True).assign("a.md", _loaded("/y/a.md"), "other") == "a.md"
    assert DocumentIds(stored).assign("b.md", _loaded("/y/b.md"), "h") == "a.md"
    assert DocumentIds(stored).assign("b.md", _loaded("/y/b.md"), "other") == "b.md"
    assert DocumentIds(stored).assign("r", _loaded("/y/rows.jsonl#r", key="r"), "h") == "r", "a row names itself"
    there = tmp_path / "a.md"
    there.write_text("x")
    kept = {"a.md": _state(str(there))}
    assert DocumentIds(kept, prune=True).assign("a.md", _loaded("/y/a.md"), "h").startswith("a.md~")


def test_two_equal_documents_that_moved_keep_two_ids(tmp_path: Path) -> None:
    stored = {"a.md": _state("/gone/a.md"), "b.md": _state("/gone/b.md")}
    ids = DocumentIds(stored)
    for name in ("one.md", "two.md", "three.md"):
        (tmp_path / name).write_text("x")
    found = [ids.assign(name, _loaded(str(tmp_path / name)), "h") for name in ("one.md", "two.md", "three.md")]
    assert found == ["a.md", "b.md", "three.md"]


@given(st.lists(st.sampled_from(["/x/a", "/y/a", "/z/a", "/x/b"]), min_size=1))
def test_ids_are_unique_per_source(sources: list[str]) -> None:
    ids = DocumentIds({})
    given_ids = {source: ids.assign(source[-1], _loaded(source), "h") for source in sources}
    assert len(set(given_ids.values())) == len(given_ids)


def test_the_hash_depends_on_text_title_metadata_groups_and_settings() -> None:
    base = document_hash(_loaded(), ["g"], "f")
    assert document_hash(_loaded(), ["g"], "f") == base
    others = [
        document_hash(_loaded(text="other"), ["g"], "f"),
        document_hash(_loaded(title="U"), ["g"], "f"),
        document_hash(_loaded(year="2020"), ["g"], "f"),
        document_hash(_loaded(), [], "f"),
        document_hash(_loaded(), ["g"], "other settings"),
    ]
    assert base not in others
    assert len(set(others)) == len(others)
