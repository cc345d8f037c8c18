//! Committing what an agent changed, as the user would have.

use std::ffi::OsString;
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use crate::command::Call;
use crate::live::wait_for_git;
use crate::lock::Hold;
use crate::status::path_of_unmerged;
use crate::{Error, Oid, Result, Worktree};

/// The message of a commit that was given none.
const DEFAULT_MESSAGE: &str = "Save changes";

/// How often staging is tried when another git takes the index in between.
const STAGE_TRIES: u32 = 5;

impl Worktree {
    /// Commits everything that changed, untracked files too, with the user's identity, hooks and
    /// signing. None when nothing changed.
    pub async fn commit_all(&self, message: &str) -> Result<Option<Oid>> {
        self.commit_all_until(message, CancellationToken::new()).await
    }

    /// Like [`Worktree::commit_all`], but gives up when told to stop: a hook that hangs is killed, and the
    /// work stays as it is.
    pub async fn commit_all_until(&self, message: &str, stop: CancellationToken) -> Result<Option<Oid>> {
        let (worktree, message) = (self.clone(), message.to_owned());
        self.repo.git.see_through(async move { worktree.commit(&message, &stop).await }).await
    }

    async fn commit(self, message: &str, stop: &CancellationToken) -> Result<Option<Oid>> {
        let git = &self.repo.git;
        let lock = self.lock_path();
        let hold = tokio::select! {
            hold = Hold::exclusive(&lock) => hold?,
            () = stop.cancelled() => return Err(Error::Stopped),
        };
        let call = git.call(self.path()).args(["status", "--porcelain=v2", "-z", "--no-renames"]);
        let status = call.read().await?.ok()?.stdout;
        if status.is_empty() {
            return Ok(None);
        }
        let paths = unmerged(&status);
        if !paths.is_empty() {
            return Err(Error::Unmerged { paths });
        }
        self.stage(&[], &hold).await?;
        let staged = git.call(self.path()).args(["diff", "--cached", "--quiet"]).read().await?;
        if staged.status.success() {
            // Only what cannot be committed differs, such as work inside a submodule.
            return Ok(None);
        }
        self.commit_with(&[], message, &hold, stop).await.map(Some)
    }

    /// Makes a commit of what is staged, or of what these arguments name.
    pub(crate) async fn commit_with(
        &self,
        what: &[OsString],
        message: &str,
        hold: &Hold,
        stop: &CancellationToken,
    ) -> Result<Oid> {
        let git = &self.repo.git;
        let message = if message.trim().is_empty() { DEFAULT_MESSAGE } else { message };
        let file = self.message_file(message)?;
        let call = git.call(self.path()).args(git.identity(self.path()).await?);
        // Git would leave a program behind that tidies up; as long as it works in the worktree, that could not be removed.
        let call = call.args(["-c", "maintenance.auto=false"]);
        let call = call.args(["commit", "--quiet", "--cleanup=whitespace", "--file"]).arg(&file).args(what);
        let output = call.write_with_hooks_until(hold, stop).await?;
        match output.status.code() {
            Some(0) => self.head().await,
            // Before all else: git says 1 of some things that it has no room for.
            _ if output.met_a_full_disk() => Err(output.into_error()),
            // Git says 1 when a hook does; what it refuses itself is 128.
            Some(1) => Err(Error::HookRefused { output: output.stderr.trim().to_owned() }),
            _ if output.stderr.contains("failed to sign the data")
                || output.stderr.contains("failed to write commit object") =>
            {
                Err(Error::SigningFailed { output: output.stderr.trim().to_owned() })
            }
            _ => Err(output.into_error()),
        }
    }

    /// Lies where git keeps its own: a git that outlives us reads it when the hooks have run.
    fn message_file(&self, message: &str) -> Result<PathBuf> {
        let path = self.admin_dir().join("FORGE_COMMIT_MSG");
        std::fs::write(&path, message).map_err(Error::io("write", &path))?;
        Ok(path)
    }

    /// Stages everything, with these settings of git.
    pub(crate) async fn stage(&self, settings: &[&str], hold: &Hold) -> Result<()> {
        let mut tries = 1;
        loop {
            self.clear_index_lock().await?;
            match self.repo.git.call(self.path()).args(settings).stage_all(hold).await {
                Err(Error::Locked { .. }) if tries < STAGE_TRIES => tries += 1,
                Err(error) => return Err(error),
                Ok(None) => return Ok(()),
                Ok(Some(left_out)) => {
                    tracing::warn!(
                        git.output = left_out,
                        "not all of {} is committed",
                        self.path().display()
                    );
                    return Ok(());
                }
            }
        }
    }

    /// Waits for a live git that holds the index; removes the lock of a dead one.
    pub(crate) async fn clear_index_lock(&self) -> Result<()> {
        let lock = self.admin_dir().join("index.lock");
        if !lock.exists() {
            return Ok(());
        }
        let (worktree, its_lock) = (self.path().to_owned(), lock.clone());
        let waiting = tokio::task::spawn_blocking(move || wait_for_git(&worktree, &its_lock));
        if !waiting.await.map_err(|_stopped| Error::ShuttingDown)?? {
            return Ok(());
        }
        tracing::warn!("removed {}, left behind by a git that was killed", lock.display());
        match std::fs::remove_file(&lock) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::io("remove", lock)(error))
            }
            _ => Ok(()),
        }
    }
}

impl Call {
    /// Stages every file that can be staged; says what git said about those that cannot.
    pub(crate) async fn stage_all(self, hold: &Hold) -> Result<Option<String>> {
        // Files that an agent put outside a sparse checkout are its work too.
        let output =
            self.args(["add", "--all", "--sparse", "--ignore-errors"]).write_with_hooks(hold).await?;
        let left_out = match output.status.code() {
            // What there is no room for now is not left out for good.
            _ if output.met_a_full_disk() => return Err(output.into_error()),
            Some(0) => output.stderr.contains("adding embedded git repository"),
            Some(1) => true,
            _ => return Err(output.into_error()),
        };
        Ok(left_out.then_some(output.stderr))
    }
}

/// Paths of the `u` records in `git status --porcelain=v2 -z`.
fn unmerged(status: &[u8]) -> Vec<PathBuf> {
    let records = status.split(|byte| *byte == 0).filter(|record| record.starts_with(b"u "));
    records.filter_map(path_of_unmerged).collect()
}
