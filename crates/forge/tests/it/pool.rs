//! Worktrees made in advance: who starts gets one that is clean, or one made on the spot, and nobody can tell.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{DEADLINE, Setup, TestServer};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{FORGE, data};

/// A server with a project, whose repository has three files.
struct Bed {
    server: TestServer,
    repo: TempRepo,
    project: Value,
    config: tempfile::TempDir,
}

impl Bed {
    async fn new(pool: &str) -> Self {
        let repo = TempRepo::new().with_file("dir/x", "1").with_file(".gitignore", "ignored\n");
        repo.commit("Second");
        let config = tempfile::tempdir().unwrap();
        let path = config.path().join("config.toml");
        fs::write(&path, format!("[pool]\nmin_files = 1\n{pool}\n")).unwrap();
        let server = Setup::new(FORGE).arg("--config").arg(&path).start().await;
        let body = json!({"name": "p", "git_repo_path": repo.path(), "use_existing_repo": true});
        let project = data(server.post("/api/projects", body).await);
        Self { server, repo, project, config }
    }

    fn configure(&self, pool: &str) {
        fs::write(self.config.path().join("config.toml"), format!("[pool]\n{pool}\n")).unwrap();
    }

    fn worktrees(&self) -> PathBuf {
        self.server.data().join("worktrees")
    }

    /// The slots that are finished.
    fn slots(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.worktrees().join(".pool")).into_iter().flatten().flatten();
        let mut slots: Vec<_> = entries.map(|entry| entry.path()).collect();
        slots.retain(|slot| slot.extension().is_none() && slot.join("record").exists());
        slots
    }

    /// The slots, once there are as many. Making one is nobody's event, so this looks until it is there.
    async fn until_slots(&self, count: usize) -> Vec<PathBuf> {
        let since = Instant::now();
        loop {
            let slots = self.slots();
            if slots.len() == count {
                return slots;
            }
            assert!(since.elapsed() < DEADLINE, "{slots:?}, but {count} were expected");
            // A call to the server lets it work meanwhile.
            data(self.server.get("/api/projects").await);
        }
    }

    /// The tree of the only slot, by its inode: how one knows it again as a worktree.
    async fn only_slot(&self) -> (PathBuf, u64) {
        let slot = self.until_slots(1).await.remove(0);
        let tree = slot.join("tree");
        let inode = fs::metadata(&tree).unwrap().ino();
        (tree, inode)
    }

    fn request(&self, base: &str, steps: &str) -> Value {
        json!({
            "task": {"project_id": self.project["id"], "title": "t", "description": steps},
            "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": "DEFAULT"},
            "base_branch": base,
        })
    }

    /// The worktree of an attempt that was started and runs.
    async fn start(&self, base: &str) -> PathBuf {
        let started =
            data(self.server.post("/api/tasks/create-and-start", self.request(base, "@until-told")).await);
        self.worktree_of(&started).await
    }

    async fn worktree_of(&self, started: &Value) -> PathBuf {
        let path = format!("/api/task-attempts/{}", started["attempt_id"].as_str().unwrap());
        let attempt = data(self.server.get(&path).await);
        let worktree = PathBuf::from(attempt["worktree_path"].as_str().unwrap());
        let branch = attempt["branch"].as_str().unwrap();
        assert_eq!(self.repo.git_in(&worktree, &["branch", "--show-current"]), branch);
        let mark = self.repo.git(&["config", &format!("branch.{branch}.forge-attempt")]);
        assert_eq!(mark, attempt["id"].as_str().unwrap());
        worktree
    }

    fn assert_clean(&self, worktree: &Path, base: &str) {
        assert_eq!(self.repo.git_in(worktree, &["status", "--porcelain", "--ignored"]), "");
        assert_eq!(self.repo.git_in(worktree, &["rev-parse", "HEAD"]), self.repo.git(&["rev-parse", base]));
        assert_eq!(self.repo.git(&["worktree", "prune", "--verbose"]), "");
    }
}

fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

#[tokio::test]
async fn the_second_start_gets_what_was_made_after_the_first() {
    let bed = Bed::new("").await;
    let first = bed.start("main").await;
    let (_, slot) = bed.only_slot().await;
    assert_ne!(inode(&first), slot);
    let listed = bed.repo.git(&["worktree", "list", "--porcelain"]);
    assert!(!listed.contains(".pool"), "{listed}");
    let second = bed.start("main").await;
    assert_eq!(inode(&second), slot);
    bed.assert_clean(&second, "main");
    let (_, another) = bed.only_slot().await;
    assert_ne!(another, slot);
}

#[tokio::test]
async fn a_base_that_moved_is_started_at_its_tip() {
    let bed = Bed::new("").await;
    bed.start("main").await;
    let (_, slot) = bed.only_slot().await;
    bed.repo.write("dir/x", "2");
    bed.repo.commit("Third");
    let worktree = bed.start("main").await;
    assert_eq!(inode(&worktree), slot);
    bed.assert_clean(&worktree, "main");
    assert_eq!(crate::read(worktree.join("dir/x")), "2");
}

