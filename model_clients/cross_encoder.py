"""The reranker that runs a cross-encoder of sentence-transformers in this process."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from model_clients.embedder import FloatVector
from model_clients.errors import ModelCorrupt, ModelMissing, ModelUnsupported
from model_clients.settings import RerankerSettings
from model_clients.transformer_model import quiet_loading

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_HEAD = "ForSequenceClassification"


class CrossEncoderReranker:
    """Scores pairs of question and passage by the one logit of a cross-encoder, loaded at the first question."""

    def __init__(self, settings: RerankerSettings) -> None:
        self._settings = settings
        self._model: CrossEncoder | None = None
        self._loading = threading.Lock()

    @property
    def model_id(self) -> str:
        """The model with its revision and what it reads of a pair."""
        settings = self._settings
        revision = f"@{settings.revision}" if settings.revision else ""
        return f"{settings.model}{revision}|{settings.max_length}"

    def scores(self, question: str, passages: Sequence[str]) -> FloatVector:
        """Return the logits. Raises ``ModelMissing``, ``ModelUnsupported``, or ``ModelCorrupt`` where they are none."""
        if not passages:
            return np.zeros(0, dtype=np.float32)
        import torch  # noqa: PLC0415  # heavy import, only when used

        model = self._loaded()
        try:
            predicted = model.predict(
                [(question, passage) for passage in passages],
                batch_size=self._settings.batch_size,
                show_progress_bar=False,
                activation_fn=torch.nn.Identity(),
            )
        except IndexError as error:
            raise ModelCorrupt(
                f"the reranker {self._settings.model!r} cannot read a pair: its tokenizer knows more words, or "
                "reranker.max_length is larger, than its weights were made for"
            ) from error
        scores: FloatVector = np.asarray(predicted, dtype=np.float32).reshape(len(passages))
        if not np.isfinite(scores).all():
            raise ModelCorrupt(
                f"the reranker {self._settings.model!r} gives scores that are no numbers: its weights are damaged; "
                "download it again or choose another in reranker.model"
            )
        return scores

    def _loaded(self) -> "CrossEncoder":
        with self._loading:
            if self._model is None:
                self._model = _load(self._settings)
            return self._model


def _load(settings: RerankerSettings) -> "CrossEncoder":
    folder = Path(settings.model)
    if folder.is_dir():
        _check_folder(folder, settings.model)
    from sentence_transformers import CrossEncoder  # noqa: PLC0415  # heavy import, only when used

    with quiet_loading():
        try:
            model: CrossEncoder = CrossEncoder(
                settings.model,
                device=settings.device,
                max_length=settings.max_length,
                revision=settings.revision or None,
                local_files_only=folder.is_dir(),
            )
            missing = _missing_weights(model, settings)
        except Exception as error:  # the tokenizers library raises plain Exception for a damaged file
            raise ModelMissing(
                f"the reranker {settings.model!r} cannot be loaded ({' '.join(str(error).split())}); give "
                "reranker.model the name of a cross-encoder that can be reached, a folder, or nothing"
            ) from error
    _check_labels(model, settings.model)
    _check_weights(missing, settings.model)
    model.eval()
    return model


def _missing_weights(model: "CrossEncoder", settings: RerankerSettings) -> list[str]:
    """Return the names of weights that the files of a loaded model do not hold, which the library made up at random.

    The library tells of them only while it reads the files, so they are read once more.
    """
    from transformers import AutoModelForSequenceClassification  # noqa: PLC0415  # heavy import, only when used

    _, told = AutoModelForSequenceClassification.from_pretrained(
        settings.model,
        config=model.config,
        revision=settings.revision or "main",
        local_files_only=Path(settings.model).is_dir(),
        output_loading_info=True,
    )
    return sorted(told["missing_keys"])


def _check_folder(folder: Path, name: str) -> None:
    """Refuse a model without a trained head: the library would give it a random one, and say nothing."""
    try:
        config: Any = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelMissing(
            f"the reranker {name!r} has no readable config.json ({error}); give reranker.model the folder of a "
            "cross-encoder"
        ) from error
    _check_head(config.get("architectures") if isinstance(config, dict) else None, name)


def _check_head(architectures: object, name: str) -> None:
    named = [str(item) for item in architectures] if isinstance(architectures, list) else []
    if not any(_HEAD in architecture for architecture in named):
        raise ModelUnsupported(
            f"the reranker {name!r} is no cross-encoder ({', '.join(named) or 'no architecture'}): it has nothing "
            "that scores a pair; choose a model for sequence classification in reranker.model"
        )


def _check_weights(missing: Sequence[str], name: str) -> None:
    """Refuse a model whose files lack weights: with random ones its scores would mean nothing, and change each time."""
    if missing:
        more = f" and {len(missing) - 2} more" if len(missing) > 2 else ""
        raise ModelUnsupported(
            f"the reranker {name!r} lacks trained weights ({', '.join(missing[:2])}{more}), so its scores would be "
            "random: it was never trained as a cross-encoder, or its files are not whole; choose another in "
            "reranker.model"
        )


def _check_labels(model: "CrossEncoder", name: str) -> None:
    _check_head(getattr(model.config, "architectures", None), name)
    if model.num_labels != 1:
        raise ModelUnsupported(
            f"the reranker {name!r} tells {model.num_labels} labels apart, but a reranker gives one score; "
            "choose a cross-encoder with one label in reranker.model"
        )
