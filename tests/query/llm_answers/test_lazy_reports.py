"""Reports that are told when a question first touches them."""

import json

from graph_store.access import Access
from model_clients.chat.messages import ChatRequest
from query.engine import QueryEngine
from query.llm_answers.answerer import LlmAnswerer
from query.llm_answers.gathered import ReportText
from query.llm_answers.lazy_reports import LazyReports
from query.llm_answers.settings import LlmAnswerSettings
from query.request import AskOptions
from tests.query.llm_world import OneEngine, task_model

THEMES = "What are the main themes?"
COMMUNITY = AskOptions(route="community")


def first_evidence(request: ChatRequest) -> str:
    """Return the first piece of evidence of a request."""
    lines = request.messages[1].content.splitlines()
    return next(line.removeprefix("| ") for line in lines if line.startswith("| "))


def told(request: ChatRequest) -> str:
    return json.dumps({"title": "", "claims": [{"text": f"So {first_evidence(request)}", "evidence": [1]}]})


def gathered(engine: QueryEngine, options: AskOptions = COMMUNITY) -> tuple[ReportText, ...]:
    return engine.gather(THEMES, options, budget=500, with_evidence=True).reports


def test_evidence_is_read_only_where_it_is_wanted(engine: QueryEngine) -> None:
    plain = engine.gather(THEMES, COMMUNITY, budget=500).reports
    assert plain
    assert all(report.evidence == () for report in plain)
    assert all(report.evidence for report in gathered(engine))


def test_a_report_is_told_with_the_passages_it_rests_on(engine: QueryEngine) -> None:
    model, scripted = task_model(told)
    reports = gathered(engine)
    found = LazyReports(model, "default").tell(reports, most=1)
    assert (len(scripted.requests), found.trouble) == (1, ())
    first, *others = found.reports
    assert (first.made_by, tuple(others)) == ("llm:scripted", reports[1:])
    (claim,) = first.sentences
    assert claim.text == f"So {first_evidence(scripted.requests[0])}"
    assert any(quote.text in claim.text for quote in claim.quotes)
    assert set(scripted.requests[0].scope.documents) >= set(claim.documents)
    assert first.title == reports[0].title


def test_one_that_cannot_be_told_stays_as_it_is(engine: QueryEngine) -> None:
    model, _ = task_model(lambda _: "no")
    reports = gathered(engine)
    found = LazyReports(model, "default").tell(reports, most=9)
    assert found.reports == reports
    assert len(found.trouble) == len(reports)


def test_reports_are_told_before_they_are_read(engine: QueryEngine) -> None:
    teller, telling = task_model(told)
    reader, reading = task_model(lambda _: json.dumps({"relevance": 0, "sentences": []}))
    answer = LlmAnswerer(OneEngine(engine), reader, LlmAnswerSettings(), reports=teller).answer(THEMES, COMMUNITY)
    assert telling.requests
    assert any("| So " in request.messages[-1].content for request in reading.requests)
    assert answer.llm is not None
    assert answer.llm.usage.calls == len(telling.requests) + len(reading.requests)


def test_the_scope_is_that_of_the_report_not_of_the_caller(engine: QueryEngine) -> None:
    model, scripted = task_model(told)
    staff = AskOptions(route="community", access=Access(groups=frozenset({"staff"})))
    LazyReports(model, "default").tell(gathered(engine, staff), most=9)
    assert {request.scope.groups for request in scripted.requests} >= {()}
    for request in scripted.requests:
        assert ("reef-survey" in request.scope.documents) == (request.scope.groups == ("staff",))
