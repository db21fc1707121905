"""A conversation: questions that follow each other, each understood from those before it."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from belvedere.conversation_files import ConversationFiles
from graph_store.filters import CURRENT, MetadataFilter, Versions
from query.conversation.settings import ConversationSettings
from query.conversation.turns import Turn, behind, readable_turns, turn_of
from query.llm_answers.answerer import AnswerEnd, AnswerEvent
from query.outcome import Answer
from query.request import RouteChoice, Transformation

if TYPE_CHECKING:
    from belvedere.questions import Questions


class Chat:
    """One conversation of one caller. ``name`` keeps it on disk, empty keeps it in memory alone.

    A kept answer is left out of the history as soon as a document that it cites is changed, gone, or hidden.
    """

    def __init__(
        self, questions: "Questions", files: ConversationFiles, settings: ConversationSettings, name: str
    ) -> None:
        self._questions = questions
        self._files = files
        self._settings = settings
        self._name = name
        self._turns = files.read(name) if name else ()

    @property
    def turns(self) -> tuple[Turn, ...]:
        """What was asked and answered, oldest first, as far as its documents are as they were."""
        self._turns = self._readable(self._turns)
        return self._turns

    def ask(  # the parameters of KnowledgeBase.ask
        self,
        question: str,
        *,
        route: RouteChoice = "auto",
        k: int | None = None,
        filters: Iterable[str | MetadataFilter] = (),
        versions: Versions = CURRENT,
        transform: Iterable[Transformation] | None = None,
    ) -> Answer:
        """Answer a question as ``KnowledgeBase.ask`` does, understood from the turns before it."""
        options = self._questions.options(route, k, filters, versions)
        answer = self._questions.ask(question, options, self._questions.manner(transform, self.turns))
        self._remember(answer)
        return answer

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
        """Answer part by part; the turn is kept when the whole answer has come."""
        options = self._questions.options(route, k, filters, versions)
        return self._remembering(
            self._questions.stream(question, options, self._questions.manner(transform, self.turns))
        )

    def _remembering(self, events: Iterator[AnswerEvent]) -> Iterator[AnswerEvent]:
        for event in events:
            if isinstance(event, AnswerEnd):
                self._remember(event.answer)
            yield event

    def forget(self) -> bool:
        """Forget all turns, those on disk too; tell whether there were any."""
        had = bool(self._turns)
        self._turns = ()
        return (self._files.forget(self._name) or had) if self._name else had

    def _remember(self, answer: Answer) -> None:
        turn = turn_of(answer, self._questions.contents(behind(answer)), self._settings)
        # The turns are held against the store anew: something may have been deleted while the model was thinking. Those
        # on disk are read again, too: another process may have asked under the name.
        if self._name:
            self._turns = self._files.add(self._name, turn, self._readable)
        else:
            self._turns = (*self.turns, turn)[-self._settings.turns :]

    def _readable(self, turns: tuple[Turn, ...]) -> tuple[Turn, ...]:
        cited = {document for turn in turns for document in turn.documents}
        return readable_turns(turns, self._questions.contents(cited))
