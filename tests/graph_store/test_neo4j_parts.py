import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_store.access import Access
from graph_store.neo4j.batching import batches, weight_of
from graph_store.neo4j.names import RESERVED_LABELS, tenant_label, text_index, type_label
from graph_store.neo4j.scope import record_tokens, scope_of
from graph_store.neo4j.vectors import from_list, sendable

NAMES = st.sampled_from(["a", "b", "c", "A", "", " ", "a,b"])
GROUPS = st.frozensets(NAMES, max_size=4)


@given(tenant=NAMES, groups=GROUPS, owner=NAMES, restricted=GROUPS)
def test_tokens_open_what_access_opens(
    tenant: str, groups: frozenset[str], owner: str, restricted: frozenset[str]
) -> None:
    access = Access(tenant=tenant, groups=groups)
    opened = set(scope_of(access).tokens or ()) & set(record_tokens(owner, restricted))
    assert bool(opened) == access.may_read(owner, restricted)


@given(st.text(max_size=80))
def test_types_become_harmless_labels(entity_type: str) -> None:
    label = type_label(entity_type)
    assert re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,65}", label)
    assert label not in RESERVED_LABELS


@given(st.text(max_size=80))
def test_tenants_become_harmless_names(tenant: str) -> None:
    assert re.fullmatch(r"`tenant [0-9a-f]{20}`", tenant_label(tenant))
    assert re.fullmatch(r"belvedere_text_[0-9a-f]{20}", text_index(tenant))
    assert type_label(tenant_label(tenant)) != tenant_label(tenant).strip("`")


@given(st.lists(st.text(max_size=300), max_size=40), st.integers(1, 7), st.integers(20, 900))
def test_batches_hold_all_rows_in_order(texts: list[str], most_rows: int, most_bytes: int) -> None:
    rows = [{"text": text} for text in texts]
    cut = list(batches(rows, most_rows=most_rows, most_bytes=most_bytes))
    assert [row for batch in cut for row in batch] == rows
    for batch in cut:
        assert 0 < len(batch) <= most_rows
        assert len(batch) == 1 or sum(weight_of(row) for row in batch) <= most_bytes


@pytest.mark.parametrize("as_vector", [False, True])
def test_batches_are_cut_by_the_bytes_of_vectors(as_vector: bool) -> None:
    rows = [{"vector": sendable(np.ones(1_000, dtype=np.float32), as_vector=as_vector)} for _ in range(10)]
    cut = list(batches(rows, most_rows=1_000, most_bytes=20_000))
    assert [len(batch) for batch in cut] == ([4, 4, 2] if as_vector else [2] * 5)


@pytest.mark.parametrize("as_vector", [False, True])
def test_vectors_travel_unchanged(as_vector: bool) -> None:
    vector = np.random.default_rng(7).standard_normal(48).astype(np.float32)
    sent = sendable(vector, as_vector=as_vector)
    numbers = sent if isinstance(sent, list) else sent.to_native()
    np.testing.assert_array_equal(np.array(numbers, dtype=np.float32), vector)
    np.testing.assert_array_equal(from_list([vector.tolist()], 48)[0], vector)
