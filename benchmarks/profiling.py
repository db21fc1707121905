"""Where the time of a local answer goes, step by step, by Python's profiler."""

import cProfile
import pstats
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step of the local route: the function that runs it, by the end of its file's path and its name.

    Steps of a greater ``depth`` are part of the last one before them that is less deep.
    """

    label: str
    file: str
    function: str
    depth: int = 0


STEPS = (
    Step(label="embed (hashing)", file="hashing_embedder.py", function="embed_question_tokens"),
    Step(label="first searches", file="query/local.py", function="search_first_stage"),
    Step(label="names and walk", file="query/local.py", function="walk_candidates"),
    Step(label="walk alone", file="query/personalised_pagerank.py", function="rank", depth=1),
    Step(label="identifiers", file="query/codes.py", function="passages_with_codes"),
    Step(label="pool", file="chain_ranking/pool.py", function="choose_pool"),
    Step(label="hop searches", file="chain_ranking/pool.py", function="_beyond", depth=1),
    Step(label="what anchors lead to", file="chain_ranking/pool.py", function="_linked", depth=1),
    Step(label="the nearest of these", file="chain_ranking/pool.py", function="_nearest_linked", depth=1),
    Step(label="reading the pool", file="chain_ranking/gather.py", function="gather_evidence"),
    Step(label="token vectors from the store", file="embedded_store.py", function="token_vectors", depth=1),
    Step(label="coverage", file="chain_ranking/gather.py", function="_token_coverage", depth=1),
    Step(label="words", file="chain_ranking/evidence.py", function="words_in", depth=1),
    Step(label="rounds and gate", file="chain_ranking/ranker.py", function="score_evidence"),
    Step(label="links", file="chain_ranking/links.py", function="links", depth=1),
    Step(label="features of links", file="chain_ranking/link_features.py", function="link_columns", depth=1),
    Step(label="results", file="query/retrieval.py", function="_passage_results"),
    Step(label="answer", file="query/local_answer.py", function="draft_answer"),
    Step(label="citations", file="query/citations.py", function="cite"),
)


def profile(call: Callable[[str], object], texts: Iterable[str]) -> tuple[pstats.Stats, int]:
    """Call ``call`` with each text under the profiler; return what it took down, and how many texts there were."""
    profiler = cProfile.Profile()
    count = 0
    for text in texts:
        profiler.runcall(call, text)
        count += 1
    return pstats.Stats(profiler), count


def step_times(stats: pstats.Stats, calls: int) -> Iterator[tuple[Step, float]]:
    """Yield each step with its milliseconds a call, itself and all it calls; the profiler makes all of them longer."""
    for step in STEPS:
        seconds = sum(
            row[3]
            for (file, _, function), row in stats.stats.items()  # type: ignore[attr-defined]  # not in the stubs
            if file.endswith(step.file) and function == step.function
        )
        yield step, 1e3 * seconds / max(1, calls)
