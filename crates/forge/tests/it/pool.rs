//! Worktrees made in advance: who starts gets one that is clean, or one made on the spot, and nobody can tell.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use forge_testkit::server::DEADLINE;
use serde_json::{Value, json};

use crate::data;
use crate::life::{Bed, Run, sent};

/// A finished spare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spare {
    folder: PathBuf,
    /// Of its tree: how one knows it again as a worktree.
    pub(crate) inode: u64,
}

pub(crate) fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

/// Everything in the pool's folder.
pub(crate) fn entries(bed: &Bed) -> Vec<PathBuf> {
    let entries = fs::read_dir(bed.server.data().join("worktrees/.pool")).into_iter().flatten();
    let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

fn spares(bed: &Bed) -> Vec<Spare> {
    let finished = entries(bed).into_iter().filter(|entry| entry.extension().is_none());
    let finished = finished.filter(|entry| entry.join("record").exists());
    finished.map(|folder| Spare { inode: inode(&folder.join("tree")), folder }).collect()
}

/// The spares, once there are as many. Making one is nobody's event, so this looks again and again.
pub(crate) async fn until_spares(bed: &Bed, count: usize) -> Vec<Spare> {
    let since = Instant::now();
    loop {
        let found = spares(bed);
        if found.len() == count {
            return found;
        }
        assert!(since.elapsed() < DEADLINE, "{count} spares were expected: {:?}", entries(bed));
        data(bed.server.get("/api/projects").await);
    }
}

pub(crate) async fn only_spare(bed: &Bed) -> Spare {
    until_spares(bed, 1).await.remove(0)
}

/// A server that makes one spare for each branch, however small.
async fn bed() -> Bed {
    let mut bed = Bed::new().await;
    bed.repo.write("dir/x", "1");
    bed.repo.write(".gitignore", "ignored\n");
    bed.repo.commit("Second");
    bed.set_pool("min_files = 1").await;
    bed
}

/// The worktree of an agent that was started at a branch and runs.
async fn start(bed: &Bed, base: &str) -> PathBuf {
    let request = bed.server.request(reqwest::Method::POST, "/api/tasks/create-and-start");
    let started = sent(request.json(&body(bed, base))).await;
    worktree(bed, &Run::of(&started), base).await
}

fn body(bed: &Bed, base: &str) -> Value {
    json!({
        "task": {"project_id": bed.project, "title": "t", "description": "@until-told"},
        "executor_profile_id": {"executor": "CLAUDE_CODE"},
        "base_branch": base,
    })
}

/// The worktree, which has to be as a start must give it.
async fn worktree(bed: &Bed, run: &Run, base: &str) -> PathBuf {
    let worktree = bed.worktree(run).await;
    let git = |args: &[&str]| bed.repo.git_in(&worktree, args);
    assert_eq!(git(&["status", "--porcelain", "--ignored"]), "");
    assert_eq!(git(&["rev-parse", "HEAD"]), git(&["rev-parse", base]));
    assert_eq!(git(&["branch", "--show-current"]), run.branch);
    assert_eq!(git(&["config", &format!("branch.{}.forge-attempt", run.branch)]), run.attempt);
    assert_eq!(git(&["worktree", "prune", "--verbose"]), "");
    worktree
}

#[tokio::test]
async fn the_second_start_gets_what_was_made_after_the_first() {
    let bed = bed().await;
    let first = start(&bed, "main").await;
    let spare = only_spare(&bed).await;
    assert_ne!(inode(&first), spare.inode);
    bed.assert_whole(&[]).await;
    let disk = data(bed.server.get(&format!("/api/projects/{}/disk", bed.project)).await);
    assert!(disk["pool"].as_u64().unwrap() > 0, "{disk}");
    let second = start(&bed, "main").await;
    assert_eq!(inode(&second), spare.inode);
    assert_ne!(only_spare(&bed).await.inode, spare.inode);
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_base_that_moved_is_begun_at_its_tip() {
    let bed = bed().await;
    start(&bed, "main").await;
    let spare = only_spare(&bed).await;
    bed.repo.write("dir/x", "2");
    bed.repo.commit("Third");
    let worktree = start(&bed, "main").await;
    assert_eq!(inode(&worktree), spare.inode);
    assert_eq!(crate::read(worktree.join("dir/x")), "2");
}

#[tokio::test]
async fn a_spare_that_was_touched_or_removed_is_not_used_and_another_is_made() {
    let bed = bed().await;
    start(&bed, "main").await;
    let spare = only_spare(&bed).await;
    fs::write(spare.folder.join("tree/ignored"), "mine").unwrap();
    assert_ne!(inode(&start(&bed, "main").await), spare.inode);
    let spare = only_spare(&bed).await;
    fs::remove_dir_all(&spare.folder).unwrap();
    start(&bed, "main").await;
    let spare = only_spare(&bed).await;
    assert_eq!(inode(&start(&bed, "main").await), spare.inode);
}

#[tokio::test]
async fn twenty_starts_at_once_with_one_spare_all_start() {
    let bed = bed().await;
    start(&bed, "main").await;
    let spare = only_spare(&bed).await;
    let mut starts = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let request = bed.server.request(reqwest::Method::POST, "/api/tasks/create-and-start");
        starts.spawn(sent(request.json(&body(&bed, "main"))));
    }
    // What users do meanwhile.
    for _ in 0..10 {
        bed.repo.git(&["worktree", "list"]);
        bed.repo.git(&["worktree", "prune"]);
    }
    let mut from_spare = 0;
    for started in starts.join_all().await {
        let worktree = worktree(&bed, &Run::of(&started), "main").await;
        from_spare += usize::from(inode(&worktree) == spare.inode);
    }
    assert_eq!(from_spare, 1);
    // As many as there may be: the next burst will want them.
    until_spares(&bed, 16).await;
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn second_burst_finds_spare_for_each_start() {
    let mut bed = bed().await;
    bed.set_pool("min_files = 1\nmax_spares = 4").await;
    bed.repo.git(&["branch", "other", "main"]);
    start(&bed, "other").await;
    let other = only_spare(&bed).await;
    // None is made while a start is under way.
    let burst = async || {
        let mut starts = tokio::task::JoinSet::new();
        for _ in 0..3 {
            let request = bed.server.request(reqwest::Method::POST, "/api/tasks/create-and-start");
            starts.spawn(sent(request.json(&body(&bed, "main"))));
        }
        let mut inodes = Vec::new();
        for started in starts.join_all().await {
            inodes.push(inode(&worktree(&bed, &Run::of(&started), "main").await));
        }
        inodes
    };
    burst().await;
    let spares = until_spares(&bed, 4).await;
    assert!(spares.contains(&other), "the other branch keeps its own");
    for made in burst().await {
        assert!(spares.iter().any(|spare| spare.inode == made));
    }
}

#[tokio::test]
async fn spares_survive_a_restart_and_what_is_none_does_not() {
    let mut bed = bed().await;
    start(&bed, "main").await;
    let spare = only_spare(&bed).await;
    bed.server.kill_9().await;
    let pool = spare.folder.parent().unwrap();
    let id = "5f0c2d7a-1f0c-4b6e-9a51-0c2d7a1f9b42";
    fs::create_dir_all(pool.join(id).join("tree")).unwrap();
    fs::create_dir(pool.join(format!("{id}.taken"))).unwrap();
    // Not a name that we give.
    fs::create_dir(pool.join("mine")).unwrap();
    bed.server.restart().await;
    let mut expected = vec![spare.folder.clone(), pool.join("mine")];
    expected.sort();
    assert_eq!(entries(&bed), expected);
    assert_eq!(inode(&start(&bed, "main").await), spare.inode);
    only_spare(&bed).await;
    bed.set_pool("size = 0").await;
    assert_eq!(spares(&bed), [], "none are wanted any more");
}

#[tokio::test]
async fn the_branch_that_was_not_used_for_longest_loses_its_spare() {
    let mut bed = bed().await;
    bed.set_pool("min_files = 1\nmax_spares = 2").await;
    for branch in ["one", "two", "three"] {
        bed.repo.git(&["branch", branch, "main"]);
    }
    start(&bed, "one").await;
    let one = only_spare(&bed).await;
    start(&bed, "two").await;
    let two = until_spares(&bed, 2).await.into_iter().find(|spare| *spare != one).unwrap();
    // Used again, so that `two` is the one that was not for longest.
    assert_eq!(inode(&start(&bed, "one").await), one.inode);
    until_spares(&bed, 2).await;
    start(&bed, "three").await;
    let since = Instant::now();
    while spares(&bed).contains(&two) {
        assert!(since.elapsed() < DEADLINE);
        data(bed.server.get("/api/projects").await);
    }
    until_spares(&bed, 2).await;
    start(&bed, "two").await;
}

#[tokio::test]
async fn what_does_not_fit_the_budget_is_not_made() {
    for settings in ["max_bytes = '1 B'", "max_spares = 0", "size = 0"] {
        let mut bed = bed().await;
        bed.set_pool(&format!("min_files = 1\n{settings}")).await;
        start(&bed, "main").await;
        start(&bed, "main").await;
        // What goes on in the background has ended then.
        assert!(bed.server.terminate().await.success());
        assert_eq!(entries(&bed), Vec::<PathBuf>::new(), "{settings}");
    }
}

#[tokio::test]
async fn small_repositories_are_not_worth_it() {
    let mut bed = Bed::new().await;
    start(&bed, "main").await;
    assert!(bed.server.terminate().await.success());
    assert_eq!(entries(&bed), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn nothing_is_left_of_a_project_that_is_deleted() {
    let bed = bed().await;
    let run = bed.started("@say hello").await;
    bed.finished(&run).await;
    only_spare(&bed).await;
    data(bed.server.delete(&format!("/api/projects/{}", bed.project)).await);
    assert_eq!(entries(&bed), Vec::<PathBuf>::new());
}
