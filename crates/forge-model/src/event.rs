//! Events: every change, in the order in which it was committed.

use serde::{Deserialize, Serialize};

use crate::{
    Attempt, AttemptId, FollowUp, Image, ImageId, Process, ProcessId, Project, ProjectId, StandingAgent,
    StandingAgentId, Tag, TagId, TaskCard, TaskId, Timestamp,
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
    /// An attempt is there.
    AttemptCreated(Attempt),
    /// An attempt changed.
    AttemptUpdated(Attempt),
    /// An attempt is gone.
    AttemptDeleted {
        /// Which.
        id: AttemptId,
        /// Whose it was.
        task_id: TaskId,
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
    },
    /// A prompt stands in an attempt's queue.
    FollowUpQueued(FollowUp),
    /// A prompt left the queue: its turn came, or it was stopped.
    FollowUpRemoved(FollowUp),
    /// A tag is there.
    TagCreated(Tag),
    /// A tag changed.
    TagUpdated(Tag),
    /// A tag is gone.
    TagDeleted {
        /// Which.
        id: TagId,
    },
    /// An image is there.
    ImageCreated(Image),
    /// An image is gone, and from the tasks that had it too.
    ImageDeleted {
        /// Which.
        id: ImageId,
    },
    /// A task has other images.
    TaskImagesChanged {
        /// Which task.
        task_id: TaskId,
        /// All that it has, in order.
        image_ids: Vec<ImageId>,
    },
    /// A standing agent is there.
    StandingAgentCreated(StandingAgent),
    /// A standing agent is gone, with its task.
    StandingAgentDeleted {
        /// Which.
        id: StandingAgentId,
        /// Whose it was.
        project_id: ProjectId,
    },
    /// Settings changed. What they are is not told here: a secret is among them.
    SettingsUpdated {
        /// The project whose they are; none for those of Forge as a whole.
        project_id: Option<ProjectId>,
    },
}
