"""Mistakes in the settings of language models: one sentence that names the place, and exit code 2."""

from pathlib import Path

import pytest

from tests.belvedere.small_store import Belvedere


@pytest.mark.parametrize("command", [("ask", "why?"), ("index", "."), ("eval", "."), ("estimate", ".")])
@pytest.mark.parametrize(
    ("llm", "sentence"),
    [
        ("{model: m, tasks: {answer: on}}", "llm.tasks: unknown key 'answer' (did you mean 'answers'?)"),
        ("{tasks: {answers: on}}", "tasks.answers is on, but model names no language model"),
        ("{model: m, tasks: {answers: 3}}", "llm.tasks.answers: expected"),
        ("{base_url: 'localhost:11434/v1', model: m}", "base_url: 'localhost:11434/v1' is no address such as http"),
        ("{base_url: 'http://me:secret@a/v1', model: m}", "base_url holds a user or password"),
        ("{prices: {m: {prompt: -1}}}", "llm.prices.m.prompt: -1.0 is out of range; give 0 or more"),
        ("{prices: {m: {promt: 1}}}", "unknown key 'promt' (did you mean 'prompt'?)"),
        ("{budget: {money: -1}}", "llm.budget.money: -1.0 is out of range"),
        ("{model: m, tasks: {judge: on}, budget: {money: 1}}", "budget.money needs the prices of each model"),
        ("{api_key_env: sk-abcdef0123}", "api_key_env is not the name of an environment variable"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(
    belvedere: Belvedere, tmp_path: Path, command: tuple[str, ...], llm: str, sentence: str
) -> None:
    config = tmp_path / "c.yaml"
    config.write_text(f"embedder: {{model: 'hashing:64'}}\nllm: {llm}\n", encoding="utf-8")
    outcome = belvedere(*command, "--config", config)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"{config}, line 2: llm" in outcome.err
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1
    assert "secret" not in outcome.err
    assert "abcdef" not in outcome.err
