"""The part of a store's contract that is about what a language model told of entities and relations."""

from dataclasses import replace

import pytest

from graph_store.access import Access
from graph_store.bundles import DocumentBundle, Generation
from graph_store.errors import InvalidRecord
from graph_store.records import Entity
from graph_store.store import GraphStore
from tests.graph_store.builders import document_bundle, entity_id, generation_of

TENANT = "default"
EVERYBODY = Access()
STAFF = Access(groups=frozenset({"staff"}))
OPEN = document_bundle("a", ["Alpha meets Beta."])
SECOND = document_bundle("b", ["Beta meets Alpha."])
SECRET = document_bundle("s", ["Alpha meets Beta."], groups=("staff",))


def described_by(bundles: list[DocumentBundle], *chunk_ids: str) -> Generation:
    """Return a layer in which a model described Alpha, resting on some chunks, and found every relation strong."""
    made = generation_of(bundles)
    entities = tuple(
        replace(
            entity,
            description="Someone who meets others.",
            description_made_by="llm:m",
            description_chunk_ids=chunk_ids,
        )
        if entity.name == "Alpha"
        else entity
        for entity in made.entities
    )
    return replace(
        made, entities=entities, relations=tuple(replace(relation, strength=7.5) for relation in made.relations)
    )


def alpha(store: GraphStore, access: Access) -> Entity:
    (found,) = store.entities(access, [entity_id("Alpha")])
    return found


class ModelFactsContract:
    def test_what_extraction_added_comes_back(self, store: GraphStore) -> None:
        mention, *others = OPEN.mentions
        (relation,) = OPEN.relations
        told = replace(
            OPEN,
            mentions=(replace(mention, description="A $strange {person}."), *others),
            relations=(replace(relation, strength=3.5),),
        )
        store.write_documents([told])
        found = store.read_collection(TENANT)
        assert (found.mentions, found.relations) == (told.mentions, told.relations)

    def test_a_description_comes_back_with_what_it_rests_on(self, store: GraphStore) -> None:
        store.write_documents([OPEN, SECOND])
        made = described_by([OPEN, SECOND], "a-0", "b-0")
        store.publish(made)
        found = alpha(store, EVERYBODY)
        assert (found.description, found.description_made_by) == ("Someone who meets others.", "llm:m")
        assert found.description_chunk_ids == ("a-0", "b-0")
        assert {relation.strength for relation in store.list_relations(EVERYBODY)} == {7.5}
        plain = store.content_digest(TENANT)
        store.publish(described_by([OPEN, SECOND], "a-0"))
        assert store.content_digest(TENANT) != plain

    def test_a_description_is_shown_only_to_those_who_may_read_all_of_it(self, store: GraphStore) -> None:
        store.write_documents([OPEN, SECRET])
        store.publish(described_by([OPEN, SECRET], "a-0", "s-0"))
        hidden = alpha(store, EVERYBODY)
        assert (hidden.description, hidden.description_made_by, hidden.description_chunk_ids) == ("", "extractive", ())
        assert alpha(store, STAFF).description == "Someone who meets others."
        store.publish(described_by([OPEN, SECRET], "a-0"))
        assert alpha(store, EVERYBODY).description == "Someone who meets others."

    def test_strength_is_shown_only_with_all_of_the_evidence(self, store: GraphStore) -> None:
        store.write_documents([OPEN, SECRET])
        store.publish(described_by([OPEN, SECRET]))
        assert [relation.strength for relation in store.list_relations(EVERYBODY)] == [0.0]
        assert [relation.strength for relation in store.list_relations(STAFF)] == [7.5]

    def test_described_entities_stand_for_the_next_generation(self, store: GraphStore) -> None:
        store.write_documents([OPEN, SECRET])
        assert store.read_generation(TENANT).described_entities == ()
        store.publish(described_by([OPEN, SECRET], "a-0", "s-0"))
        assert store.read_generation(TENANT).described_entities == (alpha(store, STAFF),)
        store.delete_documents(TENANT, ["s"])
        assert store.read_generation(TENANT).described_entities == ()

    def test_a_description_goes_with_the_first_document_that_it_rests_on(self, store: GraphStore) -> None:
        store.write_documents([OPEN, SECOND])
        store.publish(described_by([OPEN, SECOND], "a-0", "b-0"))
        store.delete_documents(TENANT, ["b"])
        assert alpha(store, EVERYBODY).description == ""

    def test_a_description_must_rest_on_chunks_that_mention_the_entity(self, store: GraphStore) -> None:
        other = document_bundle("c", ["Gamma rests."])
        store.write_documents([OPEN, other])
        with pytest.raises(InvalidRecord, match="c-0"):
            store.publish(described_by([OPEN, other], "a-0", "c-0"))
