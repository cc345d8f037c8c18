//! From the errors of the store, git and the process host to ours: which are the caller's, which the machine's.

use std::error::Error as StdError;

use forge_agent::agents::{NotInstalled, WrongVersion};
use forge_agent::client::{FindError, StartError};
use forge_agent::log::LogError;
use forge_git::Error as GitError;
use forge_store::StoreError;

use super::{Error, ErrorKind, HOST_SILENT, OUTCOME_UNKNOWN};
use crate::start::NAME_TAKEN;

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound { what } => {
                Self::new(ErrorKind::NotFound, "not_found", format!("there is no such {what}"))
            }
            StoreError::Conflict { what } => Self::conflict("conflict", what),
            StoreError::TaskClosed => Self::conflict("task_closed", error.to_string())
                .hint("move the task to todo first"),
            StoreError::WorktreeTaken { .. } => Self::conflict(NAME_TAKEN, error.to_string()),
            StoreError::Newer { .. } => Self::unavailable("database_newer", error.to_string())
                .hint("run the newer Forge, or give this one another data folder with --data"),
            StoreError::Busy { .. } => {
                Self::unavailable("database_busy", error.to_string()).hint("try again").because(error)
            }
            StoreError::Open { .. } => Self::unavailable("database_unusable", told(&error))
                .hint("see whether the disk is full and who owns the data folder")
                .because(error),
            StoreError::Connect { .. } => Self::unavailable("database_unreachable", told(&error))
                .hint("see whether PostgreSQL runs there, and whether DATABASE_URL names it rightly")
                .because(error),
            StoreError::Insecure { .. } => Self::unavailable("database_not_trusted", told(&error))
                .hint(
                    "see whether the server speaks TLS, whether sslrootcert in DATABASE_URL names the authority \
                     that signed its certificate, and whether that is for this host; sslmode says what is asked for",
                )
                .because(error),
            StoreError::Taken => Self::conflict("database_in_use", error.to_string())
                .hint("stop that server, or give this one a database of its own with DATABASE_URL"),
            StoreError::Superseded => Self::conflict("database_mismatch", error.to_string())
                .hint("restart this server: it checks whether folder and database belong together"),
            StoreError::Away { .. } => Self::unavailable("database_away", told(&error))
                .hint("see whether PostgreSQL runs; Forge goes on by itself when it is back")
                .because(error),
            StoreError::Unknown => Self::unavailable(OUTCOME_UNKNOWN, error.to_string()).hint(
                "the database is asked again when it is back; look whether the change was made, or repeat the call with \
                 the same Idempotency-Key",
            ),
            StoreError::Full { .. } => Self::disk_full(error.to_string()).because(error),
            StoreError::Unopened { .. } => Self::unavailable("database_unusable", error.to_string())
                .hint("see whether the disk is full, and whether Forge may open more files (ulimit -n)")
                .because(error),
            StoreError::File { .. } => Self::unavailable("file_not_writable", told(&error))
                .hint("see whether the disk is full and who owns the folder")
                .because(error),
            StoreError::ZeroByte => Self::invalid("zero_byte", error.to_string()).hint("leave it out"),
            StoreError::Pruned { first } => Self::new(ErrorKind::Gone, "events_pruned", error.to_string())
                .hint(format!("read everything anew, then go on after {first} or later")),
            StoreError::Closed => Self::unavailable("shutting_down", "the server is shutting down"),
            other => Self::internal("the database failed").because(other),
        }
    }
}

