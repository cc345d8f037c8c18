//! What turns used up, summed.

use forge_model::{ProjectId, TaskId, Usage};

use crate::engine::Engine;
use crate::error::Result;

impl Engine {
    /// What all attempts of a task used up.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn task_usage(&self, id: TaskId) -> Result<Usage> {
        self.get_task(id).await?;
        Ok(self.inner.store.task_usage(id).await?)
    }

    /// What all attempts and runs of a project used up.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn project_usage(&self, id: ProjectId) -> Result<Usage> {
        self.get_project(id).await?;
        Ok(self.inner.store.project_usage(id).await?)
    }
}
