"""What somebody may have meant by a name that does not exist."""

import difflib
from collections.abc import Sequence

_SHOWN = 3


def similar_names(name: str, known: Sequence[str]) -> str:
    """Return `` (similar: A, B)`` for the end of a sentence, empty where nothing resembles ``name``.

    A single word is also compared with each word of the known names: a misspelt surname finds its bearer.
    """
    wanted = name.casefold()
    whole = {other.casefold(): other for other in reversed(known)}
    near = difflib.get_close_matches(wanted, list(whole), n=_SHOWN)
    found = [whole[key] for key in near]
    if len(found) < _SHOWN and len(wanted.split()) == 1:
        found += [other for other in _by_word(wanted, known) if other not in found]
    return f" (similar: {', '.join(found[:_SHOWN])})" if found else ""


def _by_word(word: str, known: Sequence[str]) -> list[str]:
    """Return the known names of several words that have one like ``word``: most alike first, then in their order."""
    bearers: dict[str, list[str]] = {}
    for name in known:
        for part in name.casefold().split():
            bearers.setdefault(part, []).append(name)
    near = difflib.get_close_matches(word, list(bearers), n=_SHOWN, cutoff=0.7)
    return [name for part in near for name in bearers[part]]
