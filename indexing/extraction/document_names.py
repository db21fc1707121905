"""The names of one document: which spans are names, and what each goes by in that document."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from graph_store.ids import name_key
from graph_store.records import Chunk, Document
from indexing.extraction.aliases import Acronym, TypedName, canonical_names, find_acronyms, is_acronym
from indexing.extraction.names import IDENTIFIER, TOPIC, NameSpan
from indexing.extraction.noun_types import type_of_noun
from indexing.extraction.plain_text import Block
from indexing.extraction.reading import Reading
from indexing.extraction.titles import TitleNames, title_names


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockReading:
    """A block of a chunk with what was read in it; the first names are those of ``reading.names``, in that order."""

    chunk: Chunk
    block: Block
    reading: Reading
    names: tuple[NameSpan, ...]
    accepted: tuple[bool, ...]


class DocumentNames:
    """All names of a document and their canonical forms."""

    def __init__(self, document: Document, readings: Sequence[tuple[Chunk, Block, Reading]]) -> None:
        self.title: TitleNames | None = title_names(document.title)
        acronyms = [find_acronyms(block.text) for _, block, _ in readings]
        self._long_forms = _long_forms(acronyms, readings)
        prose = [reading for _, block, reading in readings if block.kind in {"paragraph", "item"}]
        known = _majority_types((name_key(name), kind) for reading in prose for name, kind in _texts(reading))
        known.update({key: TOPIC for key in self._title_keys() if key not in known})
        known.update(self._defined_types(prose))
        self._known: Mapping[str, str] = known
        self.blocks = tuple(
            _accept(entry, _with_acronyms(entry, found, self._long_forms), known)
            for entry, found in zip(readings, acronyms, strict=True)
        )
        self._canonical = self._canonical_names()
        self.types = _majority_types(
            (name_key(self._canonical[key]), key[1]) for key, count in self.counts.items() for _ in range(count)
        )

    def canonical(self, text: str, kind: str) -> str:
        """Return the name that a surface of type ``kind`` goes by in this document."""
        key = name_key(text)
        known = self._canonical.get((key, kind)) or self._canonical.get((key, self.types.get(key, TOPIC)))
        return known or " ".join(text.split())

    def type_of(self, name: str) -> str:
        """Return the type that most mentions of a canonical name have here, ``TOPIC`` where there is none."""
        key = name_key(name)
        return self.types.get(key) or self._known.get(key, TOPIC)

    def _defined_types(self, prose: Sequence[Reading]) -> dict[str, str]:
        """Map names to the types that definitions give them; the lead sentence and the brackets speak for the title."""
        found: dict[str, str] = {}
        for reading in prose:
            for definition in reading.definitions:
                kind = type_of_noun(definition.noun)
                if kind is not None:
                    found.setdefault(name_key(reading.text[definition.start : definition.end]), kind)
        lead = [definition.noun for definition in prose[0].definitions if definition.sentence == 0] if prose else []
        nouns = [*(self.title.qualifier.casefold().split()[-1:] if self.title else []), *lead]
        kinds = [kind for kind in map(type_of_noun, nouns) if kind is not None]
        if kinds:
            found.update(dict.fromkeys(self._title_keys(), kinds[0]))
        return found

    def _title_keys(self) -> tuple[str, ...]:
        return tuple(name_key(name) for name in self.title.names) if self.title else ()

    def _canonical_names(self) -> Mapping[tuple[str, str], str]:
        counts: Counter[tuple[str, str]] = Counter()
        surfaces: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        first: dict[tuple[str, str], int] = {}
        for position, (text, kind) in enumerate(self._accepted()):
            key = name_key(text), kind
            counts[key] += 1
            surfaces[key][text] += 1
            first.setdefault(key, position)
        self.counts: Mapping[tuple[str, str], int] = counts
        typed = [
            TypedName(name=text, type=kind, count=count, first=first[key, kind])
            for (key, kind), found in surfaces.items()
            for text, count in found.items()
        ]
        return canonical_names(typed, self._long_forms)

    def _accepted(self) -> Iterator[tuple[str, str]]:
        for entry in self.blocks:
            for name, accepted in zip(entry.names, entry.accepted, strict=True):
                if accepted:
                    yield entry.block.text[name.start : name.end], name.type


def _texts(reading: Reading) -> Iterator[tuple[str, str]]:
    for name in reading.names:
        yield reading.text[name.start : name.end], name.type


def _majority_types(typed_keys: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Map each key to its most frequent type, ties alphabetical; TOPIC only where there is no other."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for key, kind in typed_keys:
        votes[key][kind] += 1
    return {key: min(found, key=lambda kind: (kind == TOPIC, -found[kind], kind)) for key, found in votes.items()}


def _long_forms(
    acronyms: Sequence[Sequence[Acronym]], readings: Sequence[tuple[Chunk, Block, Reading]]
) -> Mapping[str, str]:
    """Map the key of an acronym to its long form; an acronym explained in two ways is left alone.

    A name that ends where the long form ends, and is longer, is the long form.
    """
    found: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for explained, (_, _, reading) in zip(acronyms, readings, strict=True):
        for acronym in explained:
            covering = [name for name in reading.names if name.start <= acronym.start and name.end == acronym.end]
            long = reading.text[covering[0].start : covering[0].end] if covering else acronym.long
            found[name_key(acronym.short)].setdefault(name_key(long), long)
    return {key: next(iter(forms.values())) for key, forms in found.items() if len(forms) == 1}


def _with_acronyms(
    entry: tuple[Chunk, Block, Reading], explained: Sequence[Acronym], long_forms: Mapping[str, str]
) -> tuple[NameSpan, ...]:
    """Add long forms that the parser did not take for names, and the places where an explained acronym stands."""
    _, block, reading = entry
    names = list(reading.names)
    spans = [(acronym.start, acronym.end) for acronym in explained]
    for token in re.finditer(r"[^\W_][\w&.-]*", block.text) if long_forms else ():
        short = token[0].rstrip(".")
        if short.lower() != short and name_key(short) in long_forms:
            spans.append((token.start(), token.start() + len(short)))
    for start, end in spans:
        if all(end <= name.start or start >= name.end for name in names):
            names.append(NameSpan(start=start, end=end, type=TOPIC))
    return tuple(names)


def _accept(entry: tuple[Chunk, Block, Reading], names: tuple[NameSpan, ...], known: Mapping[str, str]) -> BlockReading:
    """Take names of headings and cells only where they are clear; take a heading or cell that is itself a known name.

    A name has one type in a document, that of ``known`` where it is there.
    """
    chunk, block, reading = entry
    keys = [name_key(block.text[name.start : name.end]) for name in names]
    accepted = tuple(key in known or _is_clear(block, name) for name, key in zip(names, keys, strict=True))
    names = tuple(replace(name, type=known.get(key, name.type)) for name, key in zip(names, keys, strict=True))
    kind = known.get(name_key(block.text)) if block.kind in {"heading", "row"} else None
    if kind is not None and not any(accepted):
        start = len(block.text) - len(block.text.lstrip())
        names = (*names, NameSpan(start=start, end=len(block.text.rstrip()), type=kind))
        accepted = (*accepted, True)
    return BlockReading(chunk=chunk, block=block, reading=reading, names=names, accepted=accepted)


def _is_clear(block: Block, name: NameSpan) -> bool:
    """Tell whether the parser can be trusted with a name: in prose; in a cell with more than one common-looking word.

    Out of a sentence's context it takes "Launch" and "Magenta" for names.
    """
    text = block.text[name.start : name.end]
    if block.kind == "row":
        return name.type == IDENTIFIER or " " in text or is_acronym(text)
    return block.kind != "heading"
