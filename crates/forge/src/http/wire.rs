//! What clients get: the contract's shapes and names, built from the model's.

mod approval;
mod attempt;
mod branch;
mod config;
mod draft;
mod executor;
mod filesystem;
mod frame;
mod keep;
mod later;
mod message;
mod node;
mod offers;
mod process;
mod project;
mod run;
mod started;
mod stuff;
mod task;
mod turn;
mod usage;

pub(super) use approval::{Approval, Asked, PendingApproval, Responded};
pub(super) use attempt::{Attempt, FollowUp, FollowedUp, Queued, RemovedFollowUp, StoppedTaskAttempt};
pub(super) use branch::{
    BranchStatus, CommitCompare, CommitInfo, DiffEntry, FoundFile, NewTarget, Relations,
};
pub(super) use config::{Config, ConfigChange, Info, McpReply, Profiles, ProjectProfiles};
pub(super) use draft::{Draft, QueuedDraft, shown};
pub(super) use executor::Executor;
pub(super) use filesystem::{Container, Listing, Opened, Repository};
pub(super) use frame::{PatchFrame, TranscriptFrame};
pub(super) use keep::{Collection, Disk, Snapshot};
pub(super) use later::{AttachedPullRequest, Merged, NewPullRequest, Pulled, Rebased};
pub(super) use message::{EventFormat, Operation, write_event};
pub(super) use node::{ForgottenNode, Node};
pub(super) use offers::Offers;
pub(super) use process::Process;
pub(super) use project::{Branch, Project};
pub(super) use run::{Run, RunFrame, StartedRun, StoppedRun};
pub(super) use started::{StartedAttempt, StartedTask, status_of};
pub(super) use stuff::{Image, Settings, StandingAgent, Tag, Template};
pub(super) use task::Task;
pub(super) use turn::{DevServer, Replaced};
pub(super) use usage::Usage;

use forge_model::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// An executor and a variant; a variant that was not picked is left out.
#[derive(Serialize, JsonSchema)]
struct ProfileId<'a> {
    executor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'a str>,
}

impl<'a> From<&'a forge_model::Profile> for ProfileId<'a> {
    fn from(profile: &'a forge_model::Profile) -> Self {
        Self { executor: &profile.executor, variant: profile.variant.as_deref() }
    }
}

/// Why something failed, and what to do.
#[derive(Serialize, JsonSchema)]
struct Reason {
    code: &'static str,
    message: String,
    hint: &'static str,
    /// When the account's limit is reset, where the agent says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    resets_at: Option<Timestamp>,
}

impl From<&forge_model::Reason> for Reason {
    fn from(reason: &forge_model::Reason) -> Self {
        let resets_at = match reason {
            forge_model::Reason::RateLimited { resets_at, .. } => *resets_at,
            _ => None,
        };
        Self { code: reason.code(), message: reason.to_string(), hint: reason.hint(), resets_at }
    }
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
