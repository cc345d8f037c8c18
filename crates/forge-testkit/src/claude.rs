//! The real Claude Code program, installed into a cache by `make claude`, and the environment that leads it to the
//! stub model.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::stub_model::StubModel;

/// The version that Forge is tested with, as the agent's description names it.
fn version() -> Result<&'static str> {
    let description = include_str!("../../forge-agent/agents/claude_code.toml");
    let tested = description.lines().find_map(|line| line.strip_prefix("tested = \""));
    tested.and_then(|tested| tested.strip_suffix('"')).context("no version of Claude Code is named as tested")
}

/// Where the program is.
///
/// # Errors
/// When it is not installed: a test without it proves nothing, so it fails.
pub fn program() -> Result<PathBuf> {
    let home = std::env::home_dir().context("there is no home directory")?;
    let version = version()?;
    let program = home.join(".cache/forge/claude").join(version).join("node_modules/.bin/claude");
    if !program.exists() {
        bail!("Claude Code {version} is not at {}; run `make claude` to install it", program.display());
    }
    Ok(program)
}

/// The environment for the program: it asks the stub, keeps everything in the given home, and calls nobody else.
pub fn environment(model: &StubModel, home: &Path) -> Vec<(String, String)> {
    let variables = [
        ("HOME", &*home.to_string_lossy()),
        ("ANTHROPIC_BASE_URL", model.url()),
        ("ANTHROPIC_API_KEY", "key-of-the-stub"),
        ("ANTHROPIC_MODEL", "stub-model"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("CLAUDE_CODE_MAX_RETRIES", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_TELEMETRY", "1"),
    ];
    variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}
