//! Worktrees of a repository that was moved, or that pruned them.

use std::fs;

use forge_git::Error;
use forge_testkit::repo::TempRepo;

use crate::kit::{add, git, open};

#[tokio::test]
async fn pruned_worktree_is_registered_again_with_its_files() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let path = add(&temp, &repo, "a").await.path().to_owned();
    fs::write(path.join("uncommitted"), "u").unwrap();
    fs::rename(&path, temp.beside("away")).unwrap();
    temp.git(&["worktree", "prune", "--expire", "now"]);
    fs::rename(temp.beside("away"), &path).unwrap();
    assert!(matches!(repo.open_worktree(&path).await, Err(Error::NotAWorktree { .. })));
    let worktree = repo.reconnect_worktree(&path, "forge/a").await.unwrap();
    assert_eq!(temp.git_in(&path, &["status", "--porcelain"]), "?? uncommitted");
    assert_eq!(temp.git_in(&path, &["symbolic-ref", "--short", "HEAD"]), "forge/a");
    worktree.commit_all("Goes on").await.unwrap().unwrap();
}

#[tokio::test]
async fn moved_repository_gets_its_worktree_back() {
    let temp = TempRepo::new();
    let path = add(&temp, &open(&temp).await, "a").await.path().to_owned();
    fs::write(path.join("staged"), "s").unwrap();
    temp.git_in(&path, &["add", "staged"]);
    let moved = temp.beside("moved");
    fs::rename(temp.path(), &moved).unwrap();
    let repo = git(&temp).await.open(&moved).await.unwrap();
    repo.reconnect_worktree(&path, "forge/a").await.unwrap();
    assert_eq!(temp.git_in(&path, &["status", "--porcelain"]), "A  staged");
}

#[tokio::test]
async fn foreign_folder_is_not_connected() {
    let (temp, other) = (TempRepo::new(), TempRepo::new());
    let theirs = add(&other, &open(&other).await, "a").await.path().to_owned();
    let repo = open(&temp).await;
    temp.git(&["branch", "forge/a"]);
    let plain = temp.beside("plain");
    fs::create_dir(&plain).unwrap();
    for path in [theirs.as_path(), &plain, other.path()] {
        let error = repo.reconnect_worktree(path, "forge/a").await.unwrap_err();
        assert!(matches!(error, Error::NotAWorktree { .. }), "{error:?}");
    }
    assert_eq!(other.git_in(&theirs, &["status", "--porcelain"]), "");
}
