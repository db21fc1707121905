"""The part of a text that has most of a question's words."""

import re
from collections.abc import Sequence

_WORD = re.compile(r"\S+")


def snippet(text: str, question: str, *, length: int) -> str:
    """Return at most ``length`` characters of ``text`` (more only for one long word), white space as single blanks.

    The window with the most distinct content words of the question is shown, the earliest of several; "…" stands where
    something was left out. O(words of the text).
    """
    flat = " ".join(text.split())
    if len(flat) <= length:
        return flat
    words = [match.span() for match in _WORD.finditer(flat)]
    first = _best_window(flat, words, question, length)
    start = words[first][0]
    end = _window_end(words, first, length)
    return f"{'… ' if start else ''}{flat[start:end]}{' …' if end < len(flat) else ''}"


def _best_window(flat: str, words: Sequence[tuple[int, int]], question: str, length: int) -> int:
    """Return the index of the first word of the best window; windows begin a little before a word of the question."""
    from raptor.text_words import content_stems  # noqa: PLC0415  # not needed for a command's help

    wanted = set(content_stems(question))
    stems = [wanted.intersection(content_stems(flat[start:end])) for start, end in words]
    best, best_count = 0, -1
    for hit in [0, *(index for index, found in enumerate(stems) if found)]:
        first = _some_words_before(words, hit, room=length // 4)
        end = _window_end(words, first, length)
        inside = (found for found, span in zip(stems[first:], words[first:], strict=True) if span[1] <= end)
        count = len(set().union(*inside))
        if count > best_count:
            best, best_count = first, count
    return best


def _some_words_before(words: Sequence[tuple[int, int]], index: int, *, room: int) -> int:
    """Return the first word that begins at most ``room`` characters before the word at ``index``."""
    first = index
    while first and words[index][0] - words[first - 1][0] <= room:
        first -= 1
    return first


def _window_end(words: Sequence[tuple[int, int]], first: int, length: int) -> int:
    start = words[first][0]
    return max((end for _, end in words[first:] if end - start <= length), default=words[first][1])
