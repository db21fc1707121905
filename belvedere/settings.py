"""All settings of Belvedere: the sections of the floors, put together. Defaults stand in the sections themselves."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from belvedere.config import ConfigError, read_config
from belvedere.config_text import config_text
from belvedere.setting_ranges import out_of_range
from graph_store.settings import Neo4jSettings, StoreSettings
from indexing.settings import IndexingSettings
from model_clients.chat.settings import LlmSettings
from model_clients.settings import EmbedderSettings, RerankerSettings
from query.settings import QuerySettings

_HEADING = (
    "Every setting of Belvedere with its default. The commands read config.yaml in the folder where they run, or the "
    "file given with --config; what is left out keeps its default."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One section per floor."""

    store: StoreSettings = field(default_factory=StoreSettings)
    neo4j: Neo4jSettings = field(default_factory=Neo4jSettings)
    embedder: EmbedderSettings = field(default_factory=EmbedderSettings)
    reranker: RerankerSettings = field(default_factory=RerankerSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)
    indexing: IndexingSettings = field(default_factory=IndexingSettings)
    query: QuerySettings = field(default_factory=QuerySettings)


def load_settings(path: Path | None) -> Settings:
    """Read the settings file at ``path``, or return the defaults where there is none. Raises ``ConfigError``."""
    return Settings() if path is None else read_config(path, Settings)


def with_llm_tasks(settings: Settings, tasks: Iterable[str]) -> Settings:
    """Return settings in which language models do exactly these tasks. Raises ``ConfigError``."""
    try:
        return replace(settings, llm=settings.llm.with_tasks(tasks))
    except ValueError as error:
        raise ConfigError(f"llm: {error}") from None


def checked(settings: Settings) -> Settings:
    """Return ready settings as they are. Raises ``ConfigError`` where one lies out of its range."""
    for sentence in out_of_range(settings):
        raise ConfigError(sentence)
    return settings


def default_config_text() -> str:
    """Return the text of the ``config.yaml`` that lists every setting with its default."""
    return config_text(Settings(), heading=_HEADING)
