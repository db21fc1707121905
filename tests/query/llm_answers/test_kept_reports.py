"""Reports that were told for an answer are shown by search and context too."""

import json
from pathlib import Path

import pytest

from graph_store.embedded.embedded_store import EmbeddedStore
from model_clients.chat.cached_model import CachedChatModel
from model_clients.chat.messages import ChatRequest
from model_clients.chat.reply_cache import ReplyCache
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from model_clients.chat.unasked_model import UnaskedChatModel
from query.engine import QueryEngine
from query.llm_answers.kept_reports import KeptReports
from query.llm_answers.lazy_reports import LazyReports
from query.outcome import RankedResult
from query.request import AskOptions
from tests.query.llm_world import passages_of
from tests.query.small_store import EMBEDDER

THEMES = "What are the main themes?"
EVERYBODY = AskOptions(route="community", k=20)


def last_of_the_evidence(request: ChatRequest) -> str:
    number, text = max(passages_of(request).items())
    return json.dumps({"title": "", "claims": [{"text": text, "evidence": [number]}]})


@pytest.fixture
def replies(tmp_path: Path) -> ReplyCache:
    return ReplyCache(tmp_path / "replies.sqlite")


@pytest.fixture
def showing(small_store: EmbeddedStore, replies: ReplyCache) -> QueryEngine:
    kept = TaskModel(CachedChatModel(UnaskedChatModel("scripted"), replies))
    return QueryEngine(small_store, EMBEDDER, kept_reports=KeptReports(kept))


def tell(engine: QueryEngine, replies: ReplyCache, options: AskOptions) -> None:
    """Have reports told as an answer to this caller does."""
    model = TaskModel(CachedChatModel(ScriptedChatModel(last_of_the_evidence), replies))
    gathered = engine.gather(THEMES, options, budget=500, with_evidence=True)
    told = LazyReports(model, options.access.tenant).tell(gathered.reports, most=99)
    assert told.trouble == ()


def reports(engine: QueryEngine, options: AskOptions) -> tuple[RankedResult, ...]:
    return engine.search(THEMES, options).results


def test_without_a_kept_reply_everything_is_as_it_is_stored(engine: QueryEngine, showing: QueryEngine) -> None:
    assert reports(showing, EVERYBODY) == reports(engine, EVERYBODY)
    assert showing.context(THEMES, EVERYBODY).text == engine.context(THEMES, EVERYBODY).text


def test_a_report_that_was_told_once_is_shown_so(
    engine: QueryEngine, showing: QueryEngine, replies: ReplyCache
) -> None:
    tell(engine, replies, EVERYBODY)
    plain, told = reports(engine, EVERYBODY), reports(showing, EVERYBODY)
    assert [result.id for result in told] == [result.id for result in plain]
    assert {result.made_by for result in told} == {"llm:scripted"}
    assert all(own.text != other.text for own, other in zip(told, plain, strict=True))
    assert engine.context(THEMES, EVERYBODY).text != showing.context(THEMES, EVERYBODY).text
    first = next(block for block in showing.context(THEMES, EVERYBODY).blocks if block.kind == "report")
    quoted = [sentence.text for source in first.sources for sentence in source.sentences]
    assert any(result.text in quoted for result in told), "what the told sentences rest on is packed"


def test_answers_in_source_sentences_stay_as_they_are(
    engine: QueryEngine, showing: QueryEngine, replies: ReplyCache
) -> None:
    tell(engine, replies, EVERYBODY)
    assert showing.ask(THEMES, EVERYBODY).answer == engine.ask(THEMES, EVERYBODY).answer
    gathered = (asked.gather(THEMES, EVERYBODY, budget=500).materials for asked in (showing, engine))
    assert next(gathered) == next(gathered)
