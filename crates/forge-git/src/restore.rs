//! Putting the files of a worktree back to what a snapshot has.

use crate::lock::Hold;
use crate::snapshot::UNSEEN;
use crate::{AtRisk, Oid, Result, Worktree};

impl Worktree {
    /// Makes the files those of the commit `snapshot`: others that are not ignored are removed, also untracked ones, and
    /// so are the ignored ones at risk. HEAD and its branch stay, and so what differs from them is a change that nobody
    /// staged.
    ///
    /// The caller has saved what is in the worktree. Done again after a crash, it comes to the same end.
    pub async fn restore(&self, snapshot: &Oid, risk: &AtRisk) -> Result<()> {
        let (worktree, snapshot, risk) = (self.clone(), snapshot.clone(), risk.clone());
        self.repo.git.see_through(async move { worktree.put_back(&snapshot, &risk).await }).await
    }

    /// Waits until no git of a server that died works in the worktree any more.
    pub async fn settle(&self) -> Result<()> {
        self.hold().await.map(drop)
    }

    async fn put_back(self, snapshot: &Oid, risk: &AtRisk) -> Result<()> {
        let hold = self.hold().await?;
        // Git takes away only what it knows, so it is told of everything first.
        self.stage_raw(&hold).await?;
        self.stage_at_risk(self.raw_call(), risk, &hold).await?;
        self.read_tree(snapshot, &hold).await
    }

    /// Brings index and files from what is staged to the snapshot, then the index alone to HEAD.
    pub(crate) async fn read_tree(&self, snapshot: &Oid, hold: &Hold) -> Result<()> {
        self.write_files(snapshot, hold).await?;
        self.settle_modules(hold).await?;
        // Without a look at the files, which would run filters.
        let reset = ["reset", "--quiet", "--mixed", "--no-refresh"];
        self.call().args(UNSEEN).args(reset).write_with_hooks(hold).await?.ok().map(drop)
    }
}
