"""``belvedere index``."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from belvedere.cli.options import DOCUMENT_GROUPS, GivenPath, Shared, shared_options
from belvedere.cli.paying import Paying, agree_to_cost, paying_options, show_spent
from belvedere.cli.printing import complain, say, say_json
from belvedere.cli.progress import ProgressBar
from belvedere.json_form import index_json

if TYPE_CHECKING:
    from indexing.report import IndexReport


@click.command()
@click.argument("paths", nargs=-1, required=True, type=GivenPath())
@click.option("--prune", is_flag=True, help="Delete documents whose source is gone and lay in PATHS.")
@click.option(
    "--public", is_flag=True, help="Let everybody of the tenant read these documents, also those stored for groups."
)
@click.option("--rebuild", is_flag=True, help="Make everything anew, not only what has changed.")
@paying_options
@shared_options(DOCUMENT_GROUPS)
def index(
    shared: Shared,
    paths: tuple[Path, ...],
    *,
    prune: bool,
    public: bool,
    rebuild: bool,
    paying: Paying,
) -> None:
    """Bring the store up to date with files, folders or corpus.jsonl files.

    Reads .txt .md .markdown .html .htm .pdf .docx .csv .tsv .jsonl; only what has changed is done again. What cannot be
    read is named at the end, and the rest is indexed.

    Communities and summary trees are repaired where documents have changed: reports and summaries that need not change
    stay as they are. --rebuild reads and embeds all documents in PATHS again and makes communities and trees anew.

    Without --groups and --public what is stored keeps its readers, and what is new is for everybody of the tenant; a
    new copy of a document of groups is left out and named.

    --prune leaves documents from outside PATHS alone, and refuses where a folder in PATHS holds no source at all any
    more: it may not be mounted. Where its documents are really to go, use `belvedere delete`.

    Where language models do tasks of indexing and have prices, their cost is estimated first, and a cost above
    llm.budget.ask_above is asked about; without a terminal to ask at, nothing is done then (exit code 2).
    """
    if public and shared.groups:
        raise click.UsageError("--public lets everybody read: leave --groups out, or --public")
    with shared.open(as_caller=False, llm=paying.llm) as kb:
        if not paying.agreed:
            agree_to_cost(kb, paths, rebuild=rebuild)
        with ProgressBar("getting ready") as bar:
            run = kb.rebuild if rebuild else kb.index
            report = run(paths, groups=shared.groups, public=public, prune=prune, progress=bar)
    if shared.as_json:
        say_json(index_json(report))
    else:
        _show(report)


_SHOWN_FAILURES = 5


def _show(report: "IndexReport") -> None:
    documents = report.documents
    say(
        f"documents: {documents.added} added, {documents.updated} updated, {documents.unchanged} unchanged, "
        f"{documents.deleted} deleted, {len(documents.failed)} failed"
    )
    say(
        f"the store now holds {report.chunks:,} chunks, {report.entities:,} entities, {report.relations:,} relations, "
        f"{report.communities:,} communities, {report.tree_nodes:,} tree nodes"
    )
    steps = ", ".join(f"{step} {seconds:.1f}" for step, seconds in report.seconds.items() if seconds >= 0.05)
    say(f"{sum(report.seconds.values()):.1f} s" + (f" ({steps})" if steps else ""))
    show_spent(report)
    failures = report.model_work.failed if report.model_work else ()
    for failure in failures[:_SHOWN_FAILURES]:
        complain(f"{failure.task}: {failure.about} is made without the language model: {failure.error}")
    if len(failures) > _SHOWN_FAILURES:
        complain(f"and {len(failures) - _SHOWN_FAILURES:,} more; --json lists them all")
    if documents.gone:
        complain(f"{documents.gone} documents stay although their source is gone; --prune removes them")
    if documents.gone_outside:
        complain(f"gone outside the given paths: {documents.gone_outside}; name their folder to see or prune them")
    for source in documents.failed:
        complain(f"left out {source.uri}: {source.error}")
