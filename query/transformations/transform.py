"""Further searches made of a question by a language model; each fails softly, and the question itself is searched."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from pydantic import BaseModel, ConfigDict

from model_clients.chat.errors import ChatFailed
from model_clients.chat.marked_data import harmless
from model_clients.chat.messages import TokenUsage
from model_clients.chat.task_model import StructuredReply, TaskModel
from query.llm_answers.failures import told_failure
from query.llm_answers.material import Material
from query.question import analyse
from query.request import AskOptions, FurtherSearch, Transformation
from query.transformations.prompts import missing_request, transformation_request
from query.transformations.settings import TransformationSettings
from raptor.text_words import tokens

TRANSFORMATIONS: tuple[Transformation, ...] = get_args(Transformation)

_LONGEST_QUERY = 400
_LONGEST_PASSAGE = 1200
_ONE = frozenset[Transformation]({"rewrite", "hyde", "step_back"})


class Queries(BaseModel):
    """Texts to search for."""

    model_config = ConfigDict(extra="ignore")

    queries: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transformed:
    """Further searches, what they cost, and a sentence for each transformation that failed or made none."""

    searches: tuple[FurtherSearch, ...] = ()
    usage: TokenUsage = field(default_factory=TokenUsage)
    trouble: tuple[str, ...] = ()

    def with_more(self, other: "Transformed") -> "Transformed":
        """Return both together, no search twice."""
        known = {_key(search.text) for search in self.searches}
        new = tuple(search for search in other.searches if _key(search.text) not in known)
        return Transformed(
            searches=self.searches + new, usage=self.usage + other.usage, trouble=self.trouble + other.trouble
        )

    @property
    def shown(self) -> tuple[FurtherSearch, ...]:
        """The searches without the text of "hyde", which is made up and might be taken for an answer."""
        return tuple(
            replace(search, text="") if search.transformation == "hyde" else search for search in self.searches
        )


def switched_on(settings: TransformationSettings) -> tuple[Transformation, ...]:
    """Return the transformations that the settings want."""
    return tuple(name for name in TRANSFORMATIONS if getattr(settings, name))


class Transformer:
    """Makes further searches with a language model."""

    def __init__(self, model: TaskModel, settings: TransformationSettings) -> None:
        self._model = model
        self._settings = settings

    @property
    def rounds(self) -> int:
        """How often what is missing is asked for."""
        return self._settings.rounds

    def transform(self, question: str, wanted: Sequence[Transformation], options: AskOptions) -> Transformed:
        """Return the searches of all transformations but "iterative", their calls made at once.

        Raises ``EndpointUnusable``.
        """
        asked = [name for name in dict.fromkeys(wanted) if name != "iterative"]
        limits = {"queries": self._settings.queries, "reply_tokens": self._settings.reply_tokens}
        requests = [transformation_request(name, question, options, **limits) for name in asked]
        made = Transformed()
        for name, reply in zip(asked, self._model.ask_all_for(requests, Queries) if requests else [], strict=True):
            made = made.with_more(self._made(name, question, reply))
        return made

    def missing(self, question: str, materials: Sequence[Material], options: AskOptions) -> Transformed:
        """Return searches for what the materials lack; none where they answer. Raises ``EndpointUnusable``."""
        limits = {"queries": self._settings.queries, "reply_tokens": self._settings.reply_tokens}
        request = missing_request(question, materials, options, **limits)
        (reply,) = self._model.ask_all_for([request], Queries)
        return self._made("iterative", question, reply)

    def _made(self, name: Transformation, question: str, reply: StructuredReply[Queries] | ChatFailed) -> Transformed:
        if not isinstance(reply, StructuredReply):
            return Transformed(usage=reply.usage, trouble=(f"{name}: {told_failure(reply)}",))
        most = 1 if name in _ONE else self._settings.queries
        longest = _LONGEST_PASSAGE if name == "hyde" else _LONGEST_QUERY
        texts = [" ".join(harmless(text).split())[:longest] for text in reply.value.queries]
        new = {_key(question): ""}
        for text in texts:
            if analyse(text).words:
                new.setdefault(_key(text), text)
        kept = [text for text in new.values() if text][:most]
        searches = tuple(FurtherSearch(transformation=name, text=text) for text in kept)
        trouble = () if searches or name == "iterative" else (f"{name}: the model gave nothing else to search for",)
        return Transformed(searches=searches, usage=reply.usage, trouble=trouble)


def _key(text: str) -> tuple[str, ...]:
    """Return what a search is known again by: its words, whatever their case and what stands between them."""
    return tuple(tokens(text))
