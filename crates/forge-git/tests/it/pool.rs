//! Worktrees made in advance: as good as new, or not used.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use forge_git::{BranchFate, Error, Mark, NewWorktree, Repo, Spare, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, fifo, mark, open, script, traces, wanted};

/// A repository with a folder, a link and a program in it.
fn project() -> TempRepo {
    let temp = TempRepo::new().with_file("dir/deep/x", "1").with_file(".gitignore", "ignored\n");
    script(&temp.path().join("run"), "true");
    std::os::unix::fs::symlink("run", temp.path().join("link")).unwrap();
    temp.commit("Second");
    temp
}

async fn spare(temp: &TempRepo, repo: &Repo, name: &str) -> Spare {
    let pool = temp.beside("worktrees/.pool");
    fs::create_dir_all(&pool).unwrap();
    let oid = repo.resolve("main").await.unwrap().oid;
    let like = add(temp, repo, "like").await;
    let spare = like.make_spare(&pool.join(name), "main", &oid).await.unwrap().unwrap();
    let branch = BranchFate::Delete("forge/like".to_owned());
    repo.remove_worktree(like.path(), &temp.beside("removed").join(name), branch).await.unwrap();
    spare.record().unwrap();
    spare
}

/// Claims the spare for worktree `a`, and says whether its tree was used.
async fn claim(temp: &TempRepo, repo: &Repo, spare: Spare) -> (Worktree, bool) {
    let tree = fs::metadata(spare.dir().join("tree")).map(|tree| tree.ino()).unwrap();
    let spare = spare.take().unwrap();
    let worktree = repo.add_worktree_from(spare, &wanted(temp, repo, "a").await).await.unwrap();
    let used = fs::metadata(worktree.path()).unwrap().ino() == tree;
    (worktree, used)
}

/// What a start must have given, whichever way it went.
async fn assert_whole(temp: &TempRepo, worktree: &Worktree) {
    assert!(!worktree.is_dirty().await.unwrap());
    let ignored = temp.git_in(worktree.path(), &["status", "--porcelain", "--ignored"]);
    assert_eq!(ignored, "");
    assert_eq!(worktree.head().await.unwrap().as_str(), temp.git(&["rev-parse", "main"]));
    assert_eq!(temp.git_in(worktree.path(), &["branch", "--show-current"]), "forge/a");
    assert_eq!(temp.git(&["config", "branch.forge/a.forge-attempt"]), "id-a");
    let listed = temp.git(&["worktree", "list", "--porcelain"]);
    assert!(listed.contains(&format!("worktree {}\n", worktree.path().display())), "{listed}");
    assert!(!listed.contains("prunable") && !listed.contains("locked"), "{listed}");
    assert_eq!(listed.matches("worktree ").count(), 2, "{listed}");
    assert_eq!(temp.git(&["worktree", "prune", "--verbose"]), "");
    temp.git(&["fsck", "--strict"]);
}

#[tokio::test]
async fn a_spare_becomes_the_worktree_that_a_checkout_would_have_made() {
    let temp = project();
    let repo = open(&temp).await;
    let before = traces(&temp)[..3].to_vec();
    let spare = spare(&temp, &repo, "s").await;
    assert_eq!(traces(&temp)[..3], before, "nobody who looks at the repository sees it");
    assert_eq!(Spare::open(spare.dir()).unwrap(), spare);
    assert!(spare.bytes() > 0);
    let (worktree, used) = claim(&temp, &repo, spare).await;
    assert!(used);
    assert_whole(&temp, &worktree).await;
    assert_eq!(worktree.file_count(), 5);
    assert_eq!(fs::read_to_string(worktree.path().join("dir/deep/x")).unwrap(), "1");
    assert_eq!(fs::read_link(worktree.path().join("link")).unwrap(), Path::new("run"));
    let ordinary = temp.beside("ordinary");
    temp.git(&["worktree", "add", "-q", ordinary.to_str().unwrap()]);
    let mode = |path: &Path| fs::metadata(path).unwrap().mode();
    for path in ["", "run", "dir", "README.md"] {
        assert_eq!(mode(&worktree.path().join(path)), mode(&ordinary.join(path)), "{path}");
    }
    // Everyday git works in it.
    fs::write(worktree.path().join("new"), "").unwrap();
    worktree.commit_all("Work").await.unwrap().unwrap();
    temp.git(&["worktree", "remove", worktree.path().to_str().unwrap()]);
}

