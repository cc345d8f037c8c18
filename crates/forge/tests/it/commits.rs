//! The commits that Forge makes: what is in them, what they say, and whose they are.

use std::fs;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use serde_json::{Value, json};

use crate::FORGE;
use crate::data;
use crate::ground::{Ground, Started};

/// Subject, body and files of the newest commit of an attempt, each in its line.
fn newest(ground: &Ground, started: &Started) -> String {
    let shown = ground.repo.git(&["show", "--name-status", "--format=%B", started.branch()]);
    shown.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

async fn status_of(ground: &Ground, started: &Started) -> Value {
    data(ground.server.get(&format!("/api/task-attempts/{}/branch-status", started.attempt())).await)
}

#[tokio::test]
async fn commit_leaves_out_what_setup_left() {
    let script = "echo ready >setup.txt; echo 2 >lock; echo 2 >README.md";
    let repo = TempRepo::new().with_file("lock", "1\n");
    repo.commit("Lock");
    let ground = Ground::on(Setup::new(FORGE), repo, json!({"setup_script": script})).await;
    let started = ground.start("@edit a.txt one\n@edit README.md ours\n@say Done").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(newest(&ground, &started), "Add login\nDone\nM\tREADME.md\nA\ta.txt");
    let warnings = status_of(&ground, &started).await["warnings"].to_string();
    assert!(warnings.contains("setup script") && warnings.contains("lock, setup.txt."), "{warnings}");

    // The next turn goes by the same baseline, and can be replaced without force.
    let (status, _) = ground.follow_up(&started, "@edit setup.txt more\n@say More").await;
    assert_eq!(status, 200);
    ground.finished(&started).await;
    assert_eq!(newest(&ground, &started), "@edit setup.txt more\nMore\nA\tsetup.txt");
    let path = format!("/api/task-attempts/{}/replace-process", started.attempt());
    let process = ground.processes(&started).await.last().unwrap()["id"].clone();
    data(ground.server.post(&path, json!({"process_id": process, "prompt": "@edit b.txt b"})).await);
    ground.finished(&started).await;
    assert_eq!(newest(&ground, &started), "@edit b.txt b\nA\tb.txt");
    assert_eq!(fs::read_to_string(started.worktree().join("setup.txt")).unwrap(), "ready\n");
    let snapshots =
        data(ground.server.get(&format!("/api/task-attempts/{}/snapshots", started.attempt())).await);
    assert!(snapshots.as_array().unwrap().iter().all(|one| one["what"] != "other"), "{snapshots}");
}

#[tokio::test]
async fn repeated_setup_leaves_work_of_others() {
    let script = "echo 2 >lock; date +%N >stamp; test -e ready";
    let ground = Ground::with(json!({"setup_script": script})).await;
    let started = ground.start("@edit a.txt one\n@say Done").await;
    assert_eq!(ground.finished(&started).await["reason"]["code"], "setup_failed");
    fs::write(started.worktree().join("ready"), "").unwrap();
    ground.follow_up(&started, "Go on").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.kinds(&started).await, ["setupscript", "setupscript", "codingagent"]);
    assert_eq!(newest(&ground, &started), "Add login\nDone\nA\ta.txt\nA\tready");
}

#[tokio::test]
async fn subject_is_title_until_first_commit() {
    let ground = Ground::new().await;
    let started = ground.start("@say I would add a.txt").await;
    ground.finished(&started).await;
    ground.follow_up(&started, "Go ahead\n@edit a.txt one\n@say Added it").await;
    ground.finished(&started).await;
    assert_eq!(newest(&ground, &started), "Add login\nAdded it\nA\ta.txt");
    let long = format!("\n\n  Now the {} file\n@edit b.txt two\n@say Added", "other ".repeat(20));
    ground.follow_up(&started, &long).await;
    ground.finished(&started).await;
    let subject = format!("Now the {}…", "other ".repeat(10).trim_end());
    assert_eq!(newest(&ground, &started), format!("{subject}\nAdded\nA\tb.txt"));
}

