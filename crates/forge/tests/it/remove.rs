//! Removing takes what Forge made, saves what is in it first, and touches nothing of the user's.

use std::fs;

use serde_json::json;

use crate::ground::{Ground, Started, names};
use crate::{code, data, read};

fn path_of(started: &Started) -> String {
    format!("/api/task-attempts/{}", started.attempt())
}

/// A file as it was saved when its attempt was deleted.
fn saved(ground: &Ground, started: &Started, path: &str) -> String {
    ground.repo.git(&["show", &format!("refs/forge/attempts/{}/deleted:{path}", started.attempt())])
}

#[tokio::test]
async fn a_deleted_attempt_leaves_its_branch_and_a_copy_of_what_was_not_committed() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    fs::write(started.worktree().join("untracked.txt"), "mine").unwrap();
    fs::write(started.worktree().join("a.txt"), "changed").unwrap();
    assert_eq!(ground.server.delete(&path_of(&started)).await.0, 200);
    assert_eq!(ground.server.get(&path_of(&started)).await.0, 404);
    let process = format!("/api/execution-processes/{}", started.process());
    assert_eq!(ground.server.get(&process).await.0, 404);
    assert_eq!(saved(&ground, &started, "untracked.txt"), "mine");
    assert_eq!(saved(&ground, &started, "a.txt"), "changed");
    assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "one");
    assert!(!started.worktree().exists());
    assert_eq!(ground.repo.git(&["worktree", "list"]).lines().count(), 1);
    ground.folders_are_empty().await;
    let (status, body) = ground.server.delete(&path_of(&started)).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
}

#[tokio::test]
async fn what_runs_is_not_deleted() {
    let ground = Ground::new().await;
    let started = ground.start("@until-told").await;
    let project = format!("/api/projects/{}", ground.project_id());
    let task = format!("/api/tasks/{}", started.task());
    for path in [path_of(&started), task, project] {
        let (status, body) = ground.server.delete(&path).await;
        assert_eq!((status, code(&body)), (409, "attempt_running"), "{path}");
        assert!(body["error_data"]["hint"].is_string(), "{body}");
    }
    let process = data(ground.server.get(&format!("/api/execution-processes/{}", started.process())).await);
    assert_eq!(process["status"], "running");
    ground.stop(&started).await;
    assert_eq!(ground.server.delete(&path_of(&started)).await.0, 200);
}

#[tokio::test]
async fn a_deleted_task_takes_all_its_attempts_along() {
    let ground = Ground::new().await;
    let first = ground.start("@edit a.txt one").await;
    ground.finished(&first).await;
    let body = json!({"task_id": first.task(), "executor_profile_id": "CLAUDE_CODE", "base_branch": "main"});
    let second = data(ground.server.post("/api/task-attempts", body).await);
    ground.server.until_attempt(second["id"].as_str().unwrap(), crate::is_finished).await;
    assert_eq!(ground.server.delete(&format!("/api/tasks/{}", first.task())).await.0, 202);
    assert_eq!(data(ground.server.get("/api/task-attempts").await), json!([]));
    assert_eq!(saved(&ground, &first, "a.txt"), "one");
    let heads = ground.repo.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    assert_eq!(heads.lines().count(), 3, "the branches stay: {heads}");
    ground.folders_are_empty().await;
}

#[tokio::test]
async fn a_deleted_project_leaves_the_repository_as_the_user_left_it() {
    let ground = Ground::new().await;
    ground.repo.write("notes.txt", "not committed");
    ground.repo.write("README.md", "changed");
    let status = ground.repo.git(&["status", "--porcelain"]);
    let head = ground.repo.git(&["rev-parse", "HEAD", "main"]);
    let files = names(ground.repo.path());
    let started = ground.start("@edit a.txt one\n@delete README.md").await;
    ground.finished(&started).await;
    let path = format!("/api/projects/{}", ground.project_id());
    assert_eq!(ground.server.delete(&path).await.0, 200);
    assert_eq!(data(ground.server.get("/api/projects").await), json!([]));
    assert_eq!(ground.server.get(&format!("/api/tasks/{}", started.task())).await.0, 404);
    assert_eq!(ground.repo.git(&["status", "--porcelain"]), status);
    assert_eq!(ground.repo.git(&["rev-parse", "HEAD", "main"]), head);
    assert_eq!(names(ground.repo.path()), files);
    assert_eq!(read(ground.repo.path().join("README.md")), "changed");
    assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "one");
    ground.folders_are_empty().await;
    ground.only_the_server_runs().await;
}

