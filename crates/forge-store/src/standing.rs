//! Standing agents.

use forge_model::{Fact, ProjectId, StandingAgent, StandingAgentId, Task, TaskId, Timestamp};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::write::WriteTx;
use crate::{Store, StoreError, task};

macro_rules! select_agents {
    ($rest:literal) => {
        concat!(
            "SELECT id, project_id, agent_type, task_id, created_at, updated_at FROM standing_agent ",
            $rest
        )
    };
}

type AgentRow = (Uuid, Uuid, String, Uuid, i64, i64);

fn read((id, project, agent_type, task, created_at, updated_at): AgentRow) -> StandingAgent {
    StandingAgent {
        id: StandingAgentId::from_uuid(id),
        project_id: ProjectId::from_uuid(project),
        agent_type,
        task_id: TaskId::from_uuid(task),
        created_at: Timestamp::from_millis(created_at),
        updated_at: Timestamp::from_millis(updated_at),
    }
}

impl Store {
    /// Adds a standing agent with its task, unless the project has one of the type. Answers with the one that is there.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such project.
    pub async fn ensure_standing_agent(
        &self,
        agent: &StandingAgent,
        task: &Task,
    ) -> Result<StandingAgent, StoreError> {
        let (agent, task) = (agent.clone(), task.clone());
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    if let Some(found) = of_type(tx.db(), agent.project_id, &agent.agent_type).await? {
                        return Ok(found);
                    }
                    task::create(tx, task, &[]).await?;
                    insert(tx, &agent).await?;
                    tx.append(&Fact::StandingAgentCreated(agent.clone())).await?;
                    Ok(agent)
                })
            })
            .await
    }

    /// A project's standing agents, oldest first.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_standing_agents(&self, project: ProjectId) -> Result<Vec<StandingAgent>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<AgentRow> = on!(&mut db, |db| sqlx::query_as(select_agents!(
            "WHERE project_id = $1 ORDER BY created_at, id"
        ))
        .bind(project.as_uuid())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list standing agents"))?;
        Ok(rows.into_iter().map(read).collect())
    }
}

/// Deletes the standing agents of a project or a task, whichever this is, and tells so.
pub(crate) async fn clear(tx: &mut WriteTx, id: Uuid) -> Result<(), StoreError> {
    let agents: Vec<(Uuid, Uuid)> = on!(tx.db(), |db| sqlx::query_as(
        "DELETE FROM standing_agent WHERE project_id = $1 OR task_id = $1 RETURNING id, project_id",
    )
    .bind(id)
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("delete standing agents"))?;
    for (agent, project) in agents {
        tx.append(&Fact::StandingAgentDeleted {
            id: StandingAgentId::from_uuid(agent),
            project_id: ProjectId::from_uuid(project),
        })
        .await?;
    }
    Ok(())
}

async fn of_type(
    db: &mut Connection,
    project: ProjectId,
    agent_type: &str,
) -> Result<Option<StandingAgent>, StoreError> {
    let row: Option<AgentRow> =
        on!(db, |db| sqlx::query_as(select_agents!("WHERE project_id = $1 AND agent_type = $2"))
            .bind(project.as_uuid())
            .bind(agent_type)
            .fetch_optional(db)
            .await)
        .map_err(StoreError::query("look for a standing agent"))?;
    Ok(row.map(read))
}

async fn insert(tx: &mut WriteTx, agent: &StandingAgent) -> Result<(), StoreError> {
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO standing_agent (id, project_id, agent_type, task_id, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(agent.id.as_uuid())
    .bind(agent.project_id.as_uuid())
    .bind(&agent.agent_type)
    .bind(agent.task_id.as_uuid())
    .bind(agent.created_at.as_millis())
    .bind(agent.updated_at.as_millis())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("add a standing agent"))
}
