"""A chunk in the making."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """``text[start:end]`` under ``heading_path``; ``context`` is the table header where the span begins amid a table.

    ``section`` numbers the sections of the document from 0. ``begins_section`` and ``ends_section`` tell whether
    nothing of the section stands before or after the draft. ``new_from`` is where the text begins that is not shared
    with the draft before.
    """

    start: int
    end: int
    new_from: int
    heading_path: tuple[str, ...] = ()
    context: str = ""
    section: int = 0
    begins_section: bool = True
    ends_section: bool = True
