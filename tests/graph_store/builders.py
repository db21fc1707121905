"""Small bundles and generations for tests; vectors come from the words of a text, so similar texts are near."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from graph_store.bundles import DocumentBundle, Generation, TokenVectors
from graph_store.ids import content_hash, name_key, stable_id
from graph_store.records import (
    Chunk,
    Community,
    Document,
    Entity,
    Home,
    Mention,
    Metadata,
    NamedHome,
    NamedMention,
    NamedRelation,
    Parent,
    PassageEdge,
    Relation,
    Sentence,
    SourcedSentence,
    TreeNode,
)

DIMENSION = 16
MODEL = "test-model"
TOKEN_SPACE = "test-words"
TOKEN_DIMENSION = DIMENSION


def vector_of(text: str) -> NDArray[np.float32]:
    """Return a unit vector (DIMENSION,) that depends on the words of ``text``."""
    total = np.full(DIMENSION, 0.01, dtype=np.float64)
    for word in text.casefold().split():
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        total += np.random.default_rng(seed).standard_normal(DIMENSION)
    return (total / np.linalg.norm(total)).astype(np.float32)


def matrix_of(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return (len(texts), DIMENSION) unit rows."""
    return np.array([vector_of(text) for text in texts], dtype=np.float32).reshape(len(texts), DIMENSION)


def document_bundle(
    document_id: str,
    parts: Sequence[str],
    *,
    tenant: str = "default",
    groups: tuple[str, ...] = (),
    metadata: Metadata | None = None,
    version: int = 1,
) -> DocumentBundle:
    """Return a document with one chunk and one sentence per part; capitalised words are names, the first has a home."""
    text = "\n".join(parts)
    chunks, starts = [], 0
    parent = Parent(id=f"{document_id}-parent", document_id=document_id, char_start=0, char_end=len(text), position=0)
    for position, part in enumerate(parts):
        chunks.append(
            Chunk(
                id=f"{document_id}-{position}",
                document_id=document_id,
                document_version=version,
                text=part,
                heading_path=("Top", f"Part {position}"),
                char_start=starts,
                char_end=starts + len(part),
                position=position,
                page=position + 1,
                parent_id=parent.id,
                tenant=tenant,
                groups=groups,
                embedding_model=MODEL,
            )
        )
        starts += len(part) + 1
    mentions = tuple(mention for chunk in chunks for mention in _mentions(chunk))
    return DocumentBundle(
        document=Document(
            id=document_id,
            source_uri=f"file:///{document_id}.md",
            title=f"Title {document_id}",
            media_type="text/markdown",
            content_hash=content_hash(text),
            version=version,
            tenant=tenant,
            groups=groups,
            metadata=metadata or {},
            updated_at="2024-01-01T00:00:00Z",
        ),
        text=text,
        parents=(parent,),
        chunks=tuple(chunks),
        chunk_vectors=matrix_of([chunk.text for chunk in chunks]),
        sentences=tuple(
            Sentence(chunk_id=chunk.id, position=0, char_start=0, char_end=len(chunk.text)) for chunk in chunks
        ),
        sentence_vectors=matrix_of([chunk.text for chunk in chunks]),
        mentions=mentions,
        relations=_relations(mentions),
        homes=_homes(mentions),
    )


def with_tokens(bundle: DocumentBundle) -> DocumentBundle:
    """Return the bundle with one token for the title of each chunk and one for each of its words."""
    return replace(bundle, token_vectors=tuple(_tokens(bundle.document.title, chunk.text) for chunk in bundle.chunks))


def _tokens(title: str, text: str) -> TokenVectors:
    words = list(re.finditer(r"\w+", text))
    vectors = matrix_of([title, *(word.group() for word in words)])
    return TokenVectors(
        starts=np.array([-1, *(word.start() for word in words)], dtype=np.int32),
        vectors=np.rint(vectors * 127).astype(np.int8),
    )


def _mentions(chunk: Chunk) -> list[NamedMention]:
    found, start = [], 0
    for word in chunk.text.split(" "):
        name = word.strip(".,")
        if name[:1].isupper():
            found.append(
                NamedMention(
                    chunk_id=chunk.id,
                    name=name,
                    type="THING",
                    surface=name,
                    char_start=start,
                    char_end=start + len(name),
                )
            )
        start += len(word) + 1
    return found


def _relations(mentions: Sequence[NamedMention]) -> tuple[NamedRelation, ...]:
    return tuple(
        NamedRelation(
            chunk_id=first.chunk_id,
            subject=first.name,
            subject_type=first.type,
            predicate="is near",
            object=second.name,
            object_type=second.type,
            char_start=first.char_start,
            char_end=second.char_end,
        )
        for first, second in pairwise(mentions)
        if first.chunk_id == second.chunk_id
    )


def _homes(mentions: Sequence[NamedMention]) -> tuple[NamedHome, ...]:
    first_of: dict[str, NamedMention] = {}
    for mention in mentions:
        first_of.setdefault(mention.chunk_id, mention)
    return tuple(NamedHome(chunk_id=m.chunk_id, name=m.name, type=m.type, kind="title") for m in first_of.values())


