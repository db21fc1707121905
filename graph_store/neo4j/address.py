"""Where a store on a Neo4j server is: the address that users write, and their credentials from the environment."""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from graph_store.errors import StoreRefused, StoreUnusable

SCHEMES = ("neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc")
"""The schemes of addresses that name a Neo4j server."""

PASSWORD_VARIABLE = "BELVEDERE_NEO4J_PASSWORD"
"""The environment variable that holds the password. Stands here, since nothing of this module needs the driver."""

_DEFAULT_DATABASE = "neo4j"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAddress:
    """The address for the driver and the name of the database."""

    uri: str
    database: str

    def __str__(self) -> str:
        """Return the address as users write it; it never holds credentials."""
        return f"{self.uri}/{self.database}"


def is_server_address(location: str) -> bool:
    """Tell whether a location of a store names a Neo4j server and not a folder."""
    return location.partition("://")[0] in SCHEMES and "://" in location


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
    if not parts.hostname:
        raise StoreUnusable(f"the address {location!r} names no server: write neo4j://host:port/database")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    uri = f"{parts.scheme}://{host}" + ("" if port is None else f":{port}") + (f"?{parts.query}" if parts.query else "")
    return ServerAddress(uri=uri, database=parts.path.strip("/") or _DEFAULT_DATABASE)


def read_credentials(address: ServerAddress) -> tuple[str, str]:
    """Return user and password from the environment; raises ``StoreRefused`` where there is no password."""
    password = os.environ.get(PASSWORD_VARIABLE)
    if not password:
        raise StoreRefused(f"no password for {address}: put user and password into BELVEDERE_NEO4J_USER and _PASSWORD")
    return os.environ.get("BELVEDERE_NEO4J_USER") or "neo4j", password
