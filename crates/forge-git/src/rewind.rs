//! Taking a worktree and its branch back to an earlier commit.

use crate::snapshot::UNSEEN;
use crate::{AtRisk, Error, Oid, Operation, Result, Worktree};

/// Where a worktree is taken back to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewind {
    /// The worktree's own branch. HEAD points to it afterwards, wherever it pointed before.
    pub branch: String,
    /// The commit that the branch points to afterwards.
    pub commit: Oid,
    /// The commit whose files are there afterwards; what differs from `commit` is a change that nobody staged.
    pub files: Oid,
    /// A ref under `refs/forge/` for the branch's tip, where that is not HEAD and so not saved with the files.
    pub tip: String,
    /// Ignored files that are saved and that the files of `commit` would overwrite or expose; they are removed.
    pub risk: AtRisk,
}

impl Worktree {
    /// Takes branch, index and files back. No other branch moves. Files that are not ignored and that `files` does not
    /// have go, also untracked ones; a merge, rebase or patch series that is under way is given up.
    ///
    /// The caller has saved what is in the worktree. Done again after a crash, it comes to the same end.
    pub async fn rewind(&self, to: &Rewind) -> Result<()> {
        let (worktree, to) = (self.clone(), to.clone());
        self.repo.git.see_through(async move { worktree.take_back(&to).await }).await
    }

    /// Whether HEAD is this branch.
    pub async fn is_on(&self, branch: &str) -> Result<bool> {
        let call = self.call().args(["symbolic-ref", "--quiet", "HEAD"]);
        Ok(call.read().await?.stdout.trim_ascii_end() == format!("refs/heads/{branch}").as_bytes())
    }

    async fn take_back(self, to: &Rewind) -> Result<()> {
        let hold = self.hold().await?;
        let call = || self.call().args(UNSEEN);
        let refname = format!("refs/heads/{}", to.branch);
        // Moved under another worktree's feet, it would look as if somebody had undone the commits there.
        if !self.is_on(&to.branch).await? && self.repo.is_checked_out(&to.branch).await? {
            return Err(Error::BranchInUse { branch: to.branch.clone() });
        }
        if let Some(tip) = self.repo.tip(&refname).await?
            && tip != self.head().await?
        {
            call().args(["update-ref", &to.tip, tip.as_str()]).write(&hold).await?.ok()?;
        }
        if let Some(operation @ (Operation::Rebase | Operation::Patches)) = self.operation() {
            call().args([operation.subcommand(), "--quit"]).write_with_hooks(&hold).await?.ok()?;
        }
        self.replace_files(&to.files, &to.risk, &hold).await?;
        call().args(["symbolic-ref", "HEAD", &refname]).write(&hold).await?.ok()?;
        let reset = ["reset", "--quiet", "--mixed", "--no-refresh", to.commit.as_str(), "--"];
        call().args(reset).write_with_hooks(&hold).await?.ok().map(drop)
    }
}
