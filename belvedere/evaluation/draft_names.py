"""The full names of what sentences name by a surname or a short form."""

from functools import cache

from graph_store.access import Access
from graph_store.ids import name_key
from graph_store.records import Chunk, Mention
from graph_store.store import GraphStore

_KINDS = {"PERSON": "PERSON", "PLACE": "GPE", "ORG": "ORG", "WORK": "WORK_OF_ART", "PRODUCT": "PRODUCT"}
_MOST_WORDS = 4


class Names:
    """Looks names up in a store."""

    def __init__(self, store: GraphStore, access: Access) -> None:
        self._store = store
        self._access = access
        self.title = cache(self._read_title)
        self._known = cache(self._read_known)

    def full_name(self, chunk: Chunk, name: str, label: str) -> tuple[str, str]:
        """Return what a passage calls ``name`` by its full name, with its kind (a label of the parser).

        That is the title of its document where the name is the end of it ("Lind" in "Anna Lind"), else the entity that
        the passage mentions under this name; the name and ``label`` as they are where neither is known.
        """
        title = self.title(chunk.document_id)
        if title.casefold() == name.casefold():
            return title, label
        if label == "PERSON" and _ends_with(title, name):
            return title, label
        for full, kind, chunks in self._known(name):
            if chunk.id in chunks:
                return (full if _ends_with(full, name) else name), _KINDS.get(kind, label)
        return name, label

    def key(self, chunk: Chunk, name: str) -> str:
        """Return the normal form of the fullest name of what a passage names: equal for what is surely the same."""
        title = self.title(chunk.document_id)
        if _is_variant(title, name):
            return name_key(title)
        return name_key(next((full for full, _, chunks in self._known(name) if chunk.id in chunks), name))

    def _read_title(self, document_id: str) -> str:
        found = self._store.documents(self._access, [document_id])
        return found[0].title.strip() if found else ""

    def _read_known(self, name: str) -> tuple[tuple[str, str, frozenset[str]], ...]:
        return tuple(
            (entity.name, entity.type, frozenset(mention.chunk_id for mention in self._mentions(entity.id)))
            for entity in self._store.find_entities(self._access, name)
        )

    def _mentions(self, entity_id: str) -> tuple[Mention, ...]:
        return self._store.entity_mentions(self._access, entity_id)


def _ends_with(full: str, name: str) -> bool:
    """Tell whether a full name is a longer form of ``name`` that may stand in its place."""
    words, last = full.split(), name.split()
    if not len(last) < len(words) <= _MOST_WORDS or words[-len(last) :] != last:
        return False
    return all(word[:1].isupper() or word[:1] == '"' for word in words)


def _is_variant(title: str, name: str) -> bool:
    """Tell whether a name is a title with other middle names ("Anna Maria Lind" of "Anna Lind")."""
    one, other = name_key(title).split(), name_key(name).split()
    return len(one) > 1 and len(other) > 1 and (one[0], one[-1]) == (other[0], other[-1])
