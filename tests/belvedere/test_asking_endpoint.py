"""`belvedere ask` with language models behind an endpoint of OpenAI's protocol."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from belvedere import KnowledgeBase
from belvedere.cli.ask import waiting_for
from belvedere.cli.asking_options import TRANSFORMATIONS as SHOWN_TRANSFORMATIONS
from belvedere.cli.options import TASK_NAMES
from belvedere.questions import NoLanguageModel
from model_clients.chat.settings import TASKS
from query.llm_answers.answerer import AnswerEnd, AnswerPart
from query.transformations.transform import TRANSFORMATIONS
from tests.belvedere.small_store import Belvedere, Place
from tests.llm.scripted_openai_server import (
    Asked,
    Replied,
    ScriptedOpenAiServer,
    event,
    fails,
    raw,
    says,
    scripted_server,
)

pytestmark = pytest.mark.model

QUESTION = "When was the lighthouse of Norby built by Anna Lind?"
FOLLOW_UP = "When was the lighthouse built by Anna Lind?"
BUILT = "Anna Lind built the lighthouse of Norby in 1871."


def obliging(asked: Asked) -> Replied:
    """Answer from the passage about the building, rewrite every follow-up, and search for nothing else."""
    if "Rewrite that question" in asked.text:
        return says(json.dumps({"question": FOLLOW_UP}))(asked)
    if '"queries"' in asked.text:
        return says(json.dumps({"queries": ["Norby lighthouse building year"]}))(asked)
    number = _number_of(asked.text, "built by Anna Lind in 1871")
    if asked.body.get("stream"):
        return says(f"{BUILT} [{number}]\nIt was sold in 1999. [{number}]\n")(asked)
    said = [{"text": BUILT, "passages": [number]}, {"text": "It was sold in 1999.", "passages": [number]}]
    return says(json.dumps({"sentences": said}))(asked)


def _number_of(text: str, words: str) -> int:
    before = text[: text.index(words)]
    return int(re.findall(r"^passage (\d+) [0-9a-f]{16}", before, re.MULTILINE)[-1])


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedOpenAiServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none-0123456789")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with scripted_server(obliging) as running:
        yield running


@pytest.fixture
def place(own_place: Place, server: ScriptedOpenAiServer) -> Place:
    settings = {
        "embedder": {"model": "hashing:64"},
        "llm": {"base_url": server.base_url, "model": own_place.folder.parent.name, "retries": 0, "cache": False},
    }
    own_place.config.write_text(json.dumps(settings), encoding="utf-8")
    return own_place


def test_an_answer_of_a_model_cites_the_document(belvedere: Belvedere, place: Place) -> None:
    answer = belvedere("ask", QUESTION, "--llm", "answers", "--json", *place.options).json()
    assert answer["answer"] == f"{BUILT} [1]"
    assert answer["made_by"].startswith("llm:")
    assert "1871" in answer["citations"][0]["quote"]
    assert answer["llm"]["dropped"] == {"numbers": 1}
    assert answer["llm"]["usage"]["prompt_tokens"] == 11


def test_people_see_which_model_spoke(belvedere: Belvedere, place: Place) -> None:
    outcome = belvedere("ask", QUESTION, "--llm", "answers", *place.options)
    assert f"{BUILT} [1]" in " ".join(outcome.out.split())
    assert "1 unsupported left out (numbers)" in " ".join(outcome.out.split())


def test_without_the_option_no_model_is_asked(belvedere: Belvedere, place: Place, server: ScriptedOpenAiServer) -> None:
    answer = belvedere("ask", QUESTION, "--json", *place.options).json()
    assert answer["made_by"] == "extractive"
    assert "llm" not in answer
    assert server.asked == []


def test_a_streamed_answer_comes_in_lines(belvedere: Belvedere, place: Place) -> None:
    outcome = belvedere("ask", QUESTION, "--llm", "answers", "--stream", "--json", *place.options)
    part, end = (json.loads(line) for line in outcome.out.splitlines())
    assert part == {"sentence": f"{BUILT} [1]"}
    assert (end["answer"], end["corrected"]) == (f"{BUILT} [1]", False)
    assert end["llm"]["usage"]["reply_tokens"] == 7
    people = belvedere("ask", QUESTION, "--llm", "answers", "--stream", *place.options)
    assert " ".join(people.out.split()).count(BUILT) == 1


def test_streaming_without_a_model_shows_the_source_sentences(belvedere: Belvedere, place: Place) -> None:
    plain = belvedere("ask", QUESTION, "--json", *place.options).json()
    outcome = belvedere("ask", QUESTION, "--stream", "--json", *place.options)
    part, end = (json.loads(line) for line in outcome.out.splitlines())
    assert part["sentence"] == end["answer"] == plain["answer"]


def test_an_endpoint_out_of_order_leaves_the_source_sentences(
    belvedere: Belvedere, place: Place, server: ScriptedOpenAiServer
) -> None:
    plain = belvedere("ask", QUESTION, "--json", *place.options).json()
    server.script = fails(500)
    for more in ((), ("--stream",)):
        outcome = belvedere("ask", QUESTION, "--llm", "answers", "--json", *more, *place.options)
        answer = json.loads(outcome.out.splitlines()[-1])
        assert (answer["answer"], answer["made_by"]) == (plain["answer"], "extractive")
        assert answer["llm"]["fell_back"]


def test_what_came_to_nothing_is_told_as_used(belvedere: Belvedere, place: Place, server: ScriptedOpenAiServer) -> None:
    def used() -> tuple[int, int, int]:
        usage = belvedere("ask", QUESTION, "--llm", "answers", "--json", *place.options).json()["llm"]["usage"]
        return usage["calls"], usage["estimated"], usage["prompt_tokens"]

    server.script = says("no JSON, and none after the repair")
    assert used() == (2, 0, 22)
    server.script = raw(b'{"choices": [], "usage": {"prompt_tokens": 40, "completion_tokens": 0}}')
    assert used() == (1, 0, 40)


@pytest.mark.parametrize("counts", [None, {"prompt_tokens": 40, "completion_tokens": 9}])
def test_a_streamed_answer_that_breaks_off_is_told_as_used(
    belvedere: Belvedere, place: Place, server: ScriptedOpenAiServer, counts: dict[str, int] | None
) -> None:
    def broken(asked: Asked) -> Replied:
        number = _number_of(asked.text, "built by Anna Lind in 1871")
        pieces = [event({"content": f"{BUILT} [{number}]\nIt was "}, None)]
        return Replied(pieces=[*pieces, *([event({}, None, counts)] if counts else [])])

    server.script = broken
    outcome = belvedere("ask", QUESTION, "--llm", "answers", "--stream", "--json", *place.options)
    part, end = (json.loads(line) for line in outcome.out.splitlines())
    assert part["sentence"] == end["answer"] == f"{BUILT} [1]"
    assert end["llm"]["trouble"][0].startswith("the reply broke off")
    usage = end["llm"]["usage"]
    assert (usage["calls"], usage["estimated"]) == (1, 0 if counts else 1)
    assert (usage["reply_tokens"] == 9) == (counts is not None)
    assert usage["reply_tokens"] > 0


@pytest.mark.parametrize(
    ("command", "task"), [("ask", "extraction"), ("ask", "answers,judge"), ("index", "answers"), ("index", "judge")]
)
def test_a_task_that_the_command_never_does_is_refused(
    belvedere: Belvedere, place: Place, server: ScriptedOpenAiServer, command: str, task: str
) -> None:
    outcome = belvedere(command, place.corpus if command == "index" else QUESTION, "--llm", task, *place.options)
    assert outcome.code == 2
    assert f"this command never does the task {task.rsplit(',', maxsplit=1)[-1]}" in outcome.err
    assert outcome.err.count("\n") == 1
    assert belvedere("ask", QUESTION, "--llm", "none", *place.options).code == 0
    assert server.asked == []


def test_the_tasks_of_the_command_line_are_those_of_the_settings() -> None:
    assert TASK_NAMES == TASKS


def test_a_conversation_goes_on_in_the_next_command(
    belvedere: Belvedere, place: Place, server: ScriptedOpenAiServer
) -> None:
    named = ("--conversation", "work", "--llm", "rewriting", "--json")
    assert "asked_as" not in belvedere("ask", "Who was Anna Lind?", *named, *place.options).json()
    answer = belvedere("ask", "When did she build it?", *named, *place.options).json()
    assert (answer["question"], answer["asked_as"]) == ("When did she build it?", FOLLOW_UP)
    assert "1871" in answer["answer"]
    assert len(server.asked) == 1
    gone = belvedere("ask", "--conversation", "work", "--forget", "--json", *place.options)
    assert gone.json() == {"conversation": "work", "forgotten": True}
    assert "asked_as" not in belvedere("ask", "When did she build it?", *named, *place.options).json()


def test_a_conversation_goes_on_without_a_model(belvedere: Belvedere, place: Place) -> None:
    named = ("--conversation", "work", "--json", *place.options)
    belvedere("ask", "Who was Anna Lind?", *named)
    assert belvedere("ask", "When was she born?", *named).json()["asked_as"] == "When was she born? (Anna Lind)"
    assert "asked_as" not in belvedere("ask", "When was she born?", *named, "--groups", "staff").json()


@pytest.mark.parametrize("arguments", [("--forget",), (), ("Who?", "--transform", "x"), ("Who?", "--transform", ",")])
def test_what_makes_no_sense_is_refused(belvedere: Belvedere, place: Place, arguments: tuple[str, ...]) -> None:
    outcome = belvedere("ask", *arguments, *place.options)
    assert outcome.code == 2
    assert "Traceback" not in outcome.err


def test_transformations_are_asked_for_by_name(belvedere: Belvedere, place: Place) -> None:
    assert SHOWN_TRANSFORMATIONS == TRANSFORMATIONS
    refused = belvedere("ask", QUESTION, "--transform", "rewrite", *place.options)
    assert refused.code == 2
    assert "--llm rewriting" in refused.err
    wanted = ("--transform", "rewrite,hyde", "--llm", "rewriting", "--json")
    searches = belvedere("ask", QUESTION, *wanted, *place.options).json()["llm"]["searches"]
    assert searches == [
        {"transformation": "rewrite", "text": "Norby lighthouse building year"},
    ]


def test_the_library_does_the_same(place: Place) -> None:
    with KnowledgeBase.open(place.store, config=place.config, llm=["answers"]) as kb:
        part, end = kb.ask_stream(QUESTION)
        assert part == AnswerPart(text=f"{BUILT} [1]")
        assert isinstance(end, AnswerEnd)
        chat = kb.chat()
        chat.ask(QUESTION)
        assert [turn.answer for turn in chat.turns] == [f"{BUILT} [1]"]
        kb.delete(list(chat.turns[0].documents))
        assert [turn.answer for turn in chat.turns] == [""]
        assert chat.forget()
        with pytest.raises(NoLanguageModel):
            kb.ask(QUESTION, transform=["rewrite"])
        with pytest.raises(ValueError, match="no transformation"):
            kb.ask(QUESTION, transform=["dream"])  # type: ignore[list-item]  # no name of one


@pytest.mark.parametrize(
    ("tasks", "asked"),
    [((), ""), (("answers",), " and asking m"), (("rewriting",), " and asking m"), (("extraction",), "")],
)
def test_what_is_waited_for_names_the_model_that_is_asked(place: Place, tasks: tuple[str, ...], asked: str) -> None:
    place.config.write_text(
        json.dumps({"embedder": {"model": "hashing:64"}, "llm": {"base_url": "http://127.0.0.1:9/v1", "model": "m"}}),
        encoding="utf-8",
    )
    with KnowledgeBase.open(place.store, config=place.config, llm=tasks) as kb:
        assert waiting_for(kb) == f"loading the model {kb.model_name}{asked}"
