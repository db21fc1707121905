"""Runs in which a model tells reports and summaries: what is asked, what is kept, and what failures cost."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from graph_store.access import Access
from graph_store.records import Community, SourcedSentence, TreeNode
from indexing.chunking.settings import ChunkingSettings
from indexing.communities.settings import CommunitySettings
from indexing.model_names import IndexingModels
from indexing.options import IndexOptions
from indexing.report import IndexReport
from indexing.settings import IndexingSettings
from model_clients.chat.errors import BudgetSpent
from model_clients.chat.messages import ChatRequest
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from raptor.settings import TreeSettings
from tests.indexing.counted_runs import CountedRuns, counted_runs

pytestmark = pytest.mark.model  # the parser is loaded

EVERYBODY = Access()
STAFF = Access(groups=frozenset({"staff"}))
PEOPLE = ("Anna Lind", "Erik Holm", "Ada Byrne", "Jon Vik", "Mara Sund", "Otto Prell")
TOWNS = ("Bergen", "Lisbon", "Genoa", "Tallinn", "Porto")
SETTINGS = IndexingSettings(
    chunking=ChunkingSettings(max_tokens=40),
    communities=CommunitySettings(top_communities=2, max_cluster_size=8),
    tree=TreeSettings(cluster_size=4),
)
Script = Callable[[ChatRequest], str]


def article(number: int) -> str:
    person, friend, town = PEOPLE[number % 6], PEOPLE[number // 6 % 6], TOWNS[number % 5]
    return (
        f"# The harbour of {town} {number}\n\n{person} was a captain from {town}. {person} met {friend} in {town}.\n\n"
        f"## Ships\n\nThe ship Quolm{number} left {town} in 18{10 + number}. {friend} built the ship Quolm{number}.\n"
    )


def evidence_of(request: ChatRequest) -> list[str]:
    """Return the numbered pieces of evidence in a request."""
    block = request.messages[1].content.split("fact 1 ")[0]
    found = re.split(r"^evidence \d+ [0-9a-f]{16}.*\n", block, flags=re.MULTILINE)[1:]
    return [" ".join(line.removeprefix("| ") for line in part.split("\n") if line.startswith("| ")) for part in found]


def told(claims: list[tuple[str, list[int]]], title: str = "Ships and captains") -> str:
    return json.dumps({"title": title, "claims": [{"text": text, "evidence": numbers} for text, numbers in claims]})


def reworded(request: ChatRequest) -> str:
    """Reply with the first two pieces of evidence, each in a few words more."""
    evidence = evidence_of(request)
    claims = [(f"It is told that {text}", [number]) for number, text in enumerate(evidence[:2], 1)]
    return told([*claims, ("Napoleon sailed with them.", [1]), ("Nothing is known.", [99])])


class Runs:
    """Runs over one folder in which a scripted model does reports and summaries."""

    def __init__(self, runs: CountedRuns, folder: Path) -> None:
        self.runs = runs
        self.folder = folder
        self.requests: list[ChatRequest] = []

    def index(self, script: Script | None = reworded, name: str = "m", **options: object) -> IndexReport:
        """Run once; ``requests`` are those of this run alone. Without a script no model takes part."""
        model = ScriptedChatModel(script or reworded, model_id=name)
        task = TaskModel(model) if script else None
        models = IndexingModels(reports=task, summaries=task)
        report = self.runs.index(
            self.folder,
            settings=SETTINGS,
            options=IndexOptions(models=models, **options),  # type: ignore[arg-type]  # passed on as it came
        )
        self.requests = model.requests
        return report

    def layer(self, access: Access = EVERYBODY) -> list[Community | TreeNode]:
        return [*self.runs.store.communities(access), *self.runs.store.tree_nodes(access)]


def said(item: Community | TreeNode) -> tuple[SourcedSentence, ...]:
    return item.report if isinstance(item, Community) else item.summary


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runs]:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(16):
        (folder / f"d{number:02}.md").write_text(article(number), encoding="utf-8")
    with counted_runs(tmp_path / "store", monkeypatch) as made:
        yield Runs(made, folder)


def test_all_of_the_layer_is_told_and_every_claim_is_borne_out(runs: Runs) -> None:
    report = runs.index()
    layer = runs.layer()
    assert len(runs.requests) == len(layer)
    assert {item.made_by for item in layer} == {"llm:m"}
    for item in layer:
        assert said(item)
        assert all(set(sentence.chunk_ids) <= set(item.chunk_ids) for sentence in said(item))
        assert all(sentence.text.startswith("It is told that") for sentence in said(item))
    assert "Napoleon" not in repr(layer)
    assert report.model_work is not None
    assert report.model_work.failed == ()
    assert report.model_work.dropped["reports"] >= 2 * len(runs.runs.store.communities(EVERYBODY))


def test_summaries_of_children_are_part_of_what_their_parent_is_made_of(runs: Runs) -> None:
    runs.index()
    asked = [text for request in runs.requests if request.task == "summaries" for text in evidence_of(request)]
    assert any(text.startswith("It is told that") for text in asked)


def test_a_second_run_asks_nothing_and_one_document_more_asks_for_what_changed(runs: Runs) -> None:
    runs.index()
    before = {item.id: item for item in runs.layer()}
    runs.index()
    assert runs.requests == []
    (runs.folder / "d90.md").write_text(article(90), encoding="utf-8")
    runs.index()
    after = {item.id: item for item in runs.layer()}
    assert {item.made_by for item in after.values()} == {"llm:m"}
    kept = [key for key, item in before.items() if key in after and said(after[key]) == said(item)]
    assert len(kept) > len(before) / 2
    assert 0 < len(runs.requests) <= len(after) / 2


def test_turning_the_model_off_leaves_what_there_is_without_one(runs: Runs) -> None:
    runs.index(None)
    plain = runs.runs.store.content_digest("default")
    runs.index()
    assert runs.runs.store.content_digest("default") != plain
    runs.index(None)
    assert runs.runs.store.content_digest("default") == plain


def test_another_model_tells_all_of_it_anew(runs: Runs) -> None:
    runs.index()
    runs.index(name="n")
    assert {item.made_by for item in runs.layer()} == {"llm:n"}
    assert len(runs.requests) == len(runs.layer())


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Error: the model is overloaded, try again later.",
        told([("Error: the model is overloaded, try again later.", [1])]),
        told([("I am sorry, but I cannot summarise this.", [1, 2])]),
        told([]),
        told([("Anna Lind was the queen of Norway.", [1])]),
    ],
)
def test_what_cannot_be_told_stays_a_quotation_and_is_tried_again(runs: Runs, reply: str) -> None:
    runs.index(None)
    plain = {item.id: said(item) for item in runs.layer()}
    report = runs.index(lambda request: reworded(request) if request.task == "summaries" else reply)
    assert report.model_work is not None
    assert {failed.task for failed in report.model_work.failed} == {"reports"}
    reports = runs.runs.store.communities(EVERYBODY)
    assert len(report.model_work.failed) == len(reports)
    claims = reply.count('"text"')
    assert report.model_work.dropped["reports"] == claims * len(reports), "what is told is counted where all of it is"
    assert {item.made_by for item in reports} == {"extractive"}
    assert all(said(item) == plain[item.id] for item in reports)
    report = runs.index()
    assert {request.task for request in runs.requests} == {"reports"}
    assert {item.made_by for item in runs.layer()} == {"llm:m"}
    assert runs.index().model_work is None


def test_a_spent_budget_keeps_what_is_told_and_the_next_run_goes_on(runs: Runs) -> None:
    left = [3]

    def spending(request: ChatRequest) -> str:
        if not left[0]:
            raise BudgetSpent("all is spent")
        left[0] -= 1
        return reworded(request)

    runs.index(spending)
    first = sum(item.made_by == "llm:m" for item in runs.layer())
    assert first == 3
    runs.index()
    assert {item.made_by for item in runs.layer()} == {"llm:m"}
    assert len(runs.requests) >= len(runs.layer()) - first


def test_a_title_with_foreign_names_is_not_taken(runs: Runs) -> None:
    runs.index(None)
    plain = {item.id: item.title for item in runs.layer()}
    runs.index(lambda request: reworded(request).replace("Ships and captains", "Napoleon at Trafalgar"))
    assert {item.id: item.title for item in runs.layer()} == plain


def test_deleted_documents_leave_no_word_and_do_not_come_back(runs: Runs) -> None:
    runs.index()
    (runs.folder / "d03.md").unlink()
    store = runs.runs.store
    store.delete_documents("default", ["d03.md"])
    assert "Quolm3 " not in repr(runs.layer())
    assert all(said(item) for item in runs.layer())
    runs.index(prune=True)
    assert "Quolm3 " not in repr([request.messages for request in runs.requests])
    assert "Quolm3 " not in repr(runs.layer())
    assert {item.made_by for item in runs.layer()} == {"llm:m"}


def test_one_prompt_holds_what_one_audience_may_read(runs: Runs) -> None:
    runs.index()
    closed = [runs.folder / "d05.md", runs.folder / "d06.md"]
    model = ScriptedChatModel(reworded, model_id="m")
    models = IndexingModels(reports=TaskModel(model), summaries=TaskModel(model))
    runs.runs.index(*closed, settings=SETTINGS, options=IndexOptions(models=models, groups=("staff",)))
    groups = {request.scope.groups for request in model.requests}
    assert groups == {(), ("staff",)}
    for request in model.requests:
        hidden = {"d05.md", "d06.md"}.intersection(request.scope.documents)
        assert bool(hidden) == (request.scope.groups == ("staff",))
        text = request.messages[1].content
        assert ("Quolm5 " in text or "Quolm6 " in text) <= (request.scope.groups == ("staff",))
        named = {f"d{int(number):02}.md" for number in re.findall(r"Quolm(\d+) ", text)}
        assert named <= set(request.scope.documents)
    for item in runs.layer():
        assert "Quolm5 " not in repr(item)


def test_braces_and_dollar_signs_are_text_like_any_other(runs: Runs) -> None:
    for path in runs.folder.iterdir():
        path.unlink()
    text = "# Prices {all}\n\nAnna Lind sold {two} maps for $5 in Bergen. Erik Holm paid $7 for ${one} in Bergen.\n"
    (runs.folder / "a.md").write_text(text + "\n## More\n\nErik Holm and Anna Lind met in Bergen again.\n", "utf-8")
    runs.index()
    assert any("{two} maps for $5" in request.messages[1].content for request in runs.requests)
    assert {item.made_by for item in runs.layer()} == {"llm:m"}
