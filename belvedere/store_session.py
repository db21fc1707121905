"""The store as a knowledge base reads it: opened at first use with the model that suits it, anew after a switch."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from belvedere.embedder_choice import EmbedderChoice, choose_embedder
from belvedere.language_models import LanguageModels, replies_beside
from belvedere.settings import Settings
from belvedere.store_location import StoreLocation
from belvedere.wiring import identity_of, make_embedder, make_reranker, open_to_read
from graph_store.errors import StoreMismatch, StoreSwitched
from graph_store.store import GraphStore
from model_clients.embedder import Embedder
from query.engine import QueryEngine
from query.llm_answers.kept_reports import KeptReports

T = TypeVar("T")

# Loading happens at the first text, whichever it is.
ANY_TEXT = "load"


_ATTEMPTS = 3
"""Nobody switches a store more than once within a question; but a question may take long."""


class StoreSession:
    """An open store, its embedder and its engine, each made at its first use.

    With ``second_space`` the second vector space is read in the place of the live one, by the configured embedder.
    """

    def __init__(self, location: StoreLocation, settings: Settings, *, second_space: bool = False) -> None:
        self._location = location
        self._settings = settings
        self._second_space = second_space
        self.language_models = LanguageModels(settings.llm, replies_beside(location, lambda: self.identity))
        """The language models of the tasks that are on; they are no part of the store, so closing it leaves them."""
        self.tells_reports_lazily = settings.llm.lazy
        """Whether reports are told when a question first touches them, not when they are made."""
        self._choice: EmbedderChoice | None = None
        self._embedder: Embedder | None = None
        self._reader: GraphStore | None = None
        self._asker: QueryEngine | None = None
        self._left: list[GraphStore] = []
        self._loaded = False
        self._changing = threading.RLock()

    @property
    def choice(self) -> EmbedderChoice:
        """Which embedder suits the store; found out once, and again after ``choose_again`` and a switch."""
        with self._changing:
            if self._choice is None:
                plain = EmbedderChoice(settings=self._settings.embedder)
                self._choice = plain if self._second_space else choose_embedder(self._location, self._settings)
            return self._choice

    @property
    def used_settings(self) -> Settings:
        """The settings, with the embedder that is used."""
        return replace(self._settings, embedder=self.choice.settings)

    @property
    def embedder(self) -> Embedder:
        """The embedder, whose model is loaded at its first use."""
        with self._changing:
            if self._embedder is None:
                self._embedder = make_embedder(self.choice.settings)
            return self._embedder

    @property
    def store(self) -> GraphStore:
        """The store, open for reading. Raises ``StoreUnusable`` where there is none, or one of another version."""
        with self._changing:
            if self._reader is None:
                self._reader = open_to_read(self._location, self._settings, second_space=self._second_space)
            return self._reader

    @property
    def identity(self) -> str:
        """What tells the store from every other, by which files outside it are filed (see ``GraphStore.identity``).

        That of a folder is known without a store; for a server the store is opened. Raises ``StoreUnusable``.
        """
        return identity_of(self._location, lambda: self.store)

    @property
    def engine(self) -> QueryEngine:
        """The engine that answers. Raises ``StoreMismatch`` where the store was made with another embedding model."""
        with self._changing:
            if self._asker is None:
                reader = self._fitting_reader()
                self._let_go()
                self._reader = reader
                reranker = make_reranker(self._settings.reranker)
                self._asker = QueryEngine(
                    reader, self.embedder, self._settings.query, reranker=reranker, kept_reports=self._kept_reports()
                )
            return self._asker

    def _kept_reports(self) -> KeptReports | None:
        """Return what looks for reports that were told when a question touched them, where they are told so."""
        model = self.language_models.kept_tasks.reports
        return KeptReports(model) if self.tells_reports_lazily and model is not None else None

    def _fitting_reader(self) -> GraphStore:
        """Open the store with the embedder that suits it, found out anew where it was switched since that was done."""
        before = self.choice
        try:
            return self._open(self.embedder)
        except StoreMismatch:
            self.choose_again()
            if self.choice == before:
                raise
        return self._open(self.embedder)

    def _open(self, embedder: Embedder) -> GraphStore:
        return open_to_read(self._location, self._settings, embedder=embedder, second_space=self._second_space)

    def load(self) -> float:
        """Open the store and load what one question needs; return the milliseconds that it took, 0 if done already."""
        if self._asker is not None and self._loaded:
            return 0.0
        start = time.perf_counter()
        _ = self.engine
        self._check_dimension(len(self.embedder.embed_question(ANY_TEXT)))
        self._loaded = True
        return (time.perf_counter() - start) * 1000

    def _check_dimension(self, dimension: int) -> None:
        """Refuse vectors that the store cannot be searched with: an endpoint may give a model's name to another."""
        held = self.store.dimension
        if dimension != held:
            raise StoreMismatch(
                f"{self.embedder.model_id} makes vectors of {dimension} dimensions and the store holds {held}: "
                "configure the model that it was made with"
            )

    def asked(self, ask: Callable[[QueryEngine], T]) -> tuple[T, float]:
        """Return what ``ask`` has from the engine, and the milliseconds that loading took.

        Where the store was switched to another model meanwhile it is opened anew and asked again.
        """
        loading = 0.0
        for _ in range(_ATTEMPTS):
            loading += self.load()
            engine = self.engine
            try:
                return ask(engine), loading
            except StoreSwitched:
                self._leave(engine)
        return ask(self.engine), loading

    def read(self, read: Callable[[GraphStore], T]) -> T:
        """Return what ``read`` has from the store, opened anew where it was switched meanwhile."""
        try:
            return read(self.store)
        except StoreSwitched:
            with self._changing:
                self._let_go()
                self.choose_again()
        return read(self.store)

    def _leave(self, engine: QueryEngine) -> None:
        """Leave a store that was switched, unless another thread has done so."""
        with self._changing:
            if self._asker is engine:
                self._let_go()
                self.choose_again()

    def _let_go(self) -> None:
        """Let the open store go; other threads may be reading it still, so it is closed with everything else."""
        if self._reader is not None:
            self._left.append(self._reader)
        self._reader = None
        self._asker = None

    def choose_again(self) -> None:
        """Find out anew which embedder suits the store; a loaded model that still does is kept."""
        before, self._choice = self._choice, None
        if before is None or self.choice != before:
            self._embedder = None
            self._loaded = False

    def close_connections(self) -> None:
        """Close the connections of language models and of an embedder that has some; the next use opens others."""
        self.language_models.close()
        with self._changing:
            close = getattr(self._embedder, "close", None)
        if close is not None:
            close()

    def close(self) -> None:
        """Close the store; calling it twice is harmless, and the next read opens it again."""
        with self._changing:
            self._let_go()
            for reader in self._left:
                reader.close()
            self._left.clear()
