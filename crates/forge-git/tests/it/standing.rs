//! HEAD beside the worktree's own branch.

use std::fs;

use forge_git::{Standing, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, mark, open};

async fn worked() -> (TempRepo, Worktree) {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("one"), "1").unwrap();
    worktree.commit_all("One").await.unwrap();
    (temp, worktree)
}

fn on(temp: &TempRepo, worktree: &Worktree) -> String {
    temp.git_in(worktree.path(), &["rev-parse", "--abbrev-ref", "HEAD"])
}

#[tokio::test]
async fn branch_is_fast_forwarded_to_head_beside_it() {
    for leave in [&["checkout", "--quiet", "-b", "own"][..], &["checkout", "--quiet", "--detach"]] {
        let (temp, worktree) = worked().await;
        temp.git_in(worktree.path(), leave);
        fs::write(worktree.path().join("two"), "2").unwrap();
        worktree.commit_all("Two").await.unwrap();
        fs::write(worktree.path().join("three"), "3").unwrap();
        let head = worktree.head().await.unwrap();
        assert_eq!(worktree.return_to("forge/a").await.unwrap(), Standing::OnBranch);
        assert_eq!(on(&temp, &worktree), "forge/a");
        assert_eq!(temp.git(&["rev-parse", "forge/a"]), head.as_str());
        assert_eq!(temp.git_in(worktree.path(), &["status", "--porcelain"]), "?? three");
    }
}

#[tokio::test]
async fn head_stays_apart_where_branch_would_lose_commits() {
    let (temp, worktree) = worked().await;
    let tip = temp.git(&["rev-parse", "forge/a"]);
    temp.git_in(worktree.path(), &["checkout", "--quiet", "--detach", "HEAD~1"]);
    let head = worktree.head().await.unwrap();
    assert_eq!(worktree.return_to("forge/a").await.unwrap(), Standing::Apart { head });
    assert_eq!((on(&temp, &worktree).as_str(), temp.git(&["rev-parse", "forge/a"])), ("HEAD", tip));
}

#[tokio::test]
async fn head_stays_apart_during_a_rebase() {
    let (temp, worktree) = worked().await;
    temp.write("one", "other");
    temp.commit("Other");
    drop(temp.try_git_in(worktree.path(), &["rebase", "main"]));
    assert!(worktree.operation().is_some());
    assert!(matches!(worktree.return_to("forge/a").await.unwrap(), Standing::Apart { .. }));
    assert!(worktree.operation().is_some());
}

#[tokio::test]
async fn mark_follows_renamed_branch() {
    let (temp, worktree) = worked().await;
    let repo = worktree.repo();
    assert_eq!(repo.marked_branch(&mark("id-a")).await.unwrap().as_deref(), Some("forge/a"));
    temp.git_in(worktree.path(), &["branch", "-m", "feature/login.v2"]);
    assert_eq!(repo.marked_branch(&mark("id-a")).await.unwrap().as_deref(), Some("feature/login.v2"));
    assert_eq!(repo.marked_branch(&mark("id-b")).await.unwrap(), None);
}
