//! The attempt's dev server. It runs beside the turns and changes nothing about them.

use forge_agent::client::{self, Found, Lost};
use forge_model::fsm::process;
use forge_model::{
    Action, End, Process, ProcessId, ProcessKind, ProcessState, Project, Reason, Timestamp, Usage,
};

use super::Actor;
use super::watch::{Happened, Listener, Watched, end};
use crate::dev_server::DevServer;
use crate::error::{Error, Result};
use crate::launch::Launched;
use crate::live;

impl Actor {
    pub(super) async fn start_dev_server(&mut self) -> Result<DevServer> {
        self.stop_dev_server().await?;
        let project = self.engine.get_project(self.attempt.project_id).await?;
        self.have_worktree().await?;
        let script = self.engine.dev_script(&project)?;
        let head = self.engine.worktree(&project, &self.attempt).await?.head().await?.to_string();
        let now = Timestamp::now();
        let process = Process {
            id: ProcessId::random(),
            attempt_id: self.attempt.id,
            in_run: self.attempt.is_run(),
            kind: ProcessKind::DevServer,
            action: Action::Script { script },
            state: ProcessState::Running,
            reason: None,
            before_head_commit: Some(head),
            after_head_commit: None,
            dropped: false,
            started_at: now,
            completed_at: None,
            updated_at: now,
            usage: Usage::default(),
        };
        let running = self.engine.inner.live.enter(process.id);
        if let Err(error) = self.engine.inner.store.add_process(&process).await {
            self.engine.inner.live.leave(process.id);
            return Err(error.into());
        }
        self.engine.inner.crash.pass("dev-server-written");
        self.launch_dev_server(&project, process, running).await?;
        match &self.dev {
            Some(watched) => {
                Ok(DevServer { process: watched.process.clone(), port: self.attempt.first_port })
            }
            None => Err(Error::unavailable("start_failed", "the dev server could not be started")
                .hint("see whether bash is installed and processes can be made")),
        }
    }

    /// Starts one whose row is written. One that cannot be started has ended.
    async fn launch_dev_server(
        &mut self,
        project: &Project,
        mut process: Process,
        running: live::Running,
    ) -> Result<()> {
        match self.engine.launch(project, &self.attempt, &process, &[]).await {
            Ok(Launched { connection, .. }) => {
                let dir = self.engine.inner.folder.process(process.id);
                let listener = Listener::new(&self.attempt, &process, &dir)?;
                self.dev = Some(Box::new(Watched::new(process, connection, listener, running)));
                Ok(())
            }
            Err(error) => {
                process.reason = Some(Reason::StartFailed { message: error.to_string() });
                self.dev_server_ended(process, running, End::NotStarted).await
            }
        }
    }

    /// Attaches to the dev server that runs, if there is one.
    pub(super) async fn resume_dev_server(&mut self) -> Result<()> {
        let of = self.attempt.id.as_uuid();
        let Some(process) = self.engine.inner.store.list_dev_servers(of).await?.into_iter().next() else {
            return Ok(());
        };
        let running = self.engine.inner.live.enter(process.id);
        let dir = self.engine.inner.folder.process(process.id);
        match client::find(&self.engine.inner.tasks, &dir).await? {
            Found::Running(connection) => {
                let listener = Listener::new(&self.attempt, &process, &dir)?;
                self.dev = Some(Box::new(Watched::new(process, connection, listener, running)));
                Ok(())
            }
            Found::NeverStarted => {
                let project = self.engine.get_project(self.attempt.project_id).await?;
                self.launch_dev_server(&project, process, running).await
            }
            Found::Ended(ended) => self.dev_server_ended(process, running, end(&Ok(ended))).await,
            Found::Lost => self.dev_server_ended(process, running, end(&Err(Lost))).await,
        }
    }

    pub(super) async fn dev_server_happened(&mut self, happened: Happened) -> Result<()> {
        match (happened, self.dev.take()) {
            (Happened::Printed(head), Some(mut watched)) => {
                watched.printed(head, self.engine.inner.options.grace).await?;
                self.dev = Some(watched);
                Ok(())
            }
            (Happened::Ended(end), Some(watched)) => {
                let Watched { process, running, connection, .. } = *watched;
                drop(connection);
                self.dev_server_ended(process, running, end).await
            }
            (
                Happened::Printed(_)
                | Happened::Ended(_)
                | Happened::Woke
                | Happened::Overdue
                | Happened::Committed(_)
                | Happened::Saved(_),
                _,
            ) => Err(Error::internal("something happened to a dev server that is not there")),
        }
    }

    /// Ends the dev server; done when nothing of it is left.
    pub(super) async fn stop_dev_server(&mut self) -> Result<()> {
        let Some(watched) = self.dev.take() else { return Ok(()) };
        self.stop_process(&watched).await;
        let ended = watched.connection.ended().await;
        let Watched { process, running, connection, .. } = *watched;
        drop(connection);
        self.dev_server_ended(process, running, end(&ended)).await
    }

    /// Where the end cannot be written, the actor is made anew and looks again: whoever was told of the failure may
    /// ask for another one at once.
    async fn dev_server_ended(&mut self, process: Process, running: live::Running, end: End) -> Result<()> {
        let written = self.write_dev_server_end(process, running, end).await;
        if let Err(error) = &written {
            let message = format!("the end of the dev server is not written: {error}");
            self.adrift = Some(Error::unavailable("attempt_stuck", message));
        }
        written
    }

    async fn write_dev_server_end(
        &mut self,
        mut process: Process,
        running: live::Running,
        end: End,
    ) -> Result<()> {
        if end == End::Lost {
            client::kill_remains(&self.engine.inner.folder.process(process.id)).await?;
        }
        process.state =
            process::ended(process.state, end).map_err(|error| Error::internal(error.to_string()))?;
        process.completed_at = Some(Timestamp::now());
        process.updated_at = Timestamp::now();
        self.engine.inner.store.update_process(&process).await?;
        self.engine.inner.live.leave(process.id);
        // Held until the row is written: a reader that is woken for the last time reads to the end.
        drop(running);
        self.engine.compress_log(process.id);
        Ok(())
    }
}
