-- What people put into tasks beside words of their own. A tag's name is what it is put in by, so no two have the same.
CREATE TABLE tag (
    id          BLOB    NOT NULL PRIMARY KEY,
    tag_name    TEXT    NOT NULL UNIQUE,
    description TEXT,
    content     TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

-- The same bytes are the same image. `kind` is the end of its file's name, which is its id.
CREATE TABLE image (
    id            BLOB    NOT NULL PRIMARY KEY,
    kind          TEXT    NOT NULL,
    original_name TEXT    NOT NULL,
    size_bytes    INTEGER NOT NULL,
    hash          TEXT    NOT NULL UNIQUE,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE task_image (
    task_id    BLOB    NOT NULL REFERENCES task (id) ON DELETE CASCADE,
    image_id   BLOB    NOT NULL REFERENCES image (id) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (task_id, image_id)
) STRICT;

CREATE INDEX task_image_by_image ON task_image (image_id);

CREATE TABLE standing_agent (
    id         BLOB    NOT NULL PRIMARY KEY,
    project_id BLOB    NOT NULL REFERENCES project (id) ON DELETE CASCADE,
    agent_type TEXT    NOT NULL,
    task_id    BLOB    NOT NULL UNIQUE REFERENCES task (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, agent_type)
) STRICT;

-- The settings of Forge as a whole are in the one row of `global_settings`.
CREATE TABLE global_settings (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    settings   TEXT    NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE project_settings (
    project_id BLOB    NOT NULL PRIMARY KEY REFERENCES project (id) ON DELETE CASCADE,
    settings   TEXT    NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- To begin with; whoever deletes or changes one is not given it again.
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'a6a1f0c252d84a3e9c1b1f0a9be7d001', 'bug_analysis', 'Find the cause of a bug before it is mended', 'Find out why this goes wrong before you change anything.

- [ ] Reproduce it: say which steps and which input lead to it
- [ ] Say what should happen, and what happens instead
- [ ] Follow the data to the first place where something is wrong, and name file and line
- [ ] Say since when it is so, if the history tells
- [ ] Look for other places with the same mistake
- [ ] Propose the smallest change that mends the cause and not the symptom
- [ ] Name a test that fails now and passes afterwards', unixepoch() * 1000, unixepoch() * 1000);

INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'a6a1f0c252d84a3e9c1b1f0a9be7d002', 'add_unit_tests', 'Write tests that can fail', 'Write tests for this code.

- [ ] Use the test framework and the style that the project has
- [ ] The ordinary case
- [ ] The edges: nothing, one, many, the largest, the unexpected
- [ ] Each error that callers can meet
- [ ] No test depends on another, on the clock or on the network
- [ ] Each name says what is expected
- [ ] Break the code once on purpose and see the test fail
- [ ] Run the whole suite', unixepoch() * 1000, unixepoch() * 1000);

INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES (X'a6a1f0c252d84a3e9c1b1f0a9be7d003', 'code_refactoring', 'Make code better without changing what it does', 'Make this code easier to read and to change. What it does stays the same.

- [ ] See that tests cover what you are about to touch; write those that are missing first
- [ ] Give things names that say what they are
- [ ] Take apart what does more than one thing
- [ ] Remove what is there twice and what nobody uses
- [ ] Keep each step small, and run the tests after each
- [ ] Leave public interfaces as they are, or say which ones change and why', unixepoch() * 1000, unixepoch() * 1000);
