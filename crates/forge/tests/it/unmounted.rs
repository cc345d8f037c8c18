//! Worktrees whose disk is away: folders of older versions, other folders than the present one, and turns that wait.

use std::fs;

use forge_testkit::gate::Gate;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::{Value, json};

use crate::ground::{Ground, Started, comes_true, names};
use crate::moved::{mount, unmount, worked};
use crate::{FORGE, code, data, read};

/// Removes what marks the folder of worktrees, as if an older version had made it.
fn forget_marks(ground: &Ground) {
    fs::remove_file(ground.server.data().join("worktrees/.forge")).unwrap();
    fs::remove_file(ground.server.data().join("worktree-roots")).unwrap();
}

async fn delete(ground: &Ground, started: &Started) -> (u16, Value) {
    ground.server.delete(&format!("/api/task-attempts/{}", started.attempt())).await
}

/// Waits until the server has tried in vain to go on with an attempt.
async fn waits(ground: &Ground, attempt: &str) {
    let line = format!("attempt {attempt} cannot go on; trying again");
    comes_true("the attempt waits", || ground.server.log().contains(&line)).await;
}

#[tokio::test]
async fn upgrade_while_disk_is_away_loses_nothing() {
    let (mut ground, started) = worked().await;
    ground.server.kill_9().await;
    forget_marks(&ground);
    unmount(&ground);
    ground.server.restart().await;
    let (status, body) = delete(&ground, &started).await;
    assert_eq!((status, code(&body)), (503, "worktrees_away"), "{body}");
    assert_eq!(ground.try_start(ground.body("@say hello")).await.0, 503);
    assert_eq!(data(ground.server.post("/api/gc", json!({})).await)["unregistered"], json!([]));

    mount(&ground);
    let again = ground.start("@edit two.txt 2").await;
    ground.finished(&again).await;
    assert_eq!(delete(&ground, &started).await.0, 200);
    let saved = format!("refs/forge/attempts/{}/deleted:uncommitted", started.attempt());
    assert_eq!(ground.repo.git(&["show", &saved]), "u");
}

#[tokio::test]
async fn mark_that_copy_left_out_is_written_again() {
    let (ground, started) = worked().await;
    let mark = ground.server.data().join("worktrees/.forge");
    fs::remove_file(&mark).unwrap();
    assert_eq!(ground.try_start(ground.body("@say hello")).await.0, 200);
    assert!(mark.exists());
    fs::remove_file(&mark).unwrap();
    assert_eq!(delete(&ground, &started).await.0, 200);
    assert!(mark.exists());
}

#[tokio::test]
async fn missing_mount_point_is_not_made() {
    let (mut ground, started) = worked().await;
    let root = ground.server.data().join("worktrees");
    fs::rename(&root, ground.own("away")).unwrap();
    ground.server.kill_9().await;
    ground.server.restart().await;
    for (status, body) in [ground.try_start(ground.body("@say hello")).await, delete(&ground, &started).await]
    {
        assert_eq!((status, code(&body)), (503, "worktrees_away"), "{body}");
    }
    assert!(!root.exists());
}

#[tokio::test]
async fn attempts_in_former_folder_are_kept_while_its_disk_is_away() {
    let (mut ground, started) = worked().await;
    ground.server.kill_9().await;
    // As after an upgrade that also names another folder.
    forget_marks(&ground);
    let folder = ground.own("elsewhere");
    ground.server.set_env("FORGE_WORKTREES", folder.to_str().unwrap());
    unmount(&ground);
    ground.server.restart().await;
    let (status, body) = delete(&ground, &started).await;
    assert_eq!((status, code(&body)), (503, "worktrees_away"), "{body}");
    assert_eq!(data(ground.server.post("/api/gc", json!({})).await)["unregistered"], json!([]));
    let elsewhere = ground.start("@edit two.txt 2").await;
    assert!(elsewhere.worktree().starts_with(&folder));
    ground.finished(&elsewhere).await;

    mount(&ground);
    let (status, body) = ground.follow_up(&started, "@edit two.txt 2").await;
    assert_eq!(status, 200, "{body}");
    ground.finished(&started).await;
    assert_eq!(read(started.worktree().join("uncommitted")), "u");
    assert_eq!(delete(&ground, &started).await.0, 200);
    assert!(!started.worktree().exists());
    let trash = ground.server.data().join("worktrees/.trash");
    comes_true("the trash of the former folder is empty", || names(&trash).is_empty()).await;
    assert_eq!(names(&folder), [".forge", elsewhere.worktree().file_name().unwrap().to_str().unwrap()]);
}

