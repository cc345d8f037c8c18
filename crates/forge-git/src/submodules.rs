//! Submodules of a new worktree.
//!
//! A repository names the addresses of its submodules, so nothing is fetched from them unless the user allowed it for the
//! project. A submodule that the repository or its checkout has already is checked out from there first: that needs no
//! network, and its commit may be nowhere else.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::{Call, Output};
use crate::commands::protocols;
use crate::lock::Hold;
use crate::{Error, Result, Worktree};

/// What git says of a commit that the address of a submodule does not have.
const COMMIT_MISSING: [&str; 3] = ["not our ref", "did not contain", "does not contain the commit"];

/// Whether submodules may be fetched from the addresses that a repository names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Submodules {
    /// Only those are checked out whose objects are in the repository.
    #[default]
    Local,
    /// All are fetched and checked out, recursively, over protocols that are allowed.
    Fetch,
}

impl Worktree {
    /// Checks out the submodules, if the worktree has any.
    pub(crate) async fn init_submodules(&self, submodules: Submodules, hold: &Hold) -> Result<()> {
        if fs::symlink_metadata(self.path().join(".gitmodules")).is_err() {
            return Ok(());
        }
        match submodules {
            Submodules::Fetch => {
                self.take_local_submodules(hold).await?;
                self.fetch_submodules(hold).await
            }
            Submodules::Local => self.take_local_submodules(hold).await,
        }
    }

    /// Paths of the base commit's submodules that are not checked out.
    pub(crate) async fn missing_submodules(&self) -> Result<Vec<PathBuf>> {
        if fs::symlink_metadata(self.path().join(".gitmodules")).is_err() {
            return Ok(Vec::new());
        }
        let names = self.module_names().await?;
        let missing = |path: &PathBuf| fs::symlink_metadata(self.path().join(path).join(".git")).is_err();
        Ok(names.into_iter().map(|(_, path)| path).filter(missing).collect())
    }

    async fn fetch_submodules(&self, hold: &Hold) -> Result<()> {
        {
            // This is the step that writes to the config which all worktrees share.
            let _turn = self.repo.turn.lock().await;
            let call = self.call().args(["submodule", "--quiet", "init"]);
            checked(&call.write(hold).await?)?;
        }
        let settings = self.repo.worktree_settings(self.path(), self.admin_dir()).await?;
        let mut call = self.call().fetching(protocols(&settings));
        if !self.chooses_ssh().await? {
            // A server has nobody to type a passphrase.
            call = call.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        }
        let call = call.args(["submodule", "--quiet", "update", "--init", "--recursive"]);
        checked(&call.write_with_hooks(hold).await?)
    }

    async fn take_local_submodules(&self, hold: &Hold) -> Result<()> {
        for (name, path) in self.module_names().await? {
            let Some(objects) = self.local_module(&name, &path) else {
                tracing::info!("the submodule {} is not in the repository", path.display());
                continue;
            };
            let from = objects.display().to_string();
            let url = |call: Call| call.setting(&format!("submodule.{name}.url"), &from);
            let _turn = self.repo.turn.lock().await;
            let call = url(self.call()).env("GIT_ALLOW_PROTOCOL", "file");
            let call = call.args(["submodule", "--quiet", "update", "--init", "--checkout", "--"]);
            let output = call.arg(&path).write_with_hooks(hold).await?;
            if !output.status.success() {
                let why = output.stderr;
                tracing::warn!(git.output = why, "the submodule {} could not be checked out", path.display());
            }
            // Also of one that lacks the commit, which may be fetched.
            self.point_to_remote(&name, &objects, hold).await?;
        }
        Ok(())
    }

    /// The repository of a submodule in the repository, or in its checkout.
    fn local_module(&self, name: &str, path: &Path) -> Option<PathBuf> {
        let in_checkout = self.repo.path().join(path).join(".git");
        // A file there leads to the first of the two.
        let has_own = fs::symlink_metadata(&in_checkout).is_ok_and(|entry| entry.is_dir());
        let places =
            [Some(self.repo.common_dir().join("modules").join(name)), has_own.then_some(in_checkout)];
        places.into_iter().flatten().find(|place| place.join("HEAD").is_file())
    }

    /// Names the address that the repository's own submodule is fetched from, for whoever fetches it later.
    async fn point_to_remote(&self, name: &str, from: &Path, hold: &Hold) -> Result<()> {
        let to = self.admin_dir().join("modules").join(name);
        if !to.join("config").is_file() {
            return Ok(());
        }
        let config = |folder: &Path| self.call().args(["config", "--file"]).arg(folder.join("config"));
        let url = config(from).args(["--get", "remote.origin.url"]).read().await?;
        if let Ok(url) = url.text()
            && !url.is_empty()
        {
            config(&to).args(["remote.origin.url", url]).write(hold).await?.ok()?;
        }
        Ok(())
    }

    /// Whether the user says how to run ssh; then nothing is added to it.
    async fn chooses_ssh(&self) -> Result<bool> {
        let chosen = |name| std::env::var_os(name).is_some();
        if chosen("GIT_SSH") || chosen("GIT_SSH_COMMAND") {
            return Ok(true);
        }
        let output = self.call().args(["config", "--get", "core.sshCommand"]).read().await?;
        Ok(output.status.success())
    }
}

fn checked(output: &Output) -> Result<()> {
    let stderr = output.stderr.trim().to_owned();
    if output.status.success() {
        Ok(())
    } else if COMMIT_MISSING.iter().any(|words| stderr.contains(words)) {
        Err(Error::SubmoduleCommitMissing { output: stderr })
    } else {
        Err(Error::SubmodulesFailed { output: stderr })
    }
}
