"""Looks over an installation and a store, and says for each thing that is wrong what to do about it."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from belvedere.embedder_choice import EmbedderChoice, choose_embedder
from belvedere.errors import UserMistake
from belvedere.installation import examine_installation
from belvedere.settings import Settings
from belvedere.status import folder_bytes
from belvedere.store_location import StoreLocation
from belvedere.wiring import examine_store, make_embedder, make_reranker, open_to_read
from graph_store.errors import StoreMismatch, StoreUnusable
from graph_store.findings import Finding
from graph_store.store import GraphStore
from model_clients.embedder import Embedder, Passage
from model_clients.errors import ModelUnusable

_LEAST_FREE_BYTES = 200_000_000
"""A transaction of the largest batch fits into this."""
_NAMED_TENANTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """What was found, in the order in which it was looked at."""

    store: StoreLocation
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Whether no finding is a problem."""
        return all(finding.level != "problem" for finding in self.findings)


def examine(location: StoreLocation, settings: Settings, *, models: bool = False) -> Examination:
    """Look over the installation and the store at ``location`` without changing anything.

    Models are loaded only where ``models`` asks for it. Raises ``StoreMissing`` where there is no store.
    """
    of_store = examine_store(location, settings)
    choice = _choose_embedder(location, settings)
    used = replace(settings, embedder=choice.settings)
    findings = [*examine_installation(), *examine_models(used, load=models), *of_store]
    if all(finding.check not in {"database", "server"} or finding.level == "fine" for finding in of_store):
        findings += examine_settings(location, used)
    if choice.switched:
        findings.append(_switched_finding(settings, used))
    if isinstance(location, Path):
        findings.append(examine_disk(location, free_bytes=shutil.disk_usage(location).free))
    return Examination(store=location, findings=tuple(findings))


def _choose_embedder(location: StoreLocation, settings: Settings) -> EmbedderChoice:
    try:
        return choose_embedder(location, settings)
    except (ModelUnusable, UserMistake):
        return EmbedderChoice(settings=settings.embedder)  # told as a finding of the model


def _switched_finding(settings: Settings, used: Settings) -> Finding:
    return Finding(
        check="settings",
        level="note",
        says=f"the store was switched to the embedding model {used.embedder.model!r} (token vectors"
        f" {used.embedder.token_vectors!r}), which is used although {settings.embedder.model!r} is configured",
        remedy="write the model and the token vectors into the settings, under embedder",
    )


def examine_models(settings: Settings, *, load: bool) -> Iterator[Finding]:
    """Yield whether the configured models are there; ``load`` uses each of them once, which takes seconds."""
    parts: list[tuple[str, Callable[[], object]]] = [
        (f"the embedding model {settings.embedder.model!r}", lambda: _use_embedder(settings, load=load))
    ]
    if load:
        parts.append((f"the parser {settings.indexing.extraction.spacy_model!r}", lambda: _use_parser(settings)))
        parts.append((f"the reranker {settings.reranker.model!r}", lambda: _use_reranker(settings)))
    for name, use in parts:
        try:
            use()
        except (ModelUnusable, UserMistake) as error:
            says, _, remedy = str(error).rpartition(": ")
            yield Finding(check="models", level="problem", says=says or str(error), remedy=remedy)
        else:
            says = f"{name} {'works' if load else 'is there (--models loads it)'}"
            yield Finding(check="models", level="fine", says=says)


def _use_embedder(settings: Settings, *, load: bool) -> None:
    embedder = make_embedder(settings.embedder)
    _ = embedder.model_id
    if load:
        embedder.embed_question("one")
        embedder.embed_passages([Passage(text="one")])


def _use_parser(settings: Settings) -> None:
    from indexing.extraction.reading import TextReader  # noqa: PLC0415  # heavy import, only when used

    list(TextReader(settings.indexing.extraction).read([("Anna Lind lives in Bergen.", ())]))


def _use_reranker(settings: Settings) -> None:
    reranker = make_reranker(settings.reranker)
    if reranker is not None:
        reranker.scores("one", ["one"])


def examine_settings(location: StoreLocation, settings: Settings) -> Iterator[Finding]:
    """Yield where the settings differ from those that the store was made with; the store can be read."""
    try:
        embedder: Embedder | None = make_embedder(settings.embedder)
        with_embedder = open_to_read(location, settings, embedder=embedder)
    except StoreMismatch as error:
        says, _, remedy = str(error).rpartition(": ")
        yield Finding(check="settings", level="problem", says=says, remedy=remedy)
        return
    except (ModelUnusable, UserMistake, StoreUnusable):
        return  # told as a finding of its own
    try:
        yield examine_tenants(with_embedder.tenants())
        yield from _examine_derived_settings(with_embedder, settings)
    finally:
        with_embedder.close()


def examine_tenants(tenants: Sequence[str]) -> Finding:
    """Tell whose documents the store holds: a tenant that is misspelt reads nothing, and is not told of the others."""
    named = ", ".join(repr(tenant) for tenant in tenants[:_NAMED_TENANTS])
    more = len(tenants) - _NAMED_TENANTS
    listed = f"{named} and {more:,} more" if more > 0 else named
    return Finding(check="tenants", level="fine", says=f"documents are of {listed}" if tenants else "no documents yet")


def _examine_derived_settings(store: GraphStore, settings: Settings) -> Iterator[Finding]:
    from indexing.derived_mark import settings_part  # noqa: PLC0415  # heavy import, only when used

    wanted = settings.indexing.derived_fingerprint()
    others = [
        tenant for tenant in store.tenants() if settings_part(store.derived_fingerprint(tenant)) not in {wanted, None}
    ]
    for tenant in others:
        yield Finding(
            check="settings",
            level="note",
            says=f"communities and trees of the tenant {tenant!r} were made with other settings than configured",
            remedy="run `belvedere index` for this tenant, which makes them anew, or configure them as they were",
        )
    if not others:
        yield Finding(check="settings", level="fine", says="the settings are those that the store was made with")


def examine_disk(folder: Path, *, free_bytes: int) -> Finding:
    """Tell whether there is room for the next run; an update may write as much again as the store holds."""
    held = folder_bytes(folder)
    says = f"{free_bytes / 1e9:.1f} GB are free where the store ({held / 1e9:.1f} GB) lies"
    if free_bytes < _LEAST_FREE_BYTES:
        remedy = "make room before the next `belvedere index`: nothing would be lost, but it would stop"
        return Finding(check="disk", level="problem", says=says, remedy=remedy)
    if free_bytes < held:
        remedy = "make room before indexing everything anew, which may need as much again"
        return Finding(check="disk", level="note", says=says, remedy=remedy)
    return Finding(check="disk", level="fine", says=says)
