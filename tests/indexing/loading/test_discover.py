import os
from pathlib import Path

import pytest

from indexing.loading.discover import Discovery, discover
from indexing.loading.errors import SourceMissing
from indexing.loading.settings import LoadingSettings


def found(*paths: Path) -> Discovery:
    return discover(paths, LoadingSettings())


def names(discovery: Discovery, root: Path) -> list[str]:
    return [source.relative_to(root).as_posix() for source in discovery.sources]


def touch(root: Path, *files: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("text")


def test_folders_are_searched_with_their_subfolders_in_a_fixed_order(tmp_path: Path) -> None:
    touch(tmp_path, "b.txt", "a/z.md", "a/B.HTML", "c.pdf")
    discovery = found(tmp_path)
    assert names(discovery, tmp_path) == ["a/B.HTML", "a/z.md", "b.txt", "c.pdf"]
    assert discovery.failures == ()


def test_hidden_files_and_tool_folders_are_passed_over(tmp_path: Path) -> None:
    touch(tmp_path, ".hidden.txt", ".git/a.txt", "node_modules/b.md", "kept.txt")
    assert names(found(tmp_path), tmp_path) == ["kept.txt"]


def test_a_store_of_ours_is_no_source(tmp_path: Path) -> None:
    touch(tmp_path, "belvedere-store/belvedere.sqlite", "belvedere-store/built-with.json", "kept.txt")
    discovery = found(tmp_path)
    assert names(discovery, tmp_path) == ["kept.txt"]
    assert discovery.failures == ()


def test_a_store_that_hides_sources_or_was_given_itself_is_told(tmp_path: Path) -> None:
    touch(tmp_path, "kept.txt", "mixed/belvedere.sqlite", "mixed/notes.txt", "store/belvedere.sqlite")
    for given, told in ((tmp_path, "mixed"), (tmp_path / "mixed", "mixed"), (tmp_path / "store", "store")):
        discovery = found(given)
        assert [failure.uri for failure in discovery.failures] == [str(tmp_path / told)]
        assert "folder of a store" in discovery.failures[0].error


def test_a_file_is_found_once_however_often_it_is_given(tmp_path: Path) -> None:
    touch(tmp_path, "a/b.txt")
    assert names(found(tmp_path / "a" / "b.txt", tmp_path, tmp_path / "a"), tmp_path) == ["a/b.txt"]


def test_unsupported_files_are_named_with_their_suffix(tmp_path: Path) -> None:
    touch(tmp_path, "movie.mp4", "README", "a.txt")
    discovery = found(tmp_path)
    assert names(discovery, tmp_path) == ["a.txt"]
    assert [Path(failure.uri).name for failure in discovery.failures] == ["README", "movie.mp4"]
    assert "without a suffix" in discovery.failures[0].error
    assert "'.mp4'" in discovery.failures[1].error


def test_an_unsupported_file_given_by_name_is_a_failure_too(tmp_path: Path) -> None:
    touch(tmp_path, "movie.mp4")
    discovery = found(tmp_path / "movie.mp4")
    assert discovery.sources == ()
    assert len(discovery.failures) == 1


def test_a_missing_path_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match="nowhere"):
        found(tmp_path / "nowhere")


def test_links_that_leave_the_folder_are_named_and_not_followed(tmp_path: Path) -> None:
    touch(tmp_path, "outside/secret.txt", "inside/a.txt")
    (tmp_path / "inside" / "file.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (tmp_path / "inside" / "folder").symlink_to(tmp_path / "outside")
    (tmp_path / "inside" / "gone.txt").symlink_to(tmp_path / "nowhere")
    discovery = found(tmp_path / "inside")
    assert names(discovery, tmp_path) == ["inside/a.txt"]
    assert [Path(failure.uri).name for failure in discovery.failures] == ["file.txt", "folder", "gone.txt"]
    assert all("symbolic link" in failure.error for failure in discovery.failures)


def test_a_link_in_a_circle_does_not_hang(tmp_path: Path) -> None:
    touch(tmp_path, "a/b.txt")
    (tmp_path / "a" / "up").symlink_to(tmp_path / "a")
    (tmp_path / "a" / "self").symlink_to(tmp_path / "a" / "self")
    discovery = found(tmp_path)
    assert names(discovery, tmp_path) == ["a/b.txt"]
    assert [Path(failure.uri).name for failure in discovery.failures] == ["self"]


def test_a_link_given_by_the_user_is_followed(tmp_path: Path) -> None:
    touch(tmp_path, "real/a.txt")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert names(found(tmp_path / "link"), tmp_path) == ["real/a.txt"]


def test_what_is_no_file_and_what_has_no_valid_name_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("text")
    discovery = found(tmp_path)
    assert discovery.sources == ()
    assert [failure.error for failure in discovery.failures] == [
        "Its name is not valid UTF-8; rename it.",
        "It is not a regular file.",
    ]
    assert all(failure.uri.encode("utf-8") for failure in discovery.failures)


def test_an_empty_folder_has_nothing(tmp_path: Path) -> None:
    assert found(tmp_path) == Discovery(sources=(), failures=())
