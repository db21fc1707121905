"""What was asked and answered before, as far as a follow-up question may need it."""

from dataclasses import dataclass

from query.conversation.settings import ConversationSettings
from query.outcome import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question, as it was asked and as it was understood, with its answer.

    ``documents`` are the ids of the documents whose words are in the answer.
    """

    question: str
    asked_as: str
    answer: str
    documents: tuple[str, ...]


def turn_of(answer: Answer, settings: ConversationSettings) -> Turn:
    """Return what is kept of an answer; nothing of one that says that nothing was found."""
    told = "" if answer.abstained else answer.answer[: settings.answer_characters]
    documents = {citation.document_id for citation in answer.citations} if told else set[str]()
    return Turn(
        question=answer.question,
        asked_as=answer.asked_as or answer.question,
        answer=told,
        documents=tuple(sorted(documents)),
    )


def readable_turns(turns: tuple[Turn, ...], readable: frozenset[str]) -> tuple[Turn, ...]:
    """Return the turns without answers that have words of a document outside ``readable``."""
    return tuple(
        turn
        if readable.issuperset(turn.documents)
        else Turn(question=turn.question, asked_as=turn.question, answer="", documents=())
        for turn in turns
    )
