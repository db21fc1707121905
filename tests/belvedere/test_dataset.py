import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from belvedere.evaluation.dataset import read_dataset
from belvedere.evaluation.dataset_files import DatasetError
from belvedere.evaluation.question_values import question_key
from graph_store.filters import parse_filter


def write(folder: Path, corpus: Sequence[Mapping[str, object]], questions: Sequence[Mapping[str, object]]) -> Path:
    for name, rows in (("corpus", corpus), ("questions", questions)):
        (folder / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    return folder


def documents(count: int) -> list[dict[str, object]]:
    return [{"id": f"d{number}", "title": "", "text": f"text {number}"} for number in range(count)]


def test_gold_of_every_form(tmp_path: Path) -> None:
    questions: list[dict[str, object]] = [
        {"id": "q1", "question": "one?", "gold_ids": ["d1", "d2", "d1"], "type": "fact"},
        {"question": "two?", "gold_ids": ["d1"], "gold_groups": [["d1", "d2"], ["d3"]]},
        {"question": "none?", "gold_ids": [], "type": None},
    ]
    read = read_dataset(write(tmp_path, documents(4), questions), seed=0).questions
    assert read[0].gold == (frozenset({"d1"}), frozenset({"d2"}))
    assert (read[0].id, read[0].type) == ("q1", "fact")
    assert read[1].gold == (frozenset({"d1", "d2"}), frozenset({"d3"}))
    assert (read[1].id, read[1].type) == ("1", "question")
    assert read[2].gold == ()


def test_grades_are_gold_too(tmp_path: Path) -> None:
    questions: list[dict[str, object]] = [
        {"question": "one?", "gold_grades": {"d1": 3, "d2": 1}},
        {"question": "two?", "gold_ids": ["d2", "d1"], "gold_grades": {"d1": 3, "d2": 1}},
        {"question": "three?", "gold_ids": ["d1"], "grades": {"d1": 4}},
        {"question": "none?", "gold_ids": [], "gold_grades": {}},
    ]
    one, two, three, none = read_dataset(write(tmp_path, documents(4), questions), seed=0).questions
    assert set(one.gold) == set(two.gold) == {frozenset({"d1"}), frozenset({"d2"})}
    assert one.grades == two.grades == {"d1": 3, "d2": 1}
    assert three.grades == none.grades == {}
    assert none.gold == ()


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"gold_grades": ["d1"]}, "gold_grades must be an object such as"),
        ({"gold_grades": {"d1": 0}}, "the grade of 'd1' must be a whole number, 1 to 1,000, higher is better, not 0"),
        ({"gold_grades": {"d1": -1}}, "not -1"),
        ({"gold_grades": {"d1": 10**30}}, "1 to 1,000"),
        ({"gold_grades": {}}, "gold_grades grade nothing"),
        ({"gold_grades": {"d1": 1.5}}, "not 1.5"),
        ({"gold_grades": {"d1": True}}, "not True"),
        ({"gold_grades": {"d1": 2}, "gold_ids": ["d1", "d2"]}, "name different documents"),
        ({"gold_grades": {"d1": 2}, "gold_groups": [["d1"]]}, "not with gold_groups"),
    ],
)
def test_grades_that_mean_nothing_are_refused(tmp_path: Path, row: Mapping[str, object], told: str) -> None:
    folder = write(tmp_path, documents(4), [{"question": "one?", **row}])
    with pytest.raises(DatasetError, match=r"questions.jsonl, line 1: ") as caught:
        read_dataset(folder, seed=0)
    assert told in str(caught.value)


def test_the_corpus_is_shuffled_by_the_seed(tmp_path: Path) -> None:
    folder = write(tmp_path, documents(50), [{"question": "?", "gold_ids": ["d1"]}])
    orders = [[row["id"] for row in read_dataset(folder, seed=seed).corpus] for seed in (0, 0, 1)]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]
    assert orders[0] != [row["id"] for row in documents(50)]
    assert sorted(map(str, orders[0])) == sorted(str(row["id"]) for row in documents(50))


def test_a_limit_takes_a_seeded_sample_in_order(tmp_path: Path) -> None:
    questions = [{"id": f"q{number:02}", "question": "?", "gold_ids": ["d1"]} for number in range(40)]
    folder = write(tmp_path, documents(2), questions)
    chosen = [question.id for question in read_dataset(folder, seed=5, limit=10).questions]
    assert len(chosen) == 10
    assert chosen == sorted(chosen)
    assert chosen != [f"q{number:02}" for number in range(10)]
    assert chosen == [question.id for question in read_dataset(folder, seed=5, limit=10).questions]


