//! Putting a worktree back, and making it again.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use forge_git::{AtRisk, BranchFate, Error, Oid, Remake, Rewind, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, fifo, oid, open, script};

/// Names, modes and contents of all files but git's own.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(path) = left.pop() {
        let entry = fs::symlink_metadata(&path).unwrap();
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        if name == ".git" {
            continue;
        }
        if entry.is_dir() {
            left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if entry.is_symlink() {
            found.push(format!("{name} -> {}", fs::read_link(&path).unwrap().display()));
        } else {
            let mode = entry.permissions().mode() & 0o100;
            found.push(format!("{name} {mode:o} {:?}", fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Changes of every kind, none of them committed.
fn work(temp: &TempRepo, path: &Path) {
    fs::write(path.join("changed"), "later").unwrap();
    fs::remove_file(path.join("gone")).unwrap();
    fs::set_permissions(path.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::create_dir_all(path.join("new/deep")).unwrap();
    fs::write(path.join("new/deep/bytes\n"), [0, 255, 10]).unwrap();
    symlink("/nowhere", path.join("link")).unwrap();
    fs::write(path.join("staged"), "s").unwrap();
    temp.git_in(path, &["add", "staged"]);
    fs::remove_file(path.join("was-file")).unwrap();
    fs::create_dir(path.join("was-file")).unwrap();
    fs::write(path.join("was-file/now"), "folder").unwrap();
}

async fn worked() -> (TempRepo, Worktree, Oid, Vec<String>) {
    let temp = TempRepo::new().with_file("changed", "1").with_file("gone", "2").with_file("run", "#!");
    temp.write("was-file", "3");
    temp.write(".gitignore", "ignored\n");
    temp.commit("Files");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    work(&temp, worktree.path());
    let saved = worktree.snapshot("refs/forge/a/1", "Work").await.unwrap();
    let before = files(worktree.path());
    (temp, worktree, saved.oid, before)
}

#[tokio::test]
async fn every_kind_of_change_comes_back_and_the_branch_does_not_move() {
    let (temp, worktree, saved, before) = worked().await;
    let (path, head) = (worktree.path(), worktree.head().await.unwrap());
    fs::write(path.join("ignored"), "mine").unwrap();
    temp.git_in(path, &["clean", "-fdq"]);
    temp.git_in(path, &["reset", "-q", "--hard"]);
    fs::write(path.join("later"), "not in the snapshot").unwrap();
    fs::remove_file(path.join("changed")).unwrap();
    fs::create_dir(path.join("changed")).unwrap();
    fs::write(path.join("changed/in-the-way"), "").unwrap();
    script(
        &temp.path().join(".git/hooks/post-index-change"),
        &format!("touch '{}'", temp.beside("hook-ran").display()),
    );
    worktree.restore(&saved, &AtRisk::default()).await.unwrap();
    assert!(!temp.beside("hook-ran").exists());
    assert_eq!(fs::read_to_string(path.join("ignored")).unwrap(), "mine");
    fs::remove_file(path.join("ignored")).unwrap();
    assert_eq!(files(path), before);
    assert_eq!(worktree.head().await.unwrap(), head);
    assert_eq!(temp.git_in(path, &["symbolic-ref", "--short", "HEAD"]), "forge/a");
    assert_eq!(temp.git_in(path, &["diff", "--cached", "--name-only"]), "", "nothing is staged");
    worktree.restore(&saved, &AtRisk::default()).await.unwrap();
    assert_eq!(files(path), before, "twice is as once");
}

#[tokio::test]
async fn a_worktree_is_made_again_with_what_was_not_committed() {
    let (temp, worktree, saved, before) = worked().await;
    let repo = open(&temp).await;
    let path = worktree.path().to_owned();
    let remake = Remake {
        path: path.clone(),
        branch: "forge/a".to_owned(),
        files: Some(saved),
        trash: temp.beside("trash/1"),
        submodules: forge_git::Submodules::Local,
        trusted: None,
    };
    let error = repo.remake_worktree(&remake).await.unwrap_err();
    assert!(matches!(error, Error::NameTaken { .. }), "it is there: {error:?}");
    assert_eq!(files(&path), before);
    repo.remove_worktree(&path, &temp.beside("trash/0"), BranchFate::Keep).await.unwrap();
    let made = repo.remake_worktree(&remake).await.unwrap();
    assert!(!made.is_unfinished());
    assert_eq!(files(&path), before);
    assert_eq!(temp.git_in(&path, &["symbolic-ref", "--short", "HEAD"]), "forge/a");
    made.commit_all("Goes on").await.unwrap().unwrap();
}

#[tokio::test]
async fn what_a_crash_left_of_making_again_is_moved_away_and_a_foreign_folder_is_not() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    let path = worktree.path().to_owned();
    let remake = Remake {
        path: path.clone(),
        branch: "forge/a".to_owned(),
        files: None,
        trash: temp.beside("trash/1"),
        submodules: forge_git::Submodules::Local,
        trusted: None,
    };
    fs::write(temp.path().join(".git/worktrees/a/forge-unfinished"), "").unwrap();
    fs::write(path.join("half"), "").unwrap();
    let made = repo.remake_worktree(&remake).await.unwrap();
    assert!(!path.join("half").exists() && path.join("README.md").exists());
    assert!(temp.beside("trash/1/half").exists());
    drop(made);
    repo.remove_worktree(&path, &temp.beside("trash/2"), BranchFate::Keep).await.unwrap();
    fs::create_dir(&path).unwrap();
    fs::write(path.join("foreign"), "").unwrap();
    let error = repo.remake_worktree(&remake).await.unwrap_err();
    assert!(matches!(error, Error::NameTaken { .. }), "{error:?}");
    assert!(path.join("foreign").exists());
}

#[tokio::test]
async fn worktree_without_index_is_not_unfinished() {
    let (temp, worktree, saved, before) = worked().await;
    let path = worktree.path().to_owned();
    fs::remove_file(temp.path().join(".git/worktrees/a/index")).unwrap();
    assert!(!worktree.is_unfinished());
    let remake = Remake {
        path: path.clone(),
        branch: "forge/a".to_owned(),
        files: None,
        trash: temp.beside("trash/1"),
        submodules: forge_git::Submodules::Local,
        trusted: None,
    };
    let error = open(&temp).await.remake_worktree(&remake).await.unwrap_err();
    assert!(matches!(error, Error::NameTaken { .. }), "{error:?}");
    assert_eq!(files(&path), before);
    let again = worktree.snapshot("refs/forge/a/again", "Again").await.unwrap();
    assert_eq!(temp.git(&["diff", "--name-only", saved.as_str(), again.oid.as_str()]), "");
}

#[tokio::test]
async fn a_branch_that_is_gone_or_used_elsewhere_is_told_and_nothing_is_made() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let path = add(&temp, &repo, "a").await.path().to_owned();
    repo.remove_worktree(&path, &temp.beside("trash/1"), BranchFate::Keep).await.unwrap();
    let remake = Remake {
        path: path.clone(),
        branch: "forge/a".to_owned(),
        files: None,
        trash: temp.beside("trash/2"),
        submodules: forge_git::Submodules::Local,
        trusted: None,
    };
    temp.git(&["checkout", "-q", "forge/a"]);
    let error = repo.remake_worktree(&remake).await.unwrap_err();
    assert!(matches!(error, Error::BranchInUse { .. }), "{error:?}");
    temp.git(&["checkout", "-q", "main"]);
    temp.git(&["branch", "-q", "-D", "forge/a"]);
    let error = repo.remake_worktree(&remake).await.unwrap_err();
    assert!(matches!(error, Error::BranchNotFound { .. }), "{error:?}");
    assert!(!path.exists());
    assert_eq!(temp.git(&["worktree", "list"]).lines().count(), 1);
}

#[tokio::test]
async fn nested_repository_is_unsaved_and_never_committed() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let outer = worktree.path().to_owned();
    temp.git(&["clone", "-q", "--bare", ".", temp.beside("origin.git").to_str().unwrap()]);
    temp.git_in(&outer, &["clone", "-q", temp.beside("origin.git").to_str().unwrap(), "inner"]);
    let unsaved = async |why: &str| {
        let saved = worktree.snapshot("refs/forge/a/1", why).await.unwrap();
        saved.unsaved.is_some_and(|told| told.contains("inner"))
    };
    assert!(worktree.commit_all("Nothing else").await.unwrap().is_none());
    assert!(unsaved("untracked").await);
    // Also when somebody staged it.
    temp.git_in(&outer, &["add", "inner"]);
    fs::write(outer.join("x"), "work").unwrap();
    worktree.commit_all("Work").await.unwrap().unwrap();
    assert!(!temp.git_in(&outer, &["ls-tree", "-r", "HEAD"]).contains("160000"));
    assert!(unsaved("staged").await);
    // A link that somebody committed stays, and what is in it is still unsaved.
    temp.git_in(&outer, &["add", "inner"]);
    temp.git_in(&outer, &["commit", "-q", "-m", "Link"]);
    assert!(unsaved("committed").await);
}

#[tokio::test]
async fn hidden_refs_are_listed_and_deleted_below_their_prefix_alone() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    let head = worktree.head().await.unwrap();
    worktree.snapshot("refs/forge/attempts/1/clean", "Clean").await.unwrap();
    fs::write(worktree.path().join("x"), "").unwrap();
    let dirty = worktree.snapshot("refs/forge/attempts/1/dirty", "Dirty").await.unwrap();
    worktree.snapshot("refs/forge/attempts/10/other", "Other").await.unwrap();
    let listed = repo.hidden_refs("refs/forge/attempts/1/").await.unwrap();
    let names: Vec<_> = listed.iter().map(|hidden| (hidden.name.as_str(), &hidden.oid)).collect();
    assert_eq!(names, [("clean", &head), ("dirty", &dirty.oid)]);
    assert_eq!(listed[1].parent.as_ref(), Some(&head));
    repo.delete_hidden_refs("refs/forge/attempts/1/").await.unwrap();
    assert_eq!(
        temp.git(&["for-each-ref", "--format=%(refname)", "refs/forge"]),
        "refs/forge/attempts/10/other"
    );
    for prefix in ["refs/heads/", "refs/forge/", "refs/forge/attempts", "refs/forge/../heads/"] {
        let error = repo.delete_hidden_refs(prefix).await.unwrap_err();
        assert!(matches!(error, Error::InvalidName { .. }), "{prefix}: {error:?}");
    }
}

#[tokio::test]
async fn a_registration_goes_when_its_folder_is_gone_and_not_when_its_user_locked_it() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let mut paths = Vec::new();
    for name in ["gone", "locked", "there"] {
        paths.push(add(&temp, &repo, name).await.path().to_owned());
    }
    temp.git(&["worktree", "lock", paths[1].to_str().unwrap()]);
    fs::remove_dir_all(&paths[0]).unwrap();
    fs::remove_dir_all(&paths[1]).unwrap();
    assert_eq!(repo.unregister_gone(&paths).await.unwrap(), paths[..1]);
    assert_eq!(temp.git(&["worktree", "list"]).lines().count(), 3);
    assert_eq!(repo.unregister_gone(&paths).await.unwrap(), Vec::<std::path::PathBuf>::new());
}

