"""Names that a document announces itself, by its title, its headings and its numbering ("Mariner 4", "Mariner 9")."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from graph_store.records import Chunk, Document
from indexing.extraction.titles import heading_name, is_capitalised, title_names

_NUMBERED = re.compile(r"\b([A-Z][\w'\u2019-]*(?: [A-Z][a-z][\w-]+)?)( \d{1,3}[A-Z]?)\b(?![.,:/-]?\d|%| ?\u00b0)")
_NOT_NUMBERED = frozenset(
    (
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December", "Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Sept", "Oct", "Nov", "Dec",
        "Chapter", "Section", "Part", "Page", "Pages", "Table", "Figure", "Fig", "Appendix", "Step", "Day", "Week",
        "Question", "Slide", "Sheet", "Item", "Act", "Scene", "Article", "Level", "Class", "Type", "Phase", "Line",
        "Number", "Verse", "Season", "Episode", "Round", "Group", "Grade", "Age", "Room", "Volume", "Book",
        "About", "After", "All", "Almost", "And", "Another", "Around", "As", "At", "Before", "Between", "But", "By",
        "During", "Each", "Every", "For", "From", "Her", "His", "If", "In", "Its", "Just", "Last", "Nearly", "Next",
        "Of", "On", "Only", "Or", "Our", "Over", "Since", "Some", "Than", "That", "The", "Their", "These", "They",
        "This", "Those", "To", "Under", "Until", "Up", "We", "When", "With", "Within",
    )
)  # fmt: skip
_MIN_FAMILY = 2


def known_names(document: Document, chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Return names that are to be found in a document's text wherever they stand in this very spelling, sorted."""
    title = title_names(document.title)
    names = set(title.names) if title else set()
    headings = {heading_name(heading) for chunk in chunks for heading in chunk.heading_path}
    names.update(heading for heading in headings if heading is not None and is_capitalised(heading))
    names.update(numbered_names(chunk.text for chunk in chunks))
    return tuple(sorted(name for name in names if name and not name[0].islower()))


def numbered_names(texts: Iterable[str]) -> frozenset[str]:
    """Return names that end in a number and have it on purpose: the name before the number has one twice or more."""
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        for match in _NUMBERED.finditer(text):
            if match[1].split()[0] not in _NOT_NUMBERED and not match[1].isupper():
                found[match[1]][match[0]] += 1
    return frozenset(name for family in found.values() if family.total() >= _MIN_FAMILY for name in family)
