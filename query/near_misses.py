"""Makes near misses of questions: the subject stays, but what is asked is stated nowhere.

A name gives way to another of the same type, a year or a number to another, or a plain word to one of like rarity; what
comes in stands in passages near to the question, but not in those that answer it. So a near miss keeps to what the
collection speaks of, as people's unanswerable questions do. A near miss that one passage covers is none and is dropped.
"""

import random
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AnySet
from dataclasses import dataclass
from functools import cached_property

from graph_store.access import Access
from graph_store.ids import name_key
from graph_store.store import GraphStore
from query.question import analyse
from query.rarity import WordRarity
from query.request import Request
from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import content_stems

_YEAR = re.compile(r"\b(?:1\d|20)\d\d\b")
_NUMBER = re.compile(r"\b\d+(?:[.,]\d+)*\b")
_PLAIN = re.compile(r"\b[a-z]{4,}\b")
_NEAR_PASSAGES = 40
_CHECKED_PASSAGES = 15
_TRIES = 4
# A passage with this share of a near miss's words, by rarity, may well answer it.
_COVERED = 0.9
_LIKE_RARITY = 0.15
_RAREST_WORDS = 3
_YEARS_APART = 5
_NO_TYPE = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Surroundings:
    """Texts of passages near to a question, and of those that answer it."""

    near: Sequence[str]
    gold: str

    def found(self, pattern: re.Pattern[str]) -> list[str]:
        """Return what matches in the near texts and stands in no answering one, sorted."""
        found = {match.group() for text in self.near for match in pattern.finditer(text)}
        return sorted(text for text in found if text not in self.gold)


class NearMisses:
    """Makes near misses of the questions of one store."""

    def __init__(self, store: GraphStore, access: Access, rarity: WordRarity) -> None:
        self._store = store
        self._access = access
        self._rarity = rarity

    def make(self, request: Request, gold: AnySet[str], *, seed: int) -> str:
        """Return a near miss of a question that the chunks ``gold`` answer, the same for a seed; "" where none is."""
        chance = random.Random(seed)
        surroundings = self._surroundings(request, gold)
        swaps = [self._other_name, self._other_number, self._other_word]
        chance.shuffle(swaps)
        for swap in swaps:
            for _ in range(_TRIES):
                text = swap(request.question.searched, surroundings, chance)
                if text and not self._is_covered(text):
                    return text
        return ""

    def _surroundings(self, request: Request, gold: AnySet[str]) -> _Surroundings:
        hits = self._store.search_vectors(self._access, request.vector, kind="chunk", k=_NEAR_PASSAGES)
        near = self._store.chunks(self._access, [hit.id for hit in hits if hit.id not in gold])
        answering = self._store.chunks(self._access, sorted(gold))
        return _Surroundings(
            near=[chunk.text for chunk in near], gold="\n".join(chunk.text for chunk in answering).casefold()
        )

    def _other_name(self, text: str, surroundings: _Surroundings, chance: random.Random) -> str:
        names = [name for name in analyse(text).names if not _NUMBER.search(name)]
        if not names:
            return ""
        old = chance.choice(names)
        alike = self._names_by_type[self._types.get(name_key(old), _NO_TYPE)]
        keys = " ".join(f" {name_key(near)} " for near in surroundings.near)
        fitting = [
            name
            for name in alike
            if f" {name_key(name)} " in keys
            and name.casefold() not in surroundings.gold
            and name.casefold() not in text.casefold()
        ]
        return text.replace(old, chance.choice(fitting)) if fitting else ""

    def _other_number(self, text: str, surroundings: _Surroundings, chance: random.Random) -> str:
        years = _YEAR.findall(text)
        pattern = _YEAR if years else _NUMBER
        numbers = years or _NUMBER.findall(text)
        if not numbers:
            return ""
        old = chance.choice(numbers)
        found = surroundings.found(pattern)
        fitting = [number for number in found if number not in numbers and abs(len(number) - len(old)) <= 1]
        if years and not fitting:
            fitting = [str(int(old) + apart) for apart in range(1, _YEARS_APART)]
        return re.sub(rf"\b{re.escape(old)}\b", chance.choice(fitting), text) if fitting else ""

    def _other_word(self, text: str, surroundings: _Surroundings, chance: random.Random) -> str:
        words = sorted(
            {word for word in _PLAIN.findall(text) if word not in FUNCTION_WORDS},
            key=lambda word: (-self._weight(word), word),
        )
        if not words:
            return ""
        old = chance.choice(words[:_RAREST_WORDS])
        asked = set(content_stems(text))
        fitting = [
            word
            for word in surroundings.found(_PLAIN)
            if word not in FUNCTION_WORDS
            and asked.isdisjoint(content_stems(word))
            and abs(self._weight(word) - self._weight(old)) <= _LIKE_RARITY
        ]
        return re.sub(rf"\b{old}\b", chance.choice(fitting), text) if fitting else ""

    def _weight(self, word: str) -> float:
        return max((self._rarity.weight(word_stem) for word_stem in content_stems(word)), default=0.0)

    def _is_covered(self, text: str) -> bool:
        shares = self._rarity.shares(analyse(text).stems)
        hits = self._store.search_keywords(self._access, text, kind="chunk", k=_CHECKED_PASSAGES)
        held = [set(content_stems(chunk.text)) for chunk in self._store.chunks(self._access, [hit.id for hit in hits])]
        return any(sum(share for stem, share in shares.items() if stem in stems) >= _COVERED for stems in held)

    @cached_property
    def _types(self) -> Mapping[str, str]:
        return {
            name_key(name): entity.type
            for entity in self._store.list_entities(self._access)
            for name in (entity.name, *entity.aliases)
        }

    @cached_property
    def _names_by_type(self) -> Mapping[str, Sequence[str]]:
        """Names of entities by type, sorted; the names of all types under the empty one."""
        by_type: defaultdict[str, set[str]] = defaultdict(set)
        for entity in self._store.list_entities(self._access):
            by_type[entity.type].add(entity.name)
            by_type[_NO_TYPE].add(entity.name)
        return defaultdict(list, {kind: sorted(names) for kind, names in by_type.items()})
