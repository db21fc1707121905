"""What an endpoint takes of the protocol: found out by what it refuses, and remembered for the life of the process."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from model_clients.chat.messages import ChatRequest
from model_clients.chat.settings import StructuredMode
from model_clients.chat.strict_schema import strict_schema

JsonMode: TypeAlias = Literal["json_schema", "json_object", "text"]

_WEAKER: Mapping[JsonMode, JsonMode] = {"json_schema": "json_object", "json_object": "text"}
_FORMAT_WORDS = ("response_format", "json_schema", "json_object", "json schema", "structured output", "grammar")


@dataclass(slots=True)
class Dialect:
    """How one model of one endpoint is asked. Only ever changed under ``learn``."""

    json_mode: JsonMode
    fixed: bool
    """Whether the settings chose the mode, so that nothing weaker is tried."""
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    takes_temperature: bool = True
    takes_usage: bool = True
    _changing: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def body(self, request: ChatRequest, *, streamed: bool) -> dict[str, Any]:
        """Return the parameters of a call, without the model."""
        content: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            self.limit_name: request.max_tokens,
        }
        if self.takes_temperature:
            content["temperature"] = request.temperature
        if streamed:
            content["stream"] = True
            if self.takes_usage:
                content["stream_options"] = {"include_usage": True}
        if request.schema is not None:
            self._ask_for_json(content, request, request.schema)
        return content

    def _ask_for_json(self, content: dict[str, Any], request: ChatRequest, schema: Mapping[str, Any]) -> None:
        if self.json_mode == "json_schema":
            strict = strict_schema(schema)
            form = {"name": request.schema_name or "reply", "schema": strict or dict(schema), "strict": bool(strict)}
            content["response_format"] = {"type": "json_schema", "json_schema": form}
            return
        if self.json_mode == "json_object":
            content["response_format"] = {"type": "json_object"}
        content["messages"].append({"role": "system", "content": _instruction(schema)})

    def learn(self, refusal: str, asked: Mapping[str, Any]) -> bool:
        """Take in what the endpoint said when it refused ``asked``; tell whether there is another way to ask."""
        said = refusal.lower()
        with self._changing:
            if "max_completion_tokens" in said and "max_tokens" in asked:
                self.limit_name = "max_completion_tokens"
            elif "temperature" in said and "temperature" in asked:
                self.takes_temperature = False
            elif ("stream_options" in said or "include_usage" in said) and "stream_options" in asked:
                self.takes_usage = False
            elif "response_format" in asked and not self.fixed and any(word in said for word in _FORMAT_WORDS):
                self._weaken(asked["response_format"]["type"])
            else:
                return False
        return True

    def _weaken(self, refused: JsonMode) -> None:
        # Another call may have found it out meanwhile.
        if self.json_mode == refused:
            self.json_mode = _WEAKER[refused]


def _instruction(schema: Mapping[str, Any]) -> str:
    return (
        "Reply with JSON alone, without any text before or after it and without a code fence. It must satisfy this "
        f"JSON schema:\n{json.dumps(schema, ensure_ascii=False, sort_keys=True)}"
    )


_known: dict[tuple[str, str, StructuredMode], Dialect] = {}
_knowing = threading.Lock()


def dialect_of(base_url: str, model: str, mode: StructuredMode) -> Dialect:
    """Return what is known of a model of an endpoint in this process."""
    with _knowing:
        key = (base_url, model, mode)
        if key not in _known:
            _known[key] = Dialect(json_mode="json_schema" if mode == "auto" else mode, fixed=mode != "auto")
        return _known[key]
