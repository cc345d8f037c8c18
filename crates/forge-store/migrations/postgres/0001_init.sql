-- The same tables and columns as SQLite's, in PostgreSQL's types. Times are milliseconds since 1970, JSON is text:
-- nothing is looked for in it, and it comes back as it was given. References can be looked at late, for when a backup
-- is read back in whatever order.

CREATE TABLE project (
    id             UUID   NOT NULL PRIMARY KEY,
    name           TEXT   NOT NULL,
    git_repo_path  TEXT   NOT NULL UNIQUE,
    setup_script   TEXT,
    dev_script     TEXT,
    cleanup_script TEXT,
    copy_files     TEXT,
    commit_prompt  TEXT,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL
);

CREATE TABLE task (
    id                  UUID   NOT NULL PRIMARY KEY,
    project_id          UUID   NOT NULL REFERENCES project (id) ON DELETE CASCADE DEFERRABLE,
    title               TEXT   NOT NULL,
    description         TEXT,
    status              TEXT   NOT NULL,
    parent_task_attempt UUID,
    created_at          BIGINT NOT NULL,
    updated_at          BIGINT NOT NULL
);

CREATE INDEX task_by_project ON task (project_id, created_at, id);
CREATE INDEX task_by_parent ON task (parent_task_attempt) WHERE parent_task_attempt IS NOT NULL;

-- `status` is the word that `state` comes down to: running, completed, failed or killed.
CREATE TABLE attempt (
    id               UUID    NOT NULL PRIMARY KEY,
    task_id          UUID    NOT NULL REFERENCES task (id) ON DELETE CASCADE DEFERRABLE,
    project_id       UUID    NOT NULL REFERENCES project (id) ON DELETE CASCADE DEFERRABLE,
    executor         TEXT    NOT NULL,
    variant          TEXT,
    branch           TEXT    NOT NULL,
    target_branch    TEXT    NOT NULL,
    worktree         TEXT    NOT NULL,
    worktree_deleted BOOLEAN NOT NULL,
    first_port       INTEGER,
    conversation     TEXT,
    set_up           BOOLEAN NOT NULL,
    status           TEXT    NOT NULL,
    state            TEXT    NOT NULL,
    created_at       BIGINT  NOT NULL,
    updated_at       BIGINT  NOT NULL
);

-- Task and attempt name each other, so one of the two references comes late.
ALTER TABLE task ADD CONSTRAINT task_parent FOREIGN KEY (parent_task_attempt)
    REFERENCES attempt (id) ON DELETE SET NULL DEFERRABLE;

-- Holds all that a card says of its attempts, so that a board is read without touching the attempts themselves.
CREATE INDEX attempt_by_task ON attempt (task_id, created_at, id, status, executor);
CREATE INDEX attempt_by_project ON attempt (project_id);
CREATE INDEX attempt_by_age ON attempt (created_at, id);
CREATE INDEX attempt_running ON attempt (created_at, id) WHERE status = 'running';

-- `ordinal` counts within the attempt: two processes may begin in the same millisecond.
CREATE TABLE process (
    id                 UUID   NOT NULL PRIMARY KEY,
    attempt_id         UUID   NOT NULL REFERENCES attempt (id) ON DELETE CASCADE DEFERRABLE,
    ordinal            BIGINT NOT NULL,
    kind               TEXT   NOT NULL,
    action             TEXT   NOT NULL,
    status             TEXT   NOT NULL,
    state              TEXT   NOT NULL,
    reason             TEXT,
    before_head_commit TEXT,
    after_head_commit  TEXT,
    started_at         BIGINT NOT NULL,
    completed_at       BIGINT,
    updated_at         BIGINT NOT NULL,
    UNIQUE (attempt_id, ordinal)
);

CREATE INDEX process_running ON process (started_at, id) WHERE status = 'running';
-- One agent in a worktree at a time; only a dev server may run beside it.
CREATE UNIQUE INDEX process_alone ON process (attempt_id) WHERE status = 'running' AND kind <> 'devserver';

CREATE TABLE follow_up (
    id         UUID   NOT NULL PRIMARY KEY,
    attempt_id UUID   NOT NULL REFERENCES attempt (id) ON DELETE CASCADE DEFERRABLE,
    ordinal    BIGINT NOT NULL,
    prompt     TEXT   NOT NULL,
    variant    TEXT,
    created_at BIGINT NOT NULL,
    UNIQUE (attempt_id, ordinal)
);

-- A start that was decided and is not done: what a crash leaves for recovery to find. What it is for cannot be
-- deleted meanwhile; it has a task only when that is there already.
CREATE TABLE start_intent (
    attempt_id      UUID   NOT NULL PRIMARY KEY,
    project_id      UUID   NOT NULL REFERENCES project (id) DEFERRABLE,
    task_id         UUID REFERENCES task (id) DEFERRABLE,
    idempotency_key TEXT UNIQUE,
    intent          TEXT   NOT NULL,
    created_at      BIGINT NOT NULL
);

-- What a start was answered with, for the client that asks again with the same key.
CREATE TABLE start_answer (
    idempotency_key TEXT   NOT NULL PRIMARY KEY,
    fingerprint     TEXT   NOT NULL,
    started         TEXT   NOT NULL,
    created_at      BIGINT NOT NULL
);

CREATE INDEX start_answer_by_age ON start_answer (created_at);

-- No reference to attempt: ports are taken while the attempt is an intent still.
CREATE TABLE port_block (
    first_port INTEGER NOT NULL PRIMARY KEY,
    attempt_id UUID    NOT NULL UNIQUE
);

CREATE TABLE event (
    seq  BIGINT NOT NULL PRIMARY KEY,
    at   BIGINT NOT NULL,
    fact TEXT   NOT NULL
);
