//! Submodules of a new worktree.

use std::fs;
use std::path::Path;

use crate::lock::Hold;
use crate::{Error, Repo, Result};

impl Repo {
    /// Checks out the submodules, recursively, if the worktree has any.
    pub(crate) async fn init_submodules(&self, path: &Path, hold: &Hold) -> Result<()> {
        if fs::symlink_metadata(path.join(".gitmodules")).is_err() {
            return Ok(());
        }
        {
            // This is the step that writes to the config which all worktrees share.
            let _turn = self.turn.lock().await;
            let call = self.git.call(path).args(["submodule", "--quiet", "init"]);
            checked(&call.write(hold).await?)?;
        }
        let mut call = self.git.call(path);
        if !self.chooses_ssh(path).await? {
            // A server has nobody to type a passphrase.
            call = call.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
        }
        let call = call.args(["submodule", "--quiet", "update", "--init", "--recursive"]);
        checked(&call.write_with_hooks(hold).await?)
    }

    /// Whether the user says how to run ssh; then nothing is added to it.
    async fn chooses_ssh(&self, path: &Path) -> Result<bool> {
        let chosen = |name| std::env::var_os(name).is_some();
        if chosen("GIT_SSH") || chosen("GIT_SSH_COMMAND") {
            return Ok(true);
        }
        let output = self.git.call(path).args(["config", "--get", "core.sshCommand"]).read().await?;
        Ok(output.status.success())
    }
}

fn checked(output: &crate::command::Output) -> Result<()> {
    if output.status.success() {
        Ok(())
    } else {
        Err(Error::SubmodulesFailed { output: output.stderr.trim().to_owned() })
    }
}
