"""The part of a store's contract that is about finding: searches, filters, and who may find what."""

import numpy as np
import pytest

from graph_store.errors import InvalidRecord, TooManyConditions, UnknownMetadataKey
from graph_store.filters import MetadataFilter, parse_filter
from graph_store.store import GraphStore
from tests.graph_store.builders import DIMENSION, document_bundle, entity_id, generation_of, vector_of
from tests.graph_store.samples import KINDS, OTHER, PUBLIC, STAFF, fill, open_document, search_ids, three_documents


class Searches:
    def test_keywords_are_stemmed_and_ranked(self, store: GraphStore) -> None:
        fill(store)
        hits = store.search_keywords(PUBLIC, "Who was meeting at the harbours?", kind="chunk", k=5)
        assert [hit.id for hit in hits] == ["open-0"]
        assert hits[0].score > 0

    def test_titles_and_headings_are_searched(self, store: GraphStore) -> None:
        fill(store)
        assert set(search_ids(store, PUBLIC, "title open")) == {"open-0", "open-1"}

    def test_other_scripts_are_searched(self, store: GraphStore) -> None:
        store.write_documents(
            [
                document_bundle("cjk", ["北京大学在中国", "東京は首都です", "Café Müller"]),
                document_bundle("ru", ["Москва река"]),
            ]
        )
        assert search_ids(store, PUBLIC, "北京") == ["cjk-0", "cjk-1"], "both have 京, one has 北京"
        assert search_ids(store, PUBLIC, "首都") == ["cjk-1"]
        assert search_ids(store, PUBLIC, "学") == ["cjk-0"]
        assert search_ids(store, PUBLIC, "cafe muller") == ["cjk-2"]
        assert search_ids(store, PUBLIC, "москва") == ["ru-0"]

    @pytest.mark.parametrize(
        "question",
        [
            "/b testing",
            "what is AND",
            'an "unclosed quote',
            "tb-",
            "*",
            "AND",
            "NOT alpha",
            "a:b:c [1 TO",
            "foo^ (x \\",
            "?!.,;",
            "",
            "\x00",
            "\ud800",
        ],
    )
    def test_no_question_is_an_error(self, store: GraphStore, question: str) -> None:
        fill(store)
        for kind in KINDS:
            store.search_keywords(PUBLIC, question, kind=kind, k=5)

    @pytest.mark.parametrize(
        "question",
        ["/harbour testing", "what is harbour AND", "harbour-", '"harbour', "NOT harbour", "-harbour", "harbour^ (x"],
    )
    def test_signs_of_query_languages_hide_nothing(self, store: GraphStore, question: str) -> None:
        fill(store)
        assert search_ids(store, PUBLIC, question) == ["open-0"]

    def test_a_very_long_question_still_finds(self, store: GraphStore) -> None:
        fill(store)
        words = " ".join(f"word{index}" for index in range(2000))
        assert search_ids(store, PUBLIC, f"{words} harbour") == ["open-0"]

    def test_identifiers_are_found(self, store: GraphStore) -> None:
        store.write_documents([document_bundle("log", ["error ORA-01555 snapshot", "error ORA-01556 other"])])
        assert search_ids(store, PUBLIC, "ORA-01555")[0] == "log-0"

    def test_any_number_may_be_asked_for(self, store: GraphStore) -> None:
        fill(store)
        everything = search_ids(store, PUBLIC, "alpha beta gamma", k=1000)
        assert everything
        for k in (2**31, 2**63, 2**100):
            assert search_ids(store, PUBLIC, "alpha beta gamma", k=k) == everything
            assert store.search_vectors(PUBLIC, vector_of("alpha"), kind="chunk", k=k)
            assert store.communities(PUBLIC, level=k) == ()
            assert store.tree_nodes(PUBLIC, level=k) == ()

    def test_equal_texts_rank_by_id(self, store: GraphStore) -> None:
        ids = [f"d{index:02d}" for index in range(40)]
        store.write_documents([document_bundle(name, ["the same words"]) for name in reversed(ids)])
        expected = [f"{name}-0" for name in ids[:7]]
        assert search_ids(store, PUBLIC, "same words", k=7) == expected
        hits = store.search_vectors(PUBLIC, vector_of("the same words"), kind="chunk", k=7)
        assert [hit.id for hit in hits] == expected

    def test_vectors_find_the_nearest(self, store: GraphStore) -> None:
        fill(store)
        hits = store.search_vectors(STAFF, vector_of("Gamma sleeps alone."), kind="chunk", k=2)
        assert hits[0].id == "open-1"
        assert hits[0].score == pytest.approx(1.0, abs=1e-5)
        assert len(hits) == 2
        assert store.search_vectors(STAFF, vector_of("x"), kind="chunk", k=0) == ()
        assert len(store.search_vectors(STAFF, vector_of("x"), kind="chunk", k=1000)) == 3

    def test_cosines_and_vectors_agree(self, store: GraphStore) -> None:
        fill(store)
        question = vector_of("Alpha harbour")
        ids = ["open-0", "open-1", "staff-0"]
        cosines = store.cosines(STAFF, question, ids)
        vectors = store.chunk_vectors(STAFF, ids)
        searched = {hit.id: hit.score for hit in store.search_vectors(STAFF, question, kind="chunk", k=3)}
        for chunk_id in ids:
            assert cosines[chunk_id] == pytest.approx(float(vectors[chunk_id] @ question), abs=1e-5)
            assert cosines[chunk_id] == pytest.approx(searched[chunk_id], abs=1e-5)

    def test_reports_and_nodes_are_searched(self, store: GraphStore) -> None:
        fill(store)
        community, node = store.communities(PUBLIC)[0], store.tree_nodes(PUBLIC)[0]
        assert search_ids(store, PUBLIC, "harbour", kind="report") == [community.id]
        assert search_ids(store, PUBLIC, "harbour", kind="tree_node") == [node.id]
        for kind, wanted in (("report", community.id), ("tree_node", node.id)):
            assert kind in KINDS
            hits = store.search_vectors(PUBLIC, vector_of("harbour"), kind=kind, k=5)
            assert [hit.id for hit in hits] == [wanted]

    def test_a_question_vector_of_another_shape_is_refused(self, store: GraphStore) -> None:
        fill(store)
        with pytest.raises(InvalidRecord, match="shape"):
            store.search_vectors(PUBLIC, np.ones(DIMENSION + 1, dtype=np.float32), kind="chunk", k=1)
        with pytest.raises(InvalidRecord, match="finite"):
            store.search_vectors(PUBLIC, np.full(DIMENSION, np.nan, dtype=np.float32), kind="chunk", k=1)


