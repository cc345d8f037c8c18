-- A run is an attempt without a task; `prompt` is what it was asked for. SQLite cannot let a column be empty that had
-- to be filled, and a table that is made anew would take its children with it: so the column is replaced in place.

DROP INDEX attempt_by_task;
ALTER TABLE attempt ADD COLUMN of_task BLOB REFERENCES task (id) ON DELETE CASCADE;
UPDATE attempt SET of_task = task_id;
ALTER TABLE attempt DROP COLUMN task_id;
ALTER TABLE attempt RENAME COLUMN of_task TO task_id;
CREATE INDEX attempt_by_task ON attempt (task_id, created_at, id, status, executor);
ALTER TABLE attempt ADD COLUMN prompt TEXT;
CREATE INDEX attempt_run ON attempt (created_at, id) WHERE task_id IS NULL;

-- What somebody asks a person. `context` is JSON.
CREATE TABLE approval (
    id          BLOB    NOT NULL PRIMARY KEY,
    process_id  BLOB REFERENCES process (id) ON DELETE CASCADE,
    message     TEXT    NOT NULL,
    context     TEXT,
    status      TEXT    NOT NULL,
    comment     TEXT,
    created_at  INTEGER NOT NULL,
    answered_at INTEGER
) STRICT;

CREATE INDEX approval_pending ON approval (created_at, id) WHERE status = 'pending';
CREATE INDEX approval_by_process ON approval (process_id) WHERE process_id IS NOT NULL;
CREATE INDEX approval_by_age ON approval (answered_at) WHERE answered_at IS NOT NULL;
