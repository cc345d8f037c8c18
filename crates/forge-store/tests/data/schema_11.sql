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
, default_base_branch TEXT, fetch_submodules INTEGER NOT NULL DEFAULT 0, skip_commit_hooks INTEGER NOT NULL DEFAULT 0, skip_commit_signing INTEGER NOT NULL DEFAULT 0) STRICT;
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
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (1, 'init', '2026-11-20 00:14:38', 1, X'E99A676FE7EA3DDF8D6E73E03F6557D942ED2CF5AEB2E77E70C47A99D39511CF2979A22A6285E1FFE5DF4ADBB314F466', 3579599);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (2, 'cards', '2026-11-20 00:14:38', 1, X'935C4CFCB2C535CAE78630E6920B95A098B3ECF7AEEC405E85A69B50B79CE9F3282860C483291688BB05C4D5B2051385', 8003366);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (3, 'stuff', '2026-11-20 00:14:38', 1, X'E26E0965ABDC40FFF50E4D622219E481C5B9839702FC3F4E2EBB8A3D290BF815A55BA6B3B0F260A906B00F4A71A2CFAD', 8322313);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (4, 'turns', '2026-11-20 00:14:38', 1, X'1650AC979AE4A66440C49C7A6A0DEE83B06091075D603E3C0F65F90C51903D6E3889B93EA8FBE395489BB565F1AEC576', 8176315);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (5, 'runs', '2026-11-20 00:14:38', 1, X'C1DEF876A726547B7BF0C34FA59C892765FD06E86A8BBAC706430948F9836336376A3CA4F39D5632CEF00FDB365681BF', 3751145);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (6, 'default_branch', '2026-11-20 00:14:38', 1, X'5EFE0738243D5ACE2CED07E2C682B215B02C9950B9706866EDADCF5B4D8A157B9B8F797E56DD14B2577A180434EA749F', 909286);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (7, 'talk', '2026-11-20 00:14:38', 1, X'26A4420CAA1703DEAA5A40E9921D9FA44399B9A354D589B8EB5BC14BB5B25926808552DC312A5A21731D81DE0176B100', 2276335);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (8, 'usage', '2026-11-20 00:14:38', 1, X'E31BABB69ED98E96418E1CB6E9B7D32A93B5A14883AE0239F1E6A78AE35918EEB9658B94BE87EB42FF3574478A311656', 2743743);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (9, 'nodes', '2026-11-20 00:14:38', 1, X'B4D879961B09C88EFB7B08384A239C1EC5EB9E72CC6F0ADB263C708A9B2AB5F80532499731428F6076029A99C7FAD090', 1671563);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (10, 'submodules', '2026-11-20 00:14:38', 1, X'98A71CBDC6F10D4E64B47D88F26EB11218D622549F692DE32B334BBF04A7F4E1B64F9A4A1061071615C02FA476E1DA60', 752763);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (11, 'commits', '2026-11-20 00:14:38', 1, X'0929778E7A6B01E424577404B1B20E48CB14BCD4A2BD1654D8E3F81E0F8A944B787C4B65AB59350127637321587331E6', 1083746);
INSERT INTO approval (id, process_id, message, context, status, comment, created_at, answered_at, choices, choice, timeout_at) VALUES (X'B32C4C031C614882A9ADEBB1D9B1AC19', X'ED298AF2BC7843F0B1929D4B0E9D1A59', 'may I 8?', '{"args":["-r","\u0000é"],"tool":"rm"}', 'pending', NULL, 1768435200008, NULL, '[]', NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'699BA80404F64E1C9F273B6F37950BAA', X'587A07BDAC4B41039271BA917CB316E5', 'CLAUDE_CODE', NULL, 'forge/2', 'main', '/worktrees/699ba804-04f6-4e1c-9f27-3b6f37950baa', 0, 20000, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200002, 1768435200002, X'AD153926BBA841C08CCFF8463B1ABF88', NULL, 0, 0, 0, NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'0A0D7E73D0424331A59EAE8715F75FF3', X'587A07BDAC4B41039271BA917CB316E5', 'CLAUDE_CODE', NULL, 'forge/4', 'main', '/worktrees/0a0d7e73-d042-4331-a59e-ae8715f75ff3', 0, 20010, NULL, 1, 'failed', '{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}}', 1768435200004, 1768435200005, X'A04095E52F674490B09A8C9489CD22ED', NULL, 0, 0, 0, NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'60893FF65B7942F09954A271B18F9C75', X'587A07BDAC4B41039271BA917CB316E5', 'CLAUDE_CODE', NULL, 'forge/7', 'main', '/worktrees/60893ff6-5b79-42f0-9954-a271b18f9c75', 0, 20030, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200007, 1768435200007, NULL, 'count the lines', 0, 0, 0, NULL, NULL);
INSERT INTO database_identity (id, database_id) VALUES (1, X'5AC5C82423A38D4398F7BA8A2BBCAB63');
INSERT INTO draft (attempt_id, kind, retry_process_id, prompt, variant, image_ids, follow_up_id, version, created_at, updated_at) VALUES (X'699BA80404F64E1C9F273B6F37950BAA', 'follow_up', NULL, 'half a sen', NULL, NULL, NULL, 1, 1795133678153, 1795133678153);
INSERT INTO event (seq, at, fact) VALUES (1, 1795133678121, '{"type":"project_created","value":{"id":"587a07bd-ac4b-4103-9271-ba917cb316e5","name":"project 1","git_repo_path":"/repositories/1","setup_script":"npm ci","dev_script":null,"cleanup_script":"cargo fmt","copy_files":".env, config/*.local","commit_prompt":null,"default_base_branch":"develop","fetch_submodules":true,"skip_commit_hooks":true,"skip_commit_signing":true,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (2, 1795133678122, '{"type":"task_created","value":{"task":{"id":"a04095e5-2f67-4490-b09a-8c9489cd22ed","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","title":"task 1","description":"in a few words","status":"todo","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (3, 1795133678132, '{"type":"task_created","value":{"task":{"id":"ad153926-bba8-41c0-8ccf-f8463b1abf88","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (4, 1795133678132, '{"type":"attempt_created","value":{"id":"699ba804-04f6-4e1c-9f27-3b6f37950baa","task_id":"ad153926-bba8-41c0-8ccf-f8463b1abf88","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/699ba804-04f6-4e1c-9f27-3b6f37950baa","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (5, 1795133678132, '{"type":"process_created","value":{"id":"f5a04069-e614-4c6b-8bcd-e1bd8c878421","attempt_id":"699ba804-04f6-4e1c-9f27-3b6f37950baa","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (6, 1795133678148, '{"type":"task_created","value":{"task":{"id":"386a9559-62fa-408f-98ca-ffb6d09ed8ee","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","title":"task 3","description":"in a few words","status":"todo","parent_task_attempt":"699ba804-04f6-4e1c-9f27-3b6f37950baa","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.003Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (7, 1795133678150, '{"type":"task_updated","value":{"task":{"id":"a04095e5-2f67-4490-b09a-8c9489cd22ed","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","title":"task 1","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.004Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (8, 1795133678150, '{"type":"attempt_created","value":{"id":"0a0d7e73-d042-4331-a59e-ae8715f75ff3","task_id":"a04095e5-2f67-4490-b09a-8c9489cd22ed","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/0a0d7e73-d042-4331-a59e-ae8715f75ff3","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (9, 1795133678150, '{"type":"process_created","value":{"id":"4558d246-2d7b-447c-96e7-7ffba40e4486","attempt_id":"0a0d7e73-d042-4331-a59e-ae8715f75ff3","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (10, 1795133678151, '{"type":"process_updated","value":{"id":"4558d246-2d7b-447c-96e7-7ffba40e4486","attempt_id":"0a0d7e73-d042-4331-a59e-ae8715f75ff3","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"ended","end":{"type":"exited","code":0}},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":"2026-01-15T00:00:00.005Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (11, 1795133678151, '{"type":"attempt_updated","value":{"id":"0a0d7e73-d042-4331-a59e-ae8715f75ff3","task_id":"a04095e5-2f67-4490-b09a-8c9489cd22ed","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/0a0d7e73-d042-4331-a59e-ae8715f75ff3","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}},"node":null,"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (12, 1795133678151, '{"type":"task_updated","value":{"task":{"id":"a04095e5-2f67-4490-b09a-8c9489cd22ed","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","title":"task 1","description":"in a few words","status":"inreview","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.005Z"},"has_in_progress_attempt":false,"last_attempt_failed":true,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (13, 1795133678153, '{"type":"follow_up_queued","value":{"id":"1ceb1d39-1d74-41f5-933d-c28e878e7146","attempt_id":"699ba804-04f6-4e1c-9f27-3b6f37950baa","prompt":"prompt 5","variant":"PLAN","model":"small","retry":null,"interrupt":false,"not_before":null,"created_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (14, 1795133678153, '{"type":"draft_updated","value":{"attempt_id":"699ba804-04f6-4e1c-9f27-3b6f37950baa","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","kind":"follow_up","retry_process_id":null,"prompt":"half a sen","variant":null,"image_ids":null,"queued":null,"version":1,"created_at":"2026-11-20T00:14:38.153Z","updated_at":"2026-11-20T00:14:38.153Z"}}');
INSERT INTO event (seq, at, fact) VALUES (15, 1795133678155, '{"type":"attempt_created","value":{"id":"60893ff6-5b79-42f0-9954-a271b18f9c75","task_id":null,"project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","prompt":"count the lines","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/7","target_branch":"main","worktree":"/worktrees/60893ff6-5b79-42f0-9954-a271b18f9c75","worktree_deleted":false,"first_port":20030,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (16, 1795133678155, '{"type":"process_created","value":{"id":"ed298af2-bc78-43f0-b192-9d4b0e9d1a59","attempt_id":"60893ff6-5b79-42f0-9954-a271b18f9c75","in_run":true,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.007Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (17, 1795133678156, '{"type":"approval_asked","value":{"id":"b32c4c03-1c61-4882-a9ad-ebb1d9b1ac19","process_id":"ed298af2-bc78-43f0-b192-9d4b0e9d1a59","message":"may I 8?","context":{"args":["-r","\u0000é"],"tool":"rm"},"choices":[],"status":"pending","choice":null,"comment":null,"created_at":"2026-01-15T00:00:00.008Z","timeout_at":null,"answered_at":null}}');
INSERT INTO event (seq, at, fact) VALUES (18, 1795133678157, '{"type":"tag_created","value":{"id":"03f82909-0093-407e-9a06-aff1758ae7fc","tag_name":"tag_1","description":null,"content":"content 1","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (19, 1795133678157, '{"type":"image_created","value":{"id":"55f4a4cd-dc76-46dd-b4b2-6a64d51a6b97","kind":"png","original_name":"1.png","size_bytes":1,"hash":"0000000000000000000000000000000000000000000000000000000000000001","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (20, 1795133678157, '{"type":"task_images_changed","value":{"task_id":"a04095e5-2f67-4490-b09a-8c9489cd22ed","image_ids":["55f4a4cd-dc76-46dd-b4b2-6a64d51a6b97"]}}');
INSERT INTO event (seq, at, fact) VALUES (21, 1795133678158, '{"type":"task_created","value":{"task":{"id":"cbb83b03-d67b-4ce4-a738-e5b2d4464d85","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","title":"Genie","description":"in a few words","status":"agent","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (22, 1795133678158, '{"type":"standing_agent_created","value":{"id":"66065f69-3eb7-459e-bbef-f5519b94c104","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","agent_type":"wish","task_id":"cbb83b03-d67b-4ce4-a738-e5b2d4464d85","created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (23, 1795133678159, '{"type":"settings_updated","value":{"project_id":null}}');
INSERT INTO event (seq, at, fact) VALUES (24, 1795133678168, '{"type":"settings_updated","value":{"project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5"}}');
INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, created_at, retry, how, interrupt, not_before) VALUES (X'1CEB1D391D7441F5933DC28E878E7146', X'699BA80404F64E1C9F273B6F37950BAA', 1, 'prompt 5', 'PLAN', 1768435200005, NULL, '{"model":"small"}', 0, NULL);
INSERT INTO global_settings (id, settings, updated_at) VALUES (1, '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1795133678159);
INSERT INTO image (id, kind, original_name, size_bytes, hash, created_at, updated_at) VALUES (X'55F4A4CDDC7646DDB4B26A64D51A6B97', 'png', '1.png', 1, '0000000000000000000000000000000000000000000000000000000000000001', 1768435200001, 1768435200001);
INSERT INTO node (id, name, data_folder, machine, inode, generation, serving, created_at, updated_at) VALUES (X'E7463181C0BA473B8BAC682250FF23FD', 'node', '/data', 'machine', 1, NULL, 1, 1795133678120, 1795133678120);
INSERT INTO port_block (first_port, attempt_id) VALUES (20000, X'699BA80404F64E1C9F273B6F37950BAA');
INSERT INTO port_block (first_port, attempt_id) VALUES (20010, X'0A0D7E73D0424331A59EAE8715F75FF3');
INSERT INTO port_block (first_port, attempt_id) VALUES (20020, X'9D07F2AC9D0E44AA838E24778B760082');
INSERT INTO port_block (first_port, attempt_id) VALUES (20030, X'60893FF65B7942F09954A271B18F9C75');
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'F5A04069E6144C6B8BCDE1BD8C878421', X'699BA80404F64E1C9F273B6F37950BAA', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200002, NULL, 1768435200002, 0, 0, 0, 0, NULL, NULL);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'4558D2462D7B447C96E77FFBA40E4486', X'0A0D7E73D0424331A59EAE8715F75FF3', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'completed', '{"state":"ended","end":{"type":"exited","code":0}}', NULL, '0123456789abcdef', NULL, 1768435200004, 1768435200005, 1768435200005, 0, 0, 0, 0, NULL, NULL);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'ED298AF2BC7843F0B1929D4B0E9D1A59', X'60893FF65B7942F09954A271B18F9C75', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200007, NULL, 1768435200007, 0, 0, 0, 0, NULL, NULL);
INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files, commit_prompt, created_at, updated_at, default_base_branch, fetch_submodules, skip_commit_hooks, skip_commit_signing) VALUES (X'587A07BDAC4B41039271BA917CB316E5', 'project 1', '/repositories/1', 'npm ci', NULL, 'cargo fmt', '.env, config/*.local', NULL, 1768435200001, 1768435200001, 'develop', 1, 1, 1);
INSERT INTO project_settings (project_id, settings, updated_at) VALUES (X'587A07BDAC4B41039271BA917CB316E5', '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1795133678168);
INSERT INTO standing_agent (id, project_id, agent_type, task_id, created_at, updated_at) VALUES (X'66065F693EB7459EBBEFF5519B94C104', X'587A07BDAC4B41039271BA917CB316E5', 'wish', X'CBB83B03D67B4CE4A738E5B2D4464D85', 1768435200007, 1768435200007);
INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at) VALUES ('key', 'what was asked', '{"task":{"task":{"id":"ad153926-bba8-41c0-8ccf-f8463b1abf88","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1},"attempt":{"id":"699ba804-04f6-4e1c-9f27-3b6f37950baa","task_id":"ad153926-bba8-41c0-8ccf-f8463b1abf88","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/699ba804-04f6-4e1c-9f27-3b6f37950baa","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"process":{"id":"f5a04069-e614-4c6b-8bcd-e1bd8c878421","attempt_id":"699ba804-04f6-4e1c-9f27-3b6f37950baa","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}', 1795133678132);
INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at, node) VALUES (X'9D07F2AC9D0E44AA838E24778B760082', X'587A07BDAC4B41039271BA917CB316E5', X'386A955962FA408F98CAFFB6D09ED8EE', NULL, '{"attempt":{"id":"9d07f2ac-9d0e-44aa-838e-24778b760082","task_id":"386a9559-62fa-408f-98ca-ffb6d09ed8ee","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/6","target_branch":"main","worktree":"/worktrees/9d07f2ac-9d0e-44aa-838e-24778b760082","worktree_deleted":false,"first_port":20020,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.006Z","updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"task":{"existing":{"id":"386a9559-62fa-408f-98ca-ffb6d09ed8ee","project_id":"587a07bd-ac4b-4103-9271-ba917cb316e5","title":"task 3","description":"in a few words","status":"inprogress","parent_task_attempt":"699ba804-04f6-4e1c-9f27-3b6f37950baa","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.006Z"}},"process":{"id":"6eb7f1ec-28c6-41a1-8bd2-b63dbf91ef45","attempt_id":"9d07f2ac-9d0e-44aa-838e-24778b760082","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.006Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"idempotency_key":null,"fingerprint":"what was asked","created_at":"2026-01-15T00:00:00.006Z","images":[]}', 1768435200006, NULL);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D001', 'bug_analysis', 'Find the cause of a bug before it is mended', 'Find out why this goes wrong before you change anything.

- [ ] Reproduce it: say which steps and which input lead to it
- [ ] Say what should happen, and what happens instead
- [ ] Follow the data to the first place where something is wrong, and name file and line
- [ ] Say since when it is so, if the history tells
- [ ] Look for other places with the same mistake
- [ ] Propose the smallest change that mends the cause and not the symptom
- [ ] Name a test that fails now and passes afterwards', 1795133678000, 1795133678000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D002', 'add_unit_tests', 'Write tests that can fail', 'Write tests for this code.

- [ ] Use the test framework and the style that the project has
- [ ] The ordinary case
- [ ] The edges: nothing, one, many, the largest, the unexpected
- [ ] Each error that callers can meet
- [ ] No test depends on another, on the clock or on the network
- [ ] Each name says what is expected
- [ ] Break the code once on purpose and see the test fail
- [ ] Run the whole suite', 1795133678000, 1795133678000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D003', 'code_refactoring', 'Make code better without changing what it does', 'Make this code easier to read and to change. What it does stays the same.

- [ ] See that tests cover what you are about to touch; write those that are missing first
- [ ] Give things names that say what they are
- [ ] Take apart what does more than one thing
- [ ] Remove what is there twice and what nobody uses
- [ ] Keep each step small, and run the tests after each
- [ ] Leave public interfaces as they are, or say which ones change and why', 1795133678000, 1795133678000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'03F829090093407E9A06AFF1758AE7FC', 'tag_1', NULL, 'content 1', 1768435200001, 1768435200001);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'A04095E52F674490B09A8C9489CD22ED', X'587A07BDAC4B41039271BA917CB316E5', 'task 1', 'in a few words', 'inreview', NULL, 1768435200001, 1768435200005, 0, 1, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'AD153926BBA841C08CCFF8463B1ABF88', X'587A07BDAC4B41039271BA917CB316E5', 'task 2', 'in a few words', 'inprogress', NULL, 1768435200002, 1768435200002, 1, 0, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'386A955962FA408F98CAFFB6D09ED8EE', X'587A07BDAC4B41039271BA917CB316E5', 'task 3', 'in a few words', 'todo', X'699BA80404F64E1C9F273B6F37950BAA', 1768435200003, 1768435200003, 0, 0, '', 0);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'CBB83B03D67B4CE4A738E5B2D4464D85', X'587A07BDAC4B41039271BA917CB316E5', 'Genie', 'in a few words', 'agent', NULL, 1768435200007, 1768435200007, 0, 0, '', 0);
INSERT INTO task_image (task_id, image_id, ordinal, created_at) VALUES (X'A04095E52F674490B09A8C9489CD22ED', X'55F4A4CDDC7646DDB4B26A64D51A6B97', 1, 1795133678157);