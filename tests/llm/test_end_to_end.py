"""A small real model does every task over HTTP: forms, counts, kept replies, streams, failures by name; not eloquence.

One index of three documents is shared. The endpoint passes calls on to the model, cuts replies short, and takes down
what the model itself counts; about one of the documents it is out of order at first.
"""

import json
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.judging.judge import judge_replies
from belvedere.evaluation.systems import reply_of
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from graph_store.access import Access
from indexing.llm_extraction.reply import ExtractionReply
from indexing.report import IndexReport
from model_clients.chat.messages import Task, TokenUsage
from model_clients.chat.settings import LlmSettings, ModelPrice
from model_clients.chat.usage import collected_usage
from model_clients.settings import EmbedderSettings
from query.llm_answers.answerer import AnswerEnd, AnswerPart
from query.outcome import Answer
from query.settings import AnswerSettings, QuerySettings
from raptor.told_summary import SummaryForm
from tests.llm.passing_on import PassingOn, Served
from tests.llm.scripted_openai_server import Asked, Replied, ScriptedOpenAiServer, fails, scripted_server
from tests.llm.small_model import NAME, SmallModel

pytestmark = [pytest.mark.llm, pytest.mark.model]

DOCUMENTS = {
    "lighthouse.md": "# Norby lighthouse\n\nAnna Lind built the lighthouse of Norby in 1871. It stands on the rock of "
    "Skarv, east of the harbour. Its lamp burnt oil until 1923. In that year Karl Berg of Oslo made it electric.\n",
    "bridge.md": "# Lesna bridge\n\nJan Kowal designed the bridge of Lesna over the river Wel. It was opened by Maria "
    "Nowak in 1904. The flood of 1931 took two of its arches. Karl Berg rebuilt them in steel.\n",
    "berg.md": "# Karl Berg\n\nKarl Berg was an engineer from Oslo. He worked in Norby and in Lesna. Anna Lind was his "
    "teacher. He died in Lesna in 1950.\n",
}
ABOUT_ONE = "engineer from Oslo"
QUESTION = "Who built the lighthouse of Norby?"
EXTRACTION, SUMMARY = "You read one passage", "You sum up"
"""How the prompts begin."""
INDEXING = frozenset({"extraction", "reports", "summaries"})


