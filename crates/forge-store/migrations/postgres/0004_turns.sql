-- Drafts: a prompt that is being written. `follow_up_id` is its place in the attempt's queue: as long as it has one it
-- is not edited. A row stays when it is emptied, so that its version never goes back.

CREATE TABLE draft (
    attempt_id       UUID    NOT NULL REFERENCES attempt (id) ON DELETE CASCADE DEFERRABLE,
    kind             TEXT    NOT NULL,
    retry_process_id UUID,
    prompt           TEXT    NOT NULL,
    variant          TEXT,
    image_ids        TEXT,
    follow_up_id     UUID UNIQUE,
    version          BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    PRIMARY KEY (attempt_id, kind)
);

-- `retry` says which turn the prompt takes the place of.
ALTER TABLE follow_up ADD COLUMN retry TEXT;

-- Whether another turn took the place of the one that the process was part of.
ALTER TABLE process ADD COLUMN dropped BOOLEAN NOT NULL DEFAULT FALSE;
