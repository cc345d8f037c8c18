//! A process: one program run in an attempt's worktree.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{AttemptId, How, ProcessId, Reason, Timestamp, Usage};

/// One program run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Its id, which also names its folder.
    pub id: ProcessId,
    /// The attempt it works for.
    pub attempt_id: AttemptId,
    /// Whether that attempt is a run.
    #[serde(default)]
    pub in_run: bool,
    /// What it is there for.
    pub kind: ProcessKind,
    /// What was run.
    pub action: Action,
    /// How far it is.
    pub state: ProcessState,
    /// Why it counts as failed, where the end alone does not say.
    pub reason: Option<Reason>,
    /// The commit that stood when it began.
    pub before_head_commit: Option<String>,
    /// The commit that stood when its work was committed.
    pub after_head_commit: Option<String>,
    /// Whether another turn took the place of the one it was part of.
    #[serde(default)]
    pub dropped: bool,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub completed_at: Option<Timestamp>,
    /// When the row last changed.
    pub updated_at: Timestamp,
    /// What its turn used up, once it has ended.
    #[serde(default)]
    pub usage: Usage,
}

/// What a process is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProcessKind {
    /// Prepares a new worktree.
    SetupScript,
    /// Does the work.
    CodingAgent,
    /// Tidies up after it.
    CleanupScript,
    /// Runs the project for a person to look at.
    DevServer,
}

impl ProcessKind {
    /// The wire's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SetupScript => "setupscript",
            Self::CodingAgent => "codingagent",
            Self::CleanupScript => "cleanupscript",
            Self::DevServer => "devserver",
        }
    }
}

/// What a process runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Action {
    /// A script, by bash.
    Script {
        /// Its text.
        script: String,
    },
    /// One turn of a conversation with an agent.
    Turn {
        /// What the agent is told.
        prompt: String,
        /// The conversation that goes on; none begins one.
        conversation: Option<String>,
        /// How the agent works.
        #[serde(default, flatten)]
        how: How,
    },
}

/// How a program ended, as far as the system can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum End {
    /// It ended by itself.
    Exited {
        /// What it returned.
        code: i32,
    },
    /// A signal ended it.
    Signaled {
        /// Which.
        signal: i32,
    },
    /// It ended because it was asked to.
    Stopped,
    /// Nobody saw it end.
    Lost,
    /// It never ran: the system did not take the program.
    NotStarted,
}

impl End {
    /// Whether it ended as a program does that did what it was there for.
    #[must_use]
    pub const fn is_success(self) -> bool {
        matches!(self, Self::Exited { code: 0 })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited { code } => write!(f, "ended with exit code {code}"),
            Self::Signaled { signal } => write!(f, "was ended by signal {signal}"),
            Self::Stopped => f.write_str("was stopped"),
            Self::Lost => f.write_str("was lost: nobody saw how it ended"),
            Self::NotStarted => f.write_str("could not be started"),
        }
    }
}

/// How far a process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ProcessState {
    /// It runs, or is about to: the row is written before the program is started.
    Running,
    /// It ended.
    Ended {
        /// How.
        end: End,
    },
}

impl Process {
    /// How it ended, once it has.
    #[must_use]
    pub const fn end(&self) -> Option<End> {
        match self.state {
            ProcessState::Running => None,
            ProcessState::Ended { end } => Some(end),
        }
    }

    /// The contract's word for its state. `lost` and a reason are failures; only a stop or an interrupt is `killed`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match self.end() {
            None => "running",
            Some(End::Stopped) => "killed",
            Some(_) if matches!(self.reason, Some(Reason::Interrupted)) => "killed",
            Some(end) if end.is_success() && self.reason.is_none() => "completed",
            Some(End::Exited { .. } | End::Signaled { .. } | End::Lost | End::NotStarted) => "failed",
        }
    }

    /// What it returned, where it returned something.
    #[must_use]
    pub const fn exit_code(&self) -> Option<i32> {
        match self.end() {
            Some(End::Exited { code }) => Some(code),
            Some(End::Signaled { .. } | End::Stopped | End::Lost | End::NotStarted) | None => None,
        }
    }
}
