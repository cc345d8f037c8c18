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
, task_id BLOB REFERENCES task (id) ON DELETE CASCADE, prompt TEXT, input_tokens INTEGER NOT NULL DEFAULT 0, cached_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0, cost_micros INTEGER) STRICT;
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
    updated_at         INTEGER NOT NULL, dropped INTEGER NOT NULL DEFAULT 0, input_tokens INTEGER NOT NULL DEFAULT 0, cached_tokens INTEGER NOT NULL DEFAULT 0, output_tokens INTEGER NOT NULL DEFAULT 0, cost_micros INTEGER,
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
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (1, 'init', '2026-11-16 07:43:55', 1, X'E99A676FE7EA3DDF8D6E73E03F6557D942ED2CF5AEB2E77E70C47A99D39511CF2979A22A6285E1FFE5DF4ADBB314F466', 1525859);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (2, 'cards', '2026-11-16 07:43:55', 1, X'935C4CFCB2C535CAE78630E6920B95A098B3ECF7AEEC405E85A69B50B79CE9F3282860C483291688BB05C4D5B2051385', 1788789);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (3, 'stuff', '2026-11-16 07:43:55', 1, X'E26E0965ABDC40FFF50E4D622219E481C5B9839702FC3F4E2EBB8A3D290BF815A55BA6B3B0F260A906B00F4A71A2CFAD', 1180929);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (4, 'turns', '2026-11-16 07:43:55', 1, X'1650AC979AE4A66440C49C7A6A0DEE83B06091075D603E3C0F65F90C51903D6E3889B93EA8FBE395489BB565F1AEC576', 5357633);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (5, 'runs', '2026-11-16 07:43:55', 1, X'C1DEF876A726547B7BF0C34FA59C892765FD06E86A8BBAC706430948F9836336376A3CA4F39D5632CEF00FDB365681BF', 8685311);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (6, 'default_branch', '2026-11-16 07:43:55', 1, X'5EFE0738243D5ACE2CED07E2C682B215B02C9950B9706866EDADCF5B4D8A157B9B8F797E56DD14B2577A180434EA749F', 770702);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (8, 'usage', '2026-11-16 07:43:55', 1, X'E31BABB69ED98E96418E1CB6E9B7D32A93B5A14883AE0239F1E6A78AE35918EEB9658B94BE87EB42FF3574478A311656', 5735984);
INSERT INTO approval (id, process_id, message, context, status, comment, created_at, answered_at) VALUES (X'D52AB4CB40434FDFAB4C3709A25E8D0E', X'53CDF534AA9246F48D02BF1F83A06359', 'may I 8?', '{"args":["-r","\u0000é"],"tool":"rm"}', 'pending', NULL, 1768435200008, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros) VALUES (X'DBD051090B504C94A59AB932A9AB218A', X'29EB84CA3FFB40E7BC5B0ED03520FF11', 'CLAUDE_CODE', NULL, 'forge/2', 'main', '/worktrees/dbd05109-0b50-4c94-a59a-b932a9ab218a', 0, 20000, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200002, 1768435200002, X'11532A89AE2E421D81747746C6484AB6', NULL, 0, 0, 0, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros) VALUES (X'91721D6DDCF54512B71E410BA84E5B15', X'29EB84CA3FFB40E7BC5B0ED03520FF11', 'CLAUDE_CODE', NULL, 'forge/4', 'main', '/worktrees/91721d6d-dcf5-4512-b71e-410ba84e5b15', 0, 20010, NULL, 1, 'failed', '{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}}', 1768435200004, 1768435200005, X'3F2A4F6A42274729A602058F0D27939A', NULL, 0, 0, 0, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros) VALUES (X'92B032435E57442C8E8ADF645F91EE7C', X'29EB84CA3FFB40E7BC5B0ED03520FF11', 'CLAUDE_CODE', NULL, 'forge/7', 'main', '/worktrees/92b03243-5e57-442c-8e8a-df645f91ee7c', 0, 20030, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200007, 1768435200007, NULL, 'count the lines', 0, 0, 0, NULL);
INSERT INTO draft (attempt_id, kind, retry_process_id, prompt, variant, image_ids, follow_up_id, version, created_at, updated_at) VALUES (X'DBD051090B504C94A59AB932A9AB218A', 'follow_up', NULL, 'half a sen', NULL, NULL, NULL, 1, 1794815035530, 1794815035530);
INSERT INTO event (seq, at, fact) VALUES (1, 1794815035523, '{"type":"project_created","value":{"id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","name":"project 1","git_repo_path":"/repositories/1","setup_script":"npm ci","dev_script":null,"cleanup_script":"cargo fmt","copy_files":".env, config/*.local","commit_prompt":null,"default_base_branch":"develop","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (2, 1794815035524, '{"type":"task_created","value":{"task":{"id":"3f2a4f6a-4227-4729-a602-058f0d27939a","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","title":"task 1","description":"in a few words","status":"todo","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (3, 1794815035525, '{"type":"task_created","value":{"task":{"id":"11532a89-ae2e-421d-8174-7746c6484ab6","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (4, 1794815035525, '{"type":"attempt_created","value":{"id":"dbd05109-0b50-4c94-a59a-b932a9ab218a","task_id":"11532a89-ae2e-421d-8174-7746c6484ab6","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/dbd05109-0b50-4c94-a59a-b932a9ab218a","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (5, 1794815035525, '{"type":"process_created","value":{"id":"a5f7555c-a54e-4848-aad5-3f2407b95772","attempt_id":"dbd05109-0b50-4c94-a59a-b932a9ab218a","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (6, 1794815035526, '{"type":"task_created","value":{"task":{"id":"321335a7-81d6-444b-9b25-d01cdec35066","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","title":"task 3","description":"in a few words","status":"todo","parent_task_attempt":"dbd05109-0b50-4c94-a59a-b932a9ab218a","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.003Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (7, 1794815035527, '{"type":"task_updated","value":{"task":{"id":"3f2a4f6a-4227-4729-a602-058f0d27939a","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","title":"task 1","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.004Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (8, 1794815035527, '{"type":"attempt_created","value":{"id":"91721d6d-dcf5-4512-b71e-410ba84e5b15","task_id":"3f2a4f6a-4227-4729-a602-058f0d27939a","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/91721d6d-dcf5-4512-b71e-410ba84e5b15","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (9, 1794815035527, '{"type":"process_created","value":{"id":"4d4641dc-ff54-4e44-821d-cc5936b05368","attempt_id":"91721d6d-dcf5-4512-b71e-410ba84e5b15","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (10, 1794815035528, '{"type":"process_updated","value":{"id":"4d4641dc-ff54-4e44-821d-cc5936b05368","attempt_id":"91721d6d-dcf5-4512-b71e-410ba84e5b15","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"ended","end":{"type":"exited","code":0}},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":"2026-01-15T00:00:00.005Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (11, 1794815035528, '{"type":"attempt_updated","value":{"id":"91721d6d-dcf5-4512-b71e-410ba84e5b15","task_id":"3f2a4f6a-4227-4729-a602-058f0d27939a","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/91721d6d-dcf5-4512-b71e-410ba84e5b15","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (12, 1794815035528, '{"type":"task_updated","value":{"task":{"id":"3f2a4f6a-4227-4729-a602-058f0d27939a","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","title":"task 1","description":"in a few words","status":"inreview","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.005Z"},"has_in_progress_attempt":false,"last_attempt_failed":true,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (13, 1794815035530, '{"type":"follow_up_queued","value":{"id":"0b7a0b38-f5ea-4a3a-94da-d9abc640be7c","attempt_id":"dbd05109-0b50-4c94-a59a-b932a9ab218a","prompt":"prompt 5","variant":"PLAN","retry":null,"created_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (14, 1794815035530, '{"type":"draft_updated","value":{"attempt_id":"dbd05109-0b50-4c94-a59a-b932a9ab218a","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","kind":"follow_up","retry_process_id":null,"prompt":"half a sen","variant":null,"image_ids":null,"queued":null,"version":1,"created_at":"2026-11-16T07:43:55.530Z","updated_at":"2026-11-16T07:43:55.530Z"}}');
INSERT INTO event (seq, at, fact) VALUES (15, 1794815035532, '{"type":"attempt_created","value":{"id":"92b03243-5e57-442c-8e8a-df645f91ee7c","task_id":null,"project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","prompt":"count the lines","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/7","target_branch":"main","worktree":"/worktrees/92b03243-5e57-442c-8e8a-df645f91ee7c","worktree_deleted":false,"first_port":20030,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (16, 1794815035532, '{"type":"process_created","value":{"id":"53cdf534-aa92-46f4-8d02-bf1f83a06359","attempt_id":"92b03243-5e57-442c-8e8a-df645f91ee7c","in_run":true,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.007Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (17, 1794815035532, '{"type":"approval_asked","value":{"id":"d52ab4cb-4043-4fdf-ab4c-3709a25e8d0e","process_id":"53cdf534-aa92-46f4-8d02-bf1f83a06359","message":"may I 8?","context":{"args":["-r","\u0000é"],"tool":"rm"},"status":"pending","comment":null,"created_at":"2026-01-15T00:00:00.008Z","answered_at":null}}');
INSERT INTO event (seq, at, fact) VALUES (18, 1794815035533, '{"type":"tag_created","value":{"id":"ef0b5821-5c11-4026-8dee-b78b503030ab","tag_name":"tag_1","description":null,"content":"content 1","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (19, 1794815035533, '{"type":"image_created","value":{"id":"f0b55507-b349-4770-982b-9b5700f1a0e4","kind":"png","original_name":"1.png","size_bytes":1,"hash":"0000000000000000000000000000000000000000000000000000000000000001","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (20, 1794815035533, '{"type":"task_images_changed","value":{"task_id":"3f2a4f6a-4227-4729-a602-058f0d27939a","image_ids":["f0b55507-b349-4770-982b-9b5700f1a0e4"]}}');
INSERT INTO event (seq, at, fact) VALUES (21, 1794815035534, '{"type":"task_created","value":{"task":{"id":"45f12305-d5fe-40d6-860c-0e05d750a9fe","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","title":"Genie","description":"in a few words","status":"agent","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (22, 1794815035534, '{"type":"standing_agent_created","value":{"id":"a99728cb-f7a0-47ad-900b-3fbe0ab04ee7","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","agent_type":"wish","task_id":"45f12305-d5fe-40d6-860c-0e05d750a9fe","created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (23, 1794815035534, '{"type":"settings_updated","value":{"project_id":null}}');
INSERT INTO event (seq, at, fact) VALUES (24, 1794815035535, '{"type":"settings_updated","value":{"project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11"}}');
INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, created_at, retry) VALUES (X'0B7A0B38F5EA4A3A94DAD9ABC640BE7C', X'DBD051090B504C94A59AB932A9AB218A', 1, 'prompt 5', 'PLAN', 1768435200005, NULL);
INSERT INTO global_settings (id, settings, updated_at) VALUES (1, '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1794815035534);
INSERT INTO image (id, kind, original_name, size_bytes, hash, created_at, updated_at) VALUES (X'F0B55507B3494770982B9B5700F1A0E4', 'png', '1.png', 1, '0000000000000000000000000000000000000000000000000000000000000001', 1768435200001, 1768435200001);
INSERT INTO port_block (first_port, attempt_id) VALUES (20000, X'DBD051090B504C94A59AB932A9AB218A');
INSERT INTO port_block (first_port, attempt_id) VALUES (20010, X'91721D6DDCF54512B71E410BA84E5B15');
INSERT INTO port_block (first_port, attempt_id) VALUES (20020, X'827F4128F1C94762B32CAEA22415F2F8');
INSERT INTO port_block (first_port, attempt_id) VALUES (20030, X'92B032435E57442C8E8ADF645F91EE7C');
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros) VALUES (X'A5F7555CA54E4848AAD53F2407B95772', X'DBD051090B504C94A59AB932A9AB218A', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200002, NULL, 1768435200002, 0, 0, 0, 0, NULL);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros) VALUES (X'4D4641DCFF544E44821DCC5936B05368', X'91721D6DDCF54512B71E410BA84E5B15', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'completed', '{"state":"ended","end":{"type":"exited","code":0}}', NULL, '0123456789abcdef', NULL, 1768435200004, 1768435200005, 1768435200005, 0, 0, 0, 0, NULL);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros) VALUES (X'53CDF534AA9246F48D02BF1F83A06359', X'92B032435E57442C8E8ADF645F91EE7C', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200007, NULL, 1768435200007, 0, 0, 0, 0, NULL);
INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files, commit_prompt, created_at, updated_at, default_base_branch) VALUES (X'29EB84CA3FFB40E7BC5B0ED03520FF11', 'project 1', '/repositories/1', 'npm ci', NULL, 'cargo fmt', '.env, config/*.local', NULL, 1768435200001, 1768435200001, 'develop');
INSERT INTO project_settings (project_id, settings, updated_at) VALUES (X'29EB84CA3FFB40E7BC5B0ED03520FF11', '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1794815035535);
INSERT INTO standing_agent (id, project_id, agent_type, task_id, created_at, updated_at) VALUES (X'A99728CBF7A047AD900B3FBE0AB04EE7', X'29EB84CA3FFB40E7BC5B0ED03520FF11', 'wish', X'45F12305D5FE40D6860C0E05D750A9FE', 1768435200007, 1768435200007);
INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at) VALUES ('key', 'what was asked', '{"task":{"task":{"id":"11532a89-ae2e-421d-8174-7746c6484ab6","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1},"attempt":{"id":"dbd05109-0b50-4c94-a59a-b932a9ab218a","task_id":"11532a89-ae2e-421d-8174-7746c6484ab6","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/dbd05109-0b50-4c94-a59a-b932a9ab218a","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"process":{"id":"a5f7555c-a54e-4848-aad5-3f2407b95772","attempt_id":"dbd05109-0b50-4c94-a59a-b932a9ab218a","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}', 1794815035525);
INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at) VALUES (X'827F4128F1C94762B32CAEA22415F2F8', X'29EB84CA3FFB40E7BC5B0ED03520FF11', X'321335A781D6444B9B25D01CDEC35066', NULL, '{"attempt":{"id":"827f4128-f1c9-4762-b32c-aea22415f2f8","task_id":"321335a7-81d6-444b-9b25-d01cdec35066","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/6","target_branch":"main","worktree":"/worktrees/827f4128-f1c9-4762-b32c-aea22415f2f8","worktree_deleted":false,"first_port":20020,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.006Z","updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"task":{"existing":{"id":"321335a7-81d6-444b-9b25-d01cdec35066","project_id":"29eb84ca-3ffb-40e7-bc5b-0ed03520ff11","title":"task 3","description":"in a few words","status":"inprogress","parent_task_attempt":"dbd05109-0b50-4c94-a59a-b932a9ab218a","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.006Z"}},"process":{"id":"baecac25-8638-413a-9c61-48b10b2cc6ab","attempt_id":"827f4128-f1c9-4762-b32c-aea22415f2f8","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.006Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"idempotency_key":null,"fingerprint":"what was asked","created_at":"2026-01-15T00:00:00.006Z","images":[]}', 1768435200006);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D001', 'bug_analysis', 'Find the cause of a bug before it is mended', 'Find out why this goes wrong before you change anything.

- [ ] Reproduce it: say which steps and which input lead to it
- [ ] Say what should happen, and what happens instead
- [ ] Follow the data to the first place where something is wrong, and name file and line
- [ ] Say since when it is so, if the history tells
- [ ] Look for other places with the same mistake
- [ ] Propose the smallest change that mends the cause and not the symptom
- [ ] Name a test that fails now and passes afterwards', 1794815035000, 1794815035000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D002', 'add_unit_tests', 'Write tests that can fail', 'Write tests for this code.

- [ ] Use the test framework and the style that the project has
- [ ] The ordinary case
- [ ] The edges: nothing, one, many, the largest, the unexpected
- [ ] Each error that callers can meet
- [ ] No test depends on another, on the clock or on the network
- [ ] Each name says what is expected
- [ ] Break the code once on purpose and see the test fail
- [ ] Run the whole suite', 1794815035000, 1794815035000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D003', 'code_refactoring', 'Make code better without changing what it does', 'Make this code easier to read and to change. What it does stays the same.

- [ ] See that tests cover what you are about to touch; write those that are missing first
- [ ] Give things names that say what they are
- [ ] Take apart what does more than one thing
- [ ] Remove what is there twice and what nobody uses
- [ ] Keep each step small, and run the tests after each
- [ ] Leave public interfaces as they are, or say which ones change and why', 1794815035000, 1794815035000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'EF0B58215C1140268DEEB78B503030AB', 'tag_1', NULL, 'content 1', 1768435200001, 1768435200001);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'3F2A4F6A42274729A602058F0D27939A', X'29EB84CA3FFB40E7BC5B0ED03520FF11', 'task 1', 'in a few words', 'inreview', NULL, 1768435200001, 1768435200005, 0, 1, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'11532A89AE2E421D81747746C6484AB6', X'29EB84CA3FFB40E7BC5B0ED03520FF11', 'task 2', 'in a few words', 'inprogress', NULL, 1768435200002, 1768435200002, 1, 0, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'321335A781D6444B9B25D01CDEC35066', X'29EB84CA3FFB40E7BC5B0ED03520FF11', 'task 3', 'in a few words', 'todo', X'DBD051090B504C94A59AB932A9AB218A', 1768435200003, 1768435200003, 0, 0, '', 0);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'45F12305D5FE40D6860C0E05D750A9FE', X'29EB84CA3FFB40E7BC5B0ED03520FF11', 'Genie', 'in a few words', 'agent', NULL, 1768435200007, 1768435200007, 0, 0, '', 0);
INSERT INTO task_image (task_id, image_id, ordinal, created_at) VALUES (X'3F2A4F6A42274729A602058F0D27939A', X'F0B55507B3494770982B9B5700F1A0E4', 1, 1794815035533);