//! Putting the files of a worktree back to what a snapshot has.

use crate::lock::Hold;
use crate::snapshot::UNSEEN;
use crate::{Oid, Result, Worktree};

impl Worktree {
    /// Makes the files those of the commit `snapshot`: others that are not ignored go, also untracked ones. HEAD
    /// and its branch stay, and so what differs from them is a change that nobody staged.
    ///
    /// The caller has saved what is in the worktree. Done again after a crash, it comes to the same end.
    pub async fn restore(&self, snapshot: &Oid) -> Result<()> {
        let (worktree, snapshot) = (self.clone(), snapshot.clone());
        self.repo.git.see_through(async move { worktree.put_back(&snapshot).await }).await
    }

    /// Waits until no git of a server that died works in the worktree any more.
    pub async fn settle(&self) -> Result<()> {
        Hold::exclusive(&self.lock_path()).await.map(drop)
    }

    async fn put_back(self, snapshot: &Oid) -> Result<()> {
        let hold = Hold::exclusive(&self.lock_path()).await?;
        // Git takes away only what it knows, so it is told of everything first.
        self.stage(&UNSEEN, &hold).await?;
        self.read_tree(snapshot, &hold).await
    }

    /// Brings index and files from what is staged to the snapshot, then the index alone to HEAD.
    pub(crate) async fn read_tree(&self, snapshot: &Oid, hold: &Hold) -> Result<()> {
        let call = || self.repo.git.call(self.path()).args(UNSEEN);
        // What an agent put outside a sparse checkout was saved, and so comes back.
        let read = ["read-tree", "-u", "--reset", "--no-recurse-submodules", "--no-sparse-checkout"];
        call().args(read).arg(snapshot.as_str()).write_with_hooks(hold).await?.ok()?;
        call().args(["reset", "--quiet", "--mixed"]).write_with_hooks(hold).await?.ok().map(drop)
    }
}
