//! Snapshots hold everything and disturb nothing.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use forge_git::Error;
use forge_testkit::repo::TempRepo;

use crate::kit::{add, fifo, open, script};

#[tokio::test]
async fn a_snapshot_keeps_untracked_files_modes_and_links() {
    let temp = TempRepo::new().with_file(".gitignore", "ignored\n").with_file("gone", "");
    temp.commit("Second");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let path = worktree.path();
    fs::write(path.join("staged"), "1").unwrap();
    temp.git_in(path, &["add", "staged"]);
    fs::write(path.join("staged"), "2").unwrap();
    fs::remove_file(path.join("gone")).unwrap();
    fs::write(path.join("ignored"), "").unwrap();
    fs::write(path.join("run"), "#!").unwrap();
    fs::set_permissions(path.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("/nowhere", path.join("link")).unwrap();
    fs::create_dir(path.join("dir\nx")).unwrap();
    fs::write(path.join("dir\nx/untracked"), "u").unwrap();

    let status = temp.git_in(path, &["status", "--porcelain"]);
    let index = fs::read(temp.path().join(".git/worktrees/a/index")).unwrap();
    let head = worktree.head().await.unwrap();
    let hooks = temp.path().join(".git/hooks");
    for hook in ["pre-commit", "commit-msg", "post-index-change", "reference-transaction"] {
        script(&hooks.join(hook), &format!("touch '{}'; exit 1", temp.beside("hook-ran").display()));
    }
    let saved = worktree.snapshot("refs/forge/snapshots/a/1", "Turn 1").await.unwrap();
    assert!(!temp.beside("hook-ran").exists());
    assert_eq!(fs::read(temp.path().join(".git/worktrees/a/index")).unwrap(), index);
    fs::remove_dir_all(hooks).unwrap();
    assert!(saved.had_changes && saved.unsaved.is_none());
    assert_eq!(temp.git(&["rev-parse", "refs/forge/snapshots/a/1"]), saved.oid.as_str());
    assert_eq!(temp.git(&["rev-parse", &format!("{}^", saved.oid)]), head.as_str());
    let tree = temp.git(&["ls-tree", "-r", "-z", saved.oid.as_str()]);
    let mode_and_path = |line: &str| {
        let (object, path) = line.split_once('\t').unwrap();
        format!("{} {path}", object.split_once(' ').unwrap().0)
    };
    let listed: Vec<_> = tree.trim_end_matches('\0').split('\0').map(mode_and_path).collect();
    assert_eq!(
        listed,
        [
            "100644 .gitignore",
            "100644 README.md",
            "100644 dir\nx/untracked",
            "120000 link",
            "100755 run",
            "100644 staged"
        ]
    );
    assert_eq!(temp.git(&["show", &format!("{}:staged", saved.oid)]), "2");
    assert_eq!(temp.git_in(path, &["status", "--porcelain"]), status);
    assert_eq!(worktree.head().await.unwrap(), head);
}

#[tokio::test]
async fn a_change_in_the_very_moment_of_the_last_staging_is_saved() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    // The same size, time and inode as when it was staged: only the index's own time gives it away.
    temp.git(&["config", "core.trustctime", "false"]);
    let (file, index) = (worktree.path().join("x"), temp.path().join(".git/worktrees/a/index"));
    let staged_at = UNIX_EPOCH + Duration::from_secs(1_700_000_000);
    let set_time =
        |path: &Path| fs::File::options().write(true).open(path).unwrap().set_modified(staged_at).unwrap();
    fs::write(&file, "1").unwrap();
    set_time(&file);
    temp.git_in(worktree.path(), &["add", "x"]);
    fs::write(&file, "2").unwrap();
    set_time(&file);
    set_time(&index);
    let saved = worktree.snapshot("refs/forge/a", "Racy").await.unwrap();
    assert_eq!(temp.git(&["show", &format!("{}:x", saved.oid)]), "2");
}

#[tokio::test]
async fn a_clean_worktree_is_its_head() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let saved = worktree.snapshot("refs/forge/a", "Nothing").await.unwrap();
    assert!(!saved.had_changes);
    assert_eq!(saved.oid, worktree.head().await.unwrap());
    assert_eq!(temp.git(&["rev-parse", "refs/forge/a"]), saved.oid.as_str());
}

#[tokio::test]
async fn a_snapshot_works_in_the_middle_of_a_merge() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    crate::commit::conflict(&temp, worktree.path());
    let status = temp.git_in(worktree.path(), &["status", "--porcelain"]);
    let saved = worktree.snapshot("refs/forge/a", "Merging").await.unwrap();
    assert!(temp.git(&["show", &format!("{}:README.md", saved.oid)]).contains("<<<<<<<"));
    assert_eq!(temp.git_in(worktree.path(), &["status", "--porcelain"]), status);
    assert!(temp.path().join(".git/worktrees/a/MERGE_HEAD").exists());
}

#[tokio::test]
async fn a_snapshot_works_without_identity_under_an_index_lock_and_on_an_orphan_branch() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    temp.set_global_config("");
    temp.git_in(worktree.path(), &["checkout", "-q", "--orphan", "fresh"]);
    fs::write(temp.path().join(".git/worktrees/a/index.lock"), "").unwrap();
    let saved = worktree.snapshot("refs/forge/a", "Orphan").await.unwrap();
    assert!(saved.had_changes);
    assert_eq!(temp.git(&["rev-list", "--count", "refs/forge/a"]), "1");
    assert_eq!(temp.git(&["log", "-1", "--format=%an", "refs/forge/a"]), "Forge");
}

#[tokio::test]
async fn a_repository_inside_is_told_and_the_rest_is_saved() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let inner = worktree.path().join("inner");
    fs::create_dir(&inner).unwrap();
    temp.git_in(&inner, &["init", "-q"]);
    fs::write(inner.join("file"), "").unwrap();
    fs::write(worktree.path().join("work"), "").unwrap();
    for message in ["Without a commit", "With one"] {
        let saved = worktree.snapshot("refs/forge/a", message).await.unwrap();
        assert!(saved.unsaved.is_some_and(|output| output.contains("inner")), "{message}");
        assert!(
            temp.git(&["ls-tree", "-r", "--name-only", saved.oid.as_str()]).contains("work"),
            "{message}"
        );
        temp.git_in(&inner, &["add", "file"]);
        temp.git_in(&inner, &["commit", "-q", "--allow-empty", "-m", "Inner"]);
    }
    assert!(worktree.commit_all("Nested").await.unwrap().is_some());
}

#[tokio::test]
async fn only_hidden_refs_are_written() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    for name in ["refs/heads/main", "main", "refs/forge/", "refs/forge/../heads/main", "refs/forge/a b", "-d"]
    {
        let error = worktree.snapshot(name, "x").await.unwrap_err();
        assert!(matches!(error, Error::InvalidName { .. }), "{name}: {error:?}");
    }
}

#[tokio::test]
async fn index_that_is_no_file_is_refused() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let index = temp.path().join(".git/worktrees/a/index");
    let huge = || {
        fs::File::create(&index).unwrap().set_len(1 << 40).unwrap();
    };
    let device = || symlink("/dev/zero", &index).unwrap();
    let places: [&dyn Fn(); 3] = [&|| fifo(&index), &device, &huge];
    for place in places {
        fs::remove_file(&index).unwrap();
        place();
        let error = worktree.snapshot("refs/forge/a/1", "Saved").await.unwrap_err();
        assert!(matches!(error, Error::Damaged { .. }), "{error}");
        assert_eq!(worktree.file_count(), 0);
    }
}