impl From<GitError> for Error {
    fn from(error: GitError) -> Self {
        let message = told(&error);
        // What hooks and filters say is not the system's.
        let is_systems =
            matches!(error, GitError::DiskFull { .. } | GitError::Io { .. } | GitError::Run { .. });
        if let Some(lacking) = Self::lacking(&message).filter(|_| is_systems) {
            return lacking.because(error);
        }
        let new = |kind, code| Self::new(kind, code, message.clone());
        if let Some(known) = of_start(&error, new) {
            return known.because(error);
        }
        match &error {
            GitError::GitMissing { .. } | GitError::GitTooOld { .. } => {
                new(ErrorKind::Unavailable, "git_unusable")
            }
            GitError::PathNotFound { .. } => {
                new(ErrorKind::Invalid, "path_not_found").hint("see whether it was moved")
            }
            GitError::NotADirectory { .. } => new(ErrorKind::Invalid, "path_not_a_folder"),
            GitError::NotARepository { .. } => new(ErrorKind::Invalid, "not_a_repository")
                .hint("run `git init` there, or send use_existing_repo: false to have one made"),
            GitError::NotTheTop { .. } => {
                new(ErrorKind::Invalid, "not_the_top").hint("give the repository's top folder")
            }
            GitError::AlreadyARepository { .. } => new(ErrorKind::Conflict, "already_a_repository")
                .hint("send use_existing_repo: true to use it"),
            GitError::UnsafeOwnership { .. } => new(ErrorKind::Unavailable, "unsafe_ownership"),
            GitError::InvalidName { .. } => new(ErrorKind::Invalid, "name_invalid")
                .hint("use a name that `git check-ref-format --branch` accepts, of at most 1000 bytes"),
            GitError::NameTaken { .. } => new(ErrorKind::Conflict, "name_taken"),
            GitError::PrefixTaken { .. } => new(ErrorKind::Conflict, "prefix_taken")
                .hint("rename the branch, or set another branch_prefix in the configuration"),
            GitError::NotAWorktree { .. } => new(ErrorKind::Conflict, "worktree_gone")
                .hint("the attempt's branch still has its commits; start another attempt from it"),
            GitError::WorktreeLocked { .. } => {
                new(ErrorKind::Conflict, "worktree_locked").hint("run `git worktree unlock`")
            }
            GitError::BranchInUse { .. } => new(ErrorKind::Conflict, "branch_in_use"),
            GitError::Locked { .. } => new(ErrorKind::Conflict, "repository_locked")
                .hint("wait for the other git, or remove a stale lock"),
            GitError::Damaged { .. } => new(ErrorKind::Conflict, "repository_damaged")
                .hint("see what `git status` and `git fsck` say in the repository"),
            GitError::Blocked { .. } => new(ErrorKind::Conflict, "pipe_in_worktree").hint("remove the pipe"),
            GitError::Unmerged { .. } => {
                new(ErrorKind::Conflict, "unmerged").hint("resolve the conflicts first")
            }
            GitError::CommitNotFound { .. } => new(ErrorKind::NotFound, "commit_not_found")
                .hint("give the whole name of a commit that is in the repository"),
            GitError::NotACommitName { .. } => new(ErrorKind::Invalid, "bad_commit"),
            GitError::PathRefused { .. } => new(ErrorKind::Invalid, "path_refused")
                .hint("give the path of a file of the worktree, relative to its top"),
            GitError::FileNotFound { .. } => new(ErrorKind::NotFound, "file_not_found")
                .hint("give the path as the diff has it, relative to the worktree's top"),
            GitError::InProgress { .. } => new(ErrorKind::Conflict, "operation_in_progress")
                .hint("finish it, or abort it: POST /api/task-attempts/{id}/conflicts/abort"),
            GitError::NotAborted { .. } => new(ErrorKind::Conflict, "not_aborted")
                .hint("end it in the worktree with git itself; what was there is saved as a snapshot"),
            GitError::Stopped => new(ErrorKind::Conflict, "git_stopped").hint("ask again"),
            GitError::TimedOut { .. } => new(ErrorKind::Conflict, "git_too_slow")
                .hint("see which hook or filter hangs; `git_minutes` in the configuration limits checkouts and commits"),
            GitError::HookRefused { .. } => new(ErrorKind::Conflict, "hook_refused")
                .hint("fix what the hook names, or set skip_commit_hooks of the project"),
            GitError::SigningFailed { .. } => new(ErrorKind::Conflict, "signing_failed")
                .hint("see whether `git commit` can sign without a person, or set skip_commit_signing of the project"),
            GitError::DiskFull { .. } => Self::disk_full(message.clone()),
            GitError::Io { .. } => new(ErrorKind::Unavailable, "folder_not_writable")
                .hint("see who owns the folder, and whether the disk is full"),
            GitError::ShuttingDown => new(ErrorKind::Unavailable, "shutting_down"),
            _ => new(ErrorKind::Unavailable, "git_failed"),
        }
        .because(error)
    }
}

