"""The tables of the embedded store and their version.

Rows refer to each other by integer row numbers that are never used twice (AUTOINCREMENT); the ids of records are text
and unique within a tenant. ``audience`` numbers a pair (tenant, groups): access to a record is access to its audience.
Lists that are only read as a whole are JSON text.

``store_state`` says which embedding model all vectors are of, whatever ``chunks.embedding_model`` says, which names the
model that a chunk was written with. Beside the tables of vectors may stand those of a spare space
(:mod:`graph_store.embedded.spare_space`).
"""

SCHEMA_VERSION = 4
"""Raised with every change of the tables or of what an old column means."""

APPLICATION_ID = 0x42656C76
"""Marks the database file as a store ("Belv")."""

_STATE = """
CREATE TABLE store_state (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    schema_version INTEGER NOT NULL,
    embedding_model TEXT NOT NULL,
    dimension INTEGER NOT NULL,
    token_space TEXT NOT NULL,
    token_dimension INTEGER NOT NULL
);
CREATE TABLE tenants (
    tenant TEXT PRIMARY KEY,
    data_sequence INTEGER NOT NULL DEFAULT 0,
    derived_sequence INTEGER NOT NULL DEFAULT 0,
    fingerprint TEXT
) WITHOUT ROWID;
CREATE TABLE audiences (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    groups TEXT NOT NULL,
    UNIQUE (tenant, groups)
);
CREATE TABLE changes (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    row INTEGER NOT NULL,
    operation TEXT NOT NULL CHECK (operation IN ('put', 'delete'))
);
"""

_DOCUMENTS = """
CREATE TABLE documents (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    audience INTEGER NOT NULL REFERENCES audiences (row),
    groups TEXT NOT NULL,
    source_uri TEXT NOT NULL,
    title TEXT NOT NULL,
    media_type TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    version INTEGER NOT NULL,
    metadata TEXT NOT NULL,
    effective_from TEXT,
    effective_to TEXT,
    updated_at TEXT NOT NULL,
    UNIQUE (tenant, id)
);
CREATE TABLE document_texts (
    row INTEGER PRIMARY KEY REFERENCES documents (row) ON DELETE CASCADE,
    text TEXT NOT NULL
);
CREATE TABLE document_metadata (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    document_row INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    number NUMERIC,
    text TEXT,
    PRIMARY KEY (tenant, key, document_row, position)
) WITHOUT ROWID;
CREATE INDEX document_metadata_by_document ON document_metadata (document_row);
CREATE TABLE parents (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    document_row INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    position INTEGER NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX parents_by_document ON parents (document_row);
CREATE TABLE chunks (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    document_row INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    document_version INTEGER NOT NULL,
    audience INTEGER NOT NULL REFERENCES audiences (row),
    position INTEGER NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    page INTEGER,
    parent_id TEXT,
    heading_path TEXT NOT NULL,
    context TEXT NOT NULL,
    embedding_model TEXT NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX chunks_by_document ON chunks (document_row, position);
CREATE TABLE chunk_texts (
    row INTEGER PRIMARY KEY REFERENCES chunks (row) ON DELETE CASCADE,
    text TEXT NOT NULL
);
CREATE TABLE chunk_vectors (
    row INTEGER PRIMARY KEY REFERENCES chunks (row) ON DELETE CASCADE,
    vector BLOB NOT NULL
);
CREATE TABLE chunk_sentences (
    row INTEGER PRIMARY KEY REFERENCES chunks (row) ON DELETE CASCADE,
    spans BLOB NOT NULL,
    vectors BLOB NOT NULL
);
CREATE TABLE chunk_tokens (
    row INTEGER PRIMARY KEY REFERENCES chunks (row) ON DELETE CASCADE,
    starts BLOB NOT NULL,
    vectors BLOB NOT NULL
);
CREATE TABLE chunk_extractions (
    row INTEGER PRIMARY KEY REFERENCES chunks (row) ON DELETE CASCADE,
    mentions TEXT NOT NULL,
    relations TEXT NOT NULL,
    homes TEXT NOT NULL
);
"""

SOURCES = """
CREATE TABLE sources (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    path TEXT NOT NULL,
    mark TEXT NOT NULL,
    whole INTEGER NOT NULL,
    failures TEXT NOT NULL,
    UNIQUE (tenant, path)
);
CREATE TABLE source_documents (
    source_row INTEGER NOT NULL REFERENCES sources (row) ON DELETE CASCADE,
    document_row INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    PRIMARY KEY (source_row, document_row)
) WITHOUT ROWID;
CREATE INDEX source_documents_by_document ON source_documents (document_row);
"""
"""What was read from which file; new in format 3."""

