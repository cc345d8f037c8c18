//! Taking a worktree and its branch back.

use std::fs;

use forge_git::{AtRisk, Error, Operation, Rewind, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, oid, open};

/// A worktree with two commits beyond `main`, its first commit, and what takes it back there.
async fn worked() -> (TempRepo, Worktree, Rewind) {
    let temp = TempRepo::new().with_file("base", "1");
    temp.write(".gitignore", "ignored\n");
    temp.commit("Files");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("first"), "1").unwrap();
    worktree.commit_all("First").await.unwrap();
    let commit = worktree.head().await.unwrap();
    fs::write(worktree.path().join("second"), "2").unwrap();
    fs::write(worktree.path().join("base"), "spoiled").unwrap();
    worktree.commit_all("Second").await.unwrap();
    let to = Rewind {
        branch: "forge/a".into(),
        files: commit.clone(),
        commit,
        tip: "refs/forge/a/tip".into(),
        risk: AtRisk::default(),
    };
    (temp, worktree, to)
}

fn is_back(temp: &TempRepo, worktree: &Worktree, to: &Rewind) {
    let git = |args: &[&str]| temp.git_in(worktree.path(), args);
    assert_eq!(git(&["symbolic-ref", "HEAD"]), "refs/heads/forge/a");
    assert_eq!(git(&["rev-parse", "HEAD"]), to.commit.as_str());
    assert_eq!(git(&["status", "--porcelain"]), "");
    assert_eq!(fs::read_to_string(worktree.path().join("base")).unwrap(), "1");
    assert!(!worktree.path().join("second").exists());
}

#[tokio::test]
async fn branch_index_and_files_go_back_and_what_is_ignored_stays() {
    let (temp, worktree, to) = worked().await;
    fs::write(worktree.path().join("ignored"), "kept").unwrap();
    fs::write(worktree.path().join("untracked"), "gone").unwrap();
    fs::write(worktree.path().join("staged"), "gone").unwrap();
    temp.git_in(worktree.path(), &["add", "staged"]);
    worktree.rewind(&to).await.unwrap();
    is_back(&temp, &worktree, &to);
    assert_eq!(fs::read_to_string(worktree.path().join("ignored")).unwrap(), "kept");
    worktree.rewind(&to).await.unwrap();
    is_back(&temp, &worktree, &to);
}

#[tokio::test]
async fn files_that_were_not_committed_then_come_back() {
    let (temp, worktree, mut to) = worked().await;
    temp.git_in(worktree.path(), &["checkout", "--quiet", "--detach", to.commit.as_str()]);
    fs::write(worktree.path().join("half"), "h").unwrap();
    to.files = worktree.snapshot("refs/forge/a/1", "Then").await.unwrap().oid;
    temp.git_in(worktree.path(), &["checkout", "--quiet", "--force", "forge/a"]);
    fs::remove_file(worktree.path().join("half")).unwrap();
    worktree.rewind(&to).await.unwrap();
    assert_eq!(temp.git_in(worktree.path(), &["status", "--porcelain"]), "?? half");
    assert_eq!(temp.git_in(worktree.path(), &["rev-parse", "forge/a"]), to.commit.as_str());
}

#[tokio::test]
async fn no_other_branch_moves_and_the_tip_is_saved() {
    let (temp, worktree, to) = worked().await;
    let (main, tip) = (temp.git(&["rev-parse", "main"]), temp.git(&["rev-parse", "forge/a"]));
    temp.git_in(worktree.path(), &["checkout", "--quiet", "-b", "agents-own"]);
    fs::write(worktree.path().join("third"), "3").unwrap();
    worktree.commit_all("Third").await.unwrap();
    let third = worktree.head().await.unwrap();
    worktree.rewind(&to).await.unwrap();
    is_back(&temp, &worktree, &to);
    assert_eq!(temp.git(&["rev-parse", "main"]), main);
    assert_eq!(temp.git(&["rev-parse", "agents-own"]), third.as_str());
    assert_eq!(temp.git(&["rev-parse", "refs/forge/a/tip"]), tip);
}

#[tokio::test]
async fn a_branch_that_somebody_else_has_checked_out_does_not_move() {
    let (temp, worktree, to) = worked().await;
    let tip = temp.git(&["rev-parse", "forge/a"]);
    temp.git_in(worktree.path(), &["checkout", "--quiet", "-b", "agents-own"]);
    fs::write(worktree.path().join("untracked"), "kept").unwrap();
    temp.git(&["checkout", "--quiet", "forge/a"]);
    let error = worktree.rewind(&to).await.unwrap_err();
    assert!(matches!(error, Error::BranchInUse { .. }), "{error:?}");
    assert_eq!(temp.git(&["rev-parse", "forge/a"]), tip);
    assert_eq!(temp.git(&["status", "--porcelain"]), "");
    assert_eq!(temp.git_in(worktree.path(), &["symbolic-ref", "HEAD"]), "refs/heads/agents-own");
    assert!(worktree.path().join("untracked").exists() && worktree.path().join("second").exists());
}

#[tokio::test]
async fn a_patch_series_that_is_under_way_is_given_up() {
    let (temp, worktree, to) = worked().await;
    let patch = temp.git(&["format-patch", "--stdout", "-1", "forge/a"]);
    let path = worktree.path().join("ignored");
    fs::write(&path, format!("{patch}\n")).unwrap();
    drop(temp.try_git_in(worktree.path(), &["am", path.to_str().unwrap()]));
    assert_eq!(worktree.operation(), Some(Operation::Patches), "it does not apply twice");
    worktree.rewind(&to).await.unwrap();
    is_back(&temp, &worktree, &to);
    assert_eq!(worktree.operation(), None);
}

#[tokio::test]
async fn a_rebase_that_is_under_way_is_given_up() {
    let (temp, worktree, to) = worked().await;
    temp.write("base", "other");
    temp.commit("Other");
    let tip = oid(&temp.git(&["rev-parse", "forge/a"]));
    drop(temp.try_git_in(worktree.path(), &["rebase", "main"]));
    assert!(temp.git_in(worktree.path(), &["status"]).contains("rebase"), "there is a conflict");
    worktree.rewind(&to).await.unwrap();
    is_back(&temp, &worktree, &to);
    assert_eq!(temp.git(&["rev-parse", "refs/forge/a/tip"]), tip.as_str());
    assert!(!temp.git_in(worktree.path(), &["status"]).contains("rebase"));
}
