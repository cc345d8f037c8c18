//! Hooks and filters that never end: git is stopped after its time, or when it is told to, and what it did half is done anew.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use forge_git::{AtRisk, Error, Git, GitOptions, Remake, Repo, Result, Rewind, Submodules, Worktree};
use forge_testkit::repo::TempRepo;
use tokio_util::sync::CancellationToken;

use crate::kit::{add, fifo, open, script, traces, wanted};

/// A repository whose filter hangs while a file says so.
struct Hanging {
    temp: TempRepo,
    /// The filter writes to it before it hangs.
    began: PathBuf,
    /// Whether it hangs.
    switch: PathBuf,
}

impl Hanging {
    fn new() -> Self {
        let temp =
            TempRepo::new().with_file(".gitattributes", "*.big filter=big\n").with_file("a.big", "1\n");
        temp.commit("Filtered");
        let (began, switch, filter) = (temp.beside("began"), temp.beside("hangs"), temp.beside("filter"));
        fifo(&began);
        script(
            &filter,
            &format!(
                "if [ -e '{}' ]; then echo > '{}'; sleep 600; fi; cat",
                switch.display(),
                began.display()
            ),
        );
        for key in ["clean", "smudge"] {
            temp.git(&["config", &format!("filter.big.{key}"), filter.to_str().unwrap()]);
        }
        temp.git(&["config", "filter.big.required", "true"]);
        Self { temp, began, switch }
    }

    fn hangs(&self, hangs: bool) {
        if hangs { fs::write(&self.switch, "") } else { fs::remove_file(&self.switch) }.unwrap();
    }

    /// Does something until the filter hangs, and stops it then.
    async fn stopped<T>(&self, stop: &CancellationToken, work: impl Future<Output = Result<T>>) {
        let began = self.began.clone();
        let began = tokio::task::spawn_blocking(move || fs::read(began));
        let (done, ()) = tokio::join!(work, async {
            began.await.unwrap().unwrap();
            stop.cancel();
        });
        assert!(matches!(done, Err(Error::Stopped)), "{:?}", done.err());
    }

    /// A worktree whose `a.big` was changed since it was saved.
    async fn worked(&self) -> (Worktree, forge_git::Oid) {
        let worktree = add(&self.temp, &open(&self.temp).await, "a").await;
        fs::write(worktree.path().join("kept"), "kept").unwrap();
        let saved = worktree.snapshot("refs/forge/a/1", "Before").await.unwrap().oid;
        fs::write(worktree.path().join("a.big"), "2\n").unwrap();
        (worktree, saved)
    }
}

async fn impatient(temp: &TempRepo) -> Repo {
    let options = GitOptions {
        env: temp.env(),
        programs_deadline: Duration::from_millis(300),
        ..GitOptions::default()
    };
    Git::find_with(options).await.unwrap().open(temp.path()).await.unwrap()
}

#[tokio::test]
async fn hanging_filter_of_new_worktree_is_ended_and_leaves_nothing() {
    let hanging = Hanging::new();
    let temp = &hanging.temp;
    let repo = impatient(temp).await;
    let before = traces(temp);
    hanging.hangs(true);
    // Nobody reads what it writes before it hangs, which is a way to hang too.
    let error = repo.add_worktree(&wanted(temp, &repo, "a").await).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
    assert_eq!(traces(temp), before);
    hanging.hangs(false);
    add(temp, &open(temp).await, "a").await;
}

#[tokio::test]
async fn hanging_hook_of_new_worktree_is_ended_and_leaves_nothing() {
    let temp = TempRepo::new().with_file("a", "1");
    temp.commit("File");
    let hook = temp.path().join(".git/hooks/post-checkout");
    script(&hook, "sleep 600");
    let repo = impatient(&temp).await;
    let before = traces(&temp);
    let error = repo.add_worktree(&wanted(&temp, &repo, "a").await).await.unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
    assert_eq!(traces(&temp), before);
    fs::remove_file(hook).unwrap();
    add(&temp, &open(&temp).await, "a").await;
}

