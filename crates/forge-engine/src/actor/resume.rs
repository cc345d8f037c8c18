//! Going on where the state says, after a start, a crash or a fault.

use forge_agent::client::{self, Found, Lost};
use forge_model::fsm::attempt::Input;
use forge_model::{AttemptState, End, FollowUp, Outcome, Process, Stage};

use super::watch::{Listener, Watched, end};
use super::{Actor, Work};
use crate::background::Background;
use crate::commit;
use crate::dev_server::is_of_turn;
use crate::error::{Error, Result};
use crate::launch::Launched;

impl Actor {
    pub(super) async fn resume(&mut self, woken: bool) -> Result<()> {
        match self.attempt.state.clone() {
            // Whoever gives room wakes the one that waits for it; a wake that came to nothing is made up for here.
            AttemptState::Finished { .. } | AttemptState::Queued { .. } if woken => self.woken().await,
            AttemptState::Finished { .. } | AttemptState::Queued { .. } => Ok(()),
            AttemptState::Running { stage } | AttemptState::Stopping { stage } => {
                match stage {
                    Stage::Setup | Stage::Agent | Stage::Cleanup => self.resume_process().await?,
                    Stage::Commit | Stage::CommitCleanup { .. } => self.start_commit().await?,
                }
                Ok(())
            }
        }
    }

    /// A follow-up that was written and not begun when the server died, or whose time has come.
    pub(super) async fn begin_waiting(&mut self, outcome: &Outcome) -> Result<()> {
        let waiting = self.engine.inner.store.list_follow_ups(self.attempt.id).await?;
        let Some(first) = waiting.first() else { return Ok(()) };
        if self.is_task_closed().await? {
            return Ok(());
        }
        if !self.may_follow(outcome, first).await? && !self.was_sent_since(&waiting).await? {
            return Ok(());
        }
        let ready = match self.can_begin(&first.prompt).await {
            Ok(()) => self.have_worktree().await,
            refused => refused,
        };
        if let Err(error) = ready {
            if error.may_pass() {
                return Err(error);
            }
            let id = self.attempt.id;
            tracing::warn!(attempt.id = %id, error = %error, "the queue of attempt {id} waits");
            return Ok(());
        }
        let begun = self.begin_queued().await;
        if begun.is_err() && self.attempt.state.is_finished() {
            // It took room to begin, and does not.
            self.engine.leave_slot(self.attempt.id);
        }
        match begun {
            // Closed just now: its prompts wait.
            Err(error) if error.code() == "task_closed" => Ok(()),
            begun => begun,
        }
    }

    /// Whether a prompt was sent after the last turn had ended. It was to begin the queue at once, however that turn ended.
    pub(super) async fn was_sent_since(&self, waiting: &[FollowUp]) -> Result<bool> {
        let processes = self.engine.inner.store.list_processes(self.attempt.id).await?;
        let last = processes.iter().rfind(|process| is_of_turn(process)).map(|last| last.completed_at);
        let mut sent = waiting.iter().filter(|waiting| waiting.not_before.is_none());
        Ok(match last {
            Some(Some(ended)) => sent.any(|waiting| waiting.created_at > ended),
            // The end of a turn that did not begin is not written yet.
            Some(None) => false,
            None => sent.next().is_some(),
        })
    }

