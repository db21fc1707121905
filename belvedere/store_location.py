"""Where a store is: a folder, or a database on a Neo4j server."""

from pathlib import Path
from typing import TypeAlias

from graph_store.neo4j.address import ServerAddress, is_server_address, parse_address

StoreLocation: TypeAlias = Path | ServerAddress


def read_location(given: str | Path | ServerAddress) -> StoreLocation:
    """Read ``neo4j://host:port/database`` (also bolt, and +s or +ssc), else a folder.

    Raises ``StoreUnusable`` for an address that is none.
    """
    if isinstance(given, str) and is_server_address(given):
        return parse_address(given)
    return given if isinstance(given, ServerAddress) else Path(given)
