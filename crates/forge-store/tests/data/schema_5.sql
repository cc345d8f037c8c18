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
    created_at INTEGER NOT NULL, retry TEXT,
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
    updated_at         INTEGER NOT NULL, dropped INTEGER NOT NULL DEFAULT 0,
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
) STRICT;
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
CREATE INDEX attempt_run ON attempt (created_at, id) WHERE task_id IS NULL;
CREATE INDEX attempt_running ON attempt (created_at, id) WHERE status = 'running';
CREATE UNIQUE INDEX process_alone ON process (attempt_id) WHERE status = 'running' AND kind <> 'devserver';
CREATE INDEX process_running ON process (started_at, id) WHERE status = 'running';
CREATE INDEX start_answer_by_age ON start_answer (created_at);
CREATE INDEX task_by_parent ON task (parent_task_attempt) WHERE parent_task_attempt IS NOT NULL;
CREATE INDEX task_by_project ON task (project_id, created_at, id);
CREATE INDEX task_image_by_image ON task_image (image_id);
PRAGMA foreign_keys = OFF;
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (1, 'init', '2026-11-16 05:00:25', 1, X'E99A676FE7EA3DDF8D6E73E03F6557D942ED2CF5AEB2E77E70C47A99D39511CF2979A22A6285E1FFE5DF4ADBB314F466', 2278214);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (2, 'cards', '2026-11-16 05:00:25', 1, X'935C4CFCB2C535CAE78630E6920B95A098B3ECF7AEEC405E85A69B50B79CE9F3282860C483291688BB05C4D5B2051385', 1747127);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (3, 'stuff', '2026-11-16 05:00:25', 1, X'E26E0965ABDC40FFF50E4D622219E481C5B9839702FC3F4E2EBB8A3D290BF815A55BA6B3B0F260A906B00F4A71A2CFAD', 1232315);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (4, 'turns', '2026-11-16 05:00:25', 1, X'1650AC979AE4A66440C49C7A6A0DEE83B06091075D603E3C0F65F90C51903D6E3889B93EA8FBE395489BB565F1AEC576', 1251093);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (5, 'runs', '2026-11-16 05:00:25', 1, X'C1DEF876A726547B7BF0C34FA59C892765FD06E86A8BBAC706430948F9836336376A3CA4F39D5632CEF00FDB365681BF', 4445778);
INSERT INTO approval (id, process_id, message, context, status, comment, created_at, answered_at) VALUES (X'FA1EE0F26EDC4F1C9D214622572CC500', X'6490140E8F3E4D268936631E08394CC6', 'may I 8?', '{"args":["-r","\u0000é"],"tool":"rm"}', 'pending', NULL, 1768435200008, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'DF5C80D103F84221BA266160898E8743', X'DAAFB89DCFCE495D8CF9054E0AE3192E', 'CLAUDE_CODE', NULL, 'forge/2', 'main', '/worktrees/2', 0, 20000, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200002, 1768435200002, X'C6D07521604C46A49412FE205757DC40', NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'3F90394521C14416A35706D7AE463B68', X'DAAFB89DCFCE495D8CF9054E0AE3192E', 'CLAUDE_CODE', NULL, 'forge/4', 'main', '/worktrees/4', 0, 20010, NULL, 1, 'failed', '{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}}', 1768435200004, 1768435200005, X'2556045E65A546FE90A590EB37615851', NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'FB847B4AA88C42E09DD5DDD3E4403745', X'DAAFB89DCFCE495D8CF9054E0AE3192E', 'CLAUDE_CODE', NULL, 'forge/7', 'main', '/worktrees/7', 0, 20030, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200007, 1768435200007, NULL, 'count the lines');
INSERT INTO draft (attempt_id, kind, retry_process_id, prompt, variant, image_ids, follow_up_id, version, created_at, updated_at) VALUES (X'DF5C80D103F84221BA266160898E8743', 'follow_up', NULL, 'half a sen', NULL, NULL, NULL, 1, 1794805225505, 1794805225505);
INSERT INTO event (seq, at, fact) VALUES (1, 1794805225499, '{"type":"project_created","value":{"id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","name":"project 1","git_repo_path":"/repositories/1","setup_script":"npm ci","dev_script":null,"cleanup_script":"cargo fmt","copy_files":".env, config/*.local","commit_prompt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (2, 1794805225499, '{"type":"task_created","value":{"task":{"id":"2556045e-65a5-46fe-90a5-90eb37615851","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","title":"task 1","description":"in a few words","status":"todo","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (3, 1794805225500, '{"type":"task_created","value":{"task":{"id":"c6d07521-604c-46a4-9412-fe205757dc40","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (4, 1794805225500, '{"type":"attempt_created","value":{"id":"df5c80d1-03f8-4221-ba26-6160898e8743","task_id":"c6d07521-604c-46a4-9412-fe205757dc40","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/2","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"}}');
INSERT INTO event (seq, at, fact) VALUES (5, 1794805225500, '{"type":"process_created","value":{"id":"9c3ec6cf-dba1-4a4f-8287-a31006f0de65","attempt_id":"df5c80d1-03f8-4221-ba26-6160898e8743","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z"}}');
INSERT INTO event (seq, at, fact) VALUES (6, 1794805225501, '{"type":"task_created","value":{"task":{"id":"b657a7cb-0862-4002-9a70-0a52c475eb0a","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","title":"task 3","description":"in a few words","status":"todo","parent_task_attempt":"df5c80d1-03f8-4221-ba26-6160898e8743","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.003Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (7, 1794805225502, '{"type":"task_updated","value":{"task":{"id":"2556045e-65a5-46fe-90a5-90eb37615851","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","title":"task 1","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.004Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (8, 1794805225502, '{"type":"attempt_created","value":{"id":"3f903945-21c1-4416-a357-06d7ae463b68","task_id":"2556045e-65a5-46fe-90a5-90eb37615851","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/4","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.004Z"}}');
INSERT INTO event (seq, at, fact) VALUES (9, 1794805225502, '{"type":"process_created","value":{"id":"30db03d7-a4a1-463d-8d99-4c2e319bb89e","attempt_id":"3f903945-21c1-4416-a357-06d7ae463b68","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.004Z"}}');
INSERT INTO event (seq, at, fact) VALUES (10, 1794805225503, '{"type":"process_updated","value":{"id":"30db03d7-a4a1-463d-8d99-4c2e319bb89e","attempt_id":"3f903945-21c1-4416-a357-06d7ae463b68","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"ended","end":{"type":"exited","code":0}},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":"2026-01-15T00:00:00.005Z","updated_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (11, 1794805225503, '{"type":"attempt_updated","value":{"id":"3f903945-21c1-4416-a357-06d7ae463b68","task_id":"2556045e-65a5-46fe-90a5-90eb37615851","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/4","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (12, 1794805225503, '{"type":"task_updated","value":{"task":{"id":"2556045e-65a5-46fe-90a5-90eb37615851","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","title":"task 1","description":"in a few words","status":"inreview","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.005Z"},"has_in_progress_attempt":false,"last_attempt_failed":true,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (13, 1794805225505, '{"type":"follow_up_queued","value":{"id":"1fc248ba-4a47-4bb4-bbf8-767ca2abb748","attempt_id":"df5c80d1-03f8-4221-ba26-6160898e8743","prompt":"prompt 5","variant":"PLAN","retry":null,"created_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (14, 1794805225505, '{"type":"draft_updated","value":{"attempt_id":"df5c80d1-03f8-4221-ba26-6160898e8743","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","kind":"follow_up","retry_process_id":null,"prompt":"half a sen","variant":null,"image_ids":null,"queued":null,"version":1,"created_at":"2026-11-16T05:00:25.505Z","updated_at":"2026-11-16T05:00:25.505Z"}}');
INSERT INTO event (seq, at, fact) VALUES (15, 1794805225506, '{"type":"attempt_created","value":{"id":"fb847b4a-a88c-42e0-9dd5-ddd3e4403745","task_id":null,"project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","prompt":"count the lines","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/7","target_branch":"main","worktree":"/worktrees/7","worktree_deleted":false,"first_port":20030,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (16, 1794805225506, '{"type":"process_created","value":{"id":"6490140e-8f3e-4d26-8936-631e08394cc6","attempt_id":"fb847b4a-a88c-42e0-9dd5-ddd3e4403745","in_run":true,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.007Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (17, 1794805225507, '{"type":"approval_asked","value":{"id":"fa1ee0f2-6edc-4f1c-9d21-4622572cc500","process_id":"6490140e-8f3e-4d26-8936-631e08394cc6","message":"may I 8?","context":{"args":["-r","\u0000é"],"tool":"rm"},"status":"pending","comment":null,"created_at":"2026-01-15T00:00:00.008Z","answered_at":null}}');
INSERT INTO event (seq, at, fact) VALUES (18, 1794805225507, '{"type":"tag_created","value":{"id":"28da0a7a-e882-40c3-960b-e65058324aad","tag_name":"tag_1","description":null,"content":"content 1","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (19, 1794805225508, '{"type":"image_created","value":{"id":"d36e43af-66a5-472f-8931-7b36f3b3fec2","kind":"png","original_name":"1.png","size_bytes":1,"hash":"0000000000000000000000000000000000000000000000000000000000000001","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (20, 1794805225508, '{"type":"task_images_changed","value":{"task_id":"2556045e-65a5-46fe-90a5-90eb37615851","image_ids":["d36e43af-66a5-472f-8931-7b36f3b3fec2"]}}');
INSERT INTO event (seq, at, fact) VALUES (21, 1794805225509, '{"type":"task_created","value":{"task":{"id":"d08744f5-f6f3-4507-9f22-7a9d896847af","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","title":"Genie","description":"in a few words","status":"agent","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (22, 1794805225509, '{"type":"standing_agent_created","value":{"id":"3b75db68-db0b-4392-aa05-f1adb4fd26d0","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","agent_type":"wish","task_id":"d08744f5-f6f3-4507-9f22-7a9d896847af","created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (23, 1794805225509, '{"type":"settings_updated","value":{"project_id":null}}');
INSERT INTO event (seq, at, fact) VALUES (24, 1794805225510, '{"type":"settings_updated","value":{"project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e"}}');
INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, created_at, retry) VALUES (X'1FC248BA4A474BB4BBF8767CA2ABB748', X'DF5C80D103F84221BA266160898E8743', 1, 'prompt 5', 'PLAN', 1768435200005, NULL);
INSERT INTO global_settings (id, settings, updated_at) VALUES (1, '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1794805225509);
INSERT INTO image (id, kind, original_name, size_bytes, hash, created_at, updated_at) VALUES (X'D36E43AF66A5472F89317B36F3B3FEC2', 'png', '1.png', 1, '0000000000000000000000000000000000000000000000000000000000000001', 1768435200001, 1768435200001);
INSERT INTO port_block (first_port, attempt_id) VALUES (20000, X'DF5C80D103F84221BA266160898E8743');
INSERT INTO port_block (first_port, attempt_id) VALUES (20010, X'3F90394521C14416A35706D7AE463B68');
INSERT INTO port_block (first_port, attempt_id) VALUES (20020, X'E06D3A6EB91347A59CB3E413785F0E70');
INSERT INTO port_block (first_port, attempt_id) VALUES (20030, X'FB847B4AA88C42E09DD5DDD3E4403745');
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped) VALUES (X'9C3EC6CFDBA14A4F8287A31006F0DE65', X'DF5C80D103F84221BA266160898E8743', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200002, NULL, 1768435200002, 0);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped) VALUES (X'30DB03D7A4A1463D8D994C2E319BB89E', X'3F90394521C14416A35706D7AE463B68', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'completed', '{"state":"ended","end":{"type":"exited","code":0}}', NULL, '0123456789abcdef', NULL, 1768435200004, 1768435200005, 1768435200005, 0);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped) VALUES (X'6490140E8F3E4D268936631E08394CC6', X'FB847B4AA88C42E09DD5DDD3E4403745', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200007, NULL, 1768435200007, 0);
INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files, commit_prompt, created_at, updated_at) VALUES (X'DAAFB89DCFCE495D8CF9054E0AE3192E', 'project 1', '/repositories/1', 'npm ci', NULL, 'cargo fmt', '.env, config/*.local', NULL, 1768435200001, 1768435200001);
INSERT INTO project_settings (project_id, settings, updated_at) VALUES (X'DAAFB89DCFCE495D8CF9054E0AE3192E', '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1794805225510);
INSERT INTO standing_agent (id, project_id, agent_type, task_id, created_at, updated_at) VALUES (X'3B75DB68DB0B4392AA05F1ADB4FD26D0', X'DAAFB89DCFCE495D8CF9054E0AE3192E', 'wish', X'D08744F5F6F345079F227A9D896847AF', 1768435200007, 1768435200007);
INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at) VALUES ('key', 'what was asked', '{"task":{"task":{"id":"c6d07521-604c-46a4-9412-fe205757dc40","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1},"attempt":{"id":"df5c80d1-03f8-4221-ba26-6160898e8743","task_id":"c6d07521-604c-46a4-9412-fe205757dc40","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/2","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"process":{"id":"9c3ec6cf-dba1-4a4f-8287-a31006f0de65","attempt_id":"df5c80d1-03f8-4221-ba26-6160898e8743","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z"}}', 1794805225500);
INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at) VALUES (X'E06D3A6EB91347A59CB3E413785F0E70', X'DAAFB89DCFCE495D8CF9054E0AE3192E', X'B657A7CB086240029A700A52C475EB0A', NULL, '{"attempt":{"id":"e06d3a6e-b913-47a5-9cb3-e413785f0e70","task_id":"b657a7cb-0862-4002-9a70-0a52c475eb0a","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/6","target_branch":"main","worktree":"/worktrees/6","worktree_deleted":false,"first_port":20020,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.006Z","updated_at":"2026-01-15T00:00:00.006Z"},"task":{"existing":{"id":"b657a7cb-0862-4002-9a70-0a52c475eb0a","project_id":"daafb89d-cfce-495d-8cf9-054e0ae3192e","title":"task 3","description":"in a few words","status":"inprogress","parent_task_attempt":"df5c80d1-03f8-4221-ba26-6160898e8743","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.006Z"}},"process":{"id":"9d2caf46-b73c-4c3c-b014-e9e98fa875c7","attempt_id":"e06d3a6e-b913-47a5-9cb3-e413785f0e70","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.006Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.006Z"},"idempotency_key":null,"fingerprint":"what was asked","created_at":"2026-01-15T00:00:00.006Z","images":[]}', 1768435200006);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D001', 'bug_analysis', 'Find the cause of a bug before it is mended', 'Find out why this goes wrong before you change anything.

- [ ] Reproduce it: say which steps and which input lead to it
- [ ] Say what should happen, and what happens instead
- [ ] Follow the data to the first place where something is wrong, and name file and line
- [ ] Say since when it is so, if the history tells
- [ ] Look for other places with the same mistake
- [ ] Propose the smallest change that mends the cause and not the symptom
- [ ] Name a test that fails now and passes afterwards', 1794805225000, 1794805225000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D002', 'add_unit_tests', 'Write tests that can fail', 'Write tests for this code.

- [ ] Use the test framework and the style that the project has
- [ ] The ordinary case
- [ ] The edges: nothing, one, many, the largest, the unexpected
- [ ] Each error that callers can meet
- [ ] No test depends on another, on the clock or on the network
- [ ] Each name says what is expected
- [ ] Break the code once on purpose and see the test fail
- [ ] Run the whole suite', 1794805225000, 1794805225000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D003', 'code_refactoring', 'Make code better without changing what it does', 'Make this code easier to read and to change. What it does stays the same.

- [ ] See that tests cover what you are about to touch; write those that are missing first
- [ ] Give things names that say what they are
- [ ] Take apart what does more than one thing
- [ ] Remove what is there twice and what nobody uses
- [ ] Keep each step small, and run the tests after each
- [ ] Leave public interfaces as they are, or say which ones change and why', 1794805225000, 1794805225000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'28DA0A7AE88240C3960BE65058324AAD', 'tag_1', NULL, 'content 1', 1768435200001, 1768435200001);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'2556045E65A546FE90A590EB37615851', X'DAAFB89DCFCE495D8CF9054E0AE3192E', 'task 1', 'in a few words', 'inreview', NULL, 1768435200001, 1768435200005, 0, 1, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'C6D07521604C46A49412FE205757DC40', X'DAAFB89DCFCE495D8CF9054E0AE3192E', 'task 2', 'in a few words', 'inprogress', NULL, 1768435200002, 1768435200002, 1, 0, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'B657A7CB086240029A700A52C475EB0A', X'DAAFB89DCFCE495D8CF9054E0AE3192E', 'task 3', 'in a few words', 'todo', X'DF5C80D103F84221BA266160898E8743', 1768435200003, 1768435200003, 0, 0, '', 0);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'D08744F5F6F345079F227A9D896847AF', X'DAAFB89DCFCE495D8CF9054E0AE3192E', 'Genie', 'in a few words', 'agent', NULL, 1768435200007, 1768435200007, 0, 0, '', 0);
INSERT INTO task_image (task_id, image_id, ordinal, created_at) VALUES (X'2556045E65A546FE90A590EB37615851', X'D36E43AF66A5472F89317B36F3B3FEC2', 1, 1794805225508);