"""What can go wrong, and the one sentence and exit code that it ends in."""

import errno
import fcntl
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from belvedere.cli import main as cli_main
from belvedere.errors import UserMistake, user_sentence
from graph_store.embedded.store_files import DATABASE_FILE
from graph_store.errors import InvalidRecord, InvalidText, StoreDiskFull
from tests.belvedere.small_store import Belvedere, Outcome, Place, make_place


def assert_mistake(outcome: Outcome, *parts: str) -> None:
    """Check exit code 2, nothing on stdout, and one line on stderr with all ``parts``."""
    assert outcome.code == 2, outcome.err
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1, outcome.err
    assert outcome.err.startswith("belvedere: ")
    for part in parts:
        assert part in outcome.err


def test_no_command_shows_the_help(belvedere: Belvedere) -> None:
    outcome = belvedere()
    assert outcome.code == 0
    assert "Commands:" in outcome.out


def test_misspelt_commands_and_options(belvedere: Belvedere) -> None:
    assert_mistake(belvedere("asc", "x"), "No such command 'asc'")
    assert_mistake(belvedere("ask", "x", "--rout", "local"), "No such option '--rout'", "belvedere ask --help")
    assert_mistake(belvedere("ask"), "Missing argument 'QUESTION'")
    assert_mistake(belvedere("ask", "x", "--route", "globl"), "'globl' is not one of")
    assert_mistake(belvedere("ask", "x", "-k", "0"), "0 is not in the range x>=1")
    assert_mistake(belvedere("ask", "x", "--filter", "year"), "cannot read the filter 'year'")
    assert_mistake(belvedere("ask", "x", "--as-of", "2023-02-30"), "'2023-02-30' is no day: write YYYY-MM-DD")
    assert_mistake(belvedere("eval", "x", "--compare", "bm52"), "'bm52' is not one of bm25, dense, hybrid, ppr, local")
    assert_mistake(belvedere("export"), "Missing option '--format'")


@pytest.mark.parametrize(
    "command", [["ask", "x"], ["search", "x"], ["status"], ["communities"], ["tree"], ["graph", "x"], ["delete", "x"]]
)
def test_no_store(belvedere: Belvedere, tmp_path: Path, command: list[str]) -> None:
    place = make_place(tmp_path / "place")
    assert_mistake(belvedere(*command, *place.options), str(place.store), "belvedere index")
    assert not place.store.exists()


def test_a_path_that_is_not_there(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    assert_mistake(belvedere("index", tmp_path / "nothing", *place.options), str(tmp_path / "nothing"))


@pytest.mark.parametrize(
    ("command", "part"),
    [
        (["ask", ""], "the question is empty"),
        (["search", " "], "the question is empty"),
        (["ask", "\udcff Holt born?"], "no valid Unicode"),
        (["search", "\udcff Holt born?"], "no valid Unicode"),
        (["context", "\udcff Holt born?"], "no valid Unicode"),
        (["index", ""], "the path is empty"),
        (["status", "--store", ""], "the path is empty"),
        (["status", "--config", ""], "the path is empty"),
        (["export", "--format", "jsonl", "--output", ""], "the path is empty"),
        (["eval", ""], "the path is empty"),
        (["index", ".", "--groups", ""], "the name is empty"),
        (["index", ".", "--groups", " , "], "the name is empty"),
        (["status", "--tenant", ""], "the name is empty"),
        (["index", ".", "--groups", "staff\udcff"], "no valid Unicode"),
        (["index", "x" * 5000], "file name is too long"),
        (["status", "--store", "x" * 5000], "file name is too long"),
    ],
)
def test_empty_and_impossible_names(
    belvedere: Belvedere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], part: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_mistake(belvedere(*command), part)


@pytest.mark.model
def test_what_is_too_large_or_no_text_finds_nothing(belvedere: Belvedere, indexed_place: Place) -> None:
    for command in (["communities", "--level", str(2**70)], ["search", "lighthouse", "-k", str(2**70)]):
        assert belvedere(*command, *indexed_place.options).code == 0
    for command in (["graph", "\udcff"], ["tree", "\udcff"], ["delete", "\udcff"]):
        assert_mistake(belvedere(*command, *indexed_place.options), "\\udcff")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("query:\n  local: [", ("line 2", "not valid YAML")),
        ("query:\n  locl: {damping: 0.5}", ("line 2", "unknown key 'locl'", "did you mean 'local'")),
        ("query: {local: {damping: much}}", ("query.local.damping", "expected a number, got 'much'")),
        ("embedder: {model: 'hashing:many'}", ("hashing:many", "hashing:256")),
        ("\x00", ("not valid YAML",)),
        ("indexing: {chunking: {max_tokens: 0}}", ("indexing.chunking.max_tokens: 0 is out of range; give 1 or more",)),
        (
            "indexing: {chunking: {overlap: 1.0}}",
            ("indexing.chunking.overlap: 1.0 is out of range",),
        ),
        (
            "store: {keyword_memory_bytes: 5}",
            ("store.keyword_memory_bytes: 5 is out of range; give 15,000,000 to 4,000,000,000",),
        ),
        ("indexing: {batch_chunks: 0}", ("indexing.batch_chunks: 0 is out of range; give 1 or more",)),
    ],
)
def test_a_settings_file_that_cannot_be_used(
    belvedere: Belvedere, tmp_path: Path, text: str, parts: tuple[str, ...]
) -> None:
    place = make_place(tmp_path / "place")
    place.config.write_text(text, encoding="utf-8")
    assert_mistake(belvedere("index", place.corpus, *place.options), *parts)


