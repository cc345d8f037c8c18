//! What can go wrong, one variant per decision a caller can take.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use crate::Operation;

/// Result of everything in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why git could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("the `git` program was not found; install git 2.41 or newer and put it on PATH")]
    GitMissing {
        #[source]
        source: io::Error,
    },
    #[error("git {found} is too old; install git 2.41 or newer")]
    GitTooOld { found: String },
    #[error("{} does not exist", .path.display())]
    PathNotFound { path: PathBuf },
    #[error("{} is not a directory", .path.display())]
    NotADirectory { path: PathBuf },
    #[error("{} is not a git repository", .path.display())]
    NotARepository { path: PathBuf },
    #[error("{} lies inside a git repository but is not its top folder", .path.display())]
    NotTheTop { path: PathBuf },
    #[error("{} is already a git repository", .path.display())]
    AlreadyARepository { path: PathBuf },
    #[error(
        "git refuses to use {} because another user owns it; to trust it, run `git config --global --add safe.directory {}`",
        .path.display(), .path.display()
    )]
    UnsafeOwnership { path: PathBuf },
    #[error("{} has files, but no commit that an attempt could start at", .path.display())]
    FilesNotCommitted { path: PathBuf },
    #[error("{} is a bare repository and has no uncommitted changes", .path.display())]
    NoCheckout { path: PathBuf },
    #[error("`{name}` is the beginning of more than one commit's name")]
    AmbiguousCommit { name: String },
    #[error("{} has no commit yet; make a first commit to branch from", .path.display())]
    NoCommits { path: PathBuf },
    #[error("branch `{name}` does not exist{}", did_you_mean(.suggestions))]
    BranchNotFound { name: String, suggestions: Vec<String> },
    #[error("`{name}` is not a valid branch name")]
    InvalidName { name: String },
    #[error("the name `{name}` is taken")]
    NameTaken { name: String },
    #[error(
        "branch `{branch}` cannot exist beside branch `{existing}`; rename that branch or choose another prefix"
    )]
    PrefixTaken { branch: String, existing: String },
    #[error("{} is not a worktree of this repository", .path.display())]
    NotAWorktree { path: PathBuf },
    #[error("worktree {} is locked by its user{}", .path.display(), because(.reason))]
    WorktreeLocked { path: PathBuf, reason: String },
    #[error("branch `{branch}` is checked out in another worktree")]
    BranchInUse { branch: String },
    #[error("another git process holds {}", .path.display())]
    Locked { path: PathBuf },
    #[error("{} files have unresolved merge conflicts", .paths.len())]
    Unmerged { paths: Vec<PathBuf> },
    #[error("a git hook refused the commit{}", because(.output))]
    HookRefused { output: String },
    #[error("git was stopped before it had finished")]
    Stopped,
    #[error("the commit could not be signed{}", because(.output))]
    SigningFailed { output: String },
    #[error("the submodules could not be initialised{}", because(.output))]
    SubmodulesFailed { output: String },
    #[error("the repository keeps files in git-lfs, which is not installed, so `{command}` failed")]
    LfsMissing { command: String },
    #[error("a submodule's commit could not be fetched from its address{}", because(.output))]
    SubmoduleCommitMissing { output: String },
    #[error("the disk is full, so `{command}` failed{}", because(.stderr))]
    DiskFull { command: String, stderr: String },
    #[error("the repository is damaged, so `{command}` failed{}", because(.stderr))]
    Damaged { command: String, stderr: String },
    #[error("{} is a pipe or a device, which git reads without end", .path.display())]
    Blocked { path: PathBuf },
    #[error("`{command}` took longer than {} seconds and was ended", .limit.as_secs())]
    TimedOut { command: String, limit: Duration },
    #[error("`{command}` failed with {status}{}", because(.stderr))]
    Failed { command: String, status: ExitStatus, stderr: String },
    #[error("`{command}` answered something that could not be understood")]
    Unreadable { command: String },
    #[error("`{command}` could not be run")]
    Run {
        command: String,
        #[source]
        source: io::Error,
    },
    #[error("could not {action} {}", .path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("there is no commit `{name}`")]
    CommitNotFound { name: String },
    #[error("`{name}` is not the name of a commit: that is 4 to 64 hex digits")]
    NotACommitName { name: String },
    #[error("`{}` cannot be deleted: {reason}", .path.display())]
    PathRefused { path: PathBuf, reason: &'static str },
    #[error("there is no file `{}` in the worktree", .path.display())]
    FileNotFound { path: PathBuf },
    #[error("a {operation} is in progress in the worktree")]
    InProgress { operation: Operation },
    #[error("the {operation} could not be aborted{}", because(.output))]
    NotAborted { operation: Operation, output: String },
    #[error("the server is shutting down")]
    ShuttingDown,
}

impl Error {
    /// Turns an [`io::Error`] into [`Error::Io`]: `fs::write(p, …).map_err(Error::io("write", p))`.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

fn did_you_mean(suggestions: &[String]) -> String {
    if suggestions.is_empty() {
        return String::new();
    }
    let quoted: Vec<_> = suggestions.iter().map(|name| format!("`{name}`")).collect();
    format!("; did you mean {}?", quoted.join(" or "))
}

fn because(text: &str) -> String {
    match text.trim() {
        "" => String::new(),
        text => format!(": {text}"),
    }
}
