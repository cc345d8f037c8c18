//! What can go wrong, told once: a kind for the status or exit code, a code for programs, a sentence and a hint
//! for people. The chain of causes stays inside and goes to the log.

mod from;
mod lack;

use std::error::Error as StdError;
use std::fmt;

use crate::worktree_root::WORKTREES_AWAY;

/// What the caller can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The thing that was named is not there.
    NotFound,
    /// The call itself is wrong.
    Invalid,
    /// The call does not fit the present state.
    Conflict,
    /// What was named was there and is not kept any more.
    Gone,
    /// What was sent is more than is taken.
    TooLarge,
    /// Something the machine lacks: a program, a folder that can be written, space.
    Unavailable,
    /// A fault of ours.
    Internal,
}

/// Codes of what goes by as it came.
const MAY_PASS: [&str; 8] = [
    lack::DISK_FULL,
    lack::TOO_MANY_FILES,
    "database_unusable",
    "database_busy",
    "database_away",
    // Of a server that runs: another took the database while the connection was lost.
    "database_in_use",
    OUTCOME_UNKNOWN,
    WORKTREES_AWAY,
];

/// The code of a process whose host does not answer.
pub(crate) const HOST_SILENT: &str = "host_silent";
/// The code of a change whose outcome the database has not told.
pub(crate) const OUTCOME_UNKNOWN: &str = "outcome_unknown";

/// An error of the engine.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    code: &'static str,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What engine calls give back.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(kind: ErrorKind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), hint: None, source: None }
    }

    pub(crate) fn not_found(what: &'static str, id: impl fmt::Display) -> Self {
        Self::new(ErrorKind::NotFound, "not_found", format!("there is no {what} {id}"))
    }

    pub(crate) fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, code, message)
    }

    pub(crate) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, code, message)
    }

    pub(crate) fn unavailable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, code, message)
    }

    pub(crate) fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Internal, "internal", message)
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn because(mut self, source: impl StdError + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// What the caller can do about it.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the same call may succeed later without anybody having to know of it: room on the disk comes back.
    pub(crate) fn may_pass(&self) -> bool {
        MAY_PASS.contains(&self.code)
    }

    /// A word for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.code
    }

    /// What a person can do about it.
    #[must_use]
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}
