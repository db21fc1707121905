"""The HTML page of an evaluation, made from scores without any index."""

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from belvedere.evaluation.abstention import Verdict, score_abstention
from belvedere.evaluation.answers import ANSWER_MEASURES
from belvedere.evaluation.comparisons import compare_systems
from belvedere.evaluation.dataset import Dataset, LabelledQuestion
from belvedere.evaluation.evaluate import Evaluation
from belvedere.evaluation.evidence_trail import GoldTrail
from belvedere.evaluation.facts import changed_settings, package_versions
from belvedere.evaluation.failures import FAILURE_MEANINGS, Failure, FailureReport, FoundDocument
from belvedere.evaluation.gates import gates_for, judge_gates, parse_gates
from belvedere.evaluation.index_cache import IndexedDataset
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.measures import GRADED, MEASURES
from belvedere.evaluation.reply_scores import AnswerScores, EvidenceTable
from belvedere.evaluation.report_html import report_html
from belvedere.evaluation.system_scores import Latency, SystemScores
from belvedere.evaluation.systems import Reply
from belvedere.settings import Settings
from model_clients.settings import EmbedderSettings

ATTACK = "<script>alert('x')</script>\x1b[31m\u202e&lt;b>"
REPORT = {"chunks": 3, "entities": 2, "relations": 1, "communities": 1, "tree_nodes": 1} | {
    "cpu_seconds": 1.5,
    "store_bytes": 2_000_000,
}


class Page(HTMLParser):
    """Collects the tags, the attributes that could load something, and the text of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.addresses: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in {"meta", "rect", "path", "circle"}:
            self.open.append(tag)
        self.addresses += [name for name, _ in attrs if name in {"src", "href", "action", "data"} or name[:2] == "on"]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def estimates(names: tuple[str, ...], value: float | None) -> dict[str, Estimate]:
    bound = None if value is None else value / 2
    return {name: Estimate(value=value, low=bound, high=value, n=4) for name in names}


def scores(value: float, *, answering: bool) -> SystemScores:
    verdicts = [Verdict(answerable=bool(n % 3), abstained=n < 2, support=n / 5) for n in range(6)]
    answers = AnswerScores(
        measures=estimates(ANSWER_MEASURES, 0.5),
        by_type={"fact": estimates(ANSWER_MEASURES, 0.25)},
        by_evidence=EvidenceTable(found_right=1, found_wrong=2, missing_right=0, missing_wrong=1),
    )
    return SystemScores(
        measures=estimates((*MEASURES, GRADED), value),
        by_type={"fact": estimates(MEASURES, value), ATTACK: estimates(MEASURES, value)},
        latency_ms=Latency(p50=1.0, p95=2.0),
        abstention=score_abstention(verdicts) if answering else None,
        answers=answers if answering else None,
        citations=estimates(("precision", "recall"), 0.625) if answering else None,
        values=tuple(dict.fromkeys(MEASURES, float(number)) for number in np.linspace(0, value, 4)),
    )


def failure() -> Failure:
    return Failure(
        question=LabelledQuestion(id=ATTACK, text=ATTACK, type=ATTACK, gold=(frozenset({"d"}),), references=(ATTACK,)),
        failed_as="lost_in_ranking",
        reply=Reply(text=ATTACK, abstained=False, support=0.7, weighed=frozenset()),
        right=False,
        gold=(GoldTrail(documents=(ATTACK,), indexed=True, in_pool=True, rank=23, packed=False, weighed=False),),
        top=(FoundDocument(id=ATTACK, title=ATTACK), FoundDocument(id="e", title="")),
    )


@pytest.fixture(scope="module")
def html() -> str:
    systems = {"bm25": scores(0.5, answering=False), "local": scores(0.75, answering=True)}
    evaluation = Evaluation(
        systems=systems,
        comparisons=compare_systems({name: found.values for name, found in systems.items()}, MEASURES, seed=0),
        failures=FailureReport(system="local", questions=6, failures=(failure(),)),
        index=IndexedDataset(store=Path("store"), report=REPORT, from_cache=True),
        embed_question_ms=Latency(p50=0.5, p95=0.9),
    )
    gates = gates_for(parse_gates("R@5>0.9,MRR@10>0.1"), tuple(systems))
    dataset = Dataset(name=ATTACK, corpus=({"id": "d", "text": "t"},), questions=(failure().question,), seed=5)
    settings = Settings(embedder=EmbedderSettings(model="hashing:64"))
    return report_html(evaluation, dataset, settings, gates=judge_gates(gates, systems))


def test_the_page_is_well_formed_and_loads_nothing(html: str) -> None:
    page = Page(html)
    assert page.open == []
    assert page.addresses == []
    assert not {"script", "img", "link", "iframe", "b>"} & set(page.tags)
    assert "http:" not in html
    assert "https:" not in html
    assert "default-src 'none'" in html


def test_the_page_suits_dark_and_narrow_screens(html: str) -> None:
    style = html[html.index("<style>") : html.index("</style>")]
    assert "@media (prefers-color-scheme: dark)" in style
    assert "@media (max-width: 40rem)" in style
    # Colours are named once for each scheme, and nowhere else.
    names = re.findall(r"(--[a-z]+): #", style)
    assert len(names) == 2 * len(set(names))
    assert re.findall(r"(?<![-\w])(?:color|fill|stroke|background): #", html) == []


def test_what_documents_and_questions_say_is_shown_not_obeyed(html: str) -> None:
    page = Page(html)
    shown = "<script>alert('x')</script>[31m&lt;b>"
    assert page.text.count(shown) >= 8
    assert "<script" not in html
    assert "\x1b" not in html
    assert "\u202e" not in html


def test_the_page_holds_every_part(html: str) -> None:
    page = Page(html)
    for told in (
        *(
            "R@5",
            GRADED,
            "0.750",
            "[0.38, 0.75]",
            "bm25 \u2212 local",
            "0.9 to 1.0",
            "rank 23",
            "seed",
            "embedder.model",
        ),
        *(
            "hashing:64",
            "not passed",
            "F1",
            "share answerable",
            "ms",
            "0.625",
            "text contains",
            "claim or text",
            *FAILURE_MEANINGS.values(),
        ),
        *package_versions().values(),
    ):
        assert told in page.text, told
    assert page.tags.count("svg") == 7
    assert page.tags.count("rect") == 12


def test_changed_settings_are_named_in_full() -> None:
    assert changed_settings(Settings()) == {}
    assert changed_settings(Settings(embedder=EmbedderSettings(model="hashing:8"))) == {"embedder.model": "hashing:8"}
