//! Events: every change, in the order in which it was committed.

use serde::{Deserialize, Serialize};

use crate::{
    Approval, ApprovalId, Attempt, AttemptId, FollowUp, Process, ProcessId, Project, ProjectId, TaskCard,
    TaskId, Timestamp,
};

/// A position in the event log. The first event has 1; there are no gaps.
pub type Seq = i64;

/// One fact with its place in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Its place.
    pub seq: Seq,
    /// When it was committed.
    pub at: Timestamp,
    /// What became true.
    pub fact: Fact,
}

/// What became true, with the whole of what changed, so that a reader needs nothing else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Fact {
    /// A project is there.
    ProjectCreated(Project),
    /// A project changed.
    ProjectUpdated(Project),
    /// A project is gone, and all its tasks with it.
    ProjectDeleted {
        /// Which.
        id: ProjectId,
    },
    /// A task is there.
    TaskCreated(TaskCard),
    /// A task changed, or what its attempts make of it.
    TaskUpdated(TaskCard),
    /// A task is gone.
    TaskDeleted {
        /// Which.
        id: TaskId,
        /// Whose it was.
        project_id: ProjectId,
    },
    /// An attempt is there, or a run.
    AttemptCreated(Attempt),
    /// An attempt changed.
    AttemptUpdated(Attempt),
    /// An attempt is gone.
    AttemptDeleted {
        /// Which.
        id: AttemptId,
        /// Whose it was; none for a run.
        task_id: Option<TaskId>,
    },
    /// A process is there.
    ProcessCreated(Process),
    /// A process changed.
    ProcessUpdated(Process),
    /// A process is gone.
    ProcessDeleted {
        /// Which.
        id: ProcessId,
        /// Whose it was.
        attempt_id: AttemptId,
        /// Whether that was a run.
        #[serde(default)]
        in_run: bool,
    },
    /// A prompt stands in an attempt's queue.
    FollowUpQueued(FollowUp),
    /// A prompt left the queue: its turn came, or it was stopped.
    FollowUpRemoved(FollowUp),
    /// Somebody asks for an approval.
    ApprovalAsked(Approval),
    /// An approval was answered, or cannot be any more.
    ApprovalAnswered(Approval),
    /// An approval is gone.
    ApprovalDeleted {
        /// Which.
        id: ApprovalId,
    },
}
