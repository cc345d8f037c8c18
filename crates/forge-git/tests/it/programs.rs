//! Programs that an agent writes are never run by git.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use forge_git::{AtRisk, Error, Git, GitOptions, NewWorktree, Oid, Repo, Rewind, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, script, wanted};

/// A file that exists once a program ran which must not.
pub(crate) struct Canary(pub(crate) PathBuf);

impl Canary {
    pub(crate) fn beside(temp: &TempRepo) -> Self {
        Self(temp.beside("canary"))
    }

    /// A command that leaves the trace.
    pub(crate) fn command(&self) -> String {
        format!("echo ran >> '{}'; cat", self.0.display())
    }

    pub(crate) fn assert_silent(&self, when: &str) {
        assert!(!self.0.exists(), "{when}: a program ran");
    }
}

/// The repository as a server has it: with records in a folder that no worktree can write to.
pub(crate) async fn recording(temp: &TempRepo) -> Repo {
    let options = GitOptions {
        env: temp.env(),
        records: Some(temp.beside("records")),
        largest_untracked: 1 << 20,
        ..GitOptions::default()
    };
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
async fn changed_hook_among_many_files_does_not_run() {
    for hooks in [".husky", ".git/hooks"] {
        let temp = TempRepo::new();
        let canary = Canary::beside(&temp);
        if hooks == ".husky" {
            temp.git(&["config", "core.hooksPath", hooks]);
        }
        let repo = recording(&temp).await;
        let worktree = add(&temp, &repo, "a").await;
        let top = if hooks == ".husky" { worktree.path() } else { temp.path() };
        let folder = top.join(hooks);
        fs::create_dir_all(&folder).unwrap();
        for number in 0..2000 {
            fs::write(folder.join(format!("junk-{number}")), "").unwrap();
        }
        // Among so many, some of these are behind the first 500 in whichever order the folder is listed.
        for hook in ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-index-change"] {
            script(&folder.join(hook), &format!("{} < /dev/null", canary.command()));
        }
        change(&worktree);
        let worktree = repo.open_worktree(worktree.path()).await.unwrap();
        let warnings = worktree.warnings().await.unwrap().concat();
        assert!(warnings.contains("cannot be checked"), "{warnings}");
        worktree.commit_all("Commit").await.unwrap().unwrap();
        canary.assert_silent(hooks);
    }
}

