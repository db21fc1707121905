"""From names in documents to entities: what is merged, what is kept apart, and that order does not matter."""

from dataclasses import replace

import pytest

from graph_store.records import Entity, HomeKind
from indexing.resolution import Resolution, resolve
from tests.indexing.notes import Note, collect


def resolved(*notes: Note) -> Resolution:
    return resolve(collect(notes))


def entity(resolution: Resolution, name: str) -> Entity:
    (found,) = [item for item in resolution.entities if item.name == name]
    return found


def chunks_of(resolution: Resolution, found: Entity) -> set[str]:
    return {mention.chunk_id for mention in resolution.mentions if mention.entity_id == found.id}


# -- what is one entity ------------------------------------------------------------------------------------------------


def test_equal_names_of_one_type_are_one_entity_with_both_sources() -> None:
    found = resolved(Note(id="a", names=(("NASA", "ORG"),)), Note(id="b", names=(("Nasa", "ORG"),)))
    (only,) = found.entities
    assert chunks_of(found, only) == {"chunk-a", "chunk-b"}
    assert (only.name, only.aliases, only.name_key) == ("NASA", ("Nasa",), "nasa")


def test_upper_and_lower_case_are_one() -> None:
    found = resolved(Note(id="a", names=(("Electrons", "TOPIC"),)), Note(id="b", names=(("electrons", "TOPIC"),)))
    assert len(found.entities) == 1


@pytest.mark.parametrize("name", ["M\u00fcller", "\u5317\u4eac", "AT&T", "U.S.", "caf\u00e9"])
def test_names_of_all_kinds_survive(name: str) -> None:
    assert [item.name for item in resolved(Note(id="a", names=((name, "ORG"),))).entities] == [name]


def test_middle_initial_and_prefix_stay_apart() -> None:
    names = (("John Doe", "PERSON"), ("John T. Doe", "PERSON"), ("John Doe Junior", "PERSON"))
    assert len(resolved(Note(id="a", names=names)).entities) == 3


def test_noise_joins_the_majority_type() -> None:
    notes = [Note(id=f"n{number}", names=(("Paris", "PLACE"),)) for number in range(4)]
    found = resolved(*notes, Note(id="x", names=(("Paris", "PERSON"),)), Note(id="y", names=(("Paris", "WORK"),)))
    (only,) = found.entities
    assert only.type == "PLACE"
    assert len(chunks_of(found, only)) == 6


def test_well_supported_incompatible_types_stay_apart_with_their_sources() -> None:
    notes = [Note(id=f"{kind}{number}", names=(("Jordan", kind),)) for kind in ("PERSON", "PLACE") for number in (1, 2)]
    found = resolved(*notes)
    assert {item.type: len(chunks_of(found, item)) for item in found.entities} == {"PERSON": 2, "PLACE": 2}


def test_one_mention_against_one_is_no_noise() -> None:
    found = resolved(Note(id="a", names=(("Jordan", "PERSON"),)), Note(id="b", names=(("Jordan", "PLACE"),)))
    assert {item.type for item in found.entities} == {"PERSON", "PLACE"}


def test_a_name_has_one_type_in_a_document() -> None:
    found = resolved(Note(id="a", names=(("Jordan", "PERSON"), ("Jordan", "PLACE"), ("Jordan", "PLACE"))))
    assert [(item.type, len(found.mentions)) for item in found.entities] == [("PLACE", 3)]


def test_peoples_are_entities_only_with_a_home() -> None:
    assert resolved(Note(id="a", names=(("German", "GROUP"),))).entities == ()
    found = resolved(
        Note(id="a", title="Cherokee", names=(("Cherokee", "GROUP"),), homes=(("Cherokee", "GROUP", "title"),))
    )
    assert [item.name for item in found.entities] == ["Cherokee"]


# -- aliases -----------------------------------------------------------------------------------------------------------


def test_document_aliases_become_entity_aliases() -> None:
    found = resolved(Note(id="a", names=(("Marie Curie", "PERSON"), ("Marie Curie", "PERSON", "Curie"))))
    assert entity(found, "Marie Curie").aliases == ("Curie",)


def test_acronym_explained_in_one_document_is_understood_in_another() -> None:
    found = resolved(
        Note(id="a", names=(("Deep Space Network", "ORG", "DSN"),)),
        Note(id="b", names=(("DSN", "ORG"), ("DSN", "ORG"))),
    )
    (only,) = found.entities
    assert (only.name, only.aliases) == ("Deep Space Network", ("DSN",))
    assert chunks_of(found, only) == {"chunk-a", "chunk-b"}


