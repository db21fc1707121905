"""Titles of tree nodes."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from raptor.audience import AudienceView
from raptor.branch import Branch
from raptor.key_phrases import KeyPhrases
from raptor.settings import TreeSettings
from raptor.theme_titles import Themes, ThemeTitles, listed

# "Mr Howard" is known as somebody else elsewhere, "Australia's BHP" is two names in one.
_UNTOLD_NAME = re.compile(r"^(?:Mr|Mrs|Ms|Dr|Sir|Lord|Lady)\b|['\u2019]s ")


class NodeTitles:
    """Names nodes: within a document by its title and headings, across documents by their theme; titles of the latter
    are none of those ``taken``.
    """

    def __init__(
        self, view: AudienceView, settings: TreeSettings, themes: Themes, *, taken: Iterable[str] = ()
    ) -> None:
        self._view = view
        self._phrases = KeyPhrases(view)
        self._themes = themes
        self._titles = ThemeTitles(themes, taken=taken)
        self._limit = settings.title_phrases
        self._document_sizes = Counter(chunk.document_id for chunk in view.chunks)

    def of(self, node: Branch) -> str:
        """Return the title of a node: never empty where its chunks have any word."""
        if node.document_id is None:
            return self._across(node)
        title = self._view.title_of(int(node.leaves[0]))
        if title and len(node.leaves) == self._document_sizes[node.document_id]:
            return title
        own = self._heading(node, title) or ", ".join(self._phrases.of(node.leaves, self._limit, taken=(title,)))
        return " - ".join(part for part in (title, own) if part)

    def _heading(self, node: Branch, title: str) -> str:
        """Return the deepest heading that all chunks of the node stand under."""
        shared = _shared_start([self._view.chunks[row].heading_path for row in node.leaves])
        return shared[-1] if shared and shared[-1] != title else ""

    def _across(self, node: Branch) -> str:
        if 2 * len(node.leaves) < len(self._view.chunks):
            names = self._phrases.of(node.leaves, 2 * self._limit, names_only=True)
            title = self._titles.title(node.leaves, [name for name in names if not _UNTOLD_NAME.search(name)])
        else:
            title = self._titles.unique(listed(self._one_of_each(node)))
        return title or ", ".join(self._phrases.of(node.leaves, self._limit))

    def _one_of_each(self, node: Branch) -> tuple[str, ...]:
        """Most of the collection has no phrase of its own: each of the largest children lends its most telling one."""
        chosen: tuple[str, ...] = ()
        for child in sorted(node.children, key=lambda child: -len(child.leaves))[: self._limit]:
            chosen += self._themes.phrases(child.leaves, 1, taken=chosen)
        return chosen


def _shared_start(paths: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    first = paths[0]
    for depth in range(len(first), 0, -1):
        if all(path[:depth] == first[:depth] for path in paths):
            return first[:depth]
    return ()
