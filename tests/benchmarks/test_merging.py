from collections import Counter

import pytest

from belvedere.evaluation.dataset import Dataset, LabelledQuestion
from benchmarks.merging import merge_datasets
from benchmarks.pots import without_titles


def dataset(name: str, *documents: str, gold: tuple[frozenset[str], ...] = ()) -> Dataset:
    question = LabelledQuestion(id="q", text=f"What is {name}?", type="question", gold=gold)
    corpus = tuple({"id": document, "title": f"Of {document}", "text": f"About {document}."} for document in documents)
    return Dataset(name=name, corpus=corpus, questions=(question,), seed=0)


def test_documents_of_the_same_id_stay_apart_and_all_are_kept() -> None:
    merged = merge_datasets([dataset("one", "a", "b"), dataset("two", "b", "c")], name="all", seed=0)
    assert Counter(row["id"] for row in merged.corpus) == Counter(["one/a", "one/b", "two/b", "two/c"])
    assert Counter(row["text"] for row in merged.corpus)["About b."] == 2


def test_gold_follows_its_documents_group_by_group() -> None:
    gold = (frozenset({"a", "b"}), frozenset({"c"}))
    merged = merge_datasets([dataset("one", "a", "b", "c", gold=gold), dataset("two", "a")], name="all", seed=0)
    (first, second) = merged.questions
    assert first.gold == (frozenset({"one/a", "one/b"}), frozenset({"one/c"}))
    assert (first.id, second.id) == ("one/q", "two/q")
    assert not merged.missing_gold()


def test_documents_of_the_sets_are_mixed_the_same_way_each_time() -> None:
    sets = [dataset(name, *(str(number) for number in range(50))) for name in ("one", "two")]
    merged, again = (merge_datasets(sets, name="all", seed=3) for _ in range(2))
    assert merged == again
    assert 10 < sum(str(row["id"]).startswith("one/") for row in merged.corpus[:50]) < 40


def test_two_sets_of_one_name_cannot_be_told_apart() -> None:
    with pytest.raises(ValueError, match="same name"):
        merge_datasets([dataset("one", "a"), dataset("one", "b")], name="all", seed=0)


def test_only_titles_go() -> None:
    titled = dataset("one", "a", "b")
    bare = without_titles(titled)
    assert bare.name != titled.name
    assert bare.questions == titled.questions
    assert [{**row, "title": ""} for row in titled.corpus] == list(bare.corpus)
