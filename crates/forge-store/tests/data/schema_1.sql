CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
CREATE TABLE attempt (
    id               BLOB    NOT NULL PRIMARY KEY,
    task_id          BLOB    NOT NULL REFERENCES task (id) ON DELETE CASCADE,
    project_id       BLOB    NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    executor         TEXT    NOT NULL,
    variant          TEXT,
    branch           TEXT    NOT NULL,
    target_branch    TEXT    NOT NULL,
    worktree         TEXT    NOT NULL,
    worktree_deleted INTEGER NOT NULL,
    first_port       INTEGER,
    conversation     TEXT,
    set_up           INTEGER NOT NULL,
    status           TEXT    NOT NULL,
    state            TEXT    NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL
) STRICT;
CREATE TABLE event (
    seq  INTEGER NOT NULL PRIMARY KEY,
    at   INTEGER NOT NULL,
    fact TEXT    NOT NULL
) STRICT;
CREATE TABLE follow_up (
    id         BLOB    NOT NULL PRIMARY KEY,
    attempt_id BLOB    NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    prompt     TEXT    NOT NULL,
    variant    TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (attempt_id, ordinal)
) STRICT;
CREATE TABLE port_block (
    first_port INTEGER NOT NULL PRIMARY KEY,
    attempt_id BLOB    NOT NULL UNIQUE
) STRICT;
CREATE TABLE process (
    id                 BLOB    NOT NULL PRIMARY KEY,
    attempt_id         BLOB    NOT NULL REFERENCES attempt (id) ON DELETE CASCADE,
    ordinal            INTEGER NOT NULL,
    kind               TEXT    NOT NULL,
    action             TEXT    NOT NULL,
    status             TEXT    NOT NULL,
    state              TEXT    NOT NULL,
    reason             TEXT,
    before_head_commit TEXT,
    after_head_commit  TEXT,
    started_at         INTEGER NOT NULL,
    completed_at       INTEGER,
    updated_at         INTEGER NOT NULL,
    UNIQUE (attempt_id, ordinal)
) STRICT;
CREATE TABLE project (
    id             BLOB    NOT NULL PRIMARY KEY,
    name           TEXT    NOT NULL,
    git_repo_path  TEXT    NOT NULL UNIQUE,
    setup_script   TEXT,
    dev_script     TEXT,
    cleanup_script TEXT,
    copy_files     TEXT,
    commit_prompt  TEXT,
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL
) STRICT;
CREATE TABLE start_answer (
    idempotency_key TEXT    NOT NULL PRIMARY KEY,
    fingerprint     TEXT    NOT NULL,
    started         TEXT    NOT NULL,
    created_at      INTEGER NOT NULL
) STRICT;
CREATE TABLE start_intent (
    attempt_id      BLOB    NOT NULL PRIMARY KEY,
    project_id      BLOB    NOT NULL REFERENCES project (id),
    task_id         BLOB REFERENCES task (id),
    idempotency_key TEXT UNIQUE,
    intent          TEXT    NOT NULL,
    created_at      INTEGER NOT NULL
) STRICT;
CREATE TABLE task (
    id                  BLOB    NOT NULL PRIMARY KEY,
    project_id          BLOB    NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    title               TEXT    NOT NULL,
    description         TEXT,
    status              TEXT    NOT NULL,
    parent_task_attempt BLOB REFERENCES attempt (id) ON DELETE SET NULL,
    created_at          INTEGER NOT NULL,
    updated_at          INTEGER NOT NULL
) STRICT;
CREATE INDEX attempt_by_age ON attempt (created_at, id);
CREATE INDEX attempt_by_project ON attempt (project_id);
CREATE INDEX attempt_by_task ON attempt (task_id, created_at, id, status, executor);
CREATE INDEX attempt_running ON attempt (created_at, id) WHERE status = 'running';
CREATE UNIQUE INDEX process_alone ON process (attempt_id) WHERE status = 'running' AND kind <> 'devserver';
CREATE INDEX process_running ON process (started_at, id) WHERE status = 'running';
CREATE INDEX start_answer_by_age ON start_answer (created_at);
CREATE INDEX task_by_parent ON task (parent_task_attempt) WHERE parent_task_attempt IS NOT NULL;
CREATE INDEX task_by_project ON task (project_id, created_at, id);
PRAGMA foreign_keys = OFF;
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (1, 'init', '2026-11-15 20:44:43', 1, X'E99A676FE7EA3DDF8D6E73E03F6557D942ED2CF5AEB2E77E70C47A99D39511CF2979A22A6285E1FFE5DF4ADBB314F466', 7712413);
INSERT INTO attempt (id, task_id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at) VALUES (X'FF347AE7E0B84695B20A47BD5A955075', X'2C4FF24C4D25458B8B78FA0A0582B302', X'913C2996A6A94BE48FBA1580F2620E60', 'CLAUDE_CODE', NULL, 'forge/2', 'main', '/worktrees/2', 0, 20000, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200002, 1768435200002);
INSERT INTO attempt (id, task_id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at) VALUES (X'3326DDC97F7E46439C08AFD80AD8C707', X'61F4CB27FAA84C54950432DB166211C1', X'913C2996A6A94BE48FBA1580F2620E60', 'CLAUDE_CODE', NULL, 'forge/4', 'main', '/worktrees/4', 0, 20010, NULL, 1, 'failed', '{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}}', 1768435200004, 1768435200005);
INSERT INTO event (seq, at, fact) VALUES (1, 1794775483187, '{"type":"project_created","value":{"id":"913c2996-a6a9-4be4-8fba-1580f2620e60","name":"project 1","git_repo_path":"/repositories/1","setup_script":"npm ci","dev_script":null,"cleanup_script":"cargo fmt","copy_files":".env, config/*.local","commit_prompt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (2, 1794775483198, '{"type":"task_created","value":{"task":{"id":"61f4cb27-faa8-4c54-9504-32db166211c1","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","title":"task 1","description":"in a few words","status":"todo","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (3, 1794775483200, '{"type":"task_created","value":{"task":{"id":"2c4ff24c-4d25-458b-8b78-fa0a0582b302","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (4, 1794775483200, '{"type":"attempt_created","value":{"id":"ff347ae7-e0b8-4695-b20a-47bd5a955075","task_id":"2c4ff24c-4d25-458b-8b78-fa0a0582b302","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/2","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"}}');
INSERT INTO event (seq, at, fact) VALUES (5, 1794775483200, '{"type":"process_created","value":{"id":"a93a92be-abdd-47c5-8b1e-d38c08bcac67","attempt_id":"ff347ae7-e0b8-4695-b20a-47bd5a955075","kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z"}}');
INSERT INTO event (seq, at, fact) VALUES (6, 1794775483206, '{"type":"task_created","value":{"task":{"id":"316a8195-369a-4fe7-94d4-3c983bd7bc6e","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","title":"task 3","description":"in a few words","status":"todo","parent_task_attempt":"ff347ae7-e0b8-4695-b20a-47bd5a955075","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.003Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (7, 1794775483207, '{"type":"task_updated","value":{"task":{"id":"61f4cb27-faa8-4c54-9504-32db166211c1","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","title":"task 1","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.004Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (8, 1794775483207, '{"type":"attempt_created","value":{"id":"3326ddc9-7f7e-4643-9c08-afd80ad8c707","task_id":"61f4cb27-faa8-4c54-9504-32db166211c1","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/4","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.004Z"}}');
INSERT INTO event (seq, at, fact) VALUES (9, 1794775483207, '{"type":"process_created","value":{"id":"c6108d7e-d25a-4ae5-88ec-a59e34a8c4e0","attempt_id":"3326ddc9-7f7e-4643-9c08-afd80ad8c707","kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.004Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.004Z"}}');
INSERT INTO event (seq, at, fact) VALUES (10, 1794775483213, '{"type":"process_updated","value":{"id":"c6108d7e-d25a-4ae5-88ec-a59e34a8c4e0","attempt_id":"3326ddc9-7f7e-4643-9c08-afd80ad8c707","kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"ended","end":{"type":"exited","code":0}},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.004Z","completed_at":"2026-01-15T00:00:00.005Z","updated_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (11, 1794775483213, '{"type":"attempt_updated","value":{"id":"3326ddc9-7f7e-4643-9c08-afd80ad8c707","task_id":"61f4cb27-faa8-4c54-9504-32db166211c1","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/4","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (12, 1794775483213, '{"type":"task_updated","value":{"task":{"id":"61f4cb27-faa8-4c54-9504-32db166211c1","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","title":"task 1","description":"in a few words","status":"inreview","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.005Z"},"has_in_progress_attempt":false,"last_attempt_failed":true,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (13, 1794775483215, '{"type":"follow_up_queued","value":{"id":"2493d5f1-e5c8-4663-a120-4ce9a8f5b5b0","attempt_id":"ff347ae7-e0b8-4695-b20a-47bd5a955075","prompt":"prompt 5","variant":"PLAN","created_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, created_at) VALUES (X'2493D5F1E5C84663A1204CE9A8F5B5B0', X'FF347AE7E0B84695B20A47BD5A955075', 1, 'prompt 5', 'PLAN', 1768435200005);
INSERT INTO port_block (first_port, attempt_id) VALUES (20000, X'FF347AE7E0B84695B20A47BD5A955075');
INSERT INTO port_block (first_port, attempt_id) VALUES (20010, X'3326DDC97F7E46439C08AFD80AD8C707');
INSERT INTO port_block (first_port, attempt_id) VALUES (20020, X'A5F9AF841CBB4F13A4F3D1D47246A921');
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at) VALUES (X'A93A92BEABDD47C58B1ED38C08BCAC67', X'FF347AE7E0B84695B20A47BD5A955075', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200002, NULL, 1768435200002);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at) VALUES (X'C6108D7ED25A4AE588ECA59E34A8C4E0', X'3326DDC97F7E46439C08AFD80AD8C707', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'completed', '{"state":"ended","end":{"type":"exited","code":0}}', NULL, '0123456789abcdef', NULL, 1768435200004, 1768435200005, 1768435200005);
INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files, commit_prompt, created_at, updated_at) VALUES (X'913C2996A6A94BE48FBA1580F2620E60', 'project 1', '/repositories/1', 'npm ci', NULL, 'cargo fmt', '.env, config/*.local', NULL, 1768435200001, 1768435200001);
INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at) VALUES ('key', 'what was asked', '{"task":{"task":{"id":"2c4ff24c-4d25-458b-8b78-fa0a0582b302","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1},"attempt":{"id":"ff347ae7-e0b8-4695-b20a-47bd5a955075","task_id":"2c4ff24c-4d25-458b-8b78-fa0a0582b302","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/2","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"process":{"id":"a93a92be-abdd-47c5-8b1e-d38c08bcac67","attempt_id":"ff347ae7-e0b8-4695-b20a-47bd5a955075","kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z"}}', 1794775483200);
INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at) VALUES (X'A5F9AF841CBB4F13A4F3D1D47246A921', X'913C2996A6A94BE48FBA1580F2620E60', X'316A8195369A4FE794D43C983BD7BC6E', NULL, '{"attempt":{"id":"a5f9af84-1cbb-4f13-a4f3-d1d47246a921","task_id":"316a8195-369a-4fe7-94d4-3c983bd7bc6e","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/6","target_branch":"main","worktree":"/worktrees/6","worktree_deleted":false,"first_port":20020,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.006Z","updated_at":"2026-01-15T00:00:00.006Z"},"task":{"existing":{"id":"316a8195-369a-4fe7-94d4-3c983bd7bc6e","project_id":"913c2996-a6a9-4be4-8fba-1580f2620e60","title":"task 3","description":"in a few words","status":"inprogress","parent_task_attempt":"ff347ae7-e0b8-4695-b20a-47bd5a955075","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.006Z"}},"process":{"id":"56084a02-6fa0-480f-a6ea-c45172b77537","attempt_id":"a5f9af84-1cbb-4f13-a4f3-d1d47246a921","kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.006Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.006Z"},"idempotency_key":null,"fingerprint":"what was asked","created_at":"2026-01-15T00:00:00.006Z"}', 1768435200006);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at) VALUES (X'61F4CB27FAA84C54950432DB166211C1', X'913C2996A6A94BE48FBA1580F2620E60', 'task 1', 'in a few words', 'inreview', NULL, 1768435200001, 1768435200005);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at) VALUES (X'2C4FF24C4D25458B8B78FA0A0582B302', X'913C2996A6A94BE48FBA1580F2620E60', 'task 2', 'in a few words', 'inprogress', NULL, 1768435200002, 1768435200002);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at) VALUES (X'316A8195369A4FE794D43C983BD7BC6E', X'913C2996A6A94BE48FBA1580F2620E60', 'task 3', 'in a few words', 'todo', X'FF347AE7E0B84695B20A47BD5A955075', 1768435200003, 1768435200003);