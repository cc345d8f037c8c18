//! Deleting one file, and nothing but a file of the worktree.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use forge_git::{Error, Oid, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, open, script};

async fn delete(worktree: &Worktree, path: impl AsRef<Path>) -> Result<Option<Oid>, Error> {
    let saved = worktree.snapshot("refs/forge/a/before", "Before").await.unwrap();
    worktree.delete_file(path.as_ref(), "Delete it", &saved.oid).await
}

#[tokio::test]
async fn a_file_is_deleted_by_a_commit_of_its_own() {
    let temp = TempRepo::new().with_file("gone", "1").with_file("other", "2").with_file("dir/*", "3");
    temp.write(Path::new(OsStr::from_bytes(b"dir/caf\xe9\n")), "4");
    temp.write("dir/star", "5");
    temp.commit("Files");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let here = |args: &[&str]| temp.git_in(worktree.path(), args);
    fs::write(worktree.path().join("other"), "dirty").unwrap();
    fs::write(worktree.path().join("staged"), "s").unwrap();
    here(&["add", "staged"]);
    let committed = delete(&worktree, "./gone").await.unwrap().unwrap();
    assert_eq!(here(&["rev-parse", "HEAD"]), committed.as_str());
    assert_eq!(here(&["show", "--format=%s", "--name-status"]), "Delete it\n\nD\tgone");
    assert_eq!(here(&["status", "--porcelain"]), " M other\nA  staged", "all else is as it was");
    // Nothing but the name is meant by a name.
    delete(&worktree, "dir/*").await.unwrap().unwrap();
    assert!(worktree.path().join("dir/star").exists());
    delete(&worktree, OsStr::from_bytes(b"dir/caf\xe9\n")).await.unwrap().unwrap();
    // What no commit has leaves none behind.
    assert_eq!(delete(&worktree, "staged").await.unwrap(), None);
    fs::write(worktree.path().join("draft"), "").unwrap();
    assert_eq!(delete(&worktree, "draft").await.unwrap(), None);
    assert_eq!(here(&["status", "--porcelain"]), " M other");
    assert!(matches!(delete(&worktree, "draft").await, Err(Error::FileNotFound { .. })));
    // One that is gone from the folder already is still to be committed.
    fs::remove_file(worktree.path().join("dir/star")).unwrap();
    delete(&worktree, "dir/star").await.unwrap().unwrap();
}

#[tokio::test]
async fn nothing_outside_the_worktree_is_touched() {
    let temp = TempRepo::new().with_file("dir/file", "1").with_file(".gitignore", ".env\n");
    temp.commit("Files");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let outside = temp.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("victim"), "v").unwrap();
    symlink(&outside, worktree.path().join("way")).unwrap();
    symlink(outside.join("victim"), worktree.path().join("link")).unwrap();
    fs::write(worktree.path().join(".env"), "s").unwrap();
    let absolute = outside.join("victim");
    let refused = [
        "../../outside/victim",
        "dir/../../../outside/victim",
        absolute.to_str().unwrap(),
        "way/victim",
        ".git",
        ".GIT/config",
        "dir/.git/x",
        "dir",
        "dir/",
        ".env",
        "",
        ".",
        "a\0b",
    ];
    for path in refused {
        let outcome = delete(&worktree, path).await;
        assert!(matches!(outcome, Err(Error::PathRefused { .. })), "{path:?}: {outcome:?}");
    }
    // A link is a file of its own.
    assert_eq!(delete(&worktree, "link").await.unwrap(), None);
    assert!(fs::symlink_metadata(worktree.path().join("link")).is_err());
    assert_eq!(fs::read(outside.join("victim")).unwrap(), b"v");
    assert!(worktree.path().join(".git").exists() && worktree.path().join("dir/file").exists());
}

#[tokio::test]
async fn a_file_whose_deletion_cannot_be_committed_is_put_back() {
    let temp = TempRepo::new().with_file("a", "1\n");
    temp.commit("Files");
    script(&temp.path().join(".git/hooks/pre-commit"), "echo no; exit 1");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("a"), "dirty\n").unwrap();
    let outcome = delete(&worktree, "a").await;
    assert!(matches!(outcome, Err(Error::HookRefused { .. })), "{outcome:?}");
    assert_eq!(fs::read_to_string(worktree.path().join("a")).unwrap(), "dirty\n");
    assert_eq!(temp.git_in(worktree.path(), &["status", "--porcelain"]), " M a");
}
