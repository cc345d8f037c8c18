//! Events as server-sent messages: a JSON patch for clients that keep a tree, and a typed one for the others.
//! Only the last message of an event carries its id, so that whoever resumes never skips half an event.

use forge_engine::Told;
use forge_model::{Fact, Seq};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::json;

use super::{
    Approval, Attempt, Draft, FollowUp, Image, Process, Project, RemovedFollowUp, Run, StandingAgent, Tag,
    Task, shown,
};

/// One operation of a JSON patch.
#[derive(Serialize)]
pub(in crate::http) struct Operation<'a, T> {
    pub(in crate::http) op: &'static str,
    pub(in crate::http) path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::http) value: Option<&'a T>,
}

/// Which messages tell of an event; without one, both do.
#[derive(Clone, Copy, PartialEq, Eq, JsonSchema)]
#[schemars(rename_all = "snake_case", inline)]
pub(in crate::http) enum EventFormat {
    Events,
    JsonPatch,
}

impl<'de> Deserialize<'de> for EventFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "events" => Ok(Self::Events),
            "json_patch" => Ok(Self::JsonPatch),
            _ => Err(de::Error::custom("`events` or `json_patch` is expected")),
        }
    }
}

/// An attempt with the title of its task, as listeners show it.
#[derive(Serialize)]
struct TitledAttempt<'a> {
    #[serde(flatten)]
    attempt: Attempt<'a>,
    title: Option<&'a str>,
}

/// Appends the messages of an event.
pub(in crate::http) fn write_event(
    out: &mut String,
    told: &Told,
    format: Option<EventFormat>,
) -> serde_json::Result<()> {
    let mut write = Writer { out, seq: told.event.seq, format };
    match &told.event.fact {
        Fact::ProjectCreated(project) => {
            write.put("add", "projects", "project_update", project.id, &Project::from(project))
        }
        Fact::ProjectUpdated(project) => {
            write.put("replace", "projects", "project_update", project.id, &Project::from(project))
        }
        Fact::ProjectDeleted { id } => write.remove("projects", "project_deleted", id, &json!({ "id": id })),
        Fact::TaskCreated(card) => write.put("add", "tasks", "task_update", card.task.id, &Task::from(card)),
        Fact::TaskUpdated(card) => {
            write.put("replace", "tasks", "task_update", card.task.id, &Task::from(card))
        }
        Fact::TaskDeleted { id, project_id, .. } => {
            write.remove("tasks", "task_deleted", id, &json!({ "id": id, "project_id": project_id }))
        }
        Fact::AttemptDeleted { id, task_id: None, .. } => {
            write.remove("execution_runs", "execution_run_deleted", id, &json!({ "id": id }))
        }
        Fact::AttemptCreated(attempt) => write.attempt("add", attempt, told),
        Fact::AttemptUpdated(attempt) => write.attempt("replace", attempt, told),
        Fact::AttemptDeleted { id, task_id, .. } => {
            let gone = json!({ "id": id, "task_id": task_id });
            write.remove("task_attempts", "task_attempt_deleted", id, &gone)
        }
        Fact::ProcessCreated(process) => write.process("add", process, told),
        Fact::ProcessUpdated(process) => write.process("replace", process, told),
        Fact::ProcessDeleted { id, attempt_id, in_run, .. } => {
            let (attempt, run) = if *in_run { (None, Some(attempt_id)) } else { (Some(attempt_id), None) };
            let gone = json!({ "id": id, "task_attempt_id": attempt, "execution_run_id": run });
            write.remove("execution_processes", "execution_process_deleted", id, &gone)
        }
        Fact::FollowUpQueued(follow_up) => {
            write.put("add", "follow_ups", "follow_up_update", follow_up.id, &FollowUp::from(follow_up))
        }
        Fact::FollowUpRemoved(removed) => {
            let gone = RemovedFollowUp::from(removed);
            write.remove("follow_ups", "follow_up_deleted", removed.follow_up.id, &gone)
        }
        Fact::DraftUpdated(draft) | Fact::DraftCleared(draft) => write.draft(draft),
        Fact::ApprovalAsked(approval) => write.approval("add", approval),
        Fact::ApprovalAnswered(approval) => write.approval("replace", approval),
        Fact::ApprovalDeleted { id } => {
            write.remove("approvals", "approval_deleted", id, &json!({ "id": id }))
        }
        Fact::TagCreated(tag) => write.put("add", "tags", "tag_update", tag.id, &Tag::from(tag)),
        Fact::TagUpdated(tag) => write.put("replace", "tags", "tag_update", tag.id, &Tag::from(tag)),
        Fact::TagDeleted { id } => write.remove("tags", "tag_deleted", id, &json!({ "id": id })),
        Fact::ImageCreated(image) => {
            write.put("add", "images", "image_update", image.id, &Image::from(image))
        }
        Fact::ImageDeleted { id } => write.remove("images", "image_deleted", id, &json!({ "id": id })),
        Fact::TaskImagesChanged { task_id, image_ids } => {
            let images = json!({ "task_id": task_id, "image_ids": image_ids });
            write.put("add", "task_images", "task_images_update", task_id, &images)
        }
        Fact::StandingAgentCreated(agent) => {
            write.put("add", "forge_agents", "forge_agent_update", agent.id, &StandingAgent::from(agent))
        }
        Fact::StandingAgentDeleted { id, project_id } => {
            let gone = json!({ "id": id, "project_id": project_id });
            write.remove("forge_agents", "forge_agent_deleted", id, &gone)
        }
        Fact::SettingsUpdated { project_id } => {
            let whose = project_id.map_or_else(|| "global".to_owned(), |id| id.to_string());
            write.put("add", "settings", "settings_update", whose, &json!({ "project_id": project_id }))
        }
    }
}

