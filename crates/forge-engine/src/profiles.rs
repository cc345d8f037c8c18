//! Executors with their variants: what Forge brings along, and a person's own, kept in a file of the data folder.

use std::collections::BTreeMap;
use std::path::Path;

use forge_agent::agents::{Agents, UnknownExecutor};
use forge_agent::profiles::{BadProfiles, Profiles, Settings};
use forge_model::{AttemptId, Profile, ProjectId};
use serde_json::Value;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::trust::digest;
use crate::whole::{self, Kept};

/// The profiles that a project's attempts are started with.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectProfiles {
    /// The document, with keys masked.
    pub document: Value,
    /// Other names of variants: those that agents of the repository are asked for by.
    pub short: BTreeMap<String, String>,
    /// The variants that the repository adds.
    pub repository_variants: Vec<RepositoryVariant>,
    /// What the repository brings along and cannot be used, and why.
    pub problems: Vec<String>,
}

/// A variant that a project's repository adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryVariant {
    /// The executor.
    pub executor: String,
    /// The variant.
    pub variant: String,
    /// Whether a person has confirmed it as it is now; otherwise nothing starts with it.
    pub is_trusted: bool,
    /// Of what the repository says of it; names the content that is confirmed.
    pub digest: String,
}

/// One profile with what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownProfile {
    /// The executor.
    pub executor: String,
    /// The variant.
    pub variant: String,
    /// What the variant sets.
    pub settings: Settings,
}

impl From<BadProfiles> for Error {
    fn from(bad: BadProfiles) -> Self {
        Self::invalid(bad.code, bad.message).hint(bad.hint)
    }
}

impl From<UnknownExecutor> for Error {
    fn from(unknown: UnknownExecutor) -> Self {
        BadProfiles::from(unknown).into()
    }
}

pub(crate) fn load(data: &Path, agents: &Agents) -> Result<Kept<Profiles>> {
    let path = data.join("profiles.json");
    let own = whole::read(&path)?.map(|text| serde_json::from_str::<Value>(&text));
    let profiles = match own {
        None => Profiles::built_in(agents),
        Some(Ok(own)) => Profiles::with_own(agents, &own).unwrap_or_else(|bad| {
            whole::set_aside(&path, &bad.message);
            Profiles::built_in(agents)
        }),
        Some(Err(_)) => {
            whole::set_aside(&path, "it is not JSON");
            Profiles::built_in(agents)
        }
    };
    Ok(Kept::new(path, profiles))
}

impl Engine {
    /// The document of all profiles, with keys masked: `{"executors": {EXECUTOR: {VARIANT: {EXECUTOR: {settings}}}}}`.
    #[must_use]
    pub fn profiles(&self) -> Value {
        self.inner.profiles.now().masked().document()
    }

    /// Every profile, with keys masked.
    #[must_use]
    pub fn list_profiles(&self) -> Vec<KnownProfile> {
        let profiles = self.inner.profiles.now().masked();
        let known = |(executor, variant, settings): (&str, &str, &Settings)| KnownProfile {
            executor: executor.to_owned(),
            variant: variant.to_owned(),
            settings: settings.clone(),
        };
        profiles.iter().map(known).collect()
    }

    /// Where a person's own profiles are kept.
    #[must_use]
    pub fn profiles_path(&self) -> &Path {
        self.inner.profiles.path()
    }

    /// Makes the profiles what the document says. What comes back masked stays as it is.
    ///
    /// # Errors
    /// When something in it cannot be, a mask stands where nothing is known, or it cannot be written. Then nothing is changed.
    pub async fn replace_profiles(&self, document: &Value) -> Result<()> {
        let agents = &self.inner.options.agents;
        let mut profiles = Profiles::read(agents, document)?;
        let changed = self.inner.profiles.change(|before| {
            profiles.unmask(before)?;
            let own = serde_json::to_string_pretty(&profiles.own(agents))
                .map_err(|source| Error::internal("the profiles cannot be written").because(source))?;
            Ok((profiles, own))
        });
        changed.await.map(drop)
    }

    /// The profiles that a project's attempts are started with: exactly what a start would resolve now.
    ///
    /// # Errors
    /// When the project is not there.
    pub async fn project_profiles(&self, id: ProjectId) -> Result<ProjectProfiles> {
        let project = self.get_project(id).await?;
        let (profiles, problems) = self.profiles_of(&project).await?;
        Ok(ProjectProfiles {
            document: profiles.masked().document(),
            short: profiles.short().clone(),
            repository_variants: profiles
                .repository_variants()
                .map(|(executor, variant, says)| RepositoryVariant {
                    is_trusted: self.is_trusted(id, executor, variant, says),
                    digest: digest(says),
                    executor: executor.to_owned(),
                    variant: variant.to_owned(),
                })
                .collect(),
            problems,
        })
    }

    /// Runs what sets an agent up before its first use. None of the agents that Forge knows has such a thing.
    ///
    /// # Errors
    /// Always: when the attempt is not there, Forge does not know the executor, or it cannot be set up so.
    pub async fn run_agent_setup(&self, id: AttemptId, profile: &Profile) -> Result<()> {
        self.get_attempt_here(id).await?;
        let message =
            format!("{} has no set-up helper", self.inner.options.agents.find(&profile.executor)?.name);
        Err(Error::invalid("setup_not_supported", message)
            .hint("install it and log in with its own program; `forge doctor` says what is missing"))
    }
}
