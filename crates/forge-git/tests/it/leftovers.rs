//! Commits that leave out what a setup script left uncommitted.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use forge_git::{CommitRules, Oid, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, open};

/// The worktree of a repository whose setup script has just ended, and the snapshot of what it left.
async fn set_up(temp: &TempRepo) -> (Worktree, Oid) {
    let worktree = add(temp, &open(temp).await, "a").await;
    let path = worktree.path();
    fs::write(path.join("lock"), "2\n").unwrap();
    fs::remove_file(path.join("gone")).unwrap();
    fs::set_permissions(path.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(path.join("folder/file")).unwrap();
    fs::remove_dir(path.join("folder")).unwrap();
    for name in ["folder", "made\n1", "made.txt", "link"] {
        fs::write(path.join(name), "made\r\n").unwrap();
    }
    let saved = worktree.snapshot("refs/forge/attempts/x/setup", "Forge: setup").await.unwrap();
    assert!(saved.had_changes);
    let rules = CommitRules { leave_out: Some(saved.oid.clone()), ..CommitRules::default() };
    (worktree.with_rules(rules), saved.oid)
}

fn repository() -> TempRepo {
    let temp = TempRepo::new().with_file(".gitattributes", "*.txt text eol=crlf\n").with_file("lock", "1\n");
    let temp = temp.with_file("gone", "").with_file("run", "").with_file("folder/file", "");
    temp.commit("Second");
    temp
}

fn committed(temp: &TempRepo, worktree: &Worktree) -> String {
    temp.git_in(worktree.path(), &["show", "--format=", "--name-status", "-z", "HEAD"])
}

#[tokio::test]
async fn commit_leaves_out_unchanged_leftovers() {
    let temp = repository();
    let (worktree, snapshot) = set_up(&temp).await;
    assert_eq!(worktree.commit_all("Nothing").await.unwrap(), None);
    assert!(!worktree.is_dirty().await.unwrap());
    assert_eq!(worktree.leftovers(&snapshot).await.unwrap().len(), 8);

    fs::write(worktree.path().join("work"), "").unwrap();
    assert!(worktree.is_dirty().await.unwrap());
    worktree.commit_all("Work").await.unwrap().unwrap();
    assert_eq!(committed(&temp, &worktree), "A\0work\0");
    let status = temp.git_in(worktree.path(), &["status", "--porcelain", "-z"]);
    let expected = " D folder/file\0 D gone\0 M lock\0 M run\0?? folder\0?? link\0?? made\n1\0?? made.txt\0";
    assert_eq!(status, expected);

    // What changed since is the agent's.
    fs::write(worktree.path().join("lock"), "3\n").unwrap();
    fs::write(worktree.path().join("made.txt"), "more\r\n").unwrap();
    fs::write(worktree.path().join("gone"), "back\n").unwrap();
    fs::remove_file(worktree.path().join("link")).unwrap();
    std::os::unix::fs::symlink("lock", worktree.path().join("link")).unwrap();
    worktree.commit_all("More").await.unwrap().unwrap();
    assert_eq!(committed(&temp, &worktree), "M\0gone\0A\0link\0M\0lock\0A\0made.txt\0");
    assert_eq!(worktree.leftovers(&snapshot).await.unwrap().len(), 4);
}

#[tokio::test]
async fn commit_keeps_leftovers_that_agent_committed() {
    let temp = repository();
    let (worktree, _) = set_up(&temp).await;
    temp.git_in(worktree.path(), &["add", "lock"]);
    temp.git_in(worktree.path(), &["commit", "-qm", "Agent's"]);
    fs::write(worktree.path().join("work"), "").unwrap();
    worktree.commit_all("Work").await.unwrap().unwrap();
    assert_eq!(committed(&temp, &worktree), "A\0work\0");
    assert_eq!(temp.git_in(worktree.path(), &["show", "HEAD:lock"]), "2");
}
