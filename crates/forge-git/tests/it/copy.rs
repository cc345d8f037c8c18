//! Copying what git does not carry, and never further than asked.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use forge_git::{CopyOutcome, copy_files};
use rustix::fs::{CWD, Mode, OFlags, mkdirat, openat};

struct Folders {
    _root: tempfile::TempDir,
    from: PathBuf,
    to: PathBuf,
}

fn folders(files: &[&str]) -> Folders {
    let root = tempfile::tempdir().unwrap();
    let (from, to) = (root.path().join("from"), root.path().join("to"));
    fs::create_dir_all(&to).unwrap();
    for file in files {
        let path = from.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, file).unwrap();
    }
    Folders { _root: root, from, to }
}

impl Folders {
    async fn copy(&self, patterns: &str) -> Vec<CopyOutcome> {
        copy_files(&self.from, &self.to, patterns).await.unwrap()
    }
}

fn copied(paths: &[&str]) -> Vec<CopyOutcome> {
    paths.iter().map(|path| CopyOutcome::Copied { path: PathBuf::from(path) }).collect()
}

/// All files below a folder, relative and sorted.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn paths_globs_and_folders_are_copied_and_a_missing_one_does_not_stop_the_rest() {
    let all = [
        ".env",
        ".env.local",
        "config/a.local",
        "config/b.yml",
        "config/c.json",
        "x/deep/.env",
        "cache/1/2",
        "[id].env",
    ];
    let folders = folders(&all);
    let outcomes = folders.copy("none, .env\n config/*.{yml,json},./**/.env,cache/,[id].env,no*").await;
    let mut expected = vec![CopyOutcome::Missing { pattern: "none".to_owned() }];
    expected.extend(copied(&[".env", "config/b.yml", "config/c.json"]));
    expected.push(CopyOutcome::Exists { path: ".env".into() });
    expected.extend(copied(&["x/deep/.env", "cache/1/2", "[id].env"]));
    expected.push(CopyOutcome::Missing { pattern: "no*".to_owned() });
    assert_eq!(outcomes, expected);
    assert_eq!(
        files(&folders.to),
        [".env", "[id].env", "cache/1/2", "config/b.yml", "config/c.json", "x/deep/.env"]
    );
}

