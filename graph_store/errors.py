"""Errors of the store.

StoreError
├── StoreUnusable        the user can do something about it: wrong version or model, locked, not a store, no space
│   ├── StoreLocked
│   ├── StoreMismatch
│   │   └── StoreSwitched    it was switched to another vector space since it was opened
│   ├── StoreChanged     it was written to while it was read: read it again
│   ├── StoreMissing
│   ├── StoreDiskFull
│   ├── StoreDamaged     a record is not what was written
│   ├── StoreUnreachable a server does not answer
│   ├── StoreRefused     a server refuses the user
│   └── SpaceConflict    the spare vector space cannot be used like that
│       ├── SpaceMissing     there is none
│       └── SpaceIncomplete  some records have no vectors in it
├── FilterMistake        a filter that the user can mend
│   ├── UnknownMetadataKey   it names a key that no document has
│   ├── IncomparableValue    it compares numbers with text
│   └── TooManyConditions    there are too many of them
└── InvalidRecord        a record breaks the contract (a zero or NaN vector, a wrong dimension)
    └── InvalidText      a text, of a record or of a question to the store, is no valid Unicode
"""


class StoreError(Exception):
    """Root of what the store raises. The message says what failed, the value, and what to do."""


class StoreUnusable(StoreError):
    """The store cannot be used as it is; the user can mend it."""


class StoreLocked(StoreUnusable):
    """Another process writes to the store."""


class StoreMismatch(StoreUnusable):
    """The store was made by another version or with another embedding model."""


class StoreSwitched(StoreMismatch):
    """The live vector space is another one than when the store was opened: open it again with the model of that."""


class StoreChanged(StoreUnusable):
    """Something was committed while what belongs together was being read: read it again."""


class StoreMissing(StoreUnusable):
    """There is no store where one was expected."""


class StoreUnreachable(StoreUnusable):
    """The server of the store does not answer, or not in time."""


class StoreRefused(StoreUnusable):
    """The server of the store refuses the user, or there are no credentials."""


class StoreDiskFull(StoreUnusable):
    """The disk is full; what was acknowledged is kept."""


class StoreDamaged(StoreUnusable):
    """A record cannot be read: its bytes are not what was written."""


class SpaceConflict(StoreUnusable):
    """The spare vector space is another one than is asked for, or it is the live one."""


class SpaceMissing(SpaceConflict):
    """There is no spare vector space."""


class SpaceIncomplete(SpaceConflict):
    """Some records have no vectors in the spare space."""


class FilterMistake(StoreError):
    """A filter cannot be applied as it is written; the user can mend it."""


class UnknownMetadataKey(FilterMistake):
    """A filter names a metadata key that no document of the tenant has."""


class IncomparableValue(FilterMistake):
    """A filter compares the values of a key with one of another kind: numbers with text, or dates with either."""


class TooManyConditions(FilterMistake):
    """More filters, or more values in them, than a search takes."""


class InvalidRecord(StoreError):
    """A record breaks the contract of the store."""


class InvalidText(InvalidRecord):
    """A text that is stored or asked for is no valid Unicode: it holds single surrogates."""
