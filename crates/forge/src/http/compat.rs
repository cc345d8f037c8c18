//! What clients send, in every spelling that is in use, turned into the engine's commands. Fields that are not
//! known are ignored. No other module knows that there is more than one spelling.

mod approval;
pub(super) mod attempt_as_task;
mod branches;
mod run;
pub(super) mod system;
pub(super) mod tools;
mod turns;

pub(super) use approval::{ApprovalAnswer, NewApproval};
pub(super) use branches::{AttachBody, PullRequestBody, RebaseBody, TargetChange, search_scope};
pub(super) use run::NewRun;

use std::fmt::Display;
use std::str::FromStr;

use forge_model::{
    AttemptId, CreateProject, CreateTask, ImageId, Patch, Profile, ProjectId, RepositoryOrigin, StartAttempt,
    Subject, TaskId, TaskStatus, UpdateProject, UpdateTask,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;

use super::problem::Problem;
pub(super) use turns::{
    DraftBody, FollowUpBody, FollowUpChange, QueueBody, ReplaceBody, SetupBody, Wanted, WhichDraft,
};

mod stuff;

pub(super) use stuff::{
    NewStandingAgent, NewTag, NewTemplate, SettingsChange, TagChange, TagSearch, TemplateChange,
};

/// What people read in one line is not longer.
const MOST_NAME_CHARS: usize = 1_000;

/// A project to make.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CreateProject")]
pub(super) struct NewProject {
    name: String,
    git_repo_path: Option<String>,
    /// An older client's name for it.
    repo_path: Option<String>,
    /// Some clients leave it out: then the repository is there.
    use_existing_repo: Option<bool>,
    setup_script: Option<String>,
    dev_script: Option<String>,
    cleanup_script: Option<String>,
    copy_files: Option<String>,
    commit_prompt: Option<String>,
    /// The branch that work begins at where none is named; it has to be there.
    default_base_branch: Option<String>,
    /// Whether submodules are fetched, over https and ssh, from the addresses that the repository names.
    fetch_submodules: Option<bool>,
    /// Whether Forge commits without the `pre-commit` and `commit-msg` hooks (`git commit --no-verify`).
    skip_commit_hooks: Option<bool>,
    /// Whether Forge leaves its commits unsigned; `false`: it signs them if git's settings ask for that.
    skip_commit_signing: Option<bool>,
}

impl NewProject {
    pub(super) fn into_command(self) -> Result<CreateProject, Problem> {
        check_length("name", &self.name)?;
        let git_repo_path = self.git_repo_path.or(self.repo_path).ok_or_else(|| missing("git_repo_path"))?;
        Ok(CreateProject {
            name: self.name,
            git_repo_path,
            origin: match self.use_existing_repo {
                Some(false) => RepositoryOrigin::New,
                Some(true) | None => RepositoryOrigin::Existing,
            },
            setup_script: self.setup_script,
            dev_script: self.dev_script,
            cleanup_script: self.cleanup_script,
            copy_files: self.copy_files,
            commit_prompt: self.commit_prompt,
            default_base_branch: self.default_base_branch,
            fetch_submodules: self.fetch_submodules.unwrap_or(false),
            skip_commit_hooks: self.skip_commit_hooks.unwrap_or(false),
            skip_commit_signing: self.skip_commit_signing.unwrap_or(false),
        })
    }
}

/// What shall be different in a project.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct ProjectChange(UpdateProject);

impl ProjectChange {
    pub(super) fn into_command(self) -> Result<UpdateProject, Problem> {
        if let Patch::Set(name) = &self.0.name {
            check_length("name", name)?;
        }
        Ok(self.0)
    }
}

/// Changes of a task. A field that is left out or `null` keeps its value: the original front end sends every field, and
/// `null` for those that it does not change.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(default)]
pub(super) struct TaskChange {
    /// A new title.
    title: Option<String>,
    /// A new description; `""` clears it.
    description: Option<String>,
    /// A new status.
    status: Option<TaskStatus>,
    /// Another parent, by its id; `""` clears it.
    parent_task_attempt: Option<IdOrNone<AttemptId>>,
    /// The images of the task from now on; `[]` clears them.
    image_ids: Option<Vec<ImageId>>,
}

impl TaskChange {
    pub(super) fn into_command(self) -> Result<UpdateTask, Problem> {
        if let Some(title) = &self.title {
            check_length("title", title)?;
        }
        Ok(UpdateTask {
            title: keep_or_set(self.title),
            description: keep_or_set(self.description),
            status: keep_or_set(self.status),
            parent_task_attempt: match self.parent_task_attempt {
                None => Patch::Keep,
                Some(IdOrNone(None)) => Patch::Clear,
                Some(IdOrNone(Some(parent))) => Patch::Set(parent),
            },
            image_ids: self.image_ids,
        })
    }
}

/// A field whose `null` keeps the value.
fn keep_or_set<T>(value: Option<T>) -> Patch<T> {
    value.map_or(Patch::Keep, Patch::Set)
}

/// The same for a text that a blank one clears.
fn keep_clear_or_set(text: Option<String>) -> Patch<String> {
    blank_clears(keep_or_set(text))
}

/// A blank text clears the field.
fn blank_clears(text: Patch<String>) -> Patch<String> {
    match text {
        Patch::Set(text) if text.trim().is_empty() => Patch::Clear,
        text => text,
    }
}

/// An id, or `""` for none.
struct IdOrNone<T>(Option<T>);

impl<T> JsonSchema for IdOrNone<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "IdOrNone".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for IdOrNone<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.trim() {
            "" => Ok(Self(None)),
            id => id.parse().map(|id| Self(Some(id))).map_err(de::Error::custom),
        }
    }
}

