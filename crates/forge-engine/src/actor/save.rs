//! Saving the worktree when something has ended in it. It takes as long as git does, so the actor goes on meanwhile; the
//! next state is written when it is done.

use forge_git::Snapshot;
use forge_model::fsm::attempt::{self as fsm, Effect, Input, Room};
use forge_model::{Attempt, AttemptState, Process, Project, Stage};
use tokio::task::JoinError;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{Actor, Work};
use crate::background::Background;
use crate::engine::Engine;
use crate::error::Result;
use crate::snapshots::BEFORE_SETUP;

/// A worktree that is being saved, and what the state machine is told then.
pub(super) struct Saving {
    pub(super) work: Background<()>,
    input: Input,
    changed: Option<Process>,
    /// The actor that comes after this one saves it again: nothing is saved while a turn runs.
    _ends: DropGuard,
}

impl Actor {
    /// Whether the worktree is to be saved before the state machine moves.
    pub(super) fn saves_first(&self, project: &Project, input: &Input) -> bool {
        let step = fsm::step(&self.attempt.state, self.plan(project, Room::Free), input.clone());
        *input != Input::Begin && step.is_ok_and(|(_, effects)| effects.contains(&Effect::Snapshot))
    }

    /// Saves the worktree, and then moves the state machine.
    pub(super) async fn save_first(
        &mut self,
        project: Project,
        input: Input,
        changed: Option<Process>,
    ) -> Result<()> {
        self.return_to_branch().await;
        let process = self.latest().await?.id;
        let (engine, attempt) = (self.engine.clone(), self.attempt.clone());
        let is_setup = matches!(
            attempt.state,
            AttemptState::Running { stage: Stage::Setup } | AttemptState::Stopping { stage: Stage::Setup }
        );
        let save = async move |stop| {
            let saved = save(&engine, &project, &attempt, &process.to_string(), &stop).await;
            let after = saved.filter(|saved| saved.had_changes).map(|saved| saved.oid);
            if is_setup && let Err(error) = engine.keep_leftovers(&project, &attempt, process, after).await {
                let id = attempt.id;
                tracing::warn!(attempt.id = %id, error = %error, "what the setup script of attempt {id} left will be committed: {error}");
            }
        };
        let work = Background::begin(&self.engine, save);
        let ends = work.end_with();
        self.work = Work::Save(Box::new(Saving { work, input, changed, _ends: ends }));
        if matches!(self.attempt.state, AttemptState::Stopping { .. }) {
            self.end_work_in_time();
        }
        Ok(())
    }

    /// Saves what is in the worktree before a setup script runs again: that is not what the script leaves. If it cannot be
    /// saved, no snapshot says so, and everything is work.
    pub(super) async fn save_before_setup(&self, project: &Project) -> Result<()> {
        self.engine.remove_before_setup(project, &self.attempt).await?;
        let save = async |stop| self.engine.snapshot_until(project, &self.attempt, BEFORE_SETUP, &stop).await;
        match self.stoppable(save).await {
            Err(error) if error.may_pass() && !self.stops.is_asked() => Err(error),
            Err(error) => {
                let id = self.attempt.id;
                tracing::warn!(attempt.id = %id, error = %error, "the worktree of attempt {id} could not be saved: {error}");
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    pub(super) async fn saved(
        &mut self,
        saving: Saving,
        saved: std::result::Result<(), JoinError>,
    ) -> Result<()> {
        if let Err(failed) = saved {
            let id = self.attempt.id;
            tracing::error!(attempt.id = %id, error = %failed, "the worktree of attempt {id} could not be saved");
        }
        let project = self.engine.get_project(self.attempt.project_id).await?;
        Box::pin(self.advance(&project, saving.input, saving.changed)).await?;
        self.tell_interrupted();
        Ok(())
    }
}

async fn save(
    engine: &Engine,
    project: &Project,
    attempt: &Attempt,
    name: &str,
    stop: &CancellationToken,
) -> Option<Snapshot> {
    let id = attempt.id;
    // The worktree itself still has the work; what removes it saves it first, or does not remove it.
    match engine.snapshot_until(project, attempt, name, stop).await {
        Ok(saved) => {
            if let Some(unsaved) = saved.as_ref().and_then(|saved| saved.unsaved.as_ref()) {
                tracing::warn!(attempt.id = %id, unsaved, "not all of the worktree of attempt {id} is saved");
            }
            saved
        }
        Err(error) => {
            tracing::warn!(attempt.id = %id, error = %error, "the worktree of attempt {id} could not be saved");
            None
        }
    }
}
