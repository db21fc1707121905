"""Faults of a server that stay, each with the error that is raised and words of the sentence that tells it."""

from graph_store.errors import StoreError, StoreRefused, StoreUnreachable, StoreUnusable
from graph_store.neo4j.failures import BatchTooLarge, TransactionTooLong
from tests.neo4j.scripted_server import Fault

WRITING = "CREATE (n:Thing)"
DEADLOCK = "Neo.TransientError.Transaction.DeadlockDetected"
OUT_OF_MEMORY = "Neo.TransientError.General.MemoryPoolOutOfMemoryError"


def client(code: str) -> str:
    return f"Neo.ClientError.{code}"


FOREVER = 10_000
TOLD: dict[str, tuple[Fault, type[StoreError], str]] = {
    "deadlocks": (
        Fault(at="RUN", where=WRITING, code=DEADLOCK, times=FOREVER),
        StoreUnreachable,
        "however often it was asked",
    ),
    "lost at RUN": (
        Fault(at="RUN", where=WRITING, does="cut", times=FOREVER),
        StoreUnreachable,
        "does not answer as it should",
    ),
    "lost at COMMIT": (
        Fault(at="COMMIT", does="cut", times=FOREVER),
        StoreUnreachable,
        "nothing will be there twice",
    ),
    "memory": (Fault(at="RUN", where=WRITING, code=OUT_OF_MEMORY), BatchTooLarge, "not enough memory"),
    "memory of a transaction": (
        Fault(at="RUN", where=WRITING, code=client("Transaction.TransactionOutOfMemoryError")),
        BatchTooLarge,
        "not enough memory",
    ),
    "password": (Fault(at="LOGON", code=client("Security.Unauthorized")), StoreRefused, "BELVEDERE_NEO4J_PASSWORD"),
    "rate limit": (
        Fault(at="LOGON", code=client("Security.AuthenticationRateLimit")),
        StoreRefused,
        "for some seconds, since the password was wrong too often",
    ),
    "expired": (
        Fault(at="RUN", code=client("Security.CredentialsExpired")),
        StoreRefused,
        "ALTER CURRENT USER SET PASSWORD",
    ),
    "forbidden": (
        Fault(at="RUN", where=WRITING, code=client("Security.Forbidden")),
        StoreRefused,
        "does not let the user do this",
    ),
    "database": (Fault(at="BEGIN", code=client("Database.DatabaseNotFound")), StoreUnusable, "has no such database"),
    "read only": (
        Fault(at="RUN", where=WRITING, code=client("General.ForbiddenOnReadOnlyDatabase"), times=FOREVER),
        StoreUnusable,
        "lets nobody write",
    ),
    "read only access": (
        Fault(at="RUN", where=WRITING, code=client("General.WriteOnReadOnlyAccessDatabase")),
        StoreUnusable,
        "lets nobody write",
    ),
    "a follower": (
        Fault(at="RUN", where=WRITING, code=client("Cluster.NotALeader"), times=FOREVER),
        StoreUnusable,
        "write neo4j:// instead of bolt://",
    ),
    "time": (
        Fault(at="RUN", where=WRITING, code=client("Transaction.TransactionTimedOutClientConfiguration")),
        TransactionTooLong,
        "neo4j.write_timeout_s",
    ),
    "time, waiting for a lock": (
        Fault(at="RUN", where=WRITING, code=client("Transaction.LockClientStopped"), times=FOREVER),
        TransactionTooLong,
        "has given up a transaction that took too long",
    ),
    "disk": (
        Fault(at="COMMIT", code="Neo.DatabaseError.Transaction.TransactionLogError", text="no space left"),
        StoreUnusable,
        "TransactionLogError: no space left",
    ),
    "access mode": (
        Fault(at="RUN", where=WRITING, code=client("Statement.AccessMode")),
        StoreError,
        "cannot do what it was asked for",
    ),
    "syntax": (Fault(at="RUN", where=WRITING, code=client("Statement.SyntaxError")), StoreError, "SyntaxError"),
    "HTTP": (
        Fault(at="CONNECT", does="say", raw=b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        StoreUnreachable,
        "speaks HTTP at this port",
    ),
    "SSH": (Fault(at="CONNECT", does="say", raw=b"SSH-2.0-OpenSSH_9.2\r\n"), StoreUnusable, "does not speak Bolt"),
    "version": (Fault(at="CONNECT", does="say", raw=b"\0\0\0\0"), StoreUnusable, "from 5.26 on"),
    "hangs up": (Fault(at="CONNECT", does="cut", times=FOREVER), StoreUnreachable, "whether it wants TLS"),
    "hangs when greeted": (Fault(at="CONNECT", does="hang"), StoreUnreachable, "does not answer"),
    "hangs when asked who": (Fault(at="LOGON", does="hang"), StoreUnreachable, "does not answer"),
}
OURS = {"access mode", "syntax"}
