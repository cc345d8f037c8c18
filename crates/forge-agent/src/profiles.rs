//! The variants of every executor: the built-in ones, a person's own over them, and a project's over those.

mod front_matter;
mod genie;
mod project;
mod repo_file;

use std::collections::BTreeMap;

use forge_model::{Profile, nearest};
use serde_json::{Map, Value, json};

use crate::agents::{Agent, Agents, UnknownExecutor};
use crate::mcp;
pub use project::PROJECT_FILE;

/// The variant that is used where none is named.
pub const DEFAULT_VARIANT: &str = "GENIE";

/// What a variant says.
pub type Settings = Map<String, Value>;

/// What a document of profiles looks like.
const SHAPE: &str =
    "write {\"executors\": {\"CLAUDE_CODE\": {\"MINE\": {\"CLAUDE_CODE\": {\"model\": \"opus\"}}}}}";

type Variants = BTreeMap<String, BTreeMap<String, Settings>>;

/// The settings of every variant of every executor.
#[derive(Debug, Clone, PartialEq)]
pub struct Profiles {
    variants: Variants,
    /// Other names of variants, which a project's agents are asked for by.
    short: BTreeMap<String, String>,
    /// By executor and variant, what a repository says of those that it added.
    from_repository: BTreeMap<(String, String), Value>,
}

/// A profile that was found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FoundVariant<'a> {
    /// Its name.
    pub variant: &'a str,
    /// What it sets.
    pub settings: &'a Settings,
    /// The repository's own definition, if a repository added the variant; a person confirms it before its first use.
    pub from_repository: Option<&'a Value>,
}

/// Why a document of profiles is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadProfiles {
    /// A word for programs.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}

impl From<UnknownExecutor> for BadProfiles {
    fn from(unknown: UnknownExecutor) -> Self {
        Self { code: "executor_unknown", message: unknown.to_string(), hint: unknown.hint }
    }
}

fn bad(message: String, hint: impl Into<String>) -> BadProfiles {
    BadProfiles { code: "profiles_invalid", message, hint: hint.into() }
}

impl Profiles {
    const fn of(variants: Variants) -> Self {
        Self { variants, short: BTreeMap::new(), from_repository: BTreeMap::new() }
    }

    /// Executor and variant of each profile that a repository added, and what the repository says of it.
    pub fn repository_variants(&self) -> impl Iterator<Item = (&str, &str, &Value)> {
        self.from_repository
            .iter()
            .map(|((executor, variant), says)| (executor.as_str(), variant.as_str(), says))
    }

    /// Other names of variants, by which a project's agents can be asked for.
    #[must_use]
    pub const fn short(&self) -> &BTreeMap<String, String> {
        &self.short
    }

    /// What Forge brings along.
    #[must_use]
    pub fn built_in(agents: &Agents) -> Self {
        Self::of(agents.all().iter().map(|agent| (agent.name.clone(), agent.variants.clone())).collect())
    }

    /// The profiles that a document names: `{"executors": {EXECUTOR: {VARIANT: {EXECUTOR: {settings}}}}}`.
    ///
    /// # Errors
    /// When something in it cannot be, or a built-in variant is missing.
    pub fn read(agents: &Agents, document: &Value) -> Result<Self, BadProfiles> {
        let profiles = Self::of(read_variants(agents, document)?);
        for (executor, variants) in Self::built_in(agents).variants {
            let theirs = profiles.variants.get(&executor);
            if let Some(variant) =
                variants.keys().find(|variant| theirs.is_none_or(|theirs| !theirs.contains_key(*variant)))
            {
                return Err(bad(
                    format!("the variant {variant} of {executor} is built in and cannot be removed"),
                    "send the whole document as GET /api/profiles has it, with your changes",
                ));
            }
        }
        Ok(profiles)
    }

