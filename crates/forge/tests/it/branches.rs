//! What an attempt's branch is asked over HTTP: how it stands, its commits, its target, its files.

use std::fs;
use std::os::unix::fs::symlink;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::ground::{Ground, Held, Started};
use crate::{FORGE, code, data};

fn of(started: &Started, what: &str) -> String {
    format!("/api/task-attempts/{}/{what}", started.attempt())
}

/// Posts without any body, as most clients do.
async fn post(ground: &Ground, path: &str) -> (u16, Value) {
    let response = ground.server.request(Method::POST, path).send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

/// The text as a part of a query.
pub(crate) fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

async fn delete_file(ground: &Ground, started: &Started, path: &str) -> (u16, Value) {
    post(ground, &of(started, &format!("delete-file?file_path={}", encoded(path)))).await
}

async fn status_of(ground: &Ground, started: &Started) -> Value {
    data(ground.server.get(&of(started, "branch-status")).await)
}

/// An attempt that is done and changed `a.txt`, while `main` changed it too.
async fn diverged() -> (Ground, Started) {
    let repo = TempRepo::new().with_file("a.txt", "1\n");
    repo.commit("Base");
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let started = ground.start("@edit a.txt ours").await;
    ground.finished(&started).await;
    ground.repo.write("a.txt", "theirs\n");
    ground.repo.commit("Theirs");
    (ground, started)
}

#[tokio::test]
async fn a_branch_is_told_in_the_words_of_every_client() {
    let (ground, started) = diverged().await;
    let status = status_of(&ground, &started).await;
    let expected = json!({
        "commits_behind": 1, "commits_ahead": 1, "has_uncommitted_changes": false,
        "head_oid": ground.git_in(&started, &["rev-parse", "HEAD"]),
        "uncommitted_count": 0, "untracked_count": 0, "target_branch_name": "main",
        "remote_commits_behind": null, "remote_commits_ahead": null, "merges": [],
        "is_rebase_in_progress": false, "conflict_op": null, "conflicted_files": [],
        "ahead": 1, "behind": 1, "conflicts": [], "status": "diverged",
        "compared_with": "main", "fetched": false, "head_problem": null, "warnings": [],
    });
    assert_eq!(status, expected);
    fs::write(started.worktree().join("a.txt"), "more\n").unwrap();
    fs::write(started.worktree().join("new\nfile"), "").unwrap();
    let status = status_of(&ground, &started).await;
    assert_eq!((&status["uncommitted_count"], &status["untracked_count"]), (&json!(1), &json!(1)));
    assert_eq!(status["has_uncommitted_changes"], true);
    // Without a worktree the branch is told, and nothing of files.
    fs::remove_dir_all(started.worktree()).unwrap();
    let status = status_of(&ground, &started).await;
    assert_eq!((&status["ahead"], &status["has_uncommitted_changes"]), (&json!(1), &Value::Null));
    assert_eq!(status["head_oid"], ground.repo.git(&["rev-parse", started.branch()]));
    // Without a target there is nothing to compare with.
    ground.repo.git(&["branch", "--move", "main", "trunk"]);
    let status = status_of(&ground, &started).await;
    assert_eq!((&status["ahead"], &status["status"]), (&Value::Null, &json!("unknown")));
    let (status, body) =
        ground.server.get(&format!("/api/task-attempts/{}/branch-status", Uuid::new_v4())).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
}

#[tokio::test]
async fn conflicts_are_told_and_given_up_and_what_was_there_is_saved() {
    let (ground, started) = diverged().await;
    let before = ground.git_in(&started, &["rev-parse", "HEAD"]);
    assert!(!ground.repo.try_git_in(&started.worktree(), &["rebase", "main"]).status.success());
    fs::write(started.worktree().join("half"), "half resolved\n").unwrap();
    let status = status_of(&ground, &started).await;
    assert_eq!((&status["is_rebase_in_progress"], &status["conflict_op"]), (&json!(true), &json!("rebase")));
    assert_eq!((&status["conflicted_files"], &status["conflicts"]), (&json!(["a.txt"]), &json!(["a.txt"])));
    assert_eq!(status["status"], "conflicts");
    // Nothing is deleted in the middle of it.
    let (refused, body) = delete_file(&ground, &started, "a.txt").await;
    assert_eq!((refused, code(&body)), (409, "operation_in_progress"));

    assert_eq!(data(post(&ground, &of(&started, "conflicts/abort")).await), Value::Null);

    let status = status_of(&ground, &started).await;
    assert_eq!((&status["conflict_op"], &status["head_oid"]), (&Value::Null, &json!(before)));
    let snapshots = data(ground.server.get(&of(&started, "snapshots")).await);
    let saved = snapshots.as_array().unwrap().iter().find(|one| one["what"] == "before_change").unwrap();
    let half = format!("{}:half", saved["oid"].as_str().unwrap());
    assert_eq!(ground.repo.git(&["show", &half]), "half resolved");
    // There is nothing left to give up, which is fine.
    assert_eq!(data(post(&ground, &of(&started, "conflicts/abort")).await), Value::Null);
}

/// A rebase that stops on a commit which no longer tracks a file and ignores it.
#[tokio::test]
async fn abort_saves_ignored_files_it_overwrites() {
    let repo = TempRepo::new().with_file("a.txt", "1\n");
    repo.commit("Base");
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let started = ground.start("@edit a.txt ours\n@edit conf tracked").await;
    ground.finished(&started).await;
    ground.repo.write("a.txt", "theirs\n");
    ground.repo.write(".gitignore", "conf\nother\n");
    ground.repo.commit("Theirs");
    assert!(!ground.repo.try_git_in(&started.worktree(), &["rebase", "main"]).status.success());
    ground.git_in(&started, &["rm", "--quiet", "--cached", "--ignore-unmatch", "conf"]);
    for file in ["conf", "other"] {
        fs::write(started.worktree().join(file), "precious\n").unwrap();
    }

    assert_eq!(data(post(&ground, &of(&started, "conflicts/abort")).await), Value::Null);

    let read = |file: &str| fs::read_to_string(started.worktree().join(file)).unwrap();
    assert_eq!((read("conf"), read("other")), ("tracked\n".to_owned(), "precious\n".to_owned()));
    let snapshots = data(ground.server.get(&of(&started, "snapshots")).await);
    let saved = snapshots.as_array().unwrap().iter().find(|one| one["what"] == "before_change").unwrap();
    let conf = format!("{}:conf", saved["oid"].as_str().unwrap());
    assert_eq!(ground.repo.git(&["show", &conf]), "precious");
}

#[tokio::test]
async fn commits_are_told_and_compared() {
    let (ground, started) = diverged().await;
    let base = ground.git_in(&started, &["rev-parse", "HEAD~1"]);
    let theirs = ground.repo.git(&["rev-parse", "main"]);
    let head = ground.git_in(&started, &["rev-parse", "HEAD"]);
    let info = data(ground.server.get(&of(&started, &format!("commit-info?sha={base}"))).await);
    let told = (&info["sha"], &info["subject"], &info["author"], &info["author_email"]);
    assert_eq!(told, (&json!(base), &json!("Base"), &json!("Test"), &json!("test@example.com")));
    let compared = data(ground.server.get(&of(&started, &format!("commit-compare?sha={base}"))).await);
    let expected = json!({
        "head_oid": head, "target_oid": base, "ahead_from_head": 1, "behind_from_head": 0, "is_linear": true,
        "files_changed": 1, "insertions": 1, "deletions": 1,
    });
    assert_eq!(compared, expected);
    let beside = data(ground.server.get(&of(&started, &format!("commit-compare?sha={theirs}"))).await);
    assert_eq!((&beside["is_linear"], &beside["behind_from_head"]), (&json!(false), &json!(1)));
    for what in ["commit-info", "commit-compare"] {
        let ask = async |query: &str| {
            let (status, body) = ground.server.get(&of(&started, &format!("{what}{query}"))).await;
            (status, code(&body).to_owned())
        };
        assert_eq!(ask("").await.0, 400);
        assert_eq!(ask("?sha=--all").await, (422, "bad_commit".to_owned()));
        assert_eq!(
            ask("?sha=0123456789012345678901234567890123456789").await,
            (404, "commit_not_found".to_owned())
        );
    }
}

#[tokio::test]
async fn the_target_changes_in_both_spellings_and_while_an_agent_works() {
    let ground = Ground::new().await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@edit a.txt 1\n@wait-fifo {}", held.path())).await;
    ground.repo.git(&["branch", "release"]);
    ground.repo.git(&["branch", "next"]);
    let change = async |body: Value| ground.server.post(&of(&started, "change-target-branch"), body).await;
    let changed = data(change(json!({"new_target_branch": "release"})).await);
    assert_eq!(
        changed,
        json!({"new_target_branch": "release", "target_branch": "release", "status": [0, 0]})
    );
    let changed = data(change(json!({"target_branch": "next"})).await);
    assert_eq!(changed["new_target_branch"], "next");
    for (body, expected) in [
        (json!({"new_target_branch": "nowhere"}), "branch_not_found"),
        (json!({"new_target_branch": "--all"}), "branch_not_found"),
        (json!({"new_target_branch": started.branch()}), "target_is_own_branch"),
        (json!({}), "wrong_shape"),
        (json!({"new_target_branch": 7}), "wrong_shape"),
    ] {
        let (status, answer) = change(body.clone()).await;
        assert_eq!((status, code(&answer)), (422, expected), "{body}");
    }
    held.let_go();
    // The turn's end does not undo it.
    let attempt = ground.finished(&started).await;
    assert_eq!(attempt["target_branch"], "next");
    let unknown = format!("/api/task-attempts/{}/change-target-branch", Uuid::new_v4());
    assert_eq!(ground.server.post(&unknown, json!({})).await.0, 404);
}

#[tokio::test]
async fn a_file_is_deleted_by_a_commit_and_nothing_outside_is_touched() {
    let repo = TempRepo::new().with_file("dir/old.txt", "old\n").with_file("keep.txt", "k\n");
    repo.commit("Files");
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let held = Held::at(ground.own("held"));
    let started = ground.start(&format!("@edit new.txt 1\n@wait-fifo {}", held.path())).await;
    // An agent at work is not disturbed.
    let (status, body) = delete_file(&ground, &started, "keep.txt").await;
    assert_eq!((status, code(&body)), (409, "attempt_running"));
    let (status, body) = post(&ground, &of(&started, "conflicts/abort")).await;
    assert_eq!((status, code(&body)), (409, "attempt_running"));
    held.let_go();
    ground.finished(&started).await;
    let victim = ground.own("victim");
    fs::write(&victim, "v").unwrap();
    symlink(ground.server.folder(), started.worktree().join("way")).unwrap();
    let outside = victim.to_str().unwrap().to_owned();
    for path in ["../../victim", &outside, "way/victim", ".git", ".git/config", "dir", "", "a/../../b"] {
        let (status, body) = delete_file(&ground, &started, path).await;
        assert_eq!((status, code(&body)), (422, "path_refused"), "{path}");
    }
    let (status, body) = delete_file(&ground, &started, "nothing.txt").await;
    assert_eq!((status, code(&body)), (404, "file_not_found"));
    assert_eq!(post(&ground, &of(&started, "delete-file")).await.0, 400);
    assert!(victim.exists());
    fs::write(started.worktree().join("keep.txt"), "not committed\n").unwrap();

    assert_eq!(data(delete_file(&ground, &started, "dir/old.txt").await), Value::Null);

    let shown = ground.git_in(&started, &["show", "--format=%s", "--name-status"]);
    assert_eq!(shown, "Delete file: dir/old.txt\n\nD\tdir/old.txt");
    assert_eq!(fs::read_to_string(started.worktree().join("keep.txt")).unwrap(), "not committed\n");
    // A branch that is not the attempt's gets no commits.
    ground.git_in(&started, &["checkout", "--quiet", "-b", "agents-own"]);
    let tip = ground.repo.git(&["rev-parse", "agents-own"]);
    let (status, body) = delete_file(&ground, &started, "keep.txt").await;
    assert_eq!((status, code(&body)), (409, "branch_not_checked_out"), "{body}");
    assert_eq!(ground.repo.git(&["rev-parse", "agents-own"]), tip);
    assert!(started.worktree().join("keep.txt").exists());
    // Without a worktree there is nothing to delete in.
    fs::remove_dir_all(started.worktree()).unwrap();
    let (status, body) = delete_file(&ground, &started, "keep.txt").await;
    assert_eq!((status, code(&body)), (409, "worktree_gone"));
}

#[tokio::test]
async fn an_attempt_knows_where_it_came_from_and_what_came_out_of_it() {
    let ground = Ground::new().await;
    let parent = ground.start("@say hello").await;
    let make = |title: &str| json!({"project_id": ground.project["id"], "title": title, "parent_task_attempt": parent.attempt()});
    let first = data(ground.server.post("/api/tasks", make("first")).await);
    data(ground.server.post("/api/tasks", make("second")).await);
    let relations = data(ground.server.get(&of(&parent, "children")).await);
    let mut titles: Vec<_> =
        relations["children"].as_array().unwrap().iter().map(|task| task["title"].clone()).collect();
    titles.sort_by_key(ToString::to_string);
    assert_eq!(titles, [json!("first"), json!("second")]);
    assert_eq!((&relations["parent_task"], &relations["parent"]), (&Value::Null, &Value::Null));
    assert_eq!(relations["current_attempt"]["id"], parent.attempt());
    let body = json!({"task_id": first["id"], "executor_profile_id": "CLAUDE_CODE", "base_branch": "main"});
    let child = data(ground.server.post("/api/task-attempts", body).await);
    let path = format!("/api/task-attempts/{}/children", child["id"].as_str().unwrap());
    let relations = data(ground.server.get(&path).await);
    assert_eq!(relations["parent_task"]["id"], parent.task());
    assert_eq!((&relations["parent"], &relations["children"]), (&relations["parent_task"], &json!([])));
}

#[tokio::test]
async fn files_are_found_by_name_then_by_path_and_ignored_ones_only_where_asked() {
    let repo = TempRepo::new()
        .with_file("src/login/form.ts", "")
        .with_file("src/Login.ts", "")
        .with_file(".gitignore", ".env*\n");
    repo.commit("Files");
    repo.write("docs/how to login.md", "");
    repo.write("docs/gone-login.md", "");
    repo.commit("Docs");
    fs::remove_file(repo.path().join("docs/gone-login.md")).unwrap();
    repo.write(".env.login", "SECRET");
    for number in 0..20 {
        repo.write(format!("many/file{number}"), "");
    }
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let search = async |query: &[(&str, &str)]| {
        let query: Vec<_> = query.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        ground.server.get(&format!("/api/projects/{}/search?{}", ground.project_id(), query.join("&"))).await
    };
    let expected = json!([
        {"path": "src/Login.ts", "is_file": true, "match_type": "FileName"},
        {"path": "docs/how to login.md", "is_file": true, "match_type": "FileName"},
        {"path": "src/login", "is_file": false, "match_type": "DirectoryName"},
        {"path": "src/login/form.ts", "is_file": true, "match_type": "FullPath"},
    ]);
    for mode in ["taskform", "TaskForm", "FileName", "whatever"] {
        assert_eq!(data(search(&[("q", "LOGIN"), ("mode", mode)]).await), expected, "{mode}");
    }
    let settings = data(search(&[("q", "login"), ("mode", "Settings")]).await);
    assert!(settings.as_array().unwrap().iter().any(|found| found["path"] == ".env.login"), "{settings}");
    assert_eq!(data(search(&[("q", "file")]).await).as_array().unwrap().len(), 10);
    assert_eq!(data(search(&[("q", "no such thing")]).await), json!([]));
    let (status, body) = search(&[("q", " ")]).await;
    assert_eq!((status, code(&body)), (422, "query_empty"));
    assert_eq!(search(&[]).await.0, 400);
    let unknown = format!("/api/projects/{}/search?q=x", Uuid::new_v4());
    assert_eq!(ground.server.get(&unknown).await.0, 404);
}

#[tokio::test]
async fn a_project_is_compared_with_what_was_last_fetched() {
    let ground = Ground::new().await;
    let path = format!("/api/forge/projects/{}/branch-status", ground.project_id());
    let status = data(ground.server.get(&path).await);
    assert_eq!((&status["status"], &status["remote_commits_ahead"]), (&json!("unknown"), &Value::Null));
    ground.repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    // One that nobody could ask: nothing is fetched.
    ground.repo.git(&["remote", "add", "origin", "https://no.such.host.invalid/x.git"]);
    ground.repo.write("new", "");
    ground.repo.commit("Ahead");
    ground.repo.write("dirty", "");
    let status = data(ground.server.get(&path).await);
    assert_eq!((&status["commits_ahead"], &status["remote_commits_ahead"]), (&json!(1), &json!(1)));
    assert_eq!(
        (&status["target_branch_name"], &status["compared_with"]),
        (&json!("main"), &json!("origin/main"))
    );
    assert_eq!((&status["untracked_count"], &status["fetched"]), (&json!(1), &json!(false)));
    let (status, body) = ground.server.get(&format!("{path}?base=..")).await;
    assert_eq!((status, code(&body)), (422, "name_invalid"));
    let unknown = format!("/api/forge/projects/{}/branch-status", Uuid::new_v4());
    assert_eq!(ground.server.get(&unknown).await.0, 404);
}

#[tokio::test]
async fn what_is_not_available_yet_says_so_and_does_nothing() {
    let (ground, started) = diverged().await;
    let refs = ground.repo.git(&["for-each-ref"]);
    let none = None::<Value>;
    let asked = [
        ("merge", none.clone()),
        ("push", none.clone()),
        ("rebase", none.clone()),
        ("rebase", Some(json!({}))),
        ("rebase", Some(json!({"new_base_branch": "main"}))),
        ("rebase", Some(json!({"base_branch": "main"}))),
        ("pr", Some(json!({"title": "t", "body": "b", "target_branch": null}))),
        ("pr", Some(json!({"title": "t", "description": "b"}))),
        ("pr/attach", none.clone()),
        ("pr/attach", Some(json!({"pr_number": 1}))),
    ];
    for (what, body) in asked {
        let ask = async |path: &str| match body.clone() {
            Some(body) => ground.server.post(path, body).await,
            None => post(&ground, path).await,
        };
        let (status, answer) = ask(&of(&started, what)).await;
        assert_eq!((status, code(&answer)), (422, "not_available_yet"), "{what} {body:?}");
        assert!(answer["error_data"]["hint"].is_string());
        let (status, answer) = ask(&format!("/api/task-attempts/{}/{what}", Uuid::new_v4())).await;
        assert_eq!((status, code(&answer)), (404, "not_found"), "{what}");
    }
    for (what, body) in
        [("pr", json!({})), ("rebase", json!({"base_branch": 1})), ("pr/attach", json!({"pr_number": "x"}))]
    {
        let (status, answer) = ground.server.post(&of(&started, what), body).await;
        assert_eq!((status, code(&answer)), (422, "wrong_shape"), "{what}");
    }
    let (status, answer) = post(&ground, &format!("/api/forge/projects/{}/pull", ground.project_id())).await;
    assert_eq!((status, code(&answer)), (422, "not_available_yet"));
    assert_eq!(post(&ground, &format!("/api/forge/projects/{}/pull", Uuid::new_v4())).await.0, 404);
    assert_eq!(ground.repo.git(&["for-each-ref"]), refs);
}
