"""Claims of a model, checked one after the other: what may be told, and what not, with the reason."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from model_clients.chat.marked_data import harmless
from query.citations import DraftSentence
from query.llm_answers.material import Material
from query.llm_answers.settings import LlmAnswerSettings
from query.llm_answers.support import NEVER_TOLD, Asked, Claim, Reason, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Unbelieved:
    """A sentence of the model that its passages do not support."""

    text: str
    reason: Reason


@dataclass(slots=True)
class ClaimCheck:
    """Checks claims against the same materials; a sentence counts once, and only so many are looked at."""

    materials: Sequence[Material]
    asked: Asked
    settings: LlmAnswerSettings
    believed: list[DraftSentence] = field(default_factory=list)
    unbelieved: list[Unbelieved] = field(default_factory=list)

    @property
    def taken(self) -> tuple[DraftSentence | Unbelieved, ...]:
        """All that was looked at, believed or not."""
        return (*self.believed, *self.unbelieved)

    @property
    def is_full(self) -> bool:
        """Whether as many sentences were looked at as may be."""
        return len(self.taken) >= self.settings.most_sentences

    def take(self, claim: Claim) -> DraftSentence | None:
        """Check a claim; return it as a sentence where it is believed and new."""
        text = " ".join(harmless(claim.text).split())
        if not text or self.is_full or self._is_known(text):
            return None
        cleaned = Claim(text=text, numbers=claim.numbers, quotations=claim.quotations)
        support = judge(cleaned, self.materials, self.asked, least_words=self.settings.least_words)
        if support.reason is not None:
            self.unbelieved.append(Unbelieved(text=text, reason=support.reason))
            return None
        sentence = DraftSentence(text=text, quotes=support.quotes)
        self.believed.append(sentence)
        return sentence

    def take_all(self, claims: Iterable[Claim]) -> None:
        """Check claims in their order."""
        for claim in claims:
            self.take(claim)

    @property
    def flagged(self) -> tuple[str, ...]:
        """The sentences to show below the answer as not supported, where the settings want that."""
        if self.settings.unsupported != "flag":
            return ()
        return tuple(item.text for item in self.unbelieved if item.reason not in NEVER_TOLD)

    def _is_known(self, text: str) -> bool:
        return any(text.casefold() == other.text.casefold() for other in self.taken)