#[tokio::test]
async fn a_spare_of_a_branch_that_moved_is_brought_up_to_it() {
    let temp = project();
    let repo = open(&temp).await;
    let spare = spare(&temp, &repo, "s").await;
    temp.write("dir/deep/x", "2");
    temp.write("dir/new", "3");
    fs::remove_file(temp.path().join("link")).unwrap();
    temp.commit("Third");
    let (worktree, used) = claim(&temp, &repo, spare).await;
    assert!(used);
    assert_whole(&temp, &worktree).await;
    assert_eq!(fs::read_to_string(worktree.path().join("dir/deep/x")).unwrap(), "2");
    assert!(worktree.path().join("dir/new").exists() && !worktree.path().join("link").exists());
}

#[tokio::test]
async fn a_spare_of_a_history_that_was_rewritten_and_collected_still_gives_a_whole_worktree() {
    let temp = project();
    let repo = open(&temp).await;
    let spare = spare(&temp, &repo, "s").await;
    temp.git(&["checkout", "-q", "--orphan", "anew"]);
    temp.write("dir/deep/x", "rewritten");
    temp.commit("Anew");
    temp.git(&["branch", "-q", "-M", "anew", "main"]);
    temp.git(&["reflog", "expire", "--expire=now", "--all"]);
    temp.git(&["gc", "-q", "--prune=now"]);
    assert!(!temp.try_git_in(temp.path(), &["cat-file", "-e", spare.oid().as_str()]).status.success());
    let (worktree, _) = claim(&temp, &repo, spare).await;
    assert_whole(&temp, &worktree).await;
    assert_eq!(fs::read_to_string(worktree.path().join("dir/deep/x")).unwrap(), "rewritten");
}

#[tokio::test]
async fn a_spare_that_anybody_touched_is_not_handed_out() {
    type Touch = fn(&Path);
    let touches: [(&str, Touch); 7] = [
        ("edited", |tree| fs::write(tree.join("README.md"), "mine").unwrap()),
        ("untracked", |tree| fs::write(tree.join("dir/mine"), "").unwrap()),
        ("ignored", |tree| fs::write(tree.join("ignored"), "").unwrap()),
        ("removed", |tree| fs::remove_file(tree.join("run")).unwrap()),
        ("folder", |tree| fs::create_dir(tree.join("mine")).unwrap()),
        ("index", |tree| fs::write(tree.parent().unwrap().join("index"), "").unwrap()),
        ("repository", |tree| fs::create_dir(tree.join(".git")).unwrap()),
    ];
    for (what, touch) in touches {
        let temp = project();
        let repo = open(&temp).await;
        let spare = spare(&temp, &repo, "s").await;
        touch(&spare.dir().join("tree"));
        let (worktree, used) = claim(&temp, &repo, spare).await;
        assert!(!used, "{what}");
        assert_whole(&temp, &worktree).await;
    }
}

#[tokio::test]
async fn a_spare_that_is_gone_or_taken_is_told_and_the_worktree_is_made_without_it() {
    let temp = project();
    let repo = open(&temp).await;
    let made = spare(&temp, &repo, "s").await;
    let taken = made.clone().take().unwrap();
    assert!(matches!(made.clone().take(), Err(Error::Io { .. })), "only one gets it");
    assert_eq!(Spare::open(made.dir()), None);
    assert!(made.record().is_err(), "what was taken is not written down");
    fs::remove_dir_all(taken.dir()).unwrap();
    let worktree = repo.add_worktree_from(taken, &wanted(&temp, &repo, "a").await).await.unwrap();
    assert_whole(&temp, &worktree).await;
}

#[tokio::test]
async fn changed_settings_of_checkouts_make_a_spare_unfit() {
    let changes: [fn(&TempRepo); 3] = [
        |temp| drop(temp.git(&["config", "core.autocrlf", "true"])),
        |temp| drop(temp.git(&["config", "filter.x.smudge", "cat"])),
        |temp| temp.write(".git/info/attributes", "*.txt eol=crlf\n"),
    ];
    for change in changes {
        let temp = project();
        let repo = open(&temp).await;
        let spare = spare(&temp, &repo, "s").await;
        change(&temp);
        let (worktree, used) = claim(&temp, &repo, spare).await;
        assert!(!used);
        assert_whole(&temp, &worktree).await;
    }
}

#[tokio::test]
async fn a_spare_of_another_repository_is_not_used() {
    let (temp, other) = (project(), project());
    let (repo, others) = (open(&temp).await, open(&other).await);
    let spare = spare(&other, &others, "s").await;
    let (worktree, used) = claim(&temp, &repo, spare).await;
    assert!(!used);
    assert_whole(&temp, &worktree).await;
}

#[tokio::test]
async fn sparse_checkouts_have_no_spares_and_use_none() {
    let temp = project();
    let repo = open(&temp).await;
    assert!(repo.can_have_spares());
    let spare = spare(&temp, &repo, "s").await;
    temp.git(&["sparse-checkout", "set", "dir"]);
    assert!(!repo.can_have_spares());
    let (worktree, used) = claim(&temp, &repo, spare).await;
    assert!(!used);
    assert!(!worktree.is_dirty().await.unwrap());
}

