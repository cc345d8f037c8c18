//! The real agent programs, installed into a cache by `tools/agents`, and what leads each of them to the stub model:
//! files in its home and variables, all of them without telemetry and updates.

mod table;

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

pub use table::*;

use crate::server::Setup;
use crate::stub_model::StubModel;

/// A key that the stub model takes.
pub const GOOD_KEY: &str = "key-of-the-stub";

/// A key that the stub model refuses with 401.
pub const BAD_KEY: &str = "bad-key";

/// An agent program, and how it is led to the stub model. `{url}` and `{key}` stand for those of the stub,
/// `{folder}` for where the agent is installed.
#[derive(Debug)]
pub struct Agent {
    /// What `tools/agents` calls it.
    pub name: &'static str,
    /// The wire's name.
    pub executor: &'static str,
    /// What it asks permission for.
    pub asks: Asks,
    /// Failures of its model that it keeps to itself: all that is known is that it said nothing.
    pub hides: &'static [Trouble],
    /// It does not end when it is interrupted, and has to be killed.
    pub is_stubborn: bool,
    /// What it says is told when it has been said, not word by word.
    pub speaks_late: bool,
    programs: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    /// Files under its home.
    files: &'static [(&'static str, &'static str)],
}

/// What an agent asks permission for, when it is told to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// Edits and commands.
    Edits,
    /// Commands only.
    Commands,
    /// Nothing.
    Never,
}

/// What may be wrong with a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    /// It refuses the key.
    Key,
    /// It fails.
    Failure,
}

impl Agent {
    /// Puts the program on the server's search path, and its settings into the home and the environment.
    ///
    /// # Errors
    /// When it is not installed: a test without it proves nothing, so it fails.
    pub fn put_into(&self, setup: Setup, model: &StubModel, key: &str) -> Result<Setup> {
        let mut setup = setup.without_agent();
        for program in self.programs {
            setup = setup.program(*program, self.program(program)?);
        }
        for (name, value) in self.environment(model, key)? {
            setup = setup.env(name, value);
        }
        for (path, text) in self.files {
            setup = setup.home(*path, text.replace("{url}", model.url()).replace("{key}", key));
        }
        Ok(setup)
    }

    /// The variables that lead it to the model and keep it from calling anybody else.
    ///
    /// # Errors
    /// When there is no home directory, or no version to look for.
    pub fn environment(&self, model: &StubModel, key: &str) -> Result<Vec<(&'static str, String)>> {
        let folder = self.folder()?.to_string_lossy().into_owned();
        let fill = |text: &str| {
            text.replace("{url}", model.url()).replace("{key}", key).replace("{folder}", &folder)
        };
        Ok(self.environment.iter().map(|(name, value)| (*name, fill(value))).collect())
    }

    /// Where one of its programs is.
    ///
    /// # Errors
    /// When it is not installed.
    pub fn program(&self, program: &str) -> Result<PathBuf> {
        let found = self.folder()?.join("bin").join(program);
        if !found.exists() {
            let flag = if is_latest() { " --latest" } else { "" };
            bail!("there is no {}; run `tools/agents install {}{flag}`", found.display(), self.name);
        }
        Ok(found)
    }

    /// Where it is installed.
    fn folder(&self) -> Result<PathBuf> {
        let home = std::env::home_dir().context("there is no home directory")?;
        let version = if is_latest() { "latest".to_owned() } else { self.version()? };
        Ok(home.join(".cache/forge/agents").join(self.name).join(version))
    }

    /// The version that Forge is tested with, from the agent's description.
    fn version(&self) -> Result<String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../forge-agent/agents");
        let text = std::fs::read_to_string(format!("{folder}/{}.toml", self.executor.to_lowercase()))?;
        let line = text.lines().find_map(|line| line.strip_prefix("tested = \"")?.strip_suffix('"'));
        Ok(line.with_context(|| format!("{} names no version", self.executor))?.to_owned())
    }
}

/// Whether the newest releases are tested in place of those that Forge names.
fn is_latest() -> bool {
    std::env::var_os("FORGE_AGENTS").is_some_and(|which| which == "latest")
}
