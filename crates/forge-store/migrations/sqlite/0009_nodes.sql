-- Which installation owns an attempt, and which database this is. `database_id` binds data folders to a database. A
-- node is one data folder; `serving` marks the one whose server has the database now. `generation` changes with each
-- start and is also kept in the data folder: an older copy of either is recognized.

CREATE TABLE database_identity (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    database_id BLOB    NOT NULL
) STRICT;

INSERT INTO database_identity (id, database_id) VALUES (1, randomblob(16));

CREATE TABLE node (
    id          BLOB    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    data_folder TEXT    NOT NULL,
    machine     TEXT    NOT NULL,
    inode       INTEGER NOT NULL,
    generation  BLOB,
    serving     INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

-- None for rows of older versions, until the first start adopts them.
ALTER TABLE attempt ADD COLUMN node BLOB;
ALTER TABLE process ADD COLUMN node BLOB;
ALTER TABLE start_intent ADD COLUMN node BLOB;
