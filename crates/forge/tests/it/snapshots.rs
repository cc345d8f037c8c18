//! What was saved can be seen and put back, and putting back loses nothing.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::{Value, json};

use crate::ground::{Ground, Started, names};
use crate::{code, data, read};

/// Names, modes and contents of everything in a folder but git's own.
pub(crate) fn files(folder: &Path) -> Vec<String> {
    let (mut found, mut left) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(path) = left.pop() {
        let entry = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        if entry.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if entry.is_symlink() {
            found.push(format!("{name} -> {}", fs::read_link(&path).unwrap().display()));
        } else if name != ".git" {
            let mode = entry.permissions().mode() & 0o100;
            found.push(format!("{name} {mode:o} {:?}", fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

pub(crate) async fn snapshots(ground: &Ground, started: &Started) -> Vec<Value> {
    let path = format!("/api/task-attempts/{}/snapshots", started.attempt());
    data(ground.server.get(&path).await).as_array().unwrap().clone()
}

/// The newest snapshot that was taken for this reason.
pub(crate) async fn newest(ground: &Ground, started: &Started, what: &str) -> String {
    let all = snapshots(ground, started).await;
    let found = all.iter().find(|snapshot| snapshot["what"] == what);
    found.unwrap_or_else(|| panic!("no {what} in {all:#?}"))["name"].as_str().unwrap().to_owned()
}

pub(crate) async fn restore(ground: &Ground, started: &Started, snapshot: &str) -> (u16, Value) {
    let path = format!("/api/task-attempts/{}/restore", started.attempt());
    ground.server.post(&path, json!({"snapshot": snapshot})).await
}

/// An attempt that has finished, with changes of every kind that nobody committed.
async fn dirty(ground: &Ground) -> Started {
    let started = ground.start("@edit a.txt one\n@edit b.txt two\n@edit run.sh true").await;
    ground.finished(&started).await;
    let path = started.worktree();
    fs::write(path.join("a.txt"), "changed").unwrap();
    fs::remove_file(path.join("b.txt")).unwrap();
    fs::set_permissions(path.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(path.join("new")).unwrap();
    fs::write(path.join("new/untracked"), [0, 255]).unwrap();
    symlink("../elsewhere", path.join("link")).unwrap();
    started
}

#[tokio::test]
async fn restore_saves_worktree_without_index() {
    let ground = Ground::new().await;
    let started = dirty(&ground).await;
    let before = files(&started.worktree());
    let index = ground.git_in(&started, &["rev-parse", "--path-format=absolute", "--git-path", "index"]);
    fs::remove_file(index.trim()).unwrap();
    let turn = newest(&ground, &started, "turn").await;
    assert_eq!(restore(&ground, &started, &turn).await.0, 200);
    assert!(!started.worktree().join("new/untracked").exists());
    let saved = newest(&ground, &started, "before_restore").await;
    assert_eq!(restore(&ground, &started, &saved).await.0, 200);
    assert_eq!(files(&started.worktree()), before);
}

#[tokio::test]
async fn each_turn_leaves_a_snapshot_that_tells_its_process() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    ground.follow_up(&started, "@edit a.txt two").await;
    ground.finished(&started).await;
    let listed = snapshots(&ground, &started).await;
    let processes = ground.processes(&started).await;
    assert_eq!(listed.len(), 2, "{listed:#?}");
    for (snapshot, process) in listed.iter().zip(processes.iter().rev()) {
        assert_eq!(snapshot["what"], "turn");
        assert_eq!(snapshot["execution_process_id"], process["id"]);
        assert_eq!(snapshot["name"], process["id"]);
        assert_eq!(snapshot["created_at"], process["completed_at"]);
    }
    let saved = |n: usize| format!("{}:a.txt", listed[n]["oid"].as_str().unwrap());
    assert_eq!(
        (ground.repo.git(&["show", &saved(1)]), ground.repo.git(&["show", &saved(0)])),
        ("one".into(), "two".into())
    );
}

#[tokio::test]
async fn what_is_put_back_is_what_was_saved_and_what_was_there_is_saved() {
    let ground = Ground::new().await;
    let started = dirty(&ground).await;
    let (path, first) = (started.worktree(), newest(&ground, &started, "turn").await);
    let (head, changed) = (ground.repo.git(&["rev-parse", started.branch()]), files(&started.worktree()));
    data(restore(&ground, &started, &first).await);
    assert_eq!(ground.git_in(&started, &["status", "--porcelain"]), "", "as the turn left it");
    assert_eq!(names(&path), [".git", "README.md", "a.txt", "b.txt", "run.sh"]);
    let before = newest(&ground, &started, "before_restore").await;
    data(restore(&ground, &started, &before).await);
    assert_eq!(files(&path), changed, "there and back again");
    assert_eq!(ground.repo.git(&["rev-parse", started.branch()]), head, "the branch does not move");
    assert_eq!(ground.git_in(&started, &["symbolic-ref", "--short", "HEAD"]), started.branch());
    assert_eq!(ground.git_in(&started, &["diff", "--cached", "--name-only"]), "");
}

#[tokio::test]
async fn a_worktree_that_somebody_deleted_is_made_again() {
    let ground = Ground::new().await;
    let started = dirty(&ground).await;
    let path = started.worktree();
    // Saves what is in it.
    let turn = newest(&ground, &started, "turn").await;
    let changed = files(&path);
    data(restore(&ground, &started, &turn).await);
    let before = newest(&ground, &started, "before_restore").await;
    fs::remove_dir_all(&path).unwrap();
    data(restore(&ground, &started, &before).await);
    assert_eq!(files(&path), changed);
    assert_eq!(ground.repo.git(&["worktree", "list"]).lines().count(), 2);
    assert_eq!(ground.follow_up(&started, "@say back").await.0, 200);
    ground.finished(&started).await;
    assert_eq!(ground.repo.git(&["show", &format!("{}:a.txt", started.branch())]), "changed");
}

#[tokio::test]
async fn nothing_is_put_back_while_the_agent_works() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let snapshot = newest(&ground, &started, "turn").await;
    ground.follow_up(&started, "@until-told").await;
    let (status, body) = restore(&ground, &started, &snapshot).await;
    assert_eq!((status, code(&body)), (409, "attempt_running"), "{body}");
    ground.stop(&started).await;
    data(restore(&ground, &started, &snapshot).await);
}

#[tokio::test]
async fn a_snapshot_that_is_not_there_changes_nothing() {
    let ground = Ground::new().await;
    let started = dirty(&ground).await;
    let (before, listed) = (files(&started.worktree()), snapshots(&ground, &started).await);
    for name in ["missing", "", "../../heads/main", "HEAD"] {
        let (status, body) = restore(&ground, &started, name).await;
        assert_eq!((status, code(&body)), (404, "not_found"), "{name}: {body}");
    }
    assert_eq!(files(&started.worktree()), before);
    assert_eq!(snapshots(&ground, &started).await, listed);
    let missing = uuid::Uuid::new_v4();
    let (status, _) = ground.server.get(&format!("/api/task-attempts/{missing}/snapshots")).await;
    assert_eq!(status, 404);
}

#[tokio::test]
async fn what_cannot_be_saved_is_not_overwritten() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let snapshot = newest(&ground, &started, "turn").await;
    let inner = started.worktree().join("inner");
    fs::create_dir(&inner).unwrap();
    ground.repo.git_in(&inner, &["init", "--quiet"]);
    fs::write(inner.join("work.txt"), "mine").unwrap();
    fs::write(started.worktree().join("a.txt"), "changed").unwrap();
    let (status, body) = restore(&ground, &started, &snapshot).await;
    assert_eq!((status, code(&body)), (409, "work_not_saved"), "{body}");
    assert_eq!(
        (read(inner.join("work.txt")), read(started.worktree().join("a.txt"))),
        ("mine".into(), "changed".into())
    );
}

/// An agent commits a repository that it made inside the worktree as a mere link.
#[tokio::test]
async fn delete_refuses_worktree_with_nested_repository() {
    let ground = Ground::with(json!({
        "cleanup_script": "git init -q inner && cd inner && echo mine > work.txt && git add . && git -c user.name=a -c user.email=a@b commit -qm Inner",
    }))
    .await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    assert_eq!(ground.git_in(&started, &["ls-files", "--stage", "inner"]), "", "it is not committed");
    let path = format!("/api/task-attempts/{}", started.attempt());
    let (_, status) = ground.server.get(&format!("{path}/branch-status")).await;
    assert!(status["data"]["warnings"][0].as_str().unwrap().contains("inner"), "{status}");
    let (status, body) = ground.server.delete(&path).await;
    assert_eq!((status, code(&body)), (409, "work_not_saved"), "{body}");
    assert!(body["message"].as_str().unwrap().contains("inner"), "{body}");
    assert_eq!(read(started.worktree().join("inner/work.txt")), "mine\n");
    assert_eq!(
        ground.server.delete(&format!("{path}?discard=true")).await.0,
        200,
        "unless that is what is wanted"
    );
}

#[tokio::test]
async fn what_is_discarded_is_gone_with_its_branch_and_its_snapshots() {
    let ground = Ground::new().await;
    let kept = ground.start("@edit b.txt two").await;
    ground.finished(&kept).await;
    let started = ground.start("@edit a.txt one\n@until-told").await;
    let path = format!("/api/task-attempts/{}?discard=true", started.attempt());
    let (status, body) = ground.server.delete(&path).await;
    assert_eq!((status, code(&body)), (409, "attempt_running"), "{body}");
    ground.stop(&started).await;
    assert_eq!(snapshots(&ground, &started).await.len(), 1);
    assert_eq!(ground.server.delete(&path).await.0, 200);
    let refs = ground.repo.git(&["for-each-ref", "--format=%(refname)"]);
    assert!(!refs.contains(started.attempt()) && !refs.contains(started.branch()), "{refs}");
    assert!(refs.contains(kept.attempt()) && refs.contains(kept.branch()), "{refs}");
    assert!(!started.worktree().exists() && kept.worktree().exists());
    let config = ground.repo.git(&["config", "--local", "--list"]);
    assert!(!config.contains(started.branch()), "{config}");
}

#[tokio::test]
async fn restore_saves_ignored_file_that_it_overwrites() {
    let ground = Ground::new().await;
    let started = ground.start("@edit data.db one").await;
    ground.finished(&started).await;
    let (first, path) = (newest(&ground, &started, "turn").await, started.worktree());
    ground.repo.git_in(&path, &["rm", "--quiet", "--cached", "data.db"]);
    fs::write(path.join(".gitignore"), "data.db\n").unwrap();
    ground.repo.git_in(&path, &["add", ".gitignore"]);
    ground.repo.git_in(&path, &["commit", "--quiet", "-m", "Ignore"]);
    fs::write(path.join("data.db"), "precious").unwrap();
    data(restore(&ground, &started, &first).await);
    assert_eq!(read(path.join("data.db")), "one\n");
    let before = newest(&ground, &started, "before_restore").await;
    data(restore(&ground, &started, &before).await);
    assert_eq!(read(path.join("data.db")), "precious");
}

#[tokio::test]
async fn restore_refuses_too_big_ignored_files_at_risk() {
    let ground = Ground::new().await;
    let started = ground.start("@edit a.txt one").await;
    ground.finished(&started).await;
    let (first, path) = (newest(&ground, &started, "turn").await, started.worktree());
    fs::write(path.join(".gitignore"), "big\n").unwrap();
    fs::File::create(path.join("big")).unwrap().set_len(300 * 1024 * 1024).unwrap();
    let refused = restore(&ground, &started, &first).await;
    assert_eq!((refused.0, code(&refused.1)), (409, "ignored_files_too_big"));
    assert!(path.join("big").exists() && path.join(".gitignore").exists());
}
