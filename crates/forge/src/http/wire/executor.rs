//! An agent as it is on this machine.

use forge_engine::AgentStatus;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::spec::documented;

documented!(Executor);

/// An agent, and whether it can be started here.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Executor {
    /// What it is called in `executor_profile_id`.
    name: String,
    /// What people call it.
    title: String,
    /// How Forge speaks to it.
    #[schemars(with = "String")]
    protocol: forge_engine::Protocol,
    /// Whether it can be started as it is.
    available: bool,
    /// What keeps it from being started.
    lacks: Option<Lack>,
    /// Whether its program is there.
    installed: bool,
    /// Whether its program would be downloaded when it is started.
    downloads: bool,
    /// Where its program is.
    path: Option<String>,
    /// The version that is installed, where its files say so.
    version: Option<String>,
    /// The version that Forge is tested with.
    tested_version: Option<String>,
    /// The oldest version that Forge can speak to, where that is known.
    min_version: Option<String>,
    /// Whether somebody is logged in, as far as that can be seen without asking the agent.
    logged_in: LoggedIn,
    /// What a person can do, if something is to be done.
    how_to_fix: Option<String>,
    /// Its built-in variants.
    variants: Vec<String>,
    /// What it can do beside what all can.
    capabilities: Vec<String>,
    /// The page about it: an address, or a file of Forge's repository.
    docs: Option<String>,
}

/// What keeps an agent from being started.
#[derive(Serialize, JsonSchema)]
struct Lack {
    /// `not_installed` or `wrong_version`.
    code: &'static str,
    message: String,
}

/// Whether somebody is logged in.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LoggedIn {
    Yes,
    No,
    Unknown,
}

impl From<&AgentStatus> for Executor {
    fn from(status: &AgentStatus) -> Self {
        let agent = &status.agent;
        Self {
            name: agent.name.clone(),
            title: agent.title.clone(),
            protocol: agent.manner.protocol,
            available: status.lacks.is_none(),
            lacks: status.lacks.clone().map(|(code, message)| Lack { code, message }),
            installed: status.path.is_some(),
            downloads: status.downloads,
            path: status.path.as_ref().map(|path| path.to_string_lossy().into_owned()),
            version: status.version.clone(),
            tested_version: agent.program.tested.clone(),
            min_version: agent.program.min_version.clone(),
            logged_in: match status.logged_in {
                Some(true) => LoggedIn::Yes,
                Some(false) => LoggedIn::No,
                None => LoggedIn::Unknown,
            },
            how_to_fix: status.how_to_fix.clone(),
            variants: agent.variants.keys().cloned().collect(),
            capabilities: agent.capabilities.clone(),
            docs: agent.docs.clone(),
        }
    }
}
