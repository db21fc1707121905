"""``belvedere ask``."""

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from belvedere.cli.answer_text import show_answer
from belvedere.cli.asking_options import Asking, asking_options
from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, QuestionType, Retrieval, Shared, retrieval_options
from belvedere.cli.printing import say, say_json, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.json_form import answer_json

if TYPE_CHECKING:
    from belvedere.knowledge_base import KnowledgeBase
    from query.llm_answers.answerer import AnswerEnd, AnswerEvent


@click.command()
@click.argument("question", type=QuestionType(), required=False)
@retrieval_options
@asking_options
@EVERYBODY
def ask(shared: Shared, question: str | None, retrieval: Retrieval, asking: Asking) -> None:
    """Answer a question from the documents, with the source of every sentence.

    Where the documents do not tell, the answer says so.
    """
    if asking.forget and asking.conversation is None:
        raise click.UsageError("--forget needs --conversation NAME: which one is to be forgotten?")
    if question is None and not asking.forget:
        raise click.UsageError("Missing argument 'QUESTION'.")
    with shared.open(llm=asking.llm) as kb:
        if asking.forget and asking.conversation is not None:
            _forget(kb, asking.conversation, shared, is_all=question is None)
        if question is not None:
            _answer(kb, question, shared, retrieval, asking)


def _forget(kb: "KnowledgeBase", name: str, shared: Shared, *, is_all: bool) -> None:
    forgotten = kb.conversations.forget(name)
    if is_all and shared.as_json:
        say_json({"conversation": name, "forgotten": forgotten})
    elif is_all:
        say(f"Forgot the conversation {name}." if forgotten else f"There was no conversation {name}.")


def _answer(kb: "KnowledgeBase", question: str, shared: Shared, retrieval: Retrieval, asking: Asking) -> None:
    from query.llm_answers.answerer import AnswerPart  # noqa: PLC0415  # heavy import, only when used

    with ProgressBar(waiting_for(kb)):
        events = _events(kb, question, retrieval, asking)
        first = next(events)
    is_told = False
    for event in itertools.chain([first], events):
        if isinstance(event, AnswerPart):
            _show_part(event.text, shared)
            is_told = True
            continue
        if not event.answer.evidence and not event.answer.citations:
            refuse_if_nothing_readable(shared, kb)
        _show_end(event, shared, asking, is_told=is_told)


def waiting_for(kb: "KnowledgeBase") -> str:
    """Return what the first sentence of an answer waits for: the embedding model, and language models if any."""
    models = (kb.language_models.rewriting, kb.language_models.answers)
    asked = " and ".join(dict.fromkeys(model.model_id for model in models if model is not None))
    return f"loading the model {kb.model_name}" + (f" and asking {asked}" if asked else "")


def _events(kb: "KnowledgeBase", question: str, retrieval: Retrieval, asking: Asking) -> "Iterator[AnswerEvent]":
    """Yield the parts of the answer where they are wanted, and the whole one."""
    from query.llm_answers.answerer import AnswerEnd  # noqa: PLC0415  # heavy import, only when used

    asked = kb if asking.conversation is None else kb.chat(asking.conversation)
    if asking.stream:
        yield from asked.ask_stream(
            question,
            route=retrieval.route,
            k=retrieval.k,
            filters=retrieval.filters,
            versions=retrieval.versions,
            transform=asking.transform,
        )
        return
    answer = asked.ask(
        question,
        route=retrieval.route,
        k=retrieval.k,
        filters=retrieval.filters,
        versions=retrieval.versions,
        transform=asking.transform,
    )
    yield AnswerEnd(answer=answer, corrected=False)


def _show_part(text: str, shared: Shared) -> None:
    if shared.as_json:
        say_json({"sentence": text})
    else:
        say(wrapped(text))


def _show_end(end: "AnswerEnd", shared: Shared, asking: Asking, *, is_told: bool) -> None:
    if shared.as_json:
        content = answer_json(end.answer)
        say_json({**content, "corrected": end.corrected} if asking.stream else content)
        return
    if is_told and end.corrected:
        say("The answer as it holds in the end:")
    show_answer(end.answer, show_context=asking.show_context, is_told=is_told and not end.corrected)
