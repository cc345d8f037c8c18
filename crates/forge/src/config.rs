//! What the server is told: flags first, then the environment, then the configuration file, then defaults.
//! Nothing else in Forge reads the environment.

mod caps;
mod file;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy as _;
use forge_model::Profile;

use crate::error::Error;
use file::ConfigFile;

const DEFAULT_PORT: u16 = 8887;
const DEFAULT_GRACE: Duration = Duration::from_secs(5);
/// Below the range from which systems hand out ports by themselves.
const FIRST_ATTEMPT_PORT: u16 = 20_000;
const LAST_ATTEMPT_PORT: u16 = 29_999;

/// The flags of `forge serve`.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct ServeArgs {
    /// Port to listen on, 0 for a free one [env: BACKEND_PORT, PORT] [default: 8887]
    #[arg(long)]
    port: Option<u16>,
    /// Address to listen on; beyond this machine a token is required [env: HOST] [default: 127.0.0.1]
    #[arg(long)]
    host: Option<String>,
    /// Folder for database, logs and token [env: FORGE_DATA] [default: forge in your data folder]
    #[arg(long)]
    data: Option<PathBuf>,
    /// Folder for worktrees [env: FORGE_WORKTREES] [default: worktrees in the data folder]
    #[arg(long)]
    worktrees: Option<PathBuf>,
    /// Require the token on this machine too [env: AUTH_REQUIRED]
    #[arg(long)]
    auth: bool,
    /// Another name under which the server is reached, such as forge.example or forge.example:443
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// A web page that may call the server, such as https://forge.example
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// Configuration file [default: forge/config.toml in your configuration folder]
    #[arg(long)]
    config: Option<PathBuf>,
    /// How to write the log
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
}

impl ServeArgs {
    /// Serves this folder alone, wherever a port is free: what the demo needs.
    pub(crate) fn scratch(data: PathBuf) -> Self {
        Self { port: Some(0), host: Some("127.0.0.1".into()), data: Some(data), ..Self::default() }
    }
}

/// How the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// Everything that is settled before the server starts.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) port: u16,
    pub(crate) host: String,
    pub(crate) data: PathBuf,
    pub(crate) worktrees: PathBuf,
    pub(crate) auth: bool,
    pub(crate) allow_hosts: Vec<String>,
    pub(crate) allow_origins: Vec<String>,
    pub(crate) branch_prefix: String,
    pub(crate) grace: Duration,
    pub(crate) executors: BTreeMap<String, Vec<String>>,
    pub(crate) log_format: LogFormat,
    pub(crate) log_filter: Option<String>,
    pub(crate) path: OsString,
    pub(crate) limits: forge_engine::Limits,
    pub(crate) caps: forge_engine::Caps,
    /// Where to die, in tests of recovery.
    pub(crate) crash_at: Option<String>,
}

impl Config {
    /// Settles everything for this process.
    pub(crate) fn load(args: ServeArgs) -> Result<Self, Error> {
        Self::load_from(args, |name| std::env::var_os(name))
    }

    fn load_from(args: ServeArgs, env: impl Fn(&str) -> Option<OsString>) -> Result<Self, Error> {
        let env = |name| env(name).filter(|value| !value.is_empty());
        let file = ConfigFile::load(args.config.as_deref())?;
        let data = match args.data.or_else(|| env("FORGE_DATA").map(PathBuf::from)) {
            Some(data) => absolute(data)?,
            None => strategy()?.data_dir().join("forge"),
        };
        let worktrees = args.worktrees.or_else(|| env("FORGE_WORKTREES").map(PathBuf::from));
        let port_of = |name| env(name).map(|text| parse_port(name, &text)).transpose();
        let host = args.host.or_else(|| env("HOST").map(|text| text.to_string_lossy().into_owned()));
        Ok(Self {
            port: match args.port {
                Some(port) => port,
                None => port_of("BACKEND_PORT")?.or(port_of("PORT")?).or(file.port).unwrap_or(DEFAULT_PORT),
            },
            host: host.or(file.host).unwrap_or_else(|| "127.0.0.1".into()),
            worktrees: match worktrees.or(file.worktrees) {
                Some(worktrees) => absolute(worktrees)?,
                None => data.join("worktrees"),
            },
            data,
            auth: args.auth || env("AUTH_REQUIRED").map_or(Ok(file.auth), |text| parse_switch(&text))?,
            allow_hosts: args.allow_host.into_iter().chain(file.allow_hosts).collect(),
            allow_origins: args.allow_origin.into_iter().chain(file.allow_origins).collect(),
            branch_prefix: file.branch_prefix.unwrap_or_else(|| "forge".into()),
            grace: file.grace_seconds.map_or(DEFAULT_GRACE, Duration::from_secs),
            executors: commands(file.executors)?,
            log_format: args.log_format,
            log_filter: env("FORGE_LOG").map(|text| text.to_string_lossy().into_owned()),
            path: env("PATH").unwrap_or_default(),
            limits: forge_engine::Limits {
                attempts: file.limits.attempts.map(Into::into),
                attempts_per_project: file.limits.attempts_per_project.map(Into::into),
            },
            caps: caps::read(file.caps)?,
            crash_at: env("FORGE_CRASH_AT").map(|text| text.to_string_lossy().into_owned()),
        })
    }

    /// What the engine has to know of it.
    pub(crate) fn engine_options(&self, api_url: String, own_program: &Path) -> forge_engine::Options {
        forge_engine::Options {
            data: self.data.clone(),
            worktrees: self.worktrees.clone(),
            host_command: vec![own_program.into(), "host".into()],
            executors: self.executors.clone(),
            path: self.path.clone(),
            api_url,
            branch_prefix: self.branch_prefix.clone(),
            grace: self.grace,
            first_port: FIRST_ATTEMPT_PORT,
            last_port: LAST_ATTEMPT_PORT,
            limits: self.limits,
            caps: self.caps.clone(),
            crash_at: self.crash_at.clone(),
        }
    }
}

fn strategy() -> Result<etcetera::base_strategy::Xdg, Error> {
    etcetera::base_strategy::Xdg::new().map_err(|source| Error::NoHome { source })
}

fn absolute(path: PathBuf) -> Result<PathBuf, Error> {
    std::path::absolute(&path).map_err(|source| Error::Folder { path, source })
}

fn parse_port(name: &'static str, text: &OsString) -> Result<u16, Error> {
    let text = text.to_string_lossy();
    text.trim().parse().map_err(|_source| Error::Setting {
        name,
        value: text.into_owned(),
        expected: "a port number from 0 to 65535",
    })
}

fn parse_switch(text: &OsString) -> Result<bool, Error> {
    let text = text.to_string_lossy();
    match text.trim().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        _ => {
            Err(Error::Setting { name: "AUTH_REQUIRED", value: text.into_owned(), expected: "true or false" })
        }
    }
}

/// Every spelling of an executor's name is one.
fn commands(
    executors: BTreeMap<String, file::ExecutorSection>,
) -> Result<BTreeMap<String, Vec<String>>, Error> {
    executors
        .into_iter()
        .map(|(name, section)| match Profile::new(&name, None) {
            Ok(profile) if !section.command.is_empty() => Ok((profile.executor, section.command)),
            Ok(_) | Err(_) => Err(Error::Setting {
                name: "an executor",
                value: name,
                expected: "a name such as CLAUDE_CODE with a command that is not empty",
            }),
        })
        .collect()
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
