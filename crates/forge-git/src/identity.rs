//! Who a commit is by, when the user never told git.

use crate::Result;
use crate::command::Call;

/// The name and address of commits nobody else signs for.
pub(crate) const NAME: &str = "Forge";
pub(crate) const EMAIL: &str = "forge@localhost";

/// Settings for one commit that stand in for what the user's configuration lacks. Nothing is
/// written anywhere, and an identity the user has is never replaced.
pub(crate) async fn identity(call_of: impl Fn() -> Call) -> Result<Vec<String>> {
    for side in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
        // Without this setting git makes up an address from the host name.
        let call = call_of().args(["-c", "user.useConfigOnly=true", "var", side]);
        if !call.read().await?.status.success() {
            return stand_in(call_of).await;
        }
    }
    Ok(Vec::new())
}

async fn stand_in(call_of: impl Fn() -> Call) -> Result<Vec<String>> {
    let mut settings = Vec::new();
    for (key, value) in [("user.name", NAME), ("user.email", EMAIL)] {
        let set = call_of().args(["config", "--get", key]).read().await?;
        if set.stdout.trim_ascii().is_empty() {
            settings.extend(["-c".to_owned(), format!("{key}={value}")]);
        }
    }
    Ok(settings)
}
