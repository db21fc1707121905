"""From blocks to pieces: the smallest parts of a section that chunks are put together from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from indexing.chunking.blocks import Block
from indexing.chunking.token_index import TokenIndex
from indexing.sentences import sentence_spans
from model_clients.embedder import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """``text[start:end]``, which fits into a chunk.

    ``context`` belongs to a chunk that begins with this piece. ``shareable``: the end of a chunk that ends here may be
    repeated in the next (not so in tables and code).
    """

    start: int
    end: int
    context: str = ""
    shareable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """How large pieces may be: ``tokens`` without context, ``with_context`` where there is one.

    ``fragment`` is the size that a sentence is cut to where the sentence is too large.
    """

    tokens: int
    with_context: int
    fragment: int


def section_pieces(index: TokenIndex, blocks: Sequence[Block], room: Room) -> list[Piece]:
    """Return the pieces of a section, in order; together they cover its blocks.

    Headings and table headers stay with what follows them. A block that is too large becomes its sentences, a sentence
    that is too large becomes fragments.
    """
    pieces: list[Piece] = []
    held: list[Span] = []
    for block in blocks:
        if block.kind in {"heading", "table_header"}:
            held.append((block.start, block.end))
            continue
        pieces += _block_pieces(index, held, block, room)
        held = []
    if held:
        rest = Block(kind="heading", start=held[-1][0], end=held[-1][1])
        pieces += _block_pieces(index, held[:-1], rest, room)
    return pieces


def _block_pieces(index: TokenIndex, held: Sequence[Span], block: Block, room: Room) -> list[Piece]:
    start = held[0][0] if held else block.start
    whole = Piece(
        start=start,
        end=block.end,
        context="" if held else block.context,
        shareable=block.kind in {"paragraph", "list_item"},
    )
    limit = room.with_context if whole.context else room.tokens
    if index.fits(start, block.end, limit):
        return [whole]
    atoms = [*held, *_sentences(index.text, block)]
    fragments = _fragments(index, _joined(index, atoms, len(held), limit), limit, room.fragment)
    return [replace(whole, start=a, end=b) for a, b in fragments]


def _sentences(text: str, block: Block) -> list[Span]:
    return [(start + block.start, end + block.start) for start, end in sentence_spans(text[block.start : block.end])]


def _joined(index: TokenIndex, atoms: Sequence[Span], held: int, limit: int) -> Iterator[Span]:
    """Join headings that were held with the first sentence where both fit, so that no heading ends a chunk."""
    first = atoms[: held + 1]
    if index.fits(first[0][0], first[-1][1], limit):
        yield first[0][0], first[-1][1]
    else:
        yield from first
    yield from atoms[held + 1 :]


def _fragments(index: TokenIndex, spans: Iterator[Span], limit: int, fragment: int) -> Iterator[Span]:
    for start, end in spans:
        if index.fits(start, end, limit):
            yield start, end
            continue
        position = start
        while position < end:
            cut = index.cut(position, end, fragment)
            yield position, cut
            position = cut
