"""How asking grows with the collection: ``python -m benchmarks.scale [--sizes 3000,15000,100000] [--profile]``.

Writes made-up passages, each about one invented name, that name others and share filler words as real text does (their
frequencies fall as 1 / rank), resolves and links them as indexing does, and asks joins over them on the local route,
warm. Embedding is by hashing, which costs next to nothing, so that the store and the ranking are what is timed; the
yardstick is one question through the shipped model in the same run. Texts are made, so no answer is judged. With
``--profile`` the questions are asked once more under Python's profiler, which tells what each step takes.
"""

import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np

from belvedere.evaluation.machine import describe_machine
from belvedere.status import folder_bytes
from benchmarks.asking import milliseconds
from benchmarks.profiling import profile, step_times
from graph_store.access import DEFAULT_TENANT
from graph_store.bundles import DocumentBundle, Generation, TokenVectors
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import Chunk, Document, NamedHome, NamedMention, Sentence
from indexing.passage_graph import build_passage_edges
from indexing.resolution import resolve
from indexing.settings import IndexingSettings
from model_clients.embedder import Passage
from model_clients.hashing_embedder import HashingEmbedder
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings
from query.engine import QueryEngine
from query.outcome import Answer
from query.request import AskOptions

EMBEDDER = HashingEmbedder(384)
SYLLABLES = ("ba", "do", "fen", "gal", "hir", "jo", "kel", "lum", "mar", "nis", "or", "pet", "ra", "sol", "tiv", "ul")
KINDS = ("harbour", "school", "bridge", "railway", "theatre", "quarry", "newspaper", "lighthouse")
BATCH = 2_000
WORDS = 20_000


