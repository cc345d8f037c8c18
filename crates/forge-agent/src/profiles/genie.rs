//! Agents that a repository defines as Markdown files under `.genie`: each becomes a variant of the executors it names.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::front_matter::split;
use super::{DEFAULT_VARIANT, Settings, canonical, repo_file};
use crate::agents::Agents;

/// Folders that hold no agents.
const NOT_SCANNED: [&str; 14] = [
    "spells",
    "workflows",
    "reports",
    "state",
    "product",
    "qa",
    "wishes",
    "scripts",
    "utilities",
    "teams",
    "specs",
    ".cache",
    "node_modules",
    "backups",
];
/// Nobody writes more agents than this, or deeper ones.
const MOST_FILES: usize = 1000;
const DEEPEST: usize = 8;
/// The most bytes of text in all variants. Each executor that an agent names has a copy of the agent's text and of its
/// collective's.
const MOST_BYTES: usize = 8 * 1024 * 1024;
/// The characters of a problem that are reported.
const LONGEST_PROBLEM: usize = 300;

/// One agent that a file defines.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Defined {
    /// The file, from the repository's top.
    pub(super) file: String,
    /// The variant that it is.
    pub(super) variant: String,
    /// Other names that it is asked for by.
    pub(super) short: Vec<String>,
    /// The executors that it may run with.
    pub(super) executors: Vec<String>,
    /// The variant that it is made from.
    pub(super) base: String,
    /// What it sets, for all executors or for one.
    settings: BTreeMap<Option<String>, Settings>,
    /// What the agent is told first.
    prompt: String,
    /// The bytes of text that its variants have together.
    bytes: usize,
}

impl Defined {
    /// Returns what the file sets for an executor; its text comes before a prompt that it names.
    pub(super) fn settings(&self, executor: &str) -> Settings {
        let mut own = Settings::new();
        for of in [None, Some(executor.to_owned())] {
            own.extend(self.settings.get(&of).cloned().unwrap_or_default());
        }
        let named = own.get("append_prompt").and_then(Value::as_str).unwrap_or_default();
        let prompt = joined_prompts(&self.prompt, named);
        if !prompt.is_empty() {
            own.insert("append_prompt".to_owned(), prompt.into());
        }
        own
    }
}

/// Two texts for an agent as one.
pub(super) fn joined_prompts(first: &str, second: &str) -> String {
    [first.trim(), second.trim()].join("\n\n").trim().to_owned()
}

/// A file to look at.
struct File {
    /// From the repository's top.
    path: PathBuf,
    collective: Option<String>,
    /// Where it lies below its folder of agents, without the ending.
    below: String,
}

/// Every agent of a repository, and what cannot be read of them.
pub(super) fn read(repository: &Path, agents: &Agents) -> (Vec<Defined>, Vec<String>) {
    let project = repository.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let root = Path::new(".genie");
    let mut reading = Reading {
        repository,
        agents,
        project,
        files: 0,
        bytes: 0,
        defined: Vec::new(),
        problems: Vec::new(),
    };
    for folder in ["agents", "neurons"] {
        reading.add(&root.join(folder), None, "");
    }
    for collective in folders(repository, root) {
        if reading.is_full() {
            break;
        }
        let folder = root.join(&collective);
        let context = match repo_file::read(repository, &folder.join("AGENTS.md")) {
            Ok(None) => continue,
            Ok(Some(text)) => split(&text).map(|(_, body)| body.trim().to_owned()),
            Err(problem) => Err(problem),
        };
        let context = context.unwrap_or_else(|problem| {
            reading.problems.push(format!(".genie/{collective}/AGENTS.md: {problem}"));
            String::new()
        });
        reading.add(&folder.join("agents"), Some(&collective), &context);
    }
    (reading.defined, reading.problems)
}

/// What was read of a repository so far.
struct Reading<'a> {
    repository: &'a Path,
    agents: &'a Agents,
    /// The name of the repository's folder.
    project: String,
    /// How many files were found.
    files: usize,
    /// How much text the variants have.
    bytes: usize,
    defined: Vec<Defined>,
    problems: Vec<String>,
}

