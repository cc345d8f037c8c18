//! `ExecutionProcess`.

use forge_model::{Action, AttemptId, End, ProcessId, ProcessKind, Profile, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ProfileId, Reason, Usage};
use crate::http::spec::documented;

documented!(Process<'_>);

/// One program run in an attempt or an execution run.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ExecutionProcess")]
pub(in crate::http) struct Process<'a> {
    id: ProcessId,
    /// The attempt it works for; null in a run.
    task_attempt_id: Option<AttemptId>,
    /// The execution run it works for; null in an attempt.
    execution_run_id: Option<AttemptId>,
    run_reason: &'static str,
    executor_action: ExecutorAction<'a>,
    before_head_commit: Option<&'a str>,
    after_head_commit: Option<&'a str>,
    status: &'static str,
    exit_code: Option<i32>,
    state: &'static str,
    signal: Option<i32>,
    reason: Option<Reason>,
    /// Whether another turn took the place of the one it was part of.
    dropped: bool,
    /// What its turn used up; null before its end, and where the agent does not say.
    usage: Option<Usage>,
    started_at: Timestamp,
    completed_at: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// What was run. `next_action` is always null: what comes next is the attempt's affair, not its process's.
#[derive(Serialize, JsonSchema)]
struct ExecutorAction<'a> {
    typ: ActionType<'a>,
    next_action: Option<()>,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "type")]
enum ActionType<'a> {
    #[serde(rename = "CodingAgentInitialRequest")]
    First {
        prompt: &'a str,
        #[serde(flatten)]
        how: How<'a>,
        executor_profile_id: Option<ProfileId<'a>>,
    },
    #[serde(rename = "CodingAgentFollowUpRequest")]
    FollowUp {
        prompt: &'a str,
        session_id: &'a str,
        #[serde(flatten)]
        how: How<'a>,
        executor_profile_id: Option<ProfileId<'a>>,
    },
    #[serde(rename = "ScriptRequest")]
    Script { script: &'a str, language: &'static str, context: &'static str },
}

/// What a prompt said beside itself.
#[derive(Serialize, JsonSchema)]
struct How<'a> {
    /// The model that was asked for, in the agent's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'a str>,
    /// The mode that was asked for, in the agent's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'a str>,
}

impl<'a> Process<'a> {
    /// `profile` is the attempt's; it is none when the attempt is gone.
    pub(in crate::http) fn new(process: &'a forge_model::Process, profile: Option<&'a Profile>) -> Self {
        let (state, signal) = state(process.end());
        Self {
            id: process.id,
            task_attempt_id: (!process.in_run).then_some(process.attempt_id),
            execution_run_id: process.in_run.then_some(process.attempt_id),
            run_reason: process.kind.as_str(),
            executor_action: ExecutorAction { typ: action(process, profile), next_action: None },
            before_head_commit: process.before_head_commit.as_deref(),
            after_head_commit: process.after_head_commit.as_deref(),
            status: process.status(),
            exit_code: process.exit_code(),
            state,
            signal,
            reason: process.reason.as_ref().map(Reason::from),
            dropped: process.dropped,
            usage: Usage::told(&process.usage),
            started_at: process.started_at,
            completed_at: process.completed_at,
            created_at: process.started_at,
            updated_at: process.updated_at,
        }
    }
}

const fn state(end: Option<End>) -> (&'static str, Option<i32>) {
    match end {
        None => ("running", None),
        Some(End::Exited { .. }) => ("exited", None),
        Some(End::Signaled { signal }) => ("signaled", Some(signal)),
        Some(End::Stopped) => ("stopped", None),
        Some(End::Lost) => ("lost", None),
        Some(End::NotStarted) => ("not_started", None),
    }
}

fn action<'a>(process: &'a forge_model::Process, profile: Option<&'a Profile>) -> ActionType<'a> {
    let executor_profile_id = profile.map(ProfileId::from);
    match &process.action {
        Action::Turn { prompt, conversation, how } => {
            let how = How { model: how.model.as_deref(), mode: how.mode.as_deref() };
            match conversation {
                None => ActionType::First { prompt, how, executor_profile_id },
                Some(session_id) => ActionType::FollowUp { prompt, session_id, how, executor_profile_id },
            }
        }
        Action::Script { script } => ActionType::Script {
            script,
            language: "Bash",
            context: match process.kind {
                ProcessKind::CleanupScript => "CleanupScript",
                ProcessKind::DevServer => "DevServer",
                ProcessKind::SetupScript | ProcessKind::CodingAgent => "SetupScript",
            },
        },
    }
}
