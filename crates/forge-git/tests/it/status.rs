//! How a worktree stands, and ending what git is in the middle of.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use forge_git::{Divergence, Error, Git, GitOptions, Operation, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, fifo, open};

/// A worktree and a target that both changed the file `a`.
async fn diverged() -> (TempRepo, Worktree) {
    let temp = TempRepo::new().with_file("a", "1\n");
    temp.commit("Base");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    temp.write("a", "theirs\n");
    temp.commit("Theirs");
    fs::write(worktree.path().join("a"), "ours\n").unwrap();
    worktree.commit_all("Ours").await.unwrap().unwrap();
    (temp, worktree)
}

#[tokio::test]
async fn files_are_counted_by_what_git_knows_of_them() {
    let temp = TempRepo::new().with_file("a", "1\n").with_file("b", "2\n").with_file(".gitignore", "no\n");
    temp.commit("Base");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let clean = worktree.status().await.unwrap();
    assert_eq!((clean.uncommitted, clean.untracked, clean.operation), (0, 0, None));
    assert_eq!(clean.branch.as_deref(), Some("forge/a"));
    assert_eq!(clean.head, Some(worktree.head().await.unwrap()));
    fs::write(worktree.path().join("a"), "2\n").unwrap();
    fs::remove_file(worktree.path().join("b")).unwrap();
    fs::create_dir(worktree.path().join("new")).unwrap();
    for name in ["new/1", "new/2", "new/3\n", "no"] {
        fs::write(worktree.path().join(name), "").unwrap();
    }
    let status = worktree.status().await.unwrap();
    assert_eq!((status.uncommitted, status.untracked), (2, 3));
}

#[tokio::test]
async fn branches_are_ahead_and_behind() {
    let (temp, worktree) = diverged().await;
    let repo = worktree.repo();
    let apart = repo.divergence("forge/a", "main").await.unwrap();
    assert_eq!(apart, Some(Divergence { ahead: 1, behind: 1 }));
    assert_eq!(repo.divergence("forge/a", "nowhere").await.unwrap(), None);
    assert_eq!(repo.divergence("forge/a", "--all").await.unwrap(), None);
    temp.git(&["update-ref", "refs/remotes/origin/main", "main~1"]);
    let apart = repo.divergence("forge/a", "origin/main").await.unwrap();
    assert_eq!(apart, Some(Divergence { ahead: 1, behind: 0 }));
    let apart = repo.divergence_from_remote("origin/main").await.unwrap();
    assert_eq!(apart, Some(Divergence { ahead: 1, behind: 0 }));
    assert_eq!(repo.divergence_from_remote("origin/none").await.unwrap(), None);
    assert!(matches!(repo.divergence_from_remote("origin/..").await, Err(Error::InvalidName { .. })));
}

#[tokio::test]
async fn whatever_is_in_progress_is_told_and_can_be_aborted() {
    let operations = [
        (Operation::Rebase, vec!["rebase", "main"]),
        (Operation::Rebase, vec!["rebase", "--apply", "main"]),
        (Operation::Merge, vec!["merge", "main"]),
        (Operation::CherryPick, vec!["cherry-pick", "main"]),
        (Operation::Revert, vec!["revert", "--no-edit", "HEAD~1"]),
    ];
    for (operation, command) in operations {
        let (temp, worktree) = diverged().await;
        if operation == Operation::Revert {
            fs::write(worktree.path().join("a"), "more\n").unwrap();
            worktree.commit_all("More").await.unwrap().unwrap();
        }
        let before = worktree.head().await.unwrap();
        assert_eq!(worktree.abort().await.unwrap(), None, "there is nothing to abort");
        assert!(!temp.try_git_in(worktree.path(), &command).status.success(), "{command:?}");
        let status = worktree.status().await.unwrap();
        assert_eq!(status.operation, Some(operation), "{command:?}");
        assert_eq!(status.conflicted, [PathBuf::from("a")]);
        assert!(status.uncommitted >= 1);
        assert_eq!(worktree.abort().await.unwrap(), Some(operation), "{command:?}");
        let status = worktree.status().await.unwrap();
        assert_eq!((status.operation, status.branch.as_deref()), (None, Some("forge/a")), "{command:?}");
        assert_eq!((status.head, status.uncommitted), (Some(before), 0), "{command:?}");
    }
}

#[tokio::test]
async fn git_that_waits_for_pipe_is_ended() {
    let temp = TempRepo::new();
    let options = GitOptions { env: temp.env(), deadline: Duration::from_secs(8), ..GitOptions::default() };
    let repo = Git::find_with(options).await.unwrap().open(temp.path()).await.unwrap();
    let worktree = add(&temp, &repo, "a").await;
    let (exclude, outside) = (temp.path().join(".git/info/exclude"), temp.beside("pipe"));
    fs::create_dir_all(exclude.parent().unwrap()).unwrap();
    let _missing = fs::remove_file(&exclude);
    fifo(&exclude);
    // In the repository it is found.
    let error = worktree.status().await.unwrap_err();
    assert!(matches!(&error, Error::Blocked { path } if *path == exclude), "{error}");
    let error = repo.status().await.unwrap_err();
    assert!(matches!(&error, Error::Blocked { path } if *path == exclude), "{error}");
    fs::remove_file(&exclude).unwrap();
    // Elsewhere, time is up for each, and then others have their turn.
    fifo(&outside);
    temp.git(&["config", "core.excludesFile", outside.to_str().unwrap()]);
    let cores = std::thread::available_parallelism().unwrap().get();
    let mut waiting = tokio::task::JoinSet::new();
    for _ in 0..cores.max(2) {
        let worktree = worktree.clone();
        waiting.spawn(async move { worktree.status().await });
    }
    for status in waiting.join_all().await {
        assert!(matches!(status, Err(Error::TimedOut { .. })), "{status:?}");
    }
    temp.git(&["config", "--unset", "core.excludesFile"]);
    worktree.status().await.unwrap();
}
