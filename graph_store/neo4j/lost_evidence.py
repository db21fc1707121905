"""What becomes of the derived layer when documents go: nothing derived exists without its evidence.

Entities, relations and edges lose the part that rested on the deleted chunks, and go with the last part. Reports and
summaries lose the sentences that rested on a deleted chunk, and go with the last sentence; until the next generation
the title of one that lost something is its first sentence, for the old one may name what is gone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graph_store.neo4j.connection import Transaction
from graph_store.neo4j.derived_rows import derived_text
from graph_store.neo4j.document_rows import index_terms
from graph_store.neo4j.store_state import mark_derived_changed
from graph_store.packing import pack_sentences, unpack_sentences
from graph_store.records import SourcedSentence

_TITLE_LENGTH = 80
_OF_DOCUMENTS = "MATCH (d:Document {tenant: $tenant}) WHERE d.id IN $ids MATCH (d)<-[:PART_OF]-(c:Chunk)"
_DERIVED = "{tenant: $tenant, generation: $generation, id: row.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """What loses evidence with some documents, in the generation that is shown: ids, and relations by their source."""

    generation: int
    chunk_ids: frozenset[str]
    entities: list[str]
    relations: list[dict[str, str]]
    communities: list[str]
    tree_nodes: list[str]


def find_touched(transaction: Transaction, tenant: str, generation: int, document_ids: Sequence[str]) -> Touched:
    """Find what rests on documents that are about to be deleted."""
    parameters = {"tenant": tenant, "generation": generation, "ids": list(document_ids)}

    def ids(pattern: str) -> list[str]:
        found = transaction.rows(
            f"{_OF_DOCUMENTS} MATCH {pattern} WHERE n.generation = $generation RETURN DISTINCT n.id ORDER BY n.id",
            **parameters,
        )
        return [record_id for (record_id,) in found]

    stated = transaction.rows(
        f"{_OF_DOCUMENTS} MATCH (c)-[s:STATES]->(n:__Entity__) WHERE n.generation = $generation"
        " UNWIND s.relations AS relation RETURN DISTINCT n.id AS source, relation ORDER BY source, relation",
        **parameters,
    )
    return Touched(
        generation=generation,
        chunk_ids=frozenset(chunk_id for (chunk_id,) in transaction.rows(f"{_OF_DOCUMENTS} RETURN c.id", **parameters)),
        entities=ids("(c)-[:HAS_ENTITY]->(n:__Entity__)"),
        relations=[{"source": source, "relation": relation} for source, relation in stated],
        communities=ids("(c)<-[:RESTS_ON]-(n:__Community__)"),
        tree_nodes=ids("(c)<-[:RESTS_ON]-(n:Summary)"),
    )


def mend_derived(transaction: Transaction, tenant: str, touched: Touched) -> None:
    """Remove what lost its last evidence and shorten what lost some; the documents are already deleted."""
    parameters = {"tenant": tenant, "generation": touched.generation}
    if touched.relations:
        transaction.run(
            "UNWIND $rows AS row MATCH (e:__Entity__ {tenant: $tenant, generation: $generation, id: row.source})"
            "-[r:RELATED {id: row.relation}]->() SET r.evidence = [id IN r.evidence WHERE NOT id IN $gone]"
            " WITH r WHERE size(r.evidence) = 0 DELETE r",
            rows=touched.relations,
            gone=sorted(touched.chunk_ids),
            **parameters,
        )
    if touched.entities:
        transaction.run(
            "MATCH (e:__Entity__ {tenant: $tenant, generation: $generation}) WHERE e.id IN $entities"
            " AND NOT EXISTS { (e)<-[:SUPPORTS]-() } DETACH DELETE e",
            entities=touched.entities,
            **parameters,
        )
    _mend_texts(transaction, tenant, touched, label="__Community__", terms="report_terms")
    _mend_texts(transaction, tenant, touched, label="Summary", terms="summary_terms")
    _mend_community_members(transaction, tenant, touched)
    _mend_tree_links(transaction, tenant, touched)
    if touched.communities or touched.tree_nodes:
        mark_derived_changed(transaction, tenant)


def _mend_texts(transaction: Transaction, tenant: str, touched: Touched, *, label: str, terms: str) -> None:
    ids = touched.communities if label == "__Community__" else touched.tree_nodes
    if not ids:
        return
    parameters = {"tenant": tenant, "generation": touched.generation}
    found = transaction.rows(
        f"MATCH (n:{label} {{tenant: $tenant, generation: $generation}}) WHERE n.id IN $ids"
        " OPTIONAL MATCH (n)-[:RESTS_ON]->(c:Chunk)"
        " RETURN n.id, n.sentences, n.chunk_ids, collect(DISTINCT c.document_id)",
        ids=ids,
        **parameters,
    )
    kept, gone = [], []
    for record_id, text, chunk_ids, documents in found:
        sentences = [s for s in unpack_sentences(text) if touched.chunk_ids.isdisjoint(s.chunk_ids)]
        if sentences:
            left = [chunk_id for chunk_id in chunk_ids if chunk_id not in touched.chunk_ids]
            kept.append({"id": record_id, "properties": _mended(sentences, left, sorted(documents), terms)})
        else:
            gone.append({"id": record_id})
    transaction.run(
        f"UNWIND $rows AS row MATCH (n:{label} {_DERIVED}) SET n += row.properties", rows=kept, **parameters
    )
    transaction.run(f"UNWIND $rows AS row MATCH (n:{label} {_DERIVED}) DETACH DELETE n", rows=gone, **parameters)


def _mended(
    sentences: Sequence[SourcedSentence], chunk_ids: list[str], documents: list[str], terms: str
) -> dict[str, object]:
    title, text = _title(sentences), " ".join(sentence.text for sentence in sentences)
    return {
        "sentences": pack_sentences(sentences),
        "title": title,
        "text": text,
        "chunk_ids": chunk_ids,
        "document_ids": documents,
        "mended": True,
        terms: index_terms(derived_text(title, text)),
    }


def _title(sentences: Sequence[SourcedSentence]) -> str:
    text = sentences[0].text
    return text if len(text) <= _TITLE_LENGTH else f"{text[: _TITLE_LENGTH - 1].rstrip()}…"


def _mend_community_members(transaction: Transaction, tenant: str, touched: Touched) -> None:
    if not touched.communities:
        return
    parameters = {"tenant": tenant, "generation": touched.generation}
    transaction.run(
        "MATCH (n:__Community__ {tenant: $tenant, generation: $generation}) WHERE n.id IN $ids"
        " SET n.entity_ids = [id IN n.entity_ids WHERE EXISTS {"
        " MATCH (:__Entity__ {tenant: $tenant, generation: $generation, id: id}) }],"
        " n.key_entity_ids = [id IN n.key_entity_ids WHERE EXISTS {"
        " MATCH (:__Entity__ {tenant: $tenant, generation: $generation, id: id}) }],"
        " n.key_relation_ids = [id IN n.key_relation_ids WHERE EXISTS {"
        " MATCH ()-[:RELATED {tenant: $tenant, generation: $generation, id: id}]->() }]",
        ids=touched.communities,
        **parameters,
    )
    _forget_parents(transaction, "__Community__", parameters)


def _mend_tree_links(transaction: Transaction, tenant: str, touched: Touched) -> None:
    if not touched.tree_nodes:
        return
    parameters = {"tenant": tenant, "generation": touched.generation}
    transaction.run(
        "MATCH (n:Summary {tenant: $tenant, generation: $generation}) WHERE n.id IN $ids"
        " SET n.child_ids = [id IN n.child_ids WHERE EXISTS { MATCH (:Chunk {tenant: $tenant, id: id}) }"
        " OR EXISTS { MATCH (:Summary {tenant: $tenant, generation: $generation, id: id}) }]",
        ids=touched.tree_nodes,
        **parameters,
    )
    _forget_parents(transaction, "Summary", parameters)


def _forget_parents(transaction: Transaction, label: str, parameters: Mapping[str, object]) -> None:
    """Cut links to parents that are gone."""
    transaction.run(
        f"MATCH (n:{label} {{tenant: $tenant, generation: $generation}}) WHERE n.parent_id IS NOT NULL"
        f" AND NOT EXISTS {{ MATCH (:{label} {{tenant: $tenant, generation: $generation, id: n.parent_id}}) }}"
        " SET n.parent_id = null",
        **parameters,
    )
