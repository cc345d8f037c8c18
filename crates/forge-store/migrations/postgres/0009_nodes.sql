-- Which installation owns an attempt, and which database this is. `database_id` binds data folders to a database. A
-- node is one data folder; `serving` marks the one whose server has the database now. `generation` changes with each
-- start and is also kept in the data folder: an older copy of either is recognized.

CREATE TABLE database_identity (
    id          BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    database_id UUID   NOT NULL
);

INSERT INTO database_identity (id, database_id) VALUES (1, gen_random_uuid());

CREATE TABLE node (
    id          UUID    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL,
    data_folder TEXT    NOT NULL,
    machine     TEXT    NOT NULL,
    inode       BIGINT  NOT NULL,
    generation  UUID,
    serving     BOOLEAN NOT NULL,
    created_at  BIGINT  NOT NULL,
    updated_at  BIGINT  NOT NULL
);

-- None for rows of older versions, until the first start adopts them.
ALTER TABLE attempt ADD COLUMN node UUID;
ALTER TABLE process ADD COLUMN node UUID;
ALTER TABLE start_intent ADD COLUMN node UUID;
