"""What the node of a store tells of its vector spaces, and how that changes: each change is one transaction.

What becomes of the vectors themselves is in :mod:`graph_store.neo4j.space_vectors`.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from graph_store.errors import SpaceConflict, SpaceIncomplete, SpaceMissing, StoreMissing, StoreSwitched
from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.slots import FIRST_SLOT, StoredSpace, StoredSpare, other_slot
from graph_store.packing import pack_json
from graph_store.spaces import LiveSpace, VectorSpace

FORMAT = 1
"""Raised with every change of the nodes or of what an old property means."""

FORMAT_OF_SLOT = {FIRST_SLOT: FORMAT, "b": 2}
"""The format of a store by the slot of its live space: versions that know one slot must not read the other as live."""

_STORE = "MATCH (s:BelvedereStore {only: 1})"
_KEYS = (
    "id",
    "embedding_model",
    "dimension",
    "token_space",
    "token_dimension",
    "recipe",
    "replaced",
    "slot",
    "space_number",
    "spare",
    "spare_number",
    "dropping",
)
TOLD_OF_SPACES = f"s {{{', '.join(f'.{key}' for key in _KEYS)}}}"
"""What ``spaces_of`` reads, of the node ``s`` of a store."""

_LACKING = (
    "MATCH (n:Chunk) WHERE n.{0} IS NULL RETURN count(n)",
    "MATCH (t:BelvedereTenant) MATCH (n:__Community__ {{tenant: t.tenant, generation: t.generation}}) WHERE n.{0} IS"
    " NULL RETURN count(n)",
    "MATCH (t:BelvedereTenant) MATCH (n:Summary {{tenant: t.tenant, generation: t.generation}}) WHERE n.{0} IS NULL"
    " RETURN count(n)",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spaces:
    """The spaces of a store; ``dropping`` is the slot of one that is being removed."""

    live: StoredSpace
    replaced: tuple[VectorSpace, ...]
    spare: StoredSpare | None
    dropping: str | None


def spaces_of(properties: Mapping[str, Any]) -> Spaces:
    """Return the spaces that the properties of a store's node tell of."""
    live = StoredSpace(
        space=VectorSpace(
            embedding_model=properties["embedding_model"],
            dimension=properties["dimension"],
            token_space=properties["token_space"],
            token_dimension=properties["token_dimension"],
        ),
        recipe=properties.get("recipe") or "",
        slot_name=properties.get("slot") or FIRST_SLOT,
        number=properties.get("space_number") or 0,
        store=properties.get("id") or "",
    )
    spare = None
    if packed := properties.get("spare"):
        notes = json.loads(packed)
        spare = StoredSpare(
            space=VectorSpace(**notes["space"]),
            recipe=notes["recipe"],
            former=notes["former"],
            slot_name=other_slot(live.slot_name),
            number=properties["spare_number"],
            store=live.store,
        )
    replaced = json.loads(properties.get("replaced") or "[]")
    return Spaces(
        live=live,
        replaced=tuple(VectorSpace(**item) for item in replaced),
        spare=spare,
        dropping=properties.get("dropping"),
    )


def read_spaces(transaction: Transaction) -> Spaces:
    """Return the spaces of a store; raises ``StoreMissing``."""
    found = transaction.rows(f"{_STORE} RETURN {TOLD_OF_SPACES}")
    if not found:
        raise StoreMissing("the store is not in its database any more: run `belvedere index` to make it anew")
    return spaces_of(found[0].value())


def check_store(held: StoredSpace, found: Spaces, *, address: str) -> None:
    """Raise ``StoreSwitched`` where another store has taken the place of the one that ``held`` was read from."""
    if held.store != found.live.store:
        raise StoreSwitched(f"the store {address!r} was made anew since it was opened: open it again")


def check_space(held: StoredSpace, found: Spaces, *, address: str) -> None:
    """Raise ``StoreSwitched`` where ``held`` is not what it was when it was taken up: live, or the spare space."""
    check_store(held, found, address=address)
    kept = {found.live.number}
    if isinstance(held, StoredSpare) and found.spare is not None:
        kept.add(found.spare.number)
    if held.number not in kept:
        raise StoreSwitched(
            f"the store {address!r} was switched to the embedding model {found.live.embedding_model!r} since it was"
            " opened: open it again with that model"
        )


def need_spare(found: Spaces) -> StoredSpare:
    """Return the spare space; raises ``SpaceMissing``."""
    if found.spare is None:
        raise SpaceMissing(
            "the store has no second vector space: build one with `belvedere migrate embeddings --model MODEL`"
        )
    return found.spare


