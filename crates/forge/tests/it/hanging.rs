//! Filters of git that hang: a start is undone when its time is over, and a stop is heard whatever git is doing.

use std::fs;

use forge_testkit::gate::Gate;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::{Value, json};

use crate::ground::{Ground, Started};
use crate::snapshots::newest;
use crate::{FORGE, code, data, read};

/// A repository with a filter that hangs while a file says so.
struct Hanging {
    ground: Ground,
    /// The filter comes to it before it hangs.
    began: Gate,
}

impl Hanging {
    async fn on(config: &str) -> Self {
        let repo =
            TempRepo::new().with_file(".gitattributes", "*.big filter=big\n").with_file("a.big", "1\n");
        repo.commit("Filtered");
        let began = Gate::new(repo.beside("began"));
        let (switch, filter) = (repo.beside("hangs"), repo.beside("filter"));
        let hangs = format!("echo > '{}'; sleep 600", began.path().display());
        fs::write(&filter, format!("if [ -e '{}' ]; then {hangs}; fi; cat", switch.display())).unwrap();
        for key in ["clean", "smudge"] {
            repo.git(&["config", &format!("filter.big.{key}"), &format!("sh '{}'", filter.display())]);
        }
        repo.git(&["config", "filter.big.required", "true"]);
        let setup = Setup::new(FORGE).config(format!("grace_seconds = 0\n{config}"));
        Self { ground: Ground::on(setup, repo, json!({})).await, began }
    }

    fn hangs(&self, hangs: bool) {
        let switch = self.ground.repo.beside("hangs");
        if hangs { fs::write(switch, "") } else { fs::remove_file(switch) }.unwrap();
    }

    /// Sends a request for an attempt, stops the attempt when the filter hangs, and returns the answer.
    async fn stopped(&self, started: &Started, path: &str, body: Value) -> (u16, Value) {
        self.hangs(true);
        let path = format!("/api/task-attempts/{}/{path}", started.attempt());
        let (answer, ()) = tokio::join!(self.ground.server.post(&path, body), async {
            self.began.reached().await;
            assert_eq!(self.ground.server.get("/health").await.0, 200);
            self.ground.stop(started).await;
        });
        self.hangs(false);
        answer
    }
}

#[tokio::test]
async fn start_whose_filter_hangs_is_undone() {
    let hanging = Hanging::on("git_minutes = 0.005").await;
    hanging.hangs(true);
    let ground = &hanging.ground;
    // The filter hangs where it says that it began: nobody hears it.
    let (status, body) = ground.try_start(ground.body("@say never")).await;
    assert_eq!((status, code(&body)), (409, "git_too_slow"), "{body}");
    assert!(body["error_data"]["hint"].as_str().unwrap().contains("git_minutes"), "{body}");
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn stop_ends_a_restore_that_hangs() {
    let hanging = Hanging::on("").await;
    let ground = &hanging.ground;
    let started = ground.start("@edit b.txt 1").await;
    ground.finished(&started).await;
    fs::write(started.worktree().join("a.big"), "2\n").unwrap();
    let snapshot = newest(ground, &started, "turn").await;
    let (status, body) = hanging.stopped(&started, "restore", json!({"snapshot": snapshot})).await;
    assert_eq!((status, code(&body)), (409, "git_stopped"), "{body}");
    let path = format!("/api/task-attempts/{}/restore", started.attempt());
    data(ground.server.post(&path, json!({"snapshot": snapshot})).await);
    assert_eq!(read(started.worktree().join("a.big")), "1\n");
    let saved = ground.repo.git(&["for-each-ref", "--format=%(refname)", "refs/forge"]);
    let saved = saved.lines().find(|name| name.contains("before-restore-")).unwrap().to_owned();
    assert_eq!(ground.repo.git(&["show", &format!("{saved}:a.big")]), "2");
}

#[tokio::test]
async fn stop_ends_a_follow_up_whose_worktree_does_not_come_back() {
    let hanging = Hanging::on("[gc]\nworktree_days = 0.0\n").await;
    let ground = &hanging.ground;
    let started = ground.start("@edit b.txt 1").await;
    ground.finished(&started).await;
    fs::write(started.worktree().join("untracked"), "u").unwrap();
    data(ground.server.post("/api/gc", json!({})).await);
    assert!(!started.worktree().exists());
    let (status, body) = hanging.stopped(&started, "follow-up", json!({"prompt": "@say never"})).await;
    assert_eq!((status, code(&body)), (409, "git_stopped"), "{body}");
    data(ground.follow_up(&started, "@edit c.txt 2").await);
    ground.until_prompt(&started, "@edit c.txt 2").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    let files = ["a.big", "untracked", "c.txt"].map(|name| read(started.worktree().join(name)));
    assert_eq!(files, ["1\n", "u", "2\n"]);
}

#[tokio::test]
async fn stop_ends_a_replacement_that_hangs() {
    let hanging = Hanging::on("").await;
    let ground = &hanging.ground;
    let started = ground.start("@edit a.big 2").await;
    ground.finished(&started).await;
    let body = json!({"process_id": started.process(), "prompt": "@edit b.txt 1"});
    let (status, answer) = hanging.stopped(&started, "replace-process", body.clone()).await;
    assert_eq!((status, code(&answer)), (409, "git_stopped"), "{answer}");
    let path = format!("/api/task-attempts/{}/replace-process", started.attempt());
    data(ground.server.post(&path, body).await);
    ground.until_prompt(&started, "@edit b.txt 1").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(read(started.worktree().join("a.big")), "1\n");
}

#[tokio::test]
async fn stop_ends_replacement_that_hangs_before_start() {
    let hanging = Hanging::on("").await;
    let ground = &hanging.ground;
    let started = ground.start("@edit b.txt 1").await;
    ground.finished(&started).await;
    // Only the filter tells whether this file differs from the commit.
    fs::write(started.worktree().join("a.big"), "2\n").unwrap();
    let body = json!({"process_id": started.process(), "prompt": "@edit c.txt 1", "force_when_dirty": false});
    let (status, answer) = hanging.stopped(&started, "replace-process", body).await;
    assert_eq!((status, code(&answer)), (409, "git_stopped"), "{answer}");
    assert_eq!(read(started.worktree().join("a.big")), "2\n");
}

#[tokio::test]
async fn stop_ends_a_commit_whose_filter_hangs() {
    let hanging = Hanging::on("").await;
    let ground = &hanging.ground;
    let gate = Gate::new(ground.own("gate"));
    let started = ground.start(&format!("@wait-fifo {}\n@edit a.big 2", gate.path().display())).await;
    hanging.hangs(true);
    gate.open().await;
    hanging.began.reached().await;
    assert_eq!(ground.stop(&started).await["state"], "finished");
    assert_eq!(read(started.worktree().join("a.big")), "2\n");
}
