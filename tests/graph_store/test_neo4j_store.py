from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from neo4j import Record

from graph_store.neo4j.address import ServerAddress
from graph_store.neo4j.neo4j_store import Neo4jStore
from graph_store.neo4j.statements import Statements
from graph_store.searches import Along, KeywordSearch
from tests.graph_store.builders import DIMENSION, MODEL, TOKEN_DIMENSION, TOKEN_SPACE
from tests.graph_store.samples import STAFF
from tests.graph_store.store_contract import GraphStoreContract
from tests.graph_store.store_copy_contract import CopyContract, OpenStore
from tests.graph_store.store_long_read_contract import LongReadContract
from tests.graph_store.store_model_facts_contract import ModelFactsContract
from tests.graph_store.store_near_contract import NearReadsContract, fill_with_shared_names
from tests.graph_store.store_passage_graph_contract import PassageGraphContract
from tests.graph_store.store_source_contract import SourceContract
from tests.graph_store.store_space_contract import SpaceContract
from tests.graph_store.store_standing_contract import StandingContract
from tests.graph_store.store_state_contract import StateContract
from tests.graph_store.store_token_contract import TokenContract
from tests.graph_store.store_version_contract import ComparisonContract, VersionContract

pytestmark = pytest.mark.neo4j


class TestNeo4jStore(
    GraphStoreContract,
    PassageGraphContract,
    NearReadsContract,
    VersionContract,
    ComparisonContract,
    SourceContract,
    StandingContract,
    ModelFactsContract,
    StateContract,
):
    @pytest.fixture
    def store(self, neo4j_address: ServerAddress) -> Iterator[Neo4jStore]:
        with Neo4jStore.create_or_open(neo4j_address, embedding_model=MODEL, dimension=DIMENSION) as opened:
            yield opened

    def test_what_is_asked_for_next_comes_along(self, store: Neo4jStore, monkeypatch: pytest.MonkeyPatch) -> None:
        fill_with_shared_names(store)
        sent: list[str] = []
        rows = Statements.rows

        def noted(self: Statements, query: str, /, **parameters: object) -> list[Record]:
            sent.append(query)
            return rows(self, query, **parameters)

        monkeypatch.setattr(Statements, "rows", noted)
        ids = ["open-0", "staff-0"]

        def work() -> None:
            assert store.passage_names(STAFF, ids, most=0).mentioned
            assert len(store.chunks(STAFF, ids)) == len(store.chunk_vectors(STAFF, ids)) == 2
            assert store.sentences(STAFF, ids).sentences
            assert len(store.documents(STAFF, ["open", "staff"])) == 2

        store.in_one_state(work)
        assert len([query for query in sent if "(c:Chunk" in query]) == 1
        sent.clear()

        def search() -> None:
            along = Along(names=frozenset({"alpha", "unheard of"}), places=3, vectors=("open-0", "staff-0"))
            assert store.search_many(STAFF, [KeywordSearch(text="Alpha", kind="chunk", k=2)], along=along)[0]
            assert store.name_places(STAFF, ["alpha", "unheard of"], most=3).keys() == {"alpha"}
            assert len(store.chunk_vectors(STAFF, ids)) == 2

        store.in_one_state(search)
        assert len([query for query in sent if "n.id" in query or "(c:Chunk" in query]) == 1


class TestCopiesOfNeo4jStore(CopyContract, LongReadContract):
    @pytest.fixture
    def store(self, neo4j_address: ServerAddress) -> Iterator[Neo4jStore]:
        with Neo4jStore.create_or_open(neo4j_address, embedding_model=MODEL, dimension=DIMENSION) as opened:
            yield opened

    @pytest.fixture
    def open_reader(self, neo4j_address: ServerAddress) -> Iterator[OpenStore]:
        with ExitStack() as opened:
            yield lambda: opened.enter_context(Neo4jStore.open(neo4j_address))


class TestSpacesOfNeo4jStore(SpaceContract):
    @pytest.fixture
    def store(self, neo4j_address: ServerAddress) -> Iterator[Neo4jStore]:
        with Neo4jStore.create_or_open(neo4j_address, embedding_model=MODEL, dimension=DIMENSION) as opened:
            yield opened

    @pytest.fixture
    def open_reader(self, neo4j_address: ServerAddress) -> Iterator[OpenStore]:
        with ExitStack() as opened:
            yield lambda: opened.enter_context(Neo4jStore.open(neo4j_address))


class TestNeo4jStoreOfTokens(TokenContract):
    @pytest.fixture
    def token_store(self, neo4j_address: ServerAddress) -> Iterator[Neo4jStore]:
        with Neo4jStore.create_or_open(
            neo4j_address,
            embedding_model=MODEL,
            dimension=DIMENSION,
            token_space=TOKEN_SPACE,
            token_dimension=TOKEN_DIMENSION,
        ) as opened:
            yield opened
