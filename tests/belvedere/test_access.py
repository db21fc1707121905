"""Nothing of a document that a caller may not read is in anything that the caller is told, by any route, ever."""

import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from belvedere.context_json import context_json
from belvedere.entity_view import view_entity
from belvedere.export import export_to_stream
from belvedere.json_form import answer_json, community_json, entity_json, node_json, search_json, status_json
from belvedere.settings import Settings
from belvedere.status import read_status
from graph_store.access import Access
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.errors import UnknownMetadataKey
from graph_store.filters import parse_filter
from graph_store.records import Entity
from query.engine import QueryEngine
from query.request import AskOptions, RouteChoice
from tests.belvedere.access_worlds import (
    SHARED,
    WorldDocument,
    callers,
    permitted,
    publish,
    questions,
    world_bundle,
    worlds,
    written,
)
from tests.query.small_store import EMBEDDER

ROUTES: tuple[RouteChoice, ...] = ("auto", "local", "community", "tree")
# Making a failing world smaller takes minutes: it is small as it is.
_WORLD = settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)


def told_by_engine(engine: QueryEngine, access: Access, question: str) -> str:
    """Ask on every route in every way; return all that comes back."""
    told: list[object] = []
    for route in ROUTES:
        options = AskOptions(route=route, access=access, k=20)
        answer = engine.ask(question, options)
        outcome = engine.search(question, options)
        packed = engine.context(question, options, budget=2_000)
        told += [answer_json(answer), search_json(outcome), context_json(packed)]
        told += [repr(answer), repr(outcome), repr(packed)]
    told.append(repr(engine.explain_ranking(question, 20, AskOptions(access=access))))
    told.append(told_by_mistake(engine, access, question))
    told += [repr(engine.rank_chunks(question, s, 50, AskOptions(access=access))) for s in ("bm25", "dense", "local")]
    return json.dumps(told, ensure_ascii=False)


def told_by_mistake(engine: QueryEngine, access: Access, question: str) -> str:
    """Return what is said about a filter on a key that no document has."""
    with pytest.raises(UnknownMetadataKey) as error:
        engine.search(question, AskOptions(access=access, filters=(parse_filter("nothing=1"),)))
    return str(error.value)


def told_by_store(store: EmbeddedStore, access: Access, document_ids: Iterable[str]) -> str:
    """Look at everything that can be looked at without a question."""
    entities = store.list_entities(access)
    names = {entity.id: entity.name for entity in entities}
    found = [*entities, *(entity for name in SHARED for entity in store.find_entities(access, name))]
    told: list[object] = [entity_json(view_entity(store, access, entity)) for entity in found]
    told += [community_json(item, names) for item in store.communities(access)]
    told += [node_json(node) for node in store.tree_nodes(access)]
    told += [[node_json(node) for node in store.tree_nodes(access, document_id=item)] for item in document_ids]
    told.append(status_json(read_status(Path("missing"), store, access, Settings())))
    for form in ("jsonl", "graphml"):
        stream = io.BytesIO()
        told.append(export_to_stream(store, access, stream, form))
        told.append(stream.getvalue().decode("utf-8"))
    return json.dumps(told, ensure_ascii=False)


def check_caller(
    store: EmbeddedStore, engine: QueryEngine, world: Sequence[WorldDocument], access: Access, asked: Sequence[str]
) -> str:
    """Check all that one caller is told in the present state of a store that holds ``world``; return it."""
    readable = permitted(world, access)
    told = told_by_store(store, access, [world_bundle(document).document.id for document in world])
    told += "".join(told_by_engine(engine, access, question) for question in asked)
    shown = told.casefold()
    hidden = [item for item in world if item not in readable]
    assert [item.number for item in hidden if any(word in shown for word in _unasked(item, asked))] == []
    assert all(item.secret in shown for item in readable), "nothing is told at all: the check would see no leak"
    return shown


def _unasked(document: WorldDocument, asked: Sequence[str]) -> list[str]:
    """Return what tells of a document and does not stand in the questions, whose words may come back as they are."""
    words = (document.mark, document.secret, f"report-{document.mark}")
    return [word for word in words if not any(word in question.casefold() for question in asked)]


def check_counts(store: EmbeddedStore, world: Sequence[WorldDocument], access: Access) -> None:
    """Compare what is counted and listed with a store that holds nothing but what the caller may read."""
    with written(permitted(world, access)) as alone:
        assert store.counts(access) == alone.counts(access)
        assert store.list_documents(access) == alone.list_documents(access)
        assert store.communities(access) == alone.communities(access)
        assert store.tree_nodes(access) == alone.tree_nodes(access)
        assert store.list_relations(access) == alone.list_relations(access)
        assert _named(store, access) == _named(alone, access)
        graph, only = store.passage_graph(access), alone.passage_graph(access)
        assert (graph.chunk_ids, graph.homes, graph.mentions) == (only.chunk_ids, only.homes, only.mentions)


def _named(store: EmbeddedStore, access: Access) -> list[Entity]:
    """Return the entities without what is chosen among all documents that may be told: one description of several."""
    return [replace(entity, description="") for entity in store.list_entities(access)]


@given(st.data(), worlds(), callers())
@_WORLD
def test_nothing_forbidden_is_told_to_callers_who_share_an_engine(
    data: st.DataObject, world: tuple[WorldDocument, ...], asking: list[Access]
) -> None:
    asked = data.draw(st.lists(questions(world), min_size=1, max_size=2, unique=True))
    with written(world) as store:
        engine = QueryEngine(store, EMBEDDER)
        for access in asking:
            check_caller(store, engine, world, access, asked)


@given(st.data(), worlds(), callers(), st.booleans())
@_WORLD
def test_nothing_of_an_earlier_state_is_told_after_updates_and_deletes(
    data: st.DataObject, world: tuple[WorldDocument, ...], asking: list[Access], published: bool
) -> None:
    asked = data.draw(questions(world))
    gone, *changed = data.draw(st.lists(st.sampled_from(world), min_size=1, max_size=3, unique=True))
    closed = [replace(item, edition=1, groups=("blue",)) for item in changed]
    left = [item for item in world if item not in (gone, *changed)] + closed
    with written(world) as store:
        engine = QueryEngine(store, EMBEDDER)
        for access in asking:
            engine.ask(asked, AskOptions(access=access))
        store.delete_documents(gone.tenant, [world_bundle(gone).document.id])
        store.write_documents([world_bundle(item) for item in closed])
        if published:
            publish(store)
        for access in asking:
            shown = check_caller(store, engine, left, access, [asked])
            old = [item.secret for item in (gone, *changed) if item.secret in _unasked(item, [asked])]
            assert [secret for secret in old if secret in shown] == []
            assert f"report-{gone.mark}" not in shown


@given(worlds(), callers())
@_WORLD
def test_a_caller_counts_and_lists_what_a_store_of_permitted_documents_has(
    world: tuple[WorldDocument, ...], asking: list[Access]
) -> None:
    with written(world) as store:
        for access in asking:
            check_counts(store, world, access)