def test_filters_apply_where_a_file_has_the_field(tmp_path: Path) -> None:
    corpus = [{"id": "a", "text": "x", "lang": "en"}, {"id": "b", "text": "y", "lang": "de"}]
    questions = [{"question": f"{year}?", "gold_ids": ["a"], "year": year} for year in (1999, 2005, 2010)]
    folder = write(tmp_path, corpus, questions)
    read = read_dataset(folder, seed=0, filters=(parse_filter("lang=en"), parse_filter("year>=2005")))
    assert [row["id"] for row in read.corpus] == ["a"]
    assert [question.text for question in read.questions] == ["2005?", "2010?"]


def test_a_filter_on_a_field_that_no_row_has(tmp_path: Path) -> None:
    folder = write(tmp_path, documents(1), [{"question": "?", "gold_ids": ["d0"]}])
    with pytest.raises(DatasetError, match="has the field 'language' to filter by"):
        read_dataset(folder, seed=0, filters=(parse_filter("language=en"),))


def test_gold_that_the_corpus_lacks(tmp_path: Path) -> None:
    folder = write(tmp_path, documents(2), [{"question": "?", "gold_ids": ["d0", "gone"]}])
    assert read_dataset(folder, seed=0).missing_gold() == {"gone"}


def test_the_size_of_the_text_is_in_bytes(tmp_path: Path) -> None:
    folder = write(tmp_path, [{"id": "a", "text": "é"}], [{"question": "?", "gold_ids": ["a"]}])
    assert read_dataset(folder, seed=0).text_bytes == 2


@pytest.mark.parametrize(
    ("corpus", "questions", "sentence"),
    [
        ('{"id": "a"}', "", r"corpus.jsonl, line 1: the field 'text'"),
        ("\n[1]", "", r"corpus.jsonl, line 2: expected an object, got list"),
        ("{", "", r"corpus.jsonl, line 1: not valid JSON"),
        ("[" * 100_000, "", r"corpus.jsonl, line 1: not valid JSON"),
        ('{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}', "{}", r"questions.jsonl, line 1: the field 'question'"),
        (
            '{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}',
            '{"question": "?", "gold_ids": ["a"]}',
            r"two documents have the id 'a'",
        ),
        (
            '{"id": "a", "text": "x"}',
            '{"question": "?", "gold_ids": ["a"]}\n{"question": "?"}',
            r"questions.jsonl, line 2: the question has no gold_ids, gold_groups or gold_grades: .* \"gold_ids\": \[\]",
        ),
        (
            '{"id": "a", "text": "x"}',
            '{"question": "?", "gold_ids": null}',
            r"questions.jsonl, line 1: the question has no gold_ids",
        ),
        ('{"id": "a", "text": "x"}', '{"question": "?", "gold_ids": "a"}', r"gold_ids must be a list, not 'a'"),
        ('{"id": "a", "text": "x"}', '{"question": "?", "gold_groups": [[]]}', r"every group .* not \[\]"),
        ('{"id": "a", "text": "x"}', '{"question": "?", "gold_groups": ["a"]}', r"every group .* not 'a'"),
        ('{"id": "a", "text": "x"}', '{"question": "?", "gold_ids": []}', r"no question in .* names a gold document"),
        ('{"id": "a", "text": "x"}', "", r"no question in .* names a gold document"),
        ("", '{"question": "?", "gold_ids": ["a"]}', r"corpus.jsonl holds no document"),
        ('{"id": " ", "text": "x"}', "", r"corpus.jsonl, line 1: the id of the document is empty"),
        ('{"id": "a", "text": "x"}', '{"question": " ", "gold_ids": ["a"]}', r"line 1: the question is empty"),
        ('{"id": "a", "text": "x"}', '{"question": "?", "gold_ids": [["a"]]}', r"by their id, not \['a'\]"),
        ('{"id": "a", "text": "x"}', '{"question": "?", "gold_groups": [["a", {}]]}', r"by their id, not \{\}"),
        ('{"id": "a", "text": "x"}', '{"question": "?", "gold_ids": [true]}', r"by their id, not True"),
    ],
)
def test_a_data_set_that_cannot_be_used(tmp_path: Path, corpus: str, questions: str, sentence: str) -> None:
    (tmp_path / "corpus.jsonl").write_text(corpus, encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(questions, encoding="utf-8")
    with pytest.raises(DatasetError, match=sentence):
        read_dataset(tmp_path, seed=0)


def test_a_folder_without_a_data_set(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"cannot read .*corpus\.jsonl: No such file"):
        read_dataset(tmp_path, seed=0)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({}, ()),
        ({"answer": None}, ()),
        ({"answer": " Paris "}, ("Paris",)),
        ({"answer": 308}, ("308",)),
        ({"answer": ["NYC", "New York"], "answers": ["NYC"], "answer_aliases": ["N.Y."]}, ("NYC", "New York", "N.Y.")),
        ({"answer": ["", None, True]}, ()),
    ],
)
def test_references_are_all_right_answers_of_a_row(
    tmp_path: Path, row: dict[str, object], expected: tuple[str, ...]
) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "text": "t"}\n', encoding="utf-8")
    question = {"question": "Where?", "gold_ids": ["a"], **row}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question) + "\n", encoding="utf-8")
    assert read_dataset(tmp_path, seed=0).questions[0].references == expected


