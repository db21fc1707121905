import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from graph_store.errors import IncomparableValue, UnknownMetadataKey
from graph_store.filters import CURRENT, Versions
from model_clients.settings import EmbedderSettings

pytestmark = pytest.mark.model

ROWS = [
    {"id": "a", "text": "Boats sail on rivers.", "year": 1999, "day": "1999-05-01", "mixed": 3, "tags": ["b"]},
    {"id": "b", "text": "Boats sail on lakes.", "year": 2020.5, "day": "2020-05-01", "mixed": "new"},
    {"id": "c", "text": "Boats rest in winter.", "open": True},
]


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder = tmp_path_factory.mktemp("filters")
    (folder / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    with KnowledgeBase.open(folder / "store", config=Settings(embedder=EmbedderSettings(model="hashing:64"))) as opened:
        opened.index(folder / "corpus.jsonl")
        yield opened


@pytest.mark.parametrize(
    "condition", ["year>=abc", "year<abc", "year>1999-05-01", "year<=", "year > 2,000", "year=abc", "day<x"]
)
def test_a_number_or_a_date_is_not_compared_with_a_text(kb: KnowledgeBase, condition: str) -> None:
    with pytest.raises(IncomparableValue, match=r"cannot compare .(year|day). with .*have (numbers|dates)") as caught:
        kb.search("boats", filters=[condition])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("year>=2000", {"b"}),
        ("year>-1e3", {"a", "b"}),
        ("day>=2000-01-01", {"b"}),
        ("day<=1999", {"a"}),
        ("day in 2020-05,2021", {"b"}),
        ("mixed>=m", {"b"}),
        ("tags>=a", {"a"}),
        ("open>=a", {"c"}),
        ("year!=1999", {"b", "c"}),
        ("year in 1999,2020.5", {"a", "b"}),
    ],
)
def test_every_other_filter_means_what_it_says(kb: KnowledgeBase, condition: str, found: set[str]) -> None:
    results = kb.search("boats", route="local", filters=[condition]).results
    assert {result.document_id for result in results} == found


def test_an_unknown_key_is_told_with_the_known_ones(kb: KnowledgeBase) -> None:
    with pytest.raises(UnknownMetadataKey, match="did you mean 'year'"):
        kb.search("boats", filters=["yaer>=abc"])


def test_versions_are_read_from_metadata_and_wrong_dates_are_told(tmp_path: Path) -> None:
    rows = [
        {"id": "old", "text": "The fee for boats is four crowns.", "effective_to": "2022"},
        {"id": "new", "text": "The fee for boats is nine crowns.", "effective_from": 2023, "supersedes": ["old"]},
        {"id": "odd", "text": "The fee for rafts is one crown.", "effective_from": "soon"},
    ]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with KnowledgeBase.open(tmp_path / "store", config=Settings(embedder=EmbedderSettings(model="hashing:64"))) as kb:
        report = kb.index(tmp_path / "corpus.jsonl")
        assert [failure.error for failure in report.documents.failed] == [
            "Its effective_from is 'soon', which is no date (YYYY-MM-DD): it is left out of account."
        ]

        def found(versions: Versions) -> set[str]:
            results = kb.search("fee for boats", route="local", versions=versions).results
            return {result.document_id for result in results}

        assert found(CURRENT) == {"new", "odd"}
        assert found(Versions(as_of="2022-05-01")) == {"old", "odd"}
        assert found(Versions(as_of="2024-05-01")) == {"new", "odd"}
        assert found(Versions(all_versions=True)) == {"old", "new", "odd"}
