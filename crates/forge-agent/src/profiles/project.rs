//! The profiles of a project: a person's, and over them what the project's repository brings along.
//!
//! Whoever can write to a repository is not always whom the machine belongs to. So a repository cannot say which program is
//! run or with which variables, and it cannot take the asking out of a variant that exists without it: to allow all stays
//! something that a person picks by its name.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::Value;

use super::{Profiles, Settings, genie, read_variants};
use crate::agents::{Agent, Agents};
use crate::turn::Approvals;

/// Where a repository keeps its variants, in the shape of a person's own.
pub const PROJECT_FILE: &str = ".forge/profiles.json";

/// What no repository may set.
const PERSONS: [&str; 2] = ["base_command_override", "env"];

impl Profiles {
    /// These profiles with those that a repository brings along, and what is wrong with some of them: they are left out,
    /// the others are not.
    #[must_use]
    pub fn of_project(&self, agents: &Agents, repository: &Path) -> (Self, Vec<String>) {
        let (mut all, mut problems) = (self.clone(), Vec::new());
        match project_file(agents, repository) {
            Ok(variants) => {
                for (executor, variants) in variants {
                    for (variant, settings) in variants {
                        let put = all.put(agents, &executor, &variant, settings);
                        problems.extend(
                            put.err().map(|why| format!("{PROJECT_FILE}: {executor}.{variant}: {why}")),
                        );
                    }
                }
            }
            Err(problem) => problems.push(format!("{PROJECT_FILE}: {problem}")),
        }
        let (defined, unread) = genie::read(repository, agents);
        problems.extend(unread);
        for agent in defined {
            for executor in &agent.executors {
                let base = all.variants.get(executor).and_then(|variants| variants.get(&agent.base));
                let put = match base {
                    Some(base) => {
                        let settings = agent.settings(executor, base);
                        all.put(agents, executor, &agent.variant, settings)
                    }
                    None => Err(format!("there is no variant {} to begin with", agent.base)),
                };
                problems.extend(put.err().map(|why| format!("{}: {executor}: {why}", agent.file)));
            }
            for short in agent.short {
                all.short.entry(short).or_insert_with(|| agent.variant.clone());
            }
        }
        (all, problems)
    }

    /// Puts what a repository says.
    fn put(
        &mut self,
        agents: &Agents,
        executor: &str,
        variant: &str,
        settings: Settings,
    ) -> Result<(), String> {
        let agent = agents.find(executor).map_err(|unknown| unknown.to_string())?;
        super::variant_name(agent, variant).map_err(|bad| bad.message)?;
        super::check_settings(agent, variant, &settings).map_err(|bad| bad.message)?;
        let there = self.variants.entry(agent.name.clone()).or_default();
        may(agent, there.get(variant), &settings)?;
        there.insert(variant.to_owned(), settings);
        Ok(())
    }
}

/// Whether a repository may set this, where there is this already.
fn may(agent: &Agent, there: Option<&Settings>, settings: &Settings) -> Result<(), String> {
    let changes = |name: &str| {
        settings.get(name).filter(|value| !value.is_null()) != there.and_then(|there| there.get(name))
    };
    if let Some(name) = PERSONS.into_iter().find(|name| settings.contains_key(*name) && changes(name)) {
        return Err(format!("`{name}` can be set in a person's own profiles only"));
    }
    let Some(there) = there else { return Ok(()) };
    let asks = |settings: &Settings| agent.meaning(settings).approvals == Approvals::Ask;
    if asks(there) && !asks(settings) {
        return Err(
            "a variant that asks cannot be made one that does not; choose another name for it".to_owned()
        );
    }
    if settings.contains_key("additional_params") && changes("additional_params") {
        return Err(
            "`additional_params` cannot be set for a variant that is there already; choose another name"
                .to_owned(),
        );
    }
    Ok(())
}

fn project_file(agents: &Agents, repository: &Path) -> Result<super::Variants, String> {
    let text = match fs::read_to_string(repository.join(PROJECT_FILE)) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(super::Variants::new());
        }
        Err(error) => return Err(error.to_string()),
    };
    // What it says is told, but not what is in the file.
    let document: Value = serde_json::from_str(&text)
        .map_err(|error| format!("it is not JSON: it goes wrong at line {}", error.line()))?;
    read_variants(agents, &document).map_err(|bad| format!("{}; {}", bad.message, bad.hint))
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