#[tokio::test]
async fn filter_with_non_utf8_name_does_not_run() {
    let temp = TempRepo::new();
    let canary = Canary::beside(&temp);
    let repo = recording(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    // Of the same size, so that git reads them.
    for folder in [temp.path(), worktree.path()] {
        let text = fs::read_to_string(folder.join("README.md")).unwrap();
        fs::write(folder.join("README.md"), text.to_uppercase()).unwrap();
    }
    fs::write(temp.path().join(".git/info/attributes"), b"*.md filter=\xff\n").unwrap();
    let mut config = fs::read(temp.path().join(".git/config")).unwrap();
    config.extend_from_slice(b"[filter \"\xff\"]\n\tclean = ");
    config.extend_from_slice(format!("\"{}\"\n", canary.command()).as_bytes());
    fs::write(temp.path().join(".git/config"), config).unwrap();
    for error in [repo.status().await.unwrap_err(), repo.open_worktree(worktree.path()).await.unwrap_err()] {
        assert!(matches!(&error, Error::Damaged { .. }) && error.to_string().contains("UTF-8"), "{error}");
    }
    canary.assert_silent("status");
    temp.git(&["status"]);
    assert!(canary.0.exists(), "git itself runs the filter");
}

#[tokio::test]
async fn script_of_hook_is_found_by_every_name() {
    let hooks = [
        "sh .git-none/../scripts/lint.sh",
        "cd scripts && sh lint.sh",
        "sh \"$PWD/scripts/lint.sh\"",
        ". \"$(dirname \"$0\")/lib.sh\"",
        "for part in \"$0\".d/*; do sh \"$part\"; done",
    ];
    for hook in hooks {
        let temp = TempRepo::new().with_file("scripts/lint.sh", "true\n");
        temp.commit("Script");
        let canary = Canary::beside(&temp);
        let folder = temp.path().join(".git/hooks");
        script(&folder.join("pre-commit"), hook);
        fs::write(folder.join("lib.sh"), "true\n").unwrap();
        fs::create_dir_all(folder.join("pre-commit.d")).unwrap();
        fs::write(folder.join("pre-commit.d/one"), "true\n").unwrap();
        let repo = recording(&temp).await;
        let worktree = add(&temp, &repo, "a").await;
        fs::write(worktree.path().join("plain.txt"), "1").unwrap();
        assert_eq!(worktree.warnings().await.unwrap(), Vec::<String>::new(), "{hook}");
        for file in
            [worktree.path().join("scripts/lint.sh"), folder.join("lib.sh"), folder.join("pre-commit.d/one")]
        {
            let before = fs::read(&file).unwrap();
            fs::write(&file, format!("{} < /dev/null\n", canary.command())).unwrap();
            let worktree = repo.open_worktree(worktree.path()).await.unwrap();
            fs::write(worktree.path().join("plain.txt"), file.as_os_str().as_encoded_bytes()).unwrap();
            let warnings = worktree.warnings().await.unwrap().concat();
            // A script of the worktree that no hook names may be changed.
            let is_named = hook.contains("lint.sh") || file.starts_with(&folder);
            assert_eq!(warnings.contains("no hooks"), is_named, "{hook} {}: {warnings}", file.display());
            worktree.commit_all("Commit").await.unwrap().unwrap();
            canary.assert_silent(hook);
            fs::write(&file, before).unwrap();
        }
    }
}

#[tokio::test]
async fn post_checkout_runs_only_as_in_own_checkout() {
    let temp = TempRepo::new();
    let canary = Canary::beside(&temp);
    temp.git(&["config", "core.hooksPath", ".husky"]);
    script(&temp.path().join(".husky/post-checkout"), &format!("{} < /dev/null", canary.command()));
    temp.git(&["add", "--all"]);
    temp.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "Hooks"]);
    let repo = recording(&temp).await;
    add(&temp, &repo, "a").await;
    assert!(canary.0.exists());
    fs::remove_file(&canary.0).unwrap();
    temp.git(&["rm", "-q", "-r", ".husky"]);
    add(&temp, &repo, "b").await;
    canary.assert_silent("base commit");
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

/// Settings under which git fetches a missing object by running a program, and a branch that names such an object.
fn miss_object(temp: &TempRepo, url: &str, program: &str) {
    let settings = [
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "evil"),
        ("remote.evil.promisor", "true"),
        ("remote.evil.url", url),
        ("remote.evil.uploadpack", program),
        ("protocol.ext.allow", "always"),
    ];
    for (key, value) in settings {
        temp.git(&["config", key, value]);
    }
    temp.write(".git/refs/heads/missing", format!("{}\n", "1234567890".repeat(4)));
}

#[tokio::test]
async fn missing_object_is_not_fetched_by_program() {
    for remote in ["path", "helper"] {
        let temp = TempRepo::new();
        let (repo, canary) = (recording(&temp).await, Canary::beside(&temp));
        let before = add(&temp, &repo, "a").await;
        let run = temp.beside("run");
        script(&run, &format!("echo ran >> '{}'; exit 1", canary.0.display()));
        let helper = format!("ext::{} x", run.display());
        miss_object(&temp, if remote == "path" { "/any" } else { &helper }, run.to_str().unwrap());
        temp.try_git_in(temp.path(), &["rev-parse", "--verify", "missing^{commit}"]);
        assert!(canary.0.exists(), "plain git runs the program");
        fs::remove_file(&canary.0).unwrap();
        let after = add(&temp, &repo, "b").await;
        assert!(matches!(repo.branches().await, Err(Error::Damaged { .. })));
        assert!(repo.resolve("missing").await.is_err());
        for worktree in [before, after] {
            change(&worktree);
            let worktree = repo.open_worktree(worktree.path()).await.unwrap();
            assert!(worktree.diff("missing").await.is_err());
            worktree.commit_all("Commit").await.unwrap().unwrap();
            worktree.snapshot("refs/forge/a/1", "Saved").await.unwrap();
        }
        let missing: Oid = "1234567890".repeat(4).parse().unwrap();
        let new = NewWorktree { base: missing, ..wanted(&temp, &repo, "c").await };
        assert!(repo.add_worktree(&new).await.is_err());
        canary.assert_silent(remote);
    }
}

