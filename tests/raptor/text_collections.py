"""Collections made of texts, with vectors that follow the words: texts that share words lie close together."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from graph_store.bundles import Collection, FloatMatrix, FloatVector
from graph_store.records import Chunk, Document, Sentence

DIMENSION = 32
Texts: TypeAlias = Mapping[str, Sequence[str]]
"""The texts of the chunks of each document, by document id."""

_SENTENCE = re.compile(r"[^.!?]+[.!?]?")


def word_vector(text: str) -> FloatVector:
    """Return the (DIMENSION,) unit sum of one random direction per word."""
    total = np.zeros(DIMENSION)
    for word in re.findall(r"\w+", text.casefold()) or ["-"]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
        total += np.random.default_rng(seed).standard_normal(DIMENSION)
    vector: FloatVector = (total / np.linalg.norm(total)).astype(np.float32)
    return vector


def _matrix(texts: Sequence[str]) -> FloatMatrix:
    return np.stack([word_vector(text) for text in texts]) if texts else np.zeros((0, DIMENSION), dtype=np.float32)


def _sentences(chunk: Chunk) -> list[Sentence]:
    spans = [match.span() for match in _SENTENCE.finditer(chunk.text) if match.group().strip()]
    return [
        Sentence(
            chunk_id=chunk.id,
            position=position,
            char_start=end - len(chunk.text[start:end].lstrip()),
            char_end=end,
        )
        for position, (start, end) in enumerate(spans)
    ]


def collection_of(
    texts: Texts,
    *,
    titles: Mapping[str, str] | None = None,
    groups: Mapping[str, tuple[str, ...]] | None = None,
    tenant: str = "default",
) -> Collection:
    """Return the collection of some documents; ``titles`` and ``groups`` are given by document id."""
    chunks = [
        Chunk(
            id=f"{document_id}/{position}",
            document_id=document_id,
            document_version=1,
            text=text,
            heading_path=(),
            char_start=0,
            char_end=len(text),
            position=position,
            tenant=tenant,
            groups=(groups or {}).get(document_id, ()),
        )
        for document_id in sorted(texts)
        for position, text in enumerate(texts[document_id])
    ]
    sentences = [sentence for chunk in chunks for sentence in _sentences(chunk)]
    by_id = {chunk.id: chunk for chunk in chunks}
    spoken = [by_id[item.chunk_id].text[item.char_start : item.char_end] for item in sentences]
    return Collection(
        tenant=tenant,
        documents=tuple(
            Document(
                id=document_id,
                source_uri=document_id,
                title=(titles or {}).get(document_id, f"Title of {document_id}"),
                media_type="text/plain",
                content_hash="",
                tenant=tenant,
                groups=(groups or {}).get(document_id, ()),
            )
            for document_id in sorted(texts)
        ),
        chunks=tuple(chunks),
        chunk_vectors=_matrix([chunk.text for chunk in chunks]),
        sentences=tuple(sentences),
        sentence_vectors=_matrix(spoken),
        mentions=(),
        relations=(),
        homes=(),
    )
