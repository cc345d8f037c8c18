//! The configuration, what is told about the server and its executors, and MCP servers.

use std::borrow::Cow;
use std::collections::BTreeMap;

use forge_model::preferences::{Kind, PREFERENCES, Preference};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::http::spec::documented;

documented!(Config, Info, Profiles<'_>, McpReply, ProjectProfiles);

/// The whole configuration. Secrets are masked; keys that are not known are told as they were sent.
#[derive(Serialize)]
#[serde(transparent)]
pub(in crate::http) struct Config(pub(in crate::http) Map<String, Value>);

impl JsonSchema for Config {
    fn schema_name() -> Cow<'static, str> {
        "Config".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schema("The configuration. Secrets are masked.", PREFERENCES, true)
    }
}

/// What shall be different in the configuration: what is missing stays, `null` clears.
#[derive(Deserialize)]
#[serde(transparent)]
pub(in crate::http) struct ConfigChange(pub(in crate::http) Map<String, Value>);

impl JsonSchema for ConfigChange {
    fn schema_name() -> Cow<'static, str> {
        "ConfigChange".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        schema("What shall be different: what is missing stays, `null` clears.", PREFERENCES, false)
    }
}

fn schema(about: &str, parts: &[Preference], whole: bool) -> Schema {
    let mut all = object(parts, whole);
    if let Some(all) = all.as_object_mut() {
        all.insert("description".into(), about.into());
    }
    Schema::try_from(all).unwrap_or_default()
}

fn object(parts: &[Preference], whole: bool) -> Value {
    let properties: Map<_, _> =
        parts.iter().map(|part| (part.name.to_owned(), property(&part.kind, whole))).collect();
    let mut object = json!({"type": "object", "properties": properties, "additionalProperties": true});
    if whole && let Some(object) = object.as_object_mut() {
        object.insert("required".into(), parts.iter().map(|part| part.name).collect());
    }
    object
}

fn property(kind: &Kind, whole: bool) -> Value {
    match kind {
        Kind::Switch(_) => json!({"type": "boolean"}),
        Kind::MaybeSwitch => json!({"type": ["boolean", "null"]}),
        Kind::MaybeText(_) | Kind::Secret => json!({"type": ["string", "null"]}),
        Kind::BranchPrefix => json!({"type": "string"}),
        Kind::OneOf(words, _) => json!({"type": "string", "enum": words}),
        Kind::Texts => json!({"type": "array", "items": {"type": "string"}}),
        Kind::Parts(parts) => object(parts, whole),
        Kind::Profile => {
            let profile = json!({
                "type": "object",
                "required": ["executor"],
                "properties": {"executor": {"type": "string"}, "variant": {"type": ["string", "null"]}},
            });
            if whole { profile } else { json!({"anyOf": [profile, {"type": "string"}]}) }
        }
    }
}

/// What there is to know about the server, its configuration and its executors.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Info {
    config: Config,
    /// Empty: nothing is told to anybody.
    analytics_user_id: &'static str,
    environment: Environment,
    /// What each executor can do beside what all can.
    capabilities: BTreeMap<String, Vec<String>>,
    /// Settings by executor and variant: `{EXECUTOR: {VARIANT: {EXECUTOR: {…}}}}`.
    executors: Value,
    /// The same as a list.
    executor_profiles: Vec<KnownProfile>,
    /// Which executors can be started on this machine.
    availability: Vec<Availability>,
    version: &'static str,
}

/// The machine that the server runs on.
#[derive(Serialize, JsonSchema)]
struct Environment {
    os_type: String,
    os_version: String,
    os_architecture: &'static str,
    bitness: String,
}

/// Named settings of an executor.
#[derive(Serialize, JsonSchema)]
struct KnownProfile {
    executor: String,
    variant: String,
    settings: Map<String, Value>,
}

/// Whether an executor can be started.
#[derive(Serialize, JsonSchema)]
struct Availability {
    executor: String,
    available: bool,
    /// What keeps it from being started.
    reason: Option<String>,
}

