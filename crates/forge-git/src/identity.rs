//! Who a commit is by, when the user never told git.

use crate::{Git, Result};
use std::path::Path;

/// The name and address of commits nobody else signs for.
pub(crate) const NAME: &str = "Forge";
pub(crate) const EMAIL: &str = "forge@localhost";

impl Git {
    /// Settings for one commit that stand in for what the user's configuration lacks. Nothing is
    /// written anywhere, and an identity the user has is never replaced.
    pub(crate) async fn identity(&self, dir: &Path) -> Result<Vec<String>> {
        for side in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            // Without this setting git makes up an address from the host name.
            let call = self.call(dir).args(["-c", "user.useConfigOnly=true", "var", side]);
            if !call.read().await?.status.success() {
                return self.stand_in(dir).await;
            }
        }
        Ok(Vec::new())
    }

    async fn stand_in(&self, dir: &Path) -> Result<Vec<String>> {
        let mut settings = Vec::new();
        for (key, value) in [("user.name", NAME), ("user.email", EMAIL)] {
            let set = self.call(dir).args(["config", "--get", key]).read().await?;
            if set.stdout.trim_ascii().is_empty() {
                settings.extend(["-c".to_owned(), format!("{key}={value}")]);
            }
        }
        Ok(settings)
    }
}
