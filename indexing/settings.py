"""Settings of indexing: one section per step."""

from dataclasses import dataclass, field
from typing import Annotated

from annotated_types import Ge, Interval

from indexing.chunking.settings import ChunkingSettings
from indexing.communities.settings import CommunitySettings
from indexing.extraction.settings import ExtractionSettings
from indexing.identity import settings_fingerprint
from indexing.llm_extraction.prompt import PROMPT
from indexing.llm_extraction.settings import LlmExtractionSettings
from indexing.loading.settings import LoadingSettings
from indexing.model_names import NO_MODEL_NAMES, ModelNames
from indexing.passage_graph_settings import GraphSettings
from raptor.settings import TreeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexingSettings:
    """How documents become chunks, a graph, communities and trees."""

    loading: LoadingSettings = field(default_factory=LoadingSettings)
    chunking: ChunkingSettings = field(default_factory=ChunkingSettings)
    extraction: ExtractionSettings = field(default_factory=ExtractionSettings)
    llm_extraction: LlmExtractionSettings = field(default_factory=LlmExtractionSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    communities: CommunitySettings = field(default_factory=CommunitySettings)
    tree: TreeSettings = field(default_factory=TreeSettings)
    batch_chunks: Annotated[int, Ge(1)] = 256
    """Chunks per commit: an interrupted run loses at most this much work."""
    repair_share: Annotated[float, Interval(ge=0, le=1)] = 0.2
    """Share of the documents that may change before communities and trees are made anew: until then they are repaired.
    0 always makes them anew."""

    def document_fingerprint(self, models: ModelNames = NO_MODEL_NAMES) -> str:
        """Name what a stored document depends on beside its source: where it changes, documents are made anew."""
        return settings_fingerprint(self.chunking, self.extraction, *self._model_sections(models))

    def source_fingerprint(self, models: ModelNames = NO_MODEL_NAMES) -> str:
        """Name what the reading of a source depends on: where it changes, all are read again."""
        return settings_fingerprint(self.loading, self.chunking, self.extraction, *self._model_sections(models))

    def _model_sections(self, models: ModelNames) -> tuple[object, ...]:
        """Return what extraction by a language model depends on, nothing where no model takes part."""
        return (
            (self.llm_extraction, ModelNames(extraction=f"{models.extraction} {PROMPT}")) if models.extraction else ()
        )

    def derived_fingerprint(self) -> str:
        """Name the settings that the derived layer depends on."""
        return settings_fingerprint(self.graph, self.communities, self.tree)