impl Info {
    pub(in crate::http) async fn of(engine: &forge_engine::Engine) -> forge_engine::Result<Self> {
        let machine = forge_engine::machine();
        let profile = |known: forge_engine::KnownProfile| KnownProfile {
            executor: known.executor,
            variant: known.variant,
            settings: known.settings,
        };
        let availability = |of: forge_engine::AgentStatus| Availability {
            executor: of.agent.name.clone(),
            available: of.lacks.is_none(),
            reason: of.lacks.map(|(_, reason)| reason),
        };
        Ok(Self {
            config: Config(engine.config()),
            analytics_user_id: "",
            environment: Environment {
                os_type: machine.system,
                os_version: machine.version,
                os_architecture: machine.architecture,
                bitness: format!("{}-bit", machine.bits),
            },
            capabilities: engine.capabilities().into_iter().collect(),
            executors: engine.profiles().get("executors").cloned().unwrap_or_default(),
            executor_profiles: engine.list_profiles().into_iter().map(profile).collect(),
            availability: engine.list_agents().await?.into_iter().map(availability).collect(),
            version: env!("CARGO_PKG_VERSION"),
        })
    }
}

/// The profiles as a text to edit.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Profiles<'a> {
    /// The whole document as JSON text.
    content: String,
    /// The file that holds what differs from the built-in profiles.
    path: Cow<'a, str>,
    /// What `content` says.
    executors: Value,
}

impl<'a> Profiles<'a> {
    pub(in crate::http) fn of(engine: &'a forge_engine::Engine) -> Self {
        let document = engine.profiles();
        Self {
            content: format!("{document:#}"),
            path: engine.profiles_path().to_string_lossy(),
            executors: document.get("executors").cloned().unwrap_or_default(),
        }
    }
}

/// The profiles that a project's attempts can be started with.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct ProjectProfiles {
    /// `{EXECUTOR: {VARIANT: {EXECUTOR: {…}}}}`.
    executors: Value,
    /// Other names of variants: those that agents of the repository are asked for by.
    short_names: BTreeMap<String, String>,
    /// The variants that the repository adds.
    repository_variants: Vec<RepositoryVariant>,
    /// What the repository brings along and cannot be used, and why.
    problems: Vec<String>,
}

/// A variant that a project's repository adds.
#[derive(Serialize, JsonSchema)]
struct RepositoryVariant {
    executor: String,
    variant: String,
    /// Whether a person has confirmed it; otherwise nothing starts with it.
    trusted: bool,
    /// Of what the repository says of it. Sent back with the confirmation, only this content is confirmed.
    digest: String,
}

impl From<forge_engine::ProjectProfiles> for ProjectProfiles {
    fn from(profiles: forge_engine::ProjectProfiles) -> Self {
        Self {
            executors: profiles.document.get("executors").cloned().unwrap_or_default(),
            short_names: profiles.short,
            repository_variants: profiles
                .repository_variants
                .into_iter()
                .map(|found| RepositoryVariant {
                    executor: found.executor,
                    variant: found.variant,
                    trusted: found.is_trusted,
                    digest: found.digest,
                })
                .collect(),
            problems: profiles.problems,
        }
    }
}

/// The MCP servers that an executor's own program knows.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct McpReply {
    mcp_config: McpConfig,
    /// The program's settings file.
    config_path: String,
}

/// The servers, and how they stand in the file.
#[derive(Serialize, JsonSchema)]
struct McpConfig {
    /// The servers by name. Keys are masked; a mask that is sent back keeps the key.
    servers: Map<String, Value>,
    servers_path: Vec<String>,
    template: Value,
    /// Servers to choose from, as the file names them: Forge itself.
    preconfigured: Map<String, Value>,
    is_toml_config: bool,
}

impl From<forge_engine::McpConfig> for McpReply {
    fn from(config: forge_engine::McpConfig) -> Self {
        Self {
            config_path: config.path.to_string_lossy().into_owned(),
            mcp_config: McpConfig {
                servers: config.servers,
                servers_path: config.servers_path,
                template: config.template,
                preconfigured: config.preconfigured,
                is_toml_config: config.is_toml,
            },
        }
    }
}
