//! The author of a commit: the user, as git knows them in the repository's own checkout.

use std::path::Path;

use crate::command::Call;
use crate::{Git, Repo, Result};

/// The name and address of commits whose author git does not know.
pub(crate) const NAME: &str = "Forge";
pub(crate) const EMAIL: &str = "forge@localhost";

/// Author and committer of one commit.
pub(crate) struct Identity {
    /// As git resolves them; settings of a single worktree or for its folder do not replace the user's.
    known: Vec<(String, String)>,
    /// Settings in place of those that the user lacks.
    missing: Vec<String>,
}

/// The same call; a commit that it makes for Forge's own use is by Forge.
pub(crate) fn by_forge(call: Call) -> Call {
    ["AUTHOR", "COMMITTER"].iter().fold(call, |call, role| {
        call.env(&format!("GIT_{role}_NAME"), NAME).env(&format!("GIT_{role}_EMAIL"), EMAIL)
    })
}

/// The user as author, if git knows them in both roles.
async fn author(call: impl Fn() -> Call) -> Result<Option<(String, String)>> {
    let (author, committer) = tokio::join!(person(call(), "AUTHOR"), person(call(), "COMMITTER"));
    let (author, committer) = (author?, committer?);
    Ok(author.filter(|_| committer.is_some()))
}

/// Name and address of the user in this role; none if git does not know both.
async fn person(call: Call, role: &str) -> Result<Option<(String, String)>> {
    // Without this setting git makes up an address from the host name.
    let call = call.args(["-c", "user.useConfigOnly=true", "var"]);
    let output = call.arg(format!("GIT_{role}_IDENT")).read().await?;
    if !output.status.success() {
        return Ok(None);
    }
    // `Name <address> 1700000000 +0000`
    let text = String::from_utf8_lossy(&output.stdout);
    let parts = text.rsplit_once("> ").and_then(|(person, _time)| person.rsplit_once(" <"));
    Ok(parts.map(|(name, email)| (name.to_owned(), email.to_owned())))
}

impl Git {
    /// The user's `Name <address>` outside of repositories; none if git does not know both. Commits in a repository
    /// that does not know more are by Forge.
    pub async fn user(&self) -> Result<Option<String>> {
        let user = author(|| self.call(Path::new("/"))).await?;
        Ok(user.map(|(name, email)| format!("{name} <{email}>")))
    }
}

impl Identity {
    pub(crate) fn apply(&self, call: Call) -> Call {
        let call = self.known.iter().fold(call, |call, (name, value)| call.env(name, value));
        call.args(&self.missing)
    }
}

impl Repo {
    /// The user's identity. An identity that the user has is never replaced, and nothing is written anywhere.
    pub(crate) async fn identity(&self) -> Result<Identity> {
        let mut identity = Identity { known: Vec::new(), missing: Vec::new() };
        for role in ["AUTHOR", "COMMITTER"] {
            match person(self.call(), role).await? {
                Some((name, email)) => identity
                    .known
                    .extend([(format!("GIT_{role}_NAME"), name), (format!("GIT_{role}_EMAIL"), email)]),
                None => identity.missing = self.missing_settings().await?,
            }
        }
        Ok(identity)
    }

    /// Whether git knows who the user is. If not, commits are by Forge.
    pub async fn has_identity(&self) -> Result<bool> {
        Ok(author(|| self.call()).await?.is_some())
    }

    async fn missing_settings(&self) -> Result<Vec<String>> {
        let mut settings = Vec::new();
        for (key, value) in [("user.name", NAME), ("user.email", EMAIL)] {
            let set = self.call().args(["config", "--get", key]).read().await?;
            if set.stdout.trim_ascii().is_empty() {
                settings.extend(["-c".to_owned(), format!("{key}={value}")]);
            }
        }
        Ok(settings)
    }
}