class Filtering:
    @pytest.mark.parametrize(
        ("condition", "expected"),
        [
            ("year=2020", {"a"}),
            ("year=2020.0", {"a"}),
            ("year!=2020", {"b", "c", "d", "e"}),
            ("year>=2020", {"a", "b"}),
            ("year<10000", {"a", "b", "c"}),
            ("year<=999", {"c"}),
            (f"year<1{'0' * 400}", {"a", "b", "c"}),
            (f"year>-1{'0' * 5000}", {"a", "b", "c"}),
            (f"year={'0' * 5000}999", {"c"}),
            ("year in 2020, 999", {"a", "c"}),
            ("tags in y,z", {"a"}),
            ("tags=x", {"a", "b"}),
            ("tags!=x", {"c", "d", "e"}),
            ("tags=y", {"a"}),
            ("date>=2023-01-01", {"d"}),
            ("date<2023-01-01", {"c"}),
            ("date<=2023", {"c", "d"}),
            ("date>2022", {"d"}),
            ("date=2023-05", {"d"}),
            ("date in 2021,2022", {"c"}),
            ("flag=true", {"d"}),
            ("flag=false", {"e"}),
            ("name=O'Brien; --", {"e"}),
        ],
    )
    def test_conditions(self, store: GraphStore, condition: str, expected: set[str]) -> None:
        store.write_documents(
            [
                document_bundle("a", ["word"], metadata={"year": 2020, "tags": ("x", "y")}),
                document_bundle("b", ["word"], metadata={"year": 2021.5, "tags": ("x",)}),
                document_bundle("c", ["word"], metadata={"year": 999, "date": "2022-05-01", "tags": ()}),
                document_bundle("d", ["word"], metadata={"date": "2023-05-01", "flag": True}),
                document_bundle("e", ["word"], metadata={"flag": False, "name": "O'Brien; --"}),
            ]
        )
        filters = (parse_filter(condition),)
        chunks = {f"{name}-0" for name in expected}
        assert store.filtered_documents(PUBLIC, filters) == frozenset(expected)
        assert {h.id for h in store.search_keywords(PUBLIC, "word", kind="chunk", k=9, filters=filters)} == chunks
        vector = vector_of("word")
        assert {h.id for h in store.search_vectors(PUBLIC, vector, kind="chunk", k=9, filters=filters)} == chunks

    def test_all_filters_must_hold(self, store: GraphStore) -> None:
        fill(store)
        filters = (parse_filter("year>2000"), parse_filter("tags=x"))
        assert store.filtered_documents(STAFF, filters) == frozenset({"open"})
        assert store.filtered_documents(STAFF, ()) is None

    def test_a_small_share_still_gives_k(self, store: GraphStore) -> None:
        store.write_documents(
            [document_bundle(f"d{i:03d}", ["word word"], metadata={"rare": i % 100 == 0}) for i in range(300)]
        )
        filters = (parse_filter("rare=true"),)
        assert len(store.search_keywords(PUBLIC, "word", kind="chunk", k=3, filters=filters)) == 3
        assert len(store.search_vectors(PUBLIC, vector_of("x"), kind="chunk", k=3, filters=filters)) == 3

    def test_a_derived_text_passes_where_all_its_documents_do(self, store: GraphStore) -> None:
        bundles = [
            document_bundle("a", ["Alpha word"], metadata={"year": 2020}),
            document_bundle("b", ["Beta word"], metadata={"year": 2021}),
        ]
        store.write_documents(bundles)
        store.publish(generation_of(bundles))
        for kind in ("report", "tree_node"):
            assert kind in KINDS
            for condition, found in (("year>=2020", 1), ("year>=2021", 0)):
                filters = (parse_filter(condition),)
                assert len(store.search_keywords(PUBLIC, "word", kind=kind, k=9, filters=filters)) == found
                assert len(store.search_vectors(PUBLIC, vector_of("x"), kind=kind, k=9, filters=filters)) == found

    def test_an_unknown_key_is_named_with_the_nearest(self, store: GraphStore) -> None:
        fill(store)
        with pytest.raises(UnknownMetadataKey, match=r"'yaer'.*'year'.*tags"):
            store.search_keywords(PUBLIC, "alpha", kind="chunk", k=3, filters=(parse_filter("yaer=2020"),))

    def test_many_values_and_conditions_are_looked_up(self, store: GraphStore) -> None:
        fill(store)
        years = ",".join(map(str, range(1000, 3000)))
        all_of_them = store.filtered_documents(PUBLIC, (parse_filter("year>=0"),))
        assert all_of_them
        assert store.filtered_documents(PUBLIC, (parse_filter(f"year in {years}"),)) == all_of_them
        assert store.filtered_documents(PUBLIC, (parse_filter("year>=0"),) * 100) == all_of_them

    @pytest.mark.parametrize(
        ("filters", "told"),
        [
            ((parse_filter("year>=0"),) * 101, "101 filters are too many, 100 are allowed"),
            ((parse_filter(f"year in {','.join(map(str, range(5001)))}"),), "5,001 values are too many, 5,000"),
        ],
    )
    def test_absurdly_many_conditions_are_refused(
        self, store: GraphStore, filters: tuple[MetadataFilter, ...], told: str
    ) -> None:
        fill(store)
        with pytest.raises(TooManyConditions, match=told):
            store.search_keywords(PUBLIC, "alpha", kind="chunk", k=3, filters=filters)

    def test_a_key_of_hidden_documents_is_unknown(self, store: GraphStore) -> None:
        fill(store)
        condition = MetadataFilter(key="secret", operator="=", value="yes")
        with pytest.raises(UnknownMetadataKey) as hidden:
            store.filtered_documents(PUBLIC, (condition,))
        assert "known keys: tags, year" in str(hidden.value)
        assert store.filtered_documents(STAFF, (condition,)) == frozenset({"staff"})


