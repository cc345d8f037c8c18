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
, default_base_branch TEXT, fetch_submodules INTEGER NOT NULL DEFAULT 0) STRICT;
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
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (1, 'init', '2026-11-18 15:54:06', 1, X'E99A676FE7EA3DDF8D6E73E03F6557D942ED2CF5AEB2E77E70C47A99D39511CF2979A22A6285E1FFE5DF4ADBB314F466', 1235954);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (2, 'cards', '2026-11-18 15:54:06', 1, X'935C4CFCB2C535CAE78630E6920B95A098B3ECF7AEEC405E85A69B50B79CE9F3282860C483291688BB05C4D5B2051385', 1225529);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (3, 'stuff', '2026-11-18 15:54:06', 1, X'E26E0965ABDC40FFF50E4D622219E481C5B9839702FC3F4E2EBB8A3D290BF815A55BA6B3B0F260A906B00F4A71A2CFAD', 731081);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (4, 'turns', '2026-11-18 15:54:06', 1, X'1650AC979AE4A66440C49C7A6A0DEE83B06091075D603E3C0F65F90C51903D6E3889B93EA8FBE395489BB565F1AEC576', 933523);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (5, 'runs', '2026-11-18 15:54:06', 1, X'C1DEF876A726547B7BF0C34FA59C892765FD06E86A8BBAC706430948F9836336376A3CA4F39D5632CEF00FDB365681BF', 3068459);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (6, 'default_branch', '2026-11-18 15:54:06', 1, X'5EFE0738243D5ACE2CED07E2C682B215B02C9950B9706866EDADCF5B4D8A157B9B8F797E56DD14B2577A180434EA749F', 593867);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (7, 'talk', '2026-11-18 15:54:06', 1, X'26A4420CAA1703DEAA5A40E9921D9FA44399B9A354D589B8EB5BC14BB5B25926808552DC312A5A21731D81DE0176B100', 1886645);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (8, 'usage', '2026-11-18 15:54:06', 1, X'E31BABB69ED98E96418E1CB6E9B7D32A93B5A14883AE0239F1E6A78AE35918EEB9658B94BE87EB42FF3574478A311656', 2517386);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (9, 'nodes', '2026-11-18 15:54:06', 1, X'B4D879961B09C88EFB7B08384A239C1EC5EB9E72CC6F0ADB263C708A9B2AB5F80532499731428F6076029A99C7FAD090', 1282363);
INSERT INTO _sqlx_migrations (version, description, installed_on, success, checksum, execution_time) VALUES (10, 'submodules', '2026-11-18 15:54:06', 1, X'98A71CBDC6F10D4E64B47D88F26EB11218D622549F692DE32B334BBF04A7F4E1B64F9A4A1061071615C02FA476E1DA60', 520617);
INSERT INTO approval (id, process_id, message, context, status, comment, created_at, answered_at, choices, choice, timeout_at) VALUES (X'DAAE3880CEFC4B7DB13689C47DBCEDB8', X'B0D6FE06E6A943EE887DD4E75AACFCC9', 'may I 8?', '{"args":["-r","\u0000é"],"tool":"rm"}', 'pending', NULL, 1768435200008, NULL, '[]', NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'FE82FFA9C7314819B43C36944B150DFD', X'F4911EF5DFB04DB39D183DAFB12C2F2F', 'CLAUDE_CODE', NULL, 'forge/2', 'main', '/worktrees/fe82ffa9-c731-4819-b43c-36944b150dfd', 0, 20000, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200002, 1768435200002, X'F5EB1ACA2A4A40FA8C6EB13B5D5630A5', NULL, 0, 0, 0, NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'218DCB00DA794BBD9A047B233465D446', X'F4911EF5DFB04DB39D183DAFB12C2F2F', 'CLAUDE_CODE', NULL, 'forge/4', 'main', '/worktrees/218dcb00-da79-4bbd-9a04-7b233465d446', 0, 20010, NULL, 1, 'failed', '{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}}', 1768435200004, 1768435200005, X'1ABB18C55A2D4C2FB069106FAF3A7285', NULL, 0, 0, 0, NULL, NULL);
INSERT INTO attempt (id, project_id, executor, variant, branch, target_branch, worktree, worktree_deleted, first_port, conversation, set_up, status, state, created_at, updated_at, task_id, prompt, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'03D09A2D2DA14594969CF9515FF698DB', X'F4911EF5DFB04DB39D183DAFB12C2F2F', 'CLAUDE_CODE', NULL, 'forge/7', 'main', '/worktrees/03d09a2d-2da1-4594-969c-f9515ff698db', 0, 20030, NULL, 1, 'running', '{"state":"running","stage":"agent"}', 1768435200007, 1768435200007, NULL, 'count the lines', 0, 0, 0, NULL, NULL);
INSERT INTO database_identity (id, database_id) VALUES (1, X'D50E4D7D21EC0AEA90711ED9DDEBDD8B');
INSERT INTO draft (attempt_id, kind, retry_process_id, prompt, variant, image_ids, follow_up_id, version, created_at, updated_at) VALUES (X'FE82FFA9C7314819B43C36944B150DFD', 'follow_up', NULL, 'half a sen', NULL, NULL, NULL, 1, 1795017246637, 1795017246637);
INSERT INTO event (seq, at, fact) VALUES (1, 1795017246632, '{"type":"project_created","value":{"id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","name":"project 1","git_repo_path":"/repositories/1","setup_script":"npm ci","dev_script":null,"cleanup_script":"cargo fmt","copy_files":".env, config/*.local","commit_prompt":null,"default_base_branch":"develop","fetch_submodules":true,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (2, 1795017246633, '{"type":"task_created","value":{"task":{"id":"1abb18c5-5a2d-4c2f-b069-106faf3a7285","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","title":"task 1","description":"in a few words","status":"todo","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (3, 1795017246633, '{"type":"task_created","value":{"task":{"id":"f5eb1aca-2a4a-40fa-8c6e-b13b5d5630a5","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (4, 1795017246633, '{"type":"attempt_created","value":{"id":"fe82ffa9-c731-4819-b43c-36944b150dfd","task_id":"f5eb1aca-2a4a-40fa-8c6e-b13b5d5630a5","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/fe82ffa9-c731-4819-b43c-36944b150dfd","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (5, 1795017246633, '{"type":"process_created","value":{"id":"2bfb865a-1ba4-4acb-b2db-57f9b0568590","attempt_id":"fe82ffa9-c731-4819-b43c-36944b150dfd","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (6, 1795017246634, '{"type":"task_created","value":{"task":{"id":"e3ed242a-826c-4a39-9594-a9649862f6ac","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","title":"task 3","description":"in a few words","status":"todo","parent_task_attempt":"fe82ffa9-c731-4819-b43c-36944b150dfd","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.003Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (7, 1795017246635, '{"type":"task_updated","value":{"task":{"id":"1abb18c5-5a2d-4c2f-b069-106faf3a7285","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","title":"task 1","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.004Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (8, 1795017246635, '{"type":"attempt_created","value":{"id":"218dcb00-da79-4bbd-9a04-7b233465d446","task_id":"1abb18c5-5a2d-4c2f-b069-106faf3a7285","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/218dcb00-da79-4bbd-9a04-7b233465d446","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (9, 1795017246635, '{"type":"process_created","value":{"id":"42145570-f5fe-4502-aec9-a189630ad70e","attempt_id":"218dcb00-da79-4bbd-9a04-7b233465d446","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.004Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (10, 1795017246636, '{"type":"process_updated","value":{"id":"42145570-f5fe-4502-aec9-a189630ad70e","attempt_id":"218dcb00-da79-4bbd-9a04-7b233465d446","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"ended","end":{"type":"exited","code":0}},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.004Z","completed_at":"2026-01-15T00:00:00.005Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (11, 1795017246636, '{"type":"attempt_updated","value":{"id":"218dcb00-da79-4bbd-9a04-7b233465d446","task_id":"1abb18c5-5a2d-4c2f-b069-106faf3a7285","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/4","target_branch":"main","worktree":"/worktrees/218dcb00-da79-4bbd-9a04-7b233465d446","worktree_deleted":false,"first_port":20010,"conversation":null,"set_up":true,"state":{"state":"finished","outcome":{"outcome":"failed","reason":{"code":"agent_failed","message":"no"}}},"node":null,"created_at":"2026-01-15T00:00:00.004Z","updated_at":"2026-01-15T00:00:00.005Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (12, 1795017246636, '{"type":"task_updated","value":{"task":{"id":"1abb18c5-5a2d-4c2f-b069-106faf3a7285","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","title":"task 1","description":"in a few words","status":"inreview","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.005Z"},"has_in_progress_attempt":false,"last_attempt_failed":true,"executor":"CLAUDE_CODE","attempt_count":1}}');
INSERT INTO event (seq, at, fact) VALUES (13, 1795017246637, '{"type":"follow_up_queued","value":{"id":"5ec42130-b7aa-48fe-aa2a-8435922b369b","attempt_id":"fe82ffa9-c731-4819-b43c-36944b150dfd","prompt":"prompt 5","variant":"PLAN","model":"small","retry":null,"interrupt":false,"not_before":null,"created_at":"2026-01-15T00:00:00.005Z"}}');
INSERT INTO event (seq, at, fact) VALUES (14, 1795017246637, '{"type":"draft_updated","value":{"attempt_id":"fe82ffa9-c731-4819-b43c-36944b150dfd","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","kind":"follow_up","retry_process_id":null,"prompt":"half a sen","variant":null,"image_ids":null,"queued":null,"version":1,"created_at":"2026-11-18T15:54:06.637Z","updated_at":"2026-11-18T15:54:06.637Z"}}');
INSERT INTO event (seq, at, fact) VALUES (15, 1795017246638, '{"type":"attempt_created","value":{"id":"03d09a2d-2da1-4594-969c-f9515ff698db","task_id":null,"project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","prompt":"count the lines","profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/7","target_branch":"main","worktree":"/worktrees/03d09a2d-2da1-4594-969c-f9515ff698db","worktree_deleted":false,"first_port":20030,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (16, 1795017246638, '{"type":"process_created","value":{"id":"b0d6fe06-e6a9-43ee-887d-d4e75aacfcc9","attempt_id":"03d09a2d-2da1-4594-969c-f9515ff698db","in_run":true,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.007Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.007Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}');
INSERT INTO event (seq, at, fact) VALUES (17, 1795017246639, '{"type":"approval_asked","value":{"id":"daae3880-cefc-4b7d-b136-89c47dbcedb8","process_id":"b0d6fe06-e6a9-43ee-887d-d4e75aacfcc9","message":"may I 8?","context":{"args":["-r","\u0000é"],"tool":"rm"},"choices":[],"status":"pending","choice":null,"comment":null,"created_at":"2026-01-15T00:00:00.008Z","timeout_at":null,"answered_at":null}}');
INSERT INTO event (seq, at, fact) VALUES (18, 1795017246639, '{"type":"tag_created","value":{"id":"d25b2571-de23-4f96-abb0-878d5f986f43","tag_name":"tag_1","description":null,"content":"content 1","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (19, 1795017246639, '{"type":"image_created","value":{"id":"e6f23adf-153e-4597-87c5-456d1f9b3972","kind":"png","original_name":"1.png","size_bytes":1,"hash":"0000000000000000000000000000000000000000000000000000000000000001","created_at":"2026-01-15T00:00:00.001Z","updated_at":"2026-01-15T00:00:00.001Z"}}');
INSERT INTO event (seq, at, fact) VALUES (20, 1795017246639, '{"type":"task_images_changed","value":{"task_id":"1abb18c5-5a2d-4c2f-b069-106faf3a7285","image_ids":["e6f23adf-153e-4597-87c5-456d1f9b3972"]}}');
INSERT INTO event (seq, at, fact) VALUES (21, 1795017246640, '{"type":"task_created","value":{"task":{"id":"659c1537-5750-460d-9235-0838316ee10b","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","title":"Genie","description":"in a few words","status":"agent","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"},"has_in_progress_attempt":false,"last_attempt_failed":false,"executor":"","attempt_count":0}}');
INSERT INTO event (seq, at, fact) VALUES (22, 1795017246640, '{"type":"standing_agent_created","value":{"id":"d7f547d6-5a25-42a0-900d-59a1526c57e3","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","agent_type":"wish","task_id":"659c1537-5750-460d-9235-0838316ee10b","created_at":"2026-01-15T00:00:00.007Z","updated_at":"2026-01-15T00:00:00.007Z"}}');
INSERT INTO event (seq, at, fact) VALUES (23, 1795017246640, '{"type":"settings_updated","value":{"project_id":null}}');
INSERT INTO event (seq, at, fact) VALUES (24, 1795017246640, '{"type":"settings_updated","value":{"project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f"}}');
INSERT INTO follow_up (id, attempt_id, ordinal, prompt, variant, created_at, retry, how, interrupt, not_before) VALUES (X'5EC42130B7AA48FEAA2A8435922B369B', X'FE82FFA9C7314819B43C36944B150DFD', 1, 'prompt 5', 'PLAN', 1768435200005, NULL, '{"model":"small"}', 0, NULL);
INSERT INTO global_settings (id, settings, updated_at) VALUES (1, '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1795017246640);
INSERT INTO image (id, kind, original_name, size_bytes, hash, created_at, updated_at) VALUES (X'E6F23ADF153E459787C5456D1F9B3972', 'png', '1.png', 1, '0000000000000000000000000000000000000000000000000000000000000001', 1768435200001, 1768435200001);
INSERT INTO node (id, name, data_folder, machine, inode, generation, serving, created_at, updated_at) VALUES (X'17FAF08735EF41289D807A2C74BEC6A4', 'node', '/data', 'machine', 1, NULL, 1, 1795017246632, 1795017246632);
INSERT INTO port_block (first_port, attempt_id) VALUES (20000, X'FE82FFA9C7314819B43C36944B150DFD');
INSERT INTO port_block (first_port, attempt_id) VALUES (20010, X'218DCB00DA794BBD9A047B233465D446');
INSERT INTO port_block (first_port, attempt_id) VALUES (20020, X'49EC2EBD77C64D87A3AD6280C6CC78E2');
INSERT INTO port_block (first_port, attempt_id) VALUES (20030, X'03D09A2D2DA14594969CF9515FF698DB');
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'2BFB865A1BA44ACBB2DB57F9B0568590', X'FE82FFA9C7314819B43C36944B150DFD', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200002, NULL, 1768435200002, 0, 0, 0, 0, NULL, NULL);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'42145570F5FE4502AEC9A189630AD70E', X'218DCB00DA794BBD9A047B233465D446', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'completed', '{"state":"ended","end":{"type":"exited","code":0}}', NULL, '0123456789abcdef', NULL, 1768435200004, 1768435200005, 1768435200005, 0, 0, 0, 0, NULL, NULL);
INSERT INTO process (id, attempt_id, ordinal, kind, action, status, state, reason, before_head_commit, after_head_commit, started_at, completed_at, updated_at, dropped, input_tokens, cached_tokens, output_tokens, cost_micros, node) VALUES (X'B0D6FE06E6A943EE887DD4E75AACFCC9', X'03D09A2D2DA14594969CF9515FF698DB', 1, 'codingagent', '{"type":"turn","prompt":"do it","conversation":null}', 'running', '{"state":"running"}', NULL, '0123456789abcdef', NULL, 1768435200007, NULL, 1768435200007, 0, 0, 0, 0, NULL, NULL);
INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files, commit_prompt, created_at, updated_at, default_base_branch, fetch_submodules) VALUES (X'F4911EF5DFB04DB39D183DAFB12C2F2F', 'project 1', '/repositories/1', 'npm ci', NULL, 'cargo fmt', '.env, config/*.local', NULL, 1768435200001, 1768435200001, 'develop', 1);
INSERT INTO project_settings (project_id, settings, updated_at) VALUES (X'F4911EF5DFB04DB39D183DAFB12C2F2F', '{"omni_enabled":true,"omni_config":{"enabled":false,"host":null,"api_key":"key","instance":null,"recipient":null,"recipient_type":null}}', 1795017246640);
INSERT INTO standing_agent (id, project_id, agent_type, task_id, created_at, updated_at) VALUES (X'D7F547D65A2542A0900D59A1526C57E3', X'F4911EF5DFB04DB39D183DAFB12C2F2F', 'wish', X'659C15375750460D92350838316EE10B', 1768435200007, 1768435200007);
INSERT INTO start_answer (idempotency_key, fingerprint, started, created_at) VALUES ('key', 'what was asked', '{"task":{"task":{"id":"f5eb1aca-2a4a-40fa-8c6e-b13b5d5630a5","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","title":"task 2","description":"in a few words","status":"inprogress","parent_task_attempt":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z"},"has_in_progress_attempt":true,"last_attempt_failed":false,"executor":"CLAUDE_CODE","attempt_count":1},"attempt":{"id":"fe82ffa9-c731-4819-b43c-36944b150dfd","task_id":"f5eb1aca-2a4a-40fa-8c6e-b13b5d5630a5","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/2","target_branch":"main","worktree":"/worktrees/fe82ffa9-c731-4819-b43c-36944b150dfd","worktree_deleted":false,"first_port":20000,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.002Z","updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"process":{"id":"2bfb865a-1ba4-4acb-b2db-57f9b0568590","attempt_id":"fe82ffa9-c731-4819-b43c-36944b150dfd","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.002Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.002Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}}}', 1795017246633);
INSERT INTO start_intent (attempt_id, project_id, task_id, idempotency_key, intent, created_at, node) VALUES (X'49EC2EBD77C64D87A3AD6280C6CC78E2', X'F4911EF5DFB04DB39D183DAFB12C2F2F', X'E3ED242A826C4A399594A9649862F6AC', NULL, '{"attempt":{"id":"49ec2ebd-77c6-4d87-a3ad-6280c6cc78e2","task_id":"e3ed242a-826c-4a39-9594-a9649862f6ac","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","prompt":null,"profile":{"executor":"CLAUDE_CODE","variant":null},"branch":"forge/6","target_branch":"main","worktree":"/worktrees/49ec2ebd-77c6-4d87-a3ad-6280c6cc78e2","worktree_deleted":false,"first_port":20020,"conversation":null,"set_up":true,"state":{"state":"running","stage":"agent"},"node":null,"created_at":"2026-01-15T00:00:00.006Z","updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"task":{"existing":{"id":"e3ed242a-826c-4a39-9594-a9649862f6ac","project_id":"f4911ef5-dfb0-4db3-9d18-3dafb12c2f2f","title":"task 3","description":"in a few words","status":"inprogress","parent_task_attempt":"fe82ffa9-c731-4819-b43c-36944b150dfd","created_at":"2026-01-15T00:00:00.003Z","updated_at":"2026-01-15T00:00:00.006Z"}},"process":{"id":"e7747821-65d6-4889-8fb7-a4052fcaf298","attempt_id":"49ec2ebd-77c6-4d87-a3ad-6280c6cc78e2","in_run":false,"kind":"codingagent","action":{"type":"turn","prompt":"do it","conversation":null},"state":{"state":"running"},"reason":null,"before_head_commit":"0123456789abcdef","after_head_commit":null,"dropped":false,"started_at":"2026-01-15T00:00:00.006Z","completed_at":null,"updated_at":"2026-01-15T00:00:00.006Z","usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"cost_micros":null}},"idempotency_key":null,"fingerprint":"what was asked","created_at":"2026-01-15T00:00:00.006Z","images":[]}', 1768435200006, NULL);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D001', 'bug_analysis', 'Find the cause of a bug before it is mended', 'Find out why this goes wrong before you change anything.

- [ ] Reproduce it: say which steps and which input lead to it
- [ ] Say what should happen, and what happens instead
- [ ] Follow the data to the first place where something is wrong, and name file and line
- [ ] Say since when it is so, if the history tells
- [ ] Look for other places with the same mistake
- [ ] Propose the smallest change that mends the cause and not the symptom
- [ ] Name a test that fails now and passes afterwards', 1795017246000, 1795017246000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D002', 'add_unit_tests', 'Write tests that can fail', 'Write tests for this code.

- [ ] Use the test framework and the style that the project has
- [ ] The ordinary case
- [ ] The edges: nothing, one, many, the largest, the unexpected
- [ ] Each error that callers can meet
- [ ] No test depends on another, on the clock or on the network
- [ ] Each name says what is expected
- [ ] Break the code once on purpose and see the test fail
- [ ] Run the whole suite', 1795017246000, 1795017246000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'A6A1F0C252D84A3E9C1B1F0A9BE7D003', 'code_refactoring', 'Make code better without changing what it does', 'Make this code easier to read and to change. What it does stays the same.

- [ ] See that tests cover what you are about to touch; write those that are missing first
- [ ] Give things names that say what they are
- [ ] Take apart what does more than one thing
- [ ] Remove what is there twice and what nobody uses
- [ ] Keep each step small, and run the tests after each
- [ ] Leave public interfaces as they are, or say which ones change and why', 1795017246000, 1795017246000);
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'D25B2571DE234F96ABB0878D5F986F43', 'tag_1', NULL, 'content 1', 1768435200001, 1768435200001);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'1ABB18C55A2D4C2FB069106FAF3A7285', X'F4911EF5DFB04DB39D183DAFB12C2F2F', 'task 1', 'in a few words', 'inreview', NULL, 1768435200001, 1768435200005, 0, 1, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'F5EB1ACA2A4A40FA8C6EB13B5D5630A5', X'F4911EF5DFB04DB39D183DAFB12C2F2F', 'task 2', 'in a few words', 'inprogress', NULL, 1768435200002, 1768435200002, 1, 0, 'CLAUDE_CODE', 1);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'E3ED242A826C4A399594A9649862F6AC', X'F4911EF5DFB04DB39D183DAFB12C2F2F', 'task 3', 'in a few words', 'todo', X'FE82FFA9C7314819B43C36944B150DFD', 1768435200003, 1768435200003, 0, 0, '', 0);
INSERT INTO task (id, project_id, title, description, status, parent_task_attempt, created_at, updated_at, attempt_running, attempt_failed, executor, attempt_count) VALUES (X'659C15375750460D92350838316EE10B', X'F4911EF5DFB04DB39D183DAFB12C2F2F', 'Genie', 'in a few words', 'agent', NULL, 1768435200007, 1768435200007, 0, 0, '', 0);
INSERT INTO task_image (task_id, image_id, ordinal, created_at) VALUES (X'1ABB18C55A2D4C2FB069106FAF3A7285', X'E6F23ADF153E459787C5456D1F9B3972', 1, 1795017246639);