"""Emptying the database of a test server."""

from neo4j import GraphDatabase

from tests.neo4j.server import USER, Neo4jServer


def empty_database(server: Neo4jServer, *, indexes: bool = False) -> None:
    """Remove all nodes, and on demand the indexes of a store as well: those of vectors are of one dimension."""
    with GraphDatabase.driver(server.uri, auth=(USER, server.password)) as driver:
        with driver.session() as session:  # in steps: a whole store is more than one transaction can hold
            session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 500 ROWS").consume()
        if not indexes:
            return
        found = driver.execute_query(
            "SHOW INDEXES YIELD name, owningConstraint WHERE name STARTS WITH 'belvedere_'"
            " RETURN name, owningConstraint IS NOT NULL"
        )
        for name, is_constraint in found.records:
            driver.execute_query(f"DROP {'CONSTRAINT' if is_constraint else 'INDEX'} {name}")
