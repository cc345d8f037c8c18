//! The agents of this machine: which are there, in which version, whether somebody is logged in, and what to do where
//! not. No agent is started for it, and nothing is asked over the network.

use std::path::PathBuf;
use std::sync::Arc;

use forge_agent::agents::Agent;
use forge_agent::profiles::Settings;
use serde_json::{Map, Value, json};

use crate::engine::{Engine, Options};
use crate::error::Result;
use crate::whole::off_runtime;

/// An agent as it is on this machine.
#[derive(Debug, Clone)]
pub struct AgentStatus {
    /// What is known about it anywhere.
    pub agent: Arc<Agent>,
    /// Its program; none where it is not installed.
    pub path: Option<PathBuf>,
    /// Whether the program would be downloaded when it is started.
    pub downloads: bool,
    /// The version that is installed, where its files say so.
    pub version: Option<String>,
    /// Whether somebody is logged in, where that can be seen.
    pub logged_in: Option<bool>,
    /// What keeps it from being started, as a word and a sentence.
    pub lacks: Option<(&'static str, String)>,
    /// What a person can do, if something is to be done.
    pub how_to_fix: Option<String>,
}

impl AgentStatus {
    /// Looks at one agent.
    pub(crate) fn of(agent: &Arc<Agent>, options: &Options) -> Self {
        let logged_in = options.is_logged_in(agent);
        let mut status = Self {
            agent: Arc::clone(agent),
            path: None,
            downloads: false,
            version: None,
            logged_in,
            lacks: None,
            how_to_fix: agent.login.how.clone().filter(|_| logged_in == Some(false)),
        };
        match options.locate(agent, &agent.meaning(&Settings::new())) {
            Ok(command) => {
                status.downloads = command.downloads();
                status.version = agent.installed_version(&command);
                if let Err(wrong) = agent.check_version(&command) {
                    status.lacks = Some(("wrong_version", wrong.to_string()));
                    status.how_to_fix = Some(wrong.hint);
                }
                status.path = Some(command.program).filter(|_| !status.downloads);
            }
            Err(missing) => {
                status.lacks = Some(("not_installed", missing.to_string()));
                status.how_to_fix = Some(missing.hint);
            }
        }
        status
    }
}

impl Options {
    /// Whether somebody is logged in to an agent: no one knows where it may keep that in a place of its own.
    fn is_logged_in(&self, agent: &Agent) -> Option<bool> {
        let login = &agent.login;
        let is_there = |file: &String| self.place(file).is_some_and(|file| file.exists());
        if login.env.iter().any(|name| self.variables.contains(name)) || login.files.iter().any(is_there) {
            return Some(true);
        }
        let tells_nothing = login.env.is_empty() && login.files.is_empty() && login.maybe.is_empty();
        (!tells_nothing && !login.maybe.iter().any(is_there)).then_some(false)
    }
}

impl Engine {
    /// Every agent, as it is on this machine.
    ///
    /// # Errors
    /// When the machine has no room for who looks.
    pub async fn list_agents(&self) -> Result<Vec<AgentStatus>> {
        let engine = self.clone();
        off_runtime(move || {
            let options = &engine.inner.options;
            Ok(options.agents.all().iter().map(|agent| AgentStatus::of(agent, options)).collect())
        })
        .await
    }

    /// What a variant of an agent may set, as a JSON schema from which a form can be drawn.
    ///
    /// # Errors
    /// When there is no such agent.
    pub fn agent_schema(&self, name: &str) -> Result<Value> {
        let agent = self.inner.options.agents.find(name)?;
        let settings: Map<_, _> =
            agent.settings().map(|(name, setting)| (name.to_owned(), setting.schema())).collect();
        Ok(json!({
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": settings,
            "additionalProperties": true,
        }))
    }
}
