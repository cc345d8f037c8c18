//! Folders and repositories of the machine, who works at a path, and editors.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use forge_testkit::server::TestServer;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::{Ground, comes_true};
use crate::{FORGE, code, data, read};

fn made(path: &Path) -> &Path {
    fs::create_dir_all(path).unwrap();
    path
}

/// As it stands in a query.
fn escaped(path: &Path) -> String {
    path.to_str().unwrap().bytes().map(|byte| format!("%{byte:02X}")).collect()
}

async fn listed(server: &TestServer, path: &Path) -> (u16, Value) {
    server.get(&format!("/api/filesystem/directory?path={}", escaped(path))).await
}

#[tokio::test]
async fn a_folder_is_listed_folders_first_and_hidden_ones_not() {
    let server = TestServer::start(FORGE).await;
    let top = server.folder().join("top");
    for folder in ["beta/.git", "Alpha", ".hidden", "ü x"] {
        made(&top.join(folder));
    }
    fs::write(top.join("a file"), "").unwrap();
    symlink(top.join("beta"), top.join("link")).unwrap();
    symlink("nowhere", top.join("dangling")).unwrap();
    let told = data(listed(&server, &top).await);
    assert_eq!(told["current_path"], json!(top));
    let entries = told["entries"].as_array().unwrap();
    let row = |entry: &Value| {
        assert_eq!(entry["path"], json!(top.join(entry["name"].as_str().unwrap())));
        let kind = if entry["is_directory"] == true { "directory" } else { "file" };
        assert_eq!((&entry["type"], &entry["last_modified"]), (&json!(kind), &Value::Null));
        (entry["name"].as_str().unwrap().to_owned(), kind, entry["is_git_repo"].as_bool().unwrap())
    };
    let rows: Vec<_> = entries.iter().map(row).collect();
    let rows: Vec<_> = rows.iter().map(|(name, kind, repo)| (name.as_str(), *kind, *repo)).collect();
    let expected = [
        ("Alpha", "directory", false),
        ("beta", "directory", true),
        ("link", "directory", true),
        ("ü x", "directory", false),
        ("a file", "file", false),
        ("dangling", "file", false),
    ];
    assert_eq!(rows, expected);
    // Without a path it is the home folder; ~ is that too.
    let home = data(server.get("/api/filesystem/directory").await);
    assert_eq!(home["current_path"], json!(server.folder().join("home")));
    assert_eq!(data(server.get("/api/filesystem/directory?path=~").await), home);

    for (path, status, expected) in [
        (top.join("gone"), 404, "path_not_found"),
        (top.join("a file"), 422, "path_not_a_folder"),
        ("relative".into(), 422, "path_not_absolute"),
    ] {
        let (got, body) = listed(&server, &path).await;
        assert_eq!((got, code(&body)), (status, expected), "{}", path.display());
    }
    let (status, body) = server.get("/api/filesystem/directory?path=/a%00b").await;
    assert!(status == 400 || status == 422, "{body}");
}

#[tokio::test]
async fn repositories_are_found_near_and_not_through_links_or_in_each_other() {
    let server = TestServer::start(FORGE).await;
    let top = server.folder().join("top");
    for folder in [
        "one/.git",
        "a/two/.git",
        "a/b/three/.git",
        "a/b/c/four/.git",
        "one/inner/.git",
        ".x/no/.git",
        "node_modules/no/.git",
    ] {
        made(&top.join(folder));
    }
    fs::create_dir(top.join("worktree")).unwrap();
    fs::write(top.join("worktree/.git"), "gitdir: /x").unwrap();
    symlink(&top, top.join("a/loop")).unwrap();
    let closed = made(&top.join("closed")).to_owned();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let path = format!("/api/filesystem/git-repos?path={}", top.display());
    let found = data(server.get(&path).await);
    let mut names: Vec<_> =
        found.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["one", "three", "two", "worktree"]);
    for one in found.as_array().unwrap() {
        assert_eq!((&one["is_git_repo"], &one["is_directory"]), (&json!(true), &json!(true)));
        assert!(one["last_modified"].is_u64() && Path::new(one["path"].as_str().unwrap()).is_dir(), "{one}");
    }
    // Most recently changed first.
    let old = std::time::SystemTime::UNIX_EPOCH;
    fs::File::open(top.join("one")).unwrap().set_modified(old).unwrap();
    let found = data(server.get(&path).await);
    assert_eq!(found[3]["name"], "one", "{found}");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();

    made(&server.folder().join("home/dev/x/five/.git"));
    let usual = data(server.get("/api/filesystem/git-repos").await);
    assert!(usual.as_array().unwrap().iter().any(|one| one["name"] == "five"), "{usual}");
    let gone = server.get("/api/filesystem/git-repos?path=/nowhere/at/all").await;
    assert_eq!((gone.0, code(&gone.1)), (404, "path_not_found"));
}

#[tokio::test]
async fn a_path_in_a_worktree_leads_to_its_attempt() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let worktree = started.worktree();
    let link = ground.own("link");
    symlink(&worktree, &link).unwrap();
    let info =
        async |path: &Path| ground.server.get(&format!("/api/containers/info?ref={}", escaped(path))).await;
    made(&worktree.join("a/b"));
    for path in [
        worktree.clone(),
        worktree.join("a/b"),
        worktree.join("not/there"),
        link.clone(),
        link.join("a"),
        worktree.join(""),
    ] {
        let told = data(info(&path).await);
        assert_eq!(told["attempt_id"], started.attempt(), "{}", path.display());
        assert_eq!((&told["task_id"], &told["project_id"]), (&json!(started.task()), &ground.project["id"]));
        assert_eq!((&told["container_id"], &told["image"]), (&json!(worktree), &Value::Null));
    }
    let beside = worktree.with_file_name(format!("{}x", worktree.file_name().unwrap().to_str().unwrap()));
    for path in [
        beside,
        worktree.join("../.."),
        worktree.parent().unwrap().to_owned(),
        "/".into(),
        "".into(),
        "%".into(),
    ] {
        let (status, body) = info(&path).await;
        assert_eq!((status, code(&body)), (404, "not_found"), "{}", path.display());
    }
    assert_eq!(ground.server.get("/api/containers/info").await.0, 400);
    assert_eq!(ground.server.get("/api/containers/info?ref=%00").await.0 / 100, 4);
}