impl Reading<'_> {
    fn is_full(&self) -> bool {
        self.files > MOST_FILES || self.bytes > MOST_BYTES
    }

    /// Adds the agents of a folder. All of a collective have the same text before their own, the context.
    fn add(&mut self, folder: &Path, collective: Option<&str>, context: &str) {
        if self.is_full() {
            return;
        }
        for file in self.find(folder, collective) {
            let name = file.path.display().to_string();
            let new = match define(self.repository, &file, context, name.clone(), &self.project, self.agents)
            {
                Ok(None) => continue,
                Ok(Some(new)) => new,
                Err(problem) => {
                    // It may quote the file.
                    let problem: String = problem.chars().take(LONGEST_PROBLEM).collect();
                    self.problems.push(format!("{name}: {problem}"));
                    continue;
                }
            };
            if let Some(there) = self.defined.iter().find(|there| there.variant == new.variant) {
                self.problems.push(format!("{name}: {} is {} already", there.file, new.variant));
                continue;
            }
            self.bytes += new.bytes;
            if self.bytes > MOST_BYTES {
                let most = MOST_BYTES / (1024 * 1024);
                self.problems.push(format!(
                    "{name}: the agents have more than {most} MiB of text; the rest is left out"
                ));
                return;
            }
            self.defined.push(new);
        }
    }

    /// The files below a folder, as long as there are not too many.
    fn find(&mut self, top: &Path, collective: Option<&str>) -> Vec<File> {
        let mut files = Vec::new();
        let mut waiting = vec![(top.to_owned(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            let mut here: Vec<PathBuf> = entries(self.repository, &folder)
                .filter(|entry| entry.file_type().is_ok_and(|kind| !kind.is_dir()))
                .map(|entry| folder.join(entry.file_name()))
                .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
                .filter(|path| path.file_name().is_none_or(|name| name != "README.md" && name != "AGENTS.md"))
                .collect();
            here.sort_unstable();
            for path in here {
                self.files += 1;
                if self.files > MOST_FILES {
                    self.problems
                        .push(format!("there are more than {MOST_FILES} agents; the rest is left out"));
                    return files;
                }
                let below =
                    path.strip_prefix(top).unwrap_or(&path).with_extension("").to_string_lossy().into_owned();
                files.push(File { path, collective: collective.map(str::to_owned), below });
            }
            if depth < DEEPEST {
                let below = folders(self.repository, &folder).into_iter().rev();
                waiting.extend(below.map(|name| (folder.join(name), depth + 1)));
            }
        }
        files
    }
}

/// What is in a folder that is reached without following a link.
fn entries(repository: &Path, folder: &Path) -> impl Iterator<Item = fs::DirEntry> {
    let listed = repo_file::is_folder(repository, folder).then(|| fs::read_dir(repository.join(folder)));
    listed.into_iter().flatten().flatten().flatten()
}

/// The folders in a folder that may hold agents, by name. Links are not followed: they may lead anywhere.
fn folders(repository: &Path, folder: &Path) -> Vec<String> {
    let entries = entries(repository, folder);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<_> =
        names.filter(|name| !NOT_SCANNED.contains(&name.as_str()) && name != ".git").collect();
    names.sort_unstable();
    names
}

/// What a file defines; nothing where it is turned off.
fn define(
    repository: &Path,
    file: &File,
    context: &str,
    name: String,
    project: &str,
    agents: &Agents,
) -> Result<Option<Defined>, String> {
    let Some(text) = repo_file::read(repository, &file.path)? else { return Ok(None) };
    let (matter, body) = split(&text)?;
    let matter = matter.unwrap_or_default();
    let is_on = |key: &str| matter.get(key).and_then(Value::as_bool) == Some(true);
    if is_on("hidden") || is_on("disabled") {
        return Ok(None);
    }
    let word = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::trim).map(str::to_owned);
    let named = word(&matter, "name").filter(|name| !name.is_empty());
    let stem = file.path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let own = named.unwrap_or(stem);
    let genie = matter.get("genie").cloned().unwrap_or_default();
    let collective = file.collective.as_deref();
    let joined =
        |parts: &[Option<&str>]| screaming(&parts.iter().flatten().copied().collect::<Vec<_>>().join("_"));
    let whole = joined(&[Some(project), collective, Some(&own)]);
    let variant = word(&matter, "forge_profile_name").map_or_else(|| whole.clone(), |name| screaming(&name));
    let mut short = vec![whole, joined(&[collective, Some(&own)]), joined(&[collective, Some(&file.below)])];
    short.retain(|name| *name != variant);
    short.dedup();
    let base = ["variant", "executorVariant", "executor_variant", "executorProfile"]
        .iter()
        .find_map(|key| word(&genie, key));
    let parts = [context.trim(), body.trim()];
    let executors = executors(&genie, agents)?;
    Ok(Some(Defined {
        file: name,
        variant,
        short,
        bytes: executors.len().max(1) * (text.len() + context.len()),
        executors,
        base: base.as_deref().map_or_else(|| DEFAULT_VARIANT.to_owned(), canonical),
        settings: settings(&matter, &genie, agents)?,
        prompt: parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n---\n\n"),
    }))
}

