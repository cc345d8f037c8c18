//! Projects.

use forge_model::{Fact, Project, ProjectId, Seq, Timestamp};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::row::row;
use crate::write::WriteTx;
use crate::{Store, StoreError};

const TAKEN: &str = "another project has this repository";

macro_rules! select_projects {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files,
                    commit_prompt, default_base_branch, fetch_submodules, skip_commit_hooks,
                    skip_commit_signing, created_at, updated_at
             FROM project ",
            $rest
        )
    };
}

row! {
    struct ProjectRow {
        id: Uuid,
        name: String,
        git_repo_path: String,
        setup_script: Option<String>,
        dev_script: Option<String>,
        cleanup_script: Option<String>,
        copy_files: Option<String>,
        commit_prompt: Option<String>,
        default_base_branch: Option<String>,
        fetch_submodules: bool,
        skip_commit_hooks: bool,
        skip_commit_signing: bool,
        created_at: i64,
        updated_at: i64,
    }
}

impl From<ProjectRow> for Project {
    fn from(row: ProjectRow) -> Self {
        Self {
            id: ProjectId::from_uuid(row.id),
            name: row.name,
            git_repo_path: row.git_repo_path,
            setup_script: row.setup_script,
            dev_script: row.dev_script,
            cleanup_script: row.cleanup_script,
            copy_files: row.copy_files,
            commit_prompt: row.commit_prompt,
            default_base_branch: row.default_base_branch,
            fetch_submodules: row.fetch_submodules,
            skip_commit_hooks: row.skip_commit_hooks,
            skip_commit_signing: row.skip_commit_signing,
            created_at: Timestamp::from_millis(row.created_at),
            updated_at: Timestamp::from_millis(row.updated_at),
        }
    }
}

impl Store {
    /// Adds a project.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when another project has the repository.
    pub async fn create_project(&self, project: &Project) -> Result<(), StoreError> {
        let project = project.clone();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    insert(tx, &project).await?;
                    tx.append(&Fact::ProjectCreated(project)).await
                })
            })
            .await
    }

    /// Every project, newest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_projects(&self) -> Result<Vec<Project>, StoreError> {
        list(&mut self.read().await?).await
    }

    /// The same, and the position of the newest event that it shows.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn projects_at_once(&self) -> Result<(Seq, Vec<Project>), StoreError> {
        let mut moment = self.moment().await?;
        let projects = list(moment.db()?).await?;
        Ok((moment.end().await?, projects))
    }

    /// The project with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn get_project(&self, id: ProjectId) -> Result<Project, StoreError> {
        get(&mut self.read().await?, id).await
    }

    /// Changes a project as it is in the transaction that writes it; id and time of creation stay.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none, [`StoreError::Conflict`] when another has the repository.
    pub async fn update_project(
        &self,
        id: ProjectId,
        change: impl FnOnce(&mut Project) + Send + 'static,
    ) -> Result<Project, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let mut project = get(tx.db(), id).await?;
                    change(&mut project);
                    update(tx, &project).await?;
                    tx.append(&Fact::ProjectUpdated(project.clone())).await?;
                    Ok(project)
                })
            })
            .await
    }
}

/// The project as it stands, in or out of a transaction.
pub(crate) async fn get(db: &mut Connection, id: ProjectId) -> Result<Project, StoreError> {
    let row: Option<ProjectRow> = on!(db, |db| sqlx::query_as(select_projects!("WHERE id = $1"))
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await)
    .map_err(StoreError::query("get a project"))?;
    row.map(Project::from).ok_or(StoreError::NotFound { what: "project" })
}

async fn list(db: &mut Connection) -> Result<Vec<Project>, StoreError> {
    let rows: Vec<ProjectRow> =
        on!(db, |db| sqlx::query_as(select_projects!("ORDER BY created_at DESC, id DESC"))
            .fetch_all(db)
            .await)
        .map_err(StoreError::query("list projects"))?;
    Ok(rows.into_iter().map(Project::from).collect())
}

async fn insert(tx: &mut WriteTx, project: &Project) -> Result<(), StoreError> {
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO project (id, name, git_repo_path, setup_script, dev_script, cleanup_script, copy_files,
                              commit_prompt, default_base_branch, fetch_submodules, skip_commit_hooks,
                              skip_commit_signing, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
    )
    .bind(project.id.as_uuid())
    .bind(&project.name)
    .bind(&project.git_repo_path)
    .bind(&project.setup_script)
    .bind(&project.dev_script)
    .bind(&project.cleanup_script)
    .bind(&project.copy_files)
    .bind(&project.commit_prompt)
    .bind(&project.default_base_branch)
    .bind(project.fetch_submodules)
    .bind(project.skip_commit_hooks)
    .bind(project.skip_commit_signing)
    .bind(project.created_at.as_millis())
    .bind(project.updated_at.as_millis())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("add a project"))
    .map_err(|error| error.or_conflict(TAKEN))
}

async fn update(tx: &mut WriteTx, project: &Project) -> Result<(), StoreError> {
    let changed = on!(tx.db(), |db| sqlx::query(
        "UPDATE project SET name = $2, git_repo_path = $3, setup_script = $4, dev_script = $5,
                            cleanup_script = $6, copy_files = $7, commit_prompt = $8,
                            default_base_branch = $9, fetch_submodules = $10, skip_commit_hooks = $11,
                            skip_commit_signing = $12, updated_at = $13
         WHERE id = $1",
    )
    .bind(project.id.as_uuid())
    .bind(&project.name)
    .bind(&project.git_repo_path)
    .bind(&project.setup_script)
    .bind(&project.dev_script)
    .bind(&project.cleanup_script)
    .bind(&project.copy_files)
    .bind(&project.commit_prompt)
    .bind(&project.default_base_branch)
    .bind(project.fetch_submodules)
    .bind(project.skip_commit_hooks)
    .bind(project.skip_commit_signing)
    .bind(project.updated_at.as_millis())
    .execute(db)
    .await
    .map(|done| done.rows_affected()))
    .map_err(StoreError::query("change a project"))
    .map_err(|error| error.or_conflict(TAKEN))?;
    StoreError::unless_found(changed, "project")
}
