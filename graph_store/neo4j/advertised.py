"""The addresses that a server gives to clients which let it choose where they read and write (``neo4j://``).

The driver goes where the server sends it, and does not tell where that is when nobody answers there. So the server is
asked past the routing: most often what it names is a name of its own that is known only where it runs.
"""

import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

from neo4j import GraphDatabase
from neo4j.exceptions import DriverError, Neo4jError

from graph_store.errors import StoreError, StoreUnreachable
from graph_store.neo4j.address import ServerAddress, read_credentials
from graph_store.neo4j.failures import explain, is_starting
from graph_store.settings import Neo4jSettings

_ROUTED = "neo4j"
_USUAL_PORT = 7687


def unreachable_by_routing(
    address: ServerAddress, settings: Neo4jSettings, *, has_written: bool = False
) -> StoreError | None:
    """Return why nobody could be reached by an address that routes; None where that cannot be told.

    Either the server itself fails when it is asked past the routing, or it answers, but names only addresses at which
    nobody does. Call it once the driver has given up; it waits for ``connection_timeout_s`` a time.
    """
    if not address.uri.startswith(_ROUTED):
        return None
    direct = _past_routing(address)
    try:
        named = sorted(_ask(direct, address, settings))
    except (DriverError, Neo4jError) as error:
        return explain(error, str(address), has_written=has_written)
    if not named or _some_answer(named, settings):
        return None
    return StoreUnreachable(
        f"the server {address} answers, but sends its clients to {', '.join(named)}, where nobody answers: write"
        f" {direct} as its address, or let server.bolt.advertised_address name one that can be reached from here"
    )


def is_being_started(address: ServerAddress, settings: Neo4jSettings, error: Exception) -> bool:
    """Tell whether the server may not be there yet, given what connecting to it raised: itself, not where it leads."""
    if not is_starting(error):
        return False
    if not address.uri.startswith(_ROUTED):
        return True
    try:
        named = _ask(_past_routing(address), address, settings)
    except (DriverError, Neo4jError) as direct:
        return is_starting(direct)
    return _some_answer(named, settings)  # then it is there by now


def _past_routing(address: ServerAddress) -> str:
    parts = urlsplit(address.uri)
    return f"bolt{parts.scheme.removeprefix(_ROUTED)}://{parts.netloc}"


def _ask(direct: str, address: ServerAddress, settings: Neo4jSettings) -> set[str]:
    with GraphDatabase.driver(
        direct,
        auth=read_credentials(address),
        connection_timeout=settings.connection_timeout_s,
        connection_acquisition_timeout=settings.connection_timeout_s * 2,
        max_transaction_retry_time=0,
    ) as driver:
        found = driver.execute_query(
            "CALL dbms.routing.getRoutingTable({}, $database) YIELD servers UNWIND servers AS server"
            " UNWIND server.addresses AS named RETURN DISTINCT named",
            {"database": address.database},
            database_=address.database,
        )
    return {row["named"] for row in found.records}


def _some_answer(places: Iterable[str], settings: Neo4jSettings) -> bool:
    return any(_answers(place, settings.connection_timeout_s) for place in places)


def _answers(place: str, seconds: float) -> bool:
    parts = urlsplit(f"//{place}")
    try:
        socket.create_connection((parts.hostname, parts.port or _USUAL_PORT), timeout=seconds).close()
    except OSError:
        return False
    return True