/// Faults of the repository that a start can meet: no such commit, or files that cannot be checked out.
fn of_start(error: &GitError, new: impl Fn(ErrorKind, &'static str) -> Error) -> Option<Error> {
    Some(match error {
        GitError::NoCommits { .. } => new(ErrorKind::Invalid, "no_commits")
            .hint("make a first commit: git commit --allow-empty -m 'Initial commit'"),
        GitError::FilesNotCommitted { .. } => new(ErrorKind::Invalid, "files_not_committed")
            .hint("commit them there: git add --all && git commit -m 'Initial commit'"),
        GitError::NoCheckout { .. } => {
            new(ErrorKind::Invalid, "no_checkout").hint("omit include_uncommitted")
        }
        GitError::BranchNotFound { .. } => new(ErrorKind::Invalid, "branch_not_found")
            .hint("GET /api/projects/{id}/branches lists the branches; work can also start at a tag or a commit"),
        GitError::AmbiguousCommit { .. } => {
            new(ErrorKind::Invalid, "commit_ambiguous").hint("pass more digits of the commit")
        }
        GitError::SubmodulesFailed { output } if is_refused_address(output) => {
            new(ErrorKind::Invalid, "submodule_address_refused")
                .hint("use an https or ssh address in .gitmodules, or unset fetch_submodules")
        }
        GitError::SubmoduleCommitMissing { .. } => new(ErrorKind::Conflict, "submodule_commit_missing").hint(
            "push the commit in the submodule, or run `git submodule update --init` in the project's folder, so that the \
             commit is taken from there",
        ),
        GitError::LfsMissing { .. } => new(ErrorKind::Unavailable, "git_lfs_missing").hint(
            "install git-lfs (https://git-lfs.com) and put it on the PATH of `forge serve`, or run `git lfs uninstall` to \
             work with pointer files",
        ),
        GitError::SubmodulesFailed { .. } => new(ErrorKind::Unavailable, "submodules_failed")
            .hint("see whether `git submodule update --init` works in the repository"),
        _ => return None,
    })
}

/// Whether git refused the address of a submodule, as opposed to failing to reach it.
fn is_refused_address(output: &str) -> bool {
    let not_allowed = output.contains("transport '") && output.contains("' not allowed");
    let like_option = ["may be interpreted as a command-line option", "fatal: strange hostname"];
    not_allowed || like_option.iter().any(|words| output.contains(words))
}

impl From<StartError> for Error {
    fn from(error: StartError) -> Self {
        let message = told(&error);
        let is_systems = matches!(error, StartError::HostFailed { .. } | StartError::Prepare { .. });
        if let Some(lacking) = Self::lacking(&message).filter(|_| is_systems) {
            return lacking.because(error);
        }
        match &error {
            StartError::ProgramNotFound { .. } | StartError::NotExecutable { .. } => {
                Self::unavailable("program_not_runnable", message)
                    .hint("see whether it is installed and may be run")
            }
            StartError::BadWorkingDirectory { .. } => {
                Self::conflict("worktree_gone", message).hint("the attempt's branch still has its commits")
            }
            _ => Self::unavailable("start_failed", message)
                .hint("see whether the disk is full and processes can be made"),
        }
        .because(error)
    }
}

impl From<NotInstalled> for Error {
    fn from(error: NotInstalled) -> Self {
        Self::unavailable("not_installed", error.to_string()).hint(error.hint)
    }
}

impl From<WrongVersion> for Error {
    fn from(error: WrongVersion) -> Self {
        Self::unavailable("wrong_version", error.to_string()).hint(error.hint)
    }
}

impl From<FindError> for Error {
    fn from(error: FindError) -> Self {
        if error.source.kind() == std::io::ErrorKind::TimedOut {
            return Self::unavailable(HOST_SILENT, told(&error))
                .hint("its host is frozen or the machine is overloaded; it is asked again until it answers")
                .because(error);
        }
        lacking_or(&error, "a process's folder cannot be read").because(error)
    }
}

impl From<LogError> for Error {
    fn from(error: LogError) -> Self {
        lacking_or(&error, "a process's log cannot be read").because(error)
    }
}

/// A fault of ours, unless the machine lacks something.
fn lacking_or(error: &dyn StdError, message: &str) -> Error {
    Error::lacking(&told(error)).unwrap_or_else(|| Error::internal(message))
}

/// The error and what caused it, in one sentence: for those that a person can do something about.
fn told(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
