//! Repositories inside a worktree: git records their commit and nothing of what is in them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::{Git, Result};

impl Git {
    /// The repositories below `paths` that have work which nobody else has: changes that are not committed, or
    /// commits that none of their remotes is known to have. `paths` are relative to `top`.
    pub(crate) async fn unsaved_repositories(
        &self,
        top: &Path,
        paths: Vec<PathBuf>,
    ) -> Result<Option<String>> {
        let mut told = Vec::new();
        let mut left: Vec<PathBuf> = paths.into_iter().map(|path| top.join(path)).collect();
        while let Some(path) = left.pop() {
            // Without one it is a submodule that nobody checked out.
            if fs::symlink_metadata(path.join(".git")).is_err() {
                continue;
            }
            if self.has_own_work(&path).await? {
                let shown = path.strip_prefix(top).unwrap_or(&path);
                told.push(format!("the repository {} has work that is nowhere else", shown.display()));
                continue;
            }
            let staged = self.call(&path).args(["ls-files", "--stage", "-z"]).read().await?.ok()?;
            left.extend(gitlinks(&staged.stdout).into_iter().map(|inner| path.join(inner)));
        }
        told.sort();
        Ok((!told.is_empty()).then(|| told.join("\n")))
    }

    async fn has_own_work(&self, path: &Path) -> Result<bool> {
        let status =
            self.call(path).args(["status", "--porcelain", "-z", "--untracked-files=all"]).read().await?;
        if !status.status.success() || !status.stdout.is_empty() {
            return Ok(true);
        }
        // The bracket keeps git from looking for refs below `refs/stash`.
        let call = self.call(path).args(["rev-list", "--max-count=1", "HEAD", "--branches"]);
        let own = call.args(["--glob=refs/stas[h]", "--not", "--remotes"]).read().await?;
        Ok(!own.status.success() || !own.stdout.is_empty())
    }
}

/// The paths of repositories in the output of `git ls-files --stage -z`.
pub(crate) fn gitlinks(staged: &[u8]) -> Vec<PathBuf> {
    let entries = staged.split(|byte| *byte == 0).filter(|entry| entry.starts_with(b"160000 "));
    let path = |entry: &[u8]| entry.splitn(2, |byte| *byte == b'\t').nth(1).map(<[u8]>::to_vec);
    entries.filter_map(path).map(|path| PathBuf::from(OsStr::from_bytes(&path))).collect()
}
