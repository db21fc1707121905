"""Which names of one document mean the same: acronyms in brackets, surnames, shortened organisations."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graph_store.ids import name_key

_QUOTES = "\"\u201c\u201d'\u2018\u2019"
_EXPLAINED = re.compile(
    rf"\(\s*[{_QUOTES}]?([^\s(){_QUOTES},;]{{2,12}})[{_QUOTES}]?\s*(?:[,;][^()]*)?\)"
    rf"|,\s(?:or\s)?[{_QUOTES}]?([A-Z][\w&.-]{{1,9}})[{_QUOTES}]?,"
)
_WORD = re.compile(r"[^\W_][\w'\u2019&.]*")
_COMPANY_TEXT = (
    "inc corp corporation company companies co ltd limited llc llp plc gmbh ag sa spa nv bv kg oy ab group holding "
    "holdings industries international systems technologies technology enterprises partners associates brothers bros "
    "laboratories motors markets stores super and the of"
)
_COMPANY_WORDS = frozenset(_COMPANY_TEXT.split())
_MAX_PERSON_WORDS = 5
_SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedName:
    """A name as it stands in a document, with its type, how often it stands there and where it does first."""

    name: str
    type: str
    count: int
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Acronym:
    """An acronym that a text explains: ``text[start:end]`` is the long form."""

    short: str
    long: str
    start: int
    end: int


def is_acronym(name: str) -> bool:
    """Tell whether a name is one word of 2 to 10 characters that is mostly capitals ("DSN", "NaCl", "U.S.")."""
    letters = [char for char in name if char.isalpha()]
    capitals = sum(char.isupper() for char in letters)
    return 2 <= len(name) <= 10 and " " not in name and capitals >= 2 and capitals * 2 >= len(letters)


def find_acronyms(text: str) -> tuple[Acronym, ...]:
    """Return acronyms that stand in brackets, or between commas, behind their long form.

    The long form is the shortest run of words before it that begins with the acronym's first letter and gives
    its letters in order, each at the start of a word (after A. Schwartz and M. Hearst, PSB 2003, made stricter).
    """
    found = []
    for explained in _EXPLAINED.finditer(text):
        short = (explained[1] or explained[2]).rstrip(".")
        if is_acronym(short):
            span = _long_form(text, explained.start(), short)
            if span is not None:
                found.append(Acronym(short=short, long=text[slice(*span)], start=span[0], end=span[1]))
    return tuple(found)


def _long_form(text: str, stop: int, short: str) -> tuple[int, int] | None:
    letters = [char.lower() for char in short if char.isalnum()]
    begin = max(text.rfind(mark, 0, stop) for mark in (". ", "; ", ": ", "(", ")")) + 1
    words = list(_WORD.finditer(text, begin, stop))[-(len(letters) + 5) :]
    if not words or text[words[-1].end() : stop].strip(f" {_QUOTES}"):
        return None
    for index in range(len(words) - 1, -1, -1):
        if words[index][0][0].lower() == letters[0] and len(words) - index > 1:
            initials = [word[0][0].lower() for word in words[index:]]
            if _in_order(letters, initials):
                return words[index].start(), words[-1].end()
    return None


def _in_order(letters: list[str], initials: list[str]) -> bool:
    rest = iter(initials)
    return all(letter in rest for letter in letters)


def without_middle_names(name: str) -> str | None:
    """Return "Ada Lovelace" for "Ada King Lovelace"; None where there is nothing to drop.

    An initial tells people apart ("John T. Doe"), so it stays.
    """
    words = name.split()
    middle = [word.strip(_QUOTES) for word in words[1:-1]]
    plain = all(len(word.rstrip(".")) > 1 and word[0].isupper() for word in middle)
    if not 3 <= len(words) <= _MAX_PERSON_WORDS or not plain or name_key(words[-1]) in _SUFFIXES:
        return None
    return f"{words[0]} {words[-1]}"


def canonical_names(names: Iterable[TypedName], acronyms: Mapping[str, str]) -> Mapping[tuple[str, str], str]:
    """Map (name key, type) of a document's names to the name it goes by there.

    ``acronyms`` maps the key of a short form to its long form. Names of equal key share their most frequent spelling. A
    surname or first name stands for the only full name of a person that has it, an organisation's first words for the
    only one that begins so and came before.
    """
    names = list(names)
    spelling = _spellings(names)
    people = _word_owners([item for item in names if item.type == "PERSON"])
    organisations = [item for item in names if item.type == "ORG" and " " in item.name]
    result = {}
    for item in names:
        key = name_key(item.name)
        chosen = acronyms.get(key) or _full_person(item, key, people) or _full_organisation(item, key, organisations)
        result[key, item.type] = chosen or spelling[key]
    return result


def _spellings(names: Iterable[TypedName]) -> Mapping[str, str]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for item in names:
        counts[name_key(item.name)][" ".join(item.name.split())] += item.count
    return {key: min(found, key=lambda name: (-found[name], name)) for key, found in counts.items()}


def _word_owners(people: Iterable[TypedName]) -> Mapping[str, frozenset[str]]:
    """Map a first or last word to the full names that have it; spellings of one key count once."""
    full = {name_key(item.name): " ".join(item.name.split()) for item in people}
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for key, name in full.items():
        words = [word for word in key.split() if word not in _SUFFIXES]
        if len(words) > 1:
            owners[words[0]].add(name)
            owners[words[-1]].add(name)
    return {word: frozenset(found) for word, found in owners.items()}


def _full_person(item: TypedName, key: str, people: Mapping[str, frozenset[str]]) -> str | None:
    # A lone surname is often taken for a place or an organisation; a place keeps its own name.
    if " " in key or item.type not in {"PERSON", "ORG"} or (item.type == "ORG" and is_acronym(item.name)):
        return None
    owners = people.get(key, frozenset())
    return next(iter(owners)) if len(owners) == 1 else None


def _full_organisation(item: TypedName, key: str, organisations: Iterable[TypedName]) -> str | None:
    if item.type != "ORG" or is_acronym(item.name):
        return None
    longer = {
        other_key: " ".join(other.name.split())
        for other in organisations
        if (other_key := name_key(other.name)).startswith(f"{key} ") and other.first < item.first
    }
    if len(longer) != 1:
        return None
    (long_key,) = longer
    # One word is too little, "Treia" is not Treia Cathedral, unless only what companies add to their names is gone.
    rest = long_key[len(key) :].split()
    return longer[long_key] if " " in key or _COMPANY_WORDS.issuperset(rest) else None
