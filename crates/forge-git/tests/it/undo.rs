//! Taking back every state that a crashed start can leave.

use std::fs;

use forge_git::Error;
use forge_testkit::repo::TempRepo;

use crate::kit::{add, fifo, mark, open, traces};

/// Undoes the start of worktree `a` and says what is left.
async fn undone(temp: &TempRepo) -> Vec<String> {
    let repo = open(temp).await;
    let path = temp.beside("worktrees/a");
    for trash in ["trash/1", "trash/2"] {
        repo.undo_worktree(&path, "forge/a", &mark("id-a"), &temp.beside(trash)).await.unwrap();
    }
    traces(temp)
}

fn make_branch(temp: &TempRepo) {
    temp.git(&["update-ref", "--create-reflog", "-m", "forge-attempt: id-a", "refs/heads/forge/a", "main"]);
}

#[tokio::test]
async fn nothing_at_all_is_fine() {
    let temp = TempRepo::new();
    let before = traces(&temp);
    assert_eq!(undone(&temp).await, before);
}

#[tokio::test]
async fn a_claimed_folder_is_taken_back() {
    let temp = TempRepo::new();
    let before = traces(&temp);
    fs::create_dir_all(temp.beside("worktrees/a")).unwrap();
    assert_eq!(undone(&temp).await, before);
}

#[tokio::test]
async fn a_branch_without_config_is_known_by_its_reflog() {
    let temp = TempRepo::new();
    let before = traces(&temp);
    fs::create_dir_all(temp.beside("worktrees/a")).unwrap();
    make_branch(&temp);
    assert_eq!(undone(&temp).await, before);
}

#[tokio::test]
async fn a_link_without_registration_is_taken_back() {
    let temp = TempRepo::new();
    let before = traces(&temp);
    let path = temp.beside("worktrees/a");
    fs::create_dir_all(&path).unwrap();
    make_branch(&temp);
    fs::write(path.join(".git"), format!("gitdir: {}/.git/worktrees/a\n", temp.path().display())).unwrap();
    fs::create_dir_all(temp.path().join(".git/forge-tmp/.tmpX/refs")).unwrap();
    assert_eq!(undone(&temp).await, before);
}

#[tokio::test]
async fn a_registration_that_a_killed_git_began_is_taken_back() {
    let temp = TempRepo::new();
    let before = traces(&temp);
    fs::create_dir_all(temp.beside("worktrees/a")).unwrap();
    make_branch(&temp);
    let admin = temp.path().join(".git/worktrees/a");
    fs::create_dir_all(&admin).unwrap();
    fs::write(admin.join("locked"), "initializing").unwrap();
    assert_eq!(undone(&temp).await, before);
}

#[tokio::test]
async fn a_half_checked_out_worktree_is_taken_back() {
    let temp = TempRepo::new();
    let before = traces(&temp);
    make_branch(&temp);
    let path = temp.beside("worktrees/a");
    temp.git(&["worktree", "add", "-q", "--no-checkout", path.to_str().unwrap(), "forge/a"]);
    fs::write(path.join("half"), "").unwrap();
    fs::write(temp.path().join(".git/worktrees/a/index.lock"), "").unwrap();
    assert_eq!(undone(&temp).await, before);
    assert!(temp.beside("trash/1/half").exists());
}

#[tokio::test]
async fn a_finished_start_is_taken_back() {
    let temp = TempRepo::new();
    let before = traces(&temp);
    add(&temp, &open(&temp).await, "a").await;
    assert_eq!(undone(&temp).await, before);
}

#[tokio::test]
async fn a_branch_with_commits_of_its_own_is_kept() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("work"), "").unwrap();
    let commit = worktree.commit_all("Work").await.unwrap().unwrap();
    undone(&temp).await;
    assert_eq!(temp.git(&["rev-parse", "forge/a"]), commit.as_str());
}