/// A task to make. The project may stand in the path instead.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CreateTask")]
pub(super) struct NewTask {
    project_id: Option<ProjectId>,
    title: String,
    description: Option<String>,
    parent_task_attempt: Option<AttemptId>,
    /// Images that were uploaded before.
    image_ids: Option<Vec<ImageId>>,
}

impl NewTask {
    pub(super) fn into_command(self, in_path: Option<ProjectId>) -> Result<CreateTask, Problem> {
        let project_id = match (in_path, self.project_id) {
            (Some(path), Some(body)) if path != body => {
                return Err(Problem::invalid("project_mismatch", "path and body name different projects"));
            }
            (Some(id), _) | (None, Some(id)) => id,
            (None, None) => return Err(missing("project_id")),
        };
        check_length("title", &self.title)?;
        Ok(CreateTask {
            project_id,
            title: self.title,
            description: self.description,
            parent_task_attempt: self.parent_task_attempt,
            image_ids: self.image_ids.unwrap_or_default(),
        })
    }
}

/// A task to make and start: the task nested under `task`, or its fields beside the others.
#[derive(Deserialize, JsonSchema)]
pub(super) struct CreateAndStart {
    task: Option<NewTask>,
    project_id: Option<ProjectId>,
    title: Option<String>,
    description: Option<String>,
    parent_task_attempt: Option<AttemptId>,
    /// Images that were uploaded before.
    image_ids: Option<Vec<ImageId>>,
    executor_profile_id: Option<AnyProfile>,
    /// The variant, where the profile names none.
    variant: Option<String>,
    /// Where to begin: a branch, also a remote's such as `origin/main`, a tag or a commit.
    base_branch: Option<String>,
    /// Begins with the uncommitted changes of the project's folder, which are a commit of their own on the branch.
    include_uncommitted: Option<bool>,
    /// Deprecated: every attempt works in a worktree of its own. `false` is accepted, and the answer has a warning.
    use_worktree: Option<bool>,
}

impl CreateAndStart {
    pub(super) fn use_worktree(&self) -> UseWorktree {
        UseWorktree::from(self.use_worktree)
    }

    pub(super) fn into_command(
        self,
        in_path: Option<ProjectId>,
        key: Option<String>,
    ) -> Result<StartAttempt, Problem> {
        let task = match (self.task, self.title) {
            (Some(task), _) => NewTask {
                project_id: task.project_id.or(self.project_id),
                image_ids: task.image_ids.or(self.image_ids),
                ..task
            },
            (None, Some(title)) => NewTask {
                project_id: self.project_id,
                title,
                description: self.description,
                parent_task_attempt: self.parent_task_attempt,
                image_ids: self.image_ids,
            },
            (None, None) => return Err(missing("task")),
        };
        let how = How {
            executor_profile_id: self.executor_profile_id,
            variant: self.variant,
            base_branch: self.base_branch,
            include_uncommitted: self.include_uncommitted,
        };
        how.into_command(Subject::New(task.into_command(in_path)?), key)
    }
}

