"""Titles that read as themes: what a group of chunks is about in common nouns, and the names that lead in it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from raptor.audience import AudienceView, IntVector
from raptor.key_phrases import shares_word
from raptor.noun_phrases import NounPhrases, runs_of
from raptor.phrase_counts import PhraseCounts

# What a word is shows in a few thousand passages; reading more would not change it.
_SAMPLED_CHUNKS = 4_000
_PHRASES = 2
_NAMES = 2
_MOST_PHRASES = 6
# A plural form is shown where at least one use in this many is one.
_PLURAL_PART = 10


class Themes:
    """The noun phrases of one audience's chunks, and which of them tell a group of chunks from the rest."""

    def __init__(self, view: AudienceView) -> None:
        step = -(-len(view.chunks) // _SAMPLED_CHUNKS) or 1
        texts = [runs_of(chunk.text) for chunk in view.chunks]
        nouns = NounPhrases(texts[::step])
        surfaces: defaultdict[str, Counter[str]] = defaultdict(Counter)
        found: list[Counter[str]] = []
        for runs in texts:
            phrases = list(nouns.of(runs))
            for key, surface in phrases:
                surfaces[key][surface] += 1
            found.append(Counter(key for key, _ in phrases))
        self._counts = PhraseCounts(found, [chunk.document_id for chunk in view.chunks])
        self._surfaces = {key: _told_form(forms) for key, forms in surfaces.items()}

    def phrases(self, rows: IntVector, limit: int, *, taken: Sequence[str] = ()) -> tuple[str, ...]:
        """Return up to ``limit`` noun phrases of the chunks ``rows``, most telling first; no word stands twice in them
        and in ``taken``.
        """
        chosen: list[str] = []
        for key in self._counts.telling(rows):
            if len(chosen) == limit:
                break
            if not shares_word(key, (*taken, *chosen)):
                chosen.append(self._surfaces[key])
        return tuple(chosen)


class ThemeTitles:
    """Makes the titles of one audience's groups; no two titles that it has made are the same, and none is ``taken``."""

    def __init__(self, themes: Themes, *, taken: Iterable[str] = ()) -> None:
        self._themes = themes
        self._made = set(taken)

    def title(self, rows: IntVector, names: Sequence[str]) -> str:
        """Return a title never returned before: two phrases, then the first two of ``names`` that repeat no word of
        them. Further phrases tell groups apart that would have one title; where they do not, a number does.
        """
        for count in range(_PHRASES, _MOST_PHRASES + 1):
            title = _joined(self._themes.phrases(rows, count), names)
            if title and title not in self._made:
                break
        return self.unique(title)

    def unique(self, title: str) -> str:
        """Return ``title``, with a number where it was made before."""
        number, numbered = 1, title
        while numbered and numbered in self._made:
            number += 1
            numbered = f"{title} ({number})"
        self._made.add(numbered)
        return numbered


def listed(phrases: Sequence[str]) -> str:
    """Return phrases as one: "antennas, dishes and stations", the first letter large."""
    *first, last = phrases or ("",)
    text = f"{', '.join(first)} and {last}" if first else last
    return text[:1].upper() + text[1:]


def _joined(phrases: Sequence[str], names: Iterable[str]) -> str:
    kept: list[str] = []
    for name in names:
        if len(kept) < _NAMES and not shares_word(name, (*phrases, *kept)):
            kept.append(name)
    return ": ".join(part for part in (listed(phrases), ", ".join(kept)) if part)


def _told_form(forms: Counter[str]) -> str:
    """Return the form to show: the commonest, but a plural that is said at all often, since a theme is general."""
    total = forms.total()
    plurals = [form for form in forms if form.endswith("s") and _PLURAL_PART * forms[form] >= total]
    return min(plurals or forms, key=lambda form: (-forms[form], form))
