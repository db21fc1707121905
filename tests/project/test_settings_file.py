import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from belvedere.config import ConfigError, parse_config, read_config
from belvedere.config_text import field_comments
from belvedere.settings import Settings, default_config_text

ROOT = Path(__file__).resolve().parents[2]


def sections(settings: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield every section with its dotted path."""
    yield path, settings
    for field in dataclasses.fields(settings):  # type: ignore[arg-type]  # every section is a dataclass
        value = getattr(settings, field.name)
        if dataclasses.is_dataclass(value):
            yield from sections(value, f"{path}.{field.name}".strip("."))


SECTIONS = dict(sections(Settings()))


def test_config_yaml_lists_every_setting_with_its_default_and_nothing_else() -> None:
    written = (ROOT / "config.yaml").read_text(encoding="utf-8")
    assert written == default_config_text(), "run: python -m belvedere.settings_file > config.yaml"


def test_config_yaml_reads_back_as_the_defaults() -> None:
    assert read_config(ROOT / "config.yaml", Settings) == Settings()


@pytest.mark.parametrize("path", SECTIONS)
def test_every_setting_has_a_comment(path: str) -> None:
    section = SECTIONS[path]
    comments = field_comments(type(section))
    for field in dataclasses.fields(section):  # type: ignore[arg-type]  # every section is a dataclass
        if not dataclasses.is_dataclass(getattr(section, field.name)):
            assert comments[field.name], f"{path}.{field.name} has no comment"


@pytest.mark.parametrize("path", SECTIONS)
def test_every_section_is_frozen(path: str) -> None:
    section = SECTIONS[path]
    field = dataclasses.fields(section)[0]  # type: ignore[arg-type]  # every section is a dataclass
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(section, field.name, None)


@pytest.mark.parametrize("path", [path for path in SECTIONS if path])
def test_a_misspelt_key_of_any_section_is_refused_with_the_right_one(path: str) -> None:
    name = dataclasses.fields(SECTIONS[path])[0].name  # type: ignore[arg-type]  # every section is a dataclass
    text = "{" + ": {".join(path.split(".")) + ": {" + f"{name}x: 1" + "}" * (path.count(".") + 2)
    with pytest.raises(ConfigError, match=f"{path}: unknown key '{name}x'.*did you mean '{name}'"):
        parse_config(text, Settings, source="c.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "indexing: {extraction: {batch_size: 0}}",
        "indexing: {communities: {seed: -1}}",
        "indexing: {tree: {cluster_size: 1}}",
        "indexing: {batch_chunks: 0}",
        "query: {local: {restart_spread: 0}}",
    ],
)
def test_a_value_that_cannot_work_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(ConfigError, match=r"c\.yaml, line 1: [a-z.]+: [a-z ]+ setting"):
        parse_config(text, Settings, source="c.yaml")