@click.command(help=__doc__)
@click.option("--sizes", default="3000,15000,100000", show_default=True, help="Numbers of passages.")
@click.option("--questions", default=60, show_default=True, help="Questions asked, after as many that do not count.")
@click.option("--seed", default=0, show_default=True, help="Seed of the texts.")
@click.option("--profile", "profiled", is_flag=True, help="Tell what each step takes, too.")
def main(sizes: str, questions: int, seed: int, *, profiled: bool) -> None:
    """Build each collection and time the questions."""
    click.echo(f"made-up passages · seed {seed} · {questions} questions · {describe_machine()}")
    model = SentenceTransformerEmbedder(EmbedderSettings())
    for size in map(int, sizes.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            _measure(Path(folder) / "store", size, Asking(questions=questions, seed=seed, profiled=profiled), model)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How many questions count, the seed of texts and questions, and whether steps are told."""

    questions: int
    seed: int
    profiled: bool


def _measure(folder: Path, size: int, asking: Asking, model: SentenceTransformerEmbedder) -> None:
    chance = random.Random(asking.seed)
    names = [f"{_word(chance)} {_word(chance)}".title() + f" {_numeral(number)}" for number in range(size)]
    start = time.perf_counter()
    write_collection(folder, names, chance)
    written = time.perf_counter() - start
    click.echo(f"{size:>7} passages: written and linked in {written:.0f} s, {folder_bytes(folder) / 1e6:.0f} MB")
    with EmbeddedStore.open(folder) as store:
        engine = QueryEngine(store, EMBEDDER)
        asked = [
            f"Who opened the {chance.choice(KINDS)} that was named by {chance.choice(names)}?"
            for _ in range(2 * asking.questions)
        ]

        def ask(text: str) -> Answer:
            return engine.ask(text, AskOptions(route="local"))

        _time(ask, asked, model)
        if asking.profiled:
            _tell_steps(ask, asked[asking.questions :])


def _time(ask: Callable[[str], Answer], asked: Sequence[str], model: SentenceTransformerEmbedder) -> None:
    """Print what the second half of the questions take, after the first half has warmed everything."""
    first = milliseconds(ask, asked[0])
    embedding, asking = [], []
    for number, question in enumerate(asked):
        spent = (milliseconds(model.embed_question, question), milliseconds(ask, question))
        if 2 * number >= len(asked):
            embedding.append(spent[0])
            asking.append(spent[1])
    yardstick = float(np.median(embedding))
    p50, p95 = np.percentile(asking, [50, 95])
    click.echo(f"        first question {first / 1e3:.1f} s; then p50 {p50:.0f} ms, p95 {p95:.0f} ms")
    click.echo(f"        p95 is {p95 / yardstick:.1f} times embedding one question ({yardstick:.1f} ms)")


def _tell_steps(ask: Callable[[str], Answer], asked: Sequence[str]) -> None:
    """Print what each step takes under the profiler."""
    stats, calls = profile(ask, asked)
    click.echo("        ms a question under the profiler, which makes many small calls look longer than they are:")
    for step, spent in step_times(stats, calls):
        click.echo(f"        {'  ' * step.depth + step.label:<34}{spent:8.1f}")


def _word(chance: random.Random) -> str:
    return "".join(chance.choice(SYLLABLES) for _ in range(chance.randint(2, 3)))


def _numeral(number: int) -> str:
    """Tell names apart without digits, which would make identifiers of them."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return (
        letters[number // 17_576 % 26] + letters[number // 676 % 26] + letters[number // 26 % 26] + letters[number % 26]
    ).title()


def write_collection(folder: Path, names: Sequence[str], chance: random.Random) -> None:
    """Make a store of one passage about each name, resolved and linked."""
    words = [_word(chance) + chance.choice(SYLLABLES) for _ in range(WORDS)]
    weights = list(np.cumsum([1.0 / (rank + 10) for rank in range(WORDS)]))
    settings = IndexingSettings()
    with EmbeddedStore.create_or_open(
        folder,
        embedding_model=EMBEDDER.model_id,
        dimension=EMBEDDER.dimension,
        token_space=EMBEDDER.token_space,
        token_dimension=EMBEDDER.token_dimension,
    ) as store:
        for begin in range(0, len(names), BATCH):
            numbers = range(begin, min(begin + BATCH, len(names)))
            store.write_documents(
                [_bundle(number, names, _filler(words, weights, chance), chance) for number in numbers]
            )
        collection = store.read_collection(DEFAULT_TENANT)
        found = resolve(collection)
        store.publish(
            Generation(
                tenant=DEFAULT_TENANT,
                fingerprint="made up",
                entities=found.entities,
                mentions=found.mentions,
                homes=found.homes,
                passage_edges=build_passage_edges(collection, found, settings.graph),
            )
        )


def _filler(words: Sequence[str], weights: Sequence[float], chance: random.Random) -> Iterator[str]:
    while True:
        yield " ".join(chance.choices(words, cum_weights=weights, k=14)).capitalize() + "."


def _bundle(number: int, names: Sequence[str], filler: Iterator[str], chance: random.Random) -> DocumentBundle:
    name = names[number]
    others = [chance.choice(names) for _ in range(3)]
    sentences = (
        f"{name} is a {chance.choice(KINDS)} that was opened by {others[0]}.",
        next(filler),
        f"It was named by {others[1]} and stands near {others[2]}.",
        next(filler),
        next(filler),
    )
    text = " ".join(sentences)
    document = Document(
        id=f"d{number}", source_uri=f"made:{number}", title=name, media_type="text/plain", content_hash=str(number)
    )
    chunk = Chunk(
        id=f"c{number}",
        document_id=document.id,
        document_version=1,
        text=text,
        heading_path=(name,),
        char_start=0,
        char_end=len(text),
        position=0,
        embedding_model=EMBEDDER.model_id,
    )
    spans = _spans(sentences)
    vectors = EMBEDDER.embed_passages([Passage(text=text, spans=spans)], with_tokens=True)
    return DocumentBundle(
        document=document,
        text=text,
        parents=(),
        chunks=(chunk,),
        chunk_vectors=vectors.passages,
        sentences=tuple(
            Sentence(chunk_id=chunk.id, position=place, char_start=start, char_end=end)
            for place, (start, end) in enumerate(spans)
        ),
        sentence_vectors=vectors.spans[0],
        token_vectors=tuple(TokenVectors(starts=item.starts, vectors=item.vectors) for item in vectors.tokens),
        mentions=tuple(_mention(chunk, mentioned) for mentioned in dict.fromkeys((name, *others))),
        homes=(NamedHome(chunk_id=chunk.id, name=name, type="THING", kind="title"),),
    )


def _spans(sentences: Sequence[str]) -> tuple[tuple[int, int], ...]:
    ends = np.cumsum([len(sentence) + 1 for sentence in sentences]).tolist()
    return tuple((end - 1 - len(sentence), end - 1) for sentence, end in zip(sentences, ends, strict=True))


def _mention(chunk: Chunk, name: str) -> NamedMention:
    start = chunk.text.index(name)
    return NamedMention(
        chunk_id=chunk.id, name=name, type="THING", surface=name, char_start=start, char_end=start + len(name)
    )


if __name__ == "__main__":
    main()
