//! Taking back what a crashed start left behind.

use std::fs;
use std::path::Path;

use crate::lock::Hold;
use crate::plain_file::small;
use crate::remove::{move_away, resolve_parent};
use crate::{Error, Mark, Repo, Result};

impl Repo {
    /// Removes whatever a crashed [`Repo::add_worktree`] left: folder (to `trash`), registration, and
    /// the branch if it carries the mark and no commit of its own. Waits for a git of the crashed
    /// start that still runs. Calling it again, or when nothing is left, is fine.
    pub async fn undo_worktree(&self, path: &Path, branch: &str, mark: &Mark, trash: &Path) -> Result<()> {
        let (repo, path, trash) = (self.clone(), resolve_parent(path), trash.to_owned());
        let (branch, mark) = (branch.to_owned(), mark.clone());
        self.git.see_through(async move { repo.undo(&path, &branch, &mark, &trash).await }).await
    }

    async fn undo(self, path: &Path, branch: &str, mark: &Mark, trash: &Path) -> Result<()> {
        let hold = Hold::exclusive(&self.lock_path()).await?;
        // Alone now: whatever lies on the workbench belongs to nobody.
        let bench = self.workbench();
        if let Err(error) = fs::remove_dir_all(&bench)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::io("clear", bench)(error));
        }
        let registrations = self.registrations_naming(path);
        let foreign = |other: Option<String>| other.is_some_and(|other| other != branch);
        if registrations.iter().any(|registration| foreign(registration.branch())) {
            return Err(Error::NotAWorktree { path: path.to_owned() });
        }
        // The branch is made, under its mark, before the worktree is registered. Without the mark the worktree has
        // only the name of ours, and another attempt works in it.
        if !registrations.is_empty() && !self.is_marked(branch, mark).await? {
            tracing::info!("worktree {} belongs to somebody else and is kept", path.display());
            return Ok(());
        }
        if fs::symlink_metadata(path).is_ok() {
            if registrations.is_empty() && !self.is_bare_claim(path) {
                return Err(Error::NotAWorktree { path: path.to_owned() });
            }
            move_away(path, trash)?;
        }
        for registration in registrations {
            registration.remove(&self).await?;
        }
        self.undo_branch(branch, mark, &hold).await
    }

    /// Whether the folder is what a start makes before it registers: empty, or with nothing but a
    /// link into this repository.
    pub(crate) fn is_bare_claim(&self, path: &Path) -> bool {
        let Ok(entries) = fs::read_dir(path) else { return false };
        let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
        let ours = [b"gitdir: ", self.common_dir().as_os_str().as_encoded_bytes(), b"/worktrees/"].concat();
        match names.as_slice() {
            [] => true,
            [name] if name == ".git" => {
                small(&path.join(".git")).is_some_and(|link| link.is_empty() || link.starts_with(&ours))
            }
            _ => false,
        }
    }

    async fn undo_branch(&self, branch: &str, mark: &Mark, hold: &Hold) -> Result<()> {
        let Some(tip) = self.tip(&format!("refs/heads/{branch}")).await? else {
            // Its settings go after it, and stayed if the disk was full by then.
            let stayed = self.is_marked(branch, mark).await?;
            return if stayed { self.forget_branch_config(branch, hold).await } else { Ok(()) };
        };
        if !self.is_marked(branch, mark).await? {
            tracing::info!("branch {branch} belongs to somebody else and is kept");
            return Ok(());
        }
        // What comes before `--branches` is matched against names without `refs/heads/`.
        let exclude = format!("--exclude={branch}");
        let call = self.call().args(["rev-list", "--max-count=1", tip.as_str(), "--not", &exclude]);
        let own = call.args(["--branches", "--remotes"]).read().await?.ok()?;
        if !own.stdout.is_empty() {
            tracing::info!("branch {branch} has commits of its own and is kept");
            return Ok(());
        }
        self.delete_branch(branch, hold).await
    }

    /// Whether the branch was made under this mark: by its config, or by the entry of its creation
    /// when the crash came before the config was written.
    async fn is_marked(&self, branch: &str, mark: &Mark) -> Result<bool> {
        let key = format!("branch.{branch}.{}", mark.key);
        let config = self.call().args(["config", "--local", "--get", &key]).read().await?;
        if config.status.success() {
            return Ok(config.text()? == mark.value);
        }
        let refname = format!("refs/heads/{branch}");
        if self.tip(&refname).await?.is_none() {
            return Ok(false);
        }
        let call = self.call().args([
            "log",
            "--walk-reflogs",
            "--no-mailmap",
            "--no-show-signature",
            "--format=%gs",
            &refname,
            "--",
        ]);
        let reflog = call.read().await?.ok()?;
        Ok(String::from_utf8_lossy(&reflog.stdout).lines().last() == Some(mark.reflog_message().as_str()))
    }
}
