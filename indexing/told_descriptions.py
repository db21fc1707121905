"""What a language model told of an entity, chunk by chunk, becomes one description.

A description rests on chunks of one audience alone: on those that everybody of the tenant may read where there are any,
else on those of some groups only where no other chunk mentions the entity. So no text mixes what different readers may
read, and the store shows it to those alone who may read all that it rests on.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from graph_store.records import Chunk

MAX_DESCRIPTION = 400
"""Characters of a description that is put together of several; longer ones can be summed up by a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldDescription:
    """What was told, each thing once, with the chunks that it rests on: the two in the same order."""

    texts: tuple[str, ...]
    chunk_ids: tuple[str, ...]

    def joined(self) -> tuple[str, tuple[str, ...]]:
        """Return as many whole texts as there is room for, as one, and the chunks that these rest on."""
        kept, room = 0, MAX_DESCRIPTION
        for text in self.texts:
            if kept and len(text) + 1 > room:
                break
            kept, room = kept + 1, room - len(text) - 1
        return " ".join(self.texts[:kept]), tuple(dict.fromkeys(self.chunk_ids[:kept]))


def tell_apart(
    told: Mapping[str, str], chunk_of: Callable[[str], Chunk], audiences: Iterable[tuple[str, ...]]
) -> ToldDescription | None:
    """Return what may be told as one of an entity that chunks of some ``audiences`` (their groups) mention.

    ``told`` is chunk id -> text. None where there is nothing, or nothing that goes together.
    """
    several = len(set(audiences)) > 1
    chunks = [chunk_of(chunk_id) for chunk_id in told]
    chosen = sorted(
        (chunk for chunk in chunks if not (several and chunk.groups)),
        key=lambda chunk: (chunk.document_id, chunk.position, chunk.id),
    )
    return _each_once([(told[chunk.id], chunk.id) for chunk in chosen]) if chosen else None


def _each_once(told: Sequence[tuple[str, str]]) -> ToldDescription:
    first: dict[str, tuple[str, str]] = {}
    for text, chunk_id in told:
        first.setdefault(text.casefold().rstrip("."), (_ended(text), chunk_id))
    return ToldDescription(
        texts=tuple(text for text, _ in first.values()), chunk_ids=tuple(chunk_id for _, chunk_id in first.values())
    )


def _ended(text: str) -> str:
    return text if text.endswith((".", "!", "?", "\u3002")) else f"{text}."
