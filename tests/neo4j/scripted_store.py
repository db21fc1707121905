"""What the scripted server answers where a test wants it to hold an empty store."""

from collections.abc import Mapping
from typing import Any

from graph_store.neo4j.names import TERMS_OF, tenant_label, text_index
from graph_store.neo4j.space_state import FORMAT
from tests.graph_store.builders import DIMENSION, MODEL
from tests.neo4j.scripted_server import Rows

NOBODY = "127.0.0.1:9"


def answer(query: str, _: Mapping[str, Any]) -> Rows:
    """Answer as a server with an empty store of the tenant ``default`` does, as far as anybody asks."""
    text_properties = [*TERMS_OF.values(), "name_tokens", "acl"]
    state = {
        "format": FORMAT,
        "embedding_model": MODEL,
        "dimension": DIMENSION,
        "token_space": "",
        "token_dimension": 0,
    }
    found: dict[str, Rows] = {
        "RETURN 1": [{"1": 1}],
        "RETURN properties(s)": [{"properties(s)": state}],
        "t.tenant, t.data": [{"spaces": state, **dict.fromkeys(["tenant", "data", "derived", "generation", "mark"])}],
        "RETURN s {": [{"spaces": state}],
        "RETURN s.writer AS writer": [{"writer": None, "remaining": None}],
        "getRoutingTable": [{"named": NOBODY}],
        "SHOW INDEXES": [
            {
                "name": text_index("default"),
                "type": "FULLTEXT",
                "labelsOrTypes": [tenant_label("default").strip("`")],
                "properties": text_properties,
                "options": {},
            }
        ],
    }
    return next((rows for part, rows in found.items() if part in query), [])
