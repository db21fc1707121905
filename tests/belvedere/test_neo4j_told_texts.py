"""Texts that models told of a store on a Neo4j server: paid once, gone with their documents, for who may read them."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from belvedere.knowledge_base import KnowledgeBase
from belvedere.settings import Settings
from graph_store.errors import StoreLocked, StoreUnreachable
from graph_store.settings import Neo4jSettings
from model_clients.chat.settings import LlmSettings, TaskSettings
from model_clients.settings import EmbedderSettings
from tests.belvedere.small_store import Belvedere, Place, make_place
from tests.belvedere.test_kept_reports_shown import ARTICLES, COMMUNITIES, SECRETS, THEMES, told_by
from tests.belvedere.test_kept_reports_shown import telling as telling_lazily
from tests.belvedere.test_model_indexing import FACTS, makers, telling, three_documents
from tests.llm.scripted_openai_server import Asked, Replied, ScriptedOpenAiServer, says, scripted_server
from tests.neo4j.cutting_proxy import Cut, cutting_proxy
from tests.neo4j.emptying import empty_database
from tests.neo4j.server import USER, Neo4jServer
from tests.neo4j.shared import SharedServers

__all__ = ["three_documents"]

pytestmark = [pytest.mark.neo4j, pytest.mark.model]


@pytest.fixture
def server(neo4j_servers: SharedServers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Neo4jServer]:
    """A server with an empty database; what is kept outside it lies in a folder of the test."""
    running = neo4j_servers.running("5")
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", USER)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", running.password)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    empty_database(running, indexes=True)
    yield running
    empty_database(running, indexes=True)


def told(asked: Asked) -> Replied:
    """Tell facts of chunks, and of reports and summaries a piece of what they rest on."""
    return says(json.dumps(FACTS))(asked) if "You read one passage" in asked.text else telling(asked)


@contextmanager
def opened(place: Path | str, endpoint: ScriptedOpenAiServer, *, tenant: str = "default") -> Iterator[KnowledgeBase]:
    settings = Settings(
        llm=LlmSettings(base_url=endpoint.base_url, tasks=TaskSettings(extraction="m", reports="m", summaries="m")),
        embedder=EmbedderSettings(model="hashing:64"),
        neo4j=Neo4jSettings(retry_s=1.0),
    )
    with KnowledgeBase.open(place, config=settings, tenant=tenant) as kb:
        yield kb


def texts_asked(endpoint: ScriptedOpenAiServer) -> list[str]:
    return sorted(asked.text for asked in endpoint.asked)


@pytest.mark.crash
def index_after_the_lease(kb: KnowledgeBase, folder: Path) -> None:
    """Index once the lease of a run that could not give it back has ended, which its sentence promises."""
    until = time.monotonic() + 90
    while True:
        try:
            kb.index(folder)
        except StoreLocked:
            if time.monotonic() > until:
                raise
            time.sleep(1)
        else:
            return


def test_a_run_whose_server_is_killed_goes_on_and_pays_nothing_twice(
    server: Neo4jServer, neo4j_servers: SharedServers, three_documents: Path, tmp_path: Path
) -> None:
    with scripted_server(told) as endpoint, opened(tmp_path / "folder", endpoint) as kb:
        kb.index(three_documents)
        undisturbed, paid = kb.store.content_digest("default"), texts_asked(endpoint)
    with scripted_server(told) as endpoint:
        with cutting_proxy(server.port) as proxy, opened(f"{proxy.uri}/neo4j", endpoint) as kb:
            commits: list[int] = []

            def kill_while_publishing(step: str, number: int) -> Cut:
                if step == "COMMIT" and len(endpoint.asked) == len(paid):
                    commits.append(number)
                    if len(commits) == 3:
                        server.kill()
                return "pass"

            proxy.decide = kill_while_publishing
            with pytest.raises(StoreUnreachable, match="what was acknowledged is kept"):
                kb.index(three_documents)
        neo4j_servers.restart("5")
        with opened(server.uri, endpoint) as kb:
            assert not kb.status().up_to_date
            index_after_the_lease(kb, three_documents)
            assert kb.store.content_digest("default") == undisturbed
            assert makers(kb) == {"llm:m"}
        assert texts_asked(endpoint) == paid


def everything_kept(server: Neo4jServer, folder: Path) -> str:
    """Return all that the database and the files of a folder hold."""
    with GraphDatabase.driver(server.uri, auth=(USER, server.password)) as driver:
        nodes = driver.execute_query("MATCH (n) RETURN properties(n)").records
        links = driver.execute_query("MATCH ()-[r]->() RETURN properties(r)").records
    files = [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]
    return repr([record.data() for record in (*nodes, *links)]) + repr(files)


def test_a_deletion_in_one_tenant_leaves_the_other_what_it_has_paid(
    server: Neo4jServer, three_documents: Path, tmp_path: Path
) -> None:
    shared = [three_documents / f"{name}.md" for name in ("glass", "harbour")]
    given = {"north": [three_documents], "south": shared}
    with scripted_server(told) as endpoint:
        for tenant, paths in given.items():
            with opened(server.uri, endpoint, tenant=tenant) as kb:
                kb.index(paths)
        paid = len(endpoint.asked)
        before = everything_kept(server, tmp_path / "cache")
        assert "quartz sand" in before
        with opened(server.uri, endpoint, tenant="south") as kb:
            of_south = kb.status().kept_replies, kb.store.content_digest("south")
        assert of_south[0] > 0
        with opened(server.uri, endpoint, tenant="north") as kb:
            assert set(kb.delete(["dark.md", "glass.md"]).deleted) == {"dark.md", "glass.md"}
        after = everything_kept(server, tmp_path / "cache")
        assert "sand" not in after
        assert "quartz glass" in after
        with opened(server.uri, endpoint, tenant="south") as kb:
            assert (kb.status().kept_replies, kb.store.content_digest("south")) == of_south
            kb.rebuild(shared)
            assert kb.store.content_digest("south") == of_south[1]
        assert len(endpoint.asked) == paid


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerPlace(Place):
    """A place whose store is on a server."""

    address: str

    @property
    def options(self) -> tuple[str, ...]:
        return ("--store", self.address, "--config", str(self.config))


def test_reports_that_were_told_to_some_are_shown_to_them_alone(
    server: Neo4jServer, tmp_path: Path, belvedere: Belvedere
) -> None:
    place = ServerPlace(folder=make_place(tmp_path / "all", ARTICLES).folder, address=f"{server.uri}/neo4j")
    secret = make_place(tmp_path / "staff", SECRETS)
    asking = ("ask", THEMES, *COMMUNITIES, "--llm", "answers,reports")
    with scripted_server(telling_lazily) as endpoint:
        llm = {"base_url": endpoint.base_url, "model": "m", "lazy": True}
        place.config.write_text(json.dumps({"embedder": {"model": "hashing:64"}, "llm": llm}), encoding="utf-8")
        assert belvedere("index", place.corpus, *place.options).code == 0
        assert belvedere("index", secret.corpus, "--groups", "staff", *place.options).code == 0
        assert belvedere(*asking, "--groups", "staff", *place.options).code == 0
        of_staff = len(endpoint.asked)
        assert "zircon" in " ".join(told_by(belvedere, place, "--llm", "reports", "--groups", "staff").values())
        assert len(endpoint.asked) == of_staff
        for caller in ((), ("--groups", "guests")):
            for command in ("search", "context"):
                shown = belvedere(command, THEMES, *COMMUNITIES, "--llm", "reports", *caller, *place.options)
                assert shown.code == 0
                assert "zircon" not in shown.out
            answered = belvedere(*asking, "--json", *caller, *place.options)
            assert answered.code == 0
            assert "zircon" not in answered.out
        assert len(endpoint.asked) > of_staff
        assert not any("zircon" in asked.text for asked in endpoint.asked[of_staff:])
