"""``belvedere tree``."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import click

from belvedere.cli.nothing_readable import refuse_if_nothing_readable
from belvedere.cli.options import EVERYBODY, Shared
from belvedere.cli.printing import say, say_json, wrapped
from belvedere.json_form import node_json

if TYPE_CHECKING:
    from graph_store.records import TreeNode


@click.command()
@click.argument("document", required=False)
@EVERYBODY
def tree(shared: Shared, document: str | None) -> None:
    """Show the summary tree, of everything or of one DOCUMENT (its id), from the top."""
    with shared.open() as kb:
        refuse_if_nothing_readable(shared, kb)
        nodes = kb.tree(document)
    if shared.as_json:
        say_json({"nodes": [node_json(node) for node in nodes]})
        return
    if not nodes:
        say("There are no summaries: so little text is its own summary.")
    by_id = {node.id: node for node in nodes}
    for node in nodes:
        if node.parent_id not in by_id:
            _show(node, by_id, depth=0)


def _show(node: "TreeNode", by_id: Mapping[str, "TreeNode"], *, depth: int) -> None:
    indent = "  " * depth
    say(f"{indent}{node.title} [level {node.level}, passages: {len(node.chunk_ids)}]", bold=depth == 0)
    say(wrapped(" ".join(sentence.text for sentence in node.summary), indent=indent + "  "))
    for child in _children(node, by_id):
        _show(child, by_id, depth=depth + 1)


def _children(node: "TreeNode", by_id: Mapping[str, "TreeNode"]) -> Iterable["TreeNode"]:
    return (by_id[child_id] for child_id in node.child_ids if child_id in by_id)
