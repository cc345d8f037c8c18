//! The kinds of agent, as data: what each is called, where its program is found, and how it is spoken to.

mod version;

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

pub use version::version;

use crate::manner::{Manner, Protocol};
use crate::turn::Turn;
use crate::{claude, codex};

/// A kind of agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Executor {
    /// The wire's name.
    pub name: &'static str,
    protocol: Protocol,
    /// Whether its program can take one turn after another.
    keeps: bool,
    /// What its program is called.
    program: &'static str,
    /// The npm package that holds the program, and the version that Forge is tested with.
    package: &'static str,
    version: &'static str,
}

static EXECUTORS: [Executor; 1] = [Executor {
    name: "CLAUDE_CODE",
    protocol: Protocol::Claude,
    keeps: true,
    program: "claude",
    package: "@anthropic-ai/claude-code",
    version: include_str!("../claude-code.version").trim_ascii_end(),
}];

/// A program, and the arguments that come before those of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    pub program: PathBuf,
    pub args: Vec<String>,
}

impl Command {
    /// Whether the program itself comes only with its first use, by a download.
    #[must_use]
    pub fn downloads(&self) -> bool {
        self.program.file_name().is_some_and(|name| name == "npx")
    }
}

/// There is no program to run the agent with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the program of {executor} was not found: {looked_for}")]
pub struct NotInstalled {
    pub executor: &'static str,
    /// What was looked for in vain.
    pub looked_for: String,
    /// What a person can do about it.
    pub hint: String,
}

impl Executor {
    /// Every kind of agent there is.
    pub fn all() -> &'static [Self] {
        &EXECUTORS
    }

    /// How it is spoken to.
    #[must_use]
    pub fn manner(&self) -> Manner {
        Manner { keeps: self.keeps, ..Manner::plain(self.protocol) }
    }

    /// The arguments for a turn.
    pub fn arguments(&self, turn: &Turn) -> Vec<String> {
        match self.protocol {
            Protocol::Claude => claude::arguments(turn),
            Protocol::Codex => codex::arguments(turn),
            Protocol::Acp | Protocol::Lines => Vec::new(),
        }
    }
}

/// Finds an executor by its name, in any case and with `-` or `_`.
pub fn find(name: &str) -> Option<&'static Executor> {
    let name = name.trim().replace('-', "_");
    EXECUTORS.iter().find(|executor| executor.name.eq_ignore_ascii_case(&name))
}

/// Finds the program to run: the given one if there is one, else the agent's own on the search path, else `npx`,
/// which downloads it.
///
/// # Errors
/// When there is none of them.
pub fn locate(
    executor: &'static Executor,
    given: Option<&[String]>,
    path: &OsStr,
) -> Result<Command, NotInstalled> {
    if let Some((program, args)) = given.and_then(|given| given.split_first()) {
        return match look_up(program, path) {
            Some(found) => Ok(Command { program: found, args: args.to_vec() }),
            None => Err(NotInstalled {
                executor: executor.name,
                looked_for: format!("`{program}`, which the settings name, is not a program"),
                hint: format!("correct the program of {} in the settings", executor.name),
            }),
        };
    }
    let Executor { name, program, package, version, .. } = executor;
    if let Some(found) = look_up(program, path) {
        return Ok(Command { program: found, args: Vec::new() });
    }
    if let Some(npx) = look_up("npx", path) {
        return Ok(Command { program: npx, args: vec!["-y".into(), format!("{package}@{version}")] });
    }
    Err(NotInstalled {
        executor: name,
        looked_for: format!("neither `{program}` nor `npx` is on PATH"),
        hint: format!("install it with `npm install -g {package}`, and see that `{program}` is on PATH"),
    })
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

    use super::*;
    use crate::turn::Approvals;

    fn put_program(folder: &Path, name: &str, mode: u32) -> PathBuf {
        let file = folder.join(name);
        fs::write(&file, "").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        file
    }

    fn claude() -> &'static Executor {
        find("CLAUDE_CODE").unwrap()
    }

    #[test]
    fn an_executor_is_found_by_any_spelling_of_its_name() {
        for name in ["CLAUDE_CODE", "claude-code", "Claude_Code", " claude_code "] {
            assert_eq!(find(name), Some(claude()), "{name}");
        }
        assert_eq!(find("CLAUDE"), None);
        assert_eq!(find(""), None);
    }

    #[test]
    fn the_own_program_comes_before_npx_and_must_be_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().as_os_str();
        let missing = locate(claude(), None, path).unwrap_err();
        assert!(missing.hint.contains("npm install -g @anthropic-ai/claude-code"), "{}", missing.hint);

        let npx = put_program(folder.path(), "npx", 0o755);
        put_program(folder.path(), "claude", 0o644);
        let fallback = locate(claude(), None, path).unwrap();
        assert_eq!(fallback.program, npx);
        assert_eq!(fallback.args, ["-y", "@anthropic-ai/claude-code@2.1.325"]);

        let own = put_program(folder.path(), "claude", 0o755);
        assert_eq!(locate(claude(), None, path).unwrap(), Command { program: own, args: vec![] });
    }

    #[test]
    fn a_given_program_is_taken_with_its_arguments_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = put_program(folder.path(), "mine", 0o755);
        let by_path = [file.to_str().unwrap().to_owned(), "--fast".into()];
        let by_name = ["mine".to_owned(), "--fast".into()];
        for given in [&by_path, &by_name] {
            let found = locate(claude(), Some(given), folder.path().as_os_str()).unwrap();
            assert_eq!(found, Command { program: file.clone(), args: vec!["--fast".into()] });
        }
        let gone = locate(claude(), Some(&["gone".to_owned()]), folder.path().as_os_str()).unwrap_err();
        assert!(gone.to_string().contains("`gone`"), "{gone}");
    }

    #[test]
    fn a_turn_names_the_conversation_it_resumes_and_how_permissions_are_decided() {
        let mut turn = Turn::new(Protocol::Claude, "hello");
        let first = claude().arguments(&turn);
        assert!(first.ends_with(&["--permission-mode".into(), "acceptEdits".into()]), "{first:?}");
        turn.resume = Some("abc".into());
        turn.approvals = Approvals::Ask;
        let resumed = claude().arguments(&turn);
        let expected = ["default", "--resume", "abc", "--fork-session"];
        assert!(resumed.ends_with(&expected.map(Into::into)), "{resumed:?}");

        let settings =
            serde_json::json!({"plan": true, "model": "opus", "additional_params": ["--add-dir", "a b"]});
        turn.settings = settings.as_object().unwrap().clone();
        let planned = claude().arguments(&turn);
        let expected = ["plan", "--model", "opus", "--add-dir", "a b", "--resume", "abc", "--fork-session"];
        assert!(planned.ends_with(&expected.map(Into::into)), "{planned:?}");
    }
}