    /// The built-in profiles under a person's own, as [`Self::own`] gave them.
    ///
    /// # Errors
    /// When something in it cannot be.
    pub fn with_own(agents: &Agents, document: &Value) -> Result<Self, BadProfiles> {
        let mut profiles = Self::built_in(agents);
        for (executor, variants) in read_variants(agents, document)? {
            profiles.variants.entry(executor).or_default().extend(variants);
        }
        Ok(profiles)
    }

    /// What differs from the built-in profiles: those get better with every release, and should not be kept as they
    /// once were.
    #[must_use]
    pub fn own(&self, agents: &Agents) -> Value {
        let built_in = Self::built_in(agents).variants;
        let mut own = self.variants.clone();
        for (executor, variants) in &mut own {
            let known = built_in.get(executor);
            variants.retain(|name, settings| known.and_then(|known| known.get(name)) != Some(&*settings));
        }
        own.retain(|_, variants| !variants.is_empty());
        document(&own)
    }

    /// The whole document.
    #[must_use]
    pub fn document(&self) -> Value {
        document(&self.variants)
    }

    /// Executor, variant and settings of every profile.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, &Settings)> {
        self.variants.iter().flat_map(|(executor, variants)| {
            variants.iter().map(move |(variant, settings)| (executor.as_str(), variant.as_str(), settings))
        })
    }

    /// The profiles as everybody may see them: keys are masked as those of MCP servers are.
    #[must_use]
    pub fn masked(&self) -> Self {
        let of = |(executor, variants): (&String, &BTreeMap<String, Settings>)| {
            (executor.clone(), settings_by_name(mcp::mask(&values_by_name(variants))))
        };
        Self { variants: self.variants.iter().map(of).collect(), ..self.clone() }
    }

    /// Puts back what was masked when `before` was shown.
    ///
    /// # Errors
    /// When a mask stands where there was nothing.
    pub fn unmask(&mut self, before: &Self) -> Result<(), BadProfiles> {
        for (executor, variants) in &mut self.variants {
            let mut values = values_by_name(variants);
            let before = before.variants.get(executor).map(values_by_name).unwrap_or_default();
            mcp::unmask(&mut values, &before).map_err(|unknown| BadProfiles {
                code: "profiles_key_unknown",
                message: format!("{executor}: {unknown}"),
                hint: "send the key itself in this place".to_owned(),
            })?;
            *variants = settings_by_name(values);
        }
        Ok(())
    }

    /// Finds a profile; without a variant, the default one.
    ///
    /// # Errors
    /// When there is no such executor, or it has no such variant.
    pub fn resolve(&self, agents: &Agents, profile: &Profile) -> Result<FoundVariant<'_>, BadProfiles> {
        let agent = agents.find(&profile.executor)?;
        let name = canonical_variant(profile.variant.as_deref());
        let variants = self.variants.get(&agent.name);
        // Genie's own programs ask for `WISH_` where an agent belongs to no collective.
        let other = self.short.get(name.trim_end_matches('_'));
        let named = |name: &String| variants.and_then(|variants| variants.get_key_value(name));
        if let Some((variant, settings)) = named(&name).or_else(|| other.and_then(named)) {
            let from_repository = self.from_repository.get(&(agent.name.clone(), variant.clone()));
            return Ok(FoundVariant { variant, settings, from_repository });
        }
        let known = variants.into_iter().flat_map(BTreeMap::keys).map(String::as_str);
        let hint = match nearest(&name, known.clone()) {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!("its variants: {}", known.collect::<Vec<_>>().join(", ")),
        };
        let message = format!("{} has no variant `{}`", agent.name, short(&name));
        Err(BadProfiles { code: "variant_unknown", message, hint })
    }
}

fn values_by_name(variants: &BTreeMap<String, Settings>) -> Map<String, Value> {
    variants.iter().map(|(name, settings)| (name.clone(), settings.clone().into())).collect()
}

fn settings_by_name(values: Map<String, Value>) -> BTreeMap<String, Settings> {
    let settings = |value| if let Value::Object(settings) = value { settings } else { Settings::new() };
    values.into_iter().map(|(name, value)| (name, settings(value))).collect()
}

