"""What the failures of driver and server mean for the user of a store."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    ConstraintError,
    DriverError,
    ForbiddenOnReadOnlyDatabase,
    IncompleteCommit,
    Neo4jError,
    NotALeader,
    TransientError,
    UnsupportedServerProduct,
    WriteServiceUnavailable,
)

from graph_store.errors import (
    InvalidRecord,
    InvalidText,
    StoreError,
    StoreRefused,
    StoreUnreachable,
    StoreUnusable,
)
from graph_store.neo4j.address import PASSWORD_VARIABLE

_MEMORY_CODES = ("MemoryPoolOutOfMemoryError", "TransactionOutOfMemoryError", "OutOfMemoryError")
_OF_TLS = "BoltSecurityError"  # of the driver's own, for connections that end while TLS begins
_MOST_CAUSES = 8
_KEPT = "; what was acknowledged is kept"


class BatchTooLarge(StoreUnusable):
    """The server has not the memory for a transaction of this size."""


class TransactionTooLong(StoreUnusable):
    """The server has given up a transaction after the time that it was allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Meaning:
    """What is told where an error is of one of the kinds, or its code holds one of the parts, and its text the text.

    Where ``causes`` are named, one of them must be behind it.
    """

    error: type[StoreError]
    sentence: str
    kinds: tuple[type[Exception], ...] = ()
    codes: tuple[str, ...] = ()
    text: str = ""
    causes: tuple[type[BaseException], ...] = (BaseException,)

    def fits(self, error: Exception, code: str, causes: Sequence[BaseException]) -> bool:
        """Tell whether this is what an error, which is the first of its causes, means."""
        is_of_kind = isinstance(error, self.kinds) or any(part in code for part in self.codes)
        says_so = re.search(self.text, " ".join(map(str, causes))) is not None
        return is_of_kind and says_so and any(isinstance(cause, self.causes) for cause in causes)


# The first that fits counts: ClientError and DriverError are the classes of many that stand before them. Texts only
# choose between sentences of the same error: they may change with any version of the driver.
_MEANINGS = (
    _Meaning(
        codes=_MEMORY_CODES,
        error=BatchTooLarge,
        sentence="the server {address} has not enough memory for one transaction: give it more heap"
        " (server.memory.heap.max_size, dbms.memory.transaction.total.max), or write fewer documents at once",
    ),
    _Meaning(
        codes=("Security.AuthenticationRateLimit",),
        error=StoreRefused,
        sentence="the server {address} refuses the user for some seconds, since the password was wrong too often: check"
        " BELVEDERE_NEO4J_USER and BELVEDERE_NEO4J_PASSWORD, wait, and run again",
    ),
    _Meaning(
        codes=("Security.CredentialsExpired",),
        error=StoreRefused,
        sentence="the server {address} wants the first password of the user changed (ALTER CURRENT USER SET PASSWORD"
        " FROM … TO …) before it lets the user do anything",
    ),
    _Meaning(
        codes=("Security.Forbidden",),
        error=StoreRefused,
        sentence="the server {address} does not let the user do this ({error}): grant it, or set BELVEDERE_NEO4J_USER"
        " and BELVEDERE_NEO4J_PASSWORD to a user who may",
    ),
    _Meaning(
        kinds=(AuthError,),
        error=StoreRefused,
        sentence="the server {address} refuses the user ({error}): check BELVEDERE_NEO4J_USER and"
        " BELVEDERE_NEO4J_PASSWORD",
    ),
    _Meaning(
        codes=("Database.DatabaseNotFound",),
        error=StoreUnusable,
        sentence="the server {address} has no such database: name another one in the address, or make it (Community"
        " edition has one alone, which is named neo4j)",
    ),
    _Meaning(
        kinds=(NotALeader, ForbiddenOnReadOnlyDatabase, WriteServiceUnavailable),
        codes=("General.WriteOnReadOnlyAccessDatabase",),
        error=StoreUnusable,
        sentence="the server {address} lets nobody write into the database: in a cluster write neo4j:// instead of"
        " bolt://, which finds the server that does; else the database is set to read only",
    ),
    _Meaning(
        # The second where the time ended while it waited for a lock that another transaction held.
        codes=("Transaction.TransactionTimedOut", "Transaction.LockClientStopped"),
        error=TransactionTooLong,
        sentence="the server {address} has given up a transaction that took too long ({code}): raise"
        " neo4j.query_timeout_s (reading) or neo4j.write_timeout_s (writing)",
    ),
    _Meaning(kinds=(ConstraintError,), error=InvalidRecord, sentence="a record breaks a rule of the store: {error}"),
    _Meaning(
        kinds=(UnsupportedServerProduct,),
        error=StoreUnusable,
        sentence="the server {address} does not speak Bolt in a version that is read here: name the Bolt port of a"
        " Neo4j server from 5.26 on",
    ),
    _Meaning(
        kinds=(ConfigurationError,), error=StoreUnusable, sentence="the address {address} cannot be used: {error}"
    ),
    _Meaning(
        kinds=(IncompleteCommit,),
        error=StoreUnreachable,
        sentence="the connection to {address} was lost several times while a change was being committed ({error}): run"
        " again; whether or not the change was made, nothing will be there twice",
    ),
    _Meaning(
        kinds=(DriverError,),
        text="looks like HTTP",
        error=StoreUnreachable,
        sentence="the server {address} speaks HTTP at this port: name its Bolt port, which is 7687 where nothing else"
        " is configured",
    ),
    _Meaning(
        kinds=(DriverError,),
        text="CERTIFICATE_VERIFY_FAILED|[Cc]ertificate",
        error=StoreUnreachable,
        sentence="the certificate of the server {address} cannot be trusted ({error}): let SSL_CERT_FILE name the"
        " certificate of who signed it, or write +ssc instead of +s, which takes every certificate",
    ),
    _Meaning(
        kinds=(DriverError,),
        text=r"SSL|[Ee]ncrypt",
        error=StoreUnreachable,
        sentence="no TLS connection to the server {address} can be made ({error}): write the address without +s where"
        " the server has no TLS, and with it where it has",
    ),
    _Meaning(
        kinds=(DriverError,),
        causes=(ConnectionRefusedError,),
        error=StoreUnreachable,
        sentence="nobody listens at {address}: start the server, or name the one that runs, with its Bolt port (7687"
        " where nothing else is configured), and run again{kept}",
    ),
    _Meaning(
        kinds=(DriverError,),
        error=StoreUnreachable,
        sentence="the server {address} does not answer as it should ({error}): check that it runs, and whether it wants"
        " TLS (+s in the address), and run again{kept}",
    ),
    _Meaning(
        kinds=(TransientError,),
        error=StoreUnreachable,
        sentence="the server {address} could not do what it was asked for, however often it was asked ({code}:"
        " {error}): run again{kept}",
    ),
    _Meaning(
        kinds=(ClientError,),
        error=StoreError,
        sentence="the server {address} cannot do what it was asked for ({code}): {error}",
    ),
    _Meaning(
        kinds=(Neo4jError,),
        error=StoreUnusable,
        sentence="the server {address} failed ({code}: {error}): look into its log, and run again",
    ),
)


