-- What people put into tasks beside words of their own. A tag's name is what it is put in by, so no two have the same.
CREATE TABLE tag (
    id          UUID   NOT NULL PRIMARY KEY,
    tag_name    TEXT   NOT NULL UNIQUE,
    description TEXT,
    content     TEXT   NOT NULL,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);

-- The same bytes are the same image. `kind` is the end of its file's name, which is its id.
CREATE TABLE image (
    id            UUID   NOT NULL PRIMARY KEY,
    kind          TEXT   NOT NULL,
    original_name TEXT   NOT NULL,
    size_bytes    BIGINT NOT NULL,
    hash          TEXT   NOT NULL UNIQUE,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

CREATE TABLE task_image (
    task_id    UUID   NOT NULL REFERENCES task (id) ON DELETE CASCADE DEFERRABLE,
    image_id   UUID   NOT NULL REFERENCES image (id) ON DELETE CASCADE DEFERRABLE,
    ordinal    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (task_id, image_id)
);

CREATE INDEX task_image_by_image ON task_image (image_id);

CREATE TABLE standing_agent (
    id         UUID   NOT NULL PRIMARY KEY,
    project_id UUID   NOT NULL REFERENCES project (id) ON DELETE CASCADE DEFERRABLE,
    agent_type TEXT   NOT NULL,
    task_id    UUID   NOT NULL UNIQUE REFERENCES task (id) ON DELETE CASCADE DEFERRABLE,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (project_id, agent_type)
);

-- The settings of Forge as a whole are in the one row of `global_settings`.
CREATE TABLE global_settings (
    id         BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    settings   TEXT   NOT NULL,
    updated_at BIGINT NOT NULL
);

CREATE TABLE project_settings (
    project_id UUID   NOT NULL PRIMARY KEY REFERENCES project (id) ON DELETE CASCADE DEFERRABLE,
    settings   TEXT   NOT NULL,
    updated_at BIGINT NOT NULL
);

-- To begin with; whoever deletes or changes one is not given it again.
INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES ('a6a1f0c2-52d8-4a3e-9c1b-1f0a9be7d001', 'bug_analysis', 'Find the cause of a bug before it is mended', 'Find out why this goes wrong before you change anything.

- [ ] Reproduce it: say which steps and which input lead to it
- [ ] Say what should happen, and what happens instead
- [ ] Follow the data to the first place where something is wrong, and name file and line
- [ ] Say since when it is so, if the history tells
- [ ] Look for other places with the same mistake
- [ ] Propose the smallest change that mends the cause and not the symptom
- [ ] Name a test that fails now and passes afterwards', CAST(extract(epoch FROM now()) * 1000 AS BIGINT), CAST(extract(epoch FROM now()) * 1000 AS BIGINT));

INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES ('a6a1f0c2-52d8-4a3e-9c1b-1f0a9be7d002', 'add_unit_tests', 'Write tests that can fail', 'Write tests for this code.

- [ ] Use the test framework and the style that the project has
- [ ] The ordinary case
- [ ] The edges: nothing, one, many, the largest, the unexpected
- [ ] Each error that callers can meet
- [ ] No test depends on another, on the clock or on the network
- [ ] Each name says what is expected
- [ ] Break the code once on purpose and see the test fail
- [ ] Run the whole suite', CAST(extract(epoch FROM now()) * 1000 AS BIGINT), CAST(extract(epoch FROM now()) * 1000 AS BIGINT));

INSERT INTO tag (id, tag_name, description, content, created_at, updated_at) VALUES ('a6a1f0c2-52d8-4a3e-9c1b-1f0a9be7d003', 'code_refactoring', 'Make code better without changing what it does', 'Make this code easier to read and to change. What it does stays the same.

- [ ] See that tests cover what you are about to touch; write those that are missing first
- [ ] Give things names that say what they are
- [ ] Take apart what does more than one thing
- [ ] Remove what is there twice and what nobody uses
- [ ] Keep each step small, and run the tests after each
- [ ] Leave public interfaces as they are, or say which ones change and why', CAST(extract(epoch FROM now()) * 1000 AS BIGINT), CAST(extract(epoch FROM now()) * 1000 AS BIGINT));
