//! Replacing a turn: the conversation and the worktree go back to what they were before it, and another prompt is sent
//! in its place.

use forge_model::{AttemptId, ImageId, Process, ProcessId, Profile, WorktreeReset};

use crate::actor::Request;
use crate::attempts::check_prompt;
use crate::engine::Engine;
use crate::error::{Error, Result};

/// Asks for another turn in place of one that was, or that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaceProcess {
    /// The agent's process of that turn; none is the newest.
    pub process_id: Option<ProcessId>,
    /// What the agent shall be told instead.
    pub prompt: String,
    /// The variant to use from here on; none keeps the one that was used.
    pub variant: Option<String>,
    /// Who shall work, where the caller says so: the attempt's own executor, perhaps with a variant.
    pub profile: Option<Profile>,
    /// Images that the task gets with it, and the agent sees.
    pub image_ids: Vec<ImageId>,
    /// What becomes of the worktree.
    pub worktree: WorktreeReset,
    /// What to do when something in the worktree is not committed.
    pub when_dirty: WhenDirty,
}

/// What to do when a worktree that is to be reset has changes that are not committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenDirty {
    /// Go on: they are saved under a snapshot, as everything is.
    Save,
    /// Do nothing and tell the caller.
    Refuse,
}

/// A turn that took the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The process that runs now; none while the attempt stands in the queue, because as many run as may.
    pub process: Option<Process>,
    /// How many processes were dropped.
    pub dropped: usize,
    /// The commit that stood before the turn that was replaced.
    pub target: Option<String>,
    /// Whether the worktree was different from that.
    pub reset_needed: bool,
    /// Whether it was put back.
    pub reset_applied: bool,
}

impl Engine {
    /// Stops what runs in the attempt, saves its worktree, takes branch and worktree back to what they were before the
    /// process, and sends the prompt to the conversation as it was then. The process and all later ones are dropped.
    ///
    /// # Errors
    /// When attempt or process is not there, nothing was ever sent, the worktree cannot be saved, or the agent cannot
    /// be started.
    pub async fn replace_process(&self, id: AttemptId, mut command: ReplaceProcess) -> Result<Replaced> {
        check_prompt(&command.prompt)?;
        command.prompt = self.hide(command.prompt);
        let attempt = self.get_attempt_here(id).await?;
        let variant = command.profile.as_ref().and_then(|profile| profile.variant.as_deref());
        self.check_variant(&attempt, command.variant.as_deref().or(variant)).await?;
        if let Some(process) = command.process_id
            && self.get_process(process).await?.attempt_id != id
        {
            return Err(Error::not_found("process", process).hint("name a process of this attempt"));
        }
        self.show_images(&attempt, std::mem::take(&mut command.image_ids)).await?;
        self.inner.actors.ask(self, id, |answer| Request::Replace(command, answer)).await
    }
}
