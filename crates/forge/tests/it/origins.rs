//! Where attempts start: branches, tags, commits, and with the uncommitted changes of the project's folder.

use std::fs;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::{Value, json};

use crate::ground::{Ground, Started};
use crate::{FORGE, code, data};

/// What a start with this base answers.
async fn start_at(ground: &Ground, base: Value, more: Value) -> (u16, Value) {
    let mut body = ground.body("@edit a.txt one");
    body["base_branch"] = base;
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ground.try_start(body).await
}

async fn started_at(ground: &Ground, base: &str) -> Started {
    let started = Started { answer: data(start_at(ground, json!(base), json!({})).await) };
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    started
}

async fn status_of(ground: &Ground, started: &Started) -> Value {
    data(ground.server.get(&format!("/api/task-attempts/{}/branch-status", started.attempt())).await)
}

#[tokio::test]
async fn start_takes_tag_commit_and_remote_branch() {
    let repo = TempRepo::new();
    let first = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["tag", "-a", "v1.0", "-m", "One"]);
    repo.git(&["update-ref", "refs/remotes/origin/x", "HEAD"]);
    repo.commit("Second");
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    for (base, target) in
        [("v1.0", "main"), (&first, "main"), (first.get(..7).unwrap(), "main"), ("origin/x", "origin/x")]
    {
        let started = started_at(&ground, base).await;
        let parent = ground.repo.git(&["rev-parse", &format!("{}^", started.branch())]);
        assert_eq!(parent, first, "{base}");
        let status = status_of(&ground, &started).await;
        assert_eq!(
            (&status["target_branch_name"], &status["warnings"]),
            (&json!(target), &json!([])),
            "{base}"
        );
        assert_eq!(status["ahead"], 1, "{base}");
    }
    let (status, body) = start_at(&ground, json!("v2.0"), json!({})).await;
    assert_eq!((status, code(&body)), (422, "branch_not_found"));
    assert!(body["error_data"]["hint"].as_str().unwrap().contains("tag"), "{body}");
}

#[tokio::test]
async fn start_includes_uncommitted_changes() {
    let repo = TempRepo::new().with_file(".gitignore", "ignored\n");
    repo.commit("Ignore");
    repo.write("README.md", "edited\n");
    repo.write("new.txt", "new\n");
    repo.write("ignored", "ignored\n");
    let status = repo.git(&["status", "--porcelain", "--ignored"]);
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let with = json!({"include_uncommitted": true});
    let started = Started { answer: data(start_at(&ground, Value::Null, with.clone()).await) };
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(fs::read_to_string(started.worktree().join("README.md")).unwrap(), "edited\n");
    assert_eq!(fs::read_to_string(started.worktree().join("new.txt")).unwrap(), "new\n");
    assert!(!started.worktree().join("ignored").exists());
    let range = format!("main..{}", started.branch());
    let log = ground.repo.git(&["log", "--format=%s", "--name-only", &range]);
    let lines: Vec<_> = log.lines().filter(|line| !line.is_empty()).collect();
    let folder = "Uncommitted changes of the project's folder";
    assert_eq!(lines, ["Add login", "a.txt", folder, "README.md", "new.txt"]);
    assert_eq!(ground.repo.git(&["status", "--porcelain", "--ignored"]), status);

    // Without anything uncommitted it is a start as any other.
    ground.repo.commit("All");
    let started = Started { answer: data(start_at(&ground, json!("main"), with.clone()).await) };
    ground.finished(&started).await;
    assert_eq!(status_of(&ground, &started).await["ahead"], 1);

    ground.repo.git(&["branch", "older", "HEAD~1"]);
    let (status, body) = start_at(&ground, json!("older"), with).await;
    assert_eq!((status, code(&body)), (422, "base_not_checked_out"));
}

