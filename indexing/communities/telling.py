"""Which sentences a report can draw on."""

import numpy as np

from indexing.communities.entity_places import EntityPlaces
from indexing.communities.grouping import rows_by_group
from raptor.audience import AudienceView, IntVector


class TellingSentences:
    """The sentences of an audience by the entities that they name."""

    def __init__(self, view: AudienceView, places: EntityPlaces) -> None:
        self._table = view.sentences
        self._units = places.sentences.units
        self._sentences_of = rows_by_group(places.sentences.entities)

    def of(self, members: IntVector, chunks: IntVector) -> IntVector:
        """Return the usable sentences of ``chunks`` that name a member, ascending; all sentences where none does."""
        rows = self._table.rows_of(chunks)
        telling = rows[(self.named(members)[rows] > 0) & (self._table.quality[rows] > 0)]
        return telling if len(telling) else rows

    def named(self, entities: IntVector) -> IntVector:
        """Return for each sentence of the audience how many of some entities it names."""
        pairs = [self._sentences_of[entity] for entity in entities.tolist() if entity in self._sentences_of]
        naming = self._units[np.concatenate(pairs)] if pairs else np.zeros(0, dtype=np.int64)
        return np.bincount(naming, minlength=len(self._table.quality))
