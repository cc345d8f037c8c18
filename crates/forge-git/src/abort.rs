//! Ending what git is in the middle of, as if it had not been begun.

use tokio_util::sync::CancellationToken;

use crate::plain_file::text;
use crate::{Error, Oid, Operation, Result, Worktree};

impl Worktree {
    /// Aborts the rebase, merge, cherry-pick, revert or patch series that is in progress, and tells which it was; none
    /// when there is none.
    ///
    /// The caller has saved what is in the worktree: what was changed since the operation began is undone too.
    pub async fn abort(&self) -> Result<Option<Operation>> {
        let worktree = self.clone();
        self.repo.git.see_through(async move { worktree.give_up().await }).await
    }

    /// The commit whose files are there once the operation in progress is aborted.
    pub(crate) async fn before_operation(&self) -> Result<Oid> {
        let oid = |name: &str| text(&self.admin_dir().join(name))?.trim().parse().ok();
        let begun =
            ["rebase-merge/orig-head", "rebase-apply/orig-head", "sequencer/head"].into_iter().find_map(oid);
        if let Some(begun) = begun {
            return Ok(begun);
        }
        if self.operation() == Some(Operation::Patches) {
            let call = self.call().args(["rev-parse", "--verify", "--quiet", "ORIG_HEAD^{commit}"]);
            if let Ok(begun) = call.read().await?.oid() {
                return Ok(begun);
            }
        }
        self.head().await
    }

    async fn give_up(self) -> Result<Option<Operation>> {
        let hold = self.hold().await?;
        // A stop in the middle would leave files that git refuses to overwrite the next time.
        let whole = self.until(&CancellationToken::new());
        let Some(operation) = self.operation() else { return Ok(None) };
        self.clear_index_lock().await?;
        let call = whole.call().args([operation.subcommand(), "--abort"]);
        let output = call.write_with_hooks(&hold).await?;
        if output.status.success() {
            return Ok(Some(operation));
        }
        if output.met_a_full_disk() {
            return Err(output.into_error());
        }
        Err(Error::NotAborted { operation, output: output.stderr.trim().to_owned() })
    }
}
