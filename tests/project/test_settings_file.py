import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import pytest

from belvedere import KnowledgeBase
from belvedere.config import ConfigError, parse_config, read_config
from belvedere.config_text import field_comments
from belvedere.setting_ranges import is_within, shown_range
from belvedere.settings import Settings, default_config_text
from query.settings import LocalSettings, QuerySettings

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
        "query: {local: {damping: 1}}",
        "query: {local: {damping: 0.0}}",
        "query: {local: {candidates: 0}}",
        "query: {summary: {topic: {least_words: 1.5, least_cosine: 0}}}",
        "embedder: {threads: -1}",
        "indexing: {communities: {max_cluster_size: 1}}",
        "indexing: {communities: {resolution: 0}}",
        "indexing: {tree: {max_levels: 0}}",
        "indexing: {tree: {title_phrases: 0}}",
    ],
)
def test_a_value_that_cannot_work_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(ConfigError, match=r"c\.yaml, line 1: [a-z._]+: [-0-9.]+ is out of range; give [a-z0-9, ]+$"):
        parse_config(text, Settings, source="c.yaml")


@pytest.mark.parametrize("path", [path for path in SECTIONS if path and not path.startswith("store")])
def test_every_number_has_a_range_that_holds_its_default(path: str) -> None:
    section = SECTIONS[path]
    annotations = get_type_hints(type(section), include_extras=True)
    for name, annotation in annotations.items():
        value = getattr(section, name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            assert shown_range(annotation), f"{path}.{name} has no range"
            assert is_within(value, annotation), f"{path}.{name}"


def test_ready_settings_are_held_to_the_same_ranges(tmp_path: Path) -> None:
    settings = Settings(query=QuerySettings(local=LocalSettings(damping=2.0)))
    with pytest.raises(ConfigError, match=r"^query.local.damping: 2.0 is out of range"):
        KnowledgeBase.open(tmp_path, config=settings)
