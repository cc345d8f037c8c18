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
, choices TEXT NOT NULL DEFAULT '[]', choice TEXT, timeout_at INTEGER) STRICT;
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
, task_id BLOB REFERENCES task (id) ON DELETE CASCADE, prompt TEXT, input_tokens INTEGER NOT NULL DEFAULT 0, cached_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0, cost_micros INTEGER, node BLOB) STRICT;
CREATE TABLE database_identity (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    database_id BLOB    NOT NULL
) STRICT;
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
    created_at INTEGER NOT NULL, retry TEXT, how TEXT NOT NULL DEFAULT '{}', interrupt INTEGER NOT NULL DEFAULT 0, not_before INTEGER,
    UNIQUE (attempt_id, ordinal)
) STRICT;
CREATE TABLE global_settings (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    settings   TEXT    NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE image (
    id            BLOB    NOT NULL PRIMARY KEY,
    kind          TEXT    NOT NULL,
    original_name TEXT    NOT NULL,
    size_bytes    INTEGER NOT NULL,
    hash          TEXT    NOT NULL UNIQUE,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;
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
    updated_at         INTEGER NOT NULL, dropped INTEGER NOT NULL DEFAULT 0, input_tokens INTEGER NOT NULL DEFAULT 0, cached_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0, cost_micros INTEGER, node BLOB,
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
, default_base_branch TEXT) STRICT;
CREATE TABLE project_settings (
    project_id BLOB    NOT NULL PRIMARY KEY REFERENCES project (id) ON DELETE CASCADE,
    settings   TEXT    NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE standing_agent (
    id         BLOB    NOT NULL PRIMARY KEY,
    project_id BLOB    NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    agent_type TEXT    NOT NULL,
    task_id    BLOB    NOT NULL UNIQUE REFERENCES task (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, agent_type)
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
, node BLOB) STRICT;
CREATE TABLE tag (
    id          BLOB    NOT NULL PRIMARY KEY,
    tag_name    TEXT    NOT NULL UNIQUE,
    description TEXT,
    content     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
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
CREATE TABLE task_image (
    task_id    BLOB    NOT NULL REFERENCES task (id) ON DELETE CASCADE,
    image_id   BLOB    NOT NULL REFERENCES image (id) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (task_id, image_id)
) STRICT;
CREATE INDEX approval_by_age ON approval (answered_at) WHERE answered_at IS NOT NULL;
CREATE INDEX approval_by_process ON approval (process_id) WHERE process_id IS NOT NULL;
CREATE INDEX approval_pending ON approval (created_at, id) WHERE status = 'pending';
CREATE INDEX attempt_by_age ON attempt (created_at, id);
CREATE INDEX attempt_by_project ON attempt (project_id);
CREATE INDEX attempt_by_task ON attempt (task_id, created_at, id, status, executor);
CREATE INDEX attempt_by_worktree ON attempt (worktree);
CREATE INDEX attempt_run ON attempt (created_at, id) WHERE task_id IS NULL;
CREATE INDEX attempt_running ON attempt (created_at, id) WHERE status = 'running';
CREATE UNIQUE INDEX process_alone ON process (attempt_id) WHERE status = 'running' AND kind <> 'devserver';
CREATE INDEX process_running ON process (started_at, id) WHERE status = 'running';
CREATE INDEX start_answer_by_age ON start_answer (created_at);
CREATE INDEX task_by_parent ON task (parent_task_attempt) WHERE parent_task_attempt IS NOT NULL;
CREATE INDEX task_by_project ON task (project_id, created_at, id);
CREATE INDEX task_image_by_image ON task_image (image_id);
PRAGMA foreign_keys = OFF;
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (1, 'init', '2026-11-18 12:36:37', 1, X'E99A676FE7EA3DDF8D6E73E03F6557D942ED2CF5AEB2E77E70C47A99D39511CF2979A22A6285E1FFE5DF4ADBB314F466', 1407661);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (2, 'cards', '2026-11-18 12:36:37', 1, X'935C4CFCB2C535CAE78630E6920B95A098B3ECF7AEEC405E85A69B50B79CE9F3282860C483291688BB05C4D5B2051385', 1261582);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (3, 'stuff', '2026-11-18 12:36:37', 1, X'E26E0965ABDC40FFF50E4D622219E481C5B9839702FC3F4E2EBB8A3D290BF815A55BA6B3B0F260A906B00F4A71A2CFAD', 808406);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (4, 'turns', '2026-11-18 12:36:37', 1, X'1650AC979AE4A66440C49C7A6A0DEE83B06091075D603E3C0F65F90C51903D6E3889B93EA8FBE395489BB565F1AEC576', 951931);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (5, 'runs', '2026-11-18 12:36:37', 1, X'C1DEF876A726547B7BF0C34FA59C892765FD06E86A8BBAC706430948F9836336376A3CA4F39D5632CEF00FDB365681BF', 3084503);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (6, 'default_branch', '2026-11-18 12:36:37', 1, X'5EFE0738243D5ACE2CED07E2C682B215B02C9950B9706866EDADCF5B4D8A157B9B8F797E56DD14B2577A180434EA749F', 651853);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (7, 'talk', '2026-11-18 12:36:37', 1, X'26A4420CAA1703DEAA5A40E9921D9FA44399B9A354D589B8EB5BC14BB5B25926808552DC312A5A21731D81DE0176B100', 1910420);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (8, 'usage', '2026-11-18 12:36:37', 1, X'E31BABB69ED98E96418E1CB6E9B7D32A93B5A14883AE0239F1E6A78AE35918EEB9658B94BE87EB42FF3574478A311656', 2421433);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (9, 'nodes', '2026-11-18 12:36:37', 1, X'B4D879961B09C88EFB7B08384A239C1EC5EB9E72CC6F0ADB263C708A9B2AB5F80532499731428F6076029A99C7FAD090', 1333019);
INSERT INTO approval (id, process_id, message, context, status, comment, created_at, answered_at, choices, choice, timeout_at) VALUES (X'E9D261A5ABF1444080BA9BFE0AA45F95', X'EA2528E404B1480F93057C607159A15D', 'may I 8?', '{"args":["-r","\u0000é"],"tool":"rm"}', 'pending', NULL, 1768435200008, NULL, '[]', NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'7C15D627655D45069DDFEB04E42EDF7A', X'0AC40F22F535425C8FF29CA5C7A0C7D3', 'CLAUDE_CODE', NULL, 'forge/2', 'main', '/worktrees/7c15d627-655d-4506-9ddf-eb04e42edf7a', 0, 20000, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200002, 1768435200002, X'1E797467A417456E8F8FC31ED2035E9C', NULL, 0, 0, 0, NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'AC9D0D40FE034C69B9326F6F1F298D9B', X'0AC40F22F535425C8FF29CA5C7A0C7D3', 'CLAUDE_CODE', NULL, 'forge/4', 'main', '/worktrees/ac9d0d40-fe03-4c69-b932-6f6f1f298d9b', 0, 20010, NULL, 1, 'failed', '{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}}', 1768435200004, 1768435200005, X'FCD865407E434C96AE91DAEB5F8C7C33', NULL, 0, 0, 0, NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'CBF0946B9F2741BAA34D08C543567266', X'0AC40F22F535425C8FF29CA5C7A0C7D3', 'CLAUDE_CODE', NULL, 'forge/7', 'main', '/worktrees/cbf0946b-9f27-41ba-a34d-08c543567266', 0, 20030, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200007, 1768435200007, NULL, 'count the lines', 0, 0, 0, NULL, NULL);
INSERT INTO database_identity (id, database_id) VALUES (1, X'9386C1FEE11AE2D2C895DFA2DC24B3CE');
INSERT INTO draft (attempt_id, kind, retry_process_id, prompt, variant, image_ids, follow_up_id, version, created_at, updated_at) VALUES (X'7C15D627655D45069DDFEB04E42EDF7A', 'follow_up', NULL, 'half a sen', NULL, NULL, NULL, 1, 1795005397117, 1795005397117);
INSERT INTO event (seq, at, fact) VALUES (1, 1795005397110, '{"type":"project_created","value":{"id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","name":"project 1","git_repo_path":"/repositories/1","setup_script":"npm ci","dev_script":null,"cleanup_script":"cargo fmt","copy_files":".env, config/*.local","commit_prompt":null,"default_base_branch":"develop","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (2, 1795005397111, '{"type":"task_created","value":{"task":{"id":"fcd86540-7e43-4c96-ae91-daeb5f8c7c33","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","title":"task 1","description":"in a few words","status":"todo","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (3, 1795005397112, '{"type":"task_created","value":{"task":{"id":"1e797467-a417-456e-8f8f-c31ed2035e9c","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (4, 1795005397112, '{"type":"attempt_created","value":{"id":"7c15d627-655d-4506-9ddf-eb04e42edf7a","task_id":"1e797467-a417-456e-8f8f-c31ed2035e9c","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/7c15d627-655d-4506-9ddf-eb04e42edf7a","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (5, 1795005397112, '{"type":"process_created","value":{"id":"3959e066-40cf-4ae2-9760-729f6b0c8c72","attempt_id":"7c15d627-655d-4506-9ddf-eb04e42edf7a","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (6, 1795005397113, '{"type":"task_created","value":{"task":{"id":"4e22c4d4-2a3a-4e2b-bfea-5f1891de775c","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","title":"task 3","description":"in a few words","status":"todo","parent_task_attempt":"7c15d627-655d-4506-9ddf-eb04e42edf7a","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.003Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (7, 1795005397114, '{"type":"task_updated","value":{"task":{"id":"fcd86540-7e43-4c96-ae91-daeb5f8c7c33","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","title":"task 1","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.004Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (8, 1795005397114, '{"type":"attempt_created","value":{"id":"ac9d0d40-fe03-4c69-b932-6f6f1f298d9b","task_id":"fcd86540-7e43-4c96-ae91-daeb5f8c7c33","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/ac9d0d40-fe03-4c69-b932-6f6f1f298d9b","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (9, 1795005397114, '{"type":"process_created","value":{"id":"b3a81521-2b6f-4e9f-a3c2-6e3cb8b99cd2","attempt_id":"ac9d0d40-fe03-4c69-b932-6f6f1f298d9b","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (10, 1795005397115, '{"type":"process_updated","value":{"id":"b3a81521-2b6f-4e9f-a3c2-6e3cb8b99cd2","attempt_id":"ac9d0d40-fe03-4c69-b932-6f6f1f298d9b","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"ended","end":{"type":"exited","code":0}},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":"2026-01-15T00:00:00.005Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (11, 1795005397115, '{"type":"attempt_updated","value":{"id":"ac9d0d40-fe03-4c69-b932-6f6f1f298d9b","task_id":"fcd86540-7e43-4c96-ae91-daeb5f8c7c33","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/ac9d0d40-fe03-4c69-b932-6f6f1f298d9b","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}},"node":null,"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (12, 1795005397115, '{"type":"task_updated","value":{"task":{"id":"fcd86540-7e43-4c96-ae91-daeb5f8c7c33","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","title":"task 1","description":"in a few words","status":"inreview","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.005Z"},"has_in_progress_attempt":false,"last_attempt_failed":true,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (13, 1795005397117, '{"type":"follow_up_queued","value":{"id":"edca09f0-bf41-4b0a-8f46-710e0b8f0868","attempt_id":"7c15d627-655d-4506-9ddf-eb04e42edf7a","prompt":"prompt 5","variant":"PLAN","model":"small","retry":null,"interrupt":false,"not_before":null,"created_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (14, 1795005397117, '{"type":"draft_updated","value":{"attempt_id":"7c15d627-655d-4506-9ddf-eb04e42edf7a","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","kind":"follow_up","retry_process_id":null,"prompt":"half a sen","variant":null,"image_ids":null,"queued":null,"version":1,"created_at":"2026-11-18T12:36:37.117Z","updated_at":"2026-11-18T12:36:37.117Z"}}');
INSERT INTO event (seq, at, fact) VALUES (15, 1795005397119, '{"type":"attempt_created","value":{"id":"cbf0946b-9f27-41ba-a34d-08c543567266","task_id":null,"project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","prompt":"count the lines","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/7","target_branch":"main","worktree":"/worktrees/cbf0946b-9f27-41ba-a34d-08c543567266","worktree_deleted":false,"first_port":20030,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (16, 1795005397119, '{"type":"process_created","value":{"id":"ea2528e4-04b1-480f-9305-7c607159a15d","attempt_id":"cbf0946b-9f27-41ba-a34d-08c543567266","in_run":true,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.007Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (17, 1795005397119, '{"type":"approval_asked","value":{"id":"e9d261a5-abf1-4440-80ba-9bfe0aa45f95","process_id":"ea2528e4-04b1-480f-9305-7c607159a15d","message":"may I 8?","context":{"args":["-r","\u0000é"],"tool":"rm"},"choices":[],"status":"pending","choice":null,"comment":null,"created_at":"2026-01-15T00:00:00.008Z","timeout_at":null,"answered_at":null}}');
INSERT INTO event (seq, at, fact) VALUES (18, 1795005397120, '{"type":"tag_created","value":{"id":"9b138b90-8a5e-4ff0-a004-0a0c21edfff7","tag_name":"tag_1","description":null,"content":"content 1","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (19, 1795005397120, '{"type":"image_created","value":{"id":"2ac99dc2-e95b-4bce-b71f-6ebcc63ea6a6","kind":"png","original_name":"1.png","size_bytes":1,"hash":"0000000000000000000000000000000000000000000000000000000000000001","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (20, 1795005397120, '{"type":"task_images_changed","value":{"task_id":"fcd86540-7e43-4c96-ae91-daeb5f8c7c33","image_ids":["2ac99dc2-e95b-4bce-b71f-6ebcc63ea6a6"]}}');
INSERT INTO event (seq, at, fact) VALUES (21, 1795005397121, '{"type":"task_created","value":{"task":{"id":"04c0832d-6998-40e3-b2d7-bac5c791cf4a","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","title":"Genie","description":"in a few words","status":"agent","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (22, 1795005397121, '{"type":"standing_agent_created","value":{"id":"5b0c5d0d-e5c3-491a-8ec8-e4bc5cea3b66","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","agent_type":"wish","task_id":"04c0832d-6998-40e3-b2d7-bac5c791cf4a","created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (23, 1795005397121, '{"type":"settings_updated","value":{"project_id":null}}');
INSERT INTO event (seq, at, fact) VALUES (24, 1795005397122, '{"type":"settings_updated","value":{"project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3"}}');
INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, created_at, retry, how, interrupt, not_before) VALUES (X'EDCA09F0BF414B0A8F46710E0B8F0868', X'7C15D627655D45069DDFEB04E42EDF7A', 1, 'prompt 5', 'PLAN', 1768435200005, NULL, '{"model":"small"}', 0, NULL);
INSERT INTO global_settings (id, settings, updated_at) VALUES (1, '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1795005397121);
INSERT INTO image (id, kind, original_name, size_bytes, hash, created_at, updated_at) VALUES (X'2AC99DC2E95B4BCEB71F6EBCC63EA6A6', 'png', '1.png', 1, '0000000000000000000000000000000000000000000000000000000000000001', 1768435200001, 1768435200001);
INSERT INTO node (id, name, data_folder, machine, inode, generation, serving, created_at, updated_at) VALUES (X'D7D6FCBC685346E0A142D20E29785194', 'node', '/data', 'machine', 1, NULL, 1, 1795005397110, 1795005397110);
INSERT INTO port_block (first_port, attempt_id) VALUES (20000, X'7C15D627655D45069DDFEB04E42EDF7A');
INSERT INTO port_block (first_port, attempt_id) VALUES (20010, X'AC9D0D40FE034C69B9326F6F1F298D9B');
INSERT INTO port_block (first_port, attempt_id) VALUES (20020, X'D1EF089981B04313AFC226FA86F5B95F');
INSERT INTO port_block (first_port, attempt_id) VALUES (20030, X'CBF0946B9F2741BAA34D08C543567266');
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'3959E06640CF4AE29760729F6B0C8C72', X'7C15D627655D45069DDFEB04E42EDF7A', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200002, NULL, 1768435200002, 0, 0, 0, 0, NULL, NULL);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'B3A815212B6F4E9FA3C26E3CB8B99CD2', X'AC9D0D40FE034C69B9326F6F1F298D9B', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'completed', '{"state":"ended","end":{"type":"exited","code":0}}', NULL, '0123456789abcdef', NULL, 1768435200004, 1768435200005, 1768435200005, 0, 0, 0, 0, NULL, NULL);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'EA2528E404B1480F93057C607159A15D', X'CBF0946B9F2741BAA34D08C543567266', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200007, NULL, 1768435200007, 0, 0, 0, 0, NULL, NULL);
INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files, commit_prompt, created_at, updated_at, default_base_branch) VALUES (X'0AC40F22F535425C8FF29CA5C7A0C7D3', 'project 1', '/repositories/1', 'npm ci', NULL, 'cargo fmt', '.env, config/*.local', NULL, 1768435200001, 1768435200001, 'develop');
INSERT INTO project_settings (project_id, settings, updated_at) VALUES (X'0AC40F22F535425C8FF29CA5C7A0C7D3', '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1795005397122);
INSERT INTO standing_agent (id, project_id, agent_type, task_id, created_at, updated_at) VALUES (X'5B0C5D0DE5C3491A8EC8E4BC5CEA3B66', X'0AC40F22F535425C8FF29CA5C7A0C7D3', 'wish', X'04C0832D699840E3B2D7BAC5C791CF4A', 1768435200007, 1768435200007);
INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at) VALUES ('key', 'what was asked', '{"task":{"task":{"id":"1e797467-a417-456e-8f8f-c31ed2035e9c","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1},"attempt":{"id":"7c15d627-655d-4506-9ddf-eb04e42edf7a","task_id":"1e797467-a417-456e-8f8f-c31ed2035e9c","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/7c15d627-655d-4506-9ddf-eb04e42edf7a","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"process":{"id":"3959e066-40cf-4ae2-9760-729f6b0c8c72","attempt_id":"7c15d627-655d-4506-9ddf-eb04e42edf7a","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}', 1795005397112);
INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at, node) VALUES (X'D1EF089981B04313AFC226FA86F5B95F', X'0AC40F22F535425C8FF29CA5C7A0C7D3', X'4E22C4D42A3A4E2BBFEA5F1891DE775C', NULL, '{"attempt":{"id":"d1ef0899-81b0-4313-afc2-26fa86f5b95f","task_id":"4e22c4d4-2a3a-4e2b-bfea-5f1891de775c","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/6","target_branch":"main","worktree":"/worktrees/d1ef0899-81b0-4313-afc2-26fa86f5b95f","worktree_deleted":false,"first_port":20020,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.006Z","updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"task":{"existing":{"id":"4e22c4d4-2a3a-4e2b-bfea-5f1891de775c","project_id":"0ac40f22-f535-425c-8ff2-9ca5c7a0c7d3","title":"task 3","description":"in a few words","status":"inprogress","parent_task_attempt":"7c15d627-655d-4506-9ddf-eb04e42edf7a","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.006Z"}},"process":{"id":"492b6cea-ae72-4b8a-8c96-cc73308df190","attempt_id":"d1ef0899-81b0-4313-afc2-26fa86f5b95f","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.006Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"idempotency_key":null,"fingerprint":"what was asked","created_at":"2026-01-15T00:00:00.006Z","images":[]}', 1768435200006, NULL);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D001', 'bug_analysis', 'Find the cause of a bug before it is mended', 'Find out why this goes wrong before you change anything.

- [ ] Reproduce it: say which steps and which input lead to it
- [ ] Say what should happen, and what happens instead
- [ ] Follow the data to the first place where something is wrong, and name file and line
- [ ] Say since when it is so, if the history tells
- [ ] Look for other places with the same mistake
- [ ] Propose the smallest change that mends the cause and not the symptom
- [ ] Name a test that fails now and passes afterwards', 1795005397000, 1795005397000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D002', 'add_unit_tests', 'Write tests that can fail', 'Write tests for this code.

- [ ] Use the test framework and the style that the project has
- [ ] The ordinary case
- [ ] The edges: nothing, one, many, the largest, the unexpected
- [ ] Each error that callers can meet
- [ ] No test depends on another, on the clock or on the network
- [ ] Each name says what is expected
- [ ] Break the code once on purpose and see the test fail
- [ ] Run the whole suite', 1795005397000, 1795005397000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D003', 'code_refactoring', 'Make code better without changing what it does', 'Make this code easier to read and to change. What it does stays the same.

- [ ] See that tests cover what you are about to touch; write those that are missing first
- [ ] Give things names that say what they are
- [ ] Take apart what does more than one thing
- [ ] Remove what is there twice and what nobody uses
- [ ] Keep each step small, and run the tests after each
- [ ] Leave public interfaces as they are, or say which ones change and why', 1795005397000, 1795005397000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'9B138B908A5E4FF0A0040A0C21EDFFF7', 'tag_1', NULL, 'content 1', 1768435200001, 1768435200001);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'FCD865407E434C96AE91DAEB5F8C7C33', X'0AC40F22F535425C8FF29CA5C7A0C7D3', 'task 1', 'in a few words', 'inreview', NULL, 1768435200001, 1768435200005, 0, 1, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'1E797467A417456E8F8FC31ED2035E9C', X'0AC40F22F535425C8FF29CA5C7A0C7D3', 'task 2', 'in a few words', 'inprogress', NULL, 1768435200002, 1768435200002, 1, 0, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'4E22C4D42A3A4E2BBFEA5F1891DE775C', X'0AC40F22F535425C8FF29CA5C7A0C7D3', 'task 3', 'in a few words', 'todo', X'7C15D627655D45069DDFEB04E42EDF7A', 1768435200003, 1768435200003, 0, 0, '', 0);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'04C0832D699840E3B2D7BAC5C791CF4A', X'0AC40F22F535425C8FF29CA5C7A0C7D3', 'Genie', 'in a few words', 'agent', NULL, 1768435200007, 1768435200007, 0, 0, '', 0);
INSERT INTO task_image (task_id, image_id, ordinal, created_at) VALUES (X'FCD865407E434C96AE91DAEB5F8C7C33', X'2AC99DC2E95B4BCEB71F6EBCC63EA6A6', 1, 1795005397120);