#[tokio::test]
async fn committed_file_keeps_its_line_endings() {
    let temp = TempRepo::new().with_file(".gitattributes", "* text eol=crlf\n");
    temp.commit("Attributes");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let file = worktree.path().join("work.txt");
    fs::write(&file, "one\n").unwrap();
    worktree.commit_all("One").await.unwrap().unwrap();
    // Files of the checkout are not read again: the index knows that they did not change.
    for name in ["README.md", ".gitattributes"] {
        let checked_out = fs::File::options().write(true).open(worktree.path().join(name)).unwrap();
        checked_out.set_modified(UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    }
    temp.git_in(worktree.path(), &["update-index", "--refresh"]);
    let saved = worktree.snapshot("refs/forge/a/1", "Clean").await.unwrap();
    assert!(!saved.had_changes);
    fs::write(&file, "two\n").unwrap();
    worktree.restore(&saved.oid, &AtRisk::default()).await.unwrap();
    assert_eq!(fs::read(&file).unwrap(), b"one\n");
}

#[tokio::test]
async fn failed_reset_leaves_index_alone() {
    let temp = TempRepo::new().with_file(".gitignore", ".env\n");
    temp.commit("Rules");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join(".env"), "KEY=1\n").unwrap();
    fs::write(worktree.path().join("new"), "1\n").unwrap();
    let risk = AtRisk { files: vec![".env".into()], ..AtRisk::default() };
    // Everything is staged before git notices that there is no such commit.
    let missing = oid(&"1".repeat(40));
    assert!(worktree.restore(&missing, &risk).await.is_err());
    let to = Rewind {
        branch: "forge/a".to_owned(),
        commit: worktree.head().await.unwrap(),
        files: missing,
        tip: "refs/forge/a/tip".to_owned(),
        risk,
    };
    assert!(worktree.rewind(&to).await.is_err());
    assert_eq!(temp.git_in(worktree.path(), &["diff", "--cached", "--name-only"]), "");
    worktree.commit_all("Second").await.unwrap().unwrap();
    let committed = temp.git(&["ls-tree", "-r", "--name-only", "forge/a"]);
    assert_eq!(committed.lines().collect::<Vec<_>>(), [".gitignore", "README.md", "new"]);
}

#[tokio::test]
async fn pipe_in_place_of_mailmap_blocks_nothing() {
    let temp = TempRepo::new().with_file("a", "1\n");
    temp.commit("File");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let saved = worktree.snapshot("refs/forge/a/1", "Before").await.unwrap().oid;
    fs::write(worktree.path().join("a"), "2\n").unwrap();
    fifo(&worktree.path().join(".mailmap"));
    let risk = AtRisk::default();
    let restored = tokio::time::timeout(Duration::from_secs(60), worktree.restore(&saved, &risk));
    restored.await.expect("git does not wait for the pipe").unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("a")).unwrap(), "1\n");
}
