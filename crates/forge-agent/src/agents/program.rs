//! Finds the program that runs an agent.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{Agent, Meaning};

/// A program, and the arguments that come before those of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub program: PathBuf,
    pub args: Vec<String>,
}

/// Where to look, and what may be done if nothing is found.
#[derive(Debug, Clone, Copy)]
pub struct Search<'a> {
    /// What the settings of the server name in place of the agent's own program.
    pub given: Option<&'a [String]>,
    /// The folders to look in, as `PATH` has them.
    pub path: &'a OsStr,
    /// Whether `npx` may download what is not there.
    pub downloads: bool,
}

/// There is no program to run the agent with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the program of {agent} was not found: {looked_for}")]
pub struct NotInstalled {
    /// The agent.
    pub agent: String,
    /// What was looked for in vain.
    pub looked_for: String,
    /// What a person can do about it.
    pub hint: String,
}

impl Command {
    /// Whether the program itself comes only with its first use, by a download.
    #[must_use]
    pub fn downloads(&self) -> bool {
        self.program.file_name().is_some_and(|name| name == "npx")
    }
}

impl Agent {
    /// Finds the program to run: what the variant names, else what the server's settings do, else the agent's own on the
    /// search path, else `npx`, which downloads it, where that may be.
    ///
    /// # Errors
    /// When there is none of them.
    pub fn locate(&self, meaning: &Meaning, search: Search<'_>) -> Result<Command, NotInstalled> {
        let missing =
            |looked_for: String, hint: String| NotInstalled { agent: self.name.clone(), looked_for, hint };
        let named = meaning.command.as_deref().map(|words| (words, "the variant"));
        let named = named.or_else(|| search.given.map(|words| (words, "the settings")));
        let own = self.program.command.get(..1).unwrap_or_default();
        let (words, by) = named.unwrap_or((own, ""));
        let Some((program, args)) = words.split_first() else {
            return Err(missing("no program is named".to_owned(), "name one".to_owned()));
        };
        if let Some(gone) = self.program.needs.iter().find(|needed| look_up(needed, search.path).is_none()) {
            return Err(missing(format!("`{gone}`, which it needs, is not on PATH"), self.how_to_install()));
        }
        if let Some(found) = look_up(program, search.path) {
            return Ok(Command { program: found, args: args.to_vec() });
        }
        let package = if by.is_empty() { self.package() } else { meaning.npm.clone() };
        if let (Some(package), Some(npx), true) = (package, look_up("npx", search.path), search.downloads) {
            let npx_args = ["-y", "--package", &package, program].map(str::to_owned);
            return Ok(Command {
                program: npx,
                args: npx_args.into_iter().chain(args.iter().cloned()).collect(),
            });
        }
        match by {
            "" => Err(missing(format!("`{program}` is not on PATH"), self.how_to_install())),
            by => Err(missing(
                format!("`{program}`, which {by} names, is not a program"),
                format!("correct the program of {} in {by}", self.name),
            )),
        }
    }

    fn package(&self) -> Option<String> {
        let npm = self.program.npm.as_deref()?;
        Some(
            self.program
                .tested
                .as_deref()
                .map_or_else(|| npm.to_owned(), |version| format!("{npm}@{version}")),
        )
    }

    /// What a person does to get the program.
    #[must_use]
    pub fn how_to_install(&self) -> String {
        let program = self.program.command.first().map_or("", String::as_str);
        match (&self.program.install, &self.program.npm) {
            (Some(install), _) => install.clone(),
            (None, Some(npm)) => format!(
                "install it with `npm install -g {npm}`, and see that `{program}` is on PATH; or let Forge download it: \
                 downloads = true in its configuration file"
            ),
            (None, None) => format!("install it, and see that `{program}` is on PATH"),
        }
    }
}

/// A name is looked for on the search path; anything with a slash is a path itself.
pub fn look_up(program: &str, path: &OsStr) -> Option<PathBuf> {
    if program.contains('/') {
        // The agent runs in another folder than this process.
        return std::path::absolute(program).ok().filter(|file| is_program(file));
    }
    // A relative folder on the search path would be the worktree's, where anybody can put a program.
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(program)).find(|file| is_program(file))
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::agents::Agents;

    fn put_program(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let file = folder.join(name);
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    fn locate(variant: &serde_json::Value, search: Search<'_>) -> Result<Command, NotInstalled> {
        let agents = Agents::built_in().unwrap();
        let claude = agents.find("CLAUDE_CODE").unwrap();
        claude.locate(&claude.meaning(variant.as_object().unwrap()), search)
    }

    #[test]
    fn the_own_program_comes_before_npx_which_only_a_wish_lets_download() {
        let folder = tempfile::tempdir().unwrap();
        let search = Search { given: None, path: folder.path().as_os_str(), downloads: false };
        let npx = put_program(folder.path(), "npx", 0o755);
        put_program(folder.path(), "claude", 0o644);
        let missing = locate(&json!({}), search).unwrap_err();
        assert!(missing.hint.contains("npm install -g @anthropic-ai/claude-code"), "{}", missing.hint);
        assert!(missing.hint.contains("downloads = true"), "{}", missing.hint);

        let fallback = locate(&json!({}), Search { downloads: true, ..search }).unwrap();
        assert_eq!(fallback.program, npx);
        assert_eq!(fallback.args, ["-y", "--package", "@anthropic-ai/claude-code@2.1.325", "claude"]);
        assert!(fallback.downloads());

        let own = put_program(folder.path(), "claude", 0o755);
        assert_eq!(locate(&json!({}), search).unwrap(), Command { program: own, args: vec![] });
    }

    #[test]
    fn a_given_program_is_taken_with_its_arguments_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = put_program(folder.path(), "mine", 0o755);
        let by_path = [file.to_str().unwrap().to_owned(), "--fast".into()];
        let by_name = ["mine".to_owned(), "--fast".into()];
        let gone = ["gone".to_owned()];
        let search = Search { given: None, path: folder.path().as_os_str(), downloads: true };
        for given in [&by_path, &by_name] {
            let found = locate(&json!({}), Search { given: Some(given), ..search }).unwrap();
            assert_eq!(found, Command { program: file.clone(), args: vec!["--fast".into()] });
        }
        let gone = locate(&json!({}), Search { given: Some(&gone), ..search }).unwrap_err();
        assert!(gone.to_string().contains("`gone`"), "{gone}");
    }

    #[test]
    fn what_the_variant_names_comes_before_what_the_settings_do() {
        let folder = tempfile::tempdir().unwrap();
        let mine = put_program(folder.path(), "mine", 0o755);
        let router = put_program(folder.path(), "ccr", 0o755);
        let given = ["mine".to_owned()];
        let search = Search { given: Some(&given), path: folder.path().as_os_str(), downloads: false };
        let routed = locate(&json!({"claude_code_router": true}), search).unwrap();
        assert_eq!(routed, Command { program: router, args: vec!["code".into()] });
        let named =
            locate(&json!({"claude_code_router": true, "base_command_override": "mine 'a b'"}), search)
                .unwrap();
        assert_eq!(named, Command { program: mine, args: vec!["a b".into()] });
        let gone = locate(&json!({"base_command_override": "gone"}), search).unwrap_err();
        assert!(gone.hint.contains("in the variant"), "{}", gone.hint);
    }
}
