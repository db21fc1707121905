"""Evidence made by hand, without a store."""

from collections.abc import Sequence

import numpy as np

from graph_store.bundles import PassageGraph
from graph_store.records import Chunk, Document, Sentence
from query.abstention import SupportEvidence
from query.chain_ranking.names import PassageNames
from query.local import FirstStage, LocalRanking
from query.passages import CandidateSentence, Passage
from query.question import analyse
from query.rarity import WordRarity
from query.sentence_selection import score_sentences
from raptor.text_words import content_stems

RARITY = WordRarity(frequencies={}, sampled=0)


def passage_sentences(title: str, *texts: str, rank: int = 1) -> tuple[CandidateSentence, ...]:
    """The sentences of a document with one passage."""
    text = " ".join(texts)
    document = Document(id=title, source_uri="", title=title, media_type="text/plain", content_hash="")
    chunk = Chunk(
        id=f"{title}/0",
        document_id=title,
        document_version=1,
        text=text,
        heading_path=(),
        char_start=0,
        char_end=len(text),
        position=0,
    )
    context = frozenset(content_stems(title))
    passage = Passage(chunk=chunk, document=document, rank=rank, context_stems=context)
    found: list[CandidateSentence] = []
    start = 0
    for position, own in enumerate(texts):
        stems = frozenset(content_stems(own))
        found.append(
            CandidateSentence(
                passage=passage,
                sentence=Sentence(chunk_id=chunk.id, position=position, char_start=start, char_end=start + len(own)),
                text=own,
                cosine=0.5,
                stems=stems,
                known_stems=stems | context,
            )
        )
        start += len(own) + 1
    return tuple(found)


def evidence_of(text: str, sentences: Sequence[CandidateSentence]) -> SupportEvidence:
    """The evidence of a question: all sentences were found, the best is told."""
    question = analyse(text)
    scored = score_sentences(sentences, question, RARITY.shares(question.stems))
    best = (scored[0].candidate,) if scored else ()
    return SupportEvidence(
        question=question,
        ranking=LocalRanking(
            chunks=tuple({sentence.passage.chunk.id: sentence.passage.chunk for sentence in sentences}.values()),
            first_stage=FirstStage(bm25=(), dense=(), fused=()),
            ppr={},
            names=(),
            with_codes=(),
        ),
        passages=tuple({sentence.passage.chunk.id: sentence.passage for sentence in sentences}.values()),
        scored=scored,
        chosen=best,
        told=best,
        rarity=RARITY,
        names=PassageNames(
            PassageGraph(
                chunk_ids=(),
                indptr=np.zeros(1, dtype=np.int64),
                indices=np.zeros(0, dtype=np.int64),
                weights=np.zeros(0, dtype=np.float32),
                homes={},
                mentions={},
            )
        ),
    )