#[tokio::test]
async fn bare_repositories_have_spares_too() {
    let temp = project();
    let bare = temp.beside("bare.git");
    temp.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let repo = crate::kit::git(&temp).await.open(&bare).await.unwrap();
    let made = spare(&temp, &repo, "s").await;
    let spare = made.take().unwrap();
    let worktree = repo.add_worktree_from(spare, &wanted(&temp, &repo, "a").await).await.unwrap();
    assert!(!temp.beside("worktrees/.pool/s.taken/tree").exists());
    assert!(!worktree.is_dirty().await.unwrap());
}

#[tokio::test]
async fn submodules_are_checked_out_in_a_claimed_spare() {
    let (temp, module) = (project(), TempRepo::new());
    temp.set_global_config(
        "[user]\n\tname = Test\n\temail = test@example.com\n[protocol \"file\"]\n\tallow = always\n",
    );
    temp.git(&["submodule", "--quiet", "add", module.path().to_str().unwrap(), "module"]);
    temp.commit("Third");
    let repo = open(&temp).await;
    let spare = spare(&temp, &repo, "s").await;
    let (worktree, used) = claim(&temp, &repo, spare).await;
    assert!(used);
    assert!(worktree.path().join("module/README.md").exists());
    assert!(!worktree.is_dirty().await.unwrap());
}

#[tokio::test]
async fn filters_run_and_the_hook_after_a_checkout_sees_the_worktree() {
    let temp = project();
    temp.write(".gitattributes", "*.up filter=up\n");
    temp.write("a.up", "text\n");
    temp.commit("Third");
    temp.git(&["config", "filter.up.smudge", "tr a-z A-Z"]);
    temp.git(&["config", "filter.up.clean", "tr A-Z a-z"]);
    let said = temp.beside("said");
    let hook = format!("echo \"$2 $3 $(pwd) $(git branch --show-current)\" >> '{}'", said.display());
    script(&temp.path().join(".git/hooks/post-checkout"), &hook);
    let repo = open(&temp).await;
    let spare = spare(&temp, &repo, "s").await;
    let like = fs::read_to_string(&said).unwrap();
    assert!(like.lines().count() == 1 && like.ends_with(" forge/like\n"), "a spare is nobody's event");
    fs::remove_file(&said).unwrap();
    let (worktree, used) = claim(&temp, &repo, spare).await;
    assert!(used);
    assert_whole(&temp, &worktree).await;
    assert_eq!(fs::read_to_string(worktree.path().join("a.up")).unwrap(), "TEXT\n");
    let main = temp.git(&["rev-parse", "main"]);
    let expected = format!("{main} 1 {} forge/a\n", worktree.path().display());
    assert_eq!(fs::read_to_string(&said).unwrap(), expected);
}

#[tokio::test]
async fn split_indexes_and_watched_folders_stay_apart_from_spares() {
    let temp = project();
    for key in ["core.splitIndex", "core.untrackedCache", "index.threads"] {
        temp.git(&["config", key, "true"]);
    }
    let repo = open(&temp).await;
    let spare = spare(&temp, &repo, "s").await;
    let (worktree, used) = claim(&temp, &repo, spare).await;
    assert!(used);
    assert_whole(&temp, &worktree).await;
    fs::write(worktree.path().join("new"), "").unwrap();
    worktree.commit_all("Work").await.unwrap().unwrap();
}

#[tokio::test]
async fn a_spare_that_is_not_finished_is_none_and_making_one_ends_with_its_caller() {
    let temp = project();
    let (started, lives) = (temp.beside("started"), temp.beside("lives"));
    fifo(&started);
    fifo(&lives);
    let smudge = format!("sh -c \"exec > '{}'; echo > '{}'; sleep 600\"", lives.display(), started.display());
    temp.git(&["config", "filter.slow.smudge", &smudge]);
    let ended = tokio::task::spawn_blocking(move || fs::read(&lives).unwrap());
    let repo = open(&temp).await;
    let like = add(&temp, &repo, "like").await;
    temp.write(".gitattributes", "*.slow filter=slow\n");
    temp.write("a.slow", "x");
    temp.git(&["add", "--all"]);
    temp.git(&["commit", "-q", "-m", "Slow"]);
    let dir = temp.beside("pool");
    {
        let oid = repo.resolve("main").await.unwrap().oid;
        let making = like.make_spare(&dir, "main", &oid);
        let begun = tokio::task::spawn_blocking(move || fs::read(&started).unwrap());
        tokio::select! {
            made = making => panic!("{made:?}"),
            begun = begun => drop(begun.unwrap()),
        }
    }
    assert_eq!(Spare::open(&dir), None);
    // So does the filter, which the pipe ends with.
    tokio::time::timeout(Duration::from_secs(60), ended).await.expect("the filter ends").unwrap();
    assert_eq!(Spare::open(&dir), None);
}

