CREATE TABLE _sqlx_migrations (
    version BIGINT PRIMARY KEY,
    description TEXT NOT NULL,
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP,
    success BOOLEAN NOT NULL,
    checksum BLOB NOT NULL,
    execution_time BIGINT NOT NULL
);
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
CREATE TABLE attempt (
    id               BLOB    NOT NULL PRIMARY KEY,
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
, task_id BLOB REFERENCES task (id) ON DELETE CASCADE, prompt TEXT) STRICT;
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
, attempt_running INTEGER NOT NULL DEFAULT 0, attempt_failed  INTEGER NOT NULL DEFAULT 0, executor        TEXT    NOT NULL DEFAULT '', attempt_count   INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE INDEX approval_by_age ON approval (answered_at) WHERE answered_at IS NOT NULL;
CREATE INDEX approval_by_process ON approval (process_id) WHERE process_id IS NOT NULL;
CREATE INDEX approval_pending ON approval (created_at, id) WHERE status = 'pending';
CREATE INDEX attempt_by_age ON attempt (created_at, id);
CREATE INDEX attempt_by_project ON attempt (project_id);
CREATE INDEX attempt_by_task ON attempt (task_id, created_at, id, status, executor);
CREATE INDEX attempt_run ON attempt (created_at, id) WHERE task_id IS NULL;
CREATE INDEX attempt_running ON attempt (created_at, id) WHERE status = 'running';
CREATE UNIQUE INDEX process_alone ON process (attempt_id) WHERE status = 'running' AND kind <> 'devserver';
CREATE INDEX process_running ON process (started_at, id) WHERE status = 'running';
CREATE INDEX start_answer_by_age ON start_answer (created_at);
CREATE INDEX task_by_parent ON task (parent_task_attempt) WHERE parent_task_attempt IS NOT NULL;
CREATE INDEX task_by_project ON task (project_id, created_at, id);
PRAGMA foreign_keys = OFF;
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (1, 'init', '2026-11-16 04:20:45', 1, X'E99A676FE7EA3DDF8D6E73E03F6557D942ED2CF5AEB2E77E70C47A99D39511CF2979A22A6285E1FFE5DF4ADBB314F466', 2147530);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (2, 'cards', '2026-11-16 04:20:45', 1, X'935C4CFCB2C535CAE78630E6920B95A098B3ECF7AEEC405E85A69B50B79CE9F3282860C483291688BB05C4D5B2051385', 1606469);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (5, 'runs', '2026-11-16 04:20:45', 1, X'C1DEF876A726547B7BF0C34FA59C892765FD06E86A8BBAC706430948F9836336376A3CA4F39D5632CEF00FDB365681BF', 3645799);
INSERT INTO approval (id, process_id, message, context, status, comment, created_at, answered_at) VALUES (X'DDE4A5E20500470B8512E27513959960', X'6111004F825C4A56AD00B4564E8499D2', 'may I 8?', '{"args":["-r","\u0000é"],"tool":"rm"}', 'pending', NULL, 1768435200008, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'77B18159D84D4691A6E47D538E0CBBAA', X'4A808A2CEEEC4421A5DC2C0A931C3414', 'CLAUDE_CODE', NULL, 'forge/2', 'main', '/worktrees/2', 0, 20000, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200002, 1768435200002, X'33E844885DC642848128E14F701618F9', NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'1C65F8635E0A4671A3586F282EAA95DA', X'4A808A2CEEEC4421A5DC2C0A931C3414', 'CLAUDE_CODE', NULL, 'forge/4', 'main', '/worktrees/4', 0, 20010, NULL, 1, 'failed', '{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}}', 1768435200004, 1768435200005, X'C27C823446454D958B12C06E5D15170C', NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'50273646AD1E4E0298EA740FF4EDE7F5', X'4A808A2CEEEC4421A5DC2C0A931C3414', 'CLAUDE_CODE', NULL, 'forge/7', 'main', '/worktrees/7', 0, 20030, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200007, 1768435200007, NULL, 'count the lines');
INSERT INTO event (seq, at, fact) VALUES (1, 1794802845897, '{"type":"project_created","value":{"id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","name":"project 1","git_repo_path":"/repositories/1","setup_script":"npm ci","dev_script":null,"cleanup_script":"cargo fmt","copy_files":".env, config/*.local","commit_prompt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (2, 1794802845897, '{"type":"task_created","value":{"task":{"id":"c27c8234-4645-4d95-8b12-c06e5d15170c","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","title":"task 1","description":"in a few words","status":"todo","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (3, 1794802845898, '{"type":"task_created","value":{"task":{"id":"33e84488-5dc6-4284-8128-e14f701618f9","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (4, 1794802845898, '{"type":"attempt_created","value":{"id":"77b18159-d84d-4691-a6e4-7d538e0cbbaa","task_id":"33e84488-5dc6-4284-8128-e14f701618f9","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/2","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"}}');
INSERT INTO event (seq, at, fact) VALUES (5, 1794802845898, '{"type":"process_created","value":{"id":"2df04cbc-de70-43e3-96fb-2523d3167b01","attempt_id":"77b18159-d84d-4691-a6e4-7d538e0cbbaa","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z"}}');
INSERT INTO event (seq, at, fact) VALUES (6, 1794802845900, '{"type":"task_created","value":{"task":{"id":"3ba492af-4b21-4ada-b874-b69d74e946b5","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","title":"task 3","description":"in a few words","status":"todo","parent_task_attempt":"77b18159-d84d-4691-a6e4-7d538e0cbbaa","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.003Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (7, 1794802845901, '{"type":"task_updated","value":{"task":{"id":"c27c8234-4645-4d95-8b12-c06e5d15170c","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","title":"task 1","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.004Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (8, 1794802845901, '{"type":"attempt_created","value":{"id":"1c65f863-5e0a-4671-a358-6f282eaa95da","task_id":"c27c8234-4645-4d95-8b12-c06e5d15170c","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/4","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.004Z"}}');
INSERT INTO event (seq, at, fact) VALUES (9, 1794802845901, '{"type":"process_created","value":{"id":"35982cef-ddf4-4452-8f87-7f74f0de7f4e","attempt_id":"1c65f863-5e0a-4671-a358-6f282eaa95da","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.004Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.004Z"}}');
INSERT INTO event (seq, at, fact) VALUES (10, 1794802845901, '{"type":"process_updated","value":{"id":"35982cef-ddf4-4452-8f87-7f74f0de7f4e","attempt_id":"1c65f863-5e0a-4671-a358-6f282eaa95da","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"ended","end":{"type":"exited","code":0}},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.004Z","completed_at":"2026-01-15T00:00:00.005Z","updated_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (11, 1794802845901, '{"type":"attempt_updated","value":{"id":"1c65f863-5e0a-4671-a358-6f282eaa95da","task_id":"c27c8234-4645-4d95-8b12-c06e5d15170c","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/4","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (12, 1794802845901, '{"type":"task_updated","value":{"task":{"id":"c27c8234-4645-4d95-8b12-c06e5d15170c","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","title":"task 1","description":"in a few words","status":"inreview","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.005Z"},"has_in_progress_attempt":false,"last_attempt_failed":true,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (13, 1794802845903, '{"type":"follow_up_queued","value":{"id":"37430a36-7378-40d4-9382-106a59cff909","attempt_id":"77b18159-d84d-4691-a6e4-7d538e0cbbaa","prompt":"prompt 5","variant":"PLAN","created_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (14, 1794802845904, '{"type":"attempt_created","value":{"id":"50273646-ad1e-4e02-98ea-740ff4ede7f5","task_id":null,"project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","prompt":"count the lines","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/7","target_branch":"main","worktree":"/worktrees/7","worktree_deleted":false,"first_port":20030,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (15, 1794802845904, '{"type":"process_created","value":{"id":"6111004f-825c-4a56-ad00-b4564e8499d2","attempt_id":"50273646-ad1e-4e02-98ea-740ff4ede7f5","in_run":true,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.007Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (16, 1794802845905, '{"type":"approval_asked","value":{"id":"dde4a5e2-0500-470b-8512-e27513959960","process_id":"6111004f-825c-4a56-ad00-b4564e8499d2","message":"may I 8?","context":{"args":["-r","\u0000é"],"tool":"rm"},"status":"pending","comment":null,"created_at":"2026-01-15T00:00:00.008Z","answered_at":null}}');
INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, created_at) VALUES (X'37430A36737840D49382106A59CFF909', X'77B18159D84D4691A6E47D538E0CBBAA', 1, 'prompt 5', 'PLAN', 1768435200005);
INSERT INTO port_block (first_port, attempt_id) VALUES (20000, X'77B18159D84D4691A6E47D538E0CBBAA');
INSERT INTO port_block (first_port, attempt_id) VALUES (20010, X'1C65F8635E0A4671A3586F282EAA95DA');
INSERT INTO port_block (first_port, attempt_id) VALUES (20020, X'77BB8C9E901F45ABA0BEA8C3D162569A');
INSERT INTO port_block (first_port, attempt_id) VALUES (20030, X'50273646AD1E4E0298EA740FF4EDE7F5');
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at) VALUES (X'2DF04CBCDE7043E396FB2523D3167B01', X'77B18159D84D4691A6E47D538E0CBBAA', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200002, NULL, 1768435200002);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at) VALUES (X'35982CEFDDF444528F877F74F0DE7F4E', X'1C65F8635E0A4671A3586F282EAA95DA', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'completed', '{"state":"ended","end":{"type":"exited","code":0}}', NULL, '0123456789abcdef', NULL, 1768435200004, 1768435200005, 1768435200005);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at) VALUES (X'6111004F825C4A56AD00B4564E8499D2', X'50273646AD1E4E0298EA740FF4EDE7F5', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200007, NULL, 1768435200007);
INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files, commit_prompt, created_at, updated_at) VALUES (X'4A808A2CEEEC4421A5DC2C0A931C3414', 'project 1', '/repositories/1', 'npm ci', NULL, 'cargo fmt', '.env, config/*.local', NULL, 1768435200001, 1768435200001);
INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at) VALUES ('key', 'what was asked', '{"task":{"task":{"id":"33e84488-5dc6-4284-8128-e14f701618f9","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1},"attempt":{"id":"77b18159-d84d-4691-a6e4-7d538e0cbbaa","task_id":"33e84488-5dc6-4284-8128-e14f701618f9","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/2","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"process":{"id":"2df04cbc-de70-43e3-96fb-2523d3167b01","attempt_id":"77b18159-d84d-4691-a6e4-7d538e0cbbaa","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z"}}', 1794802845898);
INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at) VALUES (X'77BB8C9E901F45ABA0BEA8C3D162569A', X'4A808A2CEEEC4421A5DC2C0A931C3414', X'3BA492AF4B214ADAB874B69D74E946B5', NULL, '{"attempt":{"id":"77bb8c9e-901f-45ab-a0be-a8c3d162569a","task_id":"3ba492af-4b21-4ada-b874-b69d74e946b5","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/6","target_branch":"main","worktree":"/worktrees/6","worktree_deleted":false,"first_port":20020,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.006Z","updated_at":"2026-01-15T00:00:00.006Z"},"task":{"existing":{"id":"3ba492af-4b21-4ada-b874-b69d74e946b5","project_id":"4a808a2c-eeec-4421-a5dc-2c0a931c3414","title":"task 3","description":"in a few words","status":"inprogress","parent_task_attempt":"77b18159-d84d-4691-a6e4-7d538e0cbbaa","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.006Z"}},"process":{"id":"de5d23df-5688-4dc6-acdb-3e4f3bf95bb7","attempt_id":"77bb8c9e-901f-45ab-a0be-a8c3d162569a","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"started_at":"2026-01-15T00:00:00.006Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.006Z"},"idempotency_key":null,"fingerprint":"what was asked","created_at":"2026-01-15T00:00:00.006Z"}', 1768435200006);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'C27C823446454D958B12C06E5D15170C', X'4A808A2CEEEC4421A5DC2C0A931C3414', 'task 1', 'in a few words', 'inreview', NULL, 1768435200001, 1768435200005, 0, 1, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'33E844885DC642848128E14F701618F9', X'4A808A2CEEEC4421A5DC2C0A931C3414', 'task 2', 'in a few words', 'inprogress', NULL, 1768435200002, 1768435200002, 1, 0, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'3BA492AF4B214ADAB874B69D74E946B5', X'4A808A2CEEEC4421A5DC2C0A931C3414', 'task 3', 'in a few words', 'todo', X'77B18159D84D4691A6E47D538E0CBBAA', 1768435200003, 1768435200003, 0, 0, '', 0);