"""What resolution keeps to whatever the documents are."""

import random

from hypothesis import given
from hypothesis import strategies as st

from graph_store.records import HomeKind
from indexing.resolution import resolve
from tests.indexing.notes import Note, collect

NAMES = ["Li Wei", "Jordan", "DSN", "Deep Space Network", "Paris", "Paris, Texas", "Texas", "J\u00f6rdan", "li wei"]
TYPES = ["PERSON", "PLACE", "ORG", "WORK", "GROUP", "TOPIC"]
TITLES = ["", "Li Wei", "Li Wei (footballer)", "Li Wei (chemist)", "Paris, Texas", "Jordan", "2020-01-01"]
TEXTS = ["", "Li Wei is a chemist.", "Li Wei was a footballer in Texas.", "Jordan is a country."]
mention_lists = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(TYPES), st.sampled_from(NAMES)), max_size=4)


@st.composite
def note_lists(draw: st.DrawFn) -> list[Note]:
    notes = []
    for number in range(draw(st.integers(0, 5))):
        names = tuple(draw(mention_lists))
        kind: HomeKind = draw(st.sampled_from(["title", "lead_subject", "definition"]))
        stated = tuple((names[0][0], "knows", other[0]) for other in names[1:])
        notes.append(
            Note(
                id=f"n{number}",
                title=draw(st.sampled_from(TITLES)),
                text=draw(st.sampled_from(TEXTS)),
                names=names,
                homes=tuple((name, its_type, kind) for name, its_type, _ in names[:1]),
                relations=stated,
            )
        )
    return notes


@given(note_lists(), st.randoms(use_true_random=False))
def test_order_of_documents_does_not_matter(notes: list[Note], source: random.Random) -> None:
    shuffled = list(notes)
    source.shuffle(shuffled)
    assert resolve(collect(notes)) == resolve(collect(shuffled))


@given(note_lists())
def test_every_mention_goes_somewhere_and_nothing_is_without_evidence(notes: list[Note]) -> None:
    found = resolve(collect(notes))
    ids = {item.id for item in found.entities}
    assert len(ids) == len(found.entities)
    assert ids == {item.entity_id for item in found.mentions} | {item.entity_id for item in found.homes}
    assert all({item.source_id, item.target_id} <= ids and item.evidence for item in found.relations)
    total = sum(len(note.names) for note in notes)
    if any(kind == "GROUP" for note in notes for _, kind, _ in note.names):
        assert len(found.mentions) <= total
    else:
        assert len(found.mentions) == total
