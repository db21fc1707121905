import json
from collections.abc import Mapping

from query.short_answers.candidates import find_candidates
from query.short_answers.fitting import Example, fit, out_of_fold
from query.short_answers.model import ClaimRule, choose, shipped_model
from query.short_answers.training import TrainingAnswer, claim_rule, train, weights_text
from tests.query.short_answers.evidence_of import evidence_of, passage_sentences

BUILDERS = ("Ida Holm", "Otto Lind", "Eva Dahl", "Karl Moe", "Nils Aas", "Rut Berg", "Per Vik", "Siv Lie", "Ole Ness")


def answer_of(builder: str, owner: str) -> TrainingAnswer:
    evidence = evidence_of(
        "Who built the tower?", passage_sentences("Tower", f"The tower was built by {builder} for {owner} in 1874.")
    )
    candidates = find_candidates(evidence)
    f1 = tuple(float(candidate.text == builder) for candidate in candidates)

    def score(text: str) -> Mapping[str, float]:
        return {"exact": float(text == builder), "F1": float(text == builder)}

    return TrainingAnswer(source="towers", example=Example(candidates=candidates, f1=f1), score=score)


ANSWERS = [answer_of(one, other) for one in BUILDERS for other in BUILDERS[:3] if one != other]


def test_the_words_before_an_answer_are_learnt() -> None:
    model = fit([answer.example for answer in ANSWERS], strength=10.0)
    choice = choose(model, answer_of("Liv Holt", "Jan Rud").example.candidates)
    assert choice is not None
    assert choice.candidate.text == "Liv Holt"


def test_every_question_is_judged_by_a_model_that_did_not_see_it() -> None:
    choices = out_of_fold([answer.example for answer in ANSWERS], strength=10.0)
    assert all(choice is not None for choice in choices)


def test_a_fold_can_be_a_set_of_its_own() -> None:
    examples = [answer.example for answer in ANSWERS]
    choices = out_of_fold(examples, [int(place >= 12) for place in range(len(examples))], strength=10.0)
    model = fit(examples[:12], strength=10.0)
    assert len(choices) == len(examples)
    seen = choose(model, examples[12].candidates)
    assert choices[12] is not None
    assert seen is not None
    assert choices[12].candidate.text == seen.candidate.text


def test_training_twice_gives_the_same_bytes() -> None:
    text = weights_text(train(ANSWERS))
    assert text == weights_text(train(ANSWERS))
    told = json.loads(text)
    assert told["trained_on"] == {"towers": len(ANSWERS)}
    assert set(told["cross_validated"]["towers"]) >= {"exact_of_best", "claimed", "claimed_exact", "claimed_right"}


def test_claims_are_ruled_by_how_often_they_hold_in_every_set() -> None:
    good, bad = ANSWERS[0], TrainingAnswer(source="x", example=ANSWERS[0].example, score=lambda _: {"F1": 0.0})
    choice = choose(fit([answer.example for answer in ANSWERS]), ANSWERS[0].example.candidates)
    assert choice is not None
    assert claim_rule([(good, choice)]).claims(choice)
    assert not claim_rule([(bad, choice)]).claims(choice)
    assert not claim_rule([(good, choice), (bad, choice)]).claims(choice)


def test_a_sentence_that_has_little_of_the_question_claims_nothing() -> None:
    choice = choose(fit([answer.example for answer in ANSWERS]), ANSWERS[0].example.candidates)
    assert choice is not None
    assert ClaimRule(covered=choice.covered).claims(choice)
    assert not ClaimRule(covered=choice.covered + 0.01).claims(choice)


def test_the_shipped_weights_claim_what_is_likely_alone() -> None:
    model = shipped_model()
    assert 0.0 < model.threshold < 1.0
    assert 0.0 <= model.covered <= 1.0