#[tokio::test]
async fn filter_configured_after_start_gives_no_spare() {
    let temp = project();
    let repo = open(&temp).await;
    let like = add(&temp, &repo, "like").await;
    let oid = repo.resolve("main").await.unwrap().oid;
    let ran = temp.beside("ran");
    temp.write(".git/info/attributes", "* filter=x\n");
    temp.git(&["config", "filter.x.smudge", &format!("sh -c \"echo ran > '{}'; cat\"", ran.display())]);
    assert_eq!(like.make_spare(&temp.beside("spare"), "main", &oid).await.unwrap(), None);
    assert!(!ran.exists() && !temp.beside("spare").exists());
    // Who starts now has seen these settings.
    let like = add(&temp, &repo, "later").await;
    assert!(ran.exists());
    assert!(like.make_spare(&temp.beside("spare"), "main", &oid).await.unwrap().is_some());
}

#[tokio::test]
async fn a_taken_name_leaves_nothing() {
    let temp = project();
    let repo = open(&temp).await;
    temp.git(&["branch", "forge/a"]);
    let spare = spare(&temp, &repo, "s").await.take().unwrap();
    let before = traces(&temp);
    let error = repo.add_worktree_from(spare, &wanted(&temp, &repo, "a").await).await.unwrap_err();
    assert!(matches!(error, Error::NameTaken { .. }), "{error:?}");
    assert_eq!(traces(&temp), before);
}

#[tokio::test]
async fn twenty_at_once_with_one_spare_all_get_a_worktree() {
    let temp = project();
    let repo = open(&temp).await;
    let spare = spare(&temp, &repo, "s").await;
    let mut starts = tokio::task::JoinSet::new();
    for number in 0..20 {
        let (repo, new) = (repo.clone(), wanted(&temp, &repo, &format!("{number:04}")).await);
        let spare = spare.clone().take().ok();
        starts.spawn(async move {
            match spare {
                Some(spare) => repo.add_worktree_from(spare, &new).await,
                None => repo.add_worktree(&new).await,
            }
        });
        // What users do meanwhile.
        temp.git(&["worktree", "list"]);
        temp.git(&["worktree", "prune"]);
    }
    temp.git(&["gc", "--quiet", "--prune=now"]);
    for worktree in starts.join_all().await {
        assert!(!worktree.unwrap().is_dirty().await.unwrap());
    }
    assert!(!temp.beside("worktrees/.pool/s.taken/tree").exists(), "one of them got it");
}

/// What a start from a spare leaves when it dies: each state is taken back, and what is left of the spare is told
/// from one by its name.
#[tokio::test]
async fn every_state_of_a_claim_is_taken_back() {
    for state in 0..4 {
        let temp = project();
        let repo = open(&temp).await;
        let before = traces(&temp)[..3].to_vec();
        let taken = spare(&temp, &repo, "s").await.take().unwrap();
        let NewWorktree { path, branch, mark: its_mark, .. } = wanted(&temp, &repo, "a").await;
        fs::create_dir(&path).unwrap();
        make_branch(&temp, &its_mark);
        let admin = temp.path().join(".git/worktrees/a");
        if state > 0 {
            fs::create_dir_all(admin.join("refs")).unwrap();
            fs::write(admin.join("HEAD"), "ref: refs/heads/forge/a\n").unwrap();
            fs::write(admin.join("commondir"), "../..\n").unwrap();
            fs::write(admin.join("gitdir"), format!("{}/.git\n", path.display())).unwrap();
            fs::write(admin.join("locked"), "initializing").unwrap();
            fs::copy(taken.dir().join("index"), admin.join("index")).unwrap();
            let link = taken.dir().join("tree/.git");
            fs::write(link, format!("gitdir: {}\n", admin.display())).unwrap();
            // Locked, so that it is still there afterwards.
            temp.git(&["worktree", "prune"]);
            assert!(admin.exists());
        }
        if state > 1 {
            fs::rename(taken.dir().join("tree"), &path).unwrap();
        }
        if state > 2 {
            fs::remove_file(admin.join("locked")).unwrap();
        }
        repo.undo_worktree(&path, &branch, &its_mark, &temp.beside("trash")).await.unwrap();
        assert_eq!(traces(&temp)[..3], before, "state {state}");
        assert!(!path.exists());
        assert_eq!(Spare::open(&temp.beside("worktrees/.pool/s")), None);
    }
}

fn make_branch(temp: &TempRepo, its_mark: &Mark) {
    assert_eq!(*its_mark, mark("id-a"));
    temp.git(&["update-ref", "--create-reflog", "-m", "forge-attempt: id-a", "refs/heads/forge/a", "main"]);
}
