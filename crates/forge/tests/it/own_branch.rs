//! HEAD of a worktree beside the attempt's branch, and a branch that was renamed.

use std::fs;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::{Value, json};

use crate::ground::{Ground, Started};
use crate::{FORGE, data};

async fn worked() -> (Ground, Started) {
    let setup = Setup::new(FORGE).config("[gc]\nworktree_days = 0.0\n");
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let started = ground.start("@edit one.txt 1").await;
    ground.finished(&started).await;
    (ground, started)
}

async fn status(ground: &Ground, started: &Started) -> Value {
    data(ground.server.get(&format!("/api/task-attempts/{}/branch-status", started.attempt())).await)
}

async fn turn(ground: &Ground, started: &Started, prompt: &str) -> Value {
    let (status, body) = ground.follow_up(started, prompt).await;
    assert_eq!(status, 200, "{body}");
    ground.finished(started).await
}

async fn gc(ground: &Ground) -> Value {
    data(ground.server.post("/api/gc", json!({})).await)
}

#[tokio::test]
async fn turn_end_returns_head_to_the_branch() {
    for leave in [&["checkout", "--quiet", "-b", "agents-own"][..], &["checkout", "--quiet", "--detach"]] {
        let (ground, started) = worked().await;
        ground.git_in(&started, leave);
        assert_eq!(status(&ground, &started).await["head_problem"]["code"], "head_detached_from_branch");
        turn(&ground, &started, "@edit two.txt 2\n@commit two\n@edit three.txt 3").await;
        let told = status(&ground, &started).await;
        assert_eq!((&told["commits_ahead"], &told["head_problem"]), (&json!(3), &Value::Null), "{told}");
        assert_eq!(ground.git_in(&started, &["symbolic-ref", "--short", "HEAD"]), started.branch());
        gc(&ground).await;
        assert!(!started.worktree().exists());
        turn(&ground, &started, "@edit four.txt 4").await;
        assert!(started.worktree().join("three.txt").exists());
        assert_eq!(status(&ground, &started).await["commits_ahead"], 4);
    }
}

#[tokio::test]
async fn diverged_head_is_reported_and_never_collected() {
    let (ground, started) = worked().await;
    ground.git_in(&started, &["checkout", "--quiet", "--detach", "main"]);
    let ended = turn(&ground, &started, "@edit two.txt 2\n@commit two\n@edit three.txt 3").await;
    assert_eq!(ended["status"], "failed", "{ended}");
    let told = status(&ground, &started).await;
    assert_eq!(told["head_problem"]["code"], "head_detached_from_branch", "{told}");
    assert!(told["head_problem"]["hint"].as_str().unwrap().contains("git switch"), "{told}");
    let head = ground.git_in(&started, &["rev-parse", "HEAD"]);
    let left = gc(&ground).await;
    assert!(started.worktree().join("three.txt").exists(), "{left}");
    let hidden = format!("refs/forge/attempts/{}", started.attempt());
    let holding = ground.repo.git(&["for-each-ref", "--contains", &head, "--format=%(refname)", &hidden]);
    assert!(!holding.is_empty(), "a hidden ref keeps HEAD's commit");
    ground.git_in(&started, &["branch", "-f", started.branch(), "HEAD"]);
    ground.git_in(&started, &["switch", "--quiet", started.branch()]);
    assert_eq!(status(&ground, &started).await["head_problem"], Value::Null);
}

#[tokio::test]
async fn renamed_branch_is_followed() {
    let (ground, started) = worked().await;
    ground.git_in(&started, &["branch", "-m", "feature/login"]);
    let told = status(&ground, &started).await;
    assert_eq!((&told["commits_ahead"], &told["head_problem"]), (&json!(1), &Value::Null), "{told}");
    gc(&ground).await;
    assert!(!started.worktree().exists());
    let ended = turn(&ground, &started, "@edit two.txt 2").await;
    assert_eq!(ended["branch"], "feature/login", "{ended}");
    assert_eq!(status(&ground, &started).await["commits_ahead"], 2);
    assert!(fs::exists(started.worktree().join("one.txt")).unwrap());
}