class Endpoint:
    """The model behind a limit of tokens, for a while out of order in part or whole."""

    def __init__(self, model: SmallModel) -> None:
        self.passing = PassingOn(model.base_url, most_tokens=200)
        self.broken_about: tuple[str, ...] = ()

    def __call__(self, asked: Asked) -> Replied:
        if all(words in asked.text for words in self.broken_about or ("\0",)):
            return fails(500)(asked)
        return self.passing(asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The endpoint, and what was indexed with it: what the run told, and what the model served meanwhile."""

    endpoint: Endpoint
    server: ScriptedOpenAiServer
    settings: Settings
    folder: Path
    report: IndexReport
    served: tuple[Served, ...]

    def opened(self, *tasks: str, store: Path | None = None) -> KnowledgeBase:
        return KnowledgeBase.open(store or self.folder / "store", config=self.settings, llm=tasks)

    def since(self, number: int) -> Sequence[Served]:
        return self.endpoint.passing.served[number:]

    @property
    def count(self) -> int:
        return len(self.endpoint.passing.served)


@pytest.fixture(scope="module")
def world(small_chat_model: SmallModel, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("world")
    (folder / "in").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "in" / name).write_text(text, encoding="utf-8")
    endpoint = Endpoint(small_chat_model)
    with scripted_server(endpoint) as server:
        settings = Settings(
            embedder=EmbedderSettings(model="hashing:64"),
            query=QuerySettings(answer=AnswerSettings(abstention_margin=-1.0)),
            llm=LlmSettings(
                base_url=server.base_url,
                model=NAME,
                api_key_env="NO_KEY_IS_NEEDED",
                prices={NAME: ModelPrice(prompt=1.0, reply=2.0)},
                concurrency=1,  # what it says then depends on the question alone
                timeout_s=300.0,
                retries=0,
            ),
        )
        endpoint.broken_about = (EXTRACTION, ABOUT_ONE)
        with KnowledgeBase.open(folder / "store", config=settings, llm=INDEXING) as kb:
            report = kb.index(folder / "in")
        endpoint.broken_about = ()
        served = tuple(endpoint.passing.served)
        yield World(endpoint=endpoint, server=server, settings=settings, folder=folder, report=report, served=served)


def counted(served: Iterable[Served]) -> TokenUsage:
    """What the model counted itself, at the prices of the settings."""
    usages = [
        TokenUsage(
            calls=1,
            prompt_tokens=item.prompt_tokens,
            reply_tokens=item.reply_tokens,
            cost=(item.prompt_tokens + 2 * item.reply_tokens) / 1e6,
        )
        for item in served
    ]
    return sum(usages, start=TokenUsage())


def same(found: TokenUsage, wanted: TokenUsage) -> bool:
    """Whether counts are the same, and costs but for rounding."""
    return replace(found, cost=0.0) == replace(wanted, cost=0.0) and found.cost == pytest.approx(wanted.cost)


def whole(item: Served) -> bool:
    """Whether a reply ended by itself and has the form that was asked for: such replies are kept."""
    form = ExtractionReply if item.messages.startswith(EXTRACTION) else SummaryForm
    try:
        form.model_validate(json.loads(item.text))
    except (ValueError, ValidationError):
        return False
    return item.finish == "stop"


def test_what_a_run_used_is_what_the_model_counted(world: World) -> None:
    usage = world.report.usage
    groups: tuple[tuple[str, tuple[Task, ...]], ...] = (
        (EXTRACTION, ("extraction",)),
        (SUMMARY, ("reports", "summaries")),
    )
    for start, tasks in groups:
        used = sum((usage[task] for task in tasks if task in usage), start=TokenUsage())
        served = [item for item in world.served if item.messages.startswith(start)]
        assert len(served) >= 2
        assert same(used, counted(served))
    assert world.report.failed_calls == {"extraction": 1}


def test_every_reply_has_its_form_or_its_fallback_is_named(world: World) -> None:
    work = world.report.model_work
    assert work is not None
    failed = {task: sorted(item.about for item in work.failed if item.task == task) for task in INDEXING}
    assert "chunk 1 of 'berg.md'" in failed["extraction"]
    with world.opened("none") as kb:
        made = {
            "reports": [(item.made_by, f"the report {item.title!r}") for item in kb.communities()],
            "summaries": [(item.made_by, f"the summary {item.title!r}") for item in kb.tree()],
        }
        assert kb.graph("Karl Berg"), "what the parser found is there"
    assert work.asked == {"extraction": 3, **{task: len(items) for task, items in made.items()}}
    for task, items in made.items():
        assert items
        assert {by for by, _ in items} <= {"extractive", f"llm:{NAME}"}
        assert sorted(about for by, about in items if by == "extractive") == failed[task]


def test_whole_replies_are_paid_once_and_what_failed_is_tried_again(world: World, tmp_path: Path) -> None:
    kept = {item.messages for item in world.served if whole(item)}
    assert kept
    shutil.copytree(world.folder / "store", tmp_path / "store")
    before = len(world.server.asked)
    world.endpoint.broken_about = ("",)  # out of order for all: what is had again comes from elsewhere
    try:
        with world.opened(*INDEXING, store=tmp_path / "store") as kb:
            report = kb.rebuild(world.folder / "in")
    finally:
        world.endpoint.broken_about = ()
    asked = [item.text for item in world.server.asked[before:]]
    assert any(text.startswith(EXTRACTION) and ABOUT_ONE in text for text in asked)
    assert not kept.intersection(asked)
    cached = report.usage.get("extraction", TokenUsage()).cached
    assert cached == sum(text.startswith(EXTRACTION) for text in kept)


def test_a_follow_up_is_rewritten_by_one_call(world: World) -> None:
    start = world.count
    with world.opened("rewriting") as kb, collected_usage() as meter:
        chat = kb.chat()
        chat.ask(QUESTION, route="local")
        assert world.count == start
        answer = chat.ask("When did she build it?", route="local")
    served = world.since(start)
    assert served
    assert same(meter.by_task()["rewriting"], counted(served))
    assert answer.llm is not None
    assert answer.question == "When did she build it?"
    assert answer.asked_as or answer.llm.trouble


def test_an_answer_is_asked_for_once(world: World) -> None:
    start = world.count
    with world.opened("answers") as kb, collected_usage() as meter:
        answer = kb.ask(QUESTION, route="local", k=1)
        served = world.since(start)
        assert same(meter.total, counted(served))
        check(kb, answer, served)
        between = world.count
        again = kb.ask(QUESTION, route="local", k=1)
    if served[-1].finish == "stop":
        assert world.count == between
        assert (again.answer, again.citations) == (answer.answer, answer.citations)


def test_an_answer_is_streamed(world: World) -> None:
    start = world.count
    with world.opened("answers") as kb:
        *parts, end = kb.ask_stream(QUESTION, route="local", k=1)
        served = world.since(start)
        assert [item.streamed for item in served] == [True]
        assert isinstance(end, AnswerEnd)
        check(kb, end.answer, served)
        told = " ".join(part.text for part in parts if isinstance(part, AnswerPart))
        assert end.corrected == (told != end.answer.answer)
        if served[-1].finish == "stop":
            again = list(kb.ask_stream(QUESTION, route="local", k=1))[-1]
            assert isinstance(again, AnswerEnd)
            assert again.answer.answer == end.answer.answer
            assert world.count == start + 1


def check(kb: KnowledgeBase, answer: Answer, served: Sequence[Served]) -> None:
    """An answer is the model's with its counts, and its citations stand in the documents; or its failure is told."""
    assert answer.llm is not None
    assert answer.made_by == ("extractive" if answer.llm.fell_back else f"llm:{NAME}")
    assert same(answer.llm.usage, counted(served))
    for citation in answer.citations:
        text = kb.store.document_text(Access(), citation.document_id)
        assert text is not None
        assert text[citation.char_start : citation.char_end] == citation.quote
    assert answer.abstained == (not answer.citations)


def test_a_judge_gives_verdicts_or_names_why_not(world: World) -> None:
    question = LabelledQuestion(id="q", text=QUESTION, type="who", gold=())
    start = world.count
    with world.opened("judge") as kb:
        assert kb.language_models.judge is not None
        reply = reply_of(kb.ask(QUESTION, route="local", k=1))
        judged = judge_replies(kb.language_models.judge, [question], [reply], Access())
    assert judged.judge == NAME
    assert same(judged.usage, counted(world.since(start)))
    for measure in ("faithfulness", "answer_relevance"):
        value = judged.values[0].get(measure)
        assert (value is None) == (judged.given[measure] == 0)
        assert value is None or 0 <= value <= 1
        assert judged.given[measure] or judged.failed[measure], f"{measure} has neither verdicts nor a reason"