/// An attempt to start for a task that is there. The task may stand in the path instead.
#[derive(Deserialize, JsonSchema)]
pub(super) struct StartBody {
    task_id: Option<TaskId>,
    executor_profile_id: Option<AnyProfile>,
    /// An older client's name for it.
    executor: Option<AnyProfile>,
    /// The variant, where the profile names none.
    variant: Option<String>,
    /// Where to begin: a branch, also a remote's such as `origin/main`, a tag or a commit.
    base_branch: Option<String>,
    /// Begins with the uncommitted changes of the project's folder, which are a commit of their own on the branch.
    include_uncommitted: Option<bool>,
    /// Deprecated: every attempt works in a worktree of its own. `false` is accepted, and the answer has a warning.
    use_worktree: Option<bool>,
}

impl StartBody {
    pub(super) fn use_worktree(&self) -> UseWorktree {
        UseWorktree::from(self.use_worktree)
    }

    pub(super) fn into_command(
        self,
        in_path: Option<TaskId>,
        key: Option<String>,
    ) -> Result<StartAttempt, Problem> {
        let task = in_path.or(self.task_id).ok_or_else(|| missing("task_id"))?;
        let how = How {
            executor_profile_id: self.executor_profile_id.or(self.executor),
            variant: self.variant,
            base_branch: self.base_branch,
            include_uncommitted: self.include_uncommitted,
        };
        how.into_command(Subject::Existing(task), key)
    }
}

/// Whether a caller of a start wants a worktree. The standing chat of the original front end does not; it gets one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UseWorktree {
    Wanted,
    Declined,
}

impl From<Option<bool>> for UseWorktree {
    fn from(use_worktree: Option<bool>) -> Self {
        if use_worktree == Some(false) { Self::Declined } else { Self::Wanted }
    }
}

/// Who works, and where it begins. Not flattened into the bodies: what is wrong with a field would lose its name.
struct How {
    executor_profile_id: Option<AnyProfile>,
    variant: Option<String>,
    /// Where to begin: a branch, also a remote's such as `origin/main`, a tag or a commit.
    base_branch: Option<String>,
    /// Begins with the uncommitted changes of the project's folder, which are a commit of their own on the branch.
    include_uncommitted: Option<bool>,
}

impl How {
    fn into_command(self, subject: Subject, key: Option<String>) -> Result<StartAttempt, Problem> {
        let profile = self.executor_profile_id.ok_or_else(|| missing("executor_profile_id"))?;
        let profile = with_variant(profile, self.variant)?;
        let base_branch = self.base_branch.filter(|branch| !branch.trim().is_empty());
        Ok(StartAttempt {
            subject,
            profile,
            base_branch,
            include_uncommitted: self.include_uncommitted.unwrap_or(false),
            idempotency_key: key,
        })
    }
}

/// `"CLAUDE_CODE"`, `"claude-code:plan"`, `{"executor": …, "variant": …}` or `{"profile": …}`.
struct AnyProfile(Profile);

impl JsonSchema for AnyProfile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AnyProfile".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Who works: `\"CLAUDE_CODE\"`, `\"CLAUDE_CODE:PLAN\"`, or both apart.",
            "examples": ["CLAUDE_CODE", { "executor": "CLAUDE_CODE", "variant": "PLAN" }],
            "oneOf": [
                { "type": "string" },
                {
                    "type": "object",
                    "properties": {
                        "executor": { "type": "string" },
                        "variant": { "type": ["string", "null"] },
                    },
                },
            ],
        })
    }
}

impl<'de> Deserialize<'de> for AnyProfile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let profile = match &value {
            Value::String(text) => text.parse(),
            Value::Object(fields) => {
                let text = |name| fields.get(name).and_then(Value::as_str);
                let executor = text("executor").or_else(|| text("profile")).unwrap_or_default();
                Profile::new(executor, text("variant"))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => "".parse(),
        };
        profile.map(Self).map_err(de::Error::custom)
    }
}

/// The profile with a variant that stands beside it, unless it has one itself.
fn with_variant(AnyProfile(profile): AnyProfile, variant: Option<String>) -> Result<Profile, Problem> {
    let variant = profile.variant.clone().or(variant);
    Profile::new(&profile.executor, variant.as_deref())
        .map_err(|error| Problem::invalid("wrong_shape", format!("`variant`: {error}")))
}

fn missing(field: &str) -> Problem {
    Problem::invalid("wrong_shape", format!("`{field}` is missing")).hint("add the field to the body")
}

fn check_length(field: &str, text: &str) -> Result<(), Problem> {
    if text.chars().nth(MOST_NAME_CHARS).is_none() {
        return Ok(());
    }
    Err(Problem::invalid("too_long", format!("`{field}` is longer than 1,000 characters"))
        .hint("say it in one line; a task's description may be as long as it needs to be"))
}

#[cfg(test)]
#[path = "compat_tests.rs"]
mod tests;
