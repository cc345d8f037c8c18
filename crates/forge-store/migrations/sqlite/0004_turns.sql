-- Drafts: a prompt that is being written. `follow_up_id` is its place in the attempt's queue: as long as it has one it
-- is not edited. A row stays when it is emptied, so that its version never goes back.

CREATE TABLE draft (
    attempt_id       BLOB    NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
    kind             TEXT    NOT NULL,
    retry_process_id BLOB,
    prompt           TEXT    NOT NULL,
    variant          TEXT,
    image_ids        TEXT,
    follow_up_id     BLOB UNIQUE,
    version          INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    PRIMARY KEY (attempt_id, kind)
) STRICT;

-- `retry` says which turn the prompt takes the place of.
ALTER TABLE follow_up ADD COLUMN retry TEXT;

-- Whether another turn took the place of the one that the process was part of.
ALTER TABLE process ADD COLUMN dropped INTEGER NOT NULL DEFAULT 0;
