//! The commit whose hooks and scripts may run in a worktree, and filters that run others during a checkout.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::commands::Setting;
use crate::guard::Guard;
use crate::mentions::{mentioned, paths, words};
use crate::{Base, Oid, Repo, Result, Worktree};

impl Repo {
    /// The commit whose hooks and scripts may run in a worktree that starts at `commit` of a branch; none is that commit.
    ///
    /// A branch that carries a mark with this key, or a remote-tracking one of its name, is the work of an attempt: nobody
    /// may have reviewed it. Nor is a tag or a commit known to be the user's. What they have in common with the repository's
    /// own HEAD is the user's.
    pub async fn trusted_base(&self, name: &str, base: &Base, key: &str) -> Result<Option<Oid>> {
        let marked = self.marked_branches(key).await?;
        let is_its =
            |marked: &str| name.strip_suffix(marked).is_some_and(|to| to.is_empty() || to.ends_with('/'));
        if base.kind.is_branch() && !marked.iter().any(|(marked, _)| is_its(marked)) {
            return Ok(None);
        }
        let commit = &base.oid;
        let common = self.call().args(["merge-base", "HEAD", commit.as_str()]).read().await?;
        // Without a common commit, or with a HEAD that has none, nothing is trusted.
        let trusted = if common.status.success() { common.oid()? } else { commit.empty_tree() };
        Ok(Some(trusted))
    }
}

impl Worktree {
    /// Disables filters whose command names a file that `commit` has otherwise than the trusted one: a checkout may write
    /// the file before the filter runs.
    pub(crate) async fn without_filters_changed_in(
        mut self,
        commit: &Oid,
        settings: &[Setting],
    ) -> Result<Self> {
        if *commit == self.guard.trusted || !settings.iter().any(|setting| setting.driver().is_some()) {
            return Ok(self);
        }
        let call = self.call().args(["diff-tree", "-r", "--name-only", "-z", "--no-renames"]);
        let call = call.args([self.guard.trusted.as_str(), commit.as_str(), "--"]);
        let changed = call.read().await?.ok()?.stdout;
        let changes: Vec<PathBuf> = paths(&changed).map(Path::to_owned).collect();
        let mut guard = Guard::clone(&self.guard);
        for setting in settings {
            let Some(driver) = setting.driver() else { continue };
            // A bare word is a program, or a file at the top.
            let mut named = mentioned(setting.value.as_bytes(), &changes);
            if !words(setting.value.as_bytes()).any(|word| word.contains(&b'/') || word.contains(&b'.')) {
                named.retain(|file| file.components().count() == 1);
            }
            if let Some(file) = named.first() {
                let why = format!("the filter {driver} runs {}, which an attempt changed", file.display());
                tracing::warn!("in {}: {why}", self.path().display());
                guard.skipped.push(why);
                guard.disable(driver);
            }
        }
        self.guard = Arc::new(guard);
        Ok(self)
    }
}
