"""Rows of Markdown tables, told with the heads of their columns."""

import re

from graph_store.records import Chunk, Sentence

_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def table_header(chunk: Chunk, sentence: Sentence) -> str:
    """Return the header row above a sentence that is a table row; "" where it is none, or no header is known.

    The header stands above the row in the chunk, or in the chunk's context where the table began in another chunk.
    """
    if not _ROW.match(chunk.text[sentence.char_start : sentence.char_end]):
        return ""
    above = chunk.text[: sentence.char_start].rstrip().splitlines()
    while above and _ROW.match(above[-1]) and not _RULE.match(above[-1]):
        above.pop()
    if len(above) >= 2 and _RULE.match(above[-1]):
        return above[-2].strip()
    return chunk.context.strip() if not above and _ROW.match(chunk.context) else ""


def told_row(row: str, header: str) -> str:
    """Return a row as "head: cell; head: cell", without empty cells; as it is where the cells do not match the heads.

    A cell under an empty head stands alone: "| 2021 | 54 m |" under "|  | Diameter |" is "2021; Diameter: 54 m".
    """
    heads, cells = _cells(header), _cells(row)
    if not header or len(heads) != len(cells):
        return row
    pairs = [(head.rstrip(":"), cell) for head, cell in zip(heads, cells, strict=True) if cell]
    return "; ".join(f"{head}: {cell}" if head else cell for head, cell in pairs)


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _CELL_BORDER.split(inner)]
