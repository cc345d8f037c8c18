//! Repositories that were moved, worktrees that were pruned, paths that are Forge's own, and changes at once.

use std::fs;
use std::os::unix::fs::symlink;

use forge_testkit::gate::Gate;
use forge_testkit::repo::TempRepo;
use forge_testkit::server::Setup;
use reqwest::Method;
use serde_json::{Value, json};

use crate::ground::{Ground, Started, comes_true};
use crate::snapshots::{newest, restore};
use crate::{FORGE, code, data, read};

async fn put(ground: &Ground, path: &str, body: Value) -> (u16, Value) {
    ground.server.put(path, body).await
}

fn project(ground: &Ground) -> String {
    format!("/api/projects/{}", ground.project_id())
}

pub(crate) async fn worked() -> (Ground, Started) {
    worked_on(TempRepo::new()).await
}

async fn worked_on(repo: TempRepo) -> (Ground, Started) {
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let started = ground.start("@edit one.txt 1").await;
    ground.finished(&started).await;
    fs::write(started.worktree().join("uncommitted"), "u").unwrap();
    (ground, started)
}

#[tokio::test]
async fn moved_repository_is_reconnected() {
    let (ground, started) = worked().await;
    let clone = ground.repo.beside("clone");
    ground.repo.git(&["clone", "--quiet", ".", clone.to_str().unwrap()]);
    let moved = ground.repo.beside("moved");
    let (status, body) = put(&ground, &project(&ground), json!({"git_repo_path": clone})).await;
    assert_eq!((status, code(&body)), (409, "project_has_attempts"), "the repository is where it was");
    fs::rename(ground.repo.path(), &moved).unwrap();
    let (status, body) = put(&ground, &project(&ground), json!({"git_repo_path": clone})).await;
    assert_eq!((status, code(&body)), (409, "project_has_attempts"), "a clone is another repository");
    data(put(&ground, &project(&ground), json!({"git_repo_path": moved})).await);
    let (status, body) = ground.follow_up(&started, "@edit two.txt 2").await;
    assert_eq!(status, 200, "{body}");
    ground.finished(&started).await;
    assert_eq!(read(started.worktree().join("uncommitted")), "u");
    let path = format!("/api/task-attempts/{}", started.attempt());
    assert_eq!(ground.server.delete(&path).await.0, 200);
    assert!(!started.worktree().exists());
    let branch = format!("{}:two.txt", started.branch());
    assert_eq!(ground.repo.git_in(&moved, &["show", &branch]), "2");
}

fn prune(ground: &Ground, started: &Started) {
    let away = ground.own("away");
    fs::rename(started.worktree(), &away).unwrap();
    ground.repo.git(&["worktree", "prune", "--expire", "now"]);
    fs::rename(&away, started.worktree()).unwrap();
}

#[tokio::test]
async fn pruned_sparse_worktree_is_registered_again() {
    let repo = TempRepo::new().with_file("in/a", "a").with_file("out/b", "b");
    repo.commit("Second");
    repo.git(&["sparse-checkout", "set", "in"]);
    let (ground, started) = worked_on(repo).await;
    prune(&ground, &started);
    let (status, body) = ground.follow_up(&started, "@edit two.txt 2").await;
    assert_eq!(status, 200, "{body}");
    ground.finished(&started).await;
    let changed = ground.repo.git(&["diff-tree", "-r", "--name-status", "main", started.branch()]);
    assert_eq!(changed, "A\tone.txt\nA\ttwo.txt\nA\tuncommitted");
    assert!(!started.worktree().join("out").exists());
}

#[tokio::test]
async fn pruned_worktree_is_registered_again() {
    for act in ["follow-up", "restore", "delete"] {
        let (ground, started) = worked().await;
        prune(&ground, &started);
        match act {
            "follow-up" => {
                let (status, body) = ground.follow_up(&started, "@edit two.txt 2").await;
                assert_eq!(status, 200, "{body}");
                ground.finished(&started).await;
                assert_eq!(ground.repo.git(&["show", &format!("{}:uncommitted", started.branch())]), "u");
            }
            "restore" => {
                let turn = newest(&ground, &started, "turn").await;
                data(restore(&ground, &started, &turn).await);
                let before = newest(&ground, &started, "before_restore").await;
                data(restore(&ground, &started, &before).await);
                assert_eq!(read(started.worktree().join("uncommitted")), "u");
            }
            _ => {
                let path = format!("/api/task-attempts/{}", started.attempt());
                assert_eq!(ground.server.delete(&path).await.0, 200);
                assert!(!started.worktree().exists());
                let saved = format!("refs/forge/attempts/{}/deleted:uncommitted", started.attempt());
                assert_eq!(ground.repo.git(&["show", &saved]), "u");
            }
        }
    }
}

