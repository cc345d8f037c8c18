//! Where HEAD of a worktree is, seen from the branch that the worktree was made for.

use crate::snapshot::UNSEEN;
use crate::{Mark, Oid, Repo, Result, Worktree};

/// Where HEAD is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// On the branch.
    OnBranch,
    /// Elsewhere, at a commit that the branch cannot be fast-forwarded to, or in the middle of an operation of git.
    Apart { head: Oid },
}

impl Repo {
    /// Finds the branch that carries the mark in its config, which follows it when it is renamed.
    pub async fn marked_branch(&self, mark: &Mark) -> Result<Option<String>> {
        for (name, value) in self.marked_branches(&mark.key).await? {
            if value == mark.value && self.has_branch(&name).await? {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// The names of all branches that carry a mark with this key, each with its value.
    pub(crate) async fn marked_branches(&self, key: &str) -> Result<Vec<(String, String)>> {
        let pattern = format!(r"^branch\..*\.{key}$");
        let call = self.call().args(["config", "--local", "-z", "--get-regexp", &pattern]);
        let listed = call.read().await?;
        let suffix = format!(".{key}");
        let listed = String::from_utf8_lossy(&listed.stdout);
        let marks = listed.split('\0').filter_map(|entry| {
            let (key, value) = entry.split_once('\n')?;
            let name = key.strip_prefix("branch.")?.strip_suffix(&suffix)?;
            Some((name.to_owned(), value.to_owned()))
        });
        Ok(marks.collect())
    }

    /// Whether a local branch of this name exists.
    pub async fn has_branch(&self, branch: &str) -> Result<bool> {
        Ok(self.tip(&format!("refs/heads/{branch}")).await?.is_some())
    }
}

impl Worktree {
    /// Returns HEAD to the branch where that loses nothing: the branch is fast-forwarded to HEAD's commit, and HEAD is
    /// attached to it. Index and files are not touched. A branch that HEAD was on stays where it is.
    pub async fn return_to(&self, branch: &str) -> Result<Standing> {
        let (worktree, branch) = (self.clone(), branch.to_owned());
        self.repo.git.see_through(async move { worktree.reattach(&branch).await }).await
    }

    async fn reattach(self, branch: &str) -> Result<Standing> {
        if self.is_on(branch).await? {
            return Ok(Standing::OnBranch);
        }
        let hold = self.hold().await?;
        let head = self.head().await?;
        let apart = Standing::Apart { head: head.clone() };
        let refname = format!("refs/heads/{branch}");
        let Some(tip) = self.repo.tip(&refname).await? else { return Ok(apart) };
        if self.operation().is_some() || self.repo.is_checked_out(branch).await? {
            return Ok(apart);
        }
        let call = || self.call().args(UNSEEN);
        let ancestor = call().args(["merge-base", "--is-ancestor", tip.as_str(), head.as_str()]);
        if !ancestor.read().await?.status.success() {
            return Ok(apart);
        }
        let update = ["update-ref", "-m", "forge: fast-forward", &refname, head.as_str(), tip.as_str()];
        call().args(update).write(&hold).await?.ok()?;
        call().args(["symbolic-ref", "-m", "forge: reattach", "HEAD", &refname]).write(&hold).await?.ok()?;
        Ok(Standing::OnBranch)
    }
}
