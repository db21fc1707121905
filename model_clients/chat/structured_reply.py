"""A reply held against the form that was asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Generic, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from model_clients.chat.errors import ReplyFault, ReplyUnusable
from model_clients.chat.messages import ChatReply, ChatRequest, Message, TokenUsage
from model_clients.chat.reply_reading import ReadJson, read_json

R = TypeVar("R", bound=BaseModel)

_SHOWN_FAULTS = 5
_SHOWN_REPLY = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuredReply(Generic[R]):
    """A reply that was checked against its schema, with what it cost in all (a repair counts too).

    ``cut_off`` where it broke off: what is here is whole, but there was more to come.
    """

    value: R
    model: str
    usage: TokenUsage
    cut_off: bool = False


class WrongForm(ReplyUnusable):
    """A reply that is not of the form; ``told`` is what the model is told about it."""

    def __init__(self, reply: ChatReply, told: str, *, fault: ReplyFault = "of another form") -> None:
        sentence = f"the reply of {reply.model!r} is not the JSON that was asked for: {told}"
        super().__init__(sentence, usage=reply.usage, fault=fault)
        self.told = told


@cache
def schema_of(form: type[BaseModel]) -> Mapping[str, Any]:
    """Return the JSON schema of a form."""
    return form.model_json_schema()


def asked_for(request: ChatRequest, form: type[BaseModel]) -> ChatRequest:
    """Return the request with the schema of ``form``; only replies of it are worth keeping."""

    def usable(reply: ChatReply) -> bool:
        try:
            return not read_reply(reply, form).cut_off
        except ReplyUnusable:
            return False

    return replace(request, schema=schema_of(form), schema_name=form.__name__, usable=usable)


def read_reply(reply: ChatReply, form: type[R]) -> StructuredReply[R]:
    """Return the reply as ``form``. Raises ``WrongForm``, and ``ReplyUnusable`` for a refusal."""
    if reply.finish == "refused":
        raise ReplyUnusable(f"{reply.model!r} refuses to reply", usage=reply.usage, fault="refused")
    found = read_json(reply.text)
    if found is None:
        raise _without_json(reply)
    try:
        value = form.model_validate(_wrapped(found, form))
    except ValidationError as error:
        raise WrongForm(reply, _faults(error)) from None
    return StructuredReply(
        value=value, model=reply.model, usage=reply.usage, cut_off=found.cut_off or reply.finish == "length"
    )


def repair_request(request: ChatRequest, reply: ChatReply, fault: str) -> ChatRequest:
    """Return the request that shows the model its reply and what is wrong with it."""
    told = Message(
        role="user",
        content=f"That reply cannot be used: {fault}. Reply once more, with the whole JSON and nothing else.",
    )
    before = (Message(role="assistant", content=reply.text[:_SHOWN_REPLY]),) if reply.text.strip() else ()
    return replace(request, prompt=f"{request.prompt}+repair", messages=(*request.messages, *before, told))


def _wrapped(found: ReadJson, form: type[BaseModel]) -> Any:  # noqa: ANN401  # JSON of any form
    """Return the value; a bare list is put into the one list of the form, where it has just one."""
    lists = [name for name, field in form.model_fields.items() if get_origin(field.annotation) in {list, tuple}]
    if isinstance(found.value, list) and len(lists) == 1:
        return {lists[0]: found.value}
    return found.value


def _without_json(reply: ChatReply) -> WrongForm:
    if not reply.text.strip():
        return WrongForm(reply, "it is empty", fault="empty")
    if reply.finish == "length":
        return WrongForm(reply, "it breaks off before any part of it is whole; be brief", fault="broken off")
    return WrongForm(reply, "it holds no JSON object that can be read")


def _faults(error: ValidationError) -> str:
    """Return what is wrong where; values are left out, since they may be of any length."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    shown = [f"{'.'.join(map(str, fault['loc'])) or 'the whole'}: {fault['msg']}" for fault in found[:_SHOWN_FAULTS]]
    more = f"; and {len(found) - _SHOWN_FAULTS} more faults" if len(found) > _SHOWN_FAULTS else ""
    return "; ".join(shown) + more
