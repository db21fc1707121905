import numpy as np
import pytest

from graph_store.bundles import TokenVectors
from graph_store.errors import StoreUnusable
from graph_store.packing import pack_tokens, unpack_tokens


def test_damaged_token_vectors_are_told_apart() -> None:
    tokens = TokenVectors(starts=np.array([-1, 0, 4], dtype=np.int32), vectors=np.ones((3, 2), dtype=np.int8))
    starts, vectors = pack_tokens(tokens)
    assert unpack_tokens(starts, vectors, 2).starts.tolist() == [-1, 0, 4]
    for damaged in ((starts[:3], vectors), (starts, vectors[:-1]), (b"", vectors)):
        with pytest.raises(StoreUnusable, match="damaged token vectors"):
            unpack_tokens(*damaged, 2)
