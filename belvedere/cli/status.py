"""``belvedere status``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from belvedere.cli.options import EVERYBODY, Shared
from belvedere.cli.printing import say, say_json, shown_bytes, wrapped
from belvedere.json_form import status_json

if TYPE_CHECKING:
    from belvedere.status import StoreStatus


@click.command()
@EVERYBODY
def status(shared: Shared) -> None:
    """Tell what the store holds, and whether it is up to date."""
    with shared.open() as kb:
        found = kb.status()
    if shared.as_json:
        say_json(status_json(found))
    else:
        _show(found, shared.groups)


def _show(found: "StoreStatus", groups: Sequence[str]) -> None:
    counts = found.counts
    say(f"{found.store} ({shown_bytes(found.store_bytes)}), tenant {found.tenant}")
    say(f"embedding model {found.embedding_model}, {found.dimension} dimensions")
    for name in ("documents", "chunks", "entities", "relations", "communities", "tree_nodes"):
        say(f"  {name.replace('_', ' '):<12}{getattr(counts, name):>10,}")
    if not counts.documents:
        asked = f"in the groups {', '.join(groups)}" if groups else "without a group"
        say(
            wrapped(
                f"The tenant {found.tenant!r} {asked} has no documents to read here: name another --tenant or "
                "--groups, or run `belvedere index`."
            )
        )
    if not found.up_to_date:
        say("Communities and trees are older than the documents: run `belvedere index` to make them anew.")