#[tokio::test]
async fn checkout_while_changes_are_read_is_refused() {
    let repo = TempRepo::new().with_file(".gitattributes", "*.slow filter=slow\n");
    repo.commit("Attributes");
    repo.git(&["branch", "other", "HEAD~1"]);
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    // The filter runs when the folder is read.
    let folder = ground.repo.path().display();
    let checkout = format!("env -i PATH=\"$PATH\" git -C '{folder}' symbolic-ref HEAD refs/heads/other; cat");
    ground.repo.git(&["config", "filter.slow.clean", &checkout]);
    ground.repo.write("new.slow", "new\n");
    let (status, body) = start_at(&ground, json!("main"), json!({"include_uncommitted": true})).await;
    assert_eq!((status, code(&body)), (422, "base_not_checked_out"), "{body}");
    assert_eq!(ground.repo.git(&["symbolic-ref", "HEAD"]), "refs/heads/other");
    ground.repo.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
    ground.repo.git(&["config", "--remove-section", "filter.slow"]);
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn run_includes_uncommitted_changes() {
    let ground = Ground::new().await;
    ground.repo.write("new.txt", "new\n");
    let body = json!({
        "project_id": ground.project_id(), "prompt": "@say hello", "executor_profile_id": "CLAUDE_CODE",
        "include_uncommitted": true,
    });
    let run = data(ground.server.post("/api/execution-runs", body).await);
    let branch = run["execution_run"]["branch"].as_str().unwrap();
    assert_eq!(ground.repo.git(&["show", &format!("{branch}:new.txt")]), "new");
}

#[tokio::test]
async fn detached_head_without_branches_is_started_at() {
    let repo = TempRepo::new();
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["checkout", "-q", "--detach"]);
    repo.git(&["branch", "-q", "-D", "main"]);
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let started = Started { answer: data(start_at(&ground, Value::Null, json!({})).await) };
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let status = status_of(&ground, &started).await;
    assert_eq!(status["target_branch_name"], json!(head));
    assert!(status["warnings"][0].as_str().unwrap().contains("target branch"), "{status}");
    // With a branch, it is not guessed which of both is meant.
    ground.repo.git(&["branch", "trunk"]);
    let (status, body) = start_at(&ground, Value::Null, json!({})).await;
    assert_eq!((status, code(&body)), (422, "base_branch_missing"));
    assert!(body["message"].as_str().unwrap().contains(&head), "{body}");
}

#[tokio::test]
async fn unborn_branch_is_named() {
    let repo = TempRepo::new();
    repo.git(&["checkout", "-q", "--orphan", "fresh"]);
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let (status, body) = start_at(&ground, Value::Null, json!({})).await;
    assert_eq!((status, code(&body)), (422, "branch_unborn"));
    assert!(body["message"].as_str().unwrap().contains("fresh"), "{body}");
}

#[tokio::test]
async fn project_refuses_files_without_commit() {
    let server = Setup::new(FORGE).start().await;
    let repo = TempRepo::empty().with_file(".gitignore", "").with_file("src/main.c", "");
    let body = json!({"name": "p", "git_repo_path": repo.path()});
    let (status, answer) = server.post("/api/projects", body.clone()).await;
    assert_eq!((status, code(&answer)), (422, "files_not_committed"));
    assert!(answer["error_data"]["hint"].as_str().unwrap().contains("git add"), "{answer}");
    assert_eq!(repo.git(&["for-each-ref"]), "");
    repo.commit("First");
    data(server.post("/api/projects", body).await);
    // Without files there is nothing to miss.
    let empty = TempRepo::empty();
    data(server.post("/api/projects", json!({"name": "e", "git_repo_path": empty.path()})).await);
    assert_eq!(empty.git(&["log", "--format=%s", "main"]), "Initial commit");
}

#[tokio::test]
async fn missing_lfs_undoes_start() {
    let repo =
        TempRepo::new().with_file(".gitattributes", "*.bin filter=lfs\n").with_file("a.bin", "pointer");
    repo.commit("Large files");
    repo.git(&["config", "filter.lfs.smudge", "PATH=/nowhere; git-lfs smudge -- %f"]);
    repo.git(&["config", "filter.lfs.required", "true"]);
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let (status, body) = start_at(&ground, json!("main"), json!({})).await;
    assert_eq!((status, code(&body)), (503, "git_lfs_missing"));
    assert!(body["error_data"]["hint"].as_str().unwrap().contains("install git-lfs"), "{body}");
    ground.nothing_is_left().await;
}
