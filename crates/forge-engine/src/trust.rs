//! Which variants of repositories a person has confirmed. A repository's variant runs only after that, and only as it was
//! then: what a repository says of it can change with every pull.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use forge_agent::profiles::FoundVariant;
use forge_model::{Profile, ProjectId};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::profiles::ProjectProfiles;
use crate::whole::{self, Kept};

/// `EXECUTOR:VARIANT:DIGEST` of every confirmed variant, by project. Entries of older versions have no digest and confirm
/// nothing.
pub(crate) type TrustedVariants = BTreeMap<ProjectId, BTreeSet<String>>;

pub(crate) fn load(data: &Path) -> Result<Kept<TrustedVariants>> {
    let path = data.join("trusted-variants.json");
    let trusted = match whole::read(&path)?.map(|text| serde_json::from_str(&text)) {
        None => TrustedVariants::new(),
        Some(Ok(trusted)) => trusted,
        Some(Err(error)) => {
            whole::set_aside(&path, &error.to_string());
            TrustedVariants::new()
        }
    };
    Ok(Kept::new(path, trusted))
}

impl Engine {
    /// Confirms a variant that a project's repository adds, so that attempts can use it. With a digest, confirms only the
    /// content that it was read with.
    ///
    /// # Errors
    /// When the project, the executor or the variant does not exist, the variant does not have the digest any more, or the
    /// file cannot be written.
    pub async fn trust_variant(
        &self,
        id: ProjectId,
        profile: &Profile,
        read: Option<&str>,
    ) -> Result<ProjectProfiles> {
        let project = self.get_project(id).await?;
        let (profiles, _problems) = self.profiles_of(&project).await?;
        let agents = &self.inner.options.agents;
        let found = profiles.resolve(agents, profile)?;
        if let Some(read) = read
            && found.from_repository.map(digest).as_deref() != Some(read)
        {
            let message = format!(
                "the repository has changed the variant {} of {} since it was read with the digest {read}",
                found.variant, profile.executor
            );
            return Err(Error::conflict("variant_changed", message).hint(format!(
                "read it again with GET /api/forge/projects/{id}/profiles, then confirm it with its new digest"
            )));
        }
        if let Some(says) = found.from_repository {
            let name = name(&agents.find(&profile.executor)?.name, found.variant);
            let entry = entry(&name, says);
            let changed = self.inner.trusted.change(|before| {
                let mut trusted = before.clone();
                let variants = trusted.entry(id).or_default();
                variants.retain(|known| known.strip_prefix(&name).is_none_or(|rest| !is_end_of_name(rest)));
                variants.insert(entry);
                let text = serde_json::to_string_pretty(&trusted).map_err(|source| {
                    Error::internal("the confirmed variants cannot be written").because(source)
                })?;
                Ok((trusted, text))
            });
            changed.await?;
        }
        self.project_profiles(id).await
    }

    /// Whether a person has confirmed a variant of a project's repository as the repository has it now.
    pub(crate) fn is_trusted(&self, project: ProjectId, executor: &str, variant: &str, says: &Value) -> bool {
        let trusted = self.inner.trusted.now();
        let entry = entry(&name(executor, variant), says);
        trusted.get(&project).is_some_and(|variants| variants.contains(&entry))
    }

    /// Refuses a repository's variant that nobody has confirmed.
    pub(crate) fn check_trusted(
        &self,
        project: ProjectId,
        executor: &str,
        found: &FoundVariant<'_>,
    ) -> Result<()> {
        let Some(says) = found.from_repository else { return Ok(()) };
        if self.is_trusted(project, executor, found.variant, says) {
            return Ok(());
        }
        let message = format!(
            "the variant {} of {executor} comes from the repository and was not confirmed, or has changed since",
            found.variant
        );
        let path = format!("/api/forge/projects/{project}/profiles");
        Err(Error::conflict("variant_unconfirmed", message).hint(format!(
            "read it with GET {path}, then confirm it with POST {path}/trust and \
             {{\"executor\": \"{executor}\", \"variant\": \"{}\", \"digest\": \"<its digest>\"}}",
            found.variant
        )))
    }
}

fn name(executor: &str, variant: &str) -> String {
    format!("{executor}:{variant}")
}

fn entry(name: &str, says: &Value) -> String {
    format!("{name}:{}", digest(says))
}

/// The SHA-256 of what a repository says of a variant, in hex.
pub(crate) fn digest(says: &Value) -> String {
    let mut hex = String::new();
    for byte in Sha256::digest(says.to_string()) {
        // Writing to a string does not fail.
        let _written = write!(hex, "{byte:02x}");
    }
    hex
}

/// Whether a variant's name ends before this part of its entry.
fn is_end_of_name(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(':')
}
