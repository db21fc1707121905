"""``belvedere graph``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, Shared
from belvedere.cli.printing import say, say_json, shown_place, wrapped
from belvedere.json_form import entity_json

if TYPE_CHECKING:
    from belvedere.entity_view import EntityView, HomeView, RelationView

_SHOWN = 20


@click.command()
@click.argument("entity")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=_SHOWN,
    show_default=True,
    help="Relations, passages and documents shown of each entity; --json has all of them.",
)
@EVERYBODY
def graph(shared: Shared, entity: str, limit: int) -> None:
    """Show what the documents say about one ENTITY: its names, where it is told of, its relations and mentions."""
    with shared.open() as kb:
        refuse_if_nothing_readable(shared, kb)
        found = kb.graph(entity)
    if shared.as_json:
        say_json({"entities": [entity_json(view) for view in found]})
        return
    for view in found:
        _show(view, limit)


def _show(view: "EntityView", limit: int) -> None:
    entity = view.entity
    say(f"{entity.name} ({entity.type})", bold=True)
    if entity.aliases:
        say(wrapped(f"also: {', '.join(entity.aliases)}", indent="  "))
    if entity.description:
        say(wrapped(entity.description, indent="  "))
    _say_list("told of in passages", [_home_line(home) for home in view.homes], limit)
    _say_list("relations", [_relation_line(relation) for relation in view.relations], limit)
    _say_list("mentioned in documents", [_mention_line(*item) for item in view.mentions_by_document.items()], limit)
    say()


def _home_line(home: "HomeView") -> str:
    return f"{shown_place(home.title or home.document_id, home.heading_path)} ({home.document_id})"


def _relation_line(relation: "RelationView") -> str:
    sources = len(relation.evidence)
    return f"{relation.source} — {relation.predicate} → {relation.target}  [{sources} {_plural('passage', sources)}]"


def _mention_line(document_id: str, count: int) -> str:
    return f"{document_id}, {count} {_plural('time', count)}"


def _plural(noun: str, count: int) -> str:
    return noun if count == 1 else f"{noun}s"


def _say_list(title: str, lines: Sequence[str], limit: int) -> None:
    """Print a heading with the number of lines, as many lines as are wanted, and how many more there are."""
    if not lines:
        return
    say(f"  {title} ({len(lines):,}):")
    for line in lines[:limit]:
        say(f"    {line}")
    if len(lines) > limit:
        say(f"    … and {len(lines) - limit:,} more; --limit shows them")
