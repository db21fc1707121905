"""``belvedere communities``."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, Shared
from belvedere.cli.printing import say, say_json, wrapped
from belvedere.json_form import community_json, key_entity_names

if TYPE_CHECKING:
    from graph_store.records import Community


@click.command()
@click.option("--level", type=click.IntRange(min=0), default=None, help="Only this level; 0 is the finest.")
@EVERYBODY
def communities(shared: Shared, level: int | None) -> None:
    """List the communities of entities with their reports."""
    with shared.open() as kb:
        found = kb.communities(level)
        if not found:
            refuse_if_nothing_readable(shared, kb)
        wanted = sorted({name for community in found for name in community.key_entity_ids})
        names = {entity.id: entity.name for entity in kb.store.entities(kb.access, wanted)}
    if shared.as_json:
        say_json({"communities": [community_json(community, names) for community in found]})
        return
    if not found:
        say("There are no communities" + (f" on level {level}." if level is not None else " yet."))
    for community in found:
        _show(community, names)


def _show(community: "Community", names: Mapping[str, str]) -> None:
    say(f"level {community.level}: {community.title}", bold=True)
    say(f"    entities: {len(community.entity_ids)}, passages: {len(community.chunk_ids)}  {community.id}")
    say(wrapped(f"about: {', '.join(key_entity_names(community, names))}", indent="    "))
    for sentence in community.report:
        say(wrapped(f"- {sentence.text}", indent="    "))
    say()
