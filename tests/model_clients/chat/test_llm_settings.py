"""The section ``llm`` of the settings: switches, models, and what is refused."""

from pathlib import Path

import pytest

from belvedere.config import ConfigError, parse_config
from belvedere.config_text import config_text
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings, with_llm_tasks
from model_clients.chat.endpoint import find_endpoint
from model_clients.chat.errors import EndpointUnusable
from model_clients.chat.settings import TASKS, LlmSettings, ModelPrice, TaskSettings


def read(text: str) -> LlmSettings:
    return parse_config(f"llm: {text}", Settings, source="c.yaml").llm


def complaint(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read(text)
    return str(caught.value)


def test_everything_is_off_by_itself() -> None:
    assert read("") == LlmSettings()
    assert LlmSettings().models() == {}


@pytest.mark.parametrize("on", ["on", "'on'", "true", "'true'", "yes", "On", "'ON'"])
def test_every_spelling_of_on_is_on(on: str) -> None:
    assert read(f"{{model: m, tasks: {{answers: {on}}}}}").models() == {"answers": "m"}


@pytest.mark.parametrize("off", ["off", "'off'", "false", "'false'", "no", "Off", "''"])
def test_every_spelling_of_off_is_off(off: str) -> None:
    assert read(f"{{model: m, tasks: {{answers: {off}}}}}").models() == {}


def test_a_task_may_have_a_model_of_its_own() -> None:
    found = read("{model: small, tasks: {extraction: on, answers: large, judge: off}}")
    assert found.models() == {"extraction": "small", "answers": "large"}


def test_a_task_without_any_model_is_refused() -> None:
    assert "tasks.answers is on, but model names no language model" in complaint("{tasks: {answers: on}}")
    assert read("{tasks: {answers: gpt}}").models() == {"answers": "gpt"}


def test_a_switch_that_is_a_number_is_refused() -> None:
    assert "expected true or false or a text, got '4'" in complaint("{tasks: {answers: 4}}")


def test_prices_are_read_by_model_and_written_again() -> None:
    found = read("{prices: {a/b-1: {prompt: 1, reply: 2.5}, c: {reply: 3}}}")
    assert found.prices == {"a/b-1": ModelPrice(prompt=1.0, reply=2.5), "c": ModelPrice(reply=3.0)}
    text = config_text(Settings(llm=found), heading="x")
    assert parse_config(text, Settings, source="c.yaml").llm == found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{prices: {m: {prompt: -1}}}", "llm.prices.m.prompt: -1.0 is out of range"),
        ("{prices: {m: {promt: 1}}}", "did you mean 'prompt'"),
        ("{prices: {m: {}, m: {}}}", "the key 'm' stands twice"),
        ("{prices: [1]}", "expected values by name, got a list"),
        ("{tasks: {anwsers: on}}", "did you mean 'answers'"),
        ("{model: m, tasks: {answers: on}, budget: {money: 1}}", "prices has none of 'm'"),
        ("{base_url: 'localhost:80'}", "no address"),
        ("{base_url: 'http://host/v1?a=secret123'}", "a query or fragment"),
        ("{base_url: 'http://host/v1#a'}", "a query or fragment"),
        ("{structured: maybe}", "not one of auto"),
    ],
)
def test_what_cannot_work_is_refused(text: str, sentence: str) -> None:
    assert sentence in complaint(text)


def test_ready_prices_are_held_to_their_range(tmp_path: Path) -> None:
    settings = Settings(llm=LlmSettings(prices={"m": ModelPrice(reply=-1.0)}))
    with pytest.raises(ConfigError, match=r"^llm\.prices\.m\.reply: -1\.0 is out of range"):
        KnowledgeBase.open(tmp_path, config=settings)


def test_a_key_in_the_settings_is_refused_and_never_repeated() -> None:
    for text in (
        "{api_key_env: sk-proj-secret123}",
        "{api_key: sk-proj-secret123}",
        "{base_url: 'https://user:secret123@host/v1'}",
        "{base_url: 'https://host/v1?key=secret123'}",
        "{base_url: 'host/v1#secret123'}",
    ):
        assert "secret123" not in complaint(text)


def test_naming_tasks_switches_exactly_these() -> None:
    settings = LlmSettings(model="small", tasks=TaskSettings(extraction=True, answers="large"))
    assert settings.with_tasks(["answers", "rewriting"]).models() == {"answers": "large", "rewriting": "small"}
    assert settings.with_tasks(["none"]).models() == {}
    assert settings.with_tasks(TASKS).models().keys() == set(TASKS)
    assert settings.models() == {"extraction": "small", "answers": "large"}


@pytest.mark.parametrize("names", [["anwsers"], ["none", "answers"]])
def test_a_name_that_is_no_task_is_refused(names: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"there is no task '(anwsers|none)' .*, judge, or none$"):
        with_llm_tasks(Settings(llm=LlmSettings(model="m")), names)


def test_a_task_named_without_any_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="answers is on, but model names no"):
        with_llm_tasks(Settings(), ["answers"])


def test_the_address_is_of_the_settings_then_of_the_environment_then_openai() -> None:
    variables = {"OPENAI_API_KEY": "k1", "OPENAI_BASE_URL": "http://b/v1/"}
    assert find_endpoint(LlmSettings(base_url="http://a/v1"), variables).base_url == "http://a/v1"
    assert find_endpoint(LlmSettings(), variables).base_url == "http://b/v1"
    assert find_endpoint(LlmSettings(), {"OPENAI_API_KEY": "k1"}).base_url == "https://api.openai.com/v1"


def test_the_key_is_of_the_named_variable_and_never_shown() -> None:
    endpoint = find_endpoint(LlmSettings(api_key_env="OTHER_KEY"), {"OTHER_KEY": " k-12345 ", "OPENAI_API_KEY": "no"})
    assert endpoint.key == "k-12345"
    assert "k-12345" not in repr(endpoint)


def test_openai_itself_needs_a_key_and_others_do_not() -> None:
    with pytest.raises(EndpointUnusable, match="environment variable OPENAI_API_KEY"):
        find_endpoint(LlmSettings(), {})
    assert find_endpoint(LlmSettings(base_url="http://localhost:11434/v1"), {}).key


@pytest.mark.parametrize(
    "address", ["nowhere", "http://", "http://me:secret@host/v1", "http://host/v1?a=secret", "http://host/#secret"]
)
def test_an_address_of_the_environment_that_is_none_is_refused_unshown(address: str) -> None:
    with pytest.raises(EndpointUnusable, match="OPENAI_BASE_URL is no address") as caught:
        find_endpoint(LlmSettings(), {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": address})
    assert "secret" not in str(caught.value)


def test_a_broken_key_is_refused_unshown() -> None:
    with pytest.raises(EndpointUnusable, match="characters that no key has") as caught:
        find_endpoint(LlmSettings(), {"OPENAI_API_KEY": "sk-abc\nsecret"})
    assert "secret" not in str(caught.value)
