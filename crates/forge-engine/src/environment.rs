//! What every script and agent is told about the attempt it works for.

use forge_model::{Attempt, Project};
use forge_store::PORTS_PER_ATTEMPT;

use crate::engine::Engine;

impl Engine {
    /// The variables of the environment contract.
    pub(crate) fn environment(&self, project: &Project, attempt: &Attempt) -> Vec<(String, String)> {
        let folder = &self.inner.folder;
        let path = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
        let mut variables = vec![
            ("FORGE_PROJECT_ID".to_owned(), project.id.to_string()),
            ("FORGE_ATTEMPT_ID".to_owned(), attempt.id.to_string()),
            ("FORGE_BRANCH".to_owned(), attempt.branch.clone()),
            ("FORGE_WORKTREE".to_owned(), attempt.worktree.clone()),
            ("FORGE_API_URL".to_owned(), self.inner.options.api_url.clone()),
            ("FORGE_TMP".to_owned(), path(folder.tmp(attempt.id))),
            ("FORGE_CACHE".to_owned(), path(folder.cache(project.id))),
        ];
        variables.push(match attempt.task_id {
            Some(task) => ("FORGE_TASK_ID".to_owned(), task.to_string()),
            None => ("FORGE_EXECUTION_RUN_ID".to_owned(), attempt.id.to_string()),
        });
        if let Some(first) = attempt.first_port {
            variables.push(("FORGE_PORT".to_owned(), first.to_string()));
            let more = (1..PORTS_PER_ATTEMPT).map(|n| (format!("FORGE_PORT_{n}"), (first + n).to_string()));
            variables.extend(more);
        }
        variables
    }
}
