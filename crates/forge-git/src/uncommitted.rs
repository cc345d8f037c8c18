//! The uncommitted changes in a repository's own checkout, as a commit for a worktree to start at.

use std::fs;

use crate::commit::unmerged_in;
use crate::guard::{Guard, Record};
use crate::lock::Hold;
use crate::registration::Registration;
use crate::snapshot::copy_index;
use crate::{Error, Oid, Repo, Result, Worktree};

/// The subject of such a commit.
const SUBJECT: &str = "Uncommitted changes of the project's folder";

impl Repo {
    /// Makes a commit on HEAD, which is at `head`, of everything in the repository's own checkout that differs from it:
    /// tracked files, and untracked ones that are not ignored. Files, index and refs are left alone. None when nothing differs.
    ///
    /// The commit has the user's identity and is not signed. Files go through the filters that are configured, as they would
    /// for a commit of the user's. What cannot be in it is named in its message.
    pub async fn commit_uncommitted(&self, head: &Oid) -> Result<Option<Oid>> {
        let (repo, head) = (self.clone(), head.clone());
        self.git.see_through(async move { repo.save_checkout(&head).await }).await
    }

    async fn save_checkout(&self, head: &Oid) -> Result<Option<Oid>> {
        if fs::symlink_metadata(self.path().join(".git")).is_err() {
            return Err(Error::NoCheckout { path: self.path().to_owned() });
        }
        let hold = Hold::shared(&self.lock_path()).await?;
        let settings = self.settings().await?;
        let record = Record::new(self, self.path(), head, head, &settings);
        let registration = Registration { admin_dir: self.git_dir().to_owned() };
        let guard = Guard::new(&record, &settings);
        let checkout = Worktree::new(self, self.path().to_owned(), registration, guard);
        let dir =
            tempfile::tempdir_in(self.git_dir()).map_err(Error::io("create a folder in", self.git_dir()))?;
        let index = dir.path().join("index");
        copy_index(&self.git_dir().join("index"), &index)?;
        let in_copy = || checkout.call().env("GIT_INDEX_FILE", &index).args(["-c", "core.splitIndex=false"]);
        let paths = unmerged_in(&in_copy().args(["ls-files", "--unmerged", "-z"]).read().await?.ok()?.stdout);
        if !paths.is_empty() {
            return Err(Error::Unmerged { paths });
        }
        let apart = checkout.apart(in_copy).await?;
        let refused = checkout.stage_all(in_copy(), &apart, &hold).await?;
        let tree = in_copy().arg("write-tree").write(&hold).await?.ok()?.oid()?;
        let unchanged = format!("{head}^{{tree}}");
        let unchanged = self.call().args(["rev-parse", "--verify", &unchanged]).read().await?.ok()?.oid()?;
        if tree == unchanged {
            return Ok(None);
        }
        let mut message = SUBJECT.to_owned();
        for left_out in apart.left_out().into_iter().chain(refused) {
            message.push_str(&format!("\n\nNot included: {}", left_out.trim()));
        }
        let call = self.identity().await?.apply(self.call());
        let call = call.args(["commit-tree", "-m", &message, "-p", head.as_str(), tree.as_str()]);
        call.write(&hold).await?.ok()?.oid().map(Some)
    }
}
