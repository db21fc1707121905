"""How often the check of a model's sentences believes what a passage says, and what it does not say.

Sentences of a store are claimed word by word: with the passage they stand in, which supports them, and with one of
another document, which does not. Paraphrases are harder on both sides; this shows the ends. Run: ``python -m
benchmarks.claim_support STORE``; one line per kind, with the reasons.
"""

import random
import sys
from collections import Counter
from pathlib import Path

from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import Chunk
from query.citations import Quote
from query.llm_answers.material import Material
from query.llm_answers.settings import LlmAnswerSettings
from query.llm_answers.support import Asked, Claim, judge

DOCUMENTS = 400
ASKED = Asked(question="", instructions=())


def passages(store: EmbeddedStore, random_order: random.Random) -> list[Material]:
    """Return the first passage of each of a sample of documents."""
    documents = list(store.list_documents(Access()))
    random_order.shuffle(documents)
    found = []
    for document in documents[:DOCUMENTS]:
        for chunk in store.document_chunks(Access(), document.id)[:1]:
            quotes = _quotes(store, chunk)
            if quotes:
                heading = " > ".join((document.title, *chunk.heading_path))
                found.append(
                    Material(number=1, heading=heading, text=chunk.text, quotes=quotes, documents=(document.id,))
                )
    return found


def _quotes(store: EmbeddedStore, chunk: Chunk) -> tuple[Quote, ...]:
    return tuple(
        Quote(
            chunk_id=chunk.id,
            char_start=sentence.char_start,
            char_end=sentence.char_end,
            text=chunk.text[sentence.char_start : sentence.char_end],
        )
        for sentence in store.sentences(Access(), [chunk.id]).sentences
    )


def main() -> None:
    """Print how many of the claims are believed."""
    random_order = random.Random(0)
    own, other = Counter[str](), Counter[str]()
    with EmbeddedStore.open(Path(sys.argv[1])) as store:
        materials = passages(store, random_order)
    for material in materials:
        claim = Claim(text=random_order.choice(material.quotes).text, numbers=(1,))
        wrong = random_order.choice([item for item in materials if item.documents != material.documents])
        for counts, cited in ((own, material), (other, wrong)):
            support = judge(claim, (cited,), ASKED, least_words=LlmAnswerSettings().least_words)
            counts[support.reason or "believed"] += 1
    for name, counts in (("own passage", own), ("another document", other)):
        print(f"{name}: {counts.total()} claims:", ", ".join(f"{key} {count}" for key, count in counts.most_common()))


if __name__ == "__main__":
    main()
