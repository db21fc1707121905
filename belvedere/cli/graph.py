"""``belvedere graph``."""

from typing import TYPE_CHECKING

import click

from belvedere.cli.options import EVERYBODY, Shared
from belvedere.cli.printing import say, say_json, wrapped
from belvedere.json_form import entity_json

if TYPE_CHECKING:
    from belvedere.entity_view import EntityView

_SHOWN_RELATIONS = 30
_SHOWN_DOCUMENTS = 10


@click.command()
@click.argument("entity")
@EVERYBODY
def graph(shared: Shared, entity: str) -> None:
    """Show what the documents say about one ENTITY: its names, relations, and where it is mentioned."""
    with shared.open() as kb:
        found = kb.graph(entity)
    if shared.as_json:
        say_json({"entities": [entity_json(view) for view in found]})
        return
    for view in found:
        _show(view)


def _show(view: "EntityView") -> None:
    entity = view.entity
    say(f"{entity.name} ({entity.type})", bold=True)
    if entity.aliases:
        say(wrapped(f"also: {', '.join(entity.aliases)}", indent="  "))
    if entity.description:
        say(wrapped(entity.description, indent="  "))
    for relation in view.relations[:_SHOWN_RELATIONS]:
        say(f"  {relation.source} — {relation.predicate} → {relation.target}")
    _say_rest(len(view.relations) - _SHOWN_RELATIONS, "relations")
    documents = list(view.mentions_by_document.items())
    for document_id, count in documents[:_SHOWN_DOCUMENTS]:
        say(f"  mentioned {count} times in {document_id}" if count > 1 else f"  mentioned once in {document_id}")
    _say_rest(len(documents) - _SHOWN_DOCUMENTS, "documents")
    say()


def _say_rest(count: int, what: str) -> None:
    if count > 0:
        say(f"  … and {count:,} more {what}")
