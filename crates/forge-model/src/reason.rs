//! Why an attempt or a process did not end well: typed, with what to do.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Why something failed. The wire shows [`Reason::code`] and the sentence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "code", rename_all = "snake_case")]
pub enum Reason {
    /// The setup script did not end with 0.
    SetupFailed {
        /// How it ended.
        ended: String,
    },
    /// The cleanup script did not end with 0.
    CleanupFailed {
        /// How it ended.
        ended: String,
    },
    /// The program could not be started.
    StartFailed {
        /// What the system said.
        message: String,
    },
    /// The agent says that nobody is logged in.
    NotLoggedIn {
        /// What the agent said.
        message: String,
    },
    /// The agent ended its turn with an error.
    AgentFailed {
        /// What the agent said.
        message: String,
    },
    /// The agent ended before its turn did.
    AgentCrashed {
        /// How it ended.
        ended: String,
    },
    /// Git did not take the commit: a hook, the signature or the disk.
    CommitRefused {
        /// What git said.
        message: String,
    },
}

impl Reason {
    /// A word for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::SetupFailed { .. } => "setup_failed",
            Self::CleanupFailed { .. } => "cleanup_failed",
            Self::StartFailed { .. } => "start_failed",
            Self::NotLoggedIn { .. } => "not_logged_in",
            Self::AgentFailed { .. } => "agent_failed",
            Self::AgentCrashed { .. } => "agent_crashed",
            Self::CommitRefused { .. } => "commit_refused",
        }
    }

    /// What a person can do about it.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::SetupFailed { .. } => {
                "read the setup script's output, mend the script and send a follow-up"
            }
            Self::CleanupFailed { .. } => "read the cleanup script's output; the agent's work is committed",
            Self::StartFailed { .. } => {
                "see whether the program is installed and may be run, then send a follow-up"
            }
            Self::NotLoggedIn { .. } => "log in with the agent's own program, then send a follow-up",
            Self::AgentFailed { .. } => "read the agent's output, then send a follow-up",
            Self::AgentCrashed { .. } => "its work is saved in the worktree; a follow-up goes on from there",
            Self::CommitRefused { .. } => {
                "the work is saved in the worktree; mend what git names and send a follow-up"
            }
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetupFailed { ended } => write!(f, "the setup script {ended}"),
            Self::CleanupFailed { ended } => write!(f, "the cleanup script {ended}"),
            Self::StartFailed { message } => write!(f, "could not be started: {message}"),
            Self::NotLoggedIn { message } => write!(f, "the agent is not logged in: {message}"),
            Self::AgentFailed { message } => write!(f, "the agent failed: {message}"),
            Self::AgentCrashed { ended } => write!(f, "the agent {ended} in the middle of its turn"),
            Self::CommitRefused { message } => write!(f, "git did not take the commit: {message}"),
        }
    }
}
