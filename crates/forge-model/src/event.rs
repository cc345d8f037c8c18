//! Events: every change, in the order in which it was committed.

use serde::{Deserialize, Serialize};

use crate::{
    Approval, ApprovalId, Attempt, AttemptId, Draft, FollowUp, Image, ImageId, Process, ProcessId, Project,
    ProjectId, RemovedFollowUp, StandingAgent, StandingAgentId, Tag, TagId, TaskCard, TaskId, Timestamp,
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
    /// A task is there: it was made, or it came to its project's board or left it.
    TaskCreated(TaskCard),
    /// A task changed, or what its attempts make of it. Whether it is on its project's board stays as it was.
    TaskUpdated(TaskCard),
    /// A task is gone. One that only left the board is there again with the next event.
    TaskDeleted {
        /// Which.
        id: TaskId,
        /// Whose it was.
        project_id: ProjectId,
        /// Whether it was on its project's board.
        #[serde(default = "yes")]
        on_board: bool,
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
        /// Its project; older events do not tell.
        #[serde(default)]
        project_id: Option<ProjectId>,
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
        /// The project of its attempt; older events do not tell.
        #[serde(default)]
        project_id: Option<ProjectId>,
        /// Whether that was a run.
        #[serde(default)]
        in_run: bool,
    },
    /// A prompt stands in an attempt's queue.
    FollowUpQueued(FollowUp),
    /// A prompt left the queue.
    FollowUpRemoved(RemovedFollowUp),
    /// A draft was written, or stands in the queue, or does not any more.
    DraftUpdated(Draft),
    /// A draft was sent or thrown away: nothing is in it any more.
    DraftCleared(Draft),
    /// Somebody asks for an approval.
    ApprovalAsked(Approval),
    /// An approval was answered, or cannot be any more.
    ApprovalAnswered(Approval),
    /// An approval is gone.
    ApprovalDeleted {
        /// Which.
        id: ApprovalId,
    },
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

/// Before events told it, only tasks on boards were deleted.
const fn yes() -> bool {
    true
}
