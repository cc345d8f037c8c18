//! Dev servers: a project's own program, run in an attempt's worktree for a person to look at. It is no part of a turn
//! and runs beside the agent; a project has one at a time, because it usually wants a port of its own.

use forge_model::{AttemptId, Process, ProcessKind};

use crate::actor::Request;
use crate::engine::Engine;
use crate::error::{Error, Result};

/// A dev server that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DevServer {
    /// Its process.
    pub process: Process,
    /// The port that it was told to use, as `PORT` and `FORGE_PORT`.
    pub port: Option<u16>,
}

impl Engine {
    /// Runs the project's dev script in the attempt's worktree, in place of the project's dev server that runs.
    ///
    /// # Errors
    /// When the attempt is not there, its project has no dev script, or it cannot be started.
    pub async fn start_dev_server(&self, id: AttemptId) -> Result<DevServer> {
        let attempt = self.get_attempt_here(id).await?;
        self.dev_script(&self.get_project(attempt.project_id).await?)?;
        let _one_at_a_time = self.inner.dev_servers.lock().await;
        for running in self.inner.store.list_dev_servers(attempt.project_id.as_uuid()).await? {
            self.stop_dev_server(running.attempt_id).await?;
        }
        self.inner.actors.ask(self, id, Request::StartDevServer).await
    }

    /// Stops the dev server of an attempt; one that does not run is stopped already.
    pub(crate) async fn stop_dev_server(&self, id: AttemptId) -> Result<()> {
        self.inner.actors.ask(self, id, Request::StopDevServer).await
    }

    pub(crate) fn dev_script(&self, project: &forge_model::Project) -> Result<String> {
        let script = project.dev_script.clone().filter(|script| !script.trim().is_empty());
        script.ok_or_else(|| {
            Error::invalid("no_dev_script", "No dev server script configured for this project")
                .hint("set the project's dev_script: PUT /api/projects/{id}")
        })
    }
}

/// Whether a process is part of a turn.
pub(crate) const fn is_of_turn(process: &Process) -> bool {
    match process.kind {
        ProcessKind::SetupScript | ProcessKind::CodingAgent | ProcessKind::CleanupScript => true,
        ProcessKind::DevServer => false,
    }
}