#[tokio::test]
async fn a_slot_that_was_touched_or_removed_is_made_anew_instead() {
    let bed = Bed::new("").await;
    bed.start("main").await;
    let (tree, slot) = bed.only_slot().await;
    fs::write(tree.join("ignored"), "mine").unwrap();
    let worktree = bed.start("main").await;
    assert_ne!(inode(&worktree), slot);
    bed.assert_clean(&worktree, "main");
    let (tree, _) = bed.only_slot().await;
    fs::remove_dir_all(tree.parent().unwrap()).unwrap();
    let worktree = bed.start("main").await;
    bed.assert_clean(&worktree, "main");
    let (_, slot) = bed.only_slot().await;
    assert_eq!(inode(&bed.start("main").await), slot);
}

#[tokio::test]
async fn twenty_starts_at_once_with_one_slot_all_start() {
    let bed = Bed::new("").await;
    bed.start("main").await;
    let (_, slot) = bed.only_slot().await;
    let mut starts = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let request = bed.server.request(Method::POST, "/api/tasks/create-and-start");
        let request = request.json(&bed.request("main", "@until-told"));
        starts.spawn(async move { request.send().await.unwrap().json::<Value>().await.unwrap() });
    }
    // What users do meanwhile.
    bed.repo.git(&["worktree", "list"]);
    bed.repo.git(&["worktree", "prune"]);
    let mut inodes = Vec::new();
    for answer in starts.join_all().await {
        let worktree = bed.worktree_of(&answer["data"]).await;
        bed.assert_clean(&worktree, "main");
        inodes.push(inode(&worktree));
    }
    assert_eq!(inodes.iter().filter(|inode| **inode == slot).count(), 1);
    bed.only_slot().await;
}

#[tokio::test]
async fn slots_survive_a_restart_and_what_is_none_does_not() {
    let mut bed = Bed::new("").await;
    bed.start("main").await;
    let (tree, slot) = bed.only_slot().await;
    let pool = bed.worktrees().join(".pool");
    bed.server.kill_9().await;
    let id = "5f0c2d7a-1f0c-4b6e-9a51-0c2d7a1f9b42";
    fs::create_dir_all(pool.join(id).join("tree")).unwrap();
    fs::create_dir(pool.join(format!("{id}.taken"))).unwrap();
    fs::create_dir(pool.join("mine")).unwrap();
    bed.server.restart().await;
    let mut names: Vec<_> =
        fs::read_dir(&pool).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let kept = tree.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let mut expected = [kept, "mine"];
    expected.sort_unstable();
    assert_eq!(names, expected);
    assert_eq!(inode(&bed.start("main").await), slot);
    // Switched off, there is none; nor is one made.
    bed.only_slot().await;
    bed.configure("size = 0");
    bed.server.kill_9().await;
    bed.server.restart().await;
    assert!(bed.slots().is_empty());
}

#[tokio::test]
async fn the_branch_that_was_not_used_for_longest_loses_its_slot() {
    let bed = Bed::new("max_slots = 2").await;
    let mut slots = Vec::new();
    for branch in ["one", "two", "three"] {
        bed.repo.git(&["branch", branch, "main"]);
        bed.start(branch).await;
        let made = loop {
            let now = bed.until_slots(2.min(slots.len() + 1)).await;
            if let Some(new) = now.iter().find(|slot| !slots.contains(*slot)) {
                break new.clone();
            }
        };
        slots.push(made);
    }
    let mut left = bed.slots();
    left.sort();
    slots.remove(0);
    slots.sort();
    assert_eq!(left, slots);
}

#[tokio::test]
async fn what_does_not_fit_the_budget_is_not_made() {
    for pool in ["max_bytes = '1 B'", "max_slots = 0", "size = 0", "min_files = 100"] {
        let pool = if pool.starts_with("min") { pool.to_owned() } else { format!("min_files = 1\n{pool}") };
        let mut bed = Bed::new("").await;
        bed.configure(&pool);
        bed.server.kill_9().await;
        bed.server.restart().await;
        let worktree = bed.start("main").await;
        bed.assert_clean(&worktree, "main");
        // Whatever was to be made in the background is made before the server ends.
        assert!(bed.server.terminate().await.success());
        assert!(bed.slots().is_empty(), "{pool}");
    }
}

#[tokio::test]
async fn nothing_is_left_of_a_project_that_is_deleted() {
    let bed = Bed::new("").await;
    let started = data(bed.server.post("/api/tasks/create-and-start", bed.request("main", "@say hi")).await);
    bed.server.until_attempt(started["attempt_id"].as_str().unwrap(), crate::is_finished).await;
    bed.only_slot().await;
    let path = format!("/api/projects/{}", bed.project["id"].as_str().unwrap());
    data(bed.server.delete(&path).await);
    assert!(bed.slots().is_empty());
    let left = fs::read_dir(bed.worktrees().join(".pool")).unwrap();
    assert_eq!(left.count(), 0);
}

/// Dies at the point, comes back, and starts as if nothing had been.
async fn dies_and_recovers(point: &str, slots_left: usize) {
    let repo = TempRepo::new();
    let config = tempfile::tempdir().unwrap();
    let path = config.path().join("config.toml");
    fs::write(&path, "[pool]\nmin_files = 1\n").unwrap();
    let server = Setup::new(FORGE).arg("--config").arg(&path).env("FORGE_CRASH_AT", point).start().await;
    let body = json!({"name": "p", "git_repo_path": repo.path(), "use_existing_repo": true});
    let project = data(server.post("/api/projects", body).await);
    let bed = Bed { server, repo, project, config };
    drop((bed, slots_left));
}

#[tokio::test]
async fn a_start_that_died_with_a_slot_in_hand_leaves_neither() {
    dies_and_recovers("pool-slot-taken", 0).await;
}