/// An editor that notes where it was started and with what.
fn put_editor(ground: &Ground, name: &str) -> std::path::PathBuf {
    let note = ground.own(&format!("{name}.note"));
    let program = ground.server.folder().join("bin").join(name);
    let draft = note.with_extension("draft");
    let script = format!(
        "#!/bin/sh\n{{ pwd; printf '%s\\n' \"$@\"; }} >'{0}'\nmv '{0}' '{1}'\n",
        draft.display(),
        note.display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    note
}

async fn noted(note: &Path) -> Vec<String> {
    comes_true("the editor was started", || note.exists()).await;
    let lines = read(note).lines().map(str::to_owned).collect();
    fs::remove_file(note).unwrap();
    lines
}

#[tokio::test]
async fn an_editor_is_opened_where_an_attempt_or_a_project_is() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let worktree = started.worktree().canonicalize().unwrap().to_str().unwrap().to_owned();
    let attempt = format!("/api/task-attempts/{}/open-editor", started.attempt());
    let project = format!("/api/projects/{}/open-editor", ground.project_id());
    let (code_note, windsurf_note) = (put_editor(&ground, "code"), put_editor(&ground, "windsurf"));

    // Without a body, with null, with both spellings.
    let response = ground.server.request(Method::POST, &attempt).send().await.unwrap();
    assert_eq!(response.json::<Value>().await.unwrap()["data"], json!({"url": null}));
    assert_eq!(noted(&code_note).await, [worktree.as_str(), worktree.as_str()]);
    data(ground.server.post(&project, json!(null)).await);
    let repo = ground.repo.path().canonicalize().unwrap();
    assert_eq!(noted(&code_note).await[1], repo.to_str().unwrap());
    let file = format!("{worktree}/a.txt");
    for body in
        [json!({"file_path": "a.txt"}), json!({"file": "a.txt"}), json!({"file_path": file, "line": null})]
    {
        data(ground.server.post(&attempt, body).await);
        assert_eq!(noted(&code_note).await, [worktree.as_str(), file.as_str()]);
    }
    data(ground.server.post(&attempt, json!({"file": "a.txt", "line": 3})).await);
    assert_eq!(noted(&code_note).await[1..], ["--goto".to_owned(), format!("{file}:3")]);
    data(ground.server.post(&attempt, json!({"editor_type": "WINDSURF"})).await);
    assert_eq!(noted(&windsurf_note).await[1], worktree);

    // A command of one's own is no shell's: its words are words.
    let own = put_editor(&ground, "own-editor");
    let command =
        json!({"editor": {"editor_type": "CUSTOM", "custom_command": "own-editor --flag $(touch) ;x"}});
    data(ground.server.put("/api/config", command).await);
    data(ground.server.post(&attempt, json!({})).await);
    assert_eq!(noted(&own).await[1..], ["--flag", "$(touch)", ";x", worktree.as_str()]);

    // An editor elsewhere is told by a URL.
    let remote =
        json!({"editor": {"editor_type": "CURSOR", "remote_ssh_host": "box", "remote_ssh_user": "me"}});
    data(ground.server.put("/api/config", remote).await);
    let opened = data(ground.server.post(&attempt, json!({"file_path": "a.txt"})).await);
    assert_eq!(opened["url"], format!("cursor://vscode-remote/ssh-remote+me@box{file}:1:1"));
}

#[tokio::test]
async fn what_cannot_be_opened_is_refused_with_what_to_do() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let note = put_editor(&ground, "code");
    fs::write(ground.own("secret"), "").unwrap();
    symlink(ground.own("secret"), started.worktree().join("link")).unwrap();
    let attempt = format!("/api/task-attempts/{}/open-editor", started.attempt());
    let cases = [
        (json!({"file_path": "../../secret"}), "path_outside"),
        (json!({"file_path": "/etc/passwd"}), "path_outside"),
        (json!({"file": "link"}), "path_outside"),
        (json!({"file_path": "gone.txt"}), "path_not_found"),
        (json!({"editor_type": "VSCODE"}), "editor_unknown"),
        (json!({"editor_type": "XCODE; rm -rf /"}), "editor_unknown"),
        (json!({"editor_type": "CUSTOM"}), "editor_not_configured"),
        (json!({"editor_type": "WINDSURF"}), "editor_not_found"),
        (json!({"line": "three"}), "wrong_shape"),
    ];
    for (body, expected) in cases {
        let (status, answer) = ground.server.post(&attempt, body.clone()).await;
        assert_eq!((status, code(&answer)), (422, expected), "{body}");
        assert!(answer["error_data"]["hint"].is_string(), "{answer}");
    }
    fs::remove_file(started.worktree().join("link")).unwrap();
    for path in ["/api/task-attempts", "/api/projects"] {
        let nobody = format!("{path}/00000000-0000-4000-8000-000000000000/open-editor");
        assert_eq!(ground.server.post(&nobody, json!({})).await.0, 404);
    }
    assert!(!note.exists(), "nothing was opened");
}
