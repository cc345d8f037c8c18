//! An attempt: one try at a task, with a branch, a worktree and a conversation of its own. A run is an attempt without
//! a task: it is asked once, in its own words, and no board shows it.

use serde::{Deserialize, Serialize};

use crate::{
    AttemptId, CreateTask, DraftKind, End, FollowUpId, Home, Process, ProcessId, Profile, ProjectId, Reason,
    TaskCard, TaskId, Timestamp, Usage,
};

/// One try at a task, or a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Its id; the branch's name is cut from it.
    pub id: AttemptId,
    /// The task it tries; none for a run.
    pub task_id: Option<TaskId>,
    /// The project it works in.
    pub project_id: ProjectId,
    /// What a run was asked for. An attempt at a task is asked what the task says.
    #[serde(default)]
    pub prompt: Option<String>,
    /// Who works, and how.
    pub profile: Profile,
    /// The branch the work goes to.
    pub branch: String,
    /// The branch it began at and shall go back to.
    pub target_branch: String,
    /// Where the work happens, absolute.
    pub worktree: String,
    /// Whether the worktree is gone.
    pub worktree_deleted: bool,
    /// The first of the ports that are this attempt's alone.
    pub first_port: Option<u16>,
    /// The agent's name for the conversation, once it told one.
    pub conversation: Option<String>,
    /// Whether the setup script has done its work, or there is none.
    pub set_up: bool,
    /// How far it is.
    pub state: AttemptState,
    /// The node that has its worktree and processes; none for an attempt of an older version.
    #[serde(default)]
    pub node: Option<Home>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// What its turns used up: added up where they end, and by nobody else.
    #[serde(default)]
    pub usage: Usage,
}

impl Attempt {
    /// Whether it is a run: work without a task.
    #[must_use]
    pub const fn is_run(&self) -> bool {
        self.task_id.is_none()
    }

    /// Whether another node owns it, so that nothing can be done with it here.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.is_elsewhere)
    }

    /// The word that clients read: `pending`, `running`, `completed`, `failed` or `killed`.
    #[must_use]
    pub const fn status(&self) -> &'static str {
        match &self.state {
            AttemptState::Queued { .. } => "pending",
            AttemptState::Running { .. } | AttemptState::Stopping { .. } => "running",
            AttemptState::Finished { outcome: Outcome::Succeeded } => "completed",
            AttemptState::Finished { outcome: Outcome::Stopped } => "killed",
            AttemptState::Finished { outcome: Outcome::Failed { .. } | Outcome::Lost } => "failed",
        }
    }

    /// Why it failed, where it did.
    #[must_use]
    pub const fn reason(&self) -> Option<&Reason> {
        if let AttemptState::Finished { outcome: Outcome::Failed { reason } } = &self.state {
            return Some(reason);
        }
        None
    }
}

/// How far an attempt is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum AttemptState {
    /// As many run as may: its turn begins when another's is over.
    Queued {
        /// When it came; first come, first served.
        since: Timestamp,
    },
    /// A stage of the chain is being done.
    Running {
        /// Which.
        stage: Stage,
    },
    /// It was asked to stop in this stage and has not yet.
    Stopping {
        /// Which.
        stage: Stage,
    },
    /// Nothing runs; a follow-up may go on.
    Finished {
        /// How it came out.
        outcome: Outcome,
    },
}

impl AttemptState {
    /// A word for the store to look for.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Queued { .. } => "queued",
            Self::Running { .. } => "running",
            Self::Stopping { .. } => "stopping",
            Self::Finished { .. } => "finished",
        }
    }

    /// Whether nothing runs.
    #[must_use]
    pub const fn is_finished(&self) -> bool {
        matches!(self, Self::Finished { .. })
    }
}

/// A step of the chain setup script → agent → commit → cleanup script → commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// The setup script runs.
    Setup,
    /// The agent works.
    Agent,
    /// What the agent changed is being committed.
    Commit,
    /// The cleanup script runs.
    Cleanup,
    /// What the cleanup script changed is being committed.
    CommitCleanup {
        /// How the script ended: a failure is told once its work is safe.
        end: End,
    },
}