def lacks_memory(error: Neo4jError) -> bool:
    """Tell whether the server had not the memory for a transaction."""
    return any(code in (error.code or "") for code in _MEMORY_CODES)


def is_starting(error: Exception) -> bool:
    """Tell whether a server may be on the way that is not there yet: nobody listens, or whoever does hangs up.

    The latter is what the ports of containers do whose server does not listen yet. A server that hangs, speaks
    something else or cannot be trusted is none that is being started.
    """
    if "Database.DatabaseUnavailable" in (getattr(error, "code", None) or ""):
        return True
    causes = list(_causes(error)) if isinstance(error, DriverError) else []
    return not any(type(cause).__name__ == _OF_TLS for cause in causes) and any(
        isinstance(cause, ConnectionRefusedError | ConnectionResetError) or "incomplete handshake" in str(cause)
        for cause in causes
    )


def explain(error: Exception, address: str, *, has_written: bool = False) -> StoreError:
    """Return what ``error`` means; ``address`` names the server, without credentials.

    Whoever ``has_written`` is told what becomes of it.
    """
    if isinstance(error, UnicodeEncodeError):
        return InvalidText(f"the text {error.object[:40]!r} is no valid Unicode ({error.reason}): mend it")
    if isinstance(error, OverflowError):
        return InvalidRecord(f"a number has more than 64 bits: {error}")
    code = getattr(error, "code", None) or ""
    causes = list(_causes(error))
    meaning = next(meaning for meaning in _MEANINGS if meaning.fits(error, code, causes))
    kept = _KEPT if has_written else ""
    return meaning.error(meaning.sentence.format(address=address, code=code, error=short_text(error), kept=kept))


def _causes(error: BaseException) -> Iterator[BaseException]:
    following: BaseException | None = error
    for _ in range(_MOST_CAUSES):
        if following is None:
            return
        yield following
        if isinstance(following, BaseExceptionGroup):
            for part in following.exceptions:
                yield from _causes(part)
        following = following.__cause__ or following.__context__


def short_text(error: Exception) -> str:
    """Return what driver or server say, on one line, with addresses as users write them and without the password."""
    message = getattr(error, "message", None) or str(error) or type(error).__name__
    password = os.environ.get(PASSWORD_VARIABLE)
    if password:
        message = message.replace(password, "***")
    message = re.sub(r"Connection Failed\. Please ensure.*? for more information\. ?", "", message)
    message = re.sub(r" ?\(resolved to \(.*?\)\)", "", message)
    message = re.sub(r"(?:Resolved)?IPv[46]Address\(\('([^']*)', (\d+)[^)]*\)\)", r"\1:\2", message)
    message = re.sub(r"(\S+:\d+) \(\1\)", r"\1", message)
    return " ".join(message.split())[:300]


@contextmanager
def explained(address: str, *, has_written: bool = False) -> Iterator[None]:
    """Raise what ``explain`` says where driver, server or a text fail."""
    try:
        yield
    except (Neo4jError, DriverError, UnicodeEncodeError, OverflowError) as error:
        raise explain(error, address, has_written=has_written) from error
