"""Drafted questions that more than one passage, or none, answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from belvedere.evaluation.draft_facts import Fact
from belvedere.evaluation.draft_reading import FoundFact
from belvedere.evaluation.draft_soundness import gives_away, is_sound
from graph_store.bundles import PassageGraph
from graph_store.ids import name_key
from raptor.stop_words import FUNCTION_WORDS

_MOST_JOINED = 24
_OWNERS = frozenset({"his", "her", "their"})
_VAGUE = ("Who is ", "Who are ", "What is ", "What are ", "What was ", "Who was ")


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedQuestion:
    """A question to be edited: its kind, the passages that it was made from, and the documents that answer it."""

    text: str
    kind: str
    answer: str | None
    documents: tuple[str, ...]
    chunks: tuple[str, ...]
    made_from: tuple[str, ...]


def single(found: FoundFact) -> DraftedQuestion:
    """Return the question of one fact."""
    fact = found.fact
    return DraftedQuestion(
        text=fact.question,
        kind=f"fact-{fact.kind}",
        answer=fact.answer,
        documents=(found.document_id,),
        chunks=(found.chunk_id,),
        made_from=(fact.sentence,),
    )


def joins(facts: Sequence[FoundFact]) -> Iterator[DraftedQuestion]:
    """Yield questions about something that is told by what another document says of it.

    Of "Anna Lind founded X" and "Anna Lind was born in 1840" it is "When was the person who founded X born?"; of "Anna
    Lind is a Danish engineer from Ribe" it is "When was the Danish engineer from Ribe born?". The two kinds come in
    turn.
    """
    by_deed, by_definition = _by_deed(facts), _by_definition(facts)
    for pair in zip_longest(by_deed, by_definition):
        yield from (question for question in pair if question is not None)


def _by_deed(facts: Sequence[FoundFact]) -> Iterator[DraftedQuestion]:
    told: dict[str, list[FoundFact]] = {}
    for found in facts:
        if found.fact.description:
            told.setdefault(found.answer_key, []).append(found)
    for about in facts:
        for bridge in told.get(about.subject_key, ()) if about.fact.subject else ():
            fact = bridge.fact
            yield from _join(bridge, about, name=about.fact.subject, called=fact.description, hidden=fact.answer)


def _by_definition(facts: Sequence[FoundFact]) -> Iterator[DraftedQuestion]:
    defined = [(name, found) for found in facts if found.fact.definition for name in _names_of(found)]
    for about in facts:
        for name, bridge in defined:
            if about.fact.question.count(f" {name}") == 1:
                yield from _join(bridge, about, name=name, called=bridge.fact.definition, hidden=name)


def _names_of(found: FoundFact) -> list[str]:
    """Return the names of a fact's subject that are long enough to mean it alone."""
    names = [found.fact.subject, *([found.title] if found.subject_key == name_key(found.title) else [])]
    return [name for name in dict.fromkeys(names) if " " in name]


def _join(bridge: FoundFact, about: FoundFact, *, name: str, called: str, hidden: str) -> Iterator[DraftedQuestion]:
    """Yield ``about`` with ``name`` put as ``called``, unless that makes no question of two documents."""
    text = about.fact.question.replace(name, called, 1)
    if bridge.document_id == about.document_id or about.fact.question.startswith(_VAGUE):
        return
    if len(text.split()) > _MOST_JOINED or not is_sound(text, about.fact.answer) or gives_away(text, hidden):
        return
    yield DraftedQuestion(
        text=text,
        kind="join",
        answer=about.fact.answer,
        documents=(bridge.document_id, about.document_id),
        chunks=(bridge.chunk_id, about.chunk_id),
        made_from=(bridge.fact.sentence, about.fact.sentence),
    )


def unanswerable(facts: Sequence[FoundFact], graph: PassageGraph) -> Iterator[DraftedQuestion]:
    """Yield questions about a name of the collection and a fact that is told of another one of its kind alone.

    No passage mentions the name beside any other name of the question, so that nothing answers it as far as a program
    can see.
    """
    subjects: dict[str, list[FoundFact]] = {}
    for found in facts:
        if found.fact.subject and found.fact.subject_label:
            subjects.setdefault(found.fact.subject_label, []).append(found)
    for found in facts:
        if not found.fact.subject or found.fact.question.startswith(_VAGUE):
            continue
        alike = (other for other in subjects.get(found.fact.subject_label, ()) if _said(found.fact) & _said(other.fact))
        question = next((made for other in alike if (made := _exchanged(found, other, graph)) is not None), None)
        if question is not None:
            yield question


def _said(fact: Fact) -> frozenset[str]:
    """Return the telling words of a question, without names: what is asked of alike things has some in common."""
    words = fact.question.replace(fact.subject, " ").rstrip("?").split()[2:]
    return frozenset(word for word in words if word.islower() and word not in FUNCTION_WORDS)


def _exchanged(found: FoundFact, other: FoundFact, graph: PassageGraph) -> DraftedQuestion | None:
    fact, name = found.fact, other.fact.subject
    rest = _names_in(fact.question.replace(fact.subject, " "), graph.mentions)
    met = set(graph.mentions.get(name_key(name), ()))
    if other.document_id == found.document_id or not met or not rest:
        return None
    if any(met & set(graph.mentions[key]) for key in rest):
        return None
    text = fact.question.replace(fact.subject, name, 1)
    # "his" and "her" were said of another one, who may not be a person at all.
    if fact.subject in text or name in fact.question or not is_sound(text, "") or _OWNERS & set(text.split()):
        return None
    return replace(single(found), text=text, kind="unanswerable", answer=None, documents=())


def _names_in(question: str, known: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Return the known names that a question holds, as name keys."""
    words = name_key(question).split()
    spans = ((start, start + length) for length in (4, 3, 2, 1) for start in range(len(words) - length + 1))
    return [key for key in (" ".join(words[start:end]) for start, end in spans) if key in known]