#[tokio::test]
async fn partial_clone_fetches_by_settings_of_user_only() {
    let temp = TempRepo::new().with_file("large.txt", "large\n");
    temp.commit("Large");
    temp.git(&["config", "uploadpack.allowFilter", "true"]);
    temp.git(&["config", "--global", "protocol.file.allow", "always"]);
    let canary = Canary::beside(&temp);
    for (name, allowed, own) in [("a", false, false), ("b", true, true), ("c", true, false)] {
        let clone = temp.beside(format!("clone-{name}"));
        let url = format!("file://{}", temp.path().display());
        temp.git(&["clone", "-q", "--no-checkout", "--filter=blob:none", &url, clone.to_str().unwrap()]);
        let pack = format!("{}; git-upload-pack", canary.command().trim_end_matches("; cat"));
        if own {
            temp.git_in(&clone, &["config", "remote.origin.uploadpack", &pack]);
        }
        if !allowed {
            temp.git(&["config", "--global", "protocol.file.allow", "user"]);
        }
        let options = GitOptions { env: temp.env(), ..GitOptions::default() };
        let repo = Git::find_with(options).await.unwrap().open(&clone).await.unwrap();
        let made = repo.add_worktree(&wanted(&temp, &repo, name).await).await;
        temp.git(&["config", "--global", "protocol.file.allow", "always"]);
        assert_eq!(made.is_ok(), allowed && !own, "{name}: {:?}", made.err());
        canary.assert_silent(name);
    }
    let large = temp.beside("worktrees/c/large.txt");
    assert_eq!(fs::read_to_string(large).unwrap(), "large\n");
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

#[tokio::test]
async fn restore_that_was_cut_short_is_completed() {
    let temp = TempRepo::new().with_file(".gitattributes", "*.up filter=up\n*.dos text eol=crlf\n");
    temp.write("a.up", "loud\n");
    temp.write("b.dos", "1\n2\n");
    let go = temp.beside("go");
    fs::write(&go, "").unwrap();
    temp.git(&["config", "filter.up.clean", "tr A-Z a-z"]);
    temp.git(&["config", "filter.up.smudge", &format!("test -e '{}' && tr a-z A-Z", go.display())]);
    temp.git(&["config", "filter.up.required", "true"]);
    temp.commit("Filters");
    let repo = recording(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    let file = |name: &str| worktree.path().join(name);
    let head = worktree.head().await.unwrap();
    fs::write(file("c.txt"), "work\n").unwrap();
    // Git reads files anew that are as young as the index.
    let index = fs::File::options().write(true).open(temp.path().join(".git/worktrees/a/index")).unwrap();
    index.set_modified(SystemTime::now() + Duration::from_secs(10)).unwrap();
    let saved = worktree.snapshot("refs/forge/a/1", "Bytes").await.unwrap().oid;
    let whole = || {
        let read = |name: &str| fs::read_to_string(file(name)).unwrap_or_default();
        (read("a.up"), read("b.dos")) == ("LOUD\n".to_owned(), "1\r\n2\r\n".to_owned())
    };
    assert!(whole());
    let rewind = Rewind {
        branch: "forge/a".to_owned(),
        commit: head.clone(),
        files: head,
        tip: "refs/forge/a/tip".to_owned(),
        risk: AtRisk::default(),
    };
    for rewound in [false, true] {
        for name in ["a.up", "b.dos", "c.txt"] {
            fs::write(file(name), "gone").unwrap();
        }
        // The filter ends the second step, as a kill would.
        fs::remove_file(&go).unwrap();
        assert!(worktree.restore(&saved, &AtRisk::default()).await.is_err());
        fs::write(&go, "").unwrap();
        assert!(!whole());
        if rewound {
            worktree.rewind(&rewind).await.unwrap();
        } else {
            worktree.restore(&saved, &AtRisk::default()).await.unwrap();
            assert_eq!(fs::read_to_string(file("c.txt")).unwrap(), "work\n");
        }
        assert!(whole(), "rewound: {rewound}");
        assert!(!temp.path().join(".git/worktrees/a/forge-unfiltered").exists());
    }
}
