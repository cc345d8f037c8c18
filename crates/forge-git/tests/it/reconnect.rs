//! Worktrees of a repository that was moved, or that pruned them.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use forge_git::Error;
use forge_testkit::repo::TempRepo;

use crate::kit::{add, git, open};

/// Prunes the worktree at `path` while its folder is away, in the repository at `repo`.
fn prune(temp: &TempRepo, repo: &Path, path: &Path) {
    fs::rename(path, temp.beside("away")).unwrap();
    temp.git_in(repo, &["worktree", "prune", "--expire", "now"]);
    fs::rename(temp.beside("away"), path).unwrap();
}

/// The files below a folder, with their bytes and times; without `.git`.
fn files(folder: &Path) -> Vec<(String, Vec<u8>, i64)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            files.extend(self::files(&path));
        } else if name != ".git" {
            files.push((name, fs::read(&path).unwrap(), fs::metadata(&path).unwrap().mtime_nsec()));
        }
    }
    files.sort();
    files
}

#[tokio::test]
async fn pruned_worktree_is_registered_again_with_its_files() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let path = add(&temp, &repo, "a").await.path().to_owned();
    fs::write(path.join("uncommitted"), "u").unwrap();
    prune(&temp, temp.path(), &path);
    assert!(matches!(repo.open_worktree(&path).await, Err(Error::NotAWorktree { .. })));
    let worktree = repo.reconnect_worktree(&path, "forge/a").await.unwrap();
    assert_eq!(temp.git_in(&path, &["status", "--porcelain"]), "?? uncommitted");
    assert_eq!(temp.git_in(&path, &["symbolic-ref", "--short", "HEAD"]), "forge/a");
    worktree.commit_all("Goes on").await.unwrap().unwrap();
}

#[tokio::test]
async fn pruned_sparse_worktree_loses_nothing() {
    let temp = TempRepo::new().with_file("in/a", "a").with_file("in/gone", "g");
    let temp = temp.with_file("out/b", "b").with_file("out/c", "c");
    temp.commit("Second");
    for index in ["no-sparse-index", "sparse-index"] {
        temp.git(&["sparse-checkout", "set", "--cone", &format!("--{index}"), "in"]);
        let repo = open(&temp).await;
        let path = add(&temp, &repo, index).await.path().to_owned();
        let branch = format!("forge/{index}");
        fs::write(path.join("in/a"), "changed").unwrap();
        fs::remove_file(path.join("in/gone")).unwrap();
        fs::create_dir(path.join("out")).unwrap();
        fs::write(path.join("out/b"), "mine").unwrap();
        fs::write(path.join("out/new"), "n").unwrap();
        let before = files(&path);
        prune(&temp, temp.path(), &path);
        let worktree = repo.reconnect_worktree(&path, &branch).await.unwrap();
        assert_eq!(files(&path), before);
        let commit = worktree.commit_all("Goes on").await.unwrap().unwrap();
        let changes = temp.git(&["diff-tree", "-r", "--name-status", "main", commit.as_str()]);
        assert_eq!(changes, "M\tin/a\nD\tin/gone\nM\tout/b\nA\tout/new");
        assert!(!path.join("out/c").exists());
        assert_eq!(temp.git_in(&path, &["config", "core.sparseCheckout"]), "true");
    }
}

#[tokio::test]
async fn pruned_worktree_gets_settings_of_worktrees() {
    let temp = TempRepo::new();
    let bare = temp.beside("b.git");
    temp.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    temp.git_in(&bare, &["config", "extensions.worktreeConfig", "true"]);
    temp.git_in(&bare, &["config", "--unset", "core.bare"]);
    temp.git_in(&bare, &["config", "--worktree", "core.bare", "true"]);
    temp.git_in(&bare, &["config", "--worktree", "forge.test", "kept"]);
    let repo = git(&temp).await.open(&bare).await.unwrap();
    let path = add(&temp, &repo, "a").await.path().to_owned();
    fs::write(path.join("uncommitted"), "u").unwrap();
    prune(&temp, &bare, &path);
    let worktree = repo.reconnect_worktree(&path, "forge/a").await.unwrap();
    assert_eq!(temp.git_in(&path, &["status", "--porcelain"]), "?? uncommitted");
    assert_eq!(temp.git_in(&path, &["config", "forge.test"]), "kept");
    worktree.commit_all("Goes on").await.unwrap().unwrap();
    assert_eq!(temp.git_in(&path, &["worktree", "prune", "--verbose", "--expire", "now"]), "");
}

#[tokio::test]
async fn pruned_worktree_of_reftable_is_registered_again() {
    let temp = TempRepo::new();
    let top = temp.beside("tables");
    fs::create_dir(&top).unwrap();
    if !temp.try_git_in(&top, &["init", "-q", "--ref-format=reftable"]).status.success() {
        return; // This git is older than that storage.
    }
    let repo = git(&temp).await.open(&top).await.unwrap();
    repo.first_commit().await.unwrap();
    let path = add(&temp, &repo, "a").await.path().to_owned();
    fs::write(path.join("uncommitted"), "u").unwrap();
    prune(&temp, &top, &path);
    let worktree = repo.reconnect_worktree(&path, "forge/a").await.unwrap();
    assert_eq!(temp.git_in(&path, &["status", "--porcelain"]), "?? uncommitted");
    let commit = worktree.commit_all("Goes on").await.unwrap().unwrap();
    assert_eq!(temp.git_in(&top, &["rev-parse", "forge/a"]), commit.as_str());
}

#[tokio::test]
async fn reconnect_that_was_cut_short_is_completed() {
    let temp = TempRepo::new().with_file("out/b", "b");
    temp.commit("Second");
    temp.git(&["sparse-checkout", "set", "in"]);
    let repo = open(&temp).await;
    let path = add(&temp, &repo, "a").await.path().to_owned();
    prune(&temp, temp.path(), &path);
    // What a crash leaves after git has registered the folder in its place.
    let stand_in = temp.path().join(".git/forge-tmp/reconnect/a");
    temp.git(&["worktree", "add", "--quiet", "--no-checkout", stand_in.to_str().unwrap(), "forge/a"]);
    let worktree = repo.reconnect_worktree(&path, "forge/a").await.unwrap();
    assert!(!worktree.is_dirty().await.unwrap());
    assert!(!stand_in.exists());
    let listed = temp.git(&["worktree", "list", "--porcelain"]);
    assert_eq!(listed.matches("branch refs/heads/forge/a").count(), 1, "{listed}");
    assert!(listed.contains(path.to_str().unwrap()), "{listed}");
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