#[tokio::test]
async fn attempt_whose_worktree_was_collected_needs_no_disk() {
    let (mut ground, started) = worked().await;
    ground.server.kill_9().await;
    let config = ground.own("home/.config/forge");
    fs::create_dir_all(&config).unwrap();
    fs::write(config.join("config.toml"), "[gc]\nworktree_days = 0.0\n").unwrap();
    ground.server.restart().await;
    data(ground.server.post("/api/gc", json!({})).await);
    assert!(!started.worktree().exists());
    let former = started.worktree().parent().unwrap().to_owned();
    ground.server.kill_9().await;
    ground.server.set_env("FORGE_WORKTREES", ground.own("elsewhere").to_str().unwrap());
    fs::remove_dir_all(&former).unwrap();
    ground.server.restart().await;
    assert_eq!(delete(&ground, &started).await.0, 200);
    assert!(!former.exists());
}

#[tokio::test]
async fn queued_attempt_begins_when_disk_returns() {
    let setup = Setup::new(FORGE).config("[limits]\nattempts = 1\n");
    let mut ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let gate = Gate::new(ground.own("gate"));
    let steps = format!("@wait-fifo {}", gate.path().display());
    let running = ground.start(&steps).await;
    let (status, answer) = ground.try_start(ground.body("@edit two.txt 2")).await;
    assert_eq!(status, 202, "{answer}");
    let queued = Started { answer: answer["data"].clone() };

    ground.server.kill_9().await;
    unmount(&ground);
    ground.server.restart().await;
    ground.stop(&running).await;
    waits(&ground, queued.attempt()).await;
    let attempt = data(ground.server.get(&format!("/api/task-attempts/{}", queued.attempt())).await);
    assert_eq!(attempt["state"], "queued", "{attempt}");

    mount(&ground);
    assert_eq!(ground.finished(&queued).await["outcome"], "succeeded");
    assert_eq!(ground.repo.git(&["show", &format!("{}:two.txt", queued.branch())]), "2");
}

/// An attempt whose agent waits for the disk, which was unmounted while the setup script ran.
async fn unmounted_in_setup() -> (Ground, Started) {
    let folder = tempfile::tempdir().unwrap();
    let gate = Gate::new(folder.path().join("gate"));
    let fields = json!({"setup_script": format!("cat {}", gate.path().display())});
    let ground = Ground::with(fields).await;
    let started = ground.start("@edit one.txt 1").await;
    unmount(&ground);
    gate.open().await;
    waits(&ground, started.attempt()).await;
    (ground, started)
}

#[tokio::test]
async fn agent_follows_setup_script_when_disk_returns() {
    let (ground, started) = unmounted_in_setup().await;
    // A request in between does not end the wait.
    let (status, body) = delete(&ground, &started).await;
    assert_eq!((status, code(&body)), (409, "attempt_running"), "{body}");

    mount(&ground);
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.repo.git(&["show", &format!("{}:one.txt", started.branch())]), "1");
}

#[tokio::test]
async fn attempt_that_waits_for_disk_can_be_stopped() {
    let (ground, started) = unmounted_in_setup().await;
    assert_eq!(ground.stop(&started).await["state"], "finished");
    mount(&ground);
    assert!(started.worktree().exists());
}

#[tokio::test]
async fn prompt_that_waited_is_sent_when_disk_returns() {
    let (mut ground, started) = worked().await;
    ground.server.set_env("FORGE_CRASH_AT", "turn-queued");
    ground.server.kill_9().await;
    ground.server.restart().await;
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    let request =
        ground.server.request(reqwest::Method::POST, &path).json(&json!({"prompt": "@edit two.txt 2"}));
    assert!(request.send().await.is_err(), "the server dies before it answers");
    ground.server.ended().await;
    unmount(&ground);
    ground.server.unset_env("FORGE_CRASH_AT");
    ground.server.restart().await;
    waits(&ground, started.attempt()).await;

    mount(&ground);
    ground.until_prompt(&started, "@edit two.txt 2").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.repo.git(&["show", &format!("{}:two.txt", started.branch())]), "2");
}
