//! Standing agents: for each type that is asked for, a project has one task that stands for the conversation with it.

use forge_model::{
    ProjectId, STANDING_TITLE, StandingAgent, StandingAgentId, Task, TaskId, TaskStatus, Timestamp,
};

use crate::engine::Engine;
use crate::error::{Error, Result};

const MOST_TYPE_CHARS: usize = 100;

impl Engine {
    /// A project's standing agents, oldest first, or those of one type; none for a project that does not exist.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_standing_agents(
        &self,
        project: ProjectId,
        agent_type: Option<&str>,
    ) -> Result<Vec<StandingAgent>> {
        let mut agents = self.inner.store.list_standing_agents(project).await?;
        if let Some(agent_type) = agent_type {
            agents.retain(|agent| agent.agent_type == agent_type);
        }
        Ok(agents)
    }

    /// The project's standing agent of this type, which is made if there is none.
    ///
    /// # Errors
    /// When the project is not there, or the type is no word.
    pub async fn ensure_standing_agent(&self, project: ProjectId, agent_type: &str) -> Result<StandingAgent> {
        self.get_project(project).await?;
        let agent_type = agent_type.trim();
        if agent_type.is_empty() || agent_type.chars().nth(MOST_TYPE_CHARS).is_some() {
            return Err(Error::invalid(
                "agent_type_invalid",
                "a type of agent has between 1 and 100 characters",
            )
            .hint("name it in a word, such as wish, forge or review"));
        }
        let now = Timestamp::now();
        let task = Task {
            id: TaskId::random(),
            project_id: project,
            title: STANDING_TITLE.to_owned(),
            description: None,
            status: TaskStatus::Agent,
            parent_task_attempt: None,
            created_at: now,
            updated_at: now,
        };
        let agent = StandingAgent {
            id: StandingAgentId::random(),
            project_id: project,
            agent_type: agent_type.to_owned(),
            task_id: task.id,
            created_at: now,
            updated_at: now,
        };
        Ok(self.inner.store.ensure_standing_agent(&agent, &task).await?)
    }
}