#[tokio::test]
async fn project_skips_hooks_and_signing() {
    let repo = TempRepo::new();
    repo.git(&["config", "commit.gpgSign", "true"]);
    repo.git(&["config", "gpg.program", "false"]);
    let hook = repo.path().join(".git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let ground = Ground::on(Setup::new(FORGE), repo, json!({"skip_commit_hooks": true})).await;
    let started = ground.start("@edit a.txt one").await;
    let ended = ground.finished(&started).await;
    assert_eq!(ended["reason"]["code"], "commit_refused", "{ended}");
    assert!(ended["reason"]["hint"].as_str().unwrap().contains("skip_commit_signing"), "{ended}");
    let path = format!("/api/projects/{}", ground.project_id());
    let project = data(ground.server.put(&path, json!({"skip_commit_signing": true})).await);
    assert_eq!(
        (&project["skip_commit_hooks"], &project["skip_commit_signing"]),
        (&json!(true), &json!(true))
    );
    ground.follow_up(&started, "@edit b.txt two").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    data(ground.server.put(&path, json!({"skip_commit_hooks": false})).await);
    ground.follow_up(&started, "@edit c.txt three").await;
    assert_eq!(ground.finished(&started).await["reason"]["code"], "commit_refused");
}

#[tokio::test]
async fn returned_worktree_keeps_leftovers_apart() {
    let setup = Setup::new(FORGE).config("[gc]\nworktree_days = 0.0\n");
    let script = json!({"setup_script": "echo 2 >lock; date +%N >stamp"});
    let ground = Ground::on(setup, TempRepo::new(), script).await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    fs::write(started.worktree().join("mine.txt"), "mine").unwrap();
    data(ground.server.post("/api/gc", json!({})).await);
    assert!(!started.worktree().exists());
    assert_eq!(ground.follow_up(&started, "@edit b.txt two").await.0, 200);
    ground.finished(&started).await;
    assert_eq!(ground.kinds(&started).await, ["setupscript", "codingagent", "setupscript", "codingagent"]);
    assert_eq!(newest(&ground, &started), "@edit b.txt two\nA\tb.txt\nA\tmine.txt");
}

#[tokio::test]
async fn unsaved_work_before_setup_is_committed() {
    let script = "echo 2 >lock; test -e ready";
    let ground = Ground::with(json!({"setup_script": script})).await;
    let started = ground.start("@edit a.txt one\n@say Done").await;
    assert_eq!(ground.finished(&started).await["reason"]["code"], "setup_failed");
    fs::write(started.worktree().join("ready"), "").unwrap();
    // No ref can be made at a folder of refs.
    let blocking = format!("refs/forge/attempts/{}/before-setup/x", started.attempt());
    ground.repo.git(&["update-ref", &blocking, "main"]);
    ground.follow_up(&started, "Go on").await;
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(newest(&ground, &started), "Add login\nDone\nA\ta.txt\nA\tlock\nA\tready");
}

#[tokio::test]
async fn replacing_without_snapshot_keeps_leftovers() {
    let script = "echo 2 >lock; echo 2 >README.md";
    let ground = Ground::with(json!({"setup_script": script})).await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    ground.follow_up(&started, "@edit b.txt two").await;
    ground.finished(&started).await;
    let processes = ground.processes(&started).await;
    let (before, replaced) = (&processes[1]["id"], &processes[2]["id"]);
    let snapshot = format!("refs/forge/attempts/{}/{}", started.attempt(), before.as_str().unwrap());
    ground.repo.git(&["update-ref", "-d", &snapshot]);
    let path = format!("/api/task-attempts/{}/replace-process", started.attempt());
    data(ground.server.post(&path, json!({"process_id": replaced, "prompt": "@edit c.txt three"})).await);
    ground.finished(&started).await;
    assert_eq!(newest(&ground, &started), "@edit c.txt three\nA\tc.txt");
    for name in ["lock", "README.md"] {
        assert_eq!(fs::read_to_string(started.worktree().join(name)).unwrap(), "2\n", "{name}");
    }
    assert_eq!(ground.git_in(&started, &["status", "--porcelain"]), " M README.md\n?? lock");
}

#[tokio::test]
async fn root_commit_is_not_taken_for_leftovers() {
    let repo = TempRepo::new();
    repo.git(&["commit", "-q", "--amend", "-m", "Forge: the user's own"]);
    let ground = Ground::on(Setup::new(FORGE), repo, json!({"setup_script": "true"})).await;
    let started = ground.start("@edit a.txt one\n@say Done").await;
    let ended = ground.finished(&started).await;
    assert_eq!(ended["outcome"], "succeeded", "{ended}");
    assert_eq!(newest(&ground, &started), "Add login\nDone\nA\ta.txt");
}
