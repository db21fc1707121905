"""Which community a document belongs to most."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from graph_store.records import Chunk, Community, Mention


def assign_documents(
    chunks: Sequence[Chunk], mentions: Iterable[Mention], communities: Iterable[Community]
) -> Mapping[str, str]:
    """Return the id of the community that the mentions of each document vote for most, by document id.

    ``communities`` are of one level (or the top: those without a parent), so that an entity is in one of each audience.
    A mention counts log(1 + N/n) for an entity in n of N chunks; ties go to the smaller id. Documents that mention no
    member are left out.
    """
    by_id = {chunk.id: chunk for chunk in chunks}
    known = [mention for mention in mentions if mention.chunk_id in by_id]
    spread = Counter(entity for entity, _ in {(mention.entity_id, mention.chunk_id) for mention in known})
    community_of = {
        (community.groups, entity): community.id for community in communities for entity in community.entity_ids
    }
    votes: defaultdict[str, defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
    for mention in known:
        chunk = by_id[mention.chunk_id]
        community = community_of.get((tuple(sorted(set(chunk.groups))), mention.entity_id))
        if community is not None:
            votes[chunk.document_id][community] += math.log1p(len(by_id) / spread[mention.entity_id])
    return {document: _winner(votes[document]) for document in sorted(votes)}


def _winner(votes: Mapping[str, float]) -> str:
    return min(votes, key=lambda community: (-round(votes[community], 9), community))
