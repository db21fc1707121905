"""What was asked and answered before, as far as a follow-up question may need it."""

from collections.abc import Mapping
from dataclasses import dataclass

from query.conversation.settings import ConversationSettings
from query.outcome import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """A question, as it was asked and as it was understood, with its answer.

    ``documents`` are the ids of the documents whose words may be in any of them, each with the hash of its content
    then: those that the answer cites, and those of the turns that the question was understood from.
    """

    question: str
    asked_as: str
    answer: str
    documents: Mapping[str, str]


def behind(answer: Answer) -> frozenset[str]:
    """Return the ids of the documents whose words may be in an answer, or in its question as it was understood."""
    return frozenset({*answer.asked_from, *(citation.document_id for citation in answer.citations)})


def turn_of(answer: Answer, contents: Mapping[str, str], settings: ConversationSettings) -> Turn:
    """Return what is kept of an answer; ``contents`` maps the ids of the documents ``behind`` it to their hashes.

    Of an answer that says that nothing was found, or behind which something is gone by now, the question alone is kept.
    """
    cited = behind(answer)
    is_kept = not answer.abstained and cited.issubset(contents)
    return Turn(
        question=answer.question,
        asked_as=(answer.asked_as or answer.question) if is_kept else answer.question,
        answer=answer.answer[: settings.answer_characters] if is_kept else "",
        documents={document: contents[document] for document in sorted(cited)} if is_kept else {},
    )


def readable_turns(turns: tuple[Turn, ...], contents: Mapping[str, str]) -> tuple[Turn, ...]:
    """Return the turns, of those that rest on a document that is not as it was, or is hidden, the question alone.

    ``contents`` maps the ids of readable documents to the hashes of their contents. What was understood of a question
    goes as well, from all turns that follow too: its names may come from an answer before it.
    """
    kept: list[Turn] = []
    is_whole = True
    for turn in turns:
        holds = all(contents.get(document) == content for document, content in turn.documents.items())
        is_whole = is_whole and holds
        asked_as = turn.asked_as if is_whole else turn.question
        answer, documents = (turn.answer, turn.documents) if holds else ("", {})
        kept.append(Turn(question=turn.question, asked_as=asked_as, answer=answer, documents=documents))
    return tuple(kept)
