//! Committing what an agent changed, as the user would have.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::command::Call;
use crate::live::wait_for_git;
use crate::lock::Hold;
use crate::nested::pointers;
use crate::plain_file::replace;
use crate::staging::Apart;
use crate::status::path_of_unmerged;
use crate::{Error, Oid, Result, Worktree};

/// The message of a commit that was given none.
const DEFAULT_MESSAGE: &str = "Save changes";

/// How often staging is tried when another git takes the index in between.
const STAGE_TRIES: u32 = 5;

/// How changes in a worktree are committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommitRules {
    /// Runs no `pre-commit` and `commit-msg` hooks.
    pub skip_hooks: bool,
    /// Does not sign, whatever the settings say.
    pub skip_signing: bool,
    /// A snapshot: what it has otherwise than the commit it was made on is left out while it stays so and HEAD has it as
    /// that commit.
    pub leave_out: Option<Oid>,
}

impl Worktree {
    /// Commits everything that changed, untracked files too, with the user's identity, hooks and
    /// signing, and by the worktree's [rules](CommitRules). None when nothing changed.
    pub async fn commit_all(&self, message: &str) -> Result<Option<Oid>> {
        let (worktree, message) = (self.clone(), message.to_owned());
        self.repo.git.see_through(async move { worktree.commit(&message).await }).await
    }

    async fn commit(self, message: &str) -> Result<Option<Oid>> {
        let hold = self.hold().await?;
        let call = self.call().args(["status", "--porcelain=v2", "-z", "--no-renames"]);
        let call = call.arg("--ignore-submodules=dirty");
        let status = call.filtering().read().await?.ok()?.stdout;
        if status.is_empty() {
            return Ok(None);
        }
        let paths = unmerged(&status);
        if !paths.is_empty() {
            return Err(Error::Unmerged { paths });
        }
        self.stage(&hold).await?;
        if let Some(snapshot) = &self.rules.leave_out {
            self.unstage_leftovers(snapshot).await?;
        }
        let call = self.call().args(["diff", "--cached", "--quiet", "--no-ext-diff", "--no-textconv"]);
        let staged = call.arg("--ignore-submodules=dirty").read().await?;
        if staged.status.success() {
            // Only what cannot be committed differs, such as work inside a submodule.
            return Ok(None);
        }
        self.commit_with(&[], message, &hold).await.map(Some)
    }

