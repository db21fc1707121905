"""The face of Belvedere: a collection of documents that answers questions."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, BinaryIO, Self

from belvedere.conversation_files import ConversationFiles
from belvedere.entity_view import EntityView, view_entity
from belvedere.errors import UserMistake
from belvedere.export import ExportFormat, export_to_file, export_to_stream
from belvedere.questions import Questions
from belvedere.settings import Settings, checked, load_settings, with_llm_tasks
from belvedere.similar_names import similar_names
from belvedere.status import StoreStatus, read_status
from belvedere.store_location import StoreLocation, read_location
from belvedere.store_session import ANY_TEXT, StoreSession
from belvedere.upkeep import Deletion, Paths, ProgressListener, Upkeep
from graph_store.access import DEFAULT_TENANT, Access
from graph_store.filters import CURRENT, MetadataFilter, Versions
from graph_store.neo4j.address import ServerAddress
from graph_store.records import Community, TreeNode
from graph_store.store import GraphStore
from indexing.options import IndexOptions
from indexing.report import IndexReport
from model_clients.bundled_model import BUNDLED_PREFIX
from model_clients.chat.task_models import TaskModels
from model_clients.embedder import Embedder, Passage
from query.chain_ranking.explanation import ExplainedRanking
from query.engine import QueryEngine
from query.llm_answers.answerer import AnswerEvent
from query.outcome import Answer, SearchOutcome
from query.packing.packed_context import PackedContext
from query.request import RouteChoice, Transformation

if TYPE_CHECKING:
    from belvedere.chat import Chat
    from belvedere.reconciliation import Reconciliation


class UnknownDocument(UserMistake):
    """No document that the caller may read has the id."""


class UnknownEntity(UserMistake):
    """No entity that the caller may read about has the name."""


class KnowledgeBase:
    """A store with the means to fill it and to ask it.

    Opening is cheap: the store is opened at the first read, the embedding model loaded at its first use. What was read
    is kept between calls, so a second question is answered faster than the first; after ``index`` and ``delete`` the
    store is opened anew. Close it, or use it in a ``with`` statement.
    """

    def __init__(
        self, location: StoreLocation, settings: Settings, access: Access, *, second_space: bool = False
    ) -> None:
        self._location = location
        self._settings = settings
        self._access = access
        self._session = StoreSession(location, settings, second_space=second_space)
        self._upkeep = Upkeep(location, settings, self._session)
        self._questions = Questions(self._session, settings.query, access)

    @classmethod
    def open(
        cls,
        path: str | Path | ServerAddress | None = None,
        *,
        config: str | Path | Settings | None = None,
        tenant: str = DEFAULT_TENANT,
        groups: Iterable[str] = (),
        llm: Iterable[str] | None = None,
        second_space: bool = False,
    ) -> Self:
        """Open the store in the folder ``path``, which need not exist before something is indexed.

        On a Neo4j server it is ``neo4j://host:port/database``; without ``path`` the settings tell (``store.location``).
        ``config`` is a settings file or ready settings; ``tenant`` and ``groups`` say who asks: every read shows only
        what this caller may read. ``llm`` names the tasks that language models do, in the place of those that are on
        in the settings ("none" for no task). ``second_space`` asks the second vector space of the store (see
        ``belvedere migrate embeddings``) in the place of the live one; ``config`` then names its model. Raises
        ``ConfigError``.
        """
        settings = (
            checked(config) if isinstance(config, Settings) else load_settings(None if config is None else Path(config))
        )
        if llm is not None:
            settings = with_llm_tasks(settings, llm)
        access = Access(tenant=tenant, groups=frozenset(groups))
        return cls(read_location(path or settings.store.location), settings, access, second_space=second_space)

    # -- filling ------------------------------------------------------------------------------------------------------

    def index(
        self,
        paths: Paths,
        *,
        tenant: str | None = None,
        groups: Iterable[str] = (),
        public: bool = False,
        prune: bool = False,
        progress: ProgressListener | None = None,
    ) -> IndexReport:
        """Bring the store up to date with files, folders or ``corpus.jsonl`` files; only what changed is done again.

        The documents belong to ``tenant`` (by default the caller's own); ``groups`` restricts who may read them (empty:
        every caller of the tenant). Without groups a document that is stored for some alone stays so, and a new source
        of its very content is left out and named among ``failed``; ``public`` says that everybody may read all of them
        now. ``prune`` removes documents whose source is gone and lay below ``paths``; it refuses with
        ``FolderEmptied`` where a folder of ``paths`` holds no source any more: it may not be mounted. Raises
        ``SourceMissing`` for a path that does not exist, ``StoreUnusable`` where the store cannot be written,
        ``ModelUnusable``.
        """
        options = IndexOptions(tenant=self._owner(tenant), groups=_sorted(groups), public=public, prune=prune)
        return self._upkeep.bring_up_to_date(paths, options, progress)

    def rebuild(
        self,
        paths: Paths,
        *,
        tenant: str | None = None,
        groups: Iterable[str] = (),
        public: bool = False,
        prune: bool = False,
        progress: ProgressListener | None = None,
    ) -> IndexReport:
        """Do as ``index`` does, but make everything anew: the documents in ``paths``, whether they changed or not, and
        all that is derived from any document of the tenant. Parameters and errors are those of ``index``.
        """
        options = IndexOptions(
            tenant=self._owner(tenant), groups=_sorted(groups), public=public, prune=prune, rebuild=True
        )
        return self._upkeep.bring_up_to_date(paths, options, progress)

    def delete(self, document_ids: Iterable[str], *, progress: ProgressListener | None = None) -> Deletion:
        """Delete documents that the caller may read with all that rests on them, and make the derived layer anew.

        Raises ``StoreUnusable`` where there is no store, or one that cannot be written.
        """
        deletion = self._upkeep.delete(document_ids, self._access, progress)
        self.conversations.forget_documents(deletion.deleted)
        return deletion

    def reconcile(
        self,
        paths: Paths,
        *,
        tenant: str | None = None,
        groups: Iterable[str] = (),
        public: bool = False,
        fix: bool = False,
        progress: ProgressListener | None = None,
    ) -> "Reconciliation":
        """Compare the store with its sources; with ``fix`` mend what differs, as ``index`` with ``prune`` does.

        Without ``fix`` nothing is written. Parameters and errors as of ``index``; raises ``StoreMissing`` as well.
        """
        options = IndexOptions(tenant=self._owner(tenant), groups=_sorted(groups), public=public, prune=True)
        return self._upkeep.reconcile(paths, options, fix=fix, progress=progress)

    def _owner(self, tenant: str | None) -> str:
        return self._access.tenant if tenant is None else tenant

    # -- asking -------------------------------------------------------------------------------------------------------

    def ask(  # each is a choice of its own
        self,
        question: str,
        *,
        route: RouteChoice = "auto",
        k: int | None = None,
        filters: Iterable[str | MetadataFilter] = (),
        versions: Versions = CURRENT,
        transform: Iterable[Transformation] | None = None,
    ) -> Answer:
        """Answer with source sentences and their citations, or say that the documents do not tell.

        ``route`` forces a route, ``k`` the number of results, ``filters`` limits the documents (``"year>=2020"``),
        ``versions`` their versions (by default the current ones, whatever their time). ``transform`` names the further
        searches that a language model makes ("rewrite", ...; None: as the settings say).
        The time that opening the store and loading the model took, where this call did, is ``load`` among its times.
        Raises ``FilterMistake``, ``StoreUnusable``, ``ModelUnusable``, ``InvalidText`` for a question with single
        surrogates, ValueError for a filter or k that is none.
        """
        options = self._questions.options(route, k, filters, versions)
        return self._questions.ask(question, options, self._questions.manner(transform))

    def ask_stream(  # as of ask
        self,
        question: str,
        *,
        route: RouteChoice = "auto",
        k: int | None = None,
        filters: Iterable[str | MetadataFilter] = (),
        versions: Versions = CURRENT,
        transform: Iterable[Transformation] | None = None,
    ) -> Iterator[AnswerEvent]:
        """Answer as ``ask`` does, part by part: each sentence once it is checked, and last the whole answer."""
        options = self._questions.options(route, k, filters, versions)
        return self._questions.stream(question, options, self._questions.manner(transform))

    def chat(self, name: str = "") -> "Chat":
        """Return a conversation, in which a question is understood from those before it.

        ``name`` keeps it in the user's state folder, where only the same caller of the same store finds it again.
        Raises ``ConversationUnusable``, and ``StoreUnusable`` where a server does not tell which store it holds.
        """
        from belvedere.chat import Chat  # noqa: PLC0415  # only when used

        return Chat(self._questions, self.conversations, self._settings.query.conversation, name)

    @property
    def conversations(self) -> ConversationFiles:
        """The conversations of this caller that are kept on disk; errors as of ``chat``."""
        return ConversationFiles(self._session.identity, self._access, self._settings.query.conversation)

    def search(
        self,
        question: str,
        *,
        route: RouteChoice = "auto",
        k: int | None = None,
        filters: Iterable[str | MetadataFilter] = (),
        versions: Versions = CURRENT,
    ) -> SearchOutcome:
        """Retrieve without answering; parameters and errors as of ``ask``."""
        options = self._questions.options(route, k, filters, versions)
        outcome, loading = self._session.asked(lambda engine: engine.search(question, options))
        return replace(outcome, timings_ms=_with_loading(outcome.timings_ms, loading))

    def context(
        self,
        question: str,
        *,
        budget: int | None = None,
        route: RouteChoice = "auto",
        k: int | None = None,
        filters: Iterable[str | MetadataFilter] = (),
        versions: Versions = CURRENT,
    ) -> PackedContext:
        """Retrieve, and pack what was found into a text of at most ``budget`` tokens, for whoever feeds a reader.

        Tokens are those of the embedding model's tokenizer; ``budget`` None is the configured one. ``k`` limits the
        passages, reports or summaries that sentences are taken from. Other parameters and errors as of ``ask``.
        """
        options = self._questions.options(route, k, filters, versions)
        packed, loading = self._session.asked(lambda engine: engine.context(question, options, budget=budget))
        return replace(packed, timings_ms=_with_loading(packed.timings_ms, loading))

    def explain_ranking(
        self,
        question: str,
        *,
        k: int = 5,
        filters: Iterable[str | MetadataFilter] = (),
        versions: Versions = CURRENT,
    ) -> ExplainedRanking:
        """Tell for the best ``k`` passages by which chain of passages each was ranked; errors as of ``ask``."""
        options = self._questions.options("local", None, filters, versions)
        return self._session.asked(lambda engine: engine.explain_ranking(question, k, options))[0]

    def warm_up(self) -> None:
        """Open the store and load the whole model now, for many questions.

        Without it the shipped model answers the first question after a second or two and embeds each one in somewhat
        more time; loading it whole takes several seconds once. Raises ``StoreUnusable``, ``ModelUnusable``.
        """
        _ = self.engine
        self.embedder.embed_passages([Passage(text=ANY_TEXT)])
        self._session.load()

    # -- looking around -----------------------------------------------------------------------------------------------

    def status(self) -> StoreStatus:
        """Say what the store holds for this caller and whether it is up to date; loads no model."""
        return self._session.read(
            lambda store: read_status(self._location, store, self._access, self._session.used_settings)
        )

    def communities(self, level: int | None = None) -> tuple[Community, ...]:
        """Return the communities of all levels, or of one (0 is the finest), largest first within a level."""
        return self._session.read(lambda store: store.communities(self._access, level=level))

    def tree(self, document: str | None = None) -> tuple[TreeNode, ...]:
        """Return the nodes of the summary tree, top level first; those of one document where its id is given.

        Raises ``UnknownDocument``.
        """
        return self._session.read(lambda store: store.in_one_state(lambda: self._tree_nodes(document)))

    def _tree_nodes(self, document: str | None) -> tuple[TreeNode, ...]:
        if document is not None and not self.store.documents(self._access, [document]):
            known = [found.id for found in self.store.list_documents(self._access)]
            raise UnknownDocument(f"no document has the id {document!r}{similar_names(document, known)}")
        return self.store.tree_nodes(self._access, document_id=document)

    def graph(self, entity: str) -> tuple[EntityView, ...]:
        """Return the entities that bear the name, most mentioned first, each with its relations and mentions.

        Raises ``UnknownEntity``.
        """
        return self._session.read(lambda store: store.in_one_state(lambda: self._entities(entity)))

    def _entities(self, name: str) -> tuple[EntityView, ...]:
        found = self.store.find_entities(self._access, name)
        if not found:
            known = [other.name for other in self.store.list_entities(self._access)]
            raise UnknownEntity(f"the documents name no {name!r}{similar_names(name, known)}")
        return tuple(view_entity(self.store, self._access, item) for item in found)

    def export(self, destination: str | Path | BinaryIO, form: ExportFormat = "graphml") -> dict[str, int]:
        """Write all that the caller may read: the entity graph, or every record as JSON Lines.

        ``destination`` is a file (replaced whole, or not at all) or a binary stream. Returns the number of records of
        each kind.
        """
        if isinstance(destination, str | Path):
            return self._session.read(lambda store: export_to_file(store, self._access, Path(destination), form))
        return self._session.read(lambda store: export_to_stream(store, self._access, destination, form))

    # -- what stands behind -------------------------------------------------------------------------------------------

    @property
    def access(self) -> Access:
        """Who asks."""
        return self._access

    @property
    def settings(self) -> Settings:
        """The settings that it was opened with."""
        return self._settings

    @property
    def model_name(self) -> str:
        """The name of the embedding model that is used, without where it comes from; loads nothing."""
        return self._session.choice.settings.model.removeprefix(BUNDLED_PREFIX)

    @property
    def questions(self) -> Questions:
        """What puts questions to the engine, with the language models that asking may use."""
        return self._questions

    @property
    def store(self) -> GraphStore:
        """The store, open for reading. Raises ``StoreUnusable`` where there is none, or one of another version."""
        return self._session.store

    @property
    def engine(self) -> QueryEngine:
        """The engine that answers. Raises ``StoreMismatch`` where the store was made with another embedding model."""
        return self._session.engine

    @property
    def embedder(self) -> Embedder:
        """The embedding model that suits the store: the configured one, or that which the store was switched to.

        Loaded at its first use.
        """
        return self._session.embedder

    @property
    def language_models(self) -> TaskModels:
        """The language models of the tasks that are on."""
        return self._session.language_models.tasks

    def close(self) -> None:
        """Close the store and connections; calling it twice is harmless, and the next use opens them again."""
        self._session.close()
        self._session.close_connections()

    def __enter__(self) -> Self:
        """Return this knowledge base."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()


def _with_loading(milliseconds: Mapping[str, float], loading: float) -> dict[str, float]:
    """Return times with that of loading first, and in the total; unchanged where nothing was loaded."""
    if not loading:
        return dict(milliseconds)
    return {"load": round(loading, 3), **milliseconds, "total": round(milliseconds.get("total", 0.0) + loading, 3)}


def _sorted(groups: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(groups)))