_DERIVED = """
CREATE TABLE entities (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL,
    type TEXT NOT NULL,
    aliases TEXT NOT NULL,
    description TEXT NOT NULL,
    documents INTEGER NOT NULL,
    UNIQUE (tenant, id)
);
CREATE TABLE entity_names (
    entity_row INTEGER NOT NULL REFERENCES entities (row) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    name_key TEXT NOT NULL,
    supported INTEGER NOT NULL,
    PRIMARY KEY (entity_row, ordinal)
) WITHOUT ROWID;
CREATE INDEX entity_names_by_key ON entity_names (name_key);
CREATE TABLE entity_name_support (
    entity_row INTEGER NOT NULL REFERENCES entities (row) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    document_row INTEGER NOT NULL REFERENCES documents (row) ON DELETE CASCADE,
    PRIMARY KEY (entity_row, ordinal, document_row)
) WITHOUT ROWID;
CREATE INDEX entity_name_support_by_document ON entity_name_support (document_row);
CREATE TABLE mentions (
    entity_row INTEGER NOT NULL REFERENCES entities (row) ON DELETE CASCADE,
    chunk_row INTEGER NOT NULL REFERENCES chunks (row) ON DELETE CASCADE,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    PRIMARY KEY (entity_row, chunk_row, char_start, char_end)
) WITHOUT ROWID;
CREATE INDEX mentions_by_chunk ON mentions (chunk_row);
CREATE TABLE homes (
    entity_row INTEGER NOT NULL REFERENCES entities (row) ON DELETE CASCADE,
    chunk_row INTEGER NOT NULL REFERENCES chunks (row) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    PRIMARY KEY (entity_row, chunk_row, kind)
) WITHOUT ROWID;
CREATE INDEX homes_by_chunk ON homes (chunk_row);
CREATE TABLE relations (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    source_row INTEGER NOT NULL REFERENCES entities (row) ON DELETE CASCADE,
    target_row INTEGER NOT NULL REFERENCES entities (row) ON DELETE CASCADE,
    predicate TEXT NOT NULL,
    weight REAL NOT NULL,
    evidence INTEGER NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX relations_by_source ON relations (source_row);
CREATE INDEX relations_by_target ON relations (target_row);
CREATE TABLE relation_evidence (
    relation_row INTEGER NOT NULL REFERENCES relations (row) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    chunk_row INTEGER NOT NULL REFERENCES chunks (row) ON DELETE CASCADE,
    PRIMARY KEY (relation_row, position)
) WITHOUT ROWID;
CREATE INDEX relation_evidence_by_chunk ON relation_evidence (chunk_row);
CREATE TABLE passage_edges (
    source_row INTEGER NOT NULL REFERENCES chunks (row) ON DELETE CASCADE,
    target_row INTEGER NOT NULL REFERENCES chunks (row) ON DELETE CASCADE,
    weight REAL NOT NULL,
    PRIMARY KEY (source_row, target_row)
) WITHOUT ROWID;
CREATE INDEX passage_edges_by_target ON passage_edges (target_row);
"""

_DERIVED_TEXTS = """
CREATE TABLE communities (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    audience INTEGER NOT NULL REFERENCES audiences (row),
    groups TEXT NOT NULL,
    level INTEGER NOT NULL,
    parent_id TEXT,
    entity_ids TEXT NOT NULL,
    title TEXT NOT NULL,
    sentences TEXT NOT NULL,
    key_entity_ids TEXT NOT NULL,
    key_relation_ids TEXT NOT NULL,
    made_by TEXT NOT NULL,
    UNIQUE (tenant, id)
);
CREATE TABLE community_chunks (
    owner_row INTEGER NOT NULL REFERENCES communities (row) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    chunk_row INTEGER NOT NULL,
    PRIMARY KEY (owner_row, position)
) WITHOUT ROWID;
CREATE INDEX community_chunks_by_chunk ON community_chunks (chunk_row);
CREATE TABLE community_vectors (
    row INTEGER PRIMARY KEY REFERENCES communities (row) ON DELETE CASCADE,
    vector BLOB NOT NULL
);
CREATE TABLE tree_nodes (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    audience INTEGER NOT NULL REFERENCES audiences (row),
    groups TEXT NOT NULL,
    level INTEGER NOT NULL,
    parent_id TEXT,
    document_id TEXT,
    child_ids TEXT NOT NULL,
    title TEXT NOT NULL,
    sentences TEXT NOT NULL,
    made_by TEXT NOT NULL,
    UNIQUE (tenant, id)
);
CREATE INDEX tree_nodes_by_document ON tree_nodes (tenant, document_id);
CREATE TABLE tree_node_chunks (
    owner_row INTEGER NOT NULL REFERENCES tree_nodes (row) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    chunk_row INTEGER NOT NULL,
    PRIMARY KEY (owner_row, position)
) WITHOUT ROWID;
CREATE INDEX tree_node_chunks_by_chunk ON tree_node_chunks (chunk_row);
CREATE TABLE tree_node_vectors (
    row INTEGER PRIMARY KEY REFERENCES tree_nodes (row) ON DELETE CASCADE,
    vector BLOB NOT NULL
);
"""

STANDING = """
ALTER TABLE tenants ADD COLUMN made_with TEXT;
ALTER TABLE tenants ADD COLUMN changed_documents INTEGER NOT NULL DEFAULT 0;
UPDATE tenants SET made_with = fingerprint;
ALTER TABLE communities ADD COLUMN mended INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tree_nodes ADD COLUMN mended INTEGER NOT NULL DEFAULT 0;
"""
"""What a derived layer was made with, current or not, how many documents changed since one was made whole, and which of
its texts lost evidence: added to the tables, so that those of an older format become the very same."""

MODEL_FACTS = """
ALTER TABLE entities ADD COLUMN description_made_by TEXT NOT NULL DEFAULT 'extractive';
ALTER TABLE entities ADD COLUMN description_chunks TEXT NOT NULL DEFAULT '[]';
ALTER TABLE entities ADD COLUMN described INTEGER NOT NULL DEFAULT 0;
ALTER TABLE relations ADD COLUMN strength REAL NOT NULL DEFAULT 0;
"""
"""What a language model tells of entities and relations; new in format 4. ``described`` is the number of documents that
a description rests on which a model made, 0 for one that quotes a home."""

TABLES = _STATE + _DOCUMENTS + SOURCES + _DERIVED + _DERIVED_TEXTS + STANDING + MODEL_FACTS
"""The statements that make an empty store."""
