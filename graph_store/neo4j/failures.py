"""What the failures of driver and server mean for the user of a store."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeAlias

from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    ConstraintError,
    DriverError,
    Neo4jError,
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


class BatchTooLarge(StoreUnusable):
    """The server has not the memory for a transaction of this size."""


_Meaning: TypeAlias = tuple[tuple[str, ...], tuple[type[Exception], ...], type[StoreError], str]

# Parts of codes, or classes of errors, with what they mean. The first that fits counts: ClientError is the class of
# many that stand before it.
_MEANINGS: tuple[_Meaning, ...] = (
    (
        ("MemoryPoolOutOfMemoryError", "TransactionOutOfMemoryError", "OutOfMemoryError"),
        (),
        BatchTooLarge,
        "the server {address} has not enough memory for one transaction: give it more heap, or write fewer documents"
        " at once",
    ),
    (
        ("Security.AuthenticationRateLimit", "Security.Forbidden", "Security.CredentialsExpired"),
        (AuthError,),
        StoreRefused,
        "the server {address} refuses the user ({error}): check BELVEDERE_NEO4J_USER and BELVEDERE_NEO4J_PASSWORD",
    ),
    (
        ("Database.DatabaseNotFound",),
        (),
        StoreUnusable,
        "the server {address} has no such database: make it, or name another one in the address",
    ),
    ((), (ConstraintError,), InvalidRecord, "a record breaks a rule of the store: {error}"),
    ((), (ConfigurationError,), StoreUnusable, "the address {address} cannot be used: {error}"),
    (
        (),
        (DriverError, TransientError),
        StoreUnreachable,
        "the server {address} does not answer as it should ({error}): check that it runs and that the addresses that it"
        " gives to clients can be reached from here, and run again; what was acknowledged is kept",
    ),
    ((), (ClientError,), StoreError, "the server {address} cannot do what it was asked for ({code}): {error}"),
)


def explain(error: Exception, address: str) -> StoreError:
    """Return what ``error`` means; ``address`` names the server, without credentials."""
    if isinstance(error, UnicodeEncodeError):
        return InvalidText(f"the text {error.object[:40]!r} is no valid Unicode ({error.reason}): mend it")
    if isinstance(error, OverflowError):
        return InvalidRecord(f"a number has more than 64 bits: {error}")
    code = getattr(error, "code", None) or ""
    for codes, kinds, meaning, sentence in _MEANINGS:
        if isinstance(error, kinds) or any(name in code for name in codes):
            return meaning(sentence.format(address=address, code=code, error=_short(error)))
    return StoreUnusable(f"the server {address} failed ({code}): {_short(error)}")


def _short(error: Exception) -> str:
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    return " ".join(message.split())[:300]


@contextmanager
def explained(address: str) -> Iterator[None]:
    """Raise what ``explain`` says where driver, server or a text fail."""
    try:
        yield
    except (Neo4jError, DriverError, UnicodeEncodeError, OverflowError) as error:
        raise explain(error, address) from error