fn document(variants: &Variants) -> Value {
    let executors = variants.iter().map(|(executor, variants)| {
        let variants = variants.iter().map(|(variant, settings)| {
            (variant.clone(), Value::Object(Map::from_iter([(executor.clone(), settings.clone().into())])))
        });
        (executor.clone(), Value::Object(variants.collect()))
    });
    json!({"executors": executors.collect::<Map<_, _>>()})
}

fn read_variants(agents: &Agents, document: &Value) -> Result<Variants, BadProfiles> {
    let executors = document.get("executors").and_then(Value::as_object);
    let executors = executors.ok_or_else(|| bad("`executors` is missing".into(), SHAPE))?;
    let mut all = Variants::new();
    for (executor, variants) in executors {
        let agent = agents.find(executor)?;
        let variants = variants
            .as_object()
            .ok_or_else(|| bad(format!("`executors.{}` has to be an object", agent.name), SHAPE))?;
        for (variant, body) in variants {
            let name = variant_name(agent, variant)?;
            let settings = read_settings(agents, agent, &name, body)?;
            if all.entry(agent.name.clone()).or_default().insert(name.clone(), settings).is_some() {
                return Err(bad(format!("{} has the variant {name} twice", agent.name), "keep one of them"));
            }
        }
    }
    Ok(all)
}

fn variant_name(agent: &Agent, variant: &str) -> Result<String, BadProfiles> {
    let name = canonical(variant);
    let is_plain = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let refused = |why: &str| {
        bad(format!("`{}` cannot be a variant of {}: {why}", short(variant), agent.name), "rename it")
    };
    if name.starts_with("__") {
        return Err(refused("names that begin with __ are Forge's own"));
    }
    if name.is_empty() || name.len() > 80 || !name.chars().all(is_plain) {
        return Err(refused("a name is of letters, digits and `_`, and not longer than 80 of them"));
    }
    Ok(name)
}

/// `{EXECUTOR: {settings}}`: the executor is named again, and has to be the same.
fn read_settings(
    agents: &Agents,
    agent: &Agent,
    variant: &str,
    body: &Value,
) -> Result<Settings, BadProfiles> {
    let (name, place) = (&agent.name, format!("{}.{variant}", agent.name));
    let only = body.as_object().filter(|body| body.len() == 1).and_then(|body| body.iter().next());
    let (inner, settings) =
        only.ok_or_else(|| bad(format!("`{place}` has to hold `{name}` and nothing else"), SHAPE))?;
    if agents.find(inner)?.name != *name {
        let message = format!("`{place}` holds settings of {}", short(inner));
        return Err(bad(message, format!("name {name} there")));
    }
    let settings =
        settings.as_object().ok_or_else(|| bad(format!("`{place}.{name}` has to be an object"), SHAPE))?;
    check_settings(agent, variant, settings)?;
    Ok(settings.clone())
}

fn check_settings(agent: &Agent, variant: &str, settings: &Settings) -> Result<(), BadProfiles> {
    for (name, value) in settings {
        // What is not known may be another version's, and is kept.
        let Some(setting) = agent.setting(name) else { continue };
        if !value.is_null() && !setting.may_be(value) {
            let message = format!("`{}.{variant}.{name}` has to be {}", agent.name, setting.expected());
            return Err(bad(message, "mend it, or leave it out"));
        }
    }
    Ok(())
}

/// Returns the canonical name of a variant, whether or not it exists; none is the default variant.
#[must_use]
pub fn canonical_variant(variant: Option<&str>) -> String {
    variant.map_or_else(|| DEFAULT_VARIANT.into(), canonical)
}

/// `Sonnet-4.5`, `sonnet 4 5` and `SONNET_4_5` are one; `DEFAULT` is an old name of the default variant.
fn canonical(variant: &str) -> String {
    let name = variant.trim().to_uppercase().replace(['-', ' ', '.'], "_");
    if name == "DEFAULT" { DEFAULT_VARIANT.into() } else { name }
}

fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
#[path = "profiles_tests.rs"]
mod tests;
