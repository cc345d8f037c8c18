//! Tasks: what is wanted.

use forge_model::{CreateTask, Patch, ProjectId, Task, TaskCard, TaskId, TaskStatus, Timestamp, UpdateTask};
use forge_store::StoreError;

use crate::attempts::here;
use crate::board::BoardCards;
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};
use crate::events::AsOf;
use crate::images;

/// The longest description, in bytes. Each board, event and list carries all of it.
const LONGEST_DESCRIPTION: usize = 1024 * 1024;

impl Engine {
    /// A project's tasks, newest first; none for a project that does not exist.
    ///
    /// # Errors
    /// When the database fails, or the board is large and busy.
    pub async fn list_tasks(&self, project: ProjectId) -> Result<BoardCards> {
        Ok(self.inner.boards.look(&self.inner.store, project).await?.cards)
    }

    /// The tasks of a project that exists, and which moment they show.
    ///
    /// # Errors
    /// When the project is not there.
    pub async fn board(&self, project: ProjectId) -> Result<AsOf<BoardCards>> {
        let look = self.inner.boards.look(&self.inner.store, project).await?;
        if look.cards.is_empty() {
            // Tells an empty board from a project that is not there.
            self.get_project(project).await?;
        }
        Ok(AsOf { at: look.at, what: look.cards })
    }

    /// One task.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn get_task(&self, id: TaskId) -> Result<TaskCard> {
        Ok(self.inner.store.get_card(id).await?)
    }

    /// Makes a task.
    ///
    /// # Errors
    /// When its title is empty, or its project or an image is not there.
    pub async fn create_task(&self, mut command: CreateTask) -> Result<TaskCard> {
        let images = images::checked(std::mem::take(&mut command.image_ids))?;
        self.hide_in(&mut command);
        Ok(self.inner.store.create_task_with(&new_task(command)?, images).await?)
    }

    /// Changes a task. One that is closed is answered when nothing of it runs any more.
    ///
    /// # Errors
    /// When it is not there, the new title is empty, an image is not there, or it shall be closed and an attempt of it
    /// is at work on another node.
    pub async fn update_task(&self, id: TaskId, command: UpdateTask) -> Result<TaskCard> {
        let title = match command.title {
            Patch::Set(title) => Patch::Set(titled(&self.hide(title))?),
            unset @ (Patch::Keep | Patch::Clear) => unset,
        };
        let description = self.hide_set(command.description);
        if let Patch::Set(text) = &description {
            check_description(text)?;
        }
        let image_ids = command.image_ids.map(images::checked).transpose()?;
        let command = UpdateTask { title, description, image_ids, ..command };
        if !matches!(command.status, Patch::Set(status) if status.is_closed()) {
            return Ok(self.inner.store.update_task(id, command, Timestamp::now()).await?);
        }
        let engine = self.clone();
        // To the end, also when the caller hangs up.
        let closed = self.inner.tasks.spawn(async move { engine.close_task(id, command).await });
        closed.await.map_err(|_ended| Error::unavailable("shutting_down", "the server is shutting down"))?
    }

    async fn close_task(&self, id: TaskId, command: UpdateTask) -> Result<TaskCard> {
        let attempts = self.list_attempts(Some(id)).await?;
        let elsewhere = attempts.iter().filter(|attempt| attempt.is_unreachable());
        elsewhere.filter(|attempt| !attempt.state.is_finished()).try_for_each(here)?;
        // First: from here on nothing begins in it by itself.
        if let Err(error) = self.inner.store.update_task(id, command, Timestamp::now()).await {
            if matches!(error, StoreError::Unknown) {
                self.stop_if_closed(id);
            }
            return Err(error.into());
        }
        self.inner.crash.pass("task-closed");
        self.stop_attempts_of(id).await?;
        self.get_task(id).await
    }

    /// Stops the attempts of a task when it is known whether it is closed.
    fn stop_if_closed(&self, id: TaskId) {
        let engine = self.clone();
        self.inner.tasks.spawn(async move {
            tokio::select! {
                () = engine.inner.closing.cancelled() => return,
                () = engine.inner.store.resolved() => {}
            }
            let is_closed = engine.get_task(id).await.is_ok_and(|card| card.task.status.is_closed());
            if is_closed && let Err(error) = engine.stop_attempts_of(id).await {
                tracing::warn!(task.id = %id, error = %error, "not all attempts of the closed task {id} are stopped");
            }
        });
    }

    async fn stop_attempts_of(&self, task: TaskId) -> Result<()> {
        let attempts = self.inner.store.list_attempts(Some(task)).await?;
        let here = attempts.iter().filter(|attempt| !attempt.is_unreachable());
        let stops = here.map(|attempt| self.stop_attempt(attempt.id));
        for stopped in futures::future::join_all(stops).await {
            match stopped {
                // Deleted meanwhile.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                stopped => drop(stopped?),
            }
        }
        Ok(())
    }
}

/// A task as it is first written.
pub(crate) fn new_task(command: CreateTask) -> Result<Task> {
    let now = Timestamp::now();
    check_description(command.description.as_deref().unwrap_or_default())?;
    Ok(Task {
        id: TaskId::random(),
        project_id: command.project_id,
        title: titled(&command.title)?,
        description: command.description.filter(|text| !text.trim().is_empty()),
        status: TaskStatus::Todo,
        parent_task_attempt: command.parent_task_attempt,
        created_at: now,
        updated_at: now,
    })
}

fn titled(title: &str) -> Result<String> {
    let title = title.trim();
    if title.is_empty() {
        return Err(
            Error::invalid("title_empty", "a task needs a title").hint("say in one line what is wanted")
        );
    }
    Ok(title.to_owned())
}

fn check_description(text: &str) -> Result<()> {
    if text.len() <= LONGEST_DESCRIPTION {
        return Ok(());
    }
    let message = format!("the description has {} KiB; at most 1024 are allowed", text.len() >> 10);
    Err(Error::new(ErrorKind::TooLarge, "description_too_large", message)
        .hint("put long material into a file of the repository and name the file here"))
}