    async fn resume_process(&mut self) -> Result<()> {
        let process = self.latest().await?;
        if let Some(end) = process.end() {
            return self.take(Input::Ended { end, reason: process.reason }, None).await;
        }
        let stopping = matches!(self.attempt.state, AttemptState::Stopping { .. });
        let dir = self.engine.inner.folder.process(process.id);
        let adopted = self.adopted.take().filter(|adopted| adopted.running.id() == process.id);
        let (running, launched) = match adopted {
            Some(adopted) => (adopted.running, adopted.launched),
            None => (self.engine.inner.live.enter(process.id), None),
        };
        let (found, began) = match launched {
            Some(Launched { connection, began }) => (Found::Running(connection), began),
            None => (client::find(&self.engine.inner.tasks, &dir).await?, None),
        };
        let connection = match found {
            Found::Running(connection) => connection,
            Found::NeverStarted if stopping => {
                let listener = Listener::new(&self.attempt, &process, &dir)?;
                return self.process_ended(process, listener, running, End::Stopped).await;
            }
            Found::NeverStarted => return self.launch(process, running, None).await,
            Found::Ended(_) | Found::Lost => {
                let ended = if let Found::Ended(ended) = found { Ok(ended) } else { Err(Lost) };
                let listener = Listener::new(&self.attempt, &process, &dir)?;
                return self.process_ended(process, listener, running, end(&ended)).await;
            }
        };
        let listener = Listener::new(&self.attempt, &process, &dir)?;
        let mut watched = Watched::new(process, connection, listener, running);
        watched.began = began;
        if stopping {
            self.stop_process(&watched).await;
        } else {
            // Reads what is there first: what the protocol has said already is not said again.
            let head = *watched.connection.head().borrow();
            if self.is_interrupted(&watched.process).await? {
                watched.interrupt(self.engine.inner.options.grace);
            }
            let heard = watched.printed(head, self.engine.inner.options.grace).await?;
            self.attend(&mut watched, heard).await?;
        }
        self.work = Work::Process(Box::new(watched));
        self.let_go().await
    }

    /// The newest process of a turn: the one that the present stage is about.
    pub(super) async fn latest(&self) -> Result<Process> {
        let processes = self.engine.inner.store.list_processes(self.attempt.id).await?;
        processes
            .into_iter()
            .rfind(is_of_turn)
            .ok_or_else(|| Error::internal("an attempt that runs has no process"))
    }

    pub(super) async fn start_commit(&mut self) -> Result<()> {
        self.return_to_branch().await;
        let process = self.latest().await?;
        let project = self.engine.get_project(self.attempt.project_id).await?;
        let message = match &self.attempt.state {
            AttemptState::Running { stage: Stage::CommitCleanup { .. } }
            | AttemptState::Stopping { stage: Stage::CommitCleanup { .. } } => {
                commit::cleanup_message(&self.attempt)
            }
            AttemptState::Queued { .. }
            | AttemptState::Running { .. }
            | AttemptState::Stopping { .. }
            | AttemptState::Finished { .. } => {
                let said = self.last_words(&process).await?;
                let processes = self.engine.inner.store.list_processes(self.attempt.id).await?;
                let title = self.engine.wanted(&self.attempt).await?;
                commit::message(&commit::subject(&title, &process, &processes), said.as_deref())
            }
        };
        let (engine, attempt) = (self.engine.clone(), self.attempt.clone());
        let commit = async move |stop| engine.commit(&project, &attempt, &process, &message, &stop).await;
        self.work = Work::Commit(Background::begin(&self.engine, commit));
        if matches!(self.attempt.state, AttemptState::Stopping { .. }) {
            self.end_work_in_time();
        }
        Ok(())
    }

    /// Gives a commit or a save its grace: what is made in time is kept.
    pub(super) fn end_work_in_time(&mut self) {
        let grace = self.engine.inner.options.grace;
        match &mut self.work {
            Work::Commit(commit) => commit.end_within(grace),
            Work::Save(saving) => saving.work.end_within(grace),
            Work::Nothing | Work::Process(_) => {}
        }
    }

    /// What the agent said last; from its log where a crash came in between.
    async fn last_words(&mut self, process: &Process) -> Result<Option<String>> {
        if let Some(said) = self.said.take() {
            return Ok(Some(said));
        }
        let dir = self.engine.inner.folder.process(process.id);
        let mut listener = Listener::new(&self.attempt, process, &dir)?;
        let (_, finish) = listener.finish(process.end().unwrap_or(End::Lost)).await?;
        Ok(finish.and_then(|finish| self.engine.hide_in_finish(finish).message))
    }
}
