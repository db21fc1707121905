import pytest
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    ConstraintError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from graph_store.errors import (
    InvalidRecord,
    InvalidText,
    StoreError,
    StoreRefused,
    StoreUnreachable,
    StoreUnusable,
)
from graph_store.neo4j.address import ServerAddress, is_server_address, parse_address, read_credentials
from graph_store.neo4j.failures import BatchTooLarge, explain, explained

ADDRESS = "bolt://server/neo4j"


def told(code: str) -> Neo4jError:
    """Return the error that the driver raises for a code of the server."""
    return Neo4jError._hydrate_neo4j(code=code, message="something about it")  # the driver's own way


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (ServiceUnavailable("no route"), StoreUnreachable),
        (SessionExpired("old leader"), StoreUnreachable),
        (IncompleteCommit("lost"), StoreUnreachable),
        (told("Neo.TransientError.Transaction.DeadlockDetected"), StoreUnreachable),
        (told("Neo.TransientError.General.MemoryPoolOutOfMemoryError"), BatchTooLarge),
        (told("Neo.ClientError.Transaction.TransactionOutOfMemoryError"), BatchTooLarge),
        (told("Neo.ClientError.Security.Unauthorized"), StoreRefused),
        (told("Neo.ClientError.Security.AuthenticationRateLimit"), StoreRefused),
        (told("Neo.ClientError.Security.TokenExpired"), StoreRefused),
        (told("Neo.ClientError.Database.DatabaseNotFound"), StoreUnusable),
        (told("Neo.ClientError.Schema.ConstraintValidationFailed"), InvalidRecord),
        (told("Neo.ClientError.Statement.SyntaxError"), StoreError),
        (told("Neo.DatabaseError.General.UnknownError"), StoreUnusable),
        (ConfigurationError("no such scheme"), StoreUnusable),
        (OverflowError("2**64"), InvalidRecord),
    ],
)
def test_every_failure_has_one_meaning(error: Exception, meaning: type[StoreError]) -> None:
    found = explain(error, ADDRESS)
    assert type(found) is meaning
    assert str(found)


def test_the_classes_are_those_that_the_driver_raises() -> None:
    assert isinstance(told("Neo.ClientError.Security.Unauthorized"), AuthError)
    assert isinstance(told("Neo.ClientError.Schema.ConstraintValidationFailed"), ConstraintError)
    assert isinstance(told("Neo.ClientError.Statement.SyntaxError"), ClientError)
    assert isinstance(told("Neo.TransientError.Transaction.DeadlockDetected"), TransientError)


def test_texts_that_are_no_unicode_are_told() -> None:
    with pytest.raises(InvalidText, match="udcff"), explained(ADDRESS):
        "a\udcff".encode()


def test_what_is_no_failure_of_the_server_passes() -> None:
    with pytest.raises(ZeroDivisionError), explained(ADDRESS):
        _ = 1 / 0


@pytest.mark.parametrize(
    ("location", "uri", "database"),
    [
        ("neo4j://host", "neo4j://host", "neo4j"),
        ("bolt://host:7687/mine", "bolt://host:7687", "mine"),
        ("neo4j+s://x.databases.neo4j.io/", "neo4j+s://x.databases.neo4j.io", "neo4j"),
        ("bolt+ssc://[::1]:7687/a", "bolt+ssc://[::1]:7687", "a"),
        ("neo4j://host/db?policy=eu", "neo4j://host?policy=eu", "db"),
        ("BOLT://Host:7687/Mine", "bolt://host:7687", "Mine"),
    ],
)
def test_addresses(location: str, uri: str, database: str) -> None:
    assert is_server_address(location)
    assert parse_address(location) == ServerAddress(uri=uri, database=database)


@pytest.mark.parametrize(
    ("location", "sentence"),
    [
        ("neo4j://", "names no server"),
        ("neo4j:/host", "names no server"),
        ("Bolt+S:/host", "names no server"),
        ("bolt://host:port", "cannot read"),
        ("bolt://host:0", "port 0"),
        ("neo4j://user:secret@host", "must not hold credentials"),
        ("http://user:secret@host", "must not hold credentials"),
        ("neo4j://user@host", "must not hold credentials"),
        ("https://host", "those are neo4j, neo4j"),
        ("neo4j+tls://host", "no scheme of a Neo4j server"),
        ("blot://host:7687", "no scheme of a Neo4j server"),
        ("bolt://host?x=1", "query"),
        ("neo4j://host#part", "fragment"),
        ("bolt://host/system", "holds no documents"),
        ("bolt://host/System/", "holds no documents"),
    ],
)
def test_addresses_that_are_refused(location: str, sentence: str) -> None:
    assert is_server_address(location)
    with pytest.raises(StoreUnusable, match=sentence) as refused:
        parse_address(location)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "location", ["belvedere-store", "./neo4j", "./neo4j://host", "C://store", "a/b://c", "notes:/x"]
)
def test_folders_are_no_addresses(location: str) -> None:
    assert not is_server_address(location)


def test_an_address_is_shown_as_it_is_written() -> None:
    assert str(parse_address("neo4j://host/db?policy=eu")) == "neo4j://host/db?policy=eu"


def test_credentials_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    address = parse_address("neo4j://host")
    monkeypatch.delenv("BELVEDERE_NEO4J_USER", raising=False)
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", "secret")
    assert read_credentials(address) == ("neo4j", "secret")
    monkeypatch.setenv("BELVEDERE_NEO4J_USER", "writer")
    assert read_credentials(address) == ("writer", "secret")
    monkeypatch.setenv("BELVEDERE_NEO4J_PASSWORD", "")
    with pytest.raises(StoreRefused, match="BELVEDERE_NEO4J_USER"):
        read_credentials(address)


@pytest.mark.parametrize(
    "location",
    [
        "bolt://Host",
        "neo4j://host:7687/",
        "bolt+ssc://HOST:7687/Neo4J",
        "neo4j+s://host/neo4j",
        "neo4j://host?policy=eu",
    ],
)
def test_addresses_that_differ_in_the_way_there_name_one_place(location: str) -> None:
    assert parse_address(location).place == "neo4j://host:7687/neo4j"


def test_addresses_of_other_places_are_told_apart() -> None:
    others = ["neo4j://host:1", "neo4j://host/db", "neo4j://host2", "neo4j://[::1]/neo4j", "neo4j://[::1]:1"]
    assert len({parse_address(location).place for location in others}) == len(others)
