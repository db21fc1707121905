"""The documentation is run, not believed."""

import contextlib
import io
import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from belvedere.cli.main import cli, run
from belvedere.cli.reference import reference

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])


def blocks(language: str) -> list[str]:
    """Return the fenced blocks of the README in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


COMMANDS = [
    line.removeprefix("$ belvedere ")
    for block in blocks("console")
    for line in block.splitlines()
    if line.startswith("$ belvedere ")
]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with some of the examples, and a small data set, where README's snippets can run."""
    folder = tmp_path_factory.mktemp("readme")
    articles = folder / "examples" / "corpus"
    articles.mkdir(parents=True)
    for name in ("voyager-1.md", "ion-propulsion.md", "maser-amplifiers.md"):
        shutil.copy(ROOT / "examples" / "corpus" / name, articles)
    data = folder / "my-data"
    data.mkdir()
    rows = [{"id": f"d{number}", "title": name, "text": f"{name} is a river."} for number, name in enumerate("ABCD")]
    (data / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    question = {"question": "Which river is A?", "gold_ids": ["d0"], "type": "fact"}
    (data / "questions.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    return folder


def test_the_readme_begins_with_the_two_commands() -> None:
    assert blocks("console")[0] == "$ make demo\n$ make test\n"
    assert "\n## " not in README[: README.index("## Two commands") - 1]


@pytest.mark.model
def test_the_python_of_the_readme_runs(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks("python"):
            exec(compile(block, "README.md", "exec"), {})
    assert "3 documents" in printed.getvalue()
    assert "1977" in printed.getvalue()
    assert "[1] Voyager 1" in printed.getvalue()


@pytest.mark.model
def test_the_commands_of_the_readme_run_in_their_order(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("XDG_CACHE_HOME", str(checkout / "cache"))
    assert len(COMMANDS) >= 6
    for command in COMMANDS:
        assert run(shlex.split(command)) == 0, capfd.readouterr().err
        assert capfd.readouterr().out, command


def test_the_page_of_commands_is_up_to_date() -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert page == reference(), "run: python -m belvedere.cli.reference > docs/cli.md"


@pytest.mark.parametrize("name", cli.commands)
def test_every_command_and_option_is_described(name: str) -> None:
    command = cli.commands[name]
    assert command.help
    for parameter in command.params:
        if parameter.param_type_name == "option":
            assert parameter.to_info_dict()["help"], parameter.name
    assert f"`belvedere {name}" in README


@pytest.mark.parametrize("name", cli.commands)
def test_the_page_holds_what_is_printed(capfd: pytest.CaptureFixture[str], name: str) -> None:
    assert run([name, "--help"]) == 0
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    # Lines break where the terminal ends, so spaces are not compared.
    assert "".join(capfd.readouterr().out.split()) in "".join(page.split())


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_within_the_project_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target
