"""Language models that reply by a script, put before the engine over the small collection."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from model_clients.chat.errors import EndpointFailed
from model_clients.chat.messages import ChatRequest
from model_clients.chat.scripted_model import ScriptedChatModel
from model_clients.chat.task_model import TaskModel
from query.citations import Quote
from query.engine import QueryEngine
from query.llm_answers.material import Material

T = TypeVar("T")


class OneEngine:
    """Runs everything on one engine that is open."""

    def __init__(self, engine: QueryEngine) -> None:
        self._engine = engine

    def asked(self, ask: Callable[[QueryEngine], T]) -> tuple[T, float]:
        return ask(self._engine), 0.0


def task_model(script: Callable[[ChatRequest], str]) -> tuple[TaskModel, ScriptedChatModel]:
    scripted = ScriptedChatModel(script)
    return TaskModel(scripted), scripted


def failing(_request: ChatRequest) -> str:
    raise EndpointFailed("the endpoint is gone")


def passages_of(request: ChatRequest) -> dict[int, str]:
    """What the prompt shows as data: number -> text."""
    content = request.messages[-1].content
    found = re.search(r"^<<<data (\w+)\n(.*)\ndata \1>>>$", content, re.DOTALL | re.MULTILINE)
    assert found is not None
    boundary, body = found.groups()
    parts = re.split(rf"^\w+ (\d+) {boundary}(?::.*)?$", body, flags=re.MULTILINE)[1:]
    return {int(number): _bare(text) for number, text in zip(parts[::2], parts[1::2], strict=True)}


def _bare(text: str) -> str:
    return "\n".join(line.removeprefix("| ") for line in text.strip("\n").split("\n"))


def number_with(request: ChatRequest, words: str) -> int:
    """The number of the first passage in a prompt that has the words."""
    return next(number for number, text in passages_of(request).items() if words in text)


def sentences(*said: tuple[str, Sequence[int]] | Mapping[str, object]) -> str:
    """A reply in the form of an answer."""
    items = [item if isinstance(item, Mapping) else {"text": item[0], "passages": list(item[1])} for item in said]
    return json.dumps({"sentences": items})


def material(number: int, *texts: str, heading: str = "", document: str = "d") -> Material:
    """A piece of evidence made by hand; each text is a sentence of one chunk."""
    quotes, start = [], 0
    for text in texts:
        quotes.append(Quote(chunk_id=f"c{number}", char_start=start, char_end=start + len(text), text=text))
        start += len(text) + 1
    return Material(number=number, heading=heading, text="\n".join(texts), quotes=tuple(quotes), documents=(document,))
