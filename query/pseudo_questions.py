"""Makes questions out of sentences, to train abstention on texts for which nobody wrote questions.

``python -m query.pseudo_questions STORE COUNT FILE`` writes JSON Lines with ``question`` and ``gold_chunks``. Each
question is a sentence of one chunk with a word taken out (its answer, named by a question word), other words dropped at
random, and some replaced by the nearest words of the collection, as a person would who asks in their own words.
"""

import json
import random
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import Chunk
from graph_store.settings import StoreSettings
from graph_store.store import GraphStore
from model_clients.embedder import Embedder, Passage
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings
from raptor.sentence_quality import sentence_quality
from raptor.stop_words import FUNCTION_WORDS
from raptor.text_words import stem

# Chosen so that gold passages cover as much of these questions, and lie as near to them, as of questions by people.
_KEPT_CONTENT = 0.6
_KEPT_FUNCTION = 0.6
_REPLACED = 0.45
_LEAST_COSINE = 0.5
_NEIGHBOURS = 5
_VOCABULARY = 4_000
_LEAST_WORDS, _MOST_WORDS = 8, 30
_SEED = 20


class Paraphraser:
    """Replaces words by near ones of the same collection."""

    def __init__(self, embedder: Embedder, texts: Sequence[str]) -> None:
        counts = Counter(word for text in texts for word in text.split() if word.isalpha() and word.islower())
        content = {word: count for word, count in counts.items() if word not in FUNCTION_WORDS and len(word) > 3}
        self._words = sorted(content, key=lambda word: (-content[word], word))[:_VOCABULARY]
        self._place = {word: place for place, word in enumerate(self._words)}
        self._vectors = embedder.embed_passages([Passage(text=word) for word in self._words]).passages

    def near_word(self, word: str, chance: random.Random) -> str:
        """Return one of the nearest words of another stem, or the word itself where none is near."""
        place = self._place.get(word)
        if place is None:
            return word
        cosines = self._vectors @ self._vectors[place]
        near = [
            self._words[other] for other in np.argsort(-cosines)[: 3 * _NEIGHBOURS] if cosines[other] >= _LEAST_COSINE
        ]
        others = [other for other in near if stem(other) != stem(word)][:_NEIGHBOURS]
        return chance.choice(others) if others else word


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeQuestion:
    """A question made from a sentence of one chunk."""

    text: str
    chunk_id: str


def make_questions(store: GraphStore, embedder: Embedder, count: int) -> list[MadeQuestion]:
    """Make at most ``count`` questions, each from another chunk; the same ones each time."""
    access = Access()
    chance = random.Random(_SEED)
    ids = list(store.passage_graph(access).chunk_ids)
    chance.shuffle(ids)
    paraphraser = Paraphraser(embedder, [chunk.text for chunk in store.chunks(access, ids)])
    questions: list[MadeQuestion] = []
    for chunk_id in ids:
        if len(questions) == count:
            break
        question = _question_of(
            store.chunks(access, [chunk_id])[0], _sentences(store, access, chunk_id), paraphraser, chance
        )
        if question:
            questions.append(MadeQuestion(text=question, chunk_id=chunk_id))
    return questions


def _sentences(store: GraphStore, access: Access, chunk_id: str) -> list[tuple[int, int]]:
    return [(sentence.char_start, sentence.char_end) for sentence in store.sentences(access, [chunk_id]).sentences]


def _question_of(
    chunk: Chunk, spans: Sequence[tuple[int, int]], paraphraser: Paraphraser, chance: random.Random
) -> str:
    texts = [chunk.text[start:end] for start, end in spans]
    telling = [
        text for text in texts if _LEAST_WORDS <= len(text.split()) <= _MOST_WORDS and sentence_quality(text) > 0.5
    ]
    if not telling:
        return ""
    words = [word.strip(".,;:!?()\"'\u201c\u201d\u2019[]") for word in chance.choice(telling).split()]
    content = [place for place, word in enumerate(words) if word and word.casefold() not in FUNCTION_WORDS]
    if len(content) < _LEAST_WORDS // 2:
        return ""
    answer = chance.choice(content)
    kept = [
        _asked_word(word, paraphraser, chance)
        for place, word in enumerate(words)
        if word and place != answer and _is_kept(word, chance)
    ]
    return " ".join([_question_word(words[answer]), *kept]) + "?"


def _is_kept(word: str, chance: random.Random) -> bool:
    return chance.random() < (_KEPT_FUNCTION if word.casefold() in FUNCTION_WORDS else _KEPT_CONTENT)


def _asked_word(word: str, paraphraser: Paraphraser, chance: random.Random) -> str:
    return paraphraser.near_word(word, chance) if chance.random() < _REPLACED else word


def _question_word(answer: str) -> str:
    if any(character.isdigit() for character in answer):
        return "How many"
    return "Who" if answer[0].isupper() else "What"


def main() -> None:
    """Write the questions."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("store", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    with EmbeddedStore.open(options.store, settings=StoreSettings(), read_only=True) as store:
        questions = make_questions(store, SentenceTransformerEmbedder(EmbedderSettings()), options.count)
    rows = [{"question": made.text, "gold_chunks": [made.chunk_id]} for made in questions]
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    options.file.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
