//! A standing agent: a conversation with a project's agent of some type, which is always there.

use serde::{Deserialize, Serialize};

use crate::{ProjectId, StandingAgentId, TaskId, Timestamp};

/// What the task of a standing agent is called.
pub const STANDING_TITLE: &str = "Genie";

/// The task that stands for a conversation. A project has one of each type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StandingAgent {
    /// Its id.
    pub id: StandingAgentId,
    /// Whose it is.
    pub project_id: ProjectId,
    /// A word such as `wish`, `forge` or `review`.
    pub agent_type: String,
    /// The task whose attempts are the conversation; it is on no board.
    pub task_id: TaskId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}