fn executors(genie: &Value, agents: &Agents) -> Result<Vec<String>, String> {
    let named: Vec<&str> = match genie.get("executor") {
        None | Some(Value::Null) => vec!["CLAUDE_CODE"],
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
        Some(_) => return Err("`genie.executor` has to be a name or a list of names".to_owned()),
    };
    let known = named.into_iter().map(|name| agents.find(name).map(|agent| agent.name.clone()));
    let known: BTreeSet<String> = known
        .collect::<Result<_, _>>()
        .map_err(|unknown| format!("`genie.executor`: {unknown}; {}", unknown.hint))?;
    Ok(known.into_iter().collect())
}

/// `forge` is settings for all executors, or settings by executor.
fn settings(
    matter: &Value,
    genie: &Value,
    agents: &Agents,
) -> Result<BTreeMap<Option<String>, Settings>, String> {
    let mut all = BTreeMap::new();
    let mut common = Settings::new();
    if let Some(model @ Value::String(_)) = genie.get("model") {
        common.insert("model".to_owned(), model.clone());
    }
    let forge = match matter.get("forge") {
        None | Some(Value::Null) => Settings::new(),
        Some(Value::Object(forge)) => forge.clone(),
        Some(_) => return Err("`forge` has to be settings".to_owned()),
    };
    let of_one = |name: &str, value: &Value| value.is_object() && agents.find(name).is_ok();
    let by_executor = forge.iter().filter(|(name, value)| of_one(name, value)).count();
    if by_executor > 0 && by_executor < forge.len() {
        return Err("`forge` mixes settings with settings by executor".to_owned());
    }
    if by_executor == 0 {
        common.extend(forge);
    } else {
        for (name, value) in forge {
            if let (Ok(agent), Value::Object(settings)) = (agents.find(&name), value) {
                all.insert(Some(agent.name.clone()), settings);
            }
        }
    }
    all.insert(None, common);
    Ok(all)
}

/// `code/my agent` is `CODE_MY_AGENT`, `myAgent` is `MY_AGENT`.
fn screaming(name: &str) -> String {
    let mut text = String::new();
    let mut before = '_';
    for char in name.trim().chars() {
        if char.is_ascii_alphanumeric() {
            if char.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
                text.push('_');
            }
            text.push(char.to_ascii_uppercase());
        } else if !text.ends_with('_') && !text.is_empty() {
            text.push('_');
        }
        before = char;
    }
    text.trim_end_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelt_as_the_wire_does() {
        for (name, expected) in [
            ("code/my agent", "CODE_MY_AGENT"),
            ("automagik-genie_Wish", "AUTOMAGIK_GENIE_WISH"),
            ("myAgent2", "MY_AGENT2"),
            ("WISH_", "WISH"),
            ("🧞 x", "X"),
        ] {
            assert_eq!(screaming(name), expected, "{name}");
        }
    }
}
