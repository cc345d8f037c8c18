//! Programs that an agent writes are never run by git.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use forge_git::{AtRisk, Git, GitOptions, Repo, Rewind, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, script};

/// A file that exists once a program ran which must not.
struct Canary(PathBuf);

impl Canary {
    fn beside(temp: &TempRepo) -> Self {
        Self(temp.beside("canary"))
    }

    /// A command that leaves the trace.
    fn command(&self) -> String {
        format!("echo ran >> '{}'; cat", self.0.display())
    }

    fn assert_silent(&self, when: &str) {
        assert!(!self.0.exists(), "{when}: a program ran");
    }
}

/// The repository as a server has it: with records in a folder that no worktree can write to.
async fn recording(temp: &TempRepo) -> Repo {
    let options =
        GitOptions { env: temp.env(), records: Some(temp.beside("records")), largest_untracked: 1 << 20 };
    Git::find_with(options).await.unwrap().open(temp.path()).await.unwrap()
}

/// Everything that the server does in a worktree.
async fn everything(repo: &Repo, path: &Path) {
    let worktree = repo.open_worktree(path).await.unwrap();
    worktree.status().await.unwrap();
    worktree.warnings().await.unwrap();
    let diff = worktree.diff("main").await.unwrap();
    diff.contents().page(&diff.changes).await.unwrap();
    let saved = worktree.snapshot("refs/forge/a/1", "Before").await.unwrap();
    worktree.commit_all("Commit").await.unwrap();
    worktree.snapshot("refs/forge/a/2", "After").await.unwrap();
    worktree.is_dirty().await.unwrap();
    worktree.restore(&saved.oid, &AtRisk::default()).await.unwrap();
    let head = worktree.head().await.unwrap();
    let to = Rewind {
        branch: "forge/a".to_owned(),
        commit: head.clone(),
        files: head,
        tip: "refs/forge/a/tip".to_owned(),
        risk: AtRisk::default(),
    };
    worktree.rewind(&to).await.unwrap();
}

fn change(worktree: &Worktree) {
    fs::write(worktree.path().join("work.txt"), "work\n").unwrap();
    fs::write(worktree.path().join("README.md"), "changed\n").unwrap();
}

#[tokio::test]
async fn nested_repository_runs_nothing() {
    let temp = TempRepo::new();
    let (repo, canary) = (recording(&temp).await, Canary::beside(&temp));
    let worktree = add(&temp, &repo, "a").await;
    change(&worktree);
    let inner = worktree.path().join("sub");
    fs::create_dir(&inner).unwrap();
    temp.git_in(&inner, &["init", "-q"]);
    fs::write(inner.join("file"), "1").unwrap();
    temp.git_in(&inner, &["add", "file"]);
    temp.git_in(&inner, &["commit", "-q", "-m", "Inner"]);
    let run = canary.command();
    temp.git_in(&inner, &["config", "filter.x.clean", &run]);
    temp.git_in(&inner, &["config", "filter.x.process", &run]);
    fs::create_dir_all(inner.join(".git/info")).unwrap();
    fs::write(inner.join(".git/info/attributes"), "* filter=x\n").unwrap();
    temp.git_in(&inner, &["config", "core.fsmonitor", &run]);
    for hook in ["pre-commit", "post-index-change", "reference-transaction"] {
        script(&inner.join(".git/hooks").join(hook), &run);
    }
    fs::write(inner.join("file"), "2").unwrap();
    for staged in [false, true] {
        if staged {
            temp.git_in(worktree.path(), &["-c", "core.fsmonitor=false", "add", "--", "sub"]);
        }
        let _outcome = fs::remove_file(&canary.0);
        everything(&repo, worktree.path()).await;
        canary.assert_silent(if staged { "staged" } else { "untracked" });
        assert!(inner.join("file").exists());
        assert!(!temp.git(&["ls-tree", "-r", "forge/a"]).contains("160000"));
    }
    let warnings = worktree.warnings().await.unwrap();
    assert!(warnings.iter().any(|warning| warning.contains("sub")), "{warnings:?}");
}

