//! Attempts and their processes, as callers see them. What changes them goes through their actor.

use forge_agent::host::Capped;
use forge_model::{
    Attempt, AttemptId, FollowUp, FollowUpId, How, ImageId, Patch, Process, ProcessId, ProcessKind,
    RemovedFollowUp, TaskId, Timestamp,
};

use crate::actor::Request;
use crate::actors::Unheard;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::events::AsOf;
use crate::images;

/// Asks an attempt's agent for more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendFollowUp {
    /// What the agent shall be told.
    pub prompt: String,
    /// The variant to use from here on; none keeps the one that was used.
    pub variant: Option<String>,
    /// How the agent shall work from here on.
    pub how: How,
    /// Whether the turn that runs is interrupted for it.
    pub interrupt: bool,
    /// Images that the task gets with it, and the agent sees.
    pub image_ids: Vec<ImageId>,
}

/// Changes a prompt that waits; what is not named stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeFollowUp {
    /// What the agent shall be told.
    pub prompt: Option<String>,
    /// The variant to use from there on.
    pub variant: Patch<String>,
    /// The model to use from there on.
    pub model: Patch<String>,
    /// The mode to work in from there on.
    pub mode: Patch<String>,
    /// Whether it interrupts the turn that runs, at once.
    pub interrupt: Option<bool>,
}

/// What became of a follow-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowedUp {
    /// The agent works on it.
    Started(Process),
    /// The agent is at work; this comes when it is done.
    Queued {
        /// What was queued.
        follow_up: FollowUp,
        /// How many stand before it.
        ahead: usize,
    },
}

/// An attempt of which nothing runs any more, and what a stop took out of its queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoppedAttempt {
    /// The attempt.
    pub attempt: Attempt,
    /// The prompts that were not sent, in the order of the queue.
    pub removed: Vec<RemovedFollowUp>,
}

