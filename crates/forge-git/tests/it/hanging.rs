//! Hooks and filters that never end: git is ended after its time or by a stop, and unfinished work can be repeated.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use forge_git::{AtRisk, Error, Git, GitOptions, Oid, Remake, Repo, Result, Rewind, Submodules, Worktree};
use forge_testkit::gate::Gate;
use forge_testkit::repo::TempRepo;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::kit::{add, fifo, open, script, traces, wanted};

/// A repository whose filter hangs while a file says so.
struct Hanging {
    temp: TempRepo,
    /// The filter comes to it before it hangs.
    began: Gate,
    /// Whether it hangs.
    switch: PathBuf,
}

impl Hanging {
    fn new() -> Self {
        let temp =
            TempRepo::new().with_file(".gitattributes", "*.big filter=big\n").with_file("a.big", "1\n");
        temp.commit("Filtered");
        let began = Gate::new(temp.beside("began"));
        let (switch, filter) = (temp.beside("hangs"), temp.beside("filter"));
        script(
            &filter,
            &format!(
                "if [ -e '{}' ]; then echo > '{}'; sleep 600; fi; cat",
                switch.display(),
                began.path().display()
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
        let (done, ()) = tokio::join!(work, async {
            self.began.reached().await;
            stop.cancel();
        });
        assert!(matches!(done, Err(Error::Stopped)), "{:?}", done.err());
    }

    /// A worktree whose `a.big` was changed since it was saved.
    async fn worked(&self) -> (Worktree, Oid) {
        let worktree = add(&self.temp, &open(&self.temp).await, "a").await;
        fs::write(worktree.path().join("kept"), "kept").unwrap();
        let saved = worktree.snapshot("refs/forge/a/1", "Before").await.unwrap().oid;
        fs::write(worktree.path().join("a.big"), "2\n").unwrap();
        (worktree, saved)
    }

    /// Restores a snapshot until the filter hangs, and stops it then.
    async fn restore_is_stopped(&self, worktree: &Worktree, saved: &Oid) {
        self.hangs(true);
        let stop = CancellationToken::new();
        let until = worktree.until(&stop);
        self.stopped(&stop, until.restore(saved, &AtRisk::default())).await;
        self.hangs(false);
    }
}

async fn impatient(temp: &TempRepo, programs_deadline: Duration) -> Repo {
    let options = GitOptions { env: temp.env(), programs_deadline, ..GitOptions::default() };
    Git::find_with(options).await.unwrap().open(temp.path()).await.unwrap()
}

#[tokio::test]
async fn hanging_filter_of_new_worktree_is_ended_and_leaves_nothing() {
    let hanging = Hanging::new();
    let temp = &hanging.temp;
    let repo = impatient(temp, Duration::from_millis(300)).await;
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
    let (hook, began) = (temp.path().join(".git/hooks/post-checkout"), Gate::new(temp.beside("began")));
    script(&hook, &format!("echo > '{}'; sleep 600", began.path().display()));
    let repo = impatient(&temp, Duration::from_secs(3)).await;
    let before = traces(&temp);
    let new = wanted(&temp, &repo, "a").await;
    let (made, ()) = tokio::join!(repo.add_worktree(&new), began.reached());
    let error = made.unwrap_err();
    assert!(matches!(error, Error::TimedOut { .. }), "{error:?}");
    assert_eq!(traces(&temp), before);
    fs::remove_file(hook).unwrap();
    add(&temp, &open(&temp).await, "a").await;
}

#[tokio::test]
async fn stopped_restore_is_done_again() {
    let hanging = Hanging::new();
    let (worktree, saved) = hanging.worked().await;
    hanging.restore_is_stopped(&worktree, &saved).await;
    // A file that git removed for its filter is not missing in a commit.
    worktree.commit_all("Between").await.unwrap().unwrap();
    assert_eq!(hanging.temp.git(&["show", "forge/a:a.big"]), "1");
    worktree.restore(&saved, &AtRisk::default()).await.unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("a.big")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(worktree.path().join("kept")).unwrap(), "kept");
}

#[tokio::test]
async fn stopped_restore_of_commit_deletes_nothing() {
    let hanging = Hanging::new();
    let worktree = add(&hanging.temp, &open(&hanging.temp).await, "a").await;
    let base = worktree.head().await.unwrap();
    fs::write(worktree.path().join("a.big"), "2\n").unwrap();
    hanging.restore_is_stopped(&worktree, &base).await;
    fs::write(worktree.path().join("b"), "").unwrap();
    worktree.commit_all("Between").await.unwrap().unwrap();
    assert_eq!(hanging.temp.git(&["show", "forge/a:a.big"]), "1");
    assert!(worktree.has_unfiltered_files());
    worktree.restore(&base, &AtRisk::default()).await.unwrap();
    assert!(!worktree.has_unfiltered_files());
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
        trusted: None,
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
    let began = Gate::new(temp.beside("began"));
    script(
        &temp.path().join(".git/hooks/pre-commit"),
        &format!("echo > '{}'; sleep 600", began.path().display()),
    );
    let hanging = Hanging { switch: temp.beside("none"), began, temp };
    let worktree = add(&hanging.temp, &open(&hanging.temp).await, "a").await;
    let saved = worktree.snapshot("refs/forge/a/1", "Before").await.unwrap().oid;
    let stop = CancellationToken::new();
    let until = worktree.until(&stop);
    hanging.stopped(&stop, until.delete_file("a".as_ref(), "Delete", &saved)).await;
    assert_eq!(fs::read_to_string(worktree.path().join("a")).unwrap(), "1");
}

#[tokio::test]
async fn stop_ends_wait_for_lock() {
    let hanging = Hanging::new();
    let (worktree, saved) = hanging.worked().await;
    hanging.hangs(true);
    let (first, second) = (CancellationToken::new(), CancellationToken::new());
    let (holder, waiter) = (worktree.until(&first), worktree.until(&second));
    let risk = AtRisk::default();
    let (held, ()) = tokio::join!(holder.restore(&saved, &risk), async {
        hanging.began.reached().await;
        second.cancel();
        assert!(matches!(waiter.settle().await, Err(Error::Stopped)));
        first.cancel();
    });
    assert!(matches!(held, Err(Error::Stopped)));
    worktree.settle().await.unwrap();
}

#[tokio::test]
async fn commit_whose_last_hook_hangs_is_made() {
    let temp = TempRepo::new().with_file("a", "1");
    temp.commit("File");
    let began = Gate::new(temp.beside("began"));
    let hang = format!("echo > '{}'; sleep 600", began.path().display());
    script(&temp.path().join(".git/hooks/post-commit"), &hang);
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("a"), "2").unwrap();
    let stop = CancellationToken::new();
    let until = worktree.until(&stop);
    let (made, ()) = tokio::join!(until.commit_all("Second"), async {
        began.reached().await;
        stop.cancel();
    });
    assert_eq!(made.unwrap(), Some(worktree.head().await.unwrap()));
    assert!(!worktree.is_dirty().await.unwrap());
}