struct Writer<'a> {
    out: &'a mut String,
    seq: Seq,
    format: Option<EventFormat>,
}

impl Writer<'_> {
    /// An attempt or a run, each under its own names.
    fn attempt(
        &mut self,
        op: &'static str,
        attempt: &forge_model::Attempt,
        told: &Told,
    ) -> serde_json::Result<()> {
        if attempt.is_run() {
            let run = Run::from(attempt);
            return self.put(op, "execution_runs", "execution_run_update", attempt.id, &run);
        }
        let path = format!("/task_attempts/{}", attempt.id);
        let attempt = Attempt::from(attempt);
        self.patch(&Operation { op, path: &path, value: Some(&attempt) })?;
        self.typed("task_attempt_update", &TitledAttempt { attempt, title: told.title.as_deref() })
    }

    /// In the contract's tree an attempt's drafts are always there, be they empty.
    fn draft(&mut self, draft: &forge_model::Draft) -> serde_json::Result<()> {
        let path = format!("/drafts/{}/{}", draft.attempt_id, draft.kind.as_str());
        self.patch(&Operation { op: "replace", path: &path, value: Some(&shown(draft)) })?;
        self.typed("draft_update", &Draft::from(draft))
    }

    fn process(
        &mut self,
        op: &'static str,
        process: &forge_model::Process,
        told: &Told,
    ) -> serde_json::Result<()> {
        let value = Process::new(process, told.profile.as_ref());
        self.put(op, "execution_processes", "execution_process_update", process.id, &value)
    }

    fn approval(&mut self, op: &'static str, approval: &forge_model::Approval) -> serde_json::Result<()> {
        self.put(op, "approvals", "approval_update", approval.id, &Approval::from(approval))
    }

    fn put<T: Serialize>(
        &mut self,
        op: &'static str,
        collection: &str,
        name: &str,
        id: impl std::fmt::Display,
        value: &T,
    ) -> serde_json::Result<()> {
        let path = format!("/{collection}/{id}");
        self.patch(&Operation { op, path: &path, value: Some(value) })?;
        self.typed(name, value)
    }

    fn remove<T: Serialize>(
        &mut self,
        collection: &str,
        name: &str,
        id: impl std::fmt::Display,
        value: &T,
    ) -> serde_json::Result<()> {
        let path = format!("/{collection}/{id}");
        self.patch(&Operation::<()> { op: "remove", path: &path, value: None })?;
        self.typed(name, value)
    }

    fn patch<T: Serialize>(&mut self, operation: &Operation<'_, T>) -> serde_json::Result<()> {
        if self.format == Some(EventFormat::Events) {
            return Ok(());
        }
        let patch = serde_json::to_string(&[operation])?;
        if self.format == Some(EventFormat::JsonPatch) {
            self.out.push_str(&format!("id: {}\n", self.seq));
        }
        self.out.push_str(&format!("event: json_patch\ndata: {patch}\n\n"));
        Ok(())
    }

    fn typed<T: Serialize>(&mut self, name: &str, value: &T) -> serde_json::Result<()> {
        if self.format == Some(EventFormat::JsonPatch) {
            return Ok(());
        }
        let value = serde_json::to_string(value)?;
        let seq = self.seq;
        self.out.push_str(&format!("id: {seq}\nevent: {name}\ndata: {value}\n\n"));
        Ok(())
    }
}
