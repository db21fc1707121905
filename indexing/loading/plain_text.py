"""Plain text files."""

import re

from indexing.cleaning import clean_text
from indexing.loading.parsed import ParsedSource

_LONGEST_HEADING = 100
_SENTENCE_END = re.compile(r"[.,;:!?\u2026\u3002\uff0c\uff1b\uff1a\uff01\uff1f]$")  # with the wide forms of East Asia


def parse_plain_text(text: str) -> ParsedSource:
    """Return the text as it is; its title is the first line where that stands alone like a heading."""
    return ParsedSource(text=text, title=_heading_like(clean_text(text)))


def _heading_like(text: str) -> str:
    """Return the first line if it is short, set off by a blank line, begins no sentence and has text after it."""
    first, _, rest = text.partition("\n")
    line = first.strip()
    set_off = rest.startswith("\n") and bool(rest.strip())
    if not set_off or len(line) > _LONGEST_HEADING or _SENTENCE_END.search(line) or not line[:1].isalnum():
        return ""
    return "" if line[0].islower() else line