#[tokio::test]
async fn a_worktree_that_the_user_removed_is_told_and_its_attempt_can_be_deleted() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    fs::remove_dir_all(started.worktree()).unwrap();
    let (status, body) = ground.follow_up(&started, "@say more").await;
    assert_eq!((status, code(&body)), (409, "worktree_gone"), "{body}");
    assert!(body["message"].as_str().unwrap().contains(started.worktree().to_str().unwrap()), "{body}");
    assert!(body["error_data"]["hint"].as_str().unwrap().contains("branch"), "{body}");
    assert_eq!(ground.processes(&started).await.len(), 1);
    assert_eq!(ground.server.delete(&path_of(&started)).await.0, 200);
    assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "one");
    assert_eq!(ground.repo.git(&["worktree", "list"]).lines().count(), 1, "nothing is registered any more");
    ground.folders_are_empty().await;
}

#[tokio::test]
async fn a_worktree_that_git_removed_is_told_and_its_attempt_can_be_deleted() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    ground.repo.git(&["worktree", "remove", started.worktree().to_str().unwrap()]);
    let (status, body) = ground.follow_up(&started, "@say more").await;
    assert_eq!((status, code(&body)), (409, "worktree_gone"), "{body}");
    assert_eq!(ground.server.delete(&path_of(&started)).await.0, 200);
}

#[tokio::test]
async fn work_that_cannot_be_saved_is_not_deleted() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    // The files of a repository inside the worktree are not the outer repository's to save.
    let inner = started.worktree().join("inner");
    fs::create_dir(&inner).unwrap();
    ground.repo.git_in(&inner, &["init", "--quiet"]);
    fs::write(inner.join("work.txt"), "mine").unwrap();
    ground.repo.git_in(&inner, &["add", "work.txt"]);
    ground.repo.git_in(&inner, &["commit", "--quiet", "-m", "Inner work"]);
    let (status, body) = ground.server.delete(&path_of(&started)).await;
    assert_eq!((status, code(&body)), (409, "work_not_saved"), "{body}");
    assert!(body["message"].as_str().unwrap().contains("inner"), "{body}");
    assert_eq!(read(inner.join("work.txt")), "mine");
    assert_eq!(ground.server.get(&path_of(&started)).await.0, 200);
    fs::rename(&inner, ground.own("inner")).unwrap();
    assert_eq!(ground.server.delete(&path_of(&started)).await.0, 200);
}

#[tokio::test]
async fn a_project_whose_repository_is_gone_can_be_deleted() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    fs::rename(ground.repo.path(), ground.repo.beside("elsewhere")).unwrap();
    let path = format!("/api/projects/{}", ground.project_id());
    let (status, body) = ground.server.delete(&path).await;
    assert_eq!(status, 200, "{body}");
    // Its work could not be saved, so it stays where it is.
    assert_eq!(read(started.worktree().join("a.txt")), "one\n");
}

#[tokio::test]
async fn an_attempt_deleted_by_many_at_once_is_deleted_once() {
    let ground = Ground::new().await;
    let started = ground.start("@say hello").await;
    ground.finished(&started).await;
    let path = path_of(&started);
    let answers = futures::future::join_all((0..10).map(|_| ground.server.delete(&path))).await;
    let count = |wanted: u16| answers.iter().filter(|(status, _)| *status == wanted).count();
    assert_eq!((count(200), count(404)), (1, 9), "{answers:?}");
    ground.folders_are_empty().await;
}

#[tokio::test]
async fn repositories_of_an_agent_are_not_committed() {
    let ground = Ground::new().await;
    let started = ground.start("@edit one.txt 1").await;
    ground.finished(&started).await;
    let nested = started.worktree().join("vendor/tool");
    fs::create_dir_all(&nested).unwrap();
    for args in [&["init", "--quiet"][..], &["commit", "--quiet", "--allow-empty", "--message", "x"]] {
        ground.repo.git_in(&nested, args);
    }
    ground.git_in(&started, &["worktree", "add", "--quiet", "-b", "helper", "helpers/one"]);
    assert_eq!(ground.follow_up(&started, "@edit two.txt 2").await.0, 200);
    ground.until_prompt(&started, "@edit two.txt 2").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let committed = ground.repo.git(&["ls-tree", "-r", "--name-only", started.branch()]);
    assert_eq!(committed.lines().collect::<Vec<_>>(), ["README.md", "one.txt", "two.txt"]);
    let status = data(ground.server.get(&format!("{}/branch-status", path_of(&started))).await);
    let warnings = status["warnings"].to_string();
    assert!(warnings.contains("vendor/tool") && warnings.contains("helpers/one"), "{status}");

    let (status, body) = ground.server.delete(&path_of(&started)).await;
    assert_eq!((status, code(&body)), (409, "work_not_saved"), "{body}");
    assert!(nested.join(".git").exists());
    assert_eq!(ground.server.delete(&format!("{}?discard=true", path_of(&started))).await.0, 200);
    assert!(!started.worktree().exists());
}
