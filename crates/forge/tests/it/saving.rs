//! What is asked of an attempt while its worktree is being saved.

use std::fs::File;

use forge_testkit::gate::Gate;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::{DEADLINE, Setup};
use serde_json::json;

use crate::ground::{Ground, Started, comes_true};
use crate::snapshots::{restore, snapshots};
use crate::{FORGE, data, read};

/// An attempt whose turn has ended and whose worktree cannot be saved yet.
struct Unsaved {
    ground: Ground,
    started: Started,
    /// No snapshot is taken as long as this is held.
    lock: File,
}

impl Unsaved {
    /// The turn ends because a limit is reached, after which nothing goes on by itself.
    async fn new() -> Self {
        let setup = Setup::new(FORGE).config("grace_seconds = 0\n");
        let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
        let gate = Gate::new(ground.own("gate"));
        let steps = format!("@edit a.txt one\n@wait-fifo {}\n@limit 3600 Enough", gate.path().display());
        let started = ground.start(&steps).await;
        let file = started.worktree().join("a.txt");
        comes_true("the agent has written", || file.exists()).await;
        let lock = File::open(ground.repo.path().join(".git/forge-lock")).unwrap();
        lock.lock().unwrap();
        gate.open().await;
        let unsaved = Self { ground, started, lock };
        unsaved.turn_ended().await;
        unsaved
    }

    async fn turn_ended(&self) {
        let mut again = tokio::time::interval(std::time::Duration::from_millis(20));
        let ended = async {
            while self.ground.processes(&self.started).await[0]["status"] == "running" {
                again.tick().await;
            }
        };
        tokio::time::timeout(DEADLINE, ended).await.expect("the end of the turn");
    }
}

#[tokio::test]
async fn follow_up_is_taken_while_worktree_is_saved() {
    let Unsaved { ground, started, lock } = Unsaved::new().await;
    assert_eq!(ground.follow_up(&started, "@edit b.txt two").await.0, 202);
    let path = format!("/api/task-attempts/{}", started.attempt());
    assert_eq!(data(ground.server.get(&path).await)["state"], "running");
    drop(lock);
    // A turn that a limit ended is not followed by what was sent before its end.
    ground.until_prompt(&started, "@edit b.txt two").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    // The snapshot has what stood there when the first turn ended.
    let all = snapshots(&ground, &started).await;
    let first = all.iter().find(|one| one["name"] == started.process()).expect("the first turn's snapshot");
    assert_eq!(restore(&ground, &started, first["name"].as_str().unwrap()).await.0, 200);
    assert_eq!(read(started.worktree().join("a.txt")), "one\n");
    assert!(!started.worktree().join("b.txt").exists());
}

#[tokio::test]
async fn killed_server_saves_again_and_keeps_follow_up() {
    let Unsaved { mut ground, started, lock } = Unsaved::new().await;
    assert_eq!(ground.follow_up(&started, "@edit b.txt two").await.0, 202);
    ground.server.kill_9().await;
    drop(lock);
    ground.server.restart().await;
    ground.until_prompt(&started, "@edit b.txt two").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert!(snapshots(&ground, &started).await.iter().any(|one| one["name"] == started.process()));
}

#[tokio::test]
async fn stop_during_save_drops_what_waits() {
    let Unsaved { ground, started, lock } = Unsaved::new().await;
    assert_eq!(ground.follow_up(&started, "@edit b.txt two").await.0, 202);
    assert_eq!(ground.stop(&started).await["outcome"], "stopped");
    drop(lock);
    let path = format!("/api/task-attempts/{}/follow-ups", started.attempt());
    assert_eq!(data(ground.server.get(&path).await), json!([]));
    assert_eq!(ground.processes(&started).await.len(), 1);
    assert_eq!(read(started.worktree().join("a.txt")), "one\n");
}
