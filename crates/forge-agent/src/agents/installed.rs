//! Which version of an agent is installed, told by its files: the agent itself is not started.

use std::cmp::Ordering;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{Agent, Command};

/// A package of several programs keeps them a few folders below its top.
const MOST_FOLDERS_UP: usize = 6;

/// The program is of a version that Forge cannot speak to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{agent} {version} is too old: it has to be {least} or newer")]
pub struct WrongVersion {
    /// The agent.
    pub agent: String,
    /// What is installed.
    pub version: String,
    /// What is needed.
    pub least: String,
    /// What a person can do about it.
    pub hint: String,
}

impl Agent {
    /// The version of a program, as the npm package says that it lies in. None where it lies in none.
    #[must_use]
    pub fn installed_version(&self, command: &Command) -> Option<String> {
        if command.downloads() {
            return None;
        }
        let program = fs::canonicalize(&command.program).ok()?;
        let package = program.ancestors().skip(1).take(MOST_FOLDERS_UP).find_map(read_package)?;
        let text = |key: &str| package.get(key).and_then(Value::as_str);
        // Else it is a project that the program happens to lie in.
        let is_installed = program.components().any(|part| part.as_os_str() == "node_modules");
        let is_named = self.program.npm.as_deref().is_some_and(|npm| text("name") == Some(npm));
        text("version").filter(|_| is_installed || is_named).map(str::to_owned)
    }

    /// Whether Forge can speak to a program, as far as its version is known.
    ///
    /// # Errors
    /// When it is too old.
    pub fn check_version(&self, command: &Command) -> Result<(), WrongVersion> {
        self.installed_version(command).map_or(Ok(()), |version| self.check_told_version(&version))
    }

    /// The same for what a program says of its version, such as `codex-cli 0.46.0`.
    ///
    /// # Errors
    /// When it is too old.
    pub fn check_told_version(&self, told: &str) -> Result<(), WrongVersion> {
        let begins_with_digit = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
        let version =
            told.split_whitespace().map(|word| word.trim_start_matches('v')).find(begins_with_digit);
        let (Some(version), Some(least)) = (version, &self.program.min_version) else { return Ok(()) };
        if order(version, least) != Ordering::Less {
            return Ok(());
        }
        Err(WrongVersion {
            agent: self.name.clone(),
            version: version.to_owned(),
            least: least.clone(),
            hint: match (&self.program.npm, &self.program.install) {
                (Some(npm), None) => format!("install a newer one with `npm install -g {npm}@latest`"),
                (_, Some(install)) => install.clone(),
                (None, None) => "install a newer one".to_owned(),
            },
        })
    }
}

fn read_package(folder: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(folder.join("package.json")).ok()?).ok()
}

/// Versions by their numbers. What comes after them, such as `-beta.1`, says nothing about what it can do.
fn order(one: &str, other: &str) -> Ordering {
    let numbers = |version: &str| -> Vec<u64> {
        let end = version.find(['-', '+', ' ']).unwrap_or(version.len());
        version.get(..end).unwrap_or_default().split('.').map(|part| part.parse().unwrap_or(0)).collect()
    };
    numbers(one).cmp(&numbers(other))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    use super::*;
    use crate::agents::Agents;

    /// A package as `npm install` lays it out, and the link by which its program is found.
    fn install(folder: &Path, version: &str) -> Command {
        let package = folder.join("node_modules/@anthropic-ai/claude-code");
        fs::create_dir_all(package.join("bin")).unwrap();
        let about = serde_json::json!({"name": "@anthropic-ai/claude-code", "version": version});
        fs::write(package.join("package.json"), about.to_string()).unwrap();
        fs::write(package.join("bin/claude.exe"), "").unwrap();
        let link = folder.join("claude");
        drop(fs::remove_file(&link));
        symlink(package.join("bin/claude.exe"), &link).unwrap();
        Command { program: link, args: Vec::new() }
    }

    #[test]
    fn the_version_is_that_of_the_package_and_one_too_old_is_told() {
        let (folder, agents) = (tempfile::tempdir().unwrap(), Agents::built_in().unwrap());
        let claude = agents.find("CLAUDE_CODE").unwrap();
        let command = install(folder.path(), "2.1.325");
        assert_eq!(claude.installed_version(&command).as_deref(), Some("2.1.325"));
        claude.check_version(&command).unwrap();
        let old = claude.check_version(&install(folder.path(), "1.0.128")).unwrap_err();
        assert_eq!(old.to_string(), "CLAUDE_CODE 1.0.128 is too old: it has to be 2.0.55 or newer");
        assert!(old.hint.contains("npm install -g @anthropic-ai/claude-code@latest"), "{}", old.hint);
    }

    #[test]
    fn version_that_program_tells_is_checked() {
        let agents = Agents::built_in().unwrap();
        let claude = agents.find("CLAUDE_CODE").unwrap();
        for (told, is_old) in [
            ("1.0.128 (Claude Code)", true),
            ("claude v1.9", true),
            ("2.1.0", false),
            ("claude 12.0.0-beta.1", false),
            ("no number", false),
        ] {
            assert_eq!(claude.check_told_version(told).is_err(), is_old, "{told}");
        }
    }

    #[test]
    fn a_program_in_no_package_has_no_version() {
        let (folder, agents) = (tempfile::tempdir().unwrap(), Agents::built_in().unwrap());
        fs::write(folder.path().join("package.json"), r#"{"name": "mine", "version": "0.1.0"}"#).unwrap();
        fs::write(folder.path().join("claude"), "").unwrap();
        let command = Command { program: folder.path().join("claude"), args: Vec::new() };
        let claude = agents.find("CLAUDE_CODE").unwrap();
        assert_eq!(claude.installed_version(&command), None);
        claude.check_version(&command).unwrap();
        assert_eq!(
            claude.installed_version(&Command { program: PathBuf::from("/gone"), args: Vec::new() }),
            None
        );
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        for (one, other) in
            [("2.0.9", "2.0.55"), ("1.9", "1.10.0"), ("2", "2.0.1"), ("0.9.0-beta.7", "0.10.0")]
        {
            assert_eq!(order(one, other), Ordering::Less, "{one} {other}");
        }
        assert_eq!(order("2.0.55 (Claude Code)", "2.0.55"), Ordering::Equal);
    }
}