#[tokio::test]
async fn modes_and_links_are_kept() {
    let folders = folders(&["bin/run", "key"]);
    fs::set_permissions(folders.from.join("bin/run"), fs::Permissions::from_mode(0o750)).unwrap();
    fs::set_permissions(folders.from.join("key"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(folders.from.join("bin"), fs::Permissions::from_mode(0o700)).unwrap();
    symlink("/etc/passwd", folders.from.join("bin/outside")).unwrap();
    assert_eq!(folders.copy("bin,key").await, copied(&["bin/outside", "bin/run", "key"]));
    let mode = |path: &str| fs::metadata(folders.to.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("bin/run"), mode("key"), mode("bin")), (0o750, 0o600, 0o700));
    assert_eq!(fs::read_link(folders.to.join("bin/outside")).unwrap(), Path::new("/etc/passwd"));
}

#[tokio::test]
async fn nothing_leaves_the_root_on_either_side() {
    let folders = folders(&["ok", "sub/file", ".git/config", "nested/.git/config", "nested/file"]);
    let outside = folders.from.parent().unwrap().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret"), "s").unwrap();
    symlink(&outside, folders.from.join("link")).unwrap();
    symlink(&outside, folders.to.join("sub")).unwrap();
    for pattern in [
        "../outside/secret",
        "/etc/passwd",
        "sub/../../outside",
        "link/secret",
        ".git/config",
        ".GIT",
        "~/x",
        ".",
        "[z",
    ] {
        let outcomes = folders.copy(pattern).await;
        assert!(matches!(outcomes.as_slice(), [CopyOutcome::Refused { .. }]), "{pattern}: {outcomes:?}");
    }
    // Globs walk past links, and the worktree's own link is not written through.
    let outcomes = folders.copy("**/secret,*/secret,sub/file,nested,ok").await;
    let failed =
        |outcome: &CopyOutcome| matches!(outcome, CopyOutcome::Failed { path, .. } if path == "sub/file");
    assert!(outcomes.iter().any(failed), "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, CopyOutcome::Missing { .. })).count(), 2);
    assert_eq!(files(&folders.to), ["nested/file", "ok", "sub"]);
    assert_eq!(files(&outside), ["secret"]);
}

#[tokio::test]
async fn what_the_checkout_put_there_is_not_overwritten() {
    let folders = folders(&["config/a", "config/b"]);
    fs::create_dir(folders.to.join("config")).unwrap();
    fs::write(folders.to.join("config/a"), "checked out").unwrap();
    let outcomes = folders.copy("config").await;
    assert_eq!(outcomes[0], CopyOutcome::Exists { path: "config/a".into() });
    assert_eq!(outcomes[1], CopyOutcome::Copied { path: "config/b".into() });
    assert_eq!(fs::read_to_string(folders.to.join("config/a")).unwrap(), "checked out");
}

#[tokio::test]
async fn a_pipe_is_not_read() {
    let folders = folders(&["ok"]);
    crate::kit::fifo(&folders.from.join("fifo"));
    let outcomes = folders.copy("fifo,ok").await;
    assert!(
        matches!(outcomes.as_slice(), [CopyOutcome::Failed { .. }, CopyOutcome::Copied { .. }]),
        "{outcomes:?}"
    );
}

/// What filesystems say they are.
const BTRFS: i64 = 0x9123_683e;
const EXT4: i64 = 0xef53;
const TMPFS: i64 = 0x0102_1994;

#[tokio::test]
async fn a_folder_too_big_to_copy_is_cloned_or_left_and_named_files_are_always_copied() {
    const BIG: u64 = 257 << 20;
    let folders = folders(&["node_modules/small", "target/small", ".env"]);
    // A hole: it is long and takes no room.
    fs::File::create(folders.from.join("node_modules/big")).unwrap().set_len(BIG).unwrap();
    let outcomes = folders.copy("node_modules,target,.env").await;
    let left =
        CopyOutcome::TooBig { path: "node_modules".into(), bytes: BIG + "node_modules/small".len() as u64 };
    let was_left = outcomes.contains(&left);
    #[cfg(target_os = "linux")]
    match rustix::fs::statfs(&folders.to).unwrap().f_type {
        EXT4 | TMPFS => assert!(was_left, "{outcomes:?}"),
        BTRFS => assert!(!was_left, "{outcomes:?}"),
        _ => {}
    }
    let small = [".env", "target/small"];
    let all = [".env", "node_modules/big", "node_modules/small", "target/small"];
    assert_eq!(files(&folders.to), if was_left { &small[..] } else { &all[..] }, "all of it or nothing");
}

/// Makes a folder in a folder in a folder, with a file in the last. No call is given a path that is too long.
fn make_deep(top: &Path, levels: usize) {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut folder = openat(CWD, top, flags, Mode::empty()).unwrap();
    for _ in 0..levels {
        mkdirat(&folder, "d", Mode::RWXU).unwrap();
        folder = openat(&folder, "d", flags, Mode::empty()).unwrap();
    }
    openat(&folder, "f", OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC, Mode::RUSR).unwrap();
}

#[tokio::test]
async fn deep_folders_do_not_overflow_the_stack() {
    const LEVELS: usize = 1_500;
    let Folders { _root: root, from, to } = folders(&[]);
    fs::create_dir_all(from.join("deep")).unwrap();
    make_deep(&from.join("deep"), LEVELS);
    let bottom = Path::new("deep").join("d/".repeat(LEVELS)).join("f");
    // Copied, and walked by a pattern.
    for pattern in ["deep", "deep/**/f"] {
        let outcomes = copy_files(&from, &to, pattern).await.unwrap();
        let is_there = |outcome: &CopyOutcome| match outcome {
            CopyOutcome::Copied { path } | CopyOutcome::Exists { path } => *path == bottom,
            _ => false,
        };
        assert!(outcomes.iter().any(is_there), "{pattern}: {} outcomes", outcomes.len());
    }
    assert!(to.join(&bottom).exists());
    #[expect(clippy::disallowed_methods, reason = "what opens one folder after another, not all at once")]
    let removed = std::process::Command::new("rm").arg("-rf").arg(root.path()).status().unwrap();
    assert!(removed.success());
}
