"""Which errors are the user's to mend, and the one sentence that says so.

UserMistake          raised by this floor: a wrong option, a data set or a configuration that cannot be used
├── BaselineError    (belvedere.evaluation.baseline)
├── CacheUnusable    (belvedere.evaluation.index_cache)
├── CannotDraft      (belvedere.evaluation.drafting)
├── CopyMistake      (belvedere.store_copy)
├── ConfigError      (belvedere.config)
├── DatasetError     (belvedere.evaluation.dataset_files)
├── GateError        (belvedere.evaluation.gates)
├── MigrationMistake (belvedere.embedding_migration)
├── NotAgreed        (belvedere.cli.paying)
├── TooFewQuestions  (belvedere.evaluation.ranker_training)
├── TrainingMistake  (belvedere.evaluation.ranker_training)
├── UnknownDocument  (belvedere.knowledge_base)
└── UnknownEntity    (belvedere.knowledge_base)

Errors of the floors below that mean the same are recognised by ``user_sentence``; every other error is ours.
"""

import errno

_DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_NOT_ALLOWED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class UserMistake(Exception):
    """Something that the user can mend; the message is one sentence that says what and how."""


def user_sentence(error: BaseException) -> str | None:
    """Return the sentence for an error that the user can mend; None for a fault of ours."""
    if isinstance(error, (UserMistake, *_errors_below())):
        return str(error)
    if isinstance(error, OSError):
        return _system_sentence(error)
    return None


def _errors_below() -> tuple[type[BaseException], ...]:
    """Return the errors of other floors that are the user's to mend; imported only once something has failed."""
    from graph_store.errors import FilterMistake, InvalidText, StoreUnusable  # noqa: PLC0415  # only when something has failed
    from indexing.errors import FolderEmptied  # noqa: PLC0415  # as above
    from indexing.loading.errors import SourceMissing  # noqa: PLC0415  # as above
    from model_clients.errors import ModelUnusable  # noqa: PLC0415  # as above
    from query.chain_ranking.weights import WeightsUnusable  # noqa: PLC0415  # as above

    return (
        StoreUnusable,
        FilterMistake,
        InvalidText,
        FolderEmptied,
        SourceMissing,
        ModelUnusable,
        WeightsUnusable,
    )


def _system_sentence(error: OSError) -> str | None:
    place = f" ({error.filename})" if error.filename else ""
    if error.errno in _DISK_FULL:
        return (
            f"no space left on the disk{place}: make room and run the same command again; what was acknowledged is kept"
        )
    if error.errno == errno.ENAMETOOLONG:
        return f"a file name is too long{place}: name another file or folder"
    if error.errno in _NOT_ALLOWED:
        return f"not allowed to read or write here{place}: check the permissions of the file and of its folder"
    return None