impl Engine {
    /// The attempts of a task, or all of them, newest first; none for a task that does not exist.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_attempts(&self, task: Option<TaskId>) -> Result<Vec<Attempt>> {
        Ok(self.inner.store.list_attempts(task).await?)
    }

    /// At most `limit` of them, those that come after the one that was made `before` and has this id.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn page_of_attempts(
        &self,
        task: Option<TaskId>,
        before: Option<(Timestamp, AttemptId)>,
        limit: usize,
    ) -> Result<Vec<Attempt>> {
        Ok(self.inner.store.page_of_attempts(task, before, limit).await?)
    }

    /// One attempt.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn get_attempt(&self, id: AttemptId) -> Result<Attempt> {
        Ok(self.inner.store.get_attempt(id).await?)
    }

    /// One attempt whose worktree and processes are on this node.
    pub(crate) async fn get_attempt_here(&self, id: AttemptId) -> Result<Attempt> {
        let attempt = self.get_attempt(id).await?;
        here(&attempt)?;
        Ok(attempt)
    }

    /// One process whose folder is on this node.
    pub(crate) async fn get_process_here(&self, id: ProcessId) -> Result<Process> {
        let process = self.get_process(id).await?;
        self.get_attempt_here(process.attempt_id).await?;
        Ok(process)
    }

    /// Goes on with an attempt's conversation: at once when nothing runs, else when the turn is over.
    ///
    /// # Errors
    /// When the attempt or an image is not there, the prompt is empty, or the agent cannot be started.
    pub async fn follow_up(&self, id: AttemptId, mut command: SendFollowUp) -> Result<FollowedUp> {
        check_prompt(&command.prompt)?;
        command.prompt = self.hide(command.prompt);
        let attempt = self.get_attempt_here(id).await?;
        self.check_variant(&attempt, command.variant.as_deref()).await?;
        self.show_images(&attempt, std::mem::take(&mut command.image_ids)).await?;
        let prompt = command.prompt.clone();
        let sent = self.inner.actors.ask(self, id, |answer| Request::FollowUp(command, answer)).await?;
        self.draft_was_sent(id, &prompt).await;
        Ok(sent)
    }

    /// Whether the attempt's agent can be started with this variant; none is the one that it has.
    pub(crate) async fn check_variant(&self, attempt: &Attempt, variant: Option<&str>) -> Result<()> {
        let mut profile = attempt.profile.clone();
        if let Some(variant) = variant {
            profile.variant = Some(variant.to_owned());
        }
        let project = self.get_project(attempt.project_id).await?;
        self.resolve(&project, &profile).await.map(drop)
    }

    /// Images that a prompt comes with are the task's from then on: whatever starts in the attempt is shown them, after
    /// a crash too.
    pub(crate) async fn show_images(&self, attempt: &Attempt, images: Vec<ImageId>) -> Result<()> {
        let images = images::checked(images)?;
        if images.is_empty() {
            return Ok(());
        }
        let task = attempt.task_id.ok_or_else(|| {
            Error::invalid("images_need_a_task", "a run has no task that images could belong to")
                .hint("leave image_ids out, or start an attempt of a task")
        })?;
        self.inner.store.add_task_images(task, images).await?;
        Ok(())
    }

    /// The prompts that wait for an attempt's turn to end, first come first.
    ///
    /// # Errors
    /// When the attempt is not there.
    pub async fn list_follow_ups(&self, id: AttemptId) -> Result<Vec<FollowUp>> {
        self.get_attempt_here(id).await?;
        Ok(self.inner.store.list_follow_ups(id).await?)
    }

    /// Changes a prompt that waits for its turn.
    ///
    /// # Errors
    /// When it does not wait any more, it would be empty, there is no such variant, or it is a draft's.
    pub async fn change_follow_up(
        &self,
        id: AttemptId,
        follow_up: FollowUpId,
        mut change: ChangeFollowUp,
    ) -> Result<FollowUp> {
        let attempt = self.get_attempt_here(id).await?;
        if let Some(prompt) = change.prompt.take() {
            check_prompt(&prompt)?;
            change.prompt = Some(self.hide(prompt));
        }
        if let Patch::Set(variant) = &change.variant {
            self.check_variant(&attempt, Some(variant)).await?;
        }
        let change = |answer| Request::ChangeFollowUp(follow_up, change, answer);
        self.inner.actors.ask(self, id, change).await
    }

    /// Takes a prompt out of the queue; one that is a draft's is a draft again.
    ///
    /// # Errors
    /// When it does not wait any more.
    pub async fn remove_follow_up(&self, id: AttemptId, follow_up: FollowUpId) -> Result<FollowUp> {
        self.get_attempt_here(id).await?;
        self.inner.actors.ask(self, id, |answer| Request::RemoveFollowUp(follow_up, answer)).await
    }

    /// Lets the agent end its turn without ending its program; answers when the turn is over. One that does not end it
    /// in time is stopped. What it changed stays in the worktree, and the queue goes on with its next prompt.
    ///
    /// # Errors
    /// When the attempt is not there, or a script runs in it.
    pub async fn interrupt_attempt(&self, id: AttemptId) -> Result<Attempt> {
        self.get_attempt_here(id).await?;
        self.inner.actors.ask(self, id, Request::Interrupt).await
    }

    /// Stops what runs in an attempt, its dev server too, and what waits in its queue; answers when nothing of it is left. An attempt
    /// in which nothing runs is stopped already.
    ///
    /// # Errors
    /// When the attempt is not there.
    pub async fn stop_attempt(&self, id: AttemptId) -> Result<StoppedAttempt> {
        self.get_attempt_here(id).await?;
        self.inner.actors.ask(self, id, |answer| Request::Stop(Unheard::default(), answer)).await
    }

    /// An attempt's processes, oldest first.
    ///
    /// # Errors
    /// When the attempt is not there.
    pub async fn list_processes(&self, attempt: AttemptId) -> Result<Vec<Process>> {
        self.get_attempt(attempt).await?;
        Ok(self.inner.store.list_processes(attempt).await?)
    }

    /// The same with the attempt itself, and which moment it shows.
    ///
    /// # Errors
    /// When the attempt is not there.
    pub async fn processes_as_of(&self, attempt: AttemptId) -> Result<AsOf<(Attempt, Vec<Process>)>> {
        let (at, attempt, processes) = self.inner.store.processes_at_once(attempt).await?;
        Ok(AsOf { at, what: (attempt, processes) })
    }

    /// One process.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn get_process(&self, id: ProcessId) -> Result<Process> {
        Ok(self.inner.store.get_process(id).await?)
    }

    /// What a process may use at most, and whether that holds; none where nothing was asked for.
    ///
    /// # Errors
    /// When the process is not there.
    pub async fn process_caps(&self, id: ProcessId) -> Result<Option<Capped>> {
        self.get_process(id).await?;
        let dir = self.inner.folder.process(id);
        Capped::find(&dir)
            .map_err(|source| Error::internal("the caps of a process cannot be read").because(source))
    }

    /// Stops a process, and with it the turn it belongs to; a dev server is stopped alone. One that has ended is stopped already.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn stop_process(&self, id: ProcessId) -> Result<Process> {
        let process = self.get_process(id).await?;
        if process.end().is_some() {
            return Ok(process);
        }
        match process.kind {
            ProcessKind::DevServer => self.stop_dev_server(process.attempt_id).await?,
            ProcessKind::SetupScript | ProcessKind::CodingAgent | ProcessKind::CleanupScript => {
                self.stop_attempt(process.attempt_id).await?;
            }
        }
        self.get_process(id).await
    }
}

/// Refuses an attempt that another node owns.
pub(crate) fn here(attempt: &Attempt) -> Result<()> {
    if attempt.is_unreachable() { Err(elsewhere(attempt)) } else { Ok(()) }
}

/// That another node owns the attempt.
pub(crate) fn elsewhere(attempt: &Attempt) -> Error {
    let node = attempt.node.as_ref().map_or("unknown", |node| node.name.as_str());
    let message = format!("attempt {} is on another node: {node}", attempt.id);
    let mut hint = "ask the server of that node, or start one on its data folder".to_owned();
    if let Some(home) = &attempt.node {
        hint.push_str(&format!(
            "; if that machine is gone for good, use POST /api/forge/nodes/{}/forget",
            home.id
        ));
    }
    Error::conflict("attempt_on_other_node", message).hint(hint)
}

pub(crate) fn check_prompt(prompt: &str) -> Result<()> {
    if prompt.trim().is_empty() {
        return Err(Error::invalid("prompt_empty", "a follow-up needs a prompt").hint("say what is wanted"));
    }
    Ok(())
}