def test_acronym_explained_in_two_ways_stays_alone() -> None:
    found = resolved(
        Note(id="a", names=(("Deep Space Network", "ORG", "DSN"),)),
        Note(id="b", names=(("Danish School Network", "ORG", "DSN"),)),
        Note(id="c", names=(("DSN", "ORG"),)),
    )
    assert {item.name for item in found.entities} == {"Deep Space Network", "Danish School Network", "DSN"}


def test_surname_elsewhere_is_not_the_full_name() -> None:
    found = resolved(
        Note(id="a", names=(("Marie Curie", "PERSON", "Curie"),)), Note(id="b", names=(("Curie", "PERSON"),))
    )
    assert {item.name for item in found.entities} == {"Marie Curie", "Curie"}


def test_middle_names_are_dropped_in_the_document_that_the_person_leads() -> None:
    homes: tuple[tuple[str, str, HomeKind], ...] = (
        ("Warren Errol Truss", "PERSON", "lead_subject"),
        ("Warren Truss", "PERSON", "lead_subject"),
    )
    found = resolved(Note(id="a", names=(("Warren Errol Truss", "PERSON"),), homes=homes))
    assert [(item.name, item.aliases) for item in found.entities] == [("Warren Errol Truss", ("Warren Truss",))]
    titled = resolved(
        Note(
            id="a",
            title="Warren Truss",
            names=(("Warren Errol Truss", "PERSON"), ("Warren Truss", "PERSON"), ("Warren Truss", "PERSON")),
            homes=(("Warren Truss", "PERSON", "title"), homes[0]),
        )
    )
    assert [(item.name, item.aliases) for item in titled.entities] == [("Warren Truss", ("Warren Errol Truss",))]


# -- homonyms ----------------------------------------------------------------------------------------------------------


def person(document_id: str, text: str, title: str, *others: str) -> Note:
    homes: tuple[tuple[str, str, HomeKind], ...] = (("Li Wei", "PERSON", "title"),)
    if title != "Li Wei":
        homes = ((title, "PERSON", "title"), *homes)
    names = (("Li Wei", "PERSON"), *((name, "ORG") for name in others))
    return Note(id=document_id, text=text, title=title, names=names, homes=homes)


def test_qualified_titles_keep_two_people_apart() -> None:
    found = resolved(
        person("a", "Li Wei is a footballer.", "Li Wei (footballer)"),
        person("b", "Li Wei is a chemist.", "Li Wei (chemist)"),
        Note(id="c", text="The chemist Li Wei won.", names=(("Li Wei", "PERSON"),)),
        Note(id="d", text="Li Wei slept.", names=(("Li Wei", "PERSON"),)),
    )
    chunks = sorted(sorted(chunks_of(found, item)) for item in found.entities)
    assert chunks == [["chunk-a"], ["chunk-b", "chunk-c"], ["chunk-d"]]
    assert {item.name for item in found.entities} == {"Li Wei"}
    assert len({item.id for item in found.entities}) == 3


def test_different_definitions_keep_two_people_apart() -> None:
    found = resolved(
        person("a", "Li Wei (born 1990) is a Chinese footballer who plays abroad.", "Li Wei", "Dalian FC"),
        person("b", "Li Wei was a Chinese chemist.", "Li Wei", "Tsinghua University"),
        Note(id="c", text="He met Li Wei.", names=(("Li Wei", "PERSON"), ("Dalian FC", "ORG"))),
    )
    people = [item for item in found.entities if item.name == "Li Wei"]
    assert sorted(sorted(chunks_of(found, item)) for item in people) == [["chunk-a", "chunk-c"], ["chunk-b"]]
    assert sorted(item.description for item in people) == [
        "Li Wei (born 1990) is a Chinese footballer who plays abroad.",
        "Li Wei was a Chinese chemist.",
    ]


def test_shared_names_or_nouns_join_two_definitions_of_one_person() -> None:
    shared = resolved(
        person("a", "Li Wei is a chemist.", "Li Wei", "Tsinghua University"),
        person("b", "Li Wei is a pioneer of catalysis.", "Li Wei", "Tsinghua University"),
    )
    assert len([item for item in shared.entities if item.name == "Li Wei"]) == 1
    nouns = resolved(
        person("a", "Li Wei is a chemist and author.", "Li Wei", "Dalian FC"),
        person("b", "Li Wei was an author.", "Li Wei", "Tsinghua University"),
    )
    assert len([item for item in nouns.entities if item.name == "Li Wei"]) == 1


