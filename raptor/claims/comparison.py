"""Whether a claim that a language model made is borne out by the texts that it names: compared without a model.

Deterministic, and rather too strict than too lenient. Every number of a claim must stand in its ground, with the same
sign and unit and no opposite bound, and so must every name, link and markup; what the ground denies is not affirmed,
nor the other way round; of the words that say something a share must stand there, in any form of theirs; and some
sentence must put together what the claim does. Nothing here understands a sentence: one of the same words in another
order passes.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from raptor.claims.bounds import turns_bound
from raptor.claims.foreign_matter import has_foreign_links
from raptor.claims.joins import Passage, is_joined
from raptor.claims.names import missing_names
from raptor.claims.negations import affirms_denied, denies_affirmed
from raptor.claims.replacements import replaces_word
from raptor.claims.words import Words, coverage, is_held, missing_numbers, together, words_of

Lack: TypeAlias = Literal["link", "numbers", "names", "negation", "joined", "words"]
"""What of a claim its ground does not have."""

LEAST_SHARED = 0.5
"""Share of a claim's words that must stand in its ground."""

_LEAST_WITHOUT_CAPITALS = 0.75


@dataclass(frozen=True, kw_only=True)
class Ground:
    """What claims are said to rest on.

    ``sentences`` are what says them. ``around`` is what stands above them, such as headings: what stands in it counts
    where the sentences say anything of a claim. ``passages`` are those that the sentences are of, where they are known.
    """

    sentences: tuple[str, ...]
    around: str = ""
    passages: tuple[Passage, ...] = ()

    @cached_property
    def text(self) -> str:
        """All of it."""
        return "\n".join([self.around, *self.sentences])

    @cached_property
    def told(self) -> Words:
        """The words of the sentences."""
        return together(words_of(sentence) for sentence in self.sentences)

    @cached_property
    def words(self) -> Words:
        """The words of all of it."""
        return together([words_of(self.around), self.told])


def lack(claim: str, ground: Ground, *, least_words: float = LEAST_SHARED, is_sentence: bool = True) -> Lack | None:
    """Return what ``ground`` lacks to bear out ``claim``, None where it does. O(both).

    ``least_words`` is the share of words that must stand there; none are needed by 0. What is no sentence, as a title,
    may begin with any word.
    """
    said = words_of(claim)
    if has_foreign_links(claim, ground.text):
        return "link"
    if missing_numbers(said, ground.words) or turns_bound(claim, [ground.around, *ground.sentences]):
        return "numbers"
    if missing_names(claim, ground.words, is_sentence=is_sentence):
        return "names"
    if denies_affirmed(claim, [ground.around, *ground.sentences]) or affirms_denied(claim, ground.sentences):
        return "negation"
    passages = ground.passages or [Passage(sentences=ground.sentences, above=ground.around)]
    if is_sentence and is_joined(claim, passages):
        return "joined"
    has_few = _covered(said, ground) < _least_share(claim, least_words)
    return "words" if has_few or replaces_word(claim, ground.sentences) else None


def _covered(said: Words, ground: Ground) -> float:
    """Return how much of the claim's words the ground has: nothing where it says nothing, or nothing in sentences."""
    if not said.stems:
        return 1.0 if said.numbers else 0.0
    return coverage(said, ground.words) if any(is_held(word, ground.told) for word in said.stems) else 0.0


def _least_share(claim: str, least_words: float) -> float:
    """Return the share of words that must be held: more in a script without capitals, where no name can be told."""
    letters = [letter for letter in claim if letter.isalpha()]
    cased = sum(letter.lower() != letter.upper() for letter in letters)
    return max(least_words, _LEAST_WITHOUT_CAPITALS) if least_words and 2 * cased < len(letters) else least_words