class Isolation:
    """No read may tell a hidden record from a missing one."""

    def test_reads_by_id_hide_and_miss_alike(self, store: GraphStore) -> None:
        fill(store)
        question = vector_of("treasure")
        for document, chunk in (("staff", "staff-0"), ("foreign", "foreign-0"), ("missing", "missing-0")):
            assert store.documents(PUBLIC, [document]) == ()
            assert store.document_text(PUBLIC, document) is None
            assert store.document_chunks(PUBLIC, document) == ()
            assert store.parents(PUBLIC, [f"{document}-parent"]) == ()
            assert store.chunks(PUBLIC, [chunk]) == ()
            assert store.sentences(PUBLIC, [chunk]).sentences == ()
            assert store.sentences(PUBLIC, [chunk]).vectors.shape == (0, DIMENSION)
            assert store.cosines(PUBLIC, question, [chunk]) == {}
            assert store.chunk_vectors(PUBLIC, [chunk]) == {}

    def test_searches_stay_within_the_audience(self, store: GraphStore) -> None:
        fill(store)
        assert search_ids(store, PUBLIC, "treasure") == []
        assert search_ids(store, STAFF, "treasure") == ["staff-0"]
        assert search_ids(store, OTHER, "treasure") == ["foreign-0"]
        question = vector_of("Alpha hides the treasure of Omega.")
        assert {hit.id for hit in store.search_vectors(PUBLIC, question, kind="chunk", k=9)} == {"open-0", "open-1"}
        for kind in ("report", "tree_node"):
            assert kind in KINDS
            assert search_ids(store, PUBLIC, "treasure", kind=kind) == []
            assert len(search_ids(store, STAFF, "treasure", kind=kind)) == 1
            assert len(store.search_vectors(PUBLIC, question, kind=kind, k=9)) == 1
            assert len(store.search_vectors(STAFF, question, kind=kind, k=9)) == 2

    def test_derived_texts_stay_within_their_audience(self, store: GraphStore) -> None:
        fill(store)
        hidden = [item for item in store.communities(STAFF) if item.groups]
        assert len(hidden) == 1
        assert store.communities(PUBLIC, ids=[hidden[0].id]) == ()
        assert not any(item.groups for item in store.communities(PUBLIC))
        assert not any(item.groups for item in store.tree_nodes(PUBLIC))
        nodes = [item.id for item in store.tree_nodes(STAFF) if item.groups]
        assert store.tree_nodes(PUBLIC, ids=nodes) == ()

    def test_entities_show_readable_evidence_alone(self, store: GraphStore) -> None:
        fill(store)
        assert [entity.name for entity in store.list_entities(PUBLIC)] == [
            entity.name for entity in store.list_entities(STAFF) if entity.name != "Omega"
        ]
        alpha = store.entities(PUBLIC, [entity_id("Alpha"), entity_id("Omega")])
        assert [(entity.name, entity.aliases, entity.description) for entity in alpha] == [("Alpha", (), "")]
        assert store.entities(STAFF, [entity_id("Alpha")])[0].aliases == ("Omega",)
        assert store.find_entities(PUBLIC, "Omega") == ()
        assert [mention.chunk_id for mention in store.entity_mentions(PUBLIC, entity_id("Alpha"))] == ["open-0"]
        assert store.entity_mentions(PUBLIC, entity_id("Omega")) == ()
        assert store.entity_relations(PUBLIC, entity_id("Omega")) == ()
        assert {relation.evidence for relation in store.list_relations(PUBLIC)} == {("open-0",)}

    def test_a_name_from_a_hidden_document_is_replaced(self, store: GraphStore) -> None:
        bundles = [document_bundle("a", ["Nick acts."]), document_bundle("b", ["Nicholas spies."], groups=("staff",))]
        store.write_documents(bundles)
        generation = generation_of(bundles)
        spy = next(entity for entity in generation.entities if entity.name == "Nicholas")
        merged = type(spy)(
            id=spy.id, tenant=spy.tenant, name="Nicholas", name_key="nicholas", type=spy.type, aliases=("Nick",)
        )
        mentions = tuple(
            type(m)(entity_id=spy.id, chunk_id=m.chunk_id, char_start=m.char_start, char_end=m.char_end)
            for m in generation.mentions
        )
        store.publish(type(generation)(tenant="default", entities=(merged,), mentions=mentions))
        assert [(entity.name, entity.aliases) for entity in store.list_entities(PUBLIC)] == [("Nick", ())]
        assert [(entity.name, entity.aliases) for entity in store.list_entities(STAFF)] == [("Nicholas", ("Nick",))]
        assert store.find_entities(PUBLIC, "nicholas") == ()
        assert set(store.passage_graph(PUBLIC).mentions) == {"nick"}

    def test_the_passage_graph_stays_within_the_audience(self, store: GraphStore) -> None:
        fill(store)
        graph = store.passage_graph(PUBLIC)
        assert graph.chunk_ids == ("open-0", "open-1")
        assert graph.indices.tolist() == [1]
        assert graph.indptr.tolist() == [0, 1, 1]
        assert set(graph.mentions) == {"alpha", "beta", "gamma"}

    def test_a_group_of_another_tenant_opens_nothing(self, store: GraphStore) -> None:
        fill(store)
        assert [document.id for document in store.list_documents(OTHER)] == ["foreign"]
        assert store.chunks(OTHER, ["staff-0", "open-0"]) == ()

    def test_tenants_may_use_the_same_ids(self, store: GraphStore) -> None:
        mine = document_bundle("same", ["Alpha is mine."])
        yours = document_bundle("same", ["Alpha is yours."], tenant="other")
        store.write_documents([mine, yours])
        assert store.document_text(PUBLIC, "same") == "Alpha is mine."
        assert store.document_text(OTHER, "same") == "Alpha is yours."
        assert store.delete_documents("other", ["same"]) == ("same",)
        assert store.document_text(PUBLIC, "same") == "Alpha is mine."
        assert search_ids(store, OTHER, "alpha") == []

    def test_scores_do_not_tell_of_other_tenants(self, store: GraphStore) -> None:
        store.write_documents([open_document()])
        before = store.search_keywords(PUBLIC, "alpha harbour", kind="chunk", k=5)
        store.write_documents([document_bundle(f"x{i}", ["Alpha harbour"], tenant="other") for i in range(20)])
        assert store.search_keywords(PUBLIC, "alpha harbour", kind="chunk", k=5) == before

    def test_a_document_moved_to_another_group_is_hidden_at_once(self, store: GraphStore) -> None:
        store.write_documents([document_bundle("a", ["Alpha word"])])
        assert search_ids(store, PUBLIC, "alpha") == ["a-0"]
        store.write_documents([document_bundle("a", ["Alpha word"], groups=("staff",))])
        assert search_ids(store, PUBLIC, "alpha") == []
        assert store.search_vectors(PUBLIC, vector_of("Alpha word"), kind="chunk", k=3) == ()
        assert search_ids(store, STAFF, "alpha") == ["a-0"]

    def test_a_report_over_two_audiences_is_refused(self, store: GraphStore) -> None:
        bundles = three_documents()
        store.write_documents(bundles)
        generation = generation_of(bundles)
        crossing = generation.communities[0]
        mixed = type(crossing)(
            **{name: getattr(crossing, name) for name in crossing.__slots__ if name != "chunk_ids"},
            chunk_ids=("open-0", "open-1", "staff-0"),
        )
        vectors = generation.community_vectors[:1]
        with pytest.raises(InvalidRecord, match="other groups"):
            store.publish(type(generation)(tenant="default", communities=(mixed,), community_vectors=vectors))
        assert store.communities(STAFF) == ()
