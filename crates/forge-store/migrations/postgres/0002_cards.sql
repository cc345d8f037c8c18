-- What a card says of a task's attempts, on the task's own row: a board of ten thousand is read without looking at a
-- single attempt. Written whenever an attempt of the task is.

ALTER TABLE task ADD COLUMN attempt_running BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE task ADD COLUMN attempt_failed  BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE task ADD COLUMN executor        TEXT    NOT NULL DEFAULT '';
ALTER TABLE task ADD COLUMN attempt_count   BIGINT  NOT NULL DEFAULT 0;

UPDATE task SET
    attempt_running = EXISTS (SELECT 1 FROM attempt a WHERE a.task_id = task.id AND a.status = 'running'),
    attempt_failed = coalesce((SELECT a.status = 'failed' FROM attempt a WHERE a.task_id = task.id
                               ORDER BY a.created_at DESC, a.id DESC LIMIT 1), FALSE),
    executor = coalesce((SELECT a.executor FROM attempt a WHERE a.task_id = task.id
                         ORDER BY a.created_at DESC, a.id DESC LIMIT 1), ''),
    attempt_count = (SELECT count(*) FROM attempt a WHERE a.task_id = task.id);
