"""Every class of failure, found in a real store from a run into which the failure was put."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from belvedere.evaluation import evidence_trail
from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.failure_search import find_failures
from belvedere.evaluation.failures import FAILURE_CLASSES, FailureClass
from belvedere.evaluation.systems import Reply, SystemRun
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from model_clients.settings import EmbedderSettings

pytestmark = pytest.mark.model

SETTINGS = Settings(embedder=EmbedderSettings(model="hashing:64"))
RIVERS = ("Danube", "Volga", "Loire", "Rhine")
QUESTION = LabelledQuestion(
    id="q", text="Which boats sail on the Danube?", type="fact", gold=(frozenset({"danube.md"}),), references=("boats",)
)
RIGHT = Reply(text="Boats sail. [1]", abstained=False, support=0.9, weighed=frozenset({"danube.md"}))
ELSEWHERE = replace(RIGHT, weighed=frozenset({"volga.md"}))


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("rivers")
    for name in RIVERS:
        text = f"# {name}\n\nThe {name} is a river. Boats sail on the {name} in summer.\n"
        (folder / f"{name.lower()}.md").write_text(text, encoding="utf-8")
    with KnowledgeBase.open(folder / "store", config=SETTINGS) as opened:
        opened.index(folder)
        yield opened


def failed_as(
    kb: KnowledgeBase, reply: Reply, ranking: tuple[str, ...], question: LabelledQuestion = QUESTION
) -> FailureClass | None:
    run = SystemRun(rankings=(ranking,), milliseconds=(1.0,), embedding_milliseconds=(1.0,), replies=(reply,))
    report = find_failures(kb, [question], run)
    assert report.questions == 1
    return report.failures[0].failed_as if report.failures else None


def test_every_class_is_found_where_it_was_put(kb: KnowledgeBase, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = replace(QUESTION, gold=(frozenset({"nile.md"}),))
    first, last = ("danube.md", "volga.md"), ("volga.md", "loire.md")
    found: list[FailureClass | None] = [
        failed_as(kb, ELSEWHERE, last, nowhere),
        failed_as(kb, replace(RIGHT, text="Nothing.", abstained=True), first),
        failed_as(kb, replace(RIGHT, text="Trains."), first),
        failed_as(kb, RIGHT, first, replace(QUESTION, gold=(), references=())),
        # The searches of the store reach the document although this run did not rank it.
        failed_as(kb, ELSEWHERE, last),
        failed_as(kb, ELSEWHERE, first),
    ]
    monkeypatch.setattr(evidence_trail, "packed_documents", lambda _context: frozenset({"volga.md"}))
    found.append(failed_as(kb, ELSEWHERE, first))
    monkeypatch.setattr(evidence_trail, "_reached", lambda _kb, _question: ["volga.md"])
    found.append(failed_as(kb, ELSEWHERE, last))
    assert found == [
        *("not_indexed", "wrongly_abstained", "wrong_answer", "should_have_abstained", "lost_in_ranking"),
        *("lost_in_selection", "lost_in_packing", "not_in_pool"),
    ]
    assert set(found) == set(FAILURE_CLASSES)
    assert failed_as(kb, RIGHT, first) is None
