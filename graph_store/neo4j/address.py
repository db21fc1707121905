"""Where a store on a Neo4j server is: the address that users write, and their credentials from the environment."""

import os
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from graph_store.errors import StoreRefused, StoreUnusable

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""The schemes of addresses that name a Neo4j server."""

PASSWORD_VARIABLE = "BELVEDERE_NEO4J_PASSWORD"
"""The environment variable that holds the password. Stands here, since nothing of this module needs the driver."""

_DEFAULT_PORT = 7687
_DEFAULT_DATABASE = "neo4j"
_OF_THE_SERVER = "system"
# One letter before the colon is the drive of a folder.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/(/?)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """The address for the driver and the name of the database."""

    uri: str
    database: str

    def __str__(self) -> str:
        """Return the address as users write it; it never holds credentials."""
        server, _, query = self.uri.partition("?")
        return f"{server}/{self.database}" + (f"?{query}" if query else "")

    @property
    def place(self) -> str:
        """The address without what makes no other store of it: way of connecting, usual port, case of the database."""
        parts = urlsplit(self.uri)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"neo4j://{host}:{parts.port or _DEFAULT_PORT}/{self.database.lower()}"


def is_server_address(location: str) -> bool:
    """Tell whether a location of a store is meant for a server and not for a folder; it may still be mistyped."""
    found = _SCHEME.match(location)
    return found is not None and (bool(found[2]) or found[1].lower() in SCHEMES)


def parse_address(location: str) -> ServerAddress:
    """Read ``neo4j://host:port/database``; raises ``StoreUnusable`` with a sentence."""
    try:
        parts = urlsplit(location)
        port = parts.port
    except ValueError as error:
        raise StoreUnusable(f"cannot read the address of the store: {error}") from None
    if parts.username is not None or parts.password is not None:
        raise StoreUnusable(
            "the address of a store must not hold credentials, since addresses are shown and logged: put them into"
            " BELVEDERE_NEO4J_USER and BELVEDERE_NEO4J_PASSWORD"
        )
    if parts.scheme not in SCHEMES:
        raise StoreUnusable(
            f"{parts.scheme}:// in {location!r} is no scheme of a Neo4j server: those are {', '.join(SCHEMES)};"
            " a folder of such a name is written ./name"
        )
    if not parts.hostname:
        raise StoreUnusable(f"the address {location!r} names no server: write neo4j://host:port/database")
    _check_rest(location, parts, port)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    uri = f"{parts.scheme}://{host}" + ("" if port is None else f":{port}") + (f"?{parts.query}" if parts.query else "")
    return ServerAddress(uri=uri, database=parts.path.strip("/") or _DEFAULT_DATABASE)


def _check_rest(location: str, parts: SplitResult, port: int | None) -> None:
    """Refuse what the driver would leave out, take for something else, or fail at."""
    if port == 0:
        raise StoreUnusable(f"the port 0 of {location!r} is none: name the Bolt port of the server, such as 7687")
    if "#" in location:
        raise StoreUnusable(f"the address {location!r} ends with a fragment (#...): leave it out")
    if parts.query and parts.scheme.startswith("bolt"):
        raise StoreUnusable(
            f"the address {location!r} has a query (?...), which only neo4j:// takes, as what is told to the routing"
            " of a cluster: leave it out"
        )
    if parts.path.strip("/").lower() == _OF_THE_SERVER:
        raise StoreUnusable(
            f"the database {_OF_THE_SERVER!r} is the server's own and holds no documents: name another one in"
            f" {location!r}"
        )


def read_credentials(address: ServerAddress) -> tuple[str, str]:
    """Return user and password from the environment; raises ``StoreRefused`` where there is no password."""
    password = os.environ.get(PASSWORD_VARIABLE)
    if not password:
        raise StoreRefused(f"no password for {address}: put user and password into BELVEDERE_NEO4J_USER and _PASSWORD")
    return os.environ.get("BELVEDERE_NEO4J_USER") or "neo4j", password
