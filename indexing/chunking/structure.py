"""The strategy ``structure``: chunks follow headings and paragraphs, and sentences where a paragraph is too large."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, takewhile

from indexing.chunking.blocks import Block
from indexing.chunking.draft import Draft
from indexing.chunking.pieces import Piece, Room, section_pieces
from indexing.chunking.room import RoomKeeper
from indexing.chunking.settings import ChunkingSettings
from indexing.chunking.token_index import TokenIndex
from indexing.sentences import sentence_spans


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]


def structure_drafts(
    index: TokenIndex, blocks: Sequence[Block], keeper: RoomKeeper, settings: ChunkingSettings
) -> list[Draft]:
    """Return the drafts of a document in order: every block is covered, none has more tokens than there is room for."""
    drafts: list[Draft] = []
    for number, section in enumerate(_sections(blocks)):
        packer = _SectionPacker(index, section, keeper, settings)
        drafts += [replace(draft, section=number) for draft in packer.drafts()]
    return _join_small_sections(index, drafts, keeper, settings.small_tokens)


def _sections(blocks: Sequence[Block]) -> Iterator[_Section]:
    """Yield the sections: what stands under one heading. Headings with nothing under them go to the section after."""
    bare: list[Block] = []
    for path, group in _by_heading(blocks):
        section = [*bare, *group]
        bare = []
        if all(block.kind == "heading" for block in section):
            bare = section
        else:
            yield _Section(heading_path=path, blocks=tuple(section))
    if bare:
        yield _Section(heading_path=bare[0].heading_path[:-1], blocks=tuple(bare))


def _by_heading(blocks: Sequence[Block]) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
    count = 0
    numbered = []
    for block in blocks:
        count += block.kind == "heading"
        numbered.append((count, block))
    for _, group in groupby(numbered, key=lambda pair: pair[0]):
        members = [block for _, block in group]
        yield members[0].heading_path, members


class _SectionPacker:
    """Packs the pieces of one section into drafts, from the first to the last, each as full as it can be."""

    def __init__(self, index: TokenIndex, section: _Section, keeper: RoomKeeper, settings: ChunkingSettings) -> None:
        self._index = index
        self._path = section.heading_path
        self._keeper = keeper
        self._shared = int(settings.overlap * settings.max_tokens)
        self._small = settings.small_tokens
        contexts = {block.context for block in section.blocks}
        room = self._room("")
        with_context = min(self._room(context) for context in contexts)
        fragment = max(1, min(self._shared or with_context, with_context // 2))
        self._pieces = section_pieces(
            index, section.blocks, Room(tokens=room, with_context=with_context, fragment=fragment)
        )

    def drafts(self) -> list[Draft]:
        """Return the drafts of the section."""
        drafts: list[Draft] = []
        group = self._pieces[:1]
        start = group[0].start
        for piece in self._pieces[1:]:
            if self._fits(start, piece.end, self._context(start, group)):
                group.append(piece)
                continue
            drafts.append(self._draft(start, group))
            start = self._start_after(group, piece)
            group = [piece]
        drafts.append(self._draft(start, group))
        return self._marked(self._with_rest_joined(drafts))

    def _draft(self, start: int, group: Sequence[Piece]) -> Draft:
        return Draft(
            start=start,
            end=group[-1].end,
            new_from=group[0].start,
            heading_path=self._path,
            context=self._context(start, group),
        )

    def _context(self, start: int, group: Sequence[Piece]) -> str:
        return group[0].context if start == group[0].start else ""

    def _start_after(self, group: Sequence[Piece], piece: Piece) -> int:
        """Return where the draft of ``piece`` begins: with the last sentences of ``group`` if they may be shared."""
        if piece.context or not piece.shareable:
            return piece.start
        starts = (start for start in self._shareable_starts(group) if self._fits(start, piece.end, ""))
        return next(starts, piece.start)

    def _shareable_starts(self, group: Sequence[Piece]) -> list[int]:
        """Return where the last sentences of a group begin, the longest part first; never the whole group."""
        end = group[-1].end
        starts: list[int] = []
        for piece in reversed(group):
            if not piece.shareable or self._index.count(piece.end, end) > self._shared:
                break
            inside = sentence_spans(self._index.text[piece.start : piece.end])
            starts += [piece.start + start for start, _ in reversed(inside)]
        return [
            start
            for start in reversed(starts)
            if start > group[0].start and self._index.count(start, end) <= self._shared
        ]

    def _with_rest_joined(self, drafts: list[Draft]) -> list[Draft]:
        """Join the last draft with the one before where it adds little and both fit."""
        if len(drafts) < 2:
            return drafts
        *others, before, last = drafts
        adds = self._index.count(last.new_from, last.end)
        if adds >= self._small or not self._fits(before.start, last.end, before.context):
            return drafts
        return [*others, replace(before, end=last.end)]

    def _marked(self, drafts: Sequence[Draft]) -> list[Draft]:
        last = len(drafts) - 1
        return [
            replace(draft, begins_section=number == 0, ends_section=number == last)
            for number, draft in enumerate(drafts)
        ]

    def _fits(self, start: int, end: int, context: str) -> bool:
        return self._index.fits(start, end, self._room(context))

    def _room(self, context: str) -> int:
        return self._keeper.prefix(self._path, context).room


def _join_small_sections(
    index: TokenIndex, drafts: Sequence[Draft], keeper: RoomKeeper, small_tokens: int
) -> list[Draft]:
    """Join whole sections of fewer than ``small_tokens`` tokens with the draft after them, the last with that before.

    Forwards, since the draft after begins with its own heading, so that the text tells what the shorter heading path of
    the two together leaves out.
    """

    def is_small(draft: Draft) -> bool:
        is_whole = draft.begins_section and draft.ends_section
        return is_whole and index.count(draft.start, draft.end) < small_tokens

    def fits(draft: Draft) -> bool:
        return index.fits(draft.start, draft.end, keeper.prefix(draft.heading_path, draft.context).room)

    joined: list[Draft] = []
    for number, draft in enumerate(drafts):
        is_last = number == len(drafts) - 1
        if joined and (is_small(joined[-1]) or (is_last and is_small(draft))):
            both = _both(joined[-1], draft)
            if fits(both):
                joined[-1] = both
                continue
        joined.append(draft)
    return joined


def _both(before: Draft, after: Draft) -> Draft:
    """Return two neighbours as one, under the headings that they share."""
    pairs = zip(before.heading_path, after.heading_path, strict=False)
    shared = tuple(ours for ours, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return replace(before, end=after.end, heading_path=shared, ends_section=after.ends_section)
