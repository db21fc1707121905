"""Pools of a few passages, measured by hand: every array can be told in advance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graph_store.bundles import PassageGraph
from graph_store.ids import name_key
from graph_store.records import Chunk, Sentence
from model_clients.embedder import Passage
from model_clients.hashing_embedder import HashingEmbedder
from query.chain_ranking.evidence import Evidence, words_in
from query.chain_ranking.names import PassageNames
from query.chain_ranking.question_words import question_words
from query.chain_ranking.ranker import Rounds
from query.chain_ranking.settings import ChainSettings
from query.chain_ranking.training_pools import TrainingPool
from query.question import analyse
from query.rarity import WordRarity

EMBEDDER = HashingEmbedder(64)
NEUTRAL = WordRarity(frequencies={}, sampled=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A passage by its title and sentences, with the names in it; ``about`` are those that it is a home of."""

    title: str
    sentences: tuple[str, ...] = ()
    mentions: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    document_id: str = ""

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class HandMade:
    """Evidence with the names of its collection, which is the pool itself."""

    evidence: Evidence
    names: PassageNames

    def changed(self, **values: Any) -> "HandMade":  # noqa: ANN401  # any field of the evidence
        return HandMade(evidence=replace(self.evidence, **values), names=self.names)

    def rounds(self, settings: ChainSettings | None = None) -> Rounds:
        return Rounds(self.evidence, self.names, settings or ChainSettings())


def hand_made(question: str, passages: Sequence[Told]) -> HandMade:
    """Measure passages as gathering does where no token vectors are kept; no search found any, no walk reached any."""
    words = question_words(analyse(question), NEUTRAL)
    chunks = tuple(_chunk(number, passage) for number, passage in enumerate(passages))
    sentences = tuple(
        sentence for chunk, told in zip(chunks, passages, strict=True) for sentence in _spans(chunk, told)
    )
    texts = [sentence for told in passages for sentence in told.sentences]
    vector = EMBEDDER.embed_question(question)
    sentence_vectors = EMBEDDER.embed_passages([Passage(text=text) for text in texts]).passages
    titles = tuple(told.title for told in passages)
    lexical = words_in([f"{told.title}\n{told.text}" for told in passages], words.stems)
    names = PassageNames(_graph(chunks, passages))
    about = tuple(names.about(place) for place in range(len(passages)))
    zeros = np.zeros(len(passages))
    return HandMade(
        names=names,
        evidence=Evidence(
            words=words,
            asked=question,
            chunks=chunks,
            titles=titles,
            question=vector,
            vectors=EMBEDDER.embed_passages([Passage(text=f"{told.title} {told.text}") for told in passages]).passages,
            sentences=sentences,
            sentence_vectors=sentence_vectors,
            sentence_cosine=(sentence_vectors @ vector).astype(np.float64),
            first_sentence=np.cumsum([0, *(len(told.sentences) for told in passages)]).astype(np.int64),
            dense=zeros,
            bm25=zeros,
            dense_rank=zeros,
            bm25_rank=zeros,
            fused=zeros,
            mass=zeros,
            coverage=3.0 * lexical,
            sentence_coverage=3.0 * words_in(texts, words.stems),
            lexical=lexical,
            title_words=words_in(titles, words.stems),
            title_share=zeros,
            names=tuple(names.mentioned(place) | own for place, own in enumerate(about)),
            about=about,
            asked_home=zeros,
        ),
    )


def _chunk(number: int, passage: Told) -> Chunk:
    return Chunk(
        id=f"c{number}",
        document_id=passage.document_id or f"d{number}",
        document_version=1,
        text=passage.text,
        heading_path=(),
        char_start=0,
        char_end=len(passage.text),
        position=0,
    )


def _spans(chunk: Chunk, passage: Told) -> list[Sentence]:
    found, start = [], 0
    for position, text in enumerate(passage.sentences):
        found.append(Sentence(chunk_id=chunk.id, position=position, char_start=start, char_end=start + len(text)))
        start += len(text) + 1
    return found


def _graph(chunks: Sequence[Chunk], passages: Sequence[Told]) -> PassageGraph:
    return PassageGraph(
        chunk_ids=tuple(chunk.id for chunk in chunks),
        indptr=np.zeros(len(chunks) + 1, dtype=np.int64),
        indices=np.zeros(0, dtype=np.int64),
        weights=np.zeros(0, dtype=np.float32),
        homes=_places([told.about for told in passages]),
        mentions=_places([told.mentions for told in passages]),
    )


def _places(names: Sequence[Sequence[str]]) -> Mapping[str, tuple[int, ...]]:
    keys = {name_key(name) for own in names for name in own}
    return {key: tuple(i for i, own in enumerate(names) if key in map(name_key, own)) for key in sorted(keys)}


SYLLABLES = ("bar", "dov", "fen", "gul", "hem", "jor", "kel", "lum", "mon", "nis", "pol", "rud", "sev", "tal", "vik")


def made_up_name(number: int) -> str:
    """Return a capitalised name of three syllables, another one for each number below 3,375."""
    first, rest = divmod(number, len(SYLLABLES) ** 2)
    second, third = divmod(rest, len(SYLLABLES))
    return (SYLLABLES[first] + SYLLABLES[second] + SYLLABLES[third]).capitalize()


def joining_pool(number: int, pot: str = "pot") -> TrainingPool:
    """A question whose second gold passage is reached by a name alone, among passages that look as much like it."""
    tower, keeper, other = (made_up_name(3 * number + place) for place in range(3))
    question = f"Where was the keeper of {tower} born?"
    passages = (
        Told(
            title=tower,
            sentences=(f"{tower} is a tower. Its keeper was {keeper}.",),
            mentions=(tower, keeper),
            about=(tower,),
        ),
        Told(
            title=other,
            sentences=(f"{other} was a keeper.", "A keeper is born to it."),
            mentions=(other,),
            about=(other,),
        ),
        Told(title=f"{other} Hill", sentences=("Sheep are born here.",), mentions=(other,), about=(f"{other} Hill",)),
        Told(title=keeper, sentences=(f"{keeper} was born in a harbour town.",), mentions=(keeper,), about=(keeper,)),
        Told(title="Oil", sentences=("The keeper burned oil.",), about=("Oil",)),
    )
    order = np.random.default_rng(number).permutation(len(passages))
    pool = hand_made(question, [passages[place] for place in order])
    # What the searches and the walk would say: the tower is found, the others look alike.
    found = np.array([1.0, 0.5, 0.4, 0.3, 0.2])[order]
    pool = pool.changed(mass=found, fused=found, dense=found, bm25=found, asked_home=(order == 0).astype(np.float64))
    keys = tuple(chunk.document_id for chunk in pool.evidence.chunks)
    gold = tuple(frozenset((keys[place],)) for place in np.flatnonzero(np.isin(order, (0, 3))))
    return TrainingPool(
        pot=pot,
        evidence=pool.evidence,
        rounds=pool.rounds(),
        keys=keys,
        is_gold=np.isin(order, (0, 3)),
        gold=gold,
    )