/// Puts an empty folder in the place of the folder of worktrees.
pub(crate) fn unmount(ground: &Ground) {
    let root = ground.server.data().join("worktrees");
    fs::rename(&root, ground.own("away")).unwrap();
    fs::create_dir(&root).unwrap();
}

pub(crate) fn mount(ground: &Ground) {
    let root = ground.server.data().join("worktrees");
    // Fails if anything was made in it.
    fs::remove_dir(&root).unwrap();
    fs::rename(ground.own("away"), &root).unwrap();
}

/// Answers to the requests that need the folder of worktrees.
async fn answers(ground: &Ground, started: &Started) -> Vec<(u16, Value)> {
    let path = format!("/api/task-attempts/{}", started.attempt());
    let turn = newest(ground, started, "turn").await;
    vec![
        ground.try_start(ground.body("@say hello")).await,
        ground.follow_up(started, "@edit two.txt 2").await,
        restore(ground, started, &turn).await,
        ground.server.delete(&path).await,
        ground.server.delete(&format!("{path}?discard=true")).await,
    ]
}

#[tokio::test]
async fn unmounted_disk_of_worktrees_loses_nothing() {
    let (mut ground, started) = worked().await;
    unmount(&ground);
    for is_restarted in [false, true] {
        if is_restarted {
            ground.server.kill_9().await;
            ground.server.restart().await;
        }
        for (status, body) in answers(&ground, &started).await {
            assert_eq!((status, code(&body)), (503, "worktrees_away"), "{body}");
            assert!(body["error_data"]["hint"].as_str().unwrap().contains("mount the disk"), "{body}");
        }
        assert_eq!(data(ground.server.post("/api/gc", json!({})).await)["unregistered"], json!([]));
        assert_eq!(
            ground.repo.git(&["worktree", "list"]).lines().count(),
            2,
            "the worktree stays registered"
        );
    }
    mount(&ground);
    let (status, body) = ground.follow_up(&started, "@edit two.txt 2").await;
    assert_eq!(status, 200, "{body}");
    ground.finished(&started).await;
    assert_eq!(read(started.worktree().join("uncommitted")), "u");
}

#[tokio::test]
async fn killed_start_is_undone_when_disk_returns() {
    let mut ground = Ground::new().await;
    ground.server.set_env("FORGE_CRASH_AT", "start-worktree-made");
    ground.server.kill_9().await;
    ground.server.restart().await;
    let body = ground.body("@edit one.txt 1");
    let request = ground.server.request(Method::POST, "/api/tasks/create-and-start").json(&body);
    assert!(request.send().await.is_err(), "the server dies before it answers");
    ground.server.ended().await;
    unmount(&ground);
    ground.server.unset_env("FORGE_CRASH_AT");
    ground.server.restart().await;
    comes_true("the start is not undone yet", || ground.server.log().contains("not cleared up yet")).await;
    assert_eq!(ground.repo.git(&["worktree", "list"]).lines().count(), 2, "the worktree stays registered");
    mount(&ground);
    comes_true("the start is undone", || {
        ground.server.log().contains("was not started; what there was of it is removed")
    })
    .await;
    assert_eq!(ground.repo.git(&["worktree", "list"]).lines().count(), 1);
    ground.nothing_is_left().await;
}

#[tokio::test]
async fn turn_is_committed_when_disk_returns() {
    let ground = Ground::new().await;
    let gate = Gate::new(ground.own("gate"));
    let steps = format!("@edit one.txt 1\n@say edited\n@wait-fifo {}", gate.path().display());
    let started = ground.start(&steps).await;
    ground.server.logs(started.process(), 0).await.until("edited").await;
    unmount(&ground);
    gate.open().await;
    comes_true("the turn waits", || ground.server.log().contains("its disk is not mounted")).await;
    mount(&ground);
    assert_eq!(ground.finished(&started).await["outcome"], "succeeded");
    assert_eq!(ground.repo.git(&["show", &format!("{}:one.txt", started.branch())]), "1");
}

