//! What the server is told: flags first, then the environment, then the configuration file, then defaults.
//! Nothing else in Forge reads the environment.

mod caps;
mod check;
mod file;
mod log;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy as _;
use forge_engine::{Agents, PoolOptions, PostgresUrl};

use crate::error::Error;
use file::ConfigFile;
pub(crate) use log::LogFile;

const DEFAULT_PORT: u16 = 8887;
/// The largest untracked file that is saved and committed.
const DEFAULT_SNAPSHOT_MAX_FILE: u64 = 100 << 20;
const DEFAULT_GRACE: Duration = Duration::from_secs(5);
/// As long as the contract says.
const DEFAULT_APPROVAL_TIMEOUT: Duration = Duration::from_secs(3600);
/// Long enough to come back to an attempt after a holiday; its worktree comes back with it anyhow.
const IDLE_DAYS: f64 = 14.0;
/// A task that was closed by mistake is opened again soon.
const CLOSED_DAYS: f64 = 3.0;
/// Long enough to notice that a database was changed by mistake.
const ORPHAN_DAYS: f64 = 14.0;
/// Snapshots that are younger are kept.
const SNAPSHOT_DAYS: f64 = 30.0;
/// A client that was away for a night goes on where it was.
const EVENT_DAYS: f64 = 1.0;
const EVENTS: u32 = 100_000;
const SECONDS_PER_DAY: f64 = 86_400.0;
/// Most follow-ups come soon after a turn or much later.
const KEEP_MINUTES: f64 = 5.0;
/// More than hooks that run tests, and filters that fetch large files, should take.
const GIT_MINUTES: f64 = 30.0;
/// An agent that waits takes some hundred megabytes.
const KEEP_AGENTS: usize = 4;
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
    /// Folder for database, logs and token [env: FORGE_DATA] [default: ~/.local/share/forge]. With
    /// DATABASE_URL=postgres://… the database is there instead
    #[arg(long)]
    data: Option<PathBuf>,
    /// Folder for worktrees [env: FORGE_WORKTREES] [default: worktrees in the data folder]
    #[arg(long)]
    worktrees: Option<PathBuf>,
    /// Require the token on this machine too [env: AUTH_REQUIRED=true or false]
    #[arg(long)]
    auth: bool,
    /// Another name under which the server is reached, such as forge.example or forge.example:443
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// A web page that may call the server, such as `https://forge.example`
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// Configuration file [default: ~/.config/forge/config.toml]
    #[arg(long)]
    config: Option<PathBuf>,
    /// Minutes that an agent waits for its next turn before it is let go; 0 keeps none [default: 5]
    #[arg(long, value_name = "MINUTES")]
    keep_agents_minutes: Option<f64>,
    /// How to write the log; FORGE_LOG says how much of it, such as debug or forge=debug,info
    #[arg(long, value_enum, default_value_t)]
    log_format: LogFormat,
    /// File to write the log to instead of standard error; older ones are kept beside it
    #[arg(long, value_name = "PATH")]
    log_file: Option<PathBuf>,
}

impl ServeArgs {
    /// What says which database is meant.
    pub(crate) fn of(data: Option<PathBuf>, config: Option<PathBuf>) -> Self {
        Self { data, config, ..Self::default() }
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
    pub(crate) database: Option<PostgresUrl>,
    pub(crate) auth: bool,
    pub(crate) allow_hosts: Vec<String>,
    pub(crate) allow_origins: Vec<String>,
    pub(crate) branch_prefix: String,
    pub(crate) grace: Duration,
    pub(crate) snapshot_max_file: u64,
    pub(crate) git_limit: Duration,
    pub(crate) agents: Agents,
    pub(crate) downloads: bool,
    pub(crate) approval_timeout: Duration,
    pub(crate) executors: BTreeMap<String, Vec<String>>,
    pub(crate) log_format: LogFormat,
    pub(crate) log_filter: Option<String>,
    pub(crate) log_file: Option<LogFile>,
    pub(crate) path: OsString,
    pub(crate) home: Option<PathBuf>,
    pub(crate) config_home: Option<PathBuf>,
    pub(crate) data_home: Option<PathBuf>,
    pub(crate) variables: BTreeSet<String>,
    pub(crate) pool: PoolOptions,
    pub(crate) limits: forge_engine::Limits,
    pub(crate) retention: forge_engine::Retention,
    pub(crate) orphans: Option<Duration>,
    pub(crate) events: forge_engine::EventRetention,
    pub(crate) caps: forge_engine::Caps,
    pub(crate) keep: forge_engine::Keeping,
    /// Where to die, in tests of recovery.
    pub(crate) crash_at: Option<String>,
}

impl Config {
    /// Settles everything for this process.
    pub(crate) fn load(args: ServeArgs) -> Result<Self, Error> {
        Self::load_from(args, |name| std::env::var_os(name))
    }

