//! Putting the files of a worktree back to what a snapshot has.

use crate::lock::Hold;
use crate::snapshot::{UNSEEN, copy_index};
use crate::{AtRisk, Error, Oid, Result, Worktree};

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
        self.replace_files(snapshot, risk, &hold).await?;
        self.reset_index(&hold).await
    }

    /// Replaces everything in the worktree that is not ignored, and the ignored files at risk, by the files of a commit.
    ///
    /// Git removes only what it knows, so everything is staged first, unfiltered and with the ignored files. That is done in
    /// a copy of the index: after a crash, the next commit would take it from the worktree's own.
    pub(crate) async fn replace_files(&self, files: &Oid, risk: &AtRisk, hold: &Hold) -> Result<()> {
        let dir = tempfile::tempdir_in(self.admin_dir())
            .map_err(Error::io("create a folder in", self.admin_dir()))?;
        let index = dir.path().join("index");
        copy_index(&self.admin_dir().join("index"), &index)?;
        let aside = self.with_index(index);
        aside.stage_raw(hold).await?;
        aside.stage_at_risk(aside.raw_call(), risk, hold).await?;
        aside.write_files(files, hold).await?;
        aside.settle_modules(hold).await
    }

    /// Brings index and files to the snapshot, then the index alone to HEAD.
    pub(crate) async fn read_tree(&self, snapshot: &Oid, hold: &Hold) -> Result<()> {
        self.write_files(snapshot, hold).await?;
        self.settle_modules(hold).await?;
        self.reset_index(hold).await
    }

    /// Brings the index to HEAD.
    pub(crate) async fn reset_index(&self, hold: &Hold) -> Result<()> {
        // Without a look at the files, which would run filters.
        let reset = ["reset", "--quiet", "--mixed", "--no-refresh"];
        self.call().args(UNSEEN).args(reset).write_with_hooks(hold).await?.ok().map(drop)
    }
}
