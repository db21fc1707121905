"""The part of an embedded store that copies are made with (see ``StoreCopies``)."""

import json
import sqlite3
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

from graph_store.bundles import DocumentBundle
from graph_store.copies import StoredLayer
from graph_store.embedded.caller_reads import CallerReads
from graph_store.embedded.derived_rows import replace_generation
from graph_store.embedded.spare_space import keep_live, read_notes, write_notes
from graph_store.embedded.whole_documents import read_bundles, read_layer
from graph_store.errors import StoreMismatch
from graph_store.record_checks import check_generation
from graph_store.spaces import LiveSpace

_MARK = "unfinished_copy"


def read_mark(connection: sqlite3.Connection) -> str | None:
    """Return the note of an unfinished copy, None where there is none."""
    notes = read_notes(connection, _MARK)
    note: str | None = None if notes is None else notes["note"]
    return note


class CopyableStore(CallerReads):
    """Reads and writes what a copy is made of."""

    _folder: Path

    @abstractmethod
    def _need_writer(self) -> None: ...

    @abstractmethod
    def _bring_up_to_date(self, tenant: str) -> None: ...

    def unfinished_copy(self) -> str | None:
        """Return the note of the copy that was begun into this store and not ended (see ``StoreCopies``)."""
        with self._database.snapshot() as connection:
            return read_mark(connection)

    def begin_copy(self, note: str, live: LiveSpace) -> None:
        """Mark the store as an unfinished copy (see ``StoreCopies``)."""
        self._need_writer()
        with self._database.transaction() as connection:
            if self._watch.of(connection) != live.space:
                raise StoreMismatch(
                    f"the store {str(self._folder)!r} holds vectors of {self.embedding_model!r}, not of"
                    f" {live.space.embedding_model!r}: copy into another folder"
                )
            keep_live(connection, live)
            write_notes(connection, _MARK, {"note": note})

    def end_copy(self) -> None:
        """Take the mark away (see ``StoreCopies``)."""
        self._need_writer()
        for tenant in self._tenants_to_index():
            self._bring_up_to_date(tenant)
        with self._database.transaction() as connection:
            connection.execute(f"DROP TABLE IF EXISTS {_MARK}")

    def _tenants_to_index(self) -> list[str]:
        with self._database.snapshot() as connection:
            return [tenant for (tenant,) in connection.execute("SELECT tenant FROM tenants ORDER BY tenant")]

    def document_bundles(self, tenant: str, document_ids: Sequence[str]) -> tuple[DocumentBundle, ...]:
        """Read whole documents in the order asked (see ``StoreCopies``)."""
        with self._database.snapshot() as connection:
            return read_bundles(connection, tenant, document_ids, space=self._watch.of(connection))

    def stored_layer(self, tenant: str) -> StoredLayer:
        """Read the derived layer of a tenant as it stands (see ``StoreCopies``)."""
        with self._database.snapshot() as connection:
            return read_layer(connection, tenant, dimension=self._watch.of(connection).dimension)

    def write_layer(self, layer: StoredLayer) -> None:
        """Replace the derived layer of a tenant, and let it stand as it stood elsewhere (see ``StoreCopies``)."""
        self._need_writer()
        check_generation(layer.generation, dimension=self.dimension)
        tenant, standing = layer.generation.tenant, layer.standing
        with self._database.transaction() as connection:
            replace_generation(connection, layer.generation)
            connection.execute(
                "UPDATE tenants SET fingerprint = ?, made_with = ?, changed_documents = ? WHERE tenant = ?",
                (standing.fingerprint, standing.made_with, standing.changed_documents, tenant),
            )
            for table in ("communities", "tree_nodes"):
                connection.execute(
                    f"UPDATE {table} SET mended = 1 WHERE tenant = ? AND id IN (SELECT value FROM json_each(?))",
                    (tenant, json.dumps(sorted(standing.mended))),
                )
        self._bring_up_to_date(tenant)