    /// Serves this folder alone, wherever a port is free, whatever the user set for the real one: what the demo
    /// needs. Only the PATH is the user's.
    pub(crate) fn scratch(data: PathBuf) -> Result<Self, Error> {
        let args = ServeArgs { port: Some(0), data: Some(data), ..ServeArgs::default() };
        Self::settle(args, ConfigFile::default(), |name| std::env::var_os(name).filter(|_| name == "PATH"))
    }

    fn load_from(args: ServeArgs, env: impl Fn(&str) -> Option<OsString>) -> Result<Self, Error> {
        let file = ConfigFile::load(args.config.as_deref())?;
        Self::settle(args, file, env)
    }

    fn settle(
        args: ServeArgs,
        file: ConfigFile,
        env: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, Error> {
        let env = |name: &str| env(name).filter(|value| !value.is_empty());
        let data = folder_of(args.data, env("FORGE_DATA"))?;
        let worktrees = args.worktrees.or_else(|| env("FORGE_WORKTREES").map(PathBuf::from));
        let keep_minutes = args.keep_agents_minutes.or(file.keep_agents_minutes);
        let port_of = |name| env(name).map(|text| parse_port(name, &text)).transpose();
        let host = args.host.or_else(|| env("HOST").map(|text| text.to_string_lossy().into_owned()));
        let agents = Agents::with(file.agents).map_err(|source| Error::BadAgent { source })?;
        Ok(Self {
            port: match args.port {
                Some(port) => port,
                None => port_of("BACKEND_PORT")?.or(port_of("PORT")?).or(file.port).unwrap_or(DEFAULT_PORT),
            },
            host: host.or(file.host).unwrap_or_else(|| "127.0.0.1".into()),
            worktrees: match worktrees.or(file.worktrees) {
                Some(worktrees) => absolute(&worktrees)?,
                None => data.join("worktrees"),
            },
            data,
            database: database(env("DATABASE_URL"), file.database_url)?,
            auth: args.auth || env("AUTH_REQUIRED").map_or(Ok(file.auth), |text| parse_switch(&text))?,
            allow_hosts: args.allow_host.into_iter().chain(file.allow_hosts).collect(),
            allow_origins: check::origins(args.allow_origin.into_iter().chain(file.allow_origins))?,
            branch_prefix: file.branch_prefix.map_or_else(|| Ok("forge".into()), check::branch_prefix)?,
            grace: file.grace_seconds.map_or(Ok(DEFAULT_GRACE), check::grace)?,
            snapshot_max_file: match &file.snapshot_max_file {
                Some(text) => parse_bytes("snapshot_max_file", text)?,
                None => DEFAULT_SNAPSHOT_MAX_FILE,
            },
            git_limit: check::git_minutes(file.git_minutes.unwrap_or(GIT_MINUTES))?,
            approval_timeout: file
                .approval_seconds
                .map_or(Ok(DEFAULT_APPROVAL_TIMEOUT), check::approval_timeout)?,
            executors: check::commands(&agents, file.executors)?,
            downloads: file.downloads,
            pool: pool(&file.pool)?,
            log_format: args.log_format,
            log_file: log::read(args.log_file, file.log)?,
            log_filter: env("FORGE_LOG").map(|text| text.to_string_lossy().into_owned()),
            path: env("PATH").unwrap_or_default(),
            home: strategy().ok().map(|user| user.home_dir().to_owned()),
            config_home: strategy().ok().map(|user| user.config_dir()),
            data_home: strategy().ok().map(|user| user.data_dir()),
            // Only whether they are set: what is in them is the agents' own.
            variables: agents
                .all()
                .iter()
                .flat_map(|agent| &agent.login.env)
                .filter(|name| env(name).is_some())
                .cloned()
                .collect(),
            limits: forge_engine::Limits {
                attempts: file.limits.attempts.map(Into::into),
                attempts_per_project: file.limits.attempts_per_project.map(Into::into),
            },
            retention: forge_engine::Retention {
                idle: days("worktree_days", file.gc.worktree_days.unwrap_or(IDLE_DAYS))?,
                closed: days("closed_days", file.gc.closed_days.unwrap_or(CLOSED_DAYS))?,
                snapshots: days("snapshot_days", file.gc.snapshot_days.unwrap_or(SNAPSHOT_DAYS))?,
            },
            orphans: days("orphan_days", file.gc.orphan_days.unwrap_or(ORPHAN_DAYS))?,
            events: forge_engine::EventRetention {
                newest: file.events.keep.unwrap_or(EVENTS),
                younger_than: days("events.days", file.events.days.unwrap_or(EVENT_DAYS))?,
            },
            agents,
            caps: caps::read(file.caps)?,
            keep: forge_engine::Keeping {
                idle: check::keep_minutes(keep_minutes.unwrap_or(KEEP_MINUTES))?,
                most: file.keep_agents.unwrap_or(KEEP_AGENTS),
            },
            crash_at: env("FORGE_CRASH_AT").map(|text| text.to_string_lossy().into_owned()),
        })
    }

    /// What the engine has to know of it.
    pub(crate) fn engine_options(&self, api_url: String, own_program: &Path) -> forge_engine::Options {
        forge_engine::Options {
            data: self.data.clone(),
            database: self.database.clone(),
            worktrees: self.worktrees.clone(),
            host_command: vec![own_program.into(), "host".into()],
            agents: self.agents.clone(),
            downloads: self.downloads,
            executors: self.executors.clone(),
            path: self.path.clone(),
            home: self.home.clone(),
            config_home: self.config_home.clone(),
            data_home: self.data_home.clone(),
            variables: self.variables.clone(),
            api_url,
            branch_prefix: self.branch_prefix.clone(),
            grace: self.grace,
            snapshot_max_file: self.snapshot_max_file,
            git_limit: self.git_limit,
            approval_timeout: self.approval_timeout,
            first_port: FIRST_ATTEMPT_PORT,
            last_port: LAST_ATTEMPT_PORT,
            pool: self.pool,
            limits: self.limits,
            retention: self.retention,
            orphans: self.orphans,
            events: self.events,
            caps: self.caps.clone(),
            keep: self.keep,
            secrets: forge_engine::SecretKeys::among(std::env::vars_os()),
            crash_at: self.crash_at.clone(),
        }
    }
}

/// Where a server keeps its data that was told no more than this.
pub(crate) fn data_folder(flag: Option<PathBuf>) -> Result<PathBuf, Error> {
    folder_of(flag, std::env::var_os("FORGE_DATA").filter(|value| !value.is_empty()))
}

fn folder_of(flag: Option<PathBuf>, variable: Option<OsString>) -> Result<PathBuf, Error> {
    match flag.or_else(|| variable.map(PathBuf::from)) {
        Some(data) => absolute(&data),
        None => Ok(strategy()?.data_dir().join("forge")),
    }
}

/// A time in days; without an end there is none.
fn days(name: &'static str, days: f64) -> Result<Option<Duration>, Error> {
    if days == f64::INFINITY {
        return Ok(None);
    }
    Duration::try_from_secs_f64(days * SECONDS_PER_DAY).map(Some).map_err(|_source| Error::Setting {
        name,
        value: days.to_string(),
        expected: "a number of days, such as 14 or 0.5, or inf",
    })
}

fn strategy() -> Result<etcetera::base_strategy::Xdg, Error> {
    etcetera::base_strategy::Xdg::new().map_err(|source| Error::NoHome { source })
}

/// The path with the home folder in place of a leading `~`, which not every shell replaces, and from the root.
fn absolute(path: &Path) -> Result<PathBuf, Error> {
    absolute_in(Path::new(""), path)
}

/// The same; what is relative is below `folder`.
fn absolute_in(folder: &Path, path: &Path) -> Result<PathBuf, Error> {
    let path = match path.strip_prefix("~") {
        Ok(below) => strategy()?.home_dir().join(below),
        Err(_not_below) => folder.join(path),
    };
    std::path::absolute(&path).map_err(|source| Error::Folder { path, source })
}

/// The text is never repeated: there may be a password in it.
fn database(env: Option<OsString>, file: Option<String>) -> Result<Option<PostgresUrl>, Error> {
    let text = env.map(|text| text.to_string_lossy().into_owned()).or(file);
    text.map(|text| text.parse().map_err(|source| Error::DatabaseUrl { source })).transpose()
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

fn pool(section: &file::PoolSection) -> Result<PoolOptions, Error> {
    let max_bytes =
        section.max_bytes.as_deref().map(|text| parse_bytes("pool.max_bytes", text)).transpose()?;
    Ok(PoolOptions {
        size: section.size.unwrap_or(1),
        max_spares: section.max_spares.unwrap_or(16),
        max_bytes: max_bytes.unwrap_or(2 << 30),
        min_files: section.min_files.unwrap_or(1000),
    })
}

/// A number and a unit: `2 GiB`.
fn parse_bytes(name: &'static str, text: &str) -> Result<u64, Error> {
    let digits = text.trim_start_matches(|char: char| char.is_ascii_digit());
    let number = text.strip_suffix(digits).and_then(|number| number.parse::<u64>().ok());
    let unit = match digits.trim() {
        "B" => Some(1),
        "KiB" => Some(1 << 10),
        "MiB" => Some(1 << 20),
        "GiB" => Some(1 << 30),
        "TiB" => Some(1 << 40),
        _ => None,
    };
    number.zip(unit).and_then(|(number, unit)| number.checked_mul(unit)).ok_or_else(|| Error::Setting {
        name,
        value: text.to_owned(),
        expected: "a number with a unit from B to TiB, such as \"2 GiB\"",
    })
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
