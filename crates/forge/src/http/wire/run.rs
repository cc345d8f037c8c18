//! `ExecutionRun`: an attempt without a task, as the contract has it, and what it prints.

use forge_engine::StoppedAttempt;
use forge_model::{AttemptId, ProcessId, ProjectId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::attempt::{progress, state_word};
use super::{Process, ProfileId, Reason, RemovedFollowUp};
use crate::http::spec::documented;

documented!(Run<'_>, StoppedRun<'_>, StartedRun<'_>);

/// Work without a task: a branch, a worktree and a conversation.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExecutionRun")]
pub(in crate::http) struct Run<'a> {
    id: AttemptId,
    project_id: ProjectId,
    /// `run/` and the first eight digits of the id.
    branch: &'a str,
    /// Where it began.
    target_branch: &'a str,
    executor: &'a str,
    variant: Option<&'a str>,
    executor_profile_id: ProfileId<'a>,
    container_ref: &'a str,
    worktree_path: &'a str,
    /// What it was asked for at its start.
    prompt: &'a str,
    /// `pending`, `running`, `completed`, `failed` or `killed`.
    status: &'static str,
    /// `queued`, `running`, `stopping`, `finished` or `unreachable`.
    state: &'static str,
    stage: Option<&'static str>,
    /// `succeeded`, `failed`, `stopped` or `lost`.
    outcome: Option<&'static str>,
    reason: Option<Reason>,
    /// The node that has the worktree and the processes; null for a run of an older version.
    node: Option<&'a str>,
    /// Whether another node has them: then nothing can be done with the run here.
    unreachable: bool,
    worktree_deleted: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A run of which nothing runs any more.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct StoppedRun<'a> {
    #[serde(flatten)]
    run: Run<'a>,
    /// The prompts that this stop took out of the queue unsent.
    removed_follow_ups: Vec<RemovedFollowUp<'a>>,
}

impl<'a> From<&'a StoppedAttempt> for StoppedRun<'a> {
    fn from(stopped: &'a StoppedAttempt) -> Self {
        Self {
            run: Run::from(&stopped.attempt),
            removed_follow_ups: stopped.removed.iter().map(RemovedFollowUp::from).collect(),
        }
    }
}

impl<'a> From<&'a forge_model::Attempt> for Run<'a> {
    fn from(run: &'a forge_model::Attempt) -> Self {
        let (stage, outcome) = progress(&run.state);
        Self {
            id: run.id,
            project_id: run.project_id,
            branch: &run.branch,
            target_branch: &run.target_branch,
            executor: &run.profile.executor,
            variant: run.profile.variant.as_deref(),
            executor_profile_id: ProfileId::from(&run.profile),
            container_ref: &run.worktree,
            worktree_path: &run.worktree,
            prompt: run.prompt.as_deref().unwrap_or_default(),
            status: run.status(),
            state: state_word(run),
            stage,
            outcome,
            reason: run.reason().map(Reason::from),
            node: run.node.as_ref().map(|node| node.name.as_str()),
            unreachable: run.is_unreachable(),
            worktree_deleted: run.worktree_deleted,
            created_at: run.created_at,
            updated_at: run.updated_at,
        }
    }
}

/// What the start of a run made.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct StartedRun<'a> {
    execution_run: Run<'a>,
    execution_run_id: AttemptId,
    /// Null while the run stands in the queue.
    execution_process: Option<Process<'a>>,
    execution_process_id: Option<ProcessId>,
    queued: bool,
    /// Its place among those that wait for room, from 1.
    queue_position: Option<usize>,
}

impl<'a> StartedRun<'a> {
    pub(in crate::http) fn new(started: &'a forge_engine::StartedRun, queue_position: Option<usize>) -> Self {
        let process = started.process.as_ref();
        Self {
            execution_run: Run::from(&started.run),
            execution_run_id: started.run.id,
            execution_process: process.map(|process| Process::new(process, Some(&started.run.profile))),
            execution_process_id: process.map(|process| process.id),
            queued: process.is_none(),
            queue_position,
        }
    }
}

/// A frame of a run's output.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::http) enum RunFrame {
    /// Printed to standard output.
    Stdout {
        #[serde(rename = "Stdout")]
        text: String,
        /// Where to go on after a break: `?after=`, with `execution_process_id` to stay at this process.
        position: u64,
        execution_process_id: ProcessId,
    },
    /// Printed to standard error.
    Stderr {
        #[serde(rename = "Stderr")]
        text: String,
        position: u64,
        execution_process_id: ProcessId,
    },
    /// There is nothing more to come; the socket closes.
    #[expect(dead_code, reason = "only its shape is used: the socket itself writes the end of a stream")]
    Finished { finished: bool },
}
