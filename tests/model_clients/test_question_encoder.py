"""A question embedded without torch is the question embedded with it."""

import math
import subprocess
import sys

import numpy as np
import pytest

from model_clients.embedder import Passage
from model_clients.question_encoder import _erf
from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder
from model_clients.settings import EmbedderSettings

pytestmark = pytest.mark.model

QUESTIONS = ["When was Voyager 1 launched?", "x", "北京?", "long " * 2000, "Who founded it, and why?\n"]


def test_torch_and_numpy_agree() -> None:
    embedder = SentenceTransformerEmbedder(EmbedderSettings(dtype="float32"))
    without = np.stack([embedder.embed_question(text) for text in QUESTIONS])
    embedder.embed_passages([Passage(text="loads torch")])
    with_torch = np.stack([embedder.embed_question(text) for text in QUESTIONS])
    assert not np.array_equal(without, with_torch)
    assert ((without * with_torch).sum(axis=1) > 0.99999).all()


def test_questions_alone_import_no_torch() -> None:
    program = (
        "import sys; from model_clients.settings import EmbedderSettings;"
        "from model_clients.sentence_transformer_embedder import SentenceTransformerEmbedder;"
        "SentenceTransformerEmbedder(EmbedderSettings()).embed_question('Who?');"
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'sentence_transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_error_function() -> None:
    points = np.linspace(-6, 6, 1001, dtype=np.float32)
    assert np.abs(_erf(points) - [math.erf(point) for point in points]).max() < 5e-7
