"""Random collections of two tenants and their groups in which every forbidden word can be told apart.

Documents share names, so that entities, communities and the passage graph reach across audiences. Everything else of a
document (its id, title, words, metadata, and the names that it alone uses) bears a mark that no other document has.
"""

import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import strategies as st

from graph_store.access import Access
from graph_store.bundles import DocumentBundle
from graph_store.embedded.embedded_store import EmbeddedStore
from graph_store.records import Chunk, NamedHome, NamedMention, NamedRelation
from indexing.derived_step import Helpers, derive
from indexing.report import StepClock
from indexing.settings import IndexingSettings
from tests.query.small_store import EMBEDDER, SmallDocument, bundle_of

TENANTS = ("north", "north", "south")
GROUPS = ((), ("red",), ("blue",), ("blue", "red"))
SHARED = {"Bergvik": "PLACE", "Ida Holm": "PERSON", "Norling Company": "ORG", "Skerry Lighthouse": "PLACE"}
_PREDICATE = "was opened by"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldDocument:
    """A document by its number, which its secret comes from; ``edition`` tells its states in time apart."""

    number: int
    tenant: str
    groups: tuple[str, ...]
    names: tuple[str, ...]
    edition: int = 0

    @property
    def mark(self) -> str:
        """Letters that stand in nothing that other documents have."""
        letters = "abcdefghijklmnopqrstuvwxyz"
        return f"qzx{letters[self.number // 26]}{letters[self.number % 26]}"

    @property
    def secret(self) -> str:
        """Letters that no other document has, nor another edition of this one; they begin with the mark."""
        return f"{self.mark}{'abcdefgh'[self.edition]}vok"

    @property
    def title(self) -> str:
        """Its title, which all editions share, and so the id."""
        return f"Report {self.mark.title()}"

    @property
    def own_name(self) -> str:
        """A name that only this document has."""
        return f"{self.secret.title()} Harbour"

    @property
    def alias(self) -> str:
        """What this document alone calls the first of the shared names."""
        return f"{self.secret.title()} Byname"

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """Its text."""
        first, *others = self.names
        told = [
            f"{self.own_name} {_PREDICATE} {first}. The {self.secret} lamp of {first} burns oil every night.",
            f"{first} is a {self.secret} house on the coast. It is also called {self.alias} and costs nine crowns.",
        ]
        told += [
            f"{first} {_PREDICATE} {name}. The market of {name} sells {self.secret} herring in spring."
            for name in others
        ]
        return tuple(told)


def worlds() -> st.SearchStrategy[tuple[WorldDocument, ...]]:
    """Return collections of a few documents in two tenants."""
    entry = st.tuples(
        st.sampled_from(TENANTS),
        st.sampled_from(GROUPS),
        st.lists(st.sampled_from(sorted(SHARED)), min_size=1, max_size=3, unique=True).map(tuple),
    )
    return st.lists(entry, min_size=3, max_size=7).map(
        lambda entries: tuple(
            WorldDocument(number=number, tenant=tenant, groups=groups, names=names)
            for number, (tenant, groups, names) in enumerate(entries)
        )
    )


def callers() -> st.SearchStrategy[list[Access]]:
    """Return callers who take turns: one who reads the whole of a tenant, one of less groups, one of another tenant."""
    groups = st.sets(st.sampled_from(("red", "blue")), max_size=1).map(frozenset)
    return groups.map(
        lambda some: [
            Access(tenant="north", groups=frozenset({"red", "blue"})),
            Access(tenant="north", groups=some),
            Access(tenant="south", groups=some),
        ]
    )


def questions(world: Sequence[WorldDocument]) -> st.SearchStrategy[str]:
    """Return questions about shared names, about the whole, and about what only one document tells."""
    about = st.sampled_from([*SHARED, *(name for d in world for name in (d.title, d.own_name, d.alias, d.secret))])
    forms = st.sampled_from(
        (
            "Who opened {0}?",
            "What is {0}?",
            "Is {0} older than {1}?",
            "How many crowns does the lamp of {0} cost?",
            "What are the main themes?",
            "Summarise all documents about {0}.",
            "What does the document {0} say?",
            "By whom was what {0} is called after opened, and what does {1} sell?",
        )
    )
    return st.builds(lambda form, one, other: form.format(one, other), forms, about, about)


