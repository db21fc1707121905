"""Drafted questions about what a document, or several, are about."""

from collections.abc import Iterator

from belvedere.evaluation.draft_combined import DraftedQuestion
from graph_store.access import Access
from graph_store.store import GraphStore

_LEAST_CHUNKS = 3
_MOST_DOCUMENTS = 12
_MOST_WORDS = 12


def themes(store: GraphStore, access: Access) -> Iterator[DraftedQuestion]:
    """Yield theme questions, of a group of documents and of a single long one in turn."""
    groups, documents = list(_of_communities(store, access)), list(_of_documents(store, access))
    for place in range(max(len(groups), len(documents))):
        yield from groups[place : place + 1]
        yield from documents[place : place + 1]


def _of_communities(store: GraphStore, access: Access) -> Iterator[DraftedQuestion]:
    """Yield a question per community that spans several documents, the largest first."""
    names = {entity.id: entity.name for entity in store.list_entities(access)}
    for community in store.communities(access):
        documents = dict.fromkeys(chunk.document_id for chunk in store.chunks(access, community.chunk_ids))
        keys = [names[key] for key in community.key_entity_ids if key in names][:2]
        if 2 <= len(documents) <= _MOST_DOCUMENTS and len(keys) == 2:
            yield DraftedQuestion(
                text=f"What are the main themes in what the documents say about {keys[0]} and {keys[1]}?",
                kind="theme",
                answer=None,
                documents=tuple(documents),
                chunks=(),
                made_from=tuple(sentence.text for sentence in community.report[:3]),
            )


def _of_documents(store: GraphStore, access: Access) -> Iterator[DraftedQuestion]:
    for document in store.list_documents(access):
        title = " ".join(document.title.split())
        if not title or len(title.split()) > _MOST_WORDS:
            continue
        chunks = store.document_chunks(access, document.id)
        if len(chunks) >= _LEAST_CHUNKS:
            yield DraftedQuestion(
                text=f"What are the main themes of \u201c{title}\u201d?",
                kind="theme",
                answer=None,
                documents=(document.id,),
                chunks=(),
                made_from=(" ".join(chunks[0].text.split()),),
            )
