//! Commits that leave out what a setup script left uncommitted.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use forge_git::{CommitRules, Oid, SetupSnapshots, Worktree};
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
    assert_eq!(worktree.leftovers(&snapshot, 100).await.unwrap().paths.len(), 8);

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
    symlink("lock", worktree.path().join("link")).unwrap();
    worktree.commit_all("More").await.unwrap().unwrap();
    assert_eq!(committed(&temp, &worktree), "M\0gone\0A\0link\0M\0lock\0A\0made.txt\0");
    assert_eq!(worktree.leftovers(&snapshot, 100).await.unwrap().paths.len(), 4);
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

/// The same worktree; commits leave out what is in it now.
async fn leaving_out(worktree: &Worktree) -> (Worktree, Oid) {
    let saved = worktree.snapshot("refs/forge/attempts/x/setup", "Forge: setup").await.unwrap();
    let rules = CommitRules { leave_out: Some(saved.oid.clone()), ..CommitRules::default() };
    (worktree.clone().with_rules(rules), saved.oid)
}

#[tokio::test]
async fn path_committed_since_setup_is_work() {
    let temp = repository();
    let (worktree, snapshot) = set_up(&temp).await;
    fs::write(worktree.path().join("lock"), "3\n").unwrap();
    worktree.commit_all("Work").await.unwrap().unwrap();
    fs::write(worktree.path().join("lock"), "2\n").unwrap();
    assert!(worktree.is_dirty().await.unwrap());
    let left = worktree.leftovers(&snapshot, 100).await.unwrap();
    assert!(!left.paths.iter().any(|path| path.ends_with("lock")), "{left:?}");
    worktree.commit_all("Back").await.unwrap().unwrap();
    assert_eq!(committed(&temp, &worktree), "M\0lock\0");
    assert_eq!(temp.git_in(worktree.path(), &["show", "HEAD:lock"]), "2");
}

#[tokio::test]
async fn folder_and_its_replacement_are_one_leftover() {
    let temp = repository();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let path = worktree.path().to_owned();
    fs::remove_dir_all(path.join("folder")).unwrap();
    fs::create_dir(path.join("other")).unwrap();
    fs::write(path.join("other/file"), "").unwrap();
    symlink("other", path.join("folder")).unwrap();
    fs::remove_file(path.join("gone")).unwrap();
    fs::create_dir(path.join("gone")).unwrap();
    fs::write(path.join("gone/new"), "").unwrap();
    let (worktree, snapshot) = leaving_out(&worktree).await;
    assert!(!worktree.is_dirty().await.unwrap());
    assert_eq!(worktree.leftovers(&snapshot, 100).await.unwrap().paths.len(), 5);
    fs::write(path.join("work"), "").unwrap();
    worktree.commit_all("Work").await.unwrap().unwrap();
    assert_eq!(committed(&temp, &worktree), "A\0work\0");

    fs::remove_file(path.join("folder")).unwrap();
    fs::write(path.join("folder"), "agent's").unwrap();
    fs::write(path.join("gone/new"), "agent's").unwrap();
    assert!(worktree.is_dirty().await.unwrap());
    worktree.commit_all("More").await.unwrap().unwrap();
    assert_eq!(committed(&temp, &worktree), "A\0folder\0D\0folder/file\0D\0gone\0A\0gone/new\0");
    assert_eq!(worktree.leftovers(&snapshot, 100).await.unwrap().paths.len(), 1);
}

#[tokio::test]
async fn link_in_place_of_made_folder_is_work() {
    let temp = repository();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let path = worktree.path().to_owned();
    fs::create_dir(path.join("made")).unwrap();
    fs::write(path.join("made/file"), "1").unwrap();
    let (worktree, _) = leaving_out(&worktree).await;
    fs::rename(path.join("made"), path.join("moved")).unwrap();
    symlink("moved", path.join("made")).unwrap();
    worktree.commit_all("Work").await.unwrap().unwrap();
    assert_eq!(committed(&temp, &worktree), "A\0made\0A\0moved/file\0");
}

#[tokio::test]
async fn list_of_leftovers_compares_few_files() {
    let temp = repository();
    let (worktree, _) = set_up(&temp).await;
    fs::write(worktree.path().join("a-large"), vec![b'x'; 2 << 20]).unwrap();
    let (worktree, snapshot) = leaving_out(&worktree).await;
    let left = worktree.leftovers(&snapshot, 2).await.unwrap();
    assert_eq!((left.paths, left.unchecked), (vec!["folder".into(), "folder/file".into()], 7));
}

#[tokio::test]
async fn unchanged_worktree_leaves_nothing_over() {
    let temp = TempRepo::new();
    temp.git(&["commit", "-q", "--amend", "-m", "Forge: the user's root commit"]);
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let (worktree, snapshot) = leaving_out(&worktree).await;
    let refs = worktree.repo().hidden_refs("refs/forge/attempts/x/").await.unwrap();
    assert_eq!(
        (refs[0].oid.as_str(), refs[0].is_made_for_it),
        (temp.git(&["rev-parse", "HEAD"]).as_str(), false)
    );
    fs::write(worktree.path().join("README.md"), "work").unwrap();
    assert!(worktree.is_dirty().await.unwrap());
    worktree.commit_all("Work").await.unwrap().unwrap();
    assert_eq!(committed(&temp, &worktree), "M\0README.md\0");
    let laid = worktree.lay_leftovers(&snapshot, &worktree.head().await.unwrap()).await.unwrap();
    assert_eq!(laid, worktree.head().await.unwrap());
}

#[tokio::test]
async fn file_over_removed_folder_is_not_separated() {
    let temp = repository();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::remove_dir_all(worktree.path().join("folder")).unwrap();
    let before = worktree.snapshot("refs/forge/attempts/x/before", "Forge: before").await.unwrap().oid;
    fs::write(worktree.path().join("folder"), "").unwrap();
    let after = worktree.snapshot("refs/forge/attempts/x/after", "Forge: after").await.unwrap().oid;
    let snapshots = SetupSnapshots { before: Some(before), earlier: None, after };
    assert_eq!(worktree.separate_leftovers(&snapshots).await.unwrap(), None);
}

#[tokio::test]
async fn leftovers_are_laid_over_later_commit() {
    let temp = repository();
    let (worktree, snapshot) = set_up(&temp).await;
    let first = worktree.head().await.unwrap();
    assert_eq!(worktree.lay_leftovers(&snapshot, &first).await.unwrap(), snapshot);
    fs::write(worktree.path().join("lock"), "3\n").unwrap();
    let second = worktree.commit_all("Work").await.unwrap().unwrap();
    let laid = worktree.lay_leftovers(&snapshot, &second).await.unwrap();
    let changed =
        temp.git(&["diff", "--name-status", "--no-renames", "-z", snapshot.as_str(), laid.as_str()]);
    assert_eq!(changed, "M\0lock\0");
    assert_eq!(temp.git(&["show", &format!("{laid}:lock")]), "3");
    assert_eq!(temp.git(&["rev-parse", &format!("{laid}^")]), second.as_str());
}
