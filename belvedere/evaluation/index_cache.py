"""The index of a data set, kept between runs for as long as its content, its settings and our code stay the same."""

import hashlib
import importlib.util
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from belvedere.errors import UserMistake
from belvedere.evaluation.dataset import Dataset
from belvedere.json_form import index_json
from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from belvedere.status import folder_bytes
from indexing.report import IndexReport, Progress
from model_clients.chat.settings import INDEXING_TASKS

_CODE = ("graph_store", "indexing", "model_clients", "raptor")
_CODE_SUFFIXES = frozenset({".py", ".json", ".npy", ".yaml"})
_REPORT = "index.json"


class CacheUnusable(UserMistake):
    """The folder for indexes cannot be made or written to."""


DOCUMENT_NUMBER = "belvedere_eval_number"
"""Metadata of each document: its place in the shuffled corpus, from 0, so that single documents can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedDataset:
    """An indexed data set: its store, and the report of the run that made it, whenever that was."""

    store: Path
    report: Mapping[str, Any]
    from_cache: bool


def cache_folder() -> Path:
    """Return the folder where indexes are kept: ``$XDG_CACHE_HOME/belvedere/eval``, else below ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "belvedere" / "eval"


def index_dataset(
    dataset: Dataset, settings: Settings, cache: Path, progress: Callable[[Progress], None] | None = None
) -> IndexedDataset:
    """Return the index of ``dataset`` from ``cache``, made now where it is not there.

    It is made under a name of this process and renamed when whole, so neither an interrupted run nor a parallel one
    leaves a half-made index to be found.
    """
    folder = cache / f"{dataset.name}-{_fingerprint(dataset, settings)}"
    if (folder / _REPORT).is_file():
        return _kept(folder, from_cache=True)
    made = cache / f".{folder.name}.{os.getpid()}"
    shutil.rmtree(made, ignore_errors=True)
    try:
        _make(dataset, settings, made, progress)
        if not (folder / _REPORT).is_file():
            shutil.rmtree(folder, ignore_errors=True)
            made.rename(folder)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return _kept(folder, from_cache=False)


def _kept(folder: Path, *, from_cache: bool) -> IndexedDataset:
    report = json.loads((folder / _REPORT).read_text(encoding="utf-8"))
    return IndexedDataset(store=folder / "store", report=report, from_cache=from_cache)


def _make(dataset: Dataset, settings: Settings, folder: Path, progress: Callable[[Progress], None] | None) -> None:
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise CacheUnusable(
            f"cannot keep the index in {str(folder.parent)!r} ({error.strerror}): name another folder with --cache"
        ) from None
    corpus = folder / "corpus.jsonl"
    rows = ({**row, DOCUMENT_NUMBER: str(number)} for number, row in enumerate(dataset.corpus))
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    with KnowledgeBase.open(folder / "store", config=settings) as kb:
        report = kb.index(corpus, progress=progress)
    content = _report_json(report, store_bytes=folder_bytes(folder / "store"), text_bytes=dataset.text_bytes)
    (folder / _REPORT).write_text(json.dumps(content), encoding="utf-8")


def _report_json(report: IndexReport, *, store_bytes: int, text_bytes: int) -> dict[str, object]:
    return {
        **index_json(report),
        "cpu_seconds": round(report.cpu_seconds, 3),
        "embed_cpu_seconds": round(report.embed_cpu_seconds, 3),
        "peak_rss_bytes": report.peak_rss_bytes,
        "store_bytes": store_bytes,
        "text_bytes": text_bytes,
    }


def _fingerprint(dataset: Dataset, settings: Settings) -> str:
    """Name all that an index depends on: the documents in their order, the settings, the code that makes it."""
    digest = hashlib.sha256(DOCUMENT_NUMBER.encode("ascii"))
    for row in dataset.corpus:
        digest.update(json.dumps(row, sort_keys=True).encode("ascii") + b"\n")
    sections = [asdict(settings.store), asdict(settings.embedder), asdict(settings.indexing)]
    models = {} if settings.llm.lazy else settings.llm.models()
    sections.append({task: models[task] for task in INDEXING_TASKS if task in models})
    digest.update(json.dumps(sections, sort_keys=True, default=str).encode("ascii"))
    for path in _code_files():
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _code_files() -> Iterator[Path]:
    for package in _CODE:
        spec = importlib.util.find_spec(package)
        for location in (spec.submodule_search_locations or ()) if spec is not None else ():
            yield from sorted(path for path in Path(location).rglob("*") if path.suffix in _CODE_SUFFIXES)