def test_town_of_a_name_is_not_the_city() -> None:
    title: tuple[tuple[str, str, HomeKind], ...] = (("Paris, Texas", "PLACE", "title"), ("Paris", "PLACE", "title"))
    found = resolved(
        Note(id="a", title="Paris, Texas", names=(("Paris", "PLACE"), ("Texas", "PLACE")), homes=title),
        Note(id="b", text="Paris lies on the Seine.", names=(("Paris", "PLACE"),)),
        Note(id="c", text="He left Paris in Texas.", names=(("Paris", "PLACE"), ("Texas", "PLACE"))),
    )
    towns = {frozenset(chunks_of(found, item)) for item in found.entities if item.name.startswith("Paris")}
    assert towns == {frozenset({"chunk-a", "chunk-c"}), frozenset({"chunk-b"})}


# -- evidence ----------------------------------------------------------------------------------------------------------


def test_description_is_a_defining_sentence_of_a_home() -> None:
    text = "Goldstone is a complex of antennas in California."
    note = Note(id="a", text=text, names=(("Goldstone", "PLACE"),), homes=(("Goldstone", "PLACE", "lead_subject"),))
    assert entity(resolved(note), "Goldstone").description == text
    long = Note(id="a", text=text[:-1] + " and more" * 40 + ".", names=note.names, homes=note.homes)
    assert len(entity(resolved(long), "Goldstone").description) <= 200


def test_description_tells_nobody_what_is_not_theirs() -> None:
    text = "Goldstone is a secret complex."
    secret = Note(
        id="a", text=text, names=(("Goldstone", "PLACE"),), homes=(("Goldstone", "PLACE", "title"),), groups=("staff",)
    )
    assert entity(resolved(secret), "Goldstone").description == text
    assert entity(resolved(secret, Note(id="b", names=(("Goldstone", "PLACE"),))), "Goldstone").description == ""


def test_relations_count_sentences_and_keep_their_evidence() -> None:
    names = (("Marie Curie", "PERSON"), ("Warsaw", "PLACE"))
    stated = (("Marie Curie", "born in", "Warsaw"),)
    found = resolved(Note(id="a", names=names, relations=stated), Note(id="b", names=names, relations=stated))
    (relation,) = found.relations
    assert (relation.weight, relation.evidence) == (2.0, ("chunk-a", "chunk-b"))
    assert relation.source_id == entity(found, "Marie Curie").id
    assert relation.target_id == entity(found, "Warsaw").id


def test_sentence_in_two_overlapping_chunks_counts_once() -> None:
    names = (("Marie Curie", "PERSON"), ("Warsaw", "PLACE"))
    collection = collect([Note(id="a", names=names, relations=(("Marie Curie", "born in", "Warsaw"),))])
    (chunk,), (relation,) = collection.chunks, collection.relations
    again = replace(chunk, id="chunk-again", char_start=-5, position=1)
    moved = replace(relation, chunk_id="chunk-again", char_start=5)
    found = resolve(replace(collection, chunks=(chunk, again), relations=(relation, moved)))
    assert [(item.weight, item.evidence) for item in found.relations] == [(1.0, ("chunk-a", "chunk-again"))]


def test_relation_of_an_entity_with_itself_is_dropped() -> None:
    names = (("Deep Space Network", "ORG", "DSN"), ("Network Deep Space", "ORG"))
    found = resolved(
        Note(id="a", names=names),
        Note(
            id="b",
            names=(("DSN", "ORG"), ("Deep Space Network", "ORG")),
            relations=(("DSN", "is", "Deep Space Network"),),
        ),
    )
    assert found.relations == ()


def test_tenants_have_ids_of_their_own() -> None:
    note = Note(id="a", names=(("NASA", "ORG"),))
    (first,) = resolve(collect([note], tenant="one")).entities
    (second,) = resolve(collect([note], tenant="two")).entities
    assert first.id != second.id
    assert (first.tenant, second.tenant) == ("one", "two")


def test_nothing_resolves_to_nothing() -> None:
    assert resolved() == Resolution(entities=(), mentions=(), homes=(), relations=())
    assert resolved(Note(id="a", text="no names")) == Resolution(entities=(), mentions=(), homes=(), relations=())
