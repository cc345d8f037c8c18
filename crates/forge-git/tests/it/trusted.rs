//! Programs that another attempt committed, or that a checkout writes, are not run by git.

use std::fs;

use forge_git::{Base, BaseKind, BranchFate, NewWorktree, Oid, Remake, Submodules};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, script, wanted};
use crate::programs::{Canary, recording};

#[tokio::test]
async fn branch_of_attempt_lends_no_trust() {
    // Git writes files that have a filter in order, before all others: the script is there when its turn comes.
    let temp = TempRepo::new()
        .with_file("tools/x.sh", "cat\n")
        .with_file(".gitattributes", "*.sh filter=x\n*.txt filter=x\n");
    let temp = temp.with_file("z.txt", "1\n");
    script(&temp.path().join(".husky/pre-commit"), "sh tools/x.sh < /dev/null");
    script(&temp.path().join(".husky/post-checkout"), "true");
    temp.commit("Programs");
    temp.git(&["config", "core.hooksPath", ".husky"]);
    temp.git(&["config", "filter.x.smudge", "sh tools/x.sh"]);
    temp.git(&["config", "filter.x.clean", "sh tools/x.sh"]);
    let outside = temp.path().join(".git/hooks");
    let (repo, canary) = (recording(&temp).await, Canary::beside(&temp));
    let first = add(&temp, &repo, "a").await;
    fs::write(first.path().join("tools/x.sh"), canary.command()).unwrap();
    script(&first.path().join(".husky/commit-msg"), &format!("{} < /dev/null", canary.command()));
    let first = repo.open_worktree(first.path()).await.unwrap();
    let work = first.commit_all("Work").await.unwrap().unwrap();
    canary.assert_silent("first attempt");

    let at_work = async |name: &str| {
        let trusted = repo.trusted_base("forge/a", &branch_at(&work), "forge-attempt").await.unwrap();
        NewWorktree { base: work.clone(), trusted, ..wanted(&temp, &repo, name).await }
    };
    let new = at_work("b").await;
    assert_eq!(new.trusted, Some(repo.resolve("main").await.unwrap().oid));
    let second = repo.add_worktree(&new).await.unwrap();
    canary.assert_silent("start");
    fs::write(second.path().join("z.txt"), "2\n").unwrap();
    let second = repo.open_worktree(second.path()).await.unwrap();
    let warnings = second.warnings().await.unwrap().concat();
    assert!(warnings.contains("tools/x.sh") && warnings.contains("no hooks"), "{warnings}");
    second.commit_all("Commit").await.unwrap().unwrap();
    canary.assert_silent("commit");
    // The hooks may be elsewhere.
    temp.git(&["config", "core.hooksPath", outside.to_str().unwrap()]);
    script(&outside.join("post-checkout"), "sh tools/x.sh < /dev/null");
    repo.add_worktree(&at_work("c").await).await.unwrap();
    canary.assert_silent("hook outside of the worktree");

    // What the user merged is the user's.
    temp.git(&["merge", "-q", "forge/a"]);
    let _outcome = fs::remove_file(&canary.0);
    assert_eq!(at_work("d").await.trusted.as_ref(), Some(&work));
    repo.add_worktree(&at_work("d").await).await.unwrap();
    assert!(canary.0.exists());
}

#[tokio::test]
async fn remade_worktree_ignores_filters_that_attempt_changed() {
    let temp = TempRepo::new()
        .with_file("tools/x.sh", "cat\n")
        .with_file(".gitattributes", "*.sh filter=x\n*.txt filter=x\n");
    let temp = temp.with_file("z.txt", "1\n");
    temp.commit("Filter");
    temp.git(&["config", "filter.x.smudge", "sh tools/x.sh"]);
    let (repo, canary) = (recording(&temp).await, Canary::beside(&temp));
    let worktree = add(&temp, &repo, "a").await;
    fs::write(worktree.path().join("tools/x.sh"), canary.command()).unwrap();
    let worktree = repo.open_worktree(worktree.path()).await.unwrap();
    worktree.commit_all("Work").await.unwrap().unwrap();
    let path = worktree.path().to_owned();
    repo.remove_worktree(&path, &temp.beside("trash"), BranchFate::Keep).await.unwrap();
    let remake = Remake {
        path: path.clone(),
        branch: "forge/a".to_owned(),
        files: None,
        trash: temp.beside("trash2"),
        submodules: Submodules::Local,
        trusted: None,
    };
    repo.remake_worktree(&remake).await.unwrap();
    canary.assert_silent("remake");
    assert_eq!(fs::read_to_string(path.join("z.txt")).unwrap(), "1\n");
}

#[tokio::test]
async fn remade_worktree_without_record_trusts_no_attempt() {
    let temp = TempRepo::new().with_file("a.txt", "1\n");
    script(&temp.path().join(".husky/pre-commit"), "true");
    temp.commit("Hook");
    temp.git(&["config", "core.hooksPath", ".husky"]);
    let (repo, canary) = (recording(&temp).await, Canary::beside(&temp));
    let worktree = add(&temp, &repo, "a").await;
    script(&worktree.path().join(".husky/pre-commit"), &format!("{} < /dev/null", canary.command()));
    let worktree = repo.open_worktree(worktree.path()).await.unwrap();
    let work = worktree.commit_all("Work").await.unwrap().unwrap();
    canary.assert_silent("attempt");
    repo.remove_worktree(worktree.path(), &temp.beside("trash"), BranchFate::Keep).await.unwrap();
    // As on another node, which made no worktree of it yet.
    let path = temp.beside("elsewhere");
    let remake = Remake {
        path: path.clone(),
        branch: "forge/a".to_owned(),
        files: None,
        trash: temp.beside("trash2"),
        submodules: Submodules::Local,
        trusted: repo.trusted_base("forge/a", &branch_at(&work), "forge-attempt").await.unwrap(),
    };
    repo.remake_worktree(&remake).await.unwrap();
    fs::write(path.join("a.txt"), "2\n").unwrap();
    let remade = repo.open_worktree(&path).await.unwrap();
    remade.commit_all("More").await.unwrap().unwrap();
    canary.assert_silent("commit in the remade worktree");
}

#[tokio::test]
async fn trusted_base_is_none_without_mark() {
    let temp = TempRepo::new();
    let repo = recording(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    fs::write(worktree.path().join("work"), "").unwrap();
    let work = worktree.commit_all("Work").await.unwrap().unwrap();
    let main = repo.resolve("main").await.unwrap().oid;
    let trusted =
        async |branch: &str| repo.trusted_base(branch, &branch_at(&work), "forge-attempt").await.unwrap();
    assert_eq!(trusted("main").await, None);
    assert_eq!(trusted("forge/ab").await, None);
    assert_eq!(trusted("forge/a").await, Some(main.clone()));
    assert_eq!(trusted("origin/forge/a").await.as_ref(), Some(&main));
    // A commit or a tag may be anybody's.
    for kind in [BaseKind::Commit, BaseKind::Tag] {
        let base = Base { kind, ..branch_at(&work) };
        let trusted = repo.trusted_base("x", &base, "forge-attempt").await.unwrap();
        assert_eq!(trusted.as_ref(), Some(&main));
    }
    // Nothing in common with HEAD: not even the first commit is the user's.
    temp.git(&["checkout", "-q", "--orphan", "other"]);
    assert_eq!(temp.git(&["ls-tree", trusted("forge/a").await.unwrap().as_str()]), "");
}

fn branch_at(oid: &Oid) -> Base {
    Base { oid: oid.clone(), kind: BaseKind::Branch }
}
