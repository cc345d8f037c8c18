//! Settings: one row for Forge as a whole, one for each project that has any.

use forge_model::{Fact, ProjectId, Settings, UpdateSettings};

use crate::backend::{Connection, on};
use crate::write::WriteTx;
use crate::{Store, StoreError, json};

impl Store {
    /// What is set for a project, or for Forge as a whole; what nobody set is as it is by default.
    ///
    /// # Errors
    /// When the database fails, or the settings cannot be read.
    pub async fn get_settings(&self, project: Option<ProjectId>) -> Result<Settings, StoreError> {
        get(&mut self.read().await?, project).await
    }

    /// Changes settings as they stand when their turn comes.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such project.
    pub async fn update_settings(
        &self,
        project: Option<ProjectId>,
        change: UpdateSettings,
    ) -> Result<Settings, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let mut settings = get(tx.db(), project).await?;
                    change.apply(&mut settings);
                    put(tx, project, &settings).await?;
                    tx.append(&Fact::SettingsUpdated { project_id: project }).await?;
                    Ok(settings)
                })
            })
            .await
    }
}

async fn get(db: &mut Connection, project: Option<ProjectId>) -> Result<Settings, StoreError> {
    let row: Option<(String,)> = match project {
        Some(project) => {
            on!(db, |db| sqlx::query_as("SELECT settings FROM project_settings WHERE project_id = $1")
                .bind(project.as_uuid())
                .fetch_optional(db)
                .await)
        }
        None => on!(db, |db| sqlx::query_as("SELECT settings FROM global_settings").fetch_optional(db).await),
    }
    .map_err(StoreError::query("get settings"))?;
    row.map_or_else(|| Ok(Settings::default()), |(text,)| json::read("settings", &text))
}

async fn put(tx: &mut WriteTx, project: Option<ProjectId>, settings: &Settings) -> Result<(), StoreError> {
    let (text, now) = (json::write("settings", settings)?, tx.now().as_millis());
    match project {
        Some(project) => on!(tx.db(), |db| sqlx::query(
            "INSERT INTO project_settings (project_id, settings, updated_at) VALUES ($1, $2, $3)
             ON CONFLICT (project_id) DO UPDATE SET settings = $2, updated_at = $3",
        )
        .bind(project.as_uuid())
        .bind(&text)
        .bind(now)
        .execute(db)
        .await
        .map(drop)),
        None => on!(tx.db(), |db| sqlx::query(
            "INSERT INTO global_settings (id, settings, updated_at) VALUES (1, $1, $2)
             ON CONFLICT (id) DO UPDATE SET settings = $1, updated_at = $2",
        )
        .bind(&text)
        .bind(now)
        .execute(db)
        .await
        .map(drop)),
    }
    .map_err(StoreError::query("change settings"))
    .map_err(|error| error.or_not_found("project"))
}
