//! Removing worktrees, and nothing else.

use std::fs;

use forge_git::{BranchFate, Error};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, open, traces};

#[tokio::test]
async fn a_removed_worktree_is_in_the_trash_and_its_branch_stays() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    fs::write(worktree.path().join("untracked"), "work").unwrap();
    let trash = temp.beside("trash/a");
    repo.remove_worktree(worktree.path(), &trash, BranchFate::Keep).await.unwrap();
    assert!(!worktree.path().exists());
    assert_eq!(fs::read_to_string(trash.join("untracked")).unwrap(), "work");
    assert_eq!(temp.git(&["worktree", "list", "--porcelain"]).matches("worktree ").count(), 1);
    assert_eq!(temp.git(&["config", "branch.forge/a.forge-attempt"]), "id-a");
    // The name is free again for another worktree on the branch that stayed.
    temp.git(&["worktree", "add", "-q", worktree.path().to_str().unwrap(), "forge/a"]);
}

#[tokio::test]
async fn deleting_the_branch_deletes_its_config() {
    let temp = TempRepo::new();
    let before = traces(&temp);
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    let fate = BranchFate::Delete("forge/a".to_owned());
    repo.remove_worktree(worktree.path(), &temp.beside("trash"), fate.clone()).await.unwrap();
    assert_eq!(traces(&temp), before);
    // A second time, after a crash that forgot the first, is fine.
    repo.remove_worktree(worktree.path(), &temp.beside("trash"), fate).await.unwrap();
}

#[tokio::test]
async fn what_is_no_worktree_of_this_repository_is_not_touched() {
    let (temp, other) = (TempRepo::new(), TempRepo::new());
    let (repo, foreign) = (open(&temp).await, open(&other).await);
    let theirs = add(&other, &foreign, "a").await;
    let plain = temp.beside("plain");
    fs::create_dir(&plain).unwrap();
    fs::write(plain.join("file"), "").unwrap();
    // A folder that only claims to be a worktree of ours.
    let ours = add(&temp, &repo, "a").await;
    let liar = temp.beside("liar");
    fs::create_dir(&liar).unwrap();
    fs::copy(ours.path().join(".git"), liar.join(".git")).unwrap();
    let link = temp.beside("link");
    std::os::unix::fs::symlink(&plain, &link).unwrap();

    for path in [temp.path(), theirs.path(), &plain, &liar, &link, &temp.beside("none")] {
        let error = repo.remove_worktree(path, &temp.beside("trash"), BranchFate::Keep).await.unwrap_err();
        assert!(matches!(error, Error::NotAWorktree { .. }), "{}: {error:?}", path.display());
        assert!(matches!(
            repo.open_worktree(path).await,
            Err(Error::NotAWorktree { .. } | Error::PathNotFound { .. })
        ));
    }
    assert!(plain.join("file").exists() && liar.exists() && theirs.path().exists() && temp.path().exists());
    assert!(!temp.beside("trash").exists());
}

#[tokio::test]
async fn a_worktree_the_user_locked_stays() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    temp.git(&["worktree", "lock", "--reason", "on a stick", worktree.path().to_str().unwrap()]);
    let error =
        repo.remove_worktree(worktree.path(), &temp.beside("trash"), BranchFate::Keep).await.unwrap_err();
    assert!(matches!(&error, Error::WorktreeLocked { reason, .. } if reason == "on a stick"), "{error:?}");
    assert!(worktree.path().join("README.md").exists());
}

#[tokio::test]
async fn a_folder_that_is_gone_is_unregistered() {
    let temp = TempRepo::new();
    let before = traces(&temp);
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    fs::remove_dir_all(worktree.path()).unwrap();
    let fate = BranchFate::Delete("forge/a".to_owned());
    repo.remove_worktree(worktree.path(), &temp.beside("trash"), fate).await.unwrap();
    assert_eq!(traces(&temp), before);
}

#[tokio::test]
async fn a_worktree_that_git_made_is_removed_as_well() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    for (name, gone) in [("a", false), ("b", true)] {
        let path = temp.beside(name);
        temp.git(&["worktree", "add", "-q", path.to_str().unwrap()]);
        let admin = temp.path().join(".git/worktrees").join(name);
        // Newer gits can be told to write relative paths.
        fs::write(path.join(".git"), format!("gitdir: ../repo/.git/worktrees/{name}\n")).unwrap();
        fs::write(admin.join("gitdir"), format!("../../../../{name}/.git\n")).unwrap();
        assert!(repo.open_worktree(&path).await.is_ok());
        if gone {
            fs::remove_dir_all(&path).unwrap();
        }
        repo.remove_worktree(&path, &temp.beside("trash").join(name), BranchFate::Keep).await.unwrap();
        assert!(!path.exists() && !admin.exists(), "{name}");
    }
}

#[tokio::test]
async fn a_branch_checked_out_elsewhere_is_not_deleted() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    temp.git_in(worktree.path(), &["checkout", "-q", "--detach"]);
    temp.git(&["checkout", "-q", "forge/a"]);
    let fate = BranchFate::Delete("forge/a".to_owned());
    let error = repo.remove_worktree(worktree.path(), &temp.beside("trash"), fate).await.unwrap_err();
    assert!(matches!(error, Error::BranchInUse { .. }), "{error:?}");
    assert_eq!(temp.git(&["branch", "--show-current"]), "forge/a");
}
