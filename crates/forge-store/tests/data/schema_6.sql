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
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (1, 'init', '2026-11-16 05:46:21', 1, X'E99A676FE7EA3DDF8D6E73E03F6557D942ED2CF5AEB2E77E70C47A99D39511CF2979A22A6285E1FFE5DF4ADBB314F466', 2919994);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (2, 'cards', '2026-11-16 05:46:21', 1, X'935C4CFCB2C535CAE78630E6920B95A098B3ECF7AEEC405E85A69B50B79CE9F3282860C483291688BB05C4D5B2051385', 2503968);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (3, 'stuff', '2026-11-16 05:46:21', 1, X'E26E0965ABDC40FFF50E4D622219E481C5B9839702FC3F4E2EBB8A3D290BF815A55BA6B3B0F260A906B00F4A71A2CFAD', 1665586);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (4, 'turns', '2026-11-16 05:46:21', 1, X'1650AC979AE4A66440C49C7A6A0DEE83B06091075D603E3C0F65F90C51903D6E3889B93EA8FBE395489BB565F1AEC576', 1853685);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (5, 'runs', '2026-11-16 05:46:21', 1, X'C1DEF876A726547B7BF0C34FA59C892765FD06E86A8BBAC706430948F9836336376A3CA4F39D5632CEF00FDB365681BF', 5625621);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (6, 'default_branch', '2026-11-16 05:46:21', 1, X'5EFE0738243D5ACE2CED07E2C682B215B02C9950B9706866EDADCF5B4D8A157B9B8F797E56DD14B2577A180434EA749F', 961163);
INSERT INTO approval (id, process_id, message, context, status, comment, created_at, answered_at) VALUES (X'9DF7661C2D3F4DE8B48E07C2F9BA11ED', X'8871E54A9FF34A7CBB79A8291F1DEBBC', 'may I 8?', '{"args":["-r","\u0000é"],"tool":"rm"}', 'pending', NULL, 1768435200008, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'A314EE94D3244BA59DAD9FB27EEE56CA', X'B52FF718F42B4D30AA5139FAB28BC0DD', 'CLAUDE_CODE', NULL, 'forge/2', 'main', '/worktrees/a314ee94-d324-4ba5-9dad-9fb27eee56ca', 0, 20000, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200002, 1768435200002, X'F7114A1093FA44EB97F99295118ECF0B', NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'A06B100699114A6AA13788AE1CB10815', X'B52FF718F42B4D30AA5139FAB28BC0DD', 'CLAUDE_CODE', NULL, 'forge/4', 'main', '/worktrees/a06b1006-9911-4a6a-a137-88ae1cb10815', 0, 20010, NULL, 1, 'failed', '{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}}', 1768435200004, 1768435200005, X'0D7AAA824B954CF08712BA30146E831D', NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'39E38C56C5D848C8BB7C1A5DBEE0F388', X'B52FF718F42B4D30AA5139FAB28BC0DD', 'CLAUDE_CODE', NULL, 'forge/7', 'main', '/worktrees/39e38c56-c5d8-48c8-bb7c-1a5dbee0f388', 0, 20030, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200007, 1768435200007, NULL, 'count the lines');
INSERT INTO draft (attempt_id, kind, retry_process_id, prompt, variant, image_ids, follow_up_id, version, created_at, updated_at) VALUES (X'A314EE94D3244BA59DAD9FB27EEE56CA', 'follow_up', NULL, 'half a sen', NULL, NULL, NULL, 1, 1794807981256, 1794807981256);
INSERT INTO event (seq, at, fact) VALUES (1, 1794807981244, '{"type":"project_created","value":{"id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","name":"project 1","git_repo_path":"/repositories/1","setup_script":"npm ci","dev_script":null,"cleanup_script":"cargo fmt","copy_files":".env, config/*.local","commit_prompt":null,"default_base_branch":"develop","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (2, 1794807981245, '{"type":"task_created","value":{"task":{"id":"0d7aaa82-4b95-4cf0-8712-ba30146e831d","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","title":"task 1","description":"in a few words","status":"todo","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (3, 1794807981247, '{"type":"task_created","value":{"task":{"id":"f7114a10-93fa-44eb-97f9-9295118ecf0b","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (4, 1794807981247, '{"type":"attempt_created","value":{"id":"a314ee94-d324-4ba5-9dad-9fb27eee56ca","task_id":"f7114a10-93fa-44eb-97f9-9295118ecf0b","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/a314ee94-d324-4ba5-9dad-9fb27eee56ca","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"}}');
INSERT INTO event (seq, at, fact) VALUES (5, 1794807981247, '{"type":"process_created","value":{"id":"2e045b66-e0d7-4a81-bacf-ccb55465520c","attempt_id":"a314ee94-d324-4ba5-9dad-9fb27eee56ca","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z"}}');
INSERT INTO event (seq, at, fact) VALUES (6, 1794807981249, '{"type":"task_created","value":{"task":{"id":"d6cc9576-295a-4357-a221-21cfbaf3e782","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","title":"task 3","description":"in a few words","status":"todo","parent_task_attempt":"a314ee94-d324-4ba5-9dad-9fb27eee56ca","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.003Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (7, 1794807981251, '{"type":"task_updated","value":{"task":{"id":"0d7aaa82-4b95-4cf0-8712-ba30146e831d","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","title":"task 1","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.004Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (8, 1794807981251, '{"type":"attempt_created","value":{"id":"a06b1006-9911-4a6a-a137-88ae1cb10815","task_id":"0d7aaa82-4b95-4cf0-8712-ba30146e831d","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/a06b1006-9911-4a6a-a137-88ae1cb10815","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.004Z"}}');
INSERT INTO event (seq, at, fact) VALUES (9, 1794807981251, '{"type":"process_created","value":{"id":"5e34f085-e2fa-483f-ba76-2b5709652354","attempt_id":"a06b1006-9911-4a6a-a137-88ae1cb10815","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.004Z"}}');
INSERT INTO event (seq, at, fact) VALUES (10, 1794807981253, '{"type":"process_updated","value":{"id":"5e34f085-e2fa-483f-ba76-2b5709652354","attempt_id":"a06b1006-9911-4a6a-a137-88ae1cb10815","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"ended","end":{"type":"exited","code":0}},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":"2026-01-15T00:00:00.005Z","updated_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (11, 1794807981253, '{"type":"attempt_updated","value":{"id":"a06b1006-9911-4a6a-a137-88ae1cb10815","task_id":"0d7aaa82-4b95-4cf0-8712-ba30146e831d","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/a06b1006-9911-4a6a-a137-88ae1cb10815","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (12, 1794807981253, '{"type":"task_updated","value":{"task":{"id":"0d7aaa82-4b95-4cf0-8712-ba30146e831d","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","title":"task 1","description":"in a few words","status":"inreview","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.005Z"},"has_in_progress_attempt":false,"last_attempt_failed":true,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (13, 1794807981255, '{"type":"follow_up_queued","value":{"id":"5206b8e4-a136-4c81-8370-41766431e60a","attempt_id":"a314ee94-d324-4ba5-9dad-9fb27eee56ca","prompt":"prompt 5","variant":"PLAN","retry":null,"created_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (14, 1794807981256, '{"type":"draft_updated","value":{"attempt_id":"a314ee94-d324-4ba5-9dad-9fb27eee56ca","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","kind":"follow_up","retry_process_id":null,"prompt":"half a sen","variant":null,"image_ids":null,"queued":null,"version":1,"created_at":"2026-11-16T05:46:21.256Z","updated_at":"2026-11-16T05:46:21.256Z"}}');
INSERT INTO event (seq, at, fact) VALUES (15, 1794807981259, '{"type":"attempt_created","value":{"id":"39e38c56-c5d8-48c8-bb7c-1a5dbee0f388","task_id":null,"project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","prompt":"count the lines","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/7","target_branch":"main","worktree":"/worktrees/39e38c56-c5d8-48c8-bb7c-1a5dbee0f388","worktree_deleted":false,"first_port":20030,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (16, 1794807981259, '{"type":"process_created","value":{"id":"8871e54a-9ff3-4a7c-bb79-a8291f1debbc","attempt_id":"39e38c56-c5d8-48c8-bb7c-1a5dbee0f388","in_run":true,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.007Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (17, 1794807981260, '{"type":"approval_asked","value":{"id":"9df7661c-2d3f-4de8-b48e-07c2f9ba11ed","process_id":"8871e54a-9ff3-4a7c-bb79-a8291f1debbc","message":"may I 8?","context":{"args":["-r","\u0000é"],"tool":"rm"},"status":"pending","comment":null,"created_at":"2026-01-15T00:00:00.008Z","answered_at":null}}');
INSERT INTO event (seq, at, fact) VALUES (18, 1794807981261, '{"type":"tag_created","value":{"id":"593c1d1e-a122-4caa-b30d-5d91a2045039","tag_name":"tag_1","description":null,"content":"content 1","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (19, 1794807981261, '{"type":"image_created","value":{"id":"7d3e2b68-f557-4ed3-a712-5bda2bf913fc","kind":"png","original_name":"1.png","size_bytes":1,"hash":"0000000000000000000000000000000000000000000000000000000000000001","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (20, 1794807981261, '{"type":"task_images_changed","value":{"task_id":"0d7aaa82-4b95-4cf0-8712-ba30146e831d","image_ids":["7d3e2b68-f557-4ed3-a712-5bda2bf913fc"]}}');
INSERT INTO event (seq, at, fact) VALUES (21, 1794807981263, '{"type":"task_created","value":{"task":{"id":"a67155f7-a9ef-463e-93a3-d69530914c0d","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","title":"Genie","description":"in a few words","status":"agent","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (22, 1794807981263, '{"type":"standing_agent_created","value":{"id":"d1facc54-918b-4c49-8a93-0fdffd047065","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","agent_type":"wish","task_id":"a67155f7-a9ef-463e-93a3-d69530914c0d","created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (23, 1794807981264, '{"type":"settings_updated","value":{"project_id":null}}');
INSERT INTO event (seq, at, fact) VALUES (24, 1794807981264, '{"type":"settings_updated","value":{"project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd"}}');
INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, created_at, retry) VALUES (X'5206B8E4A1364C81837041766431E60A', X'A314EE94D3244BA59DAD9FB27EEE56CA', 1, 'prompt 5', 'PLAN', 1768435200005, NULL);
INSERT INTO global_settings (id, settings, updated_at) VALUES (1, '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1794807981264);
INSERT INTO image (id, kind, original_name, size_bytes, hash, created_at, updated_at) VALUES (X'7D3E2B68F5574ED3A7125BDA2BF913FC', 'png', '1.png', 1, '0000000000000000000000000000000000000000000000000000000000000001', 1768435200001, 1768435200001);
INSERT INTO port_block (first_port, attempt_id) VALUES (20000, X'A314EE94D3244BA59DAD9FB27EEE56CA');
INSERT INTO port_block (first_port, attempt_id) VALUES (20010, X'A06B100699114A6AA13788AE1CB10815');
INSERT INTO port_block (first_port, attempt_id) VALUES (20020, X'1354F38F14C04E759699DCCA1A627843');
INSERT INTO port_block (first_port, attempt_id) VALUES (20030, X'39E38C56C5D848C8BB7C1A5DBEE0F388');
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped) VALUES (X'2E045B66E0D74A81BACFCCB55465520C', X'A314EE94D3244BA59DAD9FB27EEE56CA', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200002, NULL, 1768435200002, 0);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped) VALUES (X'5E34F085E2FA483FBA762B5709652354', X'A06B100699114A6AA13788AE1CB10815', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'completed', '{"state":"ended","end":{"type":"exited","code":0}}', NULL, '0123456789abcdef', NULL, 1768435200004, 1768435200005, 1768435200005, 0);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped) VALUES (X'8871E54A9FF34A7CBB79A8291F1DEBBC', X'39E38C56C5D848C8BB7C1A5DBEE0F388', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200007, NULL, 1768435200007, 0);
INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files, commit_prompt, created_at, updated_at, default_base_branch) VALUES (X'B52FF718F42B4D30AA5139FAB28BC0DD', 'project 1', '/repositories/1', 'npm ci', NULL, 'cargo fmt', '.env, config/*.local', NULL, 1768435200001, 1768435200001, 'develop');
INSERT INTO project_settings (project_id, settings, updated_at) VALUES (X'B52FF718F42B4D30AA5139FAB28BC0DD', '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1794807981264);
INSERT INTO standing_agent (id, project_id, agent_type, task_id, created_at, updated_at) VALUES (X'D1FACC54918B4C498A930FDFFD047065', X'B52FF718F42B4D30AA5139FAB28BC0DD', 'wish', X'A67155F7A9EF463E93A3D69530914C0D', 1768435200007, 1768435200007);
INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at) VALUES ('key', 'what was asked', '{"task":{"task":{"id":"f7114a10-93fa-44eb-97f9-9295118ecf0b","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1},"attempt":{"id":"a314ee94-d324-4ba5-9dad-9fb27eee56ca","task_id":"f7114a10-93fa-44eb-97f9-9295118ecf0b","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/a314ee94-d324-4ba5-9dad-9fb27eee56ca","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"process":{"id":"2e045b66-e0d7-4a81-bacf-ccb55465520c","attempt_id":"a314ee94-d324-4ba5-9dad-9fb27eee56ca","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z"}}', 1794807981247);
INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at) VALUES (X'1354F38F14C04E759699DCCA1A627843', X'B52FF718F42B4D30AA5139FAB28BC0DD', X'D6CC9576295A4357A22121CFBAF3E782', NULL, '{"attempt":{"id":"1354f38f-14c0-4e75-9699-dcca1a627843","task_id":"d6cc9576-295a-4357-a221-21cfbaf3e782","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/6","target_branch":"main","worktree":"/worktrees/1354f38f-14c0-4e75-9699-dcca1a627843","worktree_deleted":false,"first_port":20020,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.006Z","updated_at":"2026-01-15T00:00:00.006Z"},"task":{"existing":{"id":"d6cc9576-295a-4357-a221-21cfbaf3e782","project_id":"b52ff718-f42b-4d30-aa51-39fab28bc0dd","title":"task 3","description":"in a few words","status":"inprogress","parent_task_attempt":"a314ee94-d324-4ba5-9dad-9fb27eee56ca","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.006Z"}},"process":{"id":"f3e98b71-5457-4236-b46a-fea3a8dc45e9","attempt_id":"1354f38f-14c0-4e75-9699-dcca1a627843","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.006Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.006Z"},"idempotency_key":null,"fingerprint":"what was asked","created_at":"2026-01-15T00:00:00.006Z","images":[]}', 1768435200006);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D001', 'bug_analysis', 'Find the cause of a bug before it is mended', 'Find out why this goes wrong before you change anything.

- [ ] Reproduce it: say which steps and which input lead to it
- [ ] Say what should happen, and what happens instead
- [ ] Follow the data to the first place where something is wrong, and name file and line
- [ ] Say since when it is so, if the history tells
- [ ] Look for other places with the same mistake
- [ ] Propose the smallest change that mends the cause and not the symptom
- [ ] Name a test that fails now and passes afterwards', 1794807981000, 1794807981000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D002', 'add_unit_tests', 'Write tests that can fail', 'Write tests for this code.

- [ ] Use the test framework and the style that the project has
- [ ] The ordinary case
- [ ] The edges: nothing, one, many, the largest, the unexpected
- [ ] Each error that callers can meet
- [ ] No test depends on another, on the clock or on the network
- [ ] Each name says what is expected
- [ ] Break the code once on purpose and see the test fail
- [ ] Run the whole suite', 1794807981000, 1794807981000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D003', 'code_refactoring', 'Make code better without changing what it does', 'Make this code easier to read and to change. What it does stays the same.

- [ ] See that tests cover what you are about to touch; write those that are missing first
- [ ] Give things names that say what they are
- [ ] Take apart what does more than one thing
- [ ] Remove what is there twice and what nobody uses
- [ ] Keep each step small, and run the tests after each
- [ ] Leave public interfaces as they are, or say which ones change and why', 1794807981000, 1794807981000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'593C1D1EA1224CAAB30D5D91A2045039', 'tag_1', NULL, 'content 1', 1768435200001, 1768435200001);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'0D7AAA824B954CF08712BA30146E831D', X'B52FF718F42B4D30AA5139FAB28BC0DD', 'task 1', 'in a few words', 'inreview', NULL, 1768435200001, 1768435200005, 0, 1, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'F7114A1093FA44EB97F99295118ECF0B', X'B52FF718F42B4D30AA5139FAB28BC0DD', 'task 2', 'in a few words', 'inprogress', NULL, 1768435200002, 1768435200002, 1, 0, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'D6CC9576295A4357A22121CFBAF3E782', X'B52FF718F42B4D30AA5139FAB28BC0DD', 'task 3', 'in a few words', 'todo', X'A314EE94D3244BA59DAD9FB27EEE56CA', 1768435200003, 1768435200003, 0, 0, '', 0);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'A67155F7A9EF463E93A3D69530914C0D', X'B52FF718F42B4D30AA5139FAB28BC0DD', 'Genie', 'in a few words', 'agent', NULL, 1768435200007, 1768435200007, 0, 0, '', 0);
INSERT INTO task_image (task_id, image_id, ordinal, created_at) VALUES (X'0D7AAA824B954CF08712BA30146E831D', X'7D3E2B68F5574ED3A7125BDA2BF913FC', 1, 1794807981261);