def need_filled(transaction: Transaction) -> StoredSpare:
    """Return the spare space, which lacks nothing; raises ``SpaceMissing`` and ``SpaceIncomplete``."""
    spare = need_spare(read_spaces(transaction))
    check_filled(transaction, spare)
    return spare


def check_filled(transaction: Transaction, spare: StoredSpace) -> None:
    """Raise ``SpaceIncomplete`` where a record has no vectors in a space."""
    lacking = count_unfilled(transaction, spare)
    if lacking:
        raise SpaceIncomplete(
            f"{lacking:,} records have no vectors in the second vector space yet: fill it first, with"
            " `belvedere migrate embeddings --model MODEL`, which may stand beside --switch"
        )


def count_unfilled(transaction: Transaction, spare: StoredSpace) -> int:
    """Return how many records of all tenants have no vectors in a space; those that nobody is shown do not count."""
    return sum(transaction.rows(query.format(spare.slot.embedding))[0].value() for query in _LACKING)


def keep_live(transaction: Transaction, live: LiveSpace) -> None:
    """Write down what is known of the live space beside what the store was made with."""
    transaction.run(
        f"{_STORE} SET s.recipe = $recipe, s.replaced = $replaced",
        recipe=live.recipe,
        replaced=_packed_spaces(live.replaced),
    )


def note_spare(transaction: Transaction, space: VectorSpace, *, recipe: str, live_recipe: str) -> StoredSpare:
    """Write down that there is a spare space, which is empty, and return it; the one that is there where it is this.

    Raises ``SpaceConflict``.
    """
    found = read_spaces(transaction)
    if space == found.live.space:
        raise SpaceConflict(
            f"the vectors of the store are those of {_shown(space)} already: name another model, or other token vectors"
        )
    if found.spare is not None and found.spare.space != space:
        way = "--drop-old" if found.spare.former else "--abandon"
        raise SpaceConflict(
            f"the store has a second vector space already, of {_shown(found.spare.space)}: go on with that model, or"
            f" remove it first with `belvedere migrate embeddings {way}`"
        )
    transaction.run(f"{_STORE} SET s.recipe = $recipe", recipe=found.live.recipe or live_recipe)
    if found.spare is None:
        transaction.run(
            f"{_STORE} SET s.last_space = coalesce(s.last_space, 0) + 1 SET s.spare_number = s.last_space,"
            " s.spare = $notes",
            notes=_packed_spare(space, recipe=recipe, former=False),
        )
    return need_spare(read_spaces(transaction))


def change_places(transaction: Transaction, number: int) -> None:
    """Make the spare space, which has this number, the live one and the other way round; nothing where it is live.

    Raises ``SpaceMissing`` and ``SpaceIncomplete``.
    """
    found = read_spaces(transaction)
    if found.live.number == number:
        return  # done already, by an attempt of which nobody knew whether it was committed
    live, spare = found.live, need_filled(transaction)
    replaced = tuple(space for space in found.replaced if space not in {live.space, spare.space})
    transaction.run(
        f"{_STORE} SET s += $live, s.spare = $notes",
        live={
            **asdict(spare.space),
            "recipe": spare.recipe,
            "replaced": _packed_spaces((*replaced, live.space)),
            "slot": spare.slot_name,
            "space_number": spare.number,
            "spare_number": live.number,
            "format": FORMAT_OF_SLOT[spare.slot_name],
        },
        notes=_packed_spare(live.space, recipe=live.recipe, former=True),
    )


def note_drop(transaction: Transaction) -> None:
    """Write down that the spare space is gone and its vectors are to be removed; raises ``SpaceMissing``."""
    found = read_spaces(transaction)
    if found.dropping is None:
        spare = need_spare(found)
        transaction.run(f"{_STORE} SET s.dropping = $slot REMOVE s.spare, s.spare_number", slot=spare.slot_name)


def note_dropped(transaction: Transaction) -> None:
    """Write down that nothing is left to be removed."""
    transaction.run(f"{_STORE} REMOVE s.dropping")


def _packed_spaces(spaces: tuple[VectorSpace, ...]) -> str:
    return pack_json([asdict(space) for space in spaces])


def _packed_spare(space: VectorSpace, *, recipe: str, former: bool) -> str:
    return pack_json({"space": asdict(space), "recipe": recipe, "former": former})


def _shown(space: VectorSpace) -> str:
    return f"{space.embedding_model!r} with the token vectors {space.token_space!r}"
