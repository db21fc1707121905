"""Labelled questions over indexed data sets, as the benchmarks train and test chain ranking on them."""

import random
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from belvedere.evaluation.dataset import Dataset, read_corpus, read_dataset
from belvedere.evaluation.index_cache import cache_folder, index_dataset
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from benchmarks.chains import CHAINS, TEXTS
from benchmarks.xquad_part import training_part
from model_clients.embedder import Embedder
from query.chain_ranking.training_pools import Pot, TrainingQuestion
from query.pseudo_questions import make_questions

MADE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Pots:
    """What is trained and tested on: questions that join passages, also over documents without titles, and those that
    teach the gate; and the embedder of all.
    """

    chains: Mapping[str, Pot]
    untitled: Mapping[str, Pot]
    gate: Mapping[str, Pot]
    embedder: Embedder


@contextmanager
def opened_pots(data: Path, *, settings: Settings, seed: int, untitled: bool = False) -> Iterator[Pots]:
    """Open the stores of the sets in ``data`` that the shipped weights are trained on; they stay open meanwhile.

    With ``untitled`` the chain sets are indexed a second time, without titles.
    """
    with ExitStack() as stack, tempfile.TemporaryDirectory() as scratch:

        def kb_of(dataset: Dataset) -> KnowledgeBase:
            store = index_dataset(dataset, settings, cache_folder()).store
            return stack.enter_context(KnowledgeBase.open(store, config=settings))

        xquad = read_dataset(training_part(data / "xquad", Path(scratch) / "xquad"), seed=seed)
        chains = [read_dataset(data / name, seed=seed) for name in CHAINS]
        texts = [read_corpus(data / name, seed=seed) for name in TEXTS]
        first = kb_of(xquad)
        yield Pots(
            chains={dataset.name: labelled_pot(dataset, kb_of(dataset)) for dataset in chains},
            untitled={
                dataset.name: labelled_pot(dataset, kb_of(without_titles(dataset)))
                for dataset in (chains if untitled else ())
            },
            gate={xquad.name: labelled_pot(xquad, first)}
            | {f"{dataset.name} (made)": made_pot(dataset, kb_of(dataset)) for dataset in texts},
            embedder=first.embedder,
        )


def labelled_pot(dataset: Dataset, kb: KnowledgeBase) -> Pot:
    """Return the questions of ``dataset`` that name gold."""
    questions = [TrainingQuestion(text=item.text, gold=item.gold) for item in dataset.questions if item.gold]
    return Pot(name=dataset.name, store=kb.store, questions=questions)


def made_pot(dataset: Dataset, kb: KnowledgeBase) -> Pot:
    """Return questions made of the sentences of ``dataset``."""
    made = make_questions(kb.store, kb.embedder, MADE)
    questions = [TrainingQuestion(text=item.text, gold=(frozenset((item.chunk_id,)),)) for item in made]
    return Pot(name=dataset.name, store=kb.store, questions=questions, by_chunk=True)


def sampled(pot: Pot, count: int, seed: int) -> Pot:
    """Return the pot with at most ``count`` of its questions, drawn at random, in their order."""
    if len(pot.questions) <= count:
        return pot
    chosen: Sequence[int] = sorted(random.Random(seed).sample(range(len(pot.questions)), count))
    return replace(pot, questions=[pot.questions[index] for index in chosen])


def without_titles(dataset: Dataset) -> Dataset:
    """Return the data set without the titles of its documents, which stay as distinct as they were."""
    corpus = tuple({**row, "title": ""} for row in dataset.corpus)
    return replace(dataset, name=f"{dataset.name}_untitled", corpus=corpus)
