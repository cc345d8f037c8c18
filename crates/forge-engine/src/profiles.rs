//! Executors with their variants: what Forge brings along, and a person's own, kept in a file of the data folder.

use std::path::Path;

use forge_agent::catalog::{Kind, UnknownExecutor};
use forge_agent::executor::{self, Executor};
use forge_agent::profiles::{BadProfiles, Profiles, Settings};
use forge_model::{AttemptId, Profile};
use serde_json::Value;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::whole::{self, Kept};

/// Settings that a variant may have and that no agent is started with yet.
const NOT_YET: [&str; 3] = ["append_prompt", "base_command_override", "claude_code_router"];
/// What a setting is that says nothing.
static EMPTY: [Value; 3] = [Value::Null, Value::Bool(false), Value::String(String::new())];

/// An executor on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Availability {
    /// The wire's name of the executor.
    pub executor: &'static str,
    /// What keeps it from being started; none if nothing does.
    pub lacks: Option<String>,
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

pub(crate) fn load(data: &Path) -> Result<Kept<Profiles>> {
    let path = data.join("profiles.json");
    let own = whole::read(&path)?.map(|text| serde_json::from_str::<Value>(&text));
    let profiles = match own {
        None => Profiles::built_in(),
        Some(Ok(own)) => Profiles::with_own(&own).unwrap_or_else(|bad| {
            whole::set_aside(&path, &bad.message);
            Profiles::built_in()
        }),
        Some(Err(_)) => {
            whole::set_aside(&path, "it is not JSON");
            Profiles::built_in()
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
        let mut profiles = Profiles::read(document)?;
        let changed = self.inner.profiles.change(|before| {
            profiles.unmask(before)?;
            let own = serde_json::to_string_pretty(&profiles.own())
                .map_err(|source| Error::internal("the profiles cannot be written").because(source))?;
            Ok((profiles, own))
        });
        changed.await.map(drop)
    }

    /// What each executor lacks to be started here.
    #[must_use]
    pub fn availability(&self) -> Vec<Availability> {
        let of = |kind: &'static Kind| Availability {
            executor: kind.name,
            lacks: self
                .find_executor(&Profile { executor: kind.name.to_owned(), variant: None })
                .err()
                .map(|error| error.to_string()),
        };
        Kind::all().iter().map(of).collect()
    }

    /// The settings of a profile that is to be started: the one place where a variant's name becomes what it means.
    ///
    /// # Errors
    /// When there is no such executor or variant, or what it asks for cannot be done yet.
    pub(crate) fn settings_of(&self, profile: &Profile) -> Result<Settings> {
        let settings = self.inner.profiles.now().resolve(profile)?.clone();
        // Left out in silence, an agent would do what nobody wants, or ask nobody.
        let is_set = |name: &str| settings.get(name).is_some_and(|value| !EMPTY.contains(value));
        if let Some(name) = NOT_YET.into_iter().find(|name| is_set(name)) {
            return Err(Error::not_yet(
                &format!("the setting `{name}` of {profile}"),
                "choose a variant without it",
            ));
        }
        Ok(settings)
    }

    /// Runs what sets an agent up before its first use. None of the agents that Forge knows has such a thing.
    ///
    /// # Errors
    /// Always: when the attempt is not there, Forge does not know the executor, or it cannot be set up so.
    pub async fn run_agent_setup(&self, id: AttemptId, profile: &Profile) -> Result<()> {
        self.get_attempt(id).await?;
        let message = format!("{} has no set-up helper", Kind::find(&profile.executor)?.name);
        Err(Error::invalid("setup_not_supported", message)
            .hint("install it and log in with its own program; `forge doctor` says what is missing"))
    }

    /// The executor of a profile, with the program that runs it.
    ///
    /// # Errors
    /// When Forge does not know the executor or cannot talk to it yet, or its program is not installed.
    pub(crate) fn find_executor(&self, profile: &Profile) -> Result<(&'static Executor, executor::Command)> {
        let kind = Kind::find(&profile.executor)?;
        let executor = executor::find(kind.name).ok_or_else(|| {
            let ready: Vec<&str> = Executor::all().iter().map(|executor| executor.name).collect();
            let hint = format!("executors that can be started: {}", ready.join(", "));
            Error::not_yet(&format!("the executor {}", kind.name), hint)
        })?;
        let own = self.inner.options.executors.get(executor.name).map(Vec::as_slice);
        let command = executor::locate(executor, own, &self.inner.options.path)?;
        Ok((executor, command))
    }
}
