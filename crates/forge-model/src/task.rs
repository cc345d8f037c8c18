//! A task: what is wanted.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{AttemptId, ImageId, Patch, ProjectId, TaskId, Timestamp};

/// What is wanted, in a person's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id.
    pub id: TaskId,
    /// The project it belongs to.
    pub project_id: ProjectId,
    /// One line.
    pub title: String,
    /// The rest.
    pub description: Option<String>,
    /// How far it is.
    pub status: TaskStatus,
    /// The attempt out of which this task was made.
    pub parent_task_attempt: Option<AttemptId>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Task {
    /// What an agent is told to do: the title, then the description.
    #[must_use]
    pub fn prompt(&self) -> String {
        match self.description.as_deref().map(str::trim) {
            Some(description) if !description.is_empty() => format!("{}\n\n{description}", self.title),
            Some(_) | None => self.title.clone(),
        }
    }
}

/// A task with what its attempts make of it, as a board shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskCard {
    /// The task.
    pub task: Task,
    /// Whether an attempt of it runs.
    pub has_in_progress_attempt: bool,
    /// Whether its newest attempt ended badly.
    pub last_attempt_failed: bool,
    /// The executor of its newest attempt, empty when there is none.
    pub executor: String,
    /// How often it was tried.
    pub attempt_count: i64,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TaskStatus {
    /// Nobody works on it.
    Todo,
    /// An attempt runs.
    InProgress,
    /// An attempt ended; a person has to look.
    InReview,
    /// Its work is in the target branch.
    Done,
    /// Not wanted any more.
    Cancelled,
    /// Stands for a conversation with an agent and is not on the board.
    Agent,
    /// Put away.
    Archived,
}

impl TaskStatus {
    /// Every status, in the order of a board.
    pub const ALL: [Self; 7] = [
        Self::Todo,
        Self::InProgress,
        Self::InReview,
        Self::Done,
        Self::Cancelled,
        Self::Agent,
        Self::Archived,
    ];

    /// Whether a person has decided that nothing more shall happen.
    #[must_use]
    pub const fn is_closed(self) -> bool {
        matches!(self, Self::Done | Self::Cancelled | Self::Archived)
    }

    /// The status once a person asks for another turn: nothing begins in a closed task.
    #[must_use]
    pub const fn reopened(self) -> Self {
        if self.is_closed() { Self::Todo } else { self }
    }

    /// The wire's word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::InProgress => "inprogress",
            Self::InReview => "inreview",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
            Self::Agent => "agent",
            Self::Archived => "archived",
        }
    }
}

impl fmt::Display for TaskStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is no task status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a task status: one of todo, inprogress, inreview, done, cancelled, agent, archived is expected"
)]
pub struct ParseStatusError {
    text: String,
}

impl FromStr for TaskStatus {
    type Err = ParseStatusError;

    /// Takes both spellings that clients use: `inprogress` and `in-progress`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Its own spelling costs nothing: a board has ten thousand of them.
        if let Some(status) = Self::ALL.into_iter().find(|status| status.as_str() == text) {
            return Ok(status);
        }
        let plain: String =
            text.chars().filter(|c| !matches!(c, '-' | '_')).collect::<String>().to_lowercase();
        Self::ALL
            .into_iter()
            .find(|status| status.as_str() == plain)
            .ok_or_else(|| ParseStatusError { text: text.chars().take(80).collect() })
    }
}

impl<'de> Deserialize<'de> for TaskStatus {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// Asks for a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreateTask {
    /// The project it shall belong to.
    pub project_id: ProjectId,
    /// One line.
    pub title: String,
    /// The rest.
    pub description: Option<String>,
    /// The attempt out of which it is made.
    pub parent_task_attempt: Option<AttemptId>,
    /// The images it shall have.
    #[serde(default)]
    pub image_ids: Vec<ImageId>,
}

/// What an attempt's turn does to its task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskMove {
    /// A turn began.
    Begin,
    /// A turn ended.
    End,
}

impl TaskMove {
    /// The task's status after the move; none where nothing may begin because the task is closed. What a person has
    /// decided meanwhile stands, and while another attempt of the task runs it stays in progress.
    #[must_use]
    pub const fn apply(self, status: TaskStatus, another_runs: bool) -> Option<TaskStatus> {
        match (self, status) {
            // It stands for a conversation, whatever goes on in it.
            (Self::Begin, TaskStatus::Agent) => Some(TaskStatus::Agent),
            (Self::Begin, status) if status.is_closed() => None,
            (Self::Begin, _) => Some(TaskStatus::InProgress),
            (Self::End, TaskStatus::InProgress) if !another_runs => Some(TaskStatus::InReview),
            (Self::End, status) => Some(status),
        }
    }
}

/// Changes a task; what is not named stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateTask {
    /// A new title.
    pub title: Patch<String>,
    /// A new description; blank clears it.
    pub description: Patch<String>,
    /// A new status.
    pub status: Patch<TaskStatus>,
    /// Another parent.
    pub parent_task_attempt: Patch<AttemptId>,
    /// The images it shall have in place of those it has; none keeps them.
    pub image_ids: Option<Vec<ImageId>>,
}

impl UpdateTask {
    /// The task as it is afterwards. A blank description is none.
    pub fn apply(self, task: &mut Task, now: Timestamp) {
        if let Patch::Set(title) = self.title {
            task.title = title;
        }
        self.description.apply(&mut task.description);
        task.description = task.description.take().filter(|text| !text.trim().is_empty());
        if let Patch::Set(status) = self.status {
            task.status = status;
        }
        self.parent_task_attempt.apply(&mut task.parent_task_attempt);
        task.updated_at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_moves_only_what_nobody_has_decided_about() {
        for status in TaskStatus::ALL {
            let begun = match status {
                TaskStatus::Agent => Some(TaskStatus::Agent),
                TaskStatus::Done | TaskStatus::Cancelled | TaskStatus::Archived => None,
                TaskStatus::Todo | TaskStatus::InProgress | TaskStatus::InReview => {
                    Some(TaskStatus::InProgress)
                }
            };
            assert_eq!(TaskMove::Begin.apply(status, true), begun);
            assert!(TaskMove::Begin.apply(status.reopened(), true).is_some());
            let ended = TaskMove::End.apply(status, false);
            let ran = status == TaskStatus::InProgress;
            assert_eq!(ended, Some(if ran { TaskStatus::InReview } else { status }));
            assert_eq!(TaskMove::End.apply(status, true), Some(status), "another attempt of it runs");
        }
    }
}
