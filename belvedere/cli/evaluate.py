"""``belvedere eval``."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from belvedere.cli.evaluation_options import Evaluating, evaluation_options
from belvedere.cli.evaluation_text import show_evaluation, shown_gate
from belvedere.cli.options import GivenPath, settings_file
from belvedere.cli.printing import complain, say_json
from belvedere.cli.progress import ProgressBar
from belvedere.errors import UserMistake
from graph_store.filters import Versions

if TYPE_CHECKING:
    from belvedere.evaluation.dataset import Dataset
    from belvedere.evaluation.failures import FailureReport
    from belvedere.evaluation.gates import Gate, GateOutcome
    from model_clients.settings import EmbedderSettings

GATE_NOT_PASSED = 4
"""Exit code where all went well but a gate was not passed."""


@click.command("eval")
@click.argument("folder", metavar="DIR", type=GivenPath(file_okay=False))
@evaluation_options
def evaluate(folder: Path, options: Evaluating) -> None:
    """Measure retrieval and answers on DIR/corpus.jsonl with the questions of DIR/questions.jsonl.

    Rows of the corpus have id, title and text; rows of the questions have question and gold_ids (or gold_groups: one
    list per piece of evidence, any member is enough; or gold_grades: a grade per document, higher is better), and may
    have a type and a reference answer. Questions with empty
    gold_ids are unanswerable: abstaining is measured on them. The corpus is shuffled first. Instead of the two files
    DIR may hold a folder corpus/ of documents, whose ids are their paths below it, and questions.yaml, a list of such
    rows. `belvedere eval-init` drafts such a folder from a store.
    """
    from belvedere.evaluation.baseline import compare_with_baseline, read_baseline  # noqa: PLC0415  # heavy import, only when used
    from belvedere.evaluation.dataset import read_dataset  # noqa: PLC0415  # as above
    from belvedere.evaluation.evaluate import MoreToMeasure, evaluate_dataset  # noqa: PLC0415  # as above
    from belvedere.evaluation.gates import check_judge, check_questions, judge_gates  # noqa: PLC0415  # as above
    from belvedere.evaluation.index_cache import cache_folder  # noqa: PLC0415  # as above
    from belvedere.evaluation.report_html import report_html  # noqa: PLC0415  # as above
    from belvedere.evaluation.result_json import evaluation_json, plain_settings  # noqa: PLC0415  # as above
    from belvedere.evaluation.systems import with_second  # noqa: PLC0415  # as above
    from belvedere.settings import load_settings, with_llm_tasks  # noqa: PLC0415  # as above

    _check_outputs(options)
    settings = load_settings(settings_file(options.config))
    if options.llm is not None:
        settings = with_llm_tasks(settings, options.llm)
    if any("+" in system for system in options.systems) and settings.llm.model_of("rewriting") is None:
        raise UserMistake("only a language model transforms questions: set llm.tasks.rewriting, or --llm rewriting")
    second = _second_embedder(options, settings.embedder)
    measured = options.systems if second is None else with_second(options.systems)
    gates = _read_gates(options, measured)
    dataset = read_dataset(
        folder,
        seed=options.seed,
        limit=options.limit,
        filters=options.filters,
        versions=Versions(as_of=options.as_of, all_versions=options.all_versions),
    )
    check_questions(gates, dataset.questions)
    check_judge(gates, configured=settings.llm.model_of("judge") is not None)
    earlier = None if options.baseline is None else read_baseline(options.baseline, dataset, measured)
    _warn(dataset)
    with ProgressBar("getting ready") as bar:
        evaluation = evaluate_dataset(
            dataset,
            options.systems,
            settings=settings,
            cache=options.cache or cache_folder(),
            progress=bar,
            more=MoreToMeasure(second=second, gold_evidence=options.gold_evidence),
        )
    if earlier is not None:
        compared = compare_with_baseline(earlier, evaluation.systems, dataset, plain_settings(settings))
        evaluation = replace(evaluation, baseline=compared)
    outcomes = judge_gates(gates, evaluation.systems)
    if options.failures is not None and evaluation.failures is not None:
        _write_failures(options.failures, evaluation.failures)
    if options.html is not None:
        options.html.write_text(report_html(evaluation, dataset, settings, gates=outcomes), encoding="utf-8")
    if options.as_json:
        say_json(evaluation_json(evaluation, dataset, settings, gates=outcomes))
    else:
        show_evaluation(evaluation, dataset, outcomes)
    _leave(outcomes)


def _second_embedder(options: Evaluating, embedder: "EmbedderSettings") -> "EmbedderSettings | None":
    from belvedere.embedder_choice import other_embedder  # noqa: PLC0415  # heavy import, only when used

    if options.compare_model is None and options.compare_tokens is None:
        return None
    return other_embedder(embedder, model=options.compare_model, token_vectors=options.compare_tokens)


def _read_gates(options: Evaluating, systems: Sequence[str]) -> tuple["Gate", ...]:
    from belvedere.evaluation.gates import gates_for, parse_gates  # noqa: PLC0415  # heavy import, only when used

    return gates_for([gate for text in options.gates for gate in parse_gates(text)], systems)


def _check_outputs(options: Evaluating) -> None:
    """Refuse, before anything is measured, a report that could not be written afterwards."""
    if options.failures is not None and "local" not in options.systems:
        raise UserMistake("--failures tells where the system local failed: add local to --compare")
    if options.gold_evidence and "local" not in options.systems:
        raise UserMistake("--gold-evidence asks the system local: add local to --compare")
    for path in (options.failures, options.html):
        if path is not None:
            _check_writable(path)


def _check_writable(path: Path) -> None:
    if not path.parent.is_dir():
        raise UserMistake(f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}")
    existed = path.exists()
    try:
        path.open("ab").close()
    except OSError as error:
        raise UserMistake(f"cannot write {str(path)!r}: {error.strerror}; name another file") from None
    if not existed:
        path.unlink()


def _write_failures(path: Path, report: "FailureReport") -> None:
    from belvedere.evaluation.failures import failure_json  # noqa: PLC0415  # heavy import, only when used

    lines = [json.dumps(failure_json(failure)) + "\n" for failure in report.failures]
    path.write_text("".join(lines), encoding="ascii")


def _leave(outcomes: Sequence["GateOutcome"]) -> None:
    """End with ``GATE_NOT_PASSED``, and a line for each gate that was not passed, where there is one."""
    failed = [outcome for outcome in outcomes if not outcome.passed]
    for outcome in failed:
        complain(f"gate not passed: {shown_gate(outcome)}")
    if failed:
        click.get_current_context().exit(GATE_NOT_PASSED)


def _warn(dataset: "Dataset") -> None:
    missing = sorted(dataset.missing_gold())
    if missing:
        complain(f"{len(missing)} gold documents are not in the corpus and count as not found, such as {missing[0]!r}")
    drafts = sum(question.draft for question in dataset.questions)
    if drafts:
        complain(
            f'{drafts} questions are drafts that nobody has checked ("draft": true): '
            "edit them before you trust the figures"
        )
