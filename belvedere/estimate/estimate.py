"""What indexing will take before anything is paid: documents, chunks, room, and the calls of language models.

All documents are loaded and cut into chunks, as indexing does it. A sample of them, drawn by a seed, is indexed for
real into a store of its own, by the code and the prompts that index everything, with a model that replies by rules in
the place of the language models; what it would have sent is counted and scaled to the whole.
"""

import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from belvedere.estimate.question_estimate import SamplePassage, estimate_questions
from belvedere.estimate.recording import RecordingModel
from belvedere.estimate.storage import Held, StorageEstimate, estimate_storage
from belvedere.estimate.task_estimate import NOTHING, Between, Sampled, TaskEstimate, estimate_task, spread
from belvedere.settings import Settings
from belvedere.status import folder_bytes
from belvedere.wiring import make_embedder
from graph_store.bundles import DocumentState
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.embedded.neighbour_graph import neighbour_graphs_available
from indexing.build_index import IndexRun
from indexing.chunking.chunk_document import ChunkedDocument, chunk_document
from indexing.document_step import PendingDocument
from indexing.given_paths import GivenPaths
from indexing.loading.loaded import LoadFailure
from indexing.model_names import IndexingModels
from indexing.options import IndexOptions
from indexing.report import Progress
from indexing.source_memory import SourceMemory
from indexing.source_step import SourceChanges, SourceStep
from model_clients.chat.messages import Task
from model_clients.chat.settings import INDEXING_TASKS
from model_clients.chat.task_model import TaskModel
from model_clients.embedder import Embedder
from model_clients.hashing_embedder import HashingEmbedder

SAMPLE_CHUNKS = 150
"""Chunks of the sample, about: whole documents are drawn until there are so many."""

# An embedder behind an endpoint is not asked, since its calls are paid for: vectors by hashing stand in for its own, of
# the dimensions that the settings name, else of so many.
_API = "openai:"
_API_DIMENSION = 1536


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What indexing will take; ``sampled`` is how many chunks the tasks and the room are judged by.

    ``tasks`` are those of indexing, ``per_question`` those of asking, for one question each. ``lazy_reports`` are the
    reports that one question has told where ``llm.lazy`` is on, which then takes the place of all tasks of indexing.
    ``embedding`` is what an embedder behind an endpoint will be sent, None where there is none.
    """

    documents: int
    chunks: int
    sampled: int
    storage: StorageEstimate
    tasks: Mapping[Task, TaskEstimate]
    per_question: Mapping[Task, TaskEstimate]
    lazy_reports: TaskEstimate
    embedding: Between | None
    failed: tuple[LoadFailure, ...]

    @property
    def cost(self) -> Between:
        """What the tasks that are on cost together, as far as prices are configured."""
        costs = [task.cost for task in self.tasks.values() if task.on and task.cost is not None]
        return sum(costs, start=NOTHING)

    @property
    def lazy_share(self) -> float:
        """Tokens of a question that has reports told, as a share of those that all tasks of indexing take."""
        full = sum((task.tokens.likely for task in self.tasks.values()), start=0.0)
        return self.lazy_reports.tokens.likely / full if full else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """The reports and tree nodes of the sample's store, and its bytes before and after the sample was indexed."""

    derived: int
    empty: int
    full: int


