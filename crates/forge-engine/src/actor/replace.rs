//! Replacing a turn. What is asked stands in the queue before anything is done, in front of all that waits: whoever
//! finds it there after a crash goes on from it. Worktree and branch are taken back when the turn begins, and the
//! rows say so together with the new process's.

use forge_model::{
    AttemptState, FollowUp, FollowUpId, Process, ProcessKind, Project, Retry, Timestamp, WorktreeReset,
};

use super::requests::Asked;
use super::{Actor, Answer, Work, tell};
use crate::attempts::FollowedUp;
use crate::error::{Error, Result};
use crate::replace::{ReplaceProcess, Replaced, WhenDirty};

impl Actor {
    pub(super) async fn replace(&mut self, command: ReplaceProcess, answer: Answer<Replaced>) -> Result<()> {
        (self.rewound, self.dropped) = (None, 0);
        match self.begin_to_replace(command).await {
            Ok(Some(replaced)) => drop(answer.send(Ok(replaced))),
            Err(error) => tell(answer, Err(error))?,
            // The turn that runs is asked to stop first; who asked is told when the next one runs.
            Ok(None) => {
                self.replacing = Some(answer);
                self.stop_turn().await?;
            }
        }
        Ok(())
    }

    /// Nothing is done yet to what runs when this answers with none.
    async fn begin_to_replace(&mut self, command: ReplaceProcess) -> Result<Option<Replaced>> {
        let follow_up = self.replacement(command).await?;
        match self.attempt.state {
            AttemptState::Finished { .. } => {
                let done = self.go_on(Asked::Prompt(follow_up)).await?;
                let process = if let FollowedUp::Started(process) = done { Some(process) } else { None };
                Ok(Some(self.replaced_by(process)))
            }
            AttemptState::Queued { .. } => {
                self.queue(Asked::Prompt(follow_up)).await?;
                Ok(Some(self.replaced_by(None)))
            }
            AttemptState::Running { .. } => {
                self.can_begin(&follow_up.prompt).await?;
                self.queue(Asked::Prompt(follow_up)).await?;
                Ok(None)
            }
            AttemptState::Stopping { .. } => {
                Err(Error::conflict("attempt_stopping", "the attempt is being stopped")
                    .hint("ask again when it has stopped"))
            }
        }
    }

    /// The follow-up that takes the place of a turn, if it can.
    async fn replacement(&self, command: ReplaceProcess) -> Result<FollowUp> {
        let processes = self.engine.inner.store.list_processes(self.attempt.id).await?;
        let process = match command.process_id {
            Some(id) => processes.into_iter().find(|process| process.id == id),
            None => processes
                .into_iter()
                .rfind(|process| process.kind == ProcessKind::CodingAgent && !process.dropped),
        };
        let process = process.ok_or_else(|| {
            Error::conflict("nothing_to_replace", "no agent has worked in the attempt yet")
                .hint("send a follow-up")
        })?;
        if process.kind != ProcessKind::CodingAgent {
            return Err(Error::invalid("not_a_turn", "only what an agent was told can be replaced")
                .hint("name a process with run_reason codingagent"));
        }
        if process.dropped {
            return Err(Error::conflict("process_dropped", "the process was replaced already")
                .hint("name one that is not dropped"));
        }
        if command.profile.as_ref().is_some_and(|profile| profile.executor != self.attempt.profile.executor) {
            return Err(Error::invalid("executor_differs", "an attempt keeps its executor")
                .hint("start another attempt for another executor"));
        }
        if command.worktree == WorktreeReset::Reset {
            self.can_reset(&process, command.when_dirty).await?;
        }
        Ok(FollowUp {
            id: FollowUpId::random(),
            attempt_id: self.attempt.id,
            prompt: command.prompt,
            variant: command.variant.or_else(|| command.profile.and_then(|profile| profile.variant)),
            how: forge_model::How::default(),
            retry: Some(Retry { process_id: process.id, worktree: command.worktree }),
            interrupt: false,
            not_before: None,
            created_at: Timestamp::now(),
        })
    }

