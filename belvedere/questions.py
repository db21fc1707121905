"""The asking side of a knowledge base: options read and checked, models chosen, answers had."""

from collections.abc import Iterable, Iterator, Mapping
from typing import get_args

from belvedere.errors import UserMistake
from belvedere.store_session import StoreSession
from graph_store.access import Access
from graph_store.filters import MetadataFilter, Versions, parse_filter
from query.asking import Asker, AskingModels, Manner
from query.conversation.turns import Turn
from query.llm_answers.answerer import AnswerEvent
from query.outcome import Answer
from query.request import AskOptions, FurtherSearch, RouteChoice, Transformation
from query.settings import QuerySettings
from query.transformations.transform import TRANSFORMATIONS


class NoLanguageModel(UserMistake):
    """Something is asked for that only a language model can do, and its task is off."""


class Questions:
    """Asks the store of a session on behalf of one caller."""

    def __init__(self, session: StoreSession, settings: QuerySettings, access: Access) -> None:
        self._session = session
        self._access = access
        tasks = session.language_models.tasks
        self._rewrites = tasks.rewriting is not None
        reports = tasks.reports if session.tells_reports_lazily else None
        models = AskingModels(answers=tasks.answers, rewriting=tasks.rewriting, reports=reports)
        self._asker = Asker(session, settings, models)

    def options(
        self, route: RouteChoice, k: int | None, filters: Iterable[str | MetadataFilter], versions: Versions
    ) -> AskOptions:
        """Return checked options of a question. Raises ValueError."""
        if route not in get_args(RouteChoice):
            raise ValueError(f"there is no route {route!r}; choose one of {', '.join(get_args(RouteChoice))}")
        parsed = tuple(parse_filter(item) if isinstance(item, str) else item for item in filters)
        return AskOptions(route=route, k=k, filters=parsed, versions=versions, access=self._access)

    def manner(self, transform: Iterable[Transformation] | None, turns: tuple[Turn, ...] = ()) -> Manner:
        """Return how a question is asked. Raises ValueError for an unknown transformation, and ``NoLanguageModel``."""
        if transform is None:
            return Manner(turns=turns)
        wanted = tuple(dict.fromkeys(transform))
        for name in wanted:
            if name not in TRANSFORMATIONS:
                raise ValueError(f"there is no transformation {name!r}; choose of {', '.join(TRANSFORMATIONS)}")
        if wanted and not self._rewrites:
            raise NoLanguageModel(
                f"{', '.join(wanted)}: only a language model can do this; switch on the task rewriting (llm.tasks in"
                " the settings file, or name it in --llm beside others: --llm rewriting,answers)"
            )
        return Manner(turns=turns, transformations=wanted)

    def ask(self, question: str, options: AskOptions, manner: Manner) -> Answer:
        """Answer a question."""
        return self._asker.ask(question, options, manner)

    def stream(self, question: str, options: AskOptions, manner: Manner) -> Iterator[AnswerEvent]:
        """Answer a question part by part."""
        return self._asker.stream(question, options, manner)

    def further(
        self, question: str, options: AskOptions, transform: Iterable[Transformation]
    ) -> tuple[FurtherSearch, ...]:
        """Return the further searches that transformations make of a question. Raises as ``manner`` does."""
        wanted = self.manner(transform).transformations or ()
        return self._asker.further(question, options, wanted).searches

    def contents(self, documents: Iterable[str]) -> Mapping[str, str]:
        """Return the hashes of the contents of documents, as far as the caller may read them now."""
        wanted = sorted(documents)
        if not wanted:
            return {}
        found = self._session.read(lambda store: store.documents(self._access, wanted))
        return {document.id: document.content_hash for document in found}