    /// Makes a commit of what is staged, or of what these arguments name.
    pub(crate) async fn commit_with(&self, what: &[OsString], message: &str, hold: &Hold) -> Result<Oid> {
        let message = if message.trim().is_empty() { DEFAULT_MESSAGE } else { message };
        let file = self.message_file(message)?;
        let (distrusted, before) = tokio::join!(self.distrusted_hooks(), self.head());
        let before = before?;
        let call = match distrusted? {
            None => self.call_with_hooks(),
            Some(why) => {
                tracing::warn!(why, "no hooks run for the commit in {}: {why}", self.path().display());
                self.call()
            }
        };
        let call = self.repo.identity().await?.apply(call);
        // Git would leave a program behind that tidies up; as long as it works in the worktree, that could not be removed.
        let call = call.args(["-c", "maintenance.auto=false"]);
        let rules = [(self.rules.skip_hooks, "--no-verify"), (self.rules.skip_signing, "--no-gpg-sign")];
        let rules = rules.into_iter().filter_map(|(is_set, option)| is_set.then_some(option));
        let call = call.args(["commit", "--quiet"]).args(rules);
        let call = call.args(["--cleanup=whitespace", "--file"]).arg(&file).args(what);
        let committed = call.write_with_hooks(hold).await;
        // Also after a stop.
        let whole = self.until(&CancellationToken::new());
        let output = match committed {
            // A hook that runs after the commit may have been in the way.
            Err(error @ (Error::Stopped | Error::TimedOut { .. })) => {
                let head = whole.head().await?;
                return if head == before { Err(error) } else { Ok(head) };
            }
            other => other?,
        };
        match output.status.code() {
            Some(0) => whole.head().await,
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
        // The folder is in the hands of whoever works here: a link in place of this file, or of the one in which git
        // keeps the message, would have it written elsewhere.
        let own = self.admin_dir().join("COMMIT_EDITMSG");
        if std::fs::symlink_metadata(&own).is_ok_and(|entry| !entry.is_file() && !entry.is_dir()) {
            std::fs::remove_file(&own).map_err(Error::io("remove", own))?;
        }
        replace(&path, message.as_bytes()).map_err(Error::io("write", &path))?;
        Ok(path)
    }

    /// Stages everything as it will be committed.
    async fn stage(&self, hold: &Hold) -> Result<()> {
        let apart = self.apart(|| self.call()).await?;
        for left_out in apart.left_out() {
            tracing::warn!(left_out, "not all of {} is committed: {left_out}", self.path().display());
        }
        self.stage_again(|| self.call(), &apart, hold).await?;
        let (modules, foreign) = self.modules(&apart.links).await?;
        self.call().update_index(pointers(self, &modules).await?).await?;
        self.unstage_foreign(&foreign, hold).await
    }

    /// Stages the bytes of everything, so that git knows what it may take away.
    pub(crate) async fn stage_raw(&self, hold: &Hold) -> Result<()> {
        let apart = self.apart(|| self.raw_call()).await?;
        self.stage_again(|| self.raw_call(), &apart, hold).await
    }

    async fn stage_again(&self, call: impl Fn() -> Call, apart: &Apart, hold: &Hold) -> Result<()> {
        let mut tries = 1;
        loop {
            self.clear_index_lock().await?;
            match self.stage_all(call(), apart, hold).await {
                Err(Error::Locked { .. }) if tries < STAGE_TRIES => tries += 1,
                Err(error) => return Err(error),
                Ok(None) => return Ok(()),
                Ok(Some(left_out)) => {
                    tracing::warn!(git.output = left_out, "not all of {} is staged", self.path().display());
                    return Ok(());
                }
            }
        }
    }

    /// Takes repositories out of the index that no commit has and that `.gitmodules` does not name: as a link, nobody
    /// could check them out.
    async fn unstage_foreign(&self, foreign: &[PathBuf], hold: &Hold) -> Result<()> {
        for path in foreign {
            let call = self.call().args(["--literal-pathspecs", "ls-tree", "-z", "HEAD", "--"]).arg(path);
            let known = !call.read().await?.stdout.is_empty();
            if known || self.names_module(path).await? {
                continue;
            }
            tracing::warn!("{} is a repository of its own and is not committed", path.display());
            let call = self.call().args(["update-index", "--force-remove", "--"]).arg(path);
            call.write(hold).await?.ok()?;
        }
        Ok(())
    }

    /// Whether the worktree's `.gitmodules` has a submodule at this path.
    async fn names_module(&self, path: &Path) -> Result<bool> {
        let file = self.path().join(".gitmodules");
        if !std::fs::symlink_metadata(&file).is_ok_and(|file| file.is_file()) {
            return Ok(false);
        }
        let call = self.call().args(["config", "--no-includes", "-z", "--file"]).arg(&file);
        let output = call.args(["--get-regexp", r"^submodule\..*\.path$"]).read().await?;
        let mut entries = output.stdout.split(|byte| *byte == 0);
        let wanted = [b"\n", path.as_os_str().as_bytes()].concat();
        Ok(entries.any(|entry| entry.ends_with(&wanted)))
    }

    /// Waits for a live git that holds the index; removes the lock of a dead one.
    pub(crate) async fn clear_index_lock(&self) -> Result<()> {
        let lock = self.admin_dir().join("index.lock");
        if !lock.exists() {
            return Ok(());
        }
        let (worktree, its_lock) = (self.path().to_owned(), lock.clone());
        let waiting = tokio::task::spawn_blocking(move || wait_for_git(&worktree, &its_lock));
        let waiting = async { waiting.await.map_err(|_stopped| Error::ShuttingDown)? };
        if !self.repo.git.unless_stopped(waiting).await? {
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

/// Paths in the output of `git ls-files --unmerged -z`, each once.
pub(crate) fn unmerged_in(listed: &[u8]) -> Vec<PathBuf> {
    let path = |entry: &[u8]| Some(entry.splitn(2, |byte| *byte == b'\t').nth(1)?.to_vec());
    let mut paths: Vec<_> = listed.split(|byte| *byte == 0).filter_map(path).collect();
    paths.dedup();
    paths.into_iter().map(|path| PathBuf::from(OsString::from_vec(path))).collect()
}

/// Paths of the `u` records in `git status --porcelain=v2 -z`.
fn unmerged(status: &[u8]) -> Vec<PathBuf> {
    let records = status.split(|byte| *byte == 0).filter(|record| record.starts_with(b"u "));
    records.filter_map(path_of_unmerged).collect()
}
