//! Between two turns: an agent whose turn is over is kept for the next one where that is worth it, and let go otherwise.

use std::time::Duration;

use forge_agent::manner::Manner;
use forge_model::{Attempt, AttemptState, Process, ProcessId, Project, Stage};

use tokio::time::Instant;

use super::watch::{Watched, Went};
use super::{Actor, Work};
use crate::error::Result;
use crate::kept::KeptAgent;
use crate::launch::Began;
use crate::live;

impl Actor {
    /// Keeps the agent whose turn is over, or lets it go. As long as it works this does nothing.
    pub(super) async fn let_go(&mut self) -> Result<()> {
        let Work::Process(watched) = &mut self.work else { return Ok(()) };
        let Some(went) = watched.is_over() else { return Ok(()) };
        let at_work = matches!(self.attempt.state, AttemptState::Running { stage: Stage::Agent });
        let began =
            watched.began.clone().filter(|began| at_work && is_worth_keeping(&began.turn.manner, went));
        let began = began.map(|began| {
            let works_with = watched.listener.works_with(began.works_with);
            Began { works_with, ..began }
        });
        let kept = match began {
            Some(began) => self.keep(began).await?,
            None => false,
        };
        match &mut self.work {
            Work::Process(watched) if !kept => watched.release(self.engine.inner.options.grace).await,
            Work::Process(_) | Work::Nothing | Work::Commit(_) | Work::Save(_) => Ok(()),
        }
    }

    /// Lets the program go on as the process that the next turn will be; false where it cannot.
    async fn keep(&self, began: Began) -> Result<bool> {
        let (Some(wait), Work::Process(watched)) = (self.engine.wait(), &self.work) else { return Ok(false) };
        let process = ProcessId::random();
        let dir = self.engine.inner.folder.process(process);
        let conversation = self.attempt.conversation.clone();
        match watched.connection.move_on(&self.engine.inner.tasks, &dir, wait).await {
            Ok(connection) => {
                self.engine.inner.crash.pass("agent-kept");
                let agent = KeptAgent { process, connection, began, conversation };
                self.engine.keep(self.attempt.id, agent).await;
                Ok(true)
            }
            Err(error) => {
                let id = watched.process.id;
                tracing::debug!(process.id = %id, %error, "the agent of process {id} is not kept: {error}");
                self.engine.end_orphan(&dir).await?;
                Ok(false)
            }
        }
    }

    /// Ends the agent that is kept, if one is. What is done to the worktree is done with nobody in it.
    pub(super) async fn end_kept(&self) -> Result<()> {
        match self.engine.inner.kept.take(self.attempt.id) {
            Some(agent) => self.engine.end_kept(agent).await,
            None => Ok(()),
        }
    }

    /// The agent that takes the turn which is about to be written: its process gets the name that the agent's has. One that
    /// would not do is ended, so that there is never a second in the worktree.
    pub(super) async fn find_kept(
        &self,
        project: &Project,
        attempt: &Attempt,
        process: &mut Process,
    ) -> Result<Option<KeptAgent>> {
        let Some(agent) = self.engine.inner.kept.take(attempt.id) else { return Ok(None) };
        // Before the row: whoever finds that finds what the agent is to be told.
        let fits = match self.engine.fits(project, attempt, process, &agent).await {
            Ok(Some(turn)) => {
                let spec = &agent.began.spec;
                self.engine.furnish(attempt, agent.process, Some(&turn), spec).await.map(|()| true)
            }
            Ok(None) => Ok(false),
            Err(error) => Err(error),
        };
        if let Ok(true) = fits {
            self.engine.inner.crash.pass("kept-furnished");
            process.id = agent.process;
            return Ok(Some(agent));
        }
        self.engine.end_kept(agent).await?;
        fits.map(|_| None)
    }

    /// Starts a program for a process whose agent was kept and went before it heard of its turn.
    pub(super) async fn start_anew(&mut self, process: Process, running: live::Running) -> Result<()> {
        let id = process.id;
        tracing::info!(process.id = %id, "the agent that was kept for process {id} is gone; another is started");
        self.engine.discard(&self.engine.inner.folder.process(id)).await?;
        self.launch(process, running, None).await
    }
}

/// Whether an agent can take another turn. Of one that leaves the commands of an interrupted turn running, those end with it.
const fn is_worth_keeping(manner: &Manner, went: Went) -> bool {
    let is_fit = match went {
        Went::Well => true,
        Went::Interrupted => !manner.quirks.leaves_commands,
        Went::Badly => false,
    };
    manner.keeps && is_fit
}

impl Watched {
    /// Lets an agent go whose turn is over. One that does not go by itself is ended.
    async fn release(&mut self, grace: Duration) -> Result<()> {
        self.listener.release();
        self.overdue_at.get_or_insert_with(|| Instant::now() + grace);
        self.talk().await
    }
}