#[tokio::test]
async fn a_branch_of_another_mark_or_of_nobody_is_kept() {
    let temp = TempRepo::new();
    temp.git(&["branch", "forge/a"]);
    undone(&temp).await;
    temp.git(&["rev-parse", "--verify", "forge/a"]);
    temp.git(&["branch", "-D", "forge/a"]);
    make_branch(&temp);
    temp.git(&["config", "branch.forge/a.forge-attempt", "somebody"]);
    undone(&temp).await;
    temp.git(&["rev-parse", "--verify", "forge/a"]);
}

#[tokio::test]
async fn a_worktree_of_the_same_name_that_another_works_in_is_kept() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let theirs = add(&temp, &repo, "a").await;
    fs::write(theirs.path().join("work"), "theirs").unwrap();
    let before = traces(&temp);
    repo.undo_worktree(theirs.path(), "forge/a", &mark("id-of-another"), &temp.beside("trash"))
        .await
        .unwrap();
    assert_eq!(traces(&temp), before);
    assert_eq!(fs::read_to_string(theirs.path().join("work")).unwrap(), "theirs");
}

#[tokio::test]
async fn a_folder_that_is_not_the_starts_is_not_touched() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let path = temp.beside("worktrees/a");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("file"), "mine").unwrap();
    let (its_mark, trash) = (mark("id-a"), temp.beside("trash"));
    let undo = || repo.undo_worktree(&path, "forge/a", &its_mark, &trash);
    assert!(matches!(undo().await, Err(Error::NotAWorktree { .. })));
    assert_eq!(fs::read_to_string(path.join("file")).unwrap(), "mine");
    // The same folder as a worktree of another branch.
    fs::remove_dir_all(&path).unwrap();
    temp.git(&["worktree", "add", "-q", "-b", "mine", path.to_str().unwrap()]);
    assert!(matches!(undo().await, Err(Error::NotAWorktree { .. })));
    assert!(path.join("README.md").exists());
}

#[tokio::test]
async fn a_git_of_the_crashed_start_that_still_runs_is_waited_for() {
    let temp = TempRepo::new();
    let (started, go) = (temp.beside("started"), temp.beside("go"));
    fifo(&started);
    fifo(&go);
    // A start that hangs in its checkout, until told.
    temp.write(".gitattributes", "*.slow filter=slow\n");
    temp.write("a.slow", "x");
    temp.commit("Slow");
    let before = traces(&temp);
    let smudge = format!("sh -c \"echo > '{}'; cat '{}' > /dev/null; cat\"", started.display(), go.display());
    temp.git(&["config", "filter.slow.smudge", &smudge]);
    let repo = open(&temp).await;
    let new = crate::kit::wanted(&temp, &repo, "a").await;
    // The server that began it dies: its runtime goes away, its git does not.
    let dying = std::thread::spawn({
        let (env, path) = (temp.env(), temp.path().to_owned());
        move || {
            let runtime =
                tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
            runtime.spawn(async move {
                let repo = forge_git::Git::find_with_env(env).await.unwrap().open(&path).await.unwrap();
                repo.add_worktree(&new).await
            });
            fs::read(&started).unwrap();
            runtime.shutdown_background();
        }
    });
    tokio::task::spawn_blocking(move || dying.join().unwrap()).await.unwrap();

    let (path, trash, its_mark) = (temp.beside("worktrees/a"), temp.beside("trash"), mark("id-a"));
    let mut undo = std::pin::pin!(repo.undo_worktree(&path, "forge/a", &its_mark, &trash));
    let polled = std::future::poll_fn(|context| std::task::Poll::Ready(undo.as_mut().poll(context))).await;
    assert!(polled.is_pending());
    // Give it every chance to be hasty.
    for _ in 0..5 {
        repo.branches().await.unwrap();
        assert!(path.exists());
    }
    tokio::task::spawn_blocking(move || fs::write(&go, "").unwrap()).await.unwrap();
    undo.await.unwrap();
    temp.git(&["config", "--remove-section", "filter.slow"]);
    assert_eq!(traces(&temp), before);
}