#[tokio::test]
async fn attempt_of_lost_worktrees_can_be_deleted() {
    let (mut ground, started) = worked().await;
    let root = started.worktree().parent().unwrap().to_owned();
    fs::remove_dir_all(&root).unwrap();
    ground.server.kill_9().await;
    ground.server.restart().await;
    let path = format!("/api/task-attempts/{}", started.attempt());
    let (status, body) = ground.server.delete(&path).await;
    assert_eq!((status, code(&body)), (503, "worktrees_away"), "{body}");
    // As the hint says.
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join(".forge"), "").unwrap();
    assert_eq!(ground.server.delete(&path).await.0, 200);
    let again = ground.start("@edit one.txt 1").await;
    ground.finished(&again).await;
}

#[tokio::test]
async fn project_path_in_forges_folder_is_refused() {
    let ground = Ground::new().await;
    let started = ground.start("@edit one.txt 1").await;
    ground.finished(&started).await;
    let folder = started.worktree().parent().unwrap().to_owned();
    let link = ground.repo.beside("link");
    symlink(&folder, &link).unwrap();
    let trash = ground.server.data().join("trash/new");
    for path in
        [folder.join("new/deep"), link.join("new"), link.join("sub/../new"), started.worktree(), trash]
    {
        for existing in [true, false] {
            let body = json!({"name": "x", "git_repo_path": path, "use_existing_repo": existing});
            let (status, body) = ground.server.post("/api/projects", body).await;
            assert_eq!((status, code(&body)), (422, "path_is_forges"), "{} {body}", path.display());
        }
        let (status, body) = put(&ground, &project(&ground), json!({"git_repo_path": path})).await;
        assert_eq!((status, code(&body)), (422, "path_is_forges"), "{} {body}", path.display());
    }
}

#[tokio::test]
async fn project_path_in_former_worktrees_is_refused() {
    let mut ground = Ground::new().await;
    let (former, link) = (ground.own("former"), ground.own("link"));
    fs::create_dir(&former).unwrap();
    symlink(&former, &link).unwrap();
    for folder in [link, ground.own("present")] {
        ground.server.terminate().await;
        ground.server.set_env("FORGE_WORKTREES", folder.to_str().unwrap());
        ground.server.restart().await;
        let started = ground.start("@edit one.txt 1").await;
        ground.finished(&started).await;
    }
    let path = former.join(".trash/new");
    let body = json!({"name": "x", "git_repo_path": path, "use_existing_repo": false});
    let (status, body) = ground.server.post("/api/projects", body).await;
    assert_eq!((status, code(&body)), (422, "path_is_forges"), "{body}");
    assert!(!path.exists());
}

#[tokio::test]
async fn concurrent_updates_of_one_row_all_last() {
    let ground = Ground::new().await;
    let task = data(
        ground.server.post("/api/tasks", json!({"project_id": ground.project_id(), "title": "t"})).await,
    );
    let tag = data(ground.server.post("/api/tags", json!({"tag_name": "t", "content": "c"})).await);
    let task = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    let tag = format!("/api/tags/{}", tag["id"].as_str().unwrap());
    let running = ground.start("@until-told").await;
    let attempt = format!("/api/task-attempts/{}", running.attempt());
    let (_, waiting) = ground.server.post(&format!("{attempt}/follow-up"), json!({"prompt": "p"})).await;
    let waiting = waiting["data"]["follow_up"]["id"].as_str().unwrap();
    let queued = format!("{attempt}/follow-ups/{waiting}");
    for round in 0..30 {
        let new = format!("n{round}");
        let rows = [
            (project(&ground), "setup_script", "cleanup_script"),
            (task.clone(), "title", "description"),
            (tag.clone(), "tag_name", "content"),
            (format!("{attempt}/draft?type=follow_up"), "prompt", "variant"),
            (queued.clone(), "prompt", "model"),
        ];
        for (path, one, two) in rows {
            let change = |field: &str| {
                let mut body = json!({field: new});
                if path.contains("projects") {
                    body["default_base_branch"] = json!("main");
                }
                body
            };
            let (first, second) =
                tokio::join!(put(&ground, &path, change(one)), put(&ground, &path, change(two)));
            assert_eq!((first.0, second.0), (200, 200), "{} {}", first.1, second.1);
            let now = match path.strip_suffix(waiting) {
                Some(queue) => data(ground.server.get(queue.trim_end_matches('/')).await)[0].clone(),
                None => data(ground.server.get(&path).await),
            };
            assert_eq!((&now[one], &now[two]), (&json!(new), &json!(new)), "{path}");
        }
    }
}
