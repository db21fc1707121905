"""The names that a document is known to have: what a language model calls a thing joins what the parser found."""

from collections.abc import Sequence

from graph_store.ids import name_key
from graph_store.records import NamedHome, NamedMention
from indexing.extraction.names import TOPIC

_PERSON, _ORG, _PLACE = "PERSON", "ORG", "PLACE"
# What models call the types that the parser knows.
_TYPES = {
    **dict.fromkeys(("person", "people", "human", "individual", "character"), _PERSON),
    **dict.fromkeys(("organization", "organisation", "org", "company", "institution", "agency", "university"), _ORG),
    **dict.fromkeys(("place", "location", "city", "country", "region", "gpe", "facility", "building"), _PLACE),
    **dict.fromkeys(("event", "battle", "war"), "EVENT"),
    **dict.fromkeys(("work", "book", "film", "song", "album", "work of art"), "WORK"),
    **dict.fromkeys(("product", "device", "vehicle"), "PRODUCT"),
    **dict.fromkeys(("law", "treaty"), "LAW"),
}
_LONGEST_TYPE = 40


def common_type(told: str) -> str:
    """Return the type of the graph for what a model calls a type; one that it has no word for is kept in capitals."""
    words = " ".join(told.replace("_", " ").split())[:_LONGEST_TYPE]
    return _TYPES.get(words.casefold(), words.upper()) or TOPIC


class KnownNames:
    """Full names and types by the spellings of a document: ``mentions`` and ``homes`` are those that the parser found.

    ``mentions_stay`` says whether the graph keeps these mentions; homes it always keeps.
    """

    def __init__(
        self, mentions: Sequence[NamedMention], homes: Sequence[NamedHome], *, mentions_stay: bool = True
    ) -> None:
        self._names: dict[str, tuple[str, str]] = {}
        self._standing = {name_key(home.name) for home in homes}
        if mentions_stay:
            self._standing.update(name_key(mention.name) for mention in mentions)
        for home in homes:
            self._names.setdefault(name_key(home.name), (home.name, home.type))
        for mention in mentions:
            self._names.setdefault(name_key(mention.name), (mention.name, mention.type))
        for mention in mentions:
            self._names.setdefault(name_key(mention.surface), (mention.name, mention.type))

    def full(self, name: str) -> tuple[str, str] | None:
        """Return (full name, type) of a name that the document is known to have, None for others."""
        return self._names.get(name_key(name))

    def stands(self, full_name: str) -> bool:
        """Tell whether the graph has an entity of this full name by the parser alone."""
        return name_key(full_name) in self._standing
