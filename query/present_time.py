"""Words for the present in a question: they ask for nothing that a document says."""

import re
from dataclasses import replace

from query.question import QUOTED, Question, analyse
from raptor.text_words import content_stems

# Adverbs of the present ask for nothing: documents tell how things are without them. Capitals ("USA Today") are names,
# quoted words are meant literally, and "until now", "of today", "today's" and "now that" say something else.
_PRESENT = re.compile(
    r"(?<!until )(?<!till )(?<!by )(?<!from )(?<!of )(?<!to )(?<![\w'\u2019-])"
    r"(?:right now|now|nowadays|currently|presently|today|these days|at present|at the moment)"
    r"(?![\w'\u2019-]|\s+that\b)(?:\s*,(?=\s))?"
)


def analyse_asked(text: str) -> Question:
    """Analyse a question without "now" and its like, which no document need say; its ``text`` stays what was asked."""
    return replace(analyse(without_present(text)), text=text)


def without_present(text: str) -> str:
    """Return the text without words for the present outside quotations; itself where nothing else would be left."""
    quoted = [match.span() for match in QUOTED.finditer(text)]

    def left(match: re.Match[str]) -> str:
        return match.group() if any(start <= match.start() < end for start, end in quoted) else " "

    cut = _PRESENT.sub(left, text)
    without = re.sub(r"\s+(?=[?.,!;:]|$)", "", " ".join(cut.split()))
    return without if cut != text and content_stems(without) else text
