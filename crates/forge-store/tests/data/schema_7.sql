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
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (1, 'init', '2026-11-16 07:48:36', 1, X'E99A676FE7EA3DDF8D6E73E03F6557D942ED2CF5AEB2E77E70C47A99D39511CF2979A22A6285E1FFE5DF4ADBB314F466', 1628752);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (2, 'cards', '2026-11-16 07:48:36', 1, X'935C4CFCB2C535CAE78630E6920B95A098B3ECF7AEEC405E85A69B50B79CE9F3282860C483291688BB05C4D5B2051385', 24235028);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (3, 'stuff', '2026-11-16 07:48:36', 1, X'E26E0965ABDC40FFF50E4D622219E481C5B9839702FC3F4E2EBB8A3D290BF815A55BA6B3B0F260A906B00F4A71A2CFAD', 968725);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (4, 'turns', '2026-11-16 07:48:36', 1, X'1650AC979AE4A66440C49C7A6A0DEE83B06091075D603E3C0F65F90C51903D6E3889B93EA8FBE395489BB565F1AEC576', 2788369);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (5, 'runs', '2026-11-16 07:48:36', 1, X'C1DEF876A726547B7BF0C34FA59C892765FD06E86A8BBAC706430948F9836336376A3CA4F39D5632CEF00FDB365681BF', 20510623);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (6, 'default_branch', '2026-11-16 07:48:36', 1, X'5EFE0738243D5ACE2CED07E2C682B215B02C9950B9706866EDADCF5B4D8A157B9B8F797E56DD14B2577A180434EA749F', 1072107);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (7, 'talk', '2026-11-16 07:48:36', 1, X'26A4420CAA1703DEAA5A40E9921D9FA44399B9A354D589B8EB5BC14BB5B25926808552DC312A5A21731D81DE0176B100', 4986354);
INSERT INTO approval (id, process_id, message, context, status, comment, created_at, answered_at, choices, choice, timeout_at) VALUES (X'99D6F79ADB48481FBCE90F1C32619B28', X'DC7078747F0A4251BC393EF0EFDFC0F5', 'may I 8?', '{"args":["-r","\u0000é"],"tool":"rm"}', 'pending', NULL, 1768435200008, NULL, '[]', NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'F83E07D08F2A496393BD28DC0085A786', X'628FB743F06A49008D1AEB433B0E71AB', 'CLAUDE_CODE', NULL, 'forge/2', 'main', '/worktrees/f83e07d0-8f2a-4963-93bd-28dc0085a786', 0, 20000, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200002, 1768435200002, X'3BF9F91C0BA04FE685FF124DEC5CE9EE', NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'3BD9CD7E0E3F4DB98C7109DE8B317914', X'628FB743F06A49008D1AEB433B0E71AB', 'CLAUDE_CODE', NULL, 'forge/4', 'main', '/worktrees/3bd9cd7e-0e3f-4db9-8c71-09de8b317914', 0, 20010, NULL, 1, 'failed', '{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}}', 1768435200004, 1768435200005, X'9374B03AE91E431B9896C7D93CB8BE20', NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt) VALUES (X'FFAAF59CE9014AE8AC7906C93E72C9B6', X'628FB743F06A49008D1AEB433B0E71AB', 'CLAUDE_CODE', NULL, 'forge/7', 'main', '/worktrees/ffaaf59c-e901-4ae8-ac79-06c93e72c9b6', 0, 20030, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200007, 1768435200007, NULL, 'count the lines');
INSERT INTO draft (attempt_id, kind, retry_process_id, prompt, variant, image_ids, follow_up_id, version, created_at, updated_at) VALUES (X'F83E07D08F2A496393BD28DC0085A786', 'follow_up', NULL, 'half a sen', NULL, NULL, NULL, 1, 1794815316714, 1794815316714);
INSERT INTO event (seq, at, fact) VALUES (1, 1794815316702, '{"type":"project_created","value":{"id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","name":"project 1","git_repo_path":"/repositories/1","setup_script":"npm ci","dev_script":null,"cleanup_script":"cargo fmt","copy_files":".env, config/*.local","commit_prompt":null,"default_base_branch":"develop","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (2, 1794815316703, '{"type":"task_created","value":{"task":{"id":"9374b03a-e91e-431b-9896-c7d93cb8be20","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","title":"task 1","description":"in a few words","status":"todo","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (3, 1794815316706, '{"type":"task_created","value":{"task":{"id":"3bf9f91c-0ba0-4fe6-85ff-124dec5ce9ee","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (4, 1794815316706, '{"type":"attempt_created","value":{"id":"f83e07d0-8f2a-4963-93bd-28dc0085a786","task_id":"3bf9f91c-0ba0-4fe6-85ff-124dec5ce9ee","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/f83e07d0-8f2a-4963-93bd-28dc0085a786","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (5, 1794815316706, '{"type":"process_created","value":{"id":"7ec7cdfb-e265-4a8d-b353-4fd5a615b010","attempt_id":"f83e07d0-8f2a-4963-93bd-28dc0085a786","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (6, 1794815316707, '{"type":"task_created","value":{"task":{"id":"07debe80-99b7-4478-a0a3-9c4d2819d92d","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","title":"task 3","description":"in a few words","status":"todo","parent_task_attempt":"f83e07d0-8f2a-4963-93bd-28dc0085a786","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.003Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (7, 1794815316712, '{"type":"task_updated","value":{"task":{"id":"9374b03a-e91e-431b-9896-c7d93cb8be20","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","title":"task 1","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.004Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (8, 1794815316712, '{"type":"attempt_created","value":{"id":"3bd9cd7e-0e3f-4db9-8c71-09de8b317914","task_id":"9374b03a-e91e-431b-9896-c7d93cb8be20","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/3bd9cd7e-0e3f-4db9-8c71-09de8b317914","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (9, 1794815316712, '{"type":"process_created","value":{"id":"553b1fd5-3f98-4d6c-9fad-77180a7d0e70","attempt_id":"3bd9cd7e-0e3f-4db9-8c71-09de8b317914","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (10, 1794815316713, '{"type":"process_updated","value":{"id":"553b1fd5-3f98-4d6c-9fad-77180a7d0e70","attempt_id":"3bd9cd7e-0e3f-4db9-8c71-09de8b317914","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"ended","end":{"type":"exited","code":0}},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":"2026-01-15T00:00:00.005Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (11, 1794815316713, '{"type":"attempt_updated","value":{"id":"3bd9cd7e-0e3f-4db9-8c71-09de8b317914","task_id":"9374b03a-e91e-431b-9896-c7d93cb8be20","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/3bd9cd7e-0e3f-4db9-8c71-09de8b317914","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}},"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (12, 1794815316713, '{"type":"task_updated","value":{"task":{"id":"9374b03a-e91e-431b-9896-c7d93cb8be20","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","title":"task 1","description":"in a few words","status":"inreview","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.005Z"},"has_in_progress_attempt":false,"last_attempt_failed":true,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (13, 1794815316714, '{"type":"follow_up_queued","value":{"id":"f416ff29-b008-474b-a77a-318a918416e6","attempt_id":"f83e07d0-8f2a-4963-93bd-28dc0085a786","prompt":"prompt 5","variant":"PLAN","model":"small","retry":null,"interrupt":false,"not_before":null,"created_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (14, 1794815316714, '{"type":"draft_updated","value":{"attempt_id":"f83e07d0-8f2a-4963-93bd-28dc0085a786","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","kind":"follow_up","retry_process_id":null,"prompt":"half a sen","variant":null,"image_ids":null,"queued":null,"version":1,"created_at":"2026-11-16T07:48:36.714Z","updated_at":"2026-11-16T07:48:36.714Z"}}');
INSERT INTO event (seq, at, fact) VALUES (15, 1794815316716, '{"type":"attempt_created","value":{"id":"ffaaf59c-e901-4ae8-ac79-06c93e72c9b6","task_id":null,"project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","prompt":"count the lines","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/7","target_branch":"main","worktree":"/worktrees/ffaaf59c-e901-4ae8-ac79-06c93e72c9b6","worktree_deleted":false,"first_port":20030,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (16, 1794815316716, '{"type":"process_created","value":{"id":"dc707874-7f0a-4251-bc39-3ef0efdfc0f5","attempt_id":"ffaaf59c-e901-4ae8-ac79-06c93e72c9b6","in_run":true,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.007Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (17, 1794815316719, '{"type":"approval_asked","value":{"id":"99d6f79a-db48-481f-bce9-0f1c32619b28","process_id":"dc707874-7f0a-4251-bc39-3ef0efdfc0f5","message":"may I 8?","context":{"args":["-r","\u0000é"],"tool":"rm"},"choices":[],"status":"pending","choice":null,"comment":null,"created_at":"2026-01-15T00:00:00.008Z","timeout_at":null,"answered_at":null}}');
INSERT INTO event (seq, at, fact) VALUES (18, 1794815316720, '{"type":"tag_created","value":{"id":"28f8bd44-19aa-4d30-9c25-ef84336e49b4","tag_name":"tag_1","description":null,"content":"content 1","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (19, 1794815316721, '{"type":"image_created","value":{"id":"9e87dc3e-7b20-460d-b45b-36a071f020a6","kind":"png","original_name":"1.png","size_bytes":1,"hash":"0000000000000000000000000000000000000000000000000000000000000001","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (20, 1794815316721, '{"type":"task_images_changed","value":{"task_id":"9374b03a-e91e-431b-9896-c7d93cb8be20","image_ids":["9e87dc3e-7b20-460d-b45b-36a071f020a6"]}}');
INSERT INTO event (seq, at, fact) VALUES (21, 1794815316722, '{"type":"task_created","value":{"task":{"id":"7dc756be-7a3e-4862-a2c5-e7869ca947ed","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","title":"Genie","description":"in a few words","status":"agent","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (22, 1794815316722, '{"type":"standing_agent_created","value":{"id":"caa8b044-4096-4956-a83b-cb05de169c24","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","agent_type":"wish","task_id":"7dc756be-7a3e-4862-a2c5-e7869ca947ed","created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (23, 1794815316724, '{"type":"settings_updated","value":{"project_id":null}}');
INSERT INTO event (seq, at, fact) VALUES (24, 1794815316724, '{"type":"settings_updated","value":{"project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab"}}');
INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, created_at, retry, how, interrupt, not_before) VALUES (X'F416FF29B008474BA77A318A918416E6', X'F83E07D08F2A496393BD28DC0085A786', 1, 'prompt 5', 'PLAN', 1768435200005, NULL, '{"model":"small"}', 0, NULL);
INSERT INTO global_settings (id, settings, updated_at) VALUES (1, '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1794815316724);
INSERT INTO image (id, kind, original_name, size_bytes, hash, created_at, updated_at) VALUES (X'9E87DC3E7B20460DB45B36A071F020A6', 'png', '1.png', 1, '0000000000000000000000000000000000000000000000000000000000000001', 1768435200001, 1768435200001);
INSERT INTO port_block (first_port, attempt_id) VALUES (20000, X'F83E07D08F2A496393BD28DC0085A786');
INSERT INTO port_block (first_port, attempt_id) VALUES (20010, X'3BD9CD7E0E3F4DB98C7109DE8B317914');
INSERT INTO port_block (first_port, attempt_id) VALUES (20020, X'1FB950C96FD6496AAD9B2F65FAA775F9');
INSERT INTO port_block (first_port, attempt_id) VALUES (20030, X'FFAAF59CE9014AE8AC7906C93E72C9B6');
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped) VALUES (X'7EC7CDFBE2654A8DB3534FD5A615B010', X'F83E07D08F2A496393BD28DC0085A786', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200002, NULL, 1768435200002, 0);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped) VALUES (X'553B1FD53F984D6C9FAD77180A7D0E70', X'3BD9CD7E0E3F4DB98C7109DE8B317914', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'completed', '{"state":"ended","end":{"type":"exited","code":0}}', NULL, '0123456789abcdef', NULL, 1768435200004, 1768435200005, 1768435200005, 0);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped) VALUES (X'DC7078747F0A4251BC393EF0EFDFC0F5', X'FFAAF59CE9014AE8AC7906C93E72C9B6', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200007, NULL, 1768435200007, 0);
INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files, commit_prompt, created_at, updated_at, default_base_branch) VALUES (X'628FB743F06A49008D1AEB433B0E71AB', 'project 1', '/repositories/1', 'npm ci', NULL, 'cargo fmt', '.env, config/*.local', NULL, 1768435200001, 1768435200001, 'develop');
INSERT INTO project_settings (project_id, settings, updated_at) VALUES (X'628FB743F06A49008D1AEB433B0E71AB', '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1794815316724);
INSERT INTO standing_agent (id, project_id, agent_type, task_id, created_at, updated_at) VALUES (X'CAA8B04440964956A83BCB05DE169C24', X'628FB743F06A49008D1AEB433B0E71AB', 'wish', X'7DC756BE7A3E4862A2C5E7869CA947ED', 1768435200007, 1768435200007);
INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at) VALUES ('key', 'what was asked', '{"task":{"task":{"id":"3bf9f91c-0ba0-4fe6-85ff-124dec5ce9ee","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1},"attempt":{"id":"f83e07d0-8f2a-4963-93bd-28dc0085a786","task_id":"3bf9f91c-0ba0-4fe6-85ff-124dec5ce9ee","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/f83e07d0-8f2a-4963-93bd-28dc0085a786","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"process":{"id":"7ec7cdfb-e265-4a8d-b353-4fd5a615b010","attempt_id":"f83e07d0-8f2a-4963-93bd-28dc0085a786","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}', 1794815316706);
INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at) VALUES (X'1FB950C96FD6496AAD9B2F65FAA775F9', X'628FB743F06A49008D1AEB433B0E71AB', X'07DEBE8099B74478A0A39C4D2819D92D', NULL, '{"attempt":{"id":"1fb950c9-6fd6-496a-ad9b-2f65faa775f9","task_id":"07debe80-99b7-4478-a0a3-9c4d2819d92d","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/6","target_branch":"main","worktree":"/worktrees/1fb950c9-6fd6-496a-ad9b-2f65faa775f9","worktree_deleted":false,"first_port":20020,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"created_at":"2026-01-15T00:00:00.006Z","updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"task":{"existing":{"id":"07debe80-99b7-4478-a0a3-9c4d2819d92d","project_id":"628fb743-f06a-4900-8d1a-eb433b0e71ab","title":"task 3","description":"in a few words","status":"inprogress","parent_task_attempt":"f83e07d0-8f2a-4963-93bd-28dc0085a786","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.006Z"}},"process":{"id":"d1b4425c-be03-41cd-83d4-766fb9fa5e0f","attempt_id":"1fb950c9-6fd6-496a-ad9b-2f65faa775f9","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.006Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"idempotency_key":null,"fingerprint":"what was asked","created_at":"2026-01-15T00:00:00.006Z","images":[]}', 1768435200006);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D001', 'bug_analysis', 'Find the cause of a bug before it is mended', 'Find out why this goes wrong before you change anything.

- [ ] Reproduce it: say which steps and which input lead to it
- [ ] Say what should happen, and what happens instead
- [ ] Follow the data to the first place where something is wrong, and name file and line
- [ ] Say since when it is so, if the history tells
- [ ] Look for other places with the same mistake
- [ ] Propose the smallest change that mends the cause and not the symptom
- [ ] Name a test that fails now and passes afterwards', 1794815316000, 1794815316000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D002', 'add_unit_tests', 'Write tests that can fail', 'Write tests for this code.

- [ ] Use the test framework and the style that the project has
- [ ] The ordinary case
- [ ] The edges: nothing, one, many, the largest, the unexpected
- [ ] Each error that callers can meet
- [ ] No test depends on another, on the clock or on the network
- [ ] Each name says what is expected
- [ ] Break the code once on purpose and see the test fail
- [ ] Run the whole suite', 1794815316000, 1794815316000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D003', 'code_refactoring', 'Make code better without changing what it does', 'Make this code easier to read and to change. What it does stays the same.

- [ ] See that tests cover what you are about to touch; write those that are missing first
- [ ] Give things names that say what they are
- [ ] Take apart what does more than one thing
- [ ] Remove what is there twice and what nobody uses
- [ ] Keep each step small, and run the tests after each
- [ ] Leave public interfaces as they are, or say which ones change and why', 1794815316000, 1794815316000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'28F8BD4419AA4D309C25EF84336E49B4', 'tag_1', NULL, 'content 1', 1768435200001, 1768435200001);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'9374B03AE91E431B9896C7D93CB8BE20', X'628FB743F06A49008D1AEB433B0E71AB', 'task 1', 'in a few words', 'inreview', NULL, 1768435200001, 1768435200005, 0, 1, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'3BF9F91C0BA04FE685FF124DEC5CE9EE', X'628FB743F06A49008D1AEB433B0E71AB', 'task 2', 'in a few words', 'inprogress', NULL, 1768435200002, 1768435200002, 1, 0, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'07DEBE8099B74478A0A39C4D2819D92D', X'628FB743F06A49008D1AEB433B0E71AB', 'task 3', 'in a few words', 'todo', X'F83E07D08F2A496393BD28DC0085A786', 1768435200003, 1768435200003, 0, 0, '', 0);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'7DC756BE7A3E4862A2C5E7869CA947ED', X'628FB743F06A49008D1AEB433B0E71AB', 'Genie', 'in a few words', 'agent', NULL, 1768435200007, 1768435200007, 0, 0, '', 0);
INSERT INTO task_image (task_id, image_id, ordinal, created_at) VALUES (X'9374B03AE91E431B9896C7D93CB8BE20', X'9E87DC3E7B20460DB45B36A071F020A6', 1, 1794815316721);