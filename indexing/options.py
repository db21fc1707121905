"""What an indexing run is told beside its sources."""

from dataclasses import dataclass

from graph_store.access import DEFAULT_TENANT
from indexing.model_names import NO_MODELS, IndexingModels


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexOptions:
    """Whose documents these are, and whether documents whose source is gone from the given paths are removed.

    Without ``groups`` everybody of the tenant may read what is new, and what is stored keeps its readers; ``public``
    opens to everybody even documents that are stored for some groups alone. ``rebuild`` makes everything anew: all
    documents that are found, changed or not, and the whole derived layer. ``models`` are the language models that take
    part.
    """

    tenant: str = DEFAULT_TENANT
    groups: tuple[str, ...] = ()
    public: bool = False
    prune: bool = False
    rebuild: bool = False
    models: IndexingModels = NO_MODELS