/// How an attempt's turn came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    /// The chain went through.
    Succeeded,
    /// A stage failed.
    Failed {
        /// Which, and why.
        reason: Reason,
    },
    /// Somebody stopped it.
    Stopped,
    /// Nobody saw how its process ended.
    Lost,
}

/// A prompt that waits until the turn before it is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FollowUp {
    /// Its id.
    pub id: FollowUpId,
    /// The attempt in whose queue it stands.
    pub attempt_id: AttemptId,
    /// What the agent shall be told.
    pub prompt: String,
    /// The variant to use from here on; none keeps the one that was used.
    pub variant: Option<String>,
    /// How the agent shall work from here on.
    #[serde(default, flatten)]
    pub how: How,
    /// The turn that it takes the place of, where it does. Such a one comes before all others.
    #[serde(default)]
    pub retry: Option<Retry>,
    /// Whether it interrupts the turn that runs when it is sent, and comes before those that do not.
    #[serde(default)]
    pub interrupt: bool,
    /// When it may be sent at the earliest. Nobody sent such a one: it goes on by itself where a limit ended a turn.
    #[serde(default)]
    pub not_before: Option<Timestamp>,
    /// When it was sent.
    pub created_at: Timestamp,
}

/// A prompt that left its attempt's queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedFollowUp {
    /// The prompt as it was queued.
    #[serde(flatten)]
    pub follow_up: FollowUp,
    /// Why it left; none in an event of an older version.
    #[serde(default)]
    pub why: Option<QueueExit>,
    /// The draft that has its text again; none if it was sent, or was not queued as a draft.
    #[serde(default)]
    pub returned_to_draft: Option<DraftKind>,
}

/// Why a prompt left the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueExit {
    /// Its turn began.
    Sent,
    /// A person took it out, or a newer prompt took its place.
    Removed,
    /// The attempt was stopped.
    Stopped,
    /// The attempt was deleted.
    Deleted,
}

impl QueueExit {
    /// The wire's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Removed => "removed",
            Self::Stopped => "stopped",
            Self::Deleted => "deleted",
        }
    }
}

/// How an agent shall work, where a prompt says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct How {
    /// The model to use from here on, in the agent's words; none keeps the one that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The mode to work in from here on, in the agent's words; none keeps the one that was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Whether a turn that the account's limit ends goes on by itself when the limit is reset.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wait_for_limit: bool,
}

/// A turn that another takes the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// The agent's process of that turn. It and all later ones are dropped.
    pub process_id: ProcessId,
    /// What becomes of the worktree.
    pub worktree: WorktreeReset,
}

/// What becomes of the worktree when a turn is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorktreeReset {
    /// It is put back to what it was before that turn; what is in it is saved first.
    Reset,
    /// It stays as it is.
    Keep,
}

/// What an attempt is made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A task that is there.
    Existing(TaskId),
    /// A task that is made with the attempt, or not at all.
    New(CreateTask),
    /// No task: the attempt is a run.
    Run {
        /// Where it works.
        project_id: ProjectId,
        /// What it is asked for.
        prompt: String,
    },
}

/// Asks for an attempt that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartAttempt {
    /// What is tried.
    pub subject: Subject,
    /// Who shall work.
    pub profile: Profile,
    /// Where to begin: a branch, tag or commit; none is the project's default, or else the branch that the repository has checked out.
    pub base_branch: Option<String>,
    /// Whether it begins with the uncommitted changes of the project's folder.
    pub include_uncommitted: bool,
    /// Repeating a call with the same key gives the same answer.
    pub idempotency_key: Option<String>,
}

/// What a start made, be it for a task or a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// The task; a run has none.
    pub task: Option<TaskCard>,
    /// The attempt.
    pub attempt: Attempt,
    /// The process that runs; none while the attempt stands in the queue.
    pub process: Option<Process>,
}

impl Begun {
    /// As the start of a task's attempt; none for a run.
    #[must_use]
    pub fn of_task(self) -> Option<Started> {
        Some(Started { task: self.task?, attempt: self.attempt, process: self.process })
    }
}

/// What the start of a task's attempt made: all of it is there when this is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    /// The task.
    pub task: TaskCard,
    /// The attempt.
    pub attempt: Attempt,
    /// The process that runs: the setup script where there is one, else the agent. None while the attempt stands in
    /// the queue, because as many run as may.
    pub process: Option<Process>,
}
