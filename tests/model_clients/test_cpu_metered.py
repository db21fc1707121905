import time
from collections.abc import Sequence

import pytest

from model_clients.cpu_metered import CpuMeteredEmbedder
from model_clients.embedder import Embedder, Passage, PassageVectors
from model_clients.hashing_embedder import HashingEmbedder
from tests.model_clients.embedder_contract import EmbedderContract


class TestCpuMeteredEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return CpuMeteredEmbedder(HashingEmbedder())


class BusyEmbedder(HashingEmbedder):
    def embed_passages(self, passages: Sequence[Passage], *, with_tokens: bool = False) -> PassageVectors:
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        time.sleep(0.02)
        return super().embed_passages(passages, with_tokens=with_tokens)


def test_cpu_and_wall_time_add_up() -> None:
    metered = CpuMeteredEmbedder(BusyEmbedder())
    assert (metered.cpu_seconds, metered.wall_seconds) == (0, 0)
    metered.embed_passages([Passage(text="one"), Passage(text="two")])
    first = metered.cpu_seconds
    assert first >= 0.02
    assert metered.wall_seconds >= 0.02, "the pause; the CPU time may be of several threads at once"
    metered.embed_passages([Passage(text="three")])
    metered.embed_question("four")
    assert metered.cpu_seconds >= first + 0.02
    metered.embed_question_tokens("five")
    assert (metered.passages, metered.questions) == (3, 2)


def test_time_of_a_call_that_fails_counts() -> None:
    metered = CpuMeteredEmbedder(HashingEmbedder(max_tokens=1))
    with pytest.raises(Exception, match="2 tokens"):
        metered.embed_passages([Passage(text="two words")])
    assert metered.wall_seconds > 0
    assert metered.passages == 0
