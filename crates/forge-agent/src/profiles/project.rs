//! The profiles of a project: a person's, and beside them the variants that the project's repository adds.
//!
//! Whoever can write to a repository does not always own the machine. So a repository only adds variants: it never
//! changes one that exists, each of its own starts from a person's variant that asks, and it sets nothing but the model
//! and the text that the agent reads. The engine asks a person before the first use of each.

use std::path::Path;

use serde_json::{Value, json};

use super::genie::joined_prompts;
use super::{DEFAULT_VARIANT, Profiles, Settings, genie, read_variants, repo_file};
use crate::agents::Agents;
use crate::turn::Approvals;

/// Where a repository keeps its variants, in the shape of a person's own.
pub const PROJECT_FILE: &str = ".forge/profiles.json";

/// What a repository may set: it changes what the agent thinks with, never what the agent may do.
const HARMLESS: [&str; 5] =
    ["append_prompt", "model", "model_reasoning_effort", "model_reasoning_summary", "plan"];

/// The most variants that a repository may add, each counted once for each executor.
const MOST_VARIANTS: usize = 2000;

/// The setting that lets an agent run programs that the repository names.
const REPOSITORY_SETTINGS: &str = "repository_settings";

/// A variant as a repository describes it.
struct RepoVariant<'a> {
    executor: &'a str,
    variant: &'a str,
    /// The person's variant that it starts from.
    base: &'a str,
    settings: Settings,
}

impl Profiles {
    /// Returns these profiles with the variants that a repository adds, and a problem for each part of them that is
    /// left out.
    #[must_use]
    pub fn of_project(&self, agents: &Agents, repository: &Path) -> (Self, Vec<String>) {
        let (mut all, mut problems) = (self.clone(), Vec::new());
        if !self.add_variants(&mut all, agents, repository, &mut problems) {
            problems.push(format!("at most {MOST_VARIANTS} variants of a repository are used"));
        }
        (all, problems)
    }

    /// Adds the variants of a repository to `all`. Returns false if there were too many.
    fn add_variants(
        &self,
        all: &mut Self,
        agents: &Agents,
        repository: &Path,
        problems: &mut Vec<String>,
    ) -> bool {
        match project_file(agents, repository) {
            Ok(variants) => {
                for (executor, variants) in variants {
                    for (variant, settings) in variants {
                        if all.from_repository.len() == MOST_VARIANTS {
                            return false;
                        }
                        let new = RepoVariant {
                            executor: &executor,
                            variant: &variant,
                            base: DEFAULT_VARIANT,
                            settings,
                        };
                        let found = self.add_to(all, agents, new);
                        let place = format!("{PROJECT_FILE}: {executor}.{variant}");
                        problems.extend(found.into_iter().map(|why| format!("{place}: {why}")));
                    }
                }
            }
            Err(problem) => problems.push(format!("{PROJECT_FILE}: {problem}")),
        }
        let (defined, unread) = genie::read(repository, agents);
        problems.extend(unread);
        for agent in defined {
            for executor in &agent.executors {
                if all.from_repository.len() == MOST_VARIANTS {
                    return false;
                }
                let new = RepoVariant {
                    executor,
                    variant: &agent.variant,
                    base: &agent.base,
                    settings: agent.settings(executor),
                };
                let found = self.add_to(all, agents, new);
                problems.extend(found.into_iter().map(|why| format!("{}: {executor}: {why}", agent.file)));
            }
            for short in agent.short {
                all.short.entry(short).or_insert_with(|| agent.variant.clone());
            }
        }
        true
    }

    /// Adds a variant of a repository to `all`, over the variant of a person that it starts from. Returns the problems
    /// with it: settings that are left out, or why it is left out as a whole.
    fn add_to(&self, all: &mut Self, agents: &Agents, new: RepoVariant<'_>) -> Vec<String> {
        let mut problems = Vec::new();
        if let Err(why) = self.try_add_to(all, agents, new, &mut problems) {
            problems.push(why);
        }
        problems
    }

    fn try_add_to(
        &self,
        all: &mut Self,
        agents: &Agents,
        new: RepoVariant<'_>,
        problems: &mut Vec<String>,
    ) -> Result<(), String> {
        let agent = agents.find(new.executor).map_err(|unknown| unknown.to_string())?;
        super::variant_name(agent, new.variant).map_err(|bad| bad.message)?;
        super::check_settings(agent, new.variant, &new.settings).map_err(|bad| bad.message)?;
        if all.variants.get(&agent.name).is_some_and(|there| there.contains_key(new.variant)) {
            let message = format!("the variant {} exists already", new.variant);
            return Err(format!("{message}; a repository only adds variants: choose another name"));
        }
        let base = self.variants.get(&agent.name).and_then(|variants| variants.get(new.base));
        let base = base.ok_or_else(|| format!("there is no variant {} to start from", new.base))?;
        if agent.meaning(base).approvals != Approvals::Ask {
            let message = format!("{} does not ask before it acts", new.base);
            return Err(format!("{message}; a repository's variant starts from one that asks"));
        }
        let mut settings = base.clone();
        // Trust that a person has in one variant is not for a repository to claim.
        settings.remove(REPOSITORY_SETTINGS);
        let mut says = Settings::new();
        for (name, value) in new.settings {
            if value.is_null() || settings.get(&name) == Some(&value) {
                continue;
            }
            let loosens = name == "plan" && value != Value::Bool(true);
            if loosens || !HARMLESS.contains(&name.as_str()) {
                problems.push(format!("`{name}` is left out: only a person's own profiles can set it"));
                continue;
            }
            says.insert(name.clone(), value.clone());
            let before = base.get(&name).and_then(Value::as_str).filter(|_| name == "append_prompt");
            let value = match (before, value.as_str()) {
                (Some(before), Some(text)) => joined_prompts(text, before).into(),
                _ => value,
            };
            settings.insert(name, value);
        }
        all.variants.entry(agent.name.clone()).or_default().insert(new.variant.to_owned(), settings);
        let says = json!({"base": new.base, "settings": says});
        all.from_repository.insert((agent.name.clone(), new.variant.to_owned()), says);
        Ok(())
    }
}

fn project_file(agents: &Agents, repository: &Path) -> Result<super::Variants, String> {
    let Some(text) = repo_file::read(repository, Path::new(PROJECT_FILE))? else {
        return Ok(super::Variants::new());
    };
    // The error names the line, never the content.
    let document: Value = serde_json::from_str(&text)
        .map_err(|error| format!("not JSON: the error is at line {}", error.line()))?;
    read_variants(agents, &document).map_err(|bad| format!("{}; {}", bad.message, bad.hint))
}

#[cfg(test)]
#[path = "project_tests.rs"]
mod tests;
