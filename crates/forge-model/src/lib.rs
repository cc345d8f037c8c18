//! Ids, entities, commands, events and the state machines. No I/O, no async, no clock: what this crate
//! decides, it decides from its arguments.
#![warn(missing_docs)]

mod approval;
mod attempt;
mod draft;
mod event;
pub mod fsm;
mod id;
mod image;
mod nearest;
mod node;
mod patch;
pub mod preferences;
mod process;
mod profile;
mod project;
mod reason;
mod settings;
mod standing;
mod tag;
mod task;
mod time;
mod usage;

pub use approval::{
    AnswerApproval, AnswerRefusal, Approval, ApprovalStatus, AskApproval, Choice, ChoiceKind,
};
pub use attempt::{
    Attempt, AttemptState, Begun, FollowUp, How, Outcome, QueueExit, RemovedFollowUp, Retry, Stage,
    StartAttempt, Started, Subject, WorktreeReset,
};
pub use draft::{Draft, DraftKind, DraftRefusal, QueueDraft, Queueing, SaveDraft};
pub use event::{Event, Fact, Seq};
pub use id::{
    ApprovalId, AttemptId, DraftId, FollowUpId, ImageId, NodeId, ParseIdError, ProcessId, ProjectId,
    StandingAgentId, TagId, TaskId,
};
pub use image::{IMAGE_FOLDER, Image, ImageKind};
pub use nearest::nearest;
pub use node::Home;
pub use patch::Patch;
pub use process::{Action, End, Process, ProcessKind, ProcessState};
pub use profile::{ParseProfileError, Profile};
pub use project::{CreateProject, Project, RepositoryOrigin, UpdateProject};
pub use reason::Reason;
pub use settings::{MASK, OmniConfig, RecipientType, Settings, UpdateOmni, UpdateSettings};
pub use standing::{STANDING_TITLE, StandingAgent};
pub use tag::{CreateTag, Tag, UpdateTag};
pub use task::{CreateTask, ParseStatusError, Task, TaskCard, TaskMove, TaskStatus, UpdateTask};
pub use time::{ParseTimestampError, Timestamp};
pub use usage::Usage;