#[tokio::test]
async fn rewritten_git_file_is_refused() {
    let temp = TempRepo::new();
    let (repo, canary) = (recording(&temp).await, Canary::beside(&temp));
    let worktree = add(&temp, &repo, "a").await;
    let fake = worktree.path().join("fake");
    temp.git(&["clone", "-q", "--bare", ".", fake.to_str().unwrap()]);
    temp.git_in(&fake, &["config", "core.fsmonitor", &canary.command()]);
    fs::write(worktree.path().join(".git"), "gitdir: fake\n").unwrap();
    // One that was opened before knows where its repository is.
    worktree.status().await.unwrap();
    assert!(repo.open_worktree(worktree.path()).await.is_err());
    canary.assert_silent("status");
}

#[tokio::test]
async fn tracked_hooks_run_only_as_in_base_commit() {
    let temp = TempRepo::new();
    let canary = Canary::beside(&temp);
    temp.git(&["config", "core.hooksPath", ".husky"]);
    script(
        &temp.path().join(".husky/pre-commit"),
        &format!("{} < /dev/null; sh scripts/lint.sh", canary.command()),
    );
    temp.write("scripts/lint.sh", "true\n");
    temp.git(&["add", "--all"]);
    temp.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Hooks"]);
    let repo = recording(&temp).await;
    let changes: [(&str, &str); 4] = [
        ("a", ".husky/pre-commit"),
        ("b", ".husky/commit-msg"),
        ("c", "scripts/lint.sh"),
        ("d", "plain.txt"),
    ];
    for (name, file) in changes {
        let worktree = add(&temp, &repo, name).await;
        let path = worktree.path().join(file);
        fs::write(&path, format!("#!/bin/sh\n{} < /dev/null\n", canary.command())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let _outcome = fs::remove_file(&canary.0);
        let worktree = repo.open_worktree(worktree.path()).await.unwrap();
        let warnings = worktree.warnings().await.unwrap().concat();
        worktree.commit_all("Commit").await.unwrap().unwrap();
        let ran = canary.0.exists();
        assert_eq!(
            (ran, warnings.contains("no hooks")),
            (file == "plain.txt", file != "plain.txt"),
            "{file}"
        );
        assert_eq!(warnings.contains(file), file != "plain.txt", "{warnings}");
    }
}

#[tokio::test]
async fn settings_added_after_start_run_nothing() {
    let temp = TempRepo::new();
    temp.git(&["config", "filter.own.clean", "tr a-z A-Z"]);
    let (repo, canary) = (recording(&temp).await, Canary::beside(&temp));
    let worktree = add(&temp, &repo, "a").await;
    change(&worktree);
    let run = canary.command();
    fs::write(worktree.path().join(".gitattributes"), "*.txt filter=x\n*.own filter=own\n").unwrap();
    fs::write(worktree.path().join("shout.own"), "loud\n").unwrap();
    for key in ["filter.x.clean", "filter.x.smudge", "filter.x=y.process", "core.fsmonitor", "gpg.program"] {
        temp.git(&["config", key, &run]);
    }
    temp.git(&["config", "commit.gpgSign", "false"]);
    temp.git(&["config", "core.hooksPath", temp.beside("hooks").to_str().unwrap()]);
    script(&temp.beside("hooks").join("pre-commit"), &run);
    script(&temp.path().join(".git/hooks/pre-commit"), &run);
    fs::write(temp.path().join(".git/info/attributes"), "work.txt filter=x\n").unwrap();
    everything(&repo, worktree.path()).await;
    canary.assert_silent("settings");
    let warnings = repo.open_worktree(worktree.path()).await.unwrap().warnings().await.unwrap().concat();
    assert!(warnings.contains("filter.x.clean") && warnings.contains("core.hookspath"), "{warnings}");
    // A filter of the user's own still runs.
    assert_eq!(temp.git(&["show", "forge/a:shout.own"]), "LOUD");
}

#[tokio::test]
async fn filter_that_names_changed_file_is_ignored() {
    let temp =
        TempRepo::new().with_file("tools/clean.sh", "cat\n").with_file(".gitattributes", "*.txt filter=x\n");
    temp.commit("Filter");
    temp.git(&["config", "filter.x.clean", "sh tools/clean.sh"]);
    let (repo, canary) = (recording(&temp).await, Canary::beside(&temp));
    let worktree = add(&temp, &repo, "a").await;
    change(&worktree);
    fs::write(worktree.path().join("tools/clean.sh"), canary.command()).unwrap();
    everything(&repo, worktree.path()).await;
    canary.assert_silent("filter");
}

#[tokio::test]
async fn snapshot_keeps_bytes_that_filters_and_line_endings_change() {
    let temp = TempRepo::new().with_file(".gitattributes", "*.nb filter=strip\n*.up filter=up\n");
    temp.write("old.up", "loud\n");
    temp.git(&["config", "filter.strip.clean", "grep -v OUTPUT"]);
    temp.git(&["config", "filter.up.clean", "tr A-Z a-z"]);
    temp.git(&["config", "filter.up.smudge", "tr a-z A-Z"]);
    temp.git(&["config", "core.autocrlf", "input"]);
    temp.commit("Filters");
    let repo = recording(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    let file = |name: &str| worktree.path().join(name);
    fs::write(file("x.nb"), "code\nOUTPUT\n").unwrap();
    fs::write(file("dos.txt"), "a\r\nb\r\n").unwrap();
    assert_eq!(fs::read_to_string(file("old.up")).unwrap(), "LOUD\n");
    worktree.commit_all("Cleaned").await.unwrap().unwrap();
    assert_eq!(temp.git(&["show", "forge/a:x.nb"]), "code");
    let saved = worktree.snapshot("refs/forge/a/1", "Bytes").await.unwrap();
    assert_eq!(temp.git(&["show", &format!("{}:x.nb", saved.oid)]), "code\nOUTPUT");
    for name in ["x.nb", "dos.txt", "old.up"] {
        fs::write(file(name), "gone").unwrap();
    }
    worktree.restore(&saved.oid, &AtRisk::default()).await.unwrap();
    let restored: Vec<_> =
        ["x.nb", "dos.txt", "old.up"].iter().map(|name| fs::read_to_string(file(name)).unwrap()).collect();
    assert_eq!(restored, ["code\nOUTPUT\n", "a\r\nb\r\n", "LOUD\n"]);
}

#[tokio::test]
async fn large_untracked_file_is_named_and_left_out() {
    let temp = TempRepo::new();
    let repo = recording(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    change(&worktree);
    fs::write(worktree.path().join("big.bin"), vec![0; (1 << 20) + 1]).unwrap();
    let saved = worktree.snapshot("refs/forge/a/1", "Large").await.unwrap();
    assert!(saved.unsaved.is_some_and(|told| told.contains("big.bin")));
    worktree.commit_all("Work").await.unwrap().unwrap();
    for commit in [saved.oid.as_str(), "forge/a"] {
        let files = temp.git(&["ls-tree", "-r", "--name-only", commit]);
        assert!(files.contains("work.txt") && !files.contains("big.bin"), "{files}");
    }
    assert!(worktree.warnings().await.unwrap().concat().contains("big.bin"));
}

#[tokio::test]
async fn rewind_puts_submodule_back() {
    let library = TempRepo::new();
    let temp = TempRepo::new();
    temp.git(&["config", "--global", "protocol.file.allow", "always"]);
    temp.git(&["submodule", "--quiet", "add", library.path().to_str().unwrap(), "lib"]);
    temp.commit("Submodule");
    library.commit("Second");
    let repo = recording(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    let before = worktree.head().await.unwrap();
    let lib = worktree.path().join("lib");
    let pointer = || temp.git_in(&lib, &["rev-parse", "HEAD"]);
    let first = pointer();
    temp.git_in(&lib, &["fetch", "-q"]);
    temp.git_in(&lib, &["checkout", "-q", "origin/main"]);
    worktree.commit_all("Bump").await.unwrap().unwrap();
    assert!(temp.git(&["ls-tree", "forge/a", "lib"]).contains(&pointer()));
    let to = Rewind {
        branch: "forge/a".to_owned(),
        commit: before.clone(),
        files: before,
        tip: "refs/forge/a/tip".to_owned(),
        risk: AtRisk::default(),
    };
    worktree.rewind(&to).await.unwrap();
    assert_eq!(pointer(), first);
    assert!(worktree.commit_all("Nothing").await.unwrap().is_none());
}
