-- A run is an attempt without a task; `prompt` is what it was asked for.

ALTER TABLE attempt ALTER COLUMN task_id DROP NOT NULL;
ALTER TABLE attempt ADD COLUMN prompt TEXT;
CREATE INDEX attempt_run ON attempt (created_at, id) WHERE task_id IS NULL;

-- What somebody asks a person. `context` is JSON.
CREATE TABLE approval (
    id          UUID   NOT NULL PRIMARY KEY,
    process_id  UUID REFERENCES process (id) ON DELETE CASCADE DEFERRABLE,
    message     TEXT   NOT NULL,
    context     TEXT,
    status      TEXT   NOT NULL,
    comment     TEXT,
    created_at  BIGINT NOT NULL,
    answered_at BIGINT
);

CREATE INDEX approval_pending ON approval (created_at, id) WHERE status = 'pending';
CREATE INDEX approval_by_process ON approval (process_id) WHERE process_id IS NOT NULL;
CREATE INDEX approval_by_age ON approval (answered_at) WHERE answered_at IS NOT NULL;
