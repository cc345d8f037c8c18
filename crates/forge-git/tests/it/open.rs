//! Opening repositories of every kind, and saying why not.

use std::fs;

use forge_git::{Error, Git};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, git, open};

#[tokio::test]
async fn what_is_no_repository_is_refused_by_kind() {
    let temp = TempRepo::new();
    let git = git(&temp).await;
    let plain = temp.beside("plain");
    fs::create_dir(&plain).unwrap();
    fs::write(plain.join("file"), "").unwrap();
    assert!(matches!(git.open(&temp.beside("none")).await, Err(Error::PathNotFound { .. })));
    assert!(matches!(git.open(&plain.join("file")).await, Err(Error::NotADirectory { .. })));
    assert!(matches!(git.open(&plain).await, Err(Error::NotARepository { .. })));
}

#[tokio::test]
async fn only_the_top_folder_is_a_repository() {
    let temp = TempRepo::new().with_file("sub/file", "x");
    let git = git(&temp).await;
    assert!(matches!(git.open(&temp.path().join("sub")).await, Err(Error::NotTheTop { .. })));
    assert!(matches!(git.open(&temp.path().join(".git")).await, Err(Error::NotTheTop { .. })));
    // A broken `.git` does not make a folder a repository of its own.
    fs::create_dir(temp.path().join("sub/.git")).unwrap();
    assert!(matches!(git.open(&temp.path().join("sub")).await, Err(Error::NotTheTop { .. })));
}

#[tokio::test]
async fn folders_of_one_repository_share_their_common_dir() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    let linked = git(&temp).await.open(worktree.path()).await.unwrap();
    assert_eq!(linked.common_dir(), repo.common_dir());
    assert_eq!(linked.path(), worktree.path());
}

#[tokio::test]
async fn a_bare_repository_opens_at_its_folder_or_beside_it() {
    let temp = TempRepo::new();
    let git = git(&temp).await;
    let bare = temp.beside("b.git");
    temp.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let repo = git.open(&bare).await.unwrap();
    assert_eq!(repo.common_dir(), bare);
    assert!(matches!(git.open(&bare.join("refs")).await, Err(Error::NotTheTop { .. })));

    let beside = temp.beside("layout");
    fs::create_dir(&beside).unwrap();
    fs::rename(&bare, beside.join(".bare")).unwrap();
    fs::write(beside.join(".git"), "gitdir: ./.bare\n").unwrap();
    assert_eq!(git.open(&beside).await.unwrap().common_dir(), beside.join(".bare"));
}

#[tokio::test]
async fn a_path_may_hold_spaces_line_breaks_and_any_letters() {
    let temp = TempRepo::new();
    let git = git(&temp).await;
    for name in [" spaced  out ", "line\nbreak", "größe-日本", "-dash", "quote'\"$`"] {
        let path = temp.beside(name);
        fs::create_dir(&path).unwrap();
        temp.git_in(&path, &["init", "--quiet"]);
        let repo = git.open(&path).await.unwrap();
        assert_eq!(repo.common_dir(), path.join(".git"), "{name:?}");
    }
}

#[tokio::test]
async fn a_repository_of_another_user_is_refused_with_the_way_out() {
    let temp = TempRepo::new();
    let mut env = temp.env();
    env.push(("GIT_TEST_ASSUME_DIFFERENT_OWNER".into(), "1".into()));
    let error = Git::find_with_env(env).await.unwrap().open(temp.path()).await.unwrap_err();
    assert!(matches!(error, Error::UnsafeOwnership { .. }), "{error:?}");
    assert!(error.to_string().contains("safe.directory"), "{error}");
}

#[tokio::test]
async fn an_old_or_missing_git_is_told_apart() {
    let temp = TempRepo::new();
    let bin = temp.beside("bin");
    let with_path = || Git::find_with_env([("PATH".into(), bin.clone().into_os_string())]);
    fs::create_dir(&bin).unwrap();
    assert!(matches!(with_path().await, Err(Error::GitMissing { .. })));
    crate::kit::script(&bin.join("git"), "echo git version 2.30.1");
    assert!(matches!(with_path().await, Err(Error::GitTooOld { found }) if found == "2.30.1"));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test of this file runs again in another environment")]
fn variables_of_an_outer_git_do_not_leak_in() {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "open::folders_of_one_repository_share_their_common_dir"]);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"] {
        again.env(name, "/nowhere");
    }
    let output = again.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(String::from_utf8_lossy(&output.stdout).contains("1 passed"));
}