def generation_of(
    bundles: Sequence[DocumentBundle], *, tenant: str = "default", aliases: dict[str, tuple[str, ...]] | None = None
) -> Generation:
    """Return a derived layer: one entity a name, one community and one tree node per audience (leaves: its chunks)."""
    own = [bundle for bundle in bundles if bundle.document.tenant == tenant]
    mentions = [mention for bundle in own for mention in bundle.mentions]
    names = sorted({mention.name for mention in mentions})
    audiences = sorted({bundle.document.groups for bundle in own if bundle.chunks})
    communities = tuple(_community(own, groups, tenant) for groups in audiences)
    nodes = tuple(_tree_node(own, groups, tenant) for groups in audiences)
    chunks = [chunk for bundle in own for chunk in bundle.chunks]
    return Generation(
        tenant=tenant,
        fingerprint="f1",
        entities=tuple(_entity(name, tenant, (aliases or {}).get(name, ())) for name in names),
        mentions=tuple(
            Mention(
                entity_id=entity_id(m.name, tenant), chunk_id=m.chunk_id, char_start=m.char_start, char_end=m.char_end
            )
            for m in mentions
        ),
        homes=tuple(
            Home(entity_id=entity_id(home.name, tenant), chunk_id=home.chunk_id, kind=home.kind)
            for bundle in own
            for home in bundle.homes
        ),
        relations=_resolved_relations(own, tenant),
        passage_edges=tuple(
            PassageEdge(source_id=first.id, target_id=second.id, weight=0.5) for first, second in pairwise(chunks)
        ),
        communities=communities,
        community_vectors=matrix_of([item.title for item in communities]),
        tree_nodes=nodes,
        tree_vectors=matrix_of([item.title for item in nodes]),
    )


def entity_id(name: str, tenant: str = "default") -> str:
    """Return the id that ``generation_of`` gives an entity."""
    return stable_id("e", tenant, name_key(name))


def _entity(name: str, tenant: str, aliases: tuple[str, ...]) -> Entity:
    return Entity(
        id=entity_id(name, tenant),
        tenant=tenant,
        name=name,
        name_key=name_key(name),
        type="THING",
        aliases=aliases,
        description=f"{name} is a thing.",
    )


def _resolved_relations(bundles: Sequence[DocumentBundle], tenant: str) -> tuple[Relation, ...]:
    evidence: dict[tuple[str, str], list[str]] = {}
    for bundle in bundles:
        for relation in bundle.relations:
            evidence.setdefault((relation.subject, relation.object), []).append(relation.chunk_id)
    return tuple(
        Relation(
            id=stable_id("r", tenant, subject, target),
            tenant=tenant,
            source_id=entity_id(subject, tenant),
            target_id=entity_id(target, tenant),
            predicate="is near",
            weight=float(len(chunk_ids)),
            evidence=tuple(dict.fromkeys(chunk_ids)),
        )
        for (subject, target), chunk_ids in sorted(evidence.items())
    )


def _sentences(chunks: Sequence[Chunk]) -> tuple[SourcedSentence, ...]:
    return tuple(
        SourcedSentence(text=chunk.text, chunk_ids=(chunk.id,), char_start=0, char_end=len(chunk.text))
        for chunk in chunks
    )


def _chunks_of(bundles: Sequence[DocumentBundle], groups: tuple[str, ...]) -> list[Chunk]:
    return [chunk for bundle in bundles if bundle.document.groups == groups for chunk in bundle.chunks]


def _community(bundles: Sequence[DocumentBundle], groups: tuple[str, ...], tenant: str) -> Community:
    chunks = _chunks_of(bundles, groups)
    here = {chunk.id for chunk in chunks}
    names = sorted({m.name for bundle in bundles for m in bundle.mentions if m.chunk_id in here})
    return Community(
        id=stable_id("g", tenant, *groups),
        tenant=tenant,
        groups=groups,
        level=0,
        parent_id=None,
        entity_ids=tuple(entity_id(name, tenant) for name in names),
        title=", ".join(names),
        report=_sentences(chunks),
        key_entity_ids=tuple(entity_id(name, tenant) for name in names[:2]),
        key_relation_ids=tuple(item.id for item in _resolved_relations(bundles, tenant)[:1]),
        chunk_ids=tuple(chunk.id for chunk in chunks),
    )


def _tree_node(bundles: Sequence[DocumentBundle], groups: tuple[str, ...], tenant: str) -> TreeNode:
    chunks = _chunks_of(bundles, groups)
    return TreeNode(
        id=stable_id("t", tenant, *groups),
        tenant=tenant,
        groups=groups,
        level=1,
        parent_id=None,
        document_id=None,
        child_ids=tuple(chunk.id for chunk in chunks),
        chunk_ids=tuple(chunk.id for chunk in chunks),
        title="summary of " + " ".join(chunk.text.split(" ")[0] for chunk in chunks),
        summary=_sentences(chunks),
    )
