//! What the tests of this crate share.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use forge_git::{Git, Mark, NewWorktree, Oid, Repo, Worktree};
use forge_testkit::repo::TempRepo;

/// Git with the hermetic environment of a test repository.
pub(crate) async fn git(repo: &TempRepo) -> Git {
    Git::find_with_env(repo.env()).await.unwrap()
}

pub(crate) async fn open(repo: &TempRepo) -> Repo {
    git(repo).await.open(repo.path()).await.unwrap()
}

pub(crate) fn mark(value: &str) -> Mark {
    Mark { key: "forge-attempt".to_owned(), value: value.to_owned() }
}

/// A worktree to be made from `main`, with branch `forge/<name>` and mark `id-<name>`.
pub(crate) async fn wanted(temp: &TempRepo, repo: &Repo, name: &str) -> NewWorktree {
    NewWorktree {
        path: temp.beside("worktrees").join(name),
        branch: format!("forge/{name}"),
        base: repo.resolve("main").await.unwrap().oid,
        trusted: None,
        mark: mark(&format!("id-{name}")),
        submodules: forge_git::Submodules::Local,
    }
}

pub(crate) async fn add(temp: &TempRepo, repo: &Repo, name: &str) -> Worktree {
    repo.add_worktree(&wanted(temp, repo, name).await).await.unwrap()
}

/// Everything a start could leave behind: branches, registrations, config, folders.
pub(crate) fn traces(temp: &TempRepo) -> Vec<String> {
    let mut traces = vec![
        temp.git(&["for-each-ref", "--format=%(refname)"]),
        temp.git(&["worktree", "list", "--porcelain"]),
        temp.git(&["config", "--local", "--list"]),
    ];
    let admin = PathBuf::from(temp.git(&["rev-parse", "--path-format=absolute", "--git-common-dir"]));
    for folder in [temp.beside("worktrees"), admin.join("worktrees"), admin.join("forge-tmp")] {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().display().to_string()).collect();
        names.sort();
        traces.push(names.join(" "));
    }
    traces
}

/// Writes an executable shell script.
pub(crate) fn script(path: &Path, body: &str) {
    // By another process: a file that this one has open for writing when it starts something cannot
    // be executed until that something has.
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    shell(
        "printf '%s\n' '#!/bin/sh' \"$2\" > \"$1\" && chmod 755 \"$1\"",
        &[path.as_os_str(), OsStr::new(body)],
    );
}

/// Makes a named pipe, on which a script and its test wait for each other.
pub(crate) fn fifo(path: &Path) {
    shell("mkfifo \"$1\"", &[path.as_os_str()]);
}

#[expect(clippy::disallowed_methods, reason = "sets the stage for a test")]
fn shell(script: &str, args: &[&OsStr]) {
    assert!(Command::new("sh").args(["-c", script, "sh"]).args(args).status().unwrap().success());
}

pub(crate) fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}