#[tokio::test]
async fn stopped_restore_is_done_again() {
    let hanging = Hanging::new();
    let (worktree, saved) = hanging.worked().await;
    hanging.hangs(true);
    let stop = CancellationToken::new();
    let until = worktree.until(&stop);
    hanging.stopped(&stop, until.restore(&saved, &AtRisk::default())).await;
    hanging.hangs(false);
    worktree.restore(&saved, &AtRisk::default()).await.unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("a.big")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(worktree.path().join("kept")).unwrap(), "kept");
}

#[tokio::test]
async fn stopped_rewind_is_done_again() {
    let hanging = Hanging::new();
    let (worktree, _) = hanging.worked().await;
    let commit = worktree.head().await.unwrap();
    worktree.commit_all("Second").await.unwrap();
    let to = Rewind {
        branch: "forge/a".into(),
        files: commit.clone(),
        commit: commit.clone(),
        tip: "refs/forge/a/tip".into(),
        risk: AtRisk::default(),
    };
    hanging.hangs(true);
    let stop = CancellationToken::new();
    let until = worktree.until(&stop);
    hanging.stopped(&stop, until.rewind(&to)).await;
    hanging.hangs(false);
    worktree.rewind(&to).await.unwrap();
    assert_eq!(worktree.head().await.unwrap(), commit);
    assert_eq!(fs::read_to_string(worktree.path().join("a.big")).unwrap(), "1\n");
}

#[tokio::test]
async fn worktree_that_was_stopped_while_it_was_remade_is_remade() {
    let hanging = Hanging::new();
    let temp = &hanging.temp;
    let (worktree, saved) = hanging.worked().await;
    let (repo, path) = (worktree.repo().clone(), worktree.path().to_owned());
    temp.git(&["worktree", "remove", "--force", path.to_str().unwrap()]);
    fs::create_dir(temp.beside("trash")).unwrap();
    let remake = |trash: &str| Remake {
        path: path.clone(),
        branch: "forge/a".to_owned(),
        files: Some(saved.clone()),
        trash: temp.beside("trash").join(trash),
        submodules: Submodules::Local,
    };
    hanging.hangs(true);
    let stop = CancellationToken::new();
    let until = repo.until(&stop);
    hanging.stopped(&stop, until.remake_worktree(&remake("1"))).await;
    assert!(!path.exists());
    hanging.hangs(false);
    repo.remake_worktree(&remake("2")).await.unwrap();
    assert_eq!(fs::read_to_string(path.join("kept")).unwrap(), "kept");
}

#[tokio::test]
async fn file_whose_deletion_was_stopped_is_put_back() {
    let temp = TempRepo::new().with_file("a", "1");
    temp.commit("File");
    let began = temp.beside("began");
    fifo(&began);
    script(&temp.path().join(".git/hooks/pre-commit"), &format!("echo > '{}'; sleep 600", began.display()));
    let hanging = Hanging { switch: temp.beside("none"), began, temp };
    let worktree = add(&hanging.temp, &open(&hanging.temp).await, "a").await;
    let saved = worktree.snapshot("refs/forge/a/1", "Before").await.unwrap().oid;
    let stop = CancellationToken::new();
    let until = worktree.until(&stop);
    hanging.stopped(&stop, until.delete_file("a".as_ref(), "Delete", &saved)).await;
    assert_eq!(fs::read_to_string(worktree.path().join("a")).unwrap(), "1");
}

#[tokio::test]
async fn stop_is_heard_by_who_waits_for_another_git() {
    let hanging = Hanging::new();
    let (worktree, saved) = hanging.worked().await;
    hanging.hangs(true);
    let (first, second) = (CancellationToken::new(), CancellationToken::new());
    let (holder, waiter) = (worktree.until(&first), worktree.until(&second));
    let began = hanging.began.clone();
    let began = tokio::task::spawn_blocking(move || fs::read(began));
    let risk = AtRisk::default();
    let (held, ()) = tokio::join!(holder.restore(&saved, &risk), async {
        began.await.unwrap().unwrap();
        second.cancel();
        assert!(matches!(waiter.settle().await, Err(Error::Stopped)));
        first.cancel();
    });
    assert!(matches!(held, Err(Error::Stopped)));
    worktree.settle().await.unwrap();
}
