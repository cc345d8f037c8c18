//! What a person prefers: one document, kept in a file of the data folder.

use std::path::Path;

use forge_model::preferences::Preferences;
use serde_json::{Map, Value};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::whole::{self, Kept};

/// Keys that Forge does not know are kept, but nobody needs this much of them.
const MOST_BYTES: usize = 1 << 20;

pub(crate) fn load(data: &Path, branch_prefix: &str) -> Result<Kept<Preferences>> {
    let path = data.join("config.json");
    let defaults = Preferences::new(branch_prefix);
    let preferences = match whole::read(&path)?.map(|text| serde_json::from_str(&text)) {
        None => defaults,
        Some(Ok(Value::Object(kept))) => {
            let (preferences, wrong) = defaults.with_kept(kept);
            for wrong in wrong {
                tracing::warn!("{}: {wrong}; it is as by default", path.display());
            }
            preferences
        }
        Some(_) => {
            whole::set_aside(&path, "it is not an object of JSON");
            defaults
        }
    };
    Ok(Kept::new(path, preferences))
}

impl Engine {
    /// What the person prefers, with secrets masked.
    #[must_use]
    pub fn config(&self) -> Map<String, Value> {
        self.inner.preferences.now().masked()
    }

    /// Changes what the person prefers: what the change does not name stays. Answers as [`Self::config`].
    ///
    /// # Errors
    /// When something cannot be as the change says, or it cannot be written. Then nothing is changed.
    pub async fn update_config(&self, change: Map<String, Value>) -> Result<Map<String, Value>> {
        let profiles = self.inner.profiles.now();
        let names_profile = change.contains_key("executor_profile");
        let changed = self.inner.preferences.change(|now| {
            let new = now.changed(change).map_err(|wrong| {
                Error::invalid("config_invalid", wrong.to_string())
                    .hint("mend the field, or leave it out to keep what it is")
            })?;
            if let Some(profile) = new.profile().filter(|_| names_profile) {
                profiles.resolve(&self.inner.options.agents, &profile)?;
            }
            let text = serde_json::to_string_pretty(new.document())
                .map_err(|source| Error::internal("the configuration cannot be written").because(source))?;
            if text.len() > MOST_BYTES {
                return Err(Error::invalid(
                    "config_too_large",
                    "the configuration would be larger than 1 MiB",
                )
                .hint("keep large things elsewhere"));
            }
            Ok((new, text))
        });
        Ok(changed.await?.masked())
    }

    /// What each executor can do beside what all can.
    #[must_use]
    pub fn capabilities(&self) -> Vec<(String, Vec<String>)> {
        let all = self.inner.options.agents.all();
        all.iter().map(|agent| (agent.name.clone(), agent.capabilities.clone())).collect()
    }
}
