"""Errors of the store.

StoreError
├── StoreUnusable        the user can do something about it: wrong version or model, locked, not a store, no space
│   ├── StoreLocked
│   ├── StoreMismatch
│   ├── StoreMissing
│   └── StoreDiskFull
├── UnknownMetadataKey   a filter names a key that no document has
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


class StoreMissing(StoreUnusable):
    """There is no store where one was expected."""


class StoreDiskFull(StoreUnusable):
    """The disk is full; what was acknowledged is kept."""


class UnknownMetadataKey(StoreError):
    """A filter names a metadata key that no document of the tenant has."""


class InvalidRecord(StoreError):
    """A record breaks the contract of the store."""


class InvalidText(InvalidRecord):
    """A text that is stored or asked for is no valid Unicode: it holds single surrogates."""