def test_documents_in_files_and_questions_in_yaml(tmp_path: Path) -> None:
    (tmp_path / "corpus" / "deeper").mkdir(parents=True)
    (tmp_path / "corpus" / "one.md").write_text("---\nkind: letter\n---\n# One\n\nThe first.\n", encoding="utf-8")
    (tmp_path / "corpus" / "deeper" / "two.txt").write_text("The second.\n", encoding="utf-8")
    (tmp_path / "questions.yaml").write_text(
        "- {id: a, question: 'Which is first?', type: fact, gold: [one.md], answer: One}\n"
        "- {id: b, question: 'Which is third?', gold: []}\n",
        encoding="utf-8",
    )
    data = read_dataset(tmp_path, seed=0)
    rows = {str(row["id"]): row for row in data.corpus}
    assert set(rows) == {"one.md", "deeper/two.txt"}
    assert (rows["one.md"]["title"], rows["one.md"]["kind"]) == ("One", "letter")
    assert "The first." in str(rows["one.md"]["text"])
    assert [question.gold for question in data.questions] == [(frozenset({"one.md"}),), ()]
    assert data.questions[0].references == ("One",)
    assert not data.missing_gold()


@pytest.mark.parametrize(
    ("questions", "sentence"),
    [
        ("- [", r"questions.yaml: not valid YAML"),
        ("a: b", r"questions.yaml: expected a list of questions, got dict"),
        ("- word", r"questions.yaml, question 1: expected an object, got str"),
        ("- {question: Why}", r"questions.yaml, question 1: the question has no gold_ids"),
        ("- {question: 5, gold: []}", r"question 1: the field 'question' must be there as a text"),
        ("- {question: Why, gold: &a [x]}\n- {question: Who, gold: *a}", r"the alias \*a is not read.*line 2"),
        ("- &a [*a]", r"the alias \*a is not read.*line 1"),
        ("- {question: Why, gold_grades: {true: 1}}", r"name documents by their id, not True"),
        ("- {question: Why, gold_grades: {2024-01-01: 1}}", r"name documents by their id, not datetime"),
        ("- {question: Why, gold_grades: {1: 1, '1': 2}}", r"grade a document twice"),
        (f"- {{question: Why, gold: {'x' * 9000}}}", r"gold_ids must be a list, not 'x{37,40}\.\.\.x+'$"),
        (f"- {{question: Why, gold: [{'[' * 50}{']' * 50}]}}", r"by their id, not \[\[\[?\.\.\."),
    ],
)
def test_questions_in_yaml_that_cannot_be_used(tmp_path: Path, questions: str, sentence: str) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("word", encoding="utf-8")
    (tmp_path / "questions.yaml").write_text(questions, encoding="utf-8")
    with pytest.raises(DatasetError, match=sentence):
        read_dataset(tmp_path, seed=0)


def test_numbers_may_be_ids_in_yaml(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.txt").write_text("word", encoding="utf-8")
    (tmp_path / "questions.yaml").write_text(
        "- {question: Why, gold_grades: {7: 2, a.txt: 1}}\n- {question: Who, gold: [7], gold_grades: {7: 3}}", "utf-8"
    )
    first, second = read_dataset(tmp_path, seed=0).questions
    assert first.gold == (frozenset({"7"}), frozenset({"a.txt"}))
    assert (first.grades, second.grades) == ({"7": 2, "a.txt": 1}, {"7": 3})
    assert len({question_key(question) for question in (first, second)}) == 2


def test_files_that_cannot_be_read_or_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    with pytest.raises(DatasetError, match="corpus holds no document"):
        read_dataset(tmp_path, seed=0)
    (tmp_path / "corpus" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    with pytest.raises(DatasetError, match=r"cannot read .*broken\.pdf of the data set"):
        read_dataset(tmp_path, seed=0)


def test_the_examples_are_a_data_set() -> None:
    data = read_dataset(Path(__file__).resolve().parents[2] / "examples", seed=0)
    assert not data.missing_gold()
    assert {question.type for question in data.questions} >= {"fact", "join", "unanswerable"}
    assert all(row["title"] for row in data.corpus)