def test_a_settings_file_that_is_not_there(belvedere: Belvedere, tmp_path: Path) -> None:
    missing = tmp_path / "none.yaml"
    assert_mistake(belvedere("status", "--config", missing), str(missing), "No such file")


def test_config_yaml_of_the_current_folder_is_read(
    belvedere: Belvedere, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text("colour: red\n", encoding="utf-8")
    assert_mistake(belvedere("status"), "config.yaml, line 1: unknown key 'colour'")


def test_a_model_that_is_not_installed(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    place.config.write_text("embedder: {model: 'bundled:no-such-model'}", encoding="utf-8")
    assert_mistake(belvedere("index", place.corpus, *place.options), "no-such-model")


@pytest.mark.model
def test_a_parser_that_is_not_installed(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    place.config.write_text(
        'embedder: {model: "hashing:64"}\nindexing: {extraction: {spacy_model: nothing}}\n', encoding="utf-8"
    )
    assert_mistake(belvedere("index", place.corpus, *place.options), "'nothing'", "indexing.extraction.spacy_model")


@pytest.mark.model
def test_a_store_of_another_model(belvedere: Belvedere, own_place: Place) -> None:
    own_place.config.write_text("embedder: {model: 'hashing:32'}", encoding="utf-8")
    for command in (["ask", "x"], ["index", str(own_place.corpus)]):
        assert_mistake(belvedere(*command, *own_place.options), "hashing-64", "hashing-32")
    assert belvedere("status", *own_place.options).code == 0


@pytest.mark.model
def test_a_store_of_another_version(belvedere: Belvedere, own_place: Place) -> None:
    connection = sqlite3.connect(own_place.store / DATABASE_FILE, isolation_level=None)
    connection.execute("UPDATE store_state SET schema_version = schema_version + 41")
    connection.close()
    for command in (["ask", "x"], ["status"], ["index", str(own_place.corpus)]):
        assert_mistake(belvedere(*command, *own_place.options), "version")


@pytest.mark.model
def test_a_second_writer(belvedere: Belvedere, own_place: Place) -> None:
    with (own_place.store / "writer.lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (["index", str(own_place.corpus)], ["delete", "anna-lind.md"]):
            assert_mistake(belvedere(*command, *own_place.options), "is being written by process")
        assert belvedere("search", "Anna", *own_place.options).code == 0


def test_a_folder_that_is_no_store(belvedere: Belvedere, tmp_path: Path) -> None:
    place = make_place(tmp_path / "place")
    place.store.mkdir()
    (place.store / DATABASE_FILE).write_bytes(b"not a database at all" * 100)
    assert_mistake(belvedere("status", *place.options), str(place.store))


@pytest.mark.model
def test_a_damaged_keyword_index_is_made_anew_without_a_word(own_place: Place) -> None:
    damaged = list(own_place.store.rglob("keywords-chunk-*/*.store"))
    assert damaged
    for path in damaged:
        path.write_bytes(b"\x00" * path.stat().st_size)
    command = belvedere_process("search", "Anna Lind", "--route", "local", *own_place.options)
    finished = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "Anna Lind" in finished.stdout


def failing(error: BaseException) -> Callable[..., object]:
    def fail(*_args: object, **_options: object) -> object:
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "code", "part"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/x/y"), 2, "no space left on the disk (/x/y)"),
        (PermissionError(errno.EACCES, "Permission denied", "/x/y"), 2, "not allowed to read or write here (/x/y)"),
        (StoreDiskFull("no space left to write 'x'"), 2, "no space left to write 'x'"),
        (UserMistake("two\nlines"), 2, "two lines"),
        (InvalidText("the text 'x' is no valid Unicode"), 2, "the text 'x' is no valid Unicode"),
        (InvalidRecord("a vector is zero"), 1, "internal error, not your fault (InvalidRecord: a vector is zero)"),
        (ZeroDivisionError("x"), 1, "internal error"),
        (KeyboardInterrupt(), 130, "stopped; nothing is lost: run the same command again to go on"),
    ],
)
def test_each_kind_of_error_has_its_exit_code(
    belvedere: Belvedere, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int, part: str
) -> None:
    monkeypatch.setattr(cli_main.cli.commands["status"], "callback", failing(error))
    outcome = belvedere("status")
    assert outcome.code == code
    assert outcome.out == ""
    assert outcome.err.strip().count("\n") == 0
    assert part in outcome.err


def test_the_traceback_is_there_for_those_who_want_it(belvedere: Belvedere, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_main.cli.commands["status"], "callback", failing(ZeroDivisionError("x")))
    monkeypatch.setenv("BELVEDERE_TRACEBACK", "1")
    assert "Traceback" in belvedere("status").err


def test_other_system_errors_are_ours() -> None:
    assert user_sentence(OSError(errno.EBADF, "Bad file descriptor")) is None
    assert user_sentence(ValueError("x")) is None


def belvedere_process(*arguments: str | Path) -> list[str]:
    # Whatever started the tests may ignore interrupts, and children inherit that: take them as a terminal would.
    listens = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    return [sys.executable, "-c", f"{listens}; from belvedere.cli.main import main; main()", *map(str, arguments)]


@pytest.mark.model
@pytest.mark.parametrize("arguments", [["communities"], ["export", "--format", "jsonl"]])
def test_a_reader_that_goes_away_is_no_fault(indexed_place: Place, arguments: list[str]) -> None:
    command = belvedere_process(*arguments, *indexed_place.options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        complaint = process.stderr.read()
        assert process.wait() == 0
    assert complaint == b""


@pytest.mark.model
def test_stopped_in_the_middle_and_taken_up_again(belvedere: Belvedere, tmp_path: Path) -> None:
    articles = {
        f"{number:03}.md": f"# Ship {number}\n\n"
        + f"Captain Ada Byrne sailed ship {number} to Bergen in 18{number % 90 + 10}.\n" * 30
        for number in range(60)
    }
    place = make_place(tmp_path / "place", articles)
    place.config.write_text('embedder: {model: "hashing:64"}\nindexing: {batch_chunks: 1}\n', encoding="utf-8")
    command = belvedere_process("index", place.corpus, *place.options)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        wait_for_documents(place.store, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == ""
    assert "nothing is lost" in err.splitlines()[-1]
    assert "Traceback" not in err
    report = belvedere("index", place.corpus, "--json", *place.options).json()["documents"]
    assert report["unchanged"] > 0
    assert report["added"] + report["unchanged"] == len(articles)
    again = belvedere("status", "--json", *place.options).json()
    assert again["up_to_date"] is True
    fresh = make_place(tmp_path / "fresh", articles)
    whole = belvedere("index", place.corpus, "--json", "--store", fresh.store, "--config", place.config)
    assert whole.code == 0
    exports = [
        belvedere("export", "--format", "jsonl", "--store", store, "--config", place.config).out
        for store in (place.store, fresh.store)
    ]
    assert exports[0] == exports[1]


def wait_for_documents(store: Path, process: "subprocess.Popen[str]") -> None:
    """Wait until the first documents are committed."""
    database = store / DATABASE_FILE
    for _ in range(1200):
        assert process.poll() is None, process.communicate()
        if database.exists() and stored_documents(database) >= 3:
            return
        time.sleep(0.05)
    pytest.fail("no document was stored within a minute")


def stored_documents(database: Path) -> int:
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        (count,) = connection.execute("SELECT count(*) FROM documents").fetchone()
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()
    return int(count)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk here that is always full")
@pytest.mark.model
@pytest.mark.parametrize("command", [["status"], ["export", "--format", "jsonl"]])
def test_output_that_finds_no_room(indexed_place: Place, command: list[str]) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        finished = subprocess.run(
            belvedere_process(*command, *indexed_place.options),
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert finished.returncode == 2
    assert finished.stderr.count("\n") == 1
    assert "no space left on the disk" in finished.stderr


@pytest.mark.model
def test_output_that_was_closed_beforehand(indexed_place: Place) -> None:
    command = shlex.join(belvedere_process("status", "--json", *indexed_place.options))
    finished = subprocess.run(f"{command} >&-", shell=True, check=False, capture_output=True, text=True)
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, "", "")


def test_help_that_nobody_reads() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stdout:
        finished = subprocess.run(
            belvedere_process("--help"), check=False, stdout=stdout, stderr=subprocess.PIPE, text=True
        )
    assert (finished.returncode, finished.stderr) == (0, "")