    async fn can_reset(&self, process: &Process, when_dirty: WhenDirty) -> Result<()> {
        if process.before_head_commit.is_none() {
            return Err(Error::conflict("commit_unknown", "nobody knows the commit that the turn began at")
                .hint("send perform_git_reset: false to leave the worktree as it is"));
        }
        if when_dirty == WhenDirty::Refuse && !self.attempt.worktree_deleted {
            let project = self.engine.get_project(self.attempt.project_id).await?;
            let worktree = self.engine.worktree_for_commit(&project, &self.attempt).await?;
            if self.stoppable(async |stop| worktree.until(&stop).is_dirty().await).await? {
                return Err(Error::conflict("worktree_dirty", "not all that is in the worktree is committed")
                    .hint(
                        "send force_when_dirty: true to have it saved under a snapshot and the worktree reset, or \
                         perform_git_reset: false to leave it as it is",
                    ));
            }
        }
        Ok(())
    }

    /// What a follow-up takes the place of, until it has begun. The turn's process is dropped when that is written, so
    /// that nothing is taken back twice, however often the follow-up has to be begun again.
    pub(super) async fn unbegun(&self, follow_up: &FollowUp) -> Result<Option<Retry>> {
        let Some(retry) = follow_up.retry else { return Ok(None) };
        let replaced = self.engine.get_process(retry.process_id).await?;
        Ok(Some(retry).filter(|_| !replaced.dropped))
    }

    /// Takes the worktree back for a follow-up that is about to begin. One for which that cannot be done leaves the
    /// queue, unless it may be done later, and the worktree stays as it is.
    pub(super) async fn take_back(
        &mut self,
        project: &Project,
        follow_up: &FollowUp,
    ) -> Result<Option<Retry>> {
        let Some(retry) = self.unbegun(follow_up).await? else { return Ok(None) };
        self.end_kept().await?;
        if retry.worktree == WorktreeReset::Reset {
            // What it writes while the worktree is taken back would be saved nowhere.
            self.stop_dev_server().await?;
        }
        // Boxed: its future is large, and callers hold it in theirs.
        let rewind = async |stop| Box::pin(self.engine.rewind(project, &self.attempt, &retry, &stop)).await;
        match self.stoppable(rewind).await {
            Ok(rewound) => {
                self.rewound = Some(rewound);
                Ok(Some(retry))
            }
            Err(error) => {
                let id = self.attempt.id;
                tracing::warn!(attempt.id = %id, error = %error, "a turn of attempt {id} is not replaced: {error}");
                if !error.may_pass() {
                    self.engine.inner.store.remove_follow_up(follow_up.id).await?;
                }
                Err(error)
            }
        }
    }

    /// The conversation before the turn that is replaced, or what was said before it where that conversation cannot be
    /// gone back to: an agent must not remember what was replaced.
    pub(super) async fn before(&self, retry: &Retry) -> Result<(Option<String>, Option<String>)> {
        let replaced = self.engine.get_process(retry.process_id).await?;
        match self.engine.conversation_before(&replaced).await? {
            Some(conversation) => Ok((Some(conversation), None)),
            None => Ok((None, self.engine.said_before(&replaced).await?)),
        }
    }

    /// Tells who waits that nothing takes the turn's place.
    pub(super) fn not_replaced(&mut self, error: Error) {
        if let Some(answer) = self.replacing.take() {
            drop(answer.send(Err(error)));
        }
    }

    /// Tells who waits for a turn that replaces another, once it runs or cannot.
    pub(super) fn tell_replaced(&mut self) {
        let ended = match self.attempt.state {
            AttemptState::Running { .. } if self.rewound.is_some() => None,
            AttemptState::Queued { .. } | AttemptState::Running { .. } | AttemptState::Stopping { .. } => {
                return;
            }
            AttemptState::Finished { .. } => Some(match self.attempt.reason() {
                Some(reason) => Error::unavailable("start_failed", reason.to_string()).hint(reason.hint()),
                None => Error::conflict("attempt_stopped", "the attempt was stopped before the turn began"),
            }),
        };
        let Some(answer) = self.replacing.take() else { return };
        let process = match &self.work {
            Work::Process(watched) => Some(watched.process.clone()),
            Work::Nothing | Work::Commit(_) | Work::Save(_) => None,
        };
        let told = match ended {
            None => Ok(self.replaced_by(process)),
            Some(error) => Err(error),
        };
        drop(answer.send(told));
    }

    fn replaced_by(&mut self, process: Option<Process>) -> Replaced {
        let rewound = self.rewound.take();
        Replaced {
            process,
            dropped: std::mem::take(&mut self.dropped),
            reset_needed: rewound.as_ref().is_some_and(|rewound| rewound.needed),
            reset_applied: rewound.as_ref().is_some_and(|rewound| rewound.applied),
            target: rewound.and_then(|rewound| rewound.target),
        }
    }
}
