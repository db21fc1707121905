"""``belvedere doctor``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from belvedere.cli.options import CONFIG, JSON, STORE, settings_file
from belvedere.cli.printing import say, say_json, wrapped
from belvedere.json_form import examination_json
from belvedere.store_location import StoreLocation, read_location

if TYPE_CHECKING:
    from belvedere.doctor import Examination

_WRONG = 1
_MARKS = {"fine": "ok", "note": "note", "problem": "PROBLEM"}


@click.command()
@STORE
@CONFIG
@JSON
@click.option("--models", is_flag=True, help="Also load the models and use each of them once, which takes seconds.")
@click.option("--all", "everything", is_flag=True, help="Also print what is fine.")
def doctor(store: StoreLocation | None, config: Path | None, as_json: bool, models: bool, everything: bool) -> int:
    """Look over the installation and the whole store, and say what to do about what is wrong.

    Changes nothing, and may run beside a writer. Looks at packages, models, settings, lock, format and database,
    whether the indexes of every tenant hold what the database holds, communities and trees, and room on the disk. Ends
    with 0 where all is well, 1 where something is wrong, 2 where there is no store.
    """
    from belvedere.doctor import examine  # noqa: PLC0415  # heavy import, only when used
    from belvedere.settings import load_settings  # noqa: PLC0415  # as above

    settings = load_settings(settings_file(config))
    found = examine(read_location(settings.store.location) if store is None else store, settings, models=models)
    if as_json:
        say_json(examination_json(found))
    else:
        _show(found, everything)
    return 0 if found.healthy else _WRONG


def _show(found: "Examination", everything: bool) -> None:
    for finding in found.findings:
        if everything or finding.level != "fine":
            say(wrapped(f"{_MARKS[finding.level]:<8}{finding.check}: {finding.says}"))
            if finding.remedy:
                say(wrapped(f"what to do: {finding.remedy}", indent=" " * 8))
    problems = sum(finding.level == "problem" for finding in found.findings)
    fine = sum(finding.level == "fine" for finding in found.findings)
    verdict = "nothing is wrong" if found.healthy else f"{problems} of them problems"
    say(f"{found.store}: {len(found.findings)} checks, {fine} fine; {verdict}")
