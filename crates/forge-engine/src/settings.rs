//! Settings of Forge as a whole, and of single projects. Secrets go in and do not come out.

use forge_model::{ProjectId, Settings, UpdateSettings};

use crate::engine::Engine;
use crate::error::Result;

impl Engine {
    /// What is set for a project, or for Forge as a whole, with a mask in place of the secret.
    ///
    /// # Errors
    /// When the project is not there.
    pub async fn get_settings(&self, project: Option<ProjectId>) -> Result<Settings> {
        if let Some(project) = project {
            self.get_project(project).await?;
        }
        Ok(self.inner.store.get_settings(project).await?.masked())
    }

    /// Changes settings. The mask in place of the secret keeps the secret.
    ///
    /// # Errors
    /// When the project is not there.
    pub async fn update_settings(
        &self,
        project: Option<ProjectId>,
        command: UpdateSettings,
    ) -> Result<Settings> {
        Ok(self.inner.store.update_settings(project, command).await?.masked())
    }
}
