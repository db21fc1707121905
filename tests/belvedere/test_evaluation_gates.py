import pytest

from belvedere.evaluation.abstention import Verdict, score_abstention
from belvedere.evaluation.dataset import LabelledQuestion
from belvedere.evaluation.gates import GATE_MEASURES, GateError, check_questions, gates_for, judge_gates, parse_gates
from belvedere.evaluation.intervals import Estimate
from belvedere.evaluation.measures import GRADED, MEASURES
from belvedere.evaluation.system_scores import Latency, SystemScores


def scores(value: float, *, answering: bool = True) -> SystemScores:
    verdicts = [Verdict(answerable=True, abstained=False, support=0.9)] if answering else []
    return SystemScores(
        measures={name: Estimate(value=value, low=value - 0.1, high=value + 0.1, n=9) for name in (*MEASURES, GRADED)},
        by_type={"join": {name: Estimate(value=value / 2, low=None, high=None, n=3) for name in MEASURES}},
        latency_ms=Latency(p50=10.0, p95=50.0),
        abstention=score_abstention(verdicts) if verdicts else None,
        answers=None,
        citations=None,
        values=(),
    )


def question(kind: str, grades: dict[str, int] | None = None) -> LabelledQuestion:
    return LabelledQuestion(id="q", text="?", type=kind, gold=(frozenset({"d"}),), grades=grades or {})


def passed(text: str, value: float = 0.8) -> list[bool]:
    gates = gates_for(parse_gates(text), ("bm25", "local"))
    return [outcome.passed for outcome in judge_gates(gates, {"bm25": scores(0.2), "local": scores(value)})]


def test_gates_are_read_with_and_without_spaces() -> None:
    first, second = parse_gates(" MRR@10 > 0.70, bm25:R@5<=.8 ,")
    assert (first.system, first.measure, first.sign, first.wanted) == ("", "MRR@10", ">", 0.7)
    assert (second.system, second.measure, second.sign, second.wanted) == ("bm25", "R@5", "<=", 0.8)
    assert str(second) == "bm25:R@5<=0.8"


@pytest.mark.parametrize(
    ("text", "expected"), [("R@5>0.8", False), ("R@5>=0.8", True), ("R@5<0.8", False), ("R@5<=0.8", True)]
)
def test_every_sign_on_the_border(text: str, *, expected: bool) -> None:
    assert passed(text) == [expected]


def test_a_gate_is_about_local_unless_it_says_otherwise() -> None:
    assert passed("R@5>0.5,bm25:R@5>0.5,local:R@5<0.5,latency_ms.p95<51") == [True, False, False, True]


def test_the_only_system_is_meant_where_there_is_one() -> None:
    (gate,) = gates_for(parse_gates("R@5>0"), ("dense",))
    assert gate.system == "dense"
    with pytest.raises(GateError, match="bm25:R@5>0"):
        gates_for(parse_gates("R@5>0"), ("bm25", "dense"))


def test_what_could_not_be_measured_does_not_pass() -> None:
    # One answerable question gives no AUROC, and no question has a reference.
    assert passed("abstention.auroc>=0,abstention.auroc<=1,answers.F1>=0,abstention.answerable_abstained<=0") == [
        *(False, False, False, True),
    ]


def test_a_gate_may_be_about_one_type_of_question() -> None:
    assert passed("type=join:R@5>0.5,type=join:R@5>0.3,R@5>0.5,bm25:type=join:R@5>0.15") == [False, True, True, False]
    (gate,) = parse_gates(" local : type = two hops : R@5 >= 0.5")
    assert (gate.system, gate.type, gate.measure, gate.wanted) == ("local", "two hops", "R@5", 0.5)
    assert str(gate) == "local:type=two hops:R@5>=0.5"
    assert parse_gates(str(gate)) == (gate,)


def test_a_type_that_no_question_has_is_refused() -> None:
    gates = parse_gates("type=jion:R@5>0.5")
    questions = [question("fact"), question("join")]
    check_questions(parse_gates("R@5>0.5,type=join:R@5>0.5"), questions)
    with pytest.raises(GateError, match="has the type 'jion'; there are fact, join"):
        check_questions(gates, questions)


def test_a_gate_on_grades_needs_graded_questions() -> None:
    questions = [question("fact"), question("join", grades={"d": 2})]
    check_questions(parse_gates("nDCG@10.graded>0.5,type=join:nDCG@10.graded>0.5"), questions)
    with pytest.raises(GateError, match="no question measured for it has gold_grades"):
        check_questions(parse_gates("type=fact:nDCG@10.graded>0.5"), questions)
    with pytest.raises(GateError, match="no question measured for it has gold_grades"):
        check_questions(parse_gates("nDCG@10.graded>0.5"), questions[:1])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("type=join:latency_ms.p95<5", "measured over all questions alone"),
        ("type=:R@5>1", "cannot read"),
        ("MAP>0.5", "no measure is named 'MAP'; there are R@2, "),
        ("R@5", "cannot read the gate 'R@5'"),
        ("R@5=0.5", "cannot read"),
        ("R@5>>1", "cannot read"),
        ("R@5>much", "'much' is no number"),
        ("R@5>nan", "'nan' is no number"),
        (" , ", "the gate is empty"),
        ("dense:R@5>0.1", "'dense', which is not compared; compared: bm25, local"),
        ("bm25:abstention.auroc>0.1", "bm25 only ranks"),
    ],
)
def test_a_gate_that_means_nothing_is_refused(text: str, told: str) -> None:
    with pytest.raises(GateError) as caught:
        gates_for(parse_gates(text), ("bm25", "local"))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("measure", GATE_MEASURES)
def test_every_measure_can_be_held_against_a_gate(measure: str) -> None:
    (gate,) = gates_for(parse_gates(f"{measure}>=0"), ("local",))
    (outcome,) = judge_gates((gate,), {"local": scores(0.5)})
    assert outcome.passed == (outcome.estimate.value is not None)