def may_read(access: Access, document: WorldDocument) -> bool:
    """Tell by the world itself whether the caller may read a document."""
    return document.tenant == access.tenant and (not document.groups or bool(access.groups & set(document.groups)))


def permitted(world: Sequence[WorldDocument], access: Access) -> tuple[WorldDocument, ...]:
    """Return what the caller may read."""
    return tuple(document for document in world if may_read(access, document))


@contextmanager
def written(world: Sequence[WorldDocument]) -> Iterator[EmbeddedStore]:
    """Write a world with all that indexing derives, into a folder in memory where there is one."""
    memory = Path("/dev/shm")
    with (
        tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
        EmbeddedStore.create_or_open(
            Path(folder),
            embedding_model=EMBEDDER.model_id,
            dimension=EMBEDDER.dimension,
            token_space=EMBEDDER.token_space,
            token_dimension=EMBEDDER.token_dimension,
        ) as store,
    ):
        store.write_documents([world_bundle(document) for document in world])
        publish(store)
        yield store


def publish(store: EmbeddedStore) -> None:
    """Derive what indexing derives, for every tenant whose derived layer is stale."""
    settings = IndexingSettings(repair_share=1.0)
    for tenant in store.tenants():
        if store.derived_fingerprint(tenant) is None:
            collection = store.read_collection(tenant)
            previous = store.read_generation(tenant)
            store.publish(
                derive(
                    collection,
                    previous,
                    settings=settings,
                    helpers=Helpers(embedder=EMBEDDER, clock=StepClock(), started=lambda _: None),
                )
            )


def world_bundle(document: WorldDocument) -> DocumentBundle:
    """Return a document as indexing would write it."""
    small = SmallDocument(
        title=document.title,
        paragraphs=document.paragraphs,
        groups=document.groups,
        metadata={f"key{document.mark}": document.secret, "number": document.number},
    )
    bundle = bundle_of(small, document.tenant)
    types = {**SHARED, document.own_name: "PLACE", document.alias: SHARED[document.names[0]]}
    mentions = [mention for chunk in bundle.chunks for mention in _mentions(chunk, types)]
    called = {document.alias: document.names[0]}
    return replace(
        bundle,
        mentions=tuple(replace(mention, name=called.get(mention.name, mention.name)) for mention in mentions),
        relations=tuple(relation for chunk in bundle.chunks for relation in _relations(chunk, types)),
        homes=(
            NamedHome(chunk_id=bundle.chunks[0].id, name=document.own_name, type="PLACE", kind="title"),
            NamedHome(
                chunk_id=bundle.chunks[1].id,
                name=document.names[0],
                type=SHARED[document.names[0]],
                kind="lead_subject",
            ),
        ),
    )


def _mentions(chunk: Chunk, types: dict[str, str]) -> Iterator[NamedMention]:
    for found in re.finditer("|".join(sorted(types, key=len, reverse=True)), chunk.text):
        yield NamedMention(
            chunk_id=chunk.id,
            name=found.group(),
            type=types[found.group()],
            surface=found.group(),
            char_start=found.start(),
            char_end=found.end(),
        )


def _relations(chunk: Chunk, types: dict[str, str]) -> Iterator[NamedRelation]:
    names = "|".join(sorted(types, key=len, reverse=True))
    for found in re.finditer(f"({names}) {_PREDICATE} ({names})", chunk.text):
        subject, target = found.groups()
        yield NamedRelation(
            chunk_id=chunk.id,
            subject=subject,
            subject_type=types[subject],
            predicate=_PREDICATE,
            object=target,
            object_type=types[target],
            char_start=found.start(),
            char_end=found.end(),
        )
