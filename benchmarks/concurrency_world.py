"""Numbered states of a small collection: all texts, titles and ids of one hold its number."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graph_store.access import Access
from graph_store.bundles import DocumentBundle, Generation
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.ids import content_hash
from graph_store.records import Chunk, Community, Document, PassageEdge, Sentence, SourcedSentence, TreeNode
from graph_store.settings import StoreSettings

TENANT = "default"
EVERYBODY = Access()
DOCUMENTS = 12
_DIMENSION = 16
_MODEL = "numbered"


def read_settings() -> StoreSettings:
    """Return small thresholds, so that the small collection has vector files and graphs."""
    return StoreSettings(vector_file_rows=1, ann_threshold=8, keyword_memory_bytes=15_000_000)


def open_writer(folder: Path) -> EmbeddedStore:
    """Open the store for writing, made where there is none."""
    return EmbeddedStore.create_or_open(folder, embedding_model=_MODEL, dimension=_DIMENSION, settings=read_settings())


def vector(place: int = 0) -> NDArray[np.float32]:
    """Return a unit vector."""
    found = np.full(_DIMENSION, 0.1, dtype=np.float64)
    found[place % _DIMENSION] = 1.0
    return (found / np.linalg.norm(found)).astype(np.float32)


def _matrix(rows: int) -> NDArray[np.float32]:
    return np.array([vector(place) for place in range(rows)], dtype=np.float32).reshape(rows, _DIMENSION)


def state_of(number: int) -> tuple[list[DocumentBundle], Generation]:
    """Return the documents of a state and the derived layer made from them."""
    bundles = [_bundle(place, number) for place in range(DOCUMENTS)]
    chunks = [chunk for bundle in bundles for chunk in bundle.chunks]
    ids = tuple(chunk.id for chunk in chunks)
    sentences = tuple(
        SourcedSentence(text=chunk.text, chunk_ids=(chunk.id,), char_start=0, char_end=len(chunk.text))
        for chunk in chunks
    )
    community = Community(
        id=f"community-state{number}",
        tenant=TENANT,
        groups=(),
        level=0,
        parent_id=None,
        entity_ids=(),
        title=f"state{number}",
        report=sentences,
        key_entity_ids=(),
        key_relation_ids=(),
        chunk_ids=ids,
    )
    node = TreeNode(
        id=f"node-state{number}",
        tenant=TENANT,
        groups=(),
        level=1,
        parent_id=None,
        document_id=None,
        child_ids=ids,
        chunk_ids=ids,
        title=f"state{number}",
        summary=sentences,
    )
    generation = Generation(
        tenant=TENANT,
        fingerprint=f"state{number}",
        entities=(),
        mentions=(),
        homes=(),
        relations=(),
        passage_edges=tuple(PassageEdge(source_id=ids[0], target_id=other, weight=0.5) for other in ids[1:]),
        communities=(community,),
        community_vectors=_matrix(1),
        tree_nodes=(node,),
        tree_vectors=_matrix(1),
    )
    return bundles, generation


def _bundle(place: int, number: int) -> DocumentBundle:
    text = f"The harbour of place {place} in state{number}."
    document = Document(
        id=f"d{place:02}",
        source_uri=f"file:///d{place:02}.md",
        title=f"Harbour in state{number}",
        media_type="text/markdown",
        content_hash=content_hash(text),
        version=number + 1,
        tenant=TENANT,
        groups=(),
        metadata={},
        updated_at="2024-01-01T00:00:00Z",
    )
    chunk = Chunk(
        id=f"d{place:02}-state{number}",
        document_id=document.id,
        document_version=number + 1,
        text=text,
        heading_path=(),
        char_start=0,
        char_end=len(text),
        position=0,
        page=None,
        parent_id=None,
        tenant=TENANT,
        groups=(),
        embedding_model=_MODEL,
    )
    return DocumentBundle(
        document=document,
        text=text,
        parents=(),
        chunks=(chunk,),
        chunk_vectors=_matrix(1),
        sentences=(Sentence(chunk_id=chunk.id, position=0, char_start=0, char_end=len(text)),),
        sentence_vectors=_matrix(1),
        token_vectors=(),
        mentions=(),
        relations=(),
        homes=(),
    )
