"""What a warm question costs beside embedding it once: medians and 95th percentiles, in the same run.

    python benchmarks/asking.py STORE QUESTIONS.jsonl [--rounds N] [--limit N]

Each question is embedded alone and then asked on the local route, in turn, so that both meet the same machine. The
first round warms the caches and does not count.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np

from belvedere import KnowledgeBase
from belvedere.evaluation.machine import describe_machine
from belvedere.settings import Settings
from belvedere.wiring import make_embedder


@click.command(help=__doc__)
@click.argument("store", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("questions", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--rounds", default=3, help="How often every question is asked.")
@click.option("--limit", default=100, help="How many questions.")
def main(store: Path, questions: Path, rounds: int, limit: int) -> None:
    """Time asking against embedding."""
    rows = [json.loads(line) for line in questions.read_text(encoding="utf-8").splitlines()[:limit]]
    asked = [row["question"] for row in rows]
    embedder = make_embedder(Settings().embedder)
    embed_ms: list[float] = []
    ask_ms: list[float] = []
    with KnowledgeBase.open(store) as kb:
        for number in range(rounds + 1):
            for question in asked:
                embedding = milliseconds(embedder.embed_question, question)
                asking = milliseconds(lambda text: kb.ask(text, route="local"), question)
                if number > 0:
                    embed_ms.append(embedding)
                    ask_ms.append(asking)
        chunks = kb.status().counts.chunks
    click.echo(f"{describe_machine()} · {chunks} chunks · {len(asked)} questions, {rounds} rounds")
    _print("embed one question", embed_ms)
    _print("ask, local", ask_ms)
    click.echo(f"p50 / p50 {np.median(ask_ms) / np.median(embed_ms):.2f}")
    click.echo(f"p95 / p50 {np.percentile(ask_ms, 95) / np.median(embed_ms):.2f}")
    click.echo(f"p95 / p95 {np.percentile(ask_ms, 95) / np.percentile(embed_ms, 95):.2f}")


def milliseconds(call: Callable[[str], object], text: str) -> float:
    """Return the wall time of one call."""
    start = time.perf_counter()
    call(text)
    return (time.perf_counter() - start) * 1e3


def _print(what: str, values: list[float]) -> None:
    click.echo(f"{what:<20} p50 {np.median(values):6.1f} ms   p95 {np.percentile(values, 95):6.1f} ms")


if __name__ == "__main__":
    main()
