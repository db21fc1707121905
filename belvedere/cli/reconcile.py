"""``belvedere reconcile``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from belvedere.cli.options import DOCUMENT_GROUPS, GivenPath, Shared, shared_options
from belvedere.cli.paying import Paying, agree_to_cost, paying_options, show_spent
from belvedere.cli.printing import say, say_json, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.json_form import reconciliation_json

if TYPE_CHECKING:
    from belvedere.reconciliation import Reconciliation

DRIFTED = 3
_UNITS = ((86_400, "days"), (3_600, "hours"), (60, "minutes"), (1, "seconds"))


@click.command()
@click.argument("paths", nargs=-1, required=True, type=GivenPath())
@click.option("--fix", is_flag=True, help="Index what is missing or stale, delete what is orphaned, derive the rest.")
@click.option("--public", is_flag=True, help="The documents are for everybody of the tenant, also those of groups.")
@paying_options
@shared_options(DOCUMENT_GROUPS)
def reconcile(shared: Shared, paths: tuple[Path, ...], *, fix: bool, public: bool, paying: Paying) -> int:
    """Compare the store with its sources and say how they differ, one sentence each.

    Missing sources are not in the store; stale documents are not as their sources are; orphaned ones have none in
    PATHS any more (those from elsewhere are counted alone); what is derived, and indexes, may lag behind. Sources that
    cannot be read are named. Without --fix nothing is written. Give the paths, tenant and groups that you give to
    `index`. Ends with 0 where the store is as its sources are (with --fix: now), 3 where it differs.

    With --fix a cost of language models above llm.budget.ask_above is asked about, as `index` does: without a terminal
    to ask at, nothing is done (exit code 2).
    """
    if public and shared.groups:
        raise click.UsageError("--public lets everybody read: leave --groups out, or --public")
    with shared.open(as_caller=False, llm=paying.llm) as kb:
        if fix and not paying.agreed:
            agree_to_cost(kb, paths, rebuild=False)
        with ProgressBar("comparing") as bar:
            found = kb.reconcile(paths, groups=shared.groups, public=public, fix=fix, progress=bar)
    if shared.as_json:
        say_json(reconciliation_json(found))
    else:
        _show(found)
    return 0 if found.agrees else DRIFTED


def _show(found: "Reconciliation") -> None:
    for drift in found.drifts:
        say(wrapped(f"{drift.kind}: {drift.says}"))
    for failure in found.unreadable:
        say(wrapped(f"unreadable: {failure.uri}: {failure.error}"))
    if found.oldest_change_seconds is not None:
        say(f"the change that has waited longest is {_shown_age(found.oldest_change_seconds)} old")
    verdict = f"{len(found.drifts)} differences"
    if found.report is not None:
        changed = found.report.documents
        verdict += f"; {changed.added} added, {changed.updated} updated, {changed.deleted} deleted"
        verdict += "; none are left" if found.agrees else f"; {len(found.left)} are left"
    say(f"{found.agreeing:,} documents are as their sources are; {verdict}")
    if found.gone_outside:
        say(f"gone outside the given paths: {found.gone_outside}; name their folder to see or delete them")
    for drift in found.left if found.report is not None else ():
        say(wrapped(f"still {drift.kind}: {drift.says}"))
    if found.report is not None:
        show_spent(found.report)


def _shown_age(seconds: float) -> str:
    """Return a whole number of the largest unit of which there are two."""
    size, name = next(((size, name) for size, name in _UNITS if seconds >= 2 * size), _UNITS[-1])
    return f"{int(seconds // size)} {name}"