#[tokio::test]
async fn stopped_git_leaves_no_lock_behind() {
    let hanging = Hanging::new();
    let (worktree, saved) = hanging.worked().await;
    hanging.restore_is_stopped(&worktree, &saved).await;
    hanging.temp.git_in(worktree.path(), &["add", "--all"]);
}

#[tokio::test]
async fn stop_ends_a_look_whose_filter_hangs() {
    let hanging = Hanging::new();
    let (worktree, _) = hanging.worked().await;
    hanging.hangs(true);
    let stop = CancellationToken::new();
    let until = worktree.until(&stop);
    hanging.stopped(&stop, until.is_dirty()).await;
}

#[tokio::test]
async fn hanging_filters_hold_up_no_other_git() {
    let temp = TempRepo::new().with_file(".gitattributes", "*.big filter=big\n").with_file("a.big", "1\n");
    temp.commit("Filtered");
    let (began, lives) = (Gate::new(temp.beside("began")), temp.beside("lives"));
    fifo(&lives);
    let filter = temp.beside("filter");
    let said = format!("exec > '{}'; echo > '{}'; exec sleep 600", lives.display(), began.path().display());
    script(&filter, &said);
    let repo = open(&temp).await;
    temp.git(&["config", "filter.big.clean", filter.to_str().unwrap()]);
    let worktree = add(&temp, &repo, "a").await;
    fs::write(worktree.path().join("a.big"), "2\n").unwrap();
    // Ends with the last filter.
    let all_ended = tokio::task::spawn_blocking(move || fs::read(lives));
    let mut looks = JoinSet::new();
    let cores = std::thread::available_parallelism().unwrap().get();
    // One more than there are places for other gits, but no more than filters have.
    for _ in 0..=cores.clamp(2, 15) {
        let worktree = worktree.clone();
        looks.spawn(async move { worktree.is_dirty().await });
        began.reached().await;
    }
    let branches = tokio::time::timeout(Duration::from_secs(60), repo.branches());
    assert_eq!(branches.await.expect("a place is free").unwrap().len(), 2);

    looks.abort_all();
    let all_ended = tokio::time::timeout(Duration::from_secs(60), all_ended);
    all_ended.await.expect("filters end with their callers").unwrap().unwrap();
}
