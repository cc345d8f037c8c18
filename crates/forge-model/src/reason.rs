//! Why an attempt or a process did not end well: typed, with what to do.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

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
    /// There is no program to run the agent with.
    NotInstalled {
        /// What was looked for.
        message: String,
    },
    /// The agent's program is of a version that cannot be spoken to.
    WrongVersion {
        /// Which, and what was expected.
        message: String,
    },
    /// The account has used up what it may use for now.
    RateLimited {
        /// What the agent said.
        message: String,
        /// When it may go on, where the agent says so.
        resets_at: Option<Timestamp>,
    },
    /// The account has nothing left to use.
    OutOfQuota {
        /// What the agent said.
        message: String,
    },
    /// The model does not want to do this.
    ModelRefused {
        /// What the agent said.
        message: String,
    },
    /// The model's service refused or broke.
    ModelFailed {
        /// HTTP's status, where it is known.
        status: Option<u16>,
        /// What the agent said.
        message: String,
    },
    /// The agent broke the rules of its own protocol.
    ProtocolError {
        /// What was wrong.
        message: String,
    },
    /// Somebody interrupted the turn.
    Interrupted,
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
    /// Something killed the agent in the middle of its turn.
    AgentKilled {
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
            Self::NotInstalled { .. } => "not_installed",
            Self::WrongVersion { .. } => "wrong_version",
            Self::RateLimited { .. } => "rate_limited",
            Self::OutOfQuota { .. } => "out_of_quota",
            Self::ModelRefused { .. } => "model_refused",
            Self::ModelFailed { .. } => "model_failed",
            Self::ProtocolError { .. } => "protocol_error",
            Self::Interrupted => "interrupted",
            Self::NotLoggedIn { .. } => "not_logged_in",
            Self::AgentFailed { .. } => "agent_failed",
            Self::AgentCrashed { .. } => "agent_crashed",
            Self::AgentKilled { .. } => "agent_killed",
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
            Self::AgentCrashed { .. } | Self::Interrupted => {
                "its work is saved in the worktree; a follow-up goes on from there"
            }
            Self::AgentKilled { .. } => {
                "see whether the machine ran out of memory; its work is saved, and a follow-up goes on from there"
            }
            Self::NotInstalled { .. } => {
                "install the agent's program, then send a follow-up; `forge doctor` says how"
            }
            Self::WrongVersion { .. } => {
                "install the version that `forge doctor` names as tested, then send a follow-up"
            }
            Self::RateLimited { .. } => {
                "send a follow-up when the limit has been reset, or use another account"
            }
            Self::OutOfQuota { .. } => "see to the account's balance or plan, then send a follow-up",
            Self::ModelRefused { .. } => "say it otherwise in a follow-up, or use another model",
            Self::ModelFailed { .. } => {
                "see whether the model's service can be reached and is well, then send a follow-up"
            }
            Self::ProtocolError { .. } => {
                "read the raw log; a version of the agent that Forge is tested with is the remedy"
            }
            Self::CommitRefused { .. } => {
                "the work is saved in the worktree; fix what git names and send a follow-up, or set the project's `skip_commit_hooks` or `skip_commit_signing`"
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
            Self::NotInstalled { message } => write!(f, "the agent is not installed: {message}"),
            Self::WrongVersion { message } => write!(f, "the agent's version does not fit: {message}"),
            Self::RateLimited { message, resets_at: None } => {
                write!(f, "the account's limit is reached: {message}")
            }
            Self::RateLimited { message, resets_at: Some(at) } => {
                write!(f, "the account's limit is reached until {at}: {message}")
            }
            Self::OutOfQuota { message } => write!(f, "the account has nothing left: {message}"),
            Self::ModelRefused { message } => write!(f, "the model refused: {message}"),
            Self::ModelFailed { message, .. } => write!(f, "the model's service failed: {message}"),
            Self::ProtocolError { message } => write!(f, "the agent broke its protocol: {message}"),
            Self::Interrupted => f.write_str("the turn was interrupted"),
            Self::NotLoggedIn { message } => write!(f, "the agent is not logged in: {message}"),
            Self::AgentFailed { message } => write!(f, "the agent failed: {message}"),
            Self::AgentKilled { ended } => write!(f, "the agent {ended} in the middle of its turn"),
            Self::AgentCrashed { ended } => write!(f, "the agent {ended} in the middle of its turn"),
            Self::CommitRefused { message } => write!(f, "git did not take the commit: {message}"),
        }
    }
}
