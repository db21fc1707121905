"""``belvedere copy-store``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from belvedere.cli.options import CONFIG, JSON, LocationType, NameType, settings_file
from belvedere.cli.printing import complain, say, say_json, wrapped
from belvedere.cli.progress import ProgressBar
from belvedere.json_form import copy_json
from belvedere.store_location import StoreLocation

if TYPE_CHECKING:
    from belvedere.store_copy import CopyReport

DIFFERENT = 1
_MOST_SHOWN = 20


@click.command("copy-store")
@click.argument("origin", metavar="FROM", type=LocationType())
@click.argument("target", metavar="TO", type=LocationType())
@click.option("--tenant", type=NameType(), metavar="TEXT", help="Copy this tenant alone.  [default: all]")
@click.option("--verify", is_flag=True, help="Compare two stores, such as an earlier copy; nothing is written.")
@CONFIG
@JSON
def copy_store(
    *,
    origin: StoreLocation,
    target: StoreLocation,
    tenant: str | None,
    verify: bool,
    config: Path | None,
    as_json: bool,
) -> int:
    """Copy the store FROM to the place TO, each a folder or neo4j://HOST:PORT/DATABASE.

    Everything goes with it, vectors too: no model is loaded. TO must be empty; a copy that was stopped goes on when the
    same is asked for again, and is no store to others until then. In the end both are compared row by row, and each row
    that differs is named. A second vector space stays behind. Ends with 0 where both are the same, 1 where they differ.
    """
    from belvedere import store_copy  # noqa: PLC0415  # heavy import, only when used
    from belvedere.settings import load_settings  # noqa: PLC0415  # as above

    settings = load_settings(settings_file(config))
    act = store_copy.verify_copy if verify else store_copy.copy_store
    with ProgressBar("getting ready") as bar:
        report = act(origin, target, settings, tenant=tenant, progress=bar)
    if as_json:
        say_json(copy_json(report))
    else:
        _show(report, verified_only=verify)
    return 0 if report.comparison.agrees else DIFFERENT


def _show(report: "CopyReport", *, verified_only: bool) -> None:
    if not verified_only:
        told = f"{report.written:,} documents were written"
        if report.kept or report.removed:
            told += f", {report.kept:,} kept from an earlier run, {report.removed:,} removed"
        say(told)
    found = report.comparison
    for kind, digest in found.kinds.items():
        same = digest.digest_from == digest.digest_to
        counted = f"{digest.rows_from:,}" if digest.rows_from == digest.rows_to else f"{digest.rows_from:,} and "
        counted += "" if digest.rows_from == digest.rows_to else f"{digest.rows_to:,}"
        say(f"  {kind}: {counted}, {'the same' if same else 'DIFFERENT'} ({digest.digest_from[:12]})")
    for item in found.differences[:_MOST_SHOWN]:
        say(wrapped(f"{item.kind} {item.id!r} of tenant {item.tenant!r} {item.says}"))
    if found.agrees:
        say("both stores hold the same")
        return
    complain(f"{found.differing:,} rows differ" + (": the copy is not taken for a store" if not verified_only else ""))