class Estimator:
    """Makes estimates with one collection of settings."""

    def __init__(self, settings: Settings, *, seed: int = 0, tell: Callable[[Progress], None] | None = None) -> None:
        self._settings = settings
        self._seed = seed
        self._tell = tell
        self._embedder = _free_embedder(settings)

    def estimate(
        self, paths: Sequence[Path], options: IndexOptions, stored: Mapping[str, DocumentState] | None = None
    ) -> Estimate:
        """Estimate the indexing of ``paths``; documents that are ``stored`` as they are count for nothing.

        Raises as indexing does for what cannot be found.
        """
        changes = self._load(paths, options, stored or {})
        chunked = [self._chunked(item) for item in changes.pending]
        places = self._draw([len(item.chunks) for item in chunked])
        model = RecordingModel()
        sample = [changes.pending[place] for place in places]
        total = sum(len(item.chunks) for item in chunked)
        sampled = sum(len(chunked[place].chunks) for place in places)
        scale = total / sampled if sampled else 1.0
        taken = self._index(sample, model)
        held = self._held([chunked[place] for place in places], sample, taken.derived)
        return Estimate(
            documents=len(changes.pending),
            chunks=total,
            sampled=sampled,
            storage=self._storage(held, scale, taken),
            tasks={task: self._task(task, Sampled(calls=model.calls[task], scale=scale)) for task in INDEXING_TASKS},
            per_question=self._per_question(sample, [chunked[place] for place in places]),
            lazy_reports=self._lazy_reports(Sampled(calls=model.calls["reports"], scale=scale)),
            embedding=self._embedding(held, scale),
            failed=tuple(changes.failed),
        )

    def _load(self, paths: Sequence[Path], options: IndexOptions, stored: Mapping[str, DocumentState]) -> SourceChanges:
        settings = self._settings.indexing
        step = SourceStep(stored, settings, options, GivenPaths(paths))
        memory = SourceMemory({}, fingerprint=settings.source_fingerprint(options.models.names))
        return step.run(paths, memory, lambda done, total: self._say("load", done, total))

    def _chunked(self, item: PendingDocument) -> ChunkedDocument:
        loaded = item.loaded
        return chunk_document(
            item.document, loaded.text, loaded.pages, self._embedder, self._settings.indexing.chunking
        )

    def _draw(self, sizes: Sequence[int]) -> list[int]:
        """Return the places of documents with so many chunks together, drawn by the seed, in their order."""
        places = list(range(len(sizes)))
        random.Random(self._seed).shuffle(places)
        drawn, chunks = [], 0
        for place in places:
            if chunks >= SAMPLE_CHUNKS:
                break
            drawn.append(place)
            chunks += sizes[place]
        return sorted(drawn)

    def _index(self, sample: Sequence[PendingDocument], model: RecordingModel) -> _Taken:
        """Index the sample, and tell what its store takes."""
        if not sample:
            return _Taken(derived=0, empty=0, full=0)
        step = f"indexing a sample of {len(sample):,} documents to count calls"
        self._say(f"{step}, loading the model", 0, None)
        task_model = TaskModel(model)
        models = IndexingModels(extraction=task_model, reports=task_model, summaries=task_model)
        options = IndexOptions(tenant=sample[0].document.tenant, models=models)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "store"
            self._store(place).close()
            empty = folder_bytes(place)
            with closing(self._store(place)) as store:
                run = IndexRun(
                    store,
                    self._embedder,
                    settings=self._settings.indexing,
                    options=options,
                    listener=lambda event: self._say(f"{step}, {event.step}", event.done, event.total),
                )
                run.index_loaded(sample)
                counts = store.tenant_counts(options.tenant)
            return _Taken(derived=counts.communities + counts.tree_nodes, empty=empty, full=folder_bytes(place))

    def _store(self, place: Path) -> EmbeddedStore:
        embedder = self._embedder
        return EmbeddedStore.create_or_open(
            place,
            embedding_model=embedder.model_id,
            dimension=embedder.dimension,
            token_space=embedder.token_space,
            token_dimension=embedder.token_dimension,
            settings=self._settings.store,
        )

    def _held(self, chunked: Sequence[ChunkedDocument], sample: Sequence[PendingDocument], derived: int) -> Held:
        texts = [chunk.text for item in chunked for chunk in item.chunks]
        tokens = sum(len(self._embedder.token_spans(text)) for text in texts)
        documents = sum(len(item.loaded.text.encode("utf-8", "replace")) for item in sample)
        return Held(
            chunks=len(texts),
            sentences=sum(len(item.sentences) for item in chunked),
            tokens=tokens,
            derived=derived,
            dimension=self._embedder.dimension,
            token_dimension=self._embedder.token_dimension,
            text_bytes=documents + sum(len(text.encode("utf-8", "replace")) for text in texts),
        )

    def _storage(self, held: Held, scale: float, taken: _Taken) -> StorageEstimate:
        graphs, settings = neighbour_graphs_available(), self._settings.store
        sample = estimate_storage(held, settings, neighbour_graphs=graphs)
        whole = replace(
            held,
            chunks=held.chunks * scale,
            sentences=held.sentences * scale,
            tokens=held.tokens * scale,
            derived=held.derived * scale,
            text_bytes=held.text_bytes * scale,
        )
        rest = max(0.0, taken.full - taken.empty - sample.known) * scale + taken.empty
        return replace(estimate_storage(whole, settings, neighbour_graphs=graphs), rest=rest)

    def _task(self, task: Task, sampled: Sampled) -> TaskEstimate:
        llm = self._settings.llm
        chosen = llm.model_of(task)
        model = chosen or llm.model
        on = chosen is not None and not llm.lazy
        return estimate_task(task, sampled, on=on, model=model, price=llm.prices.get(model))

    def _lazy_reports(self, sampled: Sampled) -> TaskEstimate:
        """Return what a question takes that meets untold reports alone, as many as answers read; at least nothing."""
        read, there = self._settings.query.llm_answer.reports, len(sampled.calls) * sampled.scale
        scale = min(1.0, read / there) * sampled.scale if there else 1.0
        all_untold = self._task("reports", Sampled(calls=sampled.calls, scale=scale))
        llm = self._settings.llm
        on = llm.lazy and llm.model_of("reports") is not None
        return replace(spread(all_untold, least=all_untold.times(0.0), most=all_untold), on=on)

    def _per_question(
        self, sample: Sequence[PendingDocument], chunked: Sequence[ChunkedDocument]
    ) -> dict[Task, TaskEstimate]:
        passages = [
            SamplePassage(title=item.document.title, text=chunk.text)
            for item, parts in zip(sample, chunked, strict=True)
            for chunk in parts.chunks
        ]
        return estimate_questions(self._settings, passages, self._embedder)

    def _embedding(self, held: Held, scale: float) -> Between | None:
        """Return the tokens that an endpoint will be sent: chunks, and their sentences by themselves."""
        if not self._settings.embedder.model.startswith(_API):
            return None
        tokens = 2 * held.tokens * scale
        return Between(likely=tokens, low=0.8 * tokens, high=1.3 * tokens)

    def _say(self, step: str, done: int, total: int | None) -> None:
        if self._tell is not None:
            self._tell(Progress(step=step, done=done, total=total))


def _free_embedder(settings: Settings) -> Embedder:
    embedder = settings.embedder
    if not embedder.model.startswith(_API):
        return make_embedder(embedder)
    return HashingEmbedder(embedder.dimensions or _API_DIMENSION, embedder.max_tokens, token_vectors="none")
