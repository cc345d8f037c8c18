//! The configuration file. It is optional; a key that is not known is an error, because a misspelt one would
//! otherwise do nothing in silence.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;
use forge_engine::Agent;
use serde::Deserialize;

use crate::error::Error;

/// What the file may say.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ConfigFile {
    pub(super) port: Option<u16>,
    pub(super) host: Option<String>,
    pub(super) worktrees: Option<PathBuf>,
    pub(super) database_url: Option<String>,
    pub(super) auth: bool,
    pub(super) allow_hosts: Vec<String>,
    pub(super) allow_origins: Vec<String>,
    pub(super) branch_prefix: Option<String>,
    pub(super) grace_seconds: Option<u64>,
    /// The largest untracked file that is saved and committed.
    pub(super) snapshot_max_file: Option<String>,
    /// How long a git may take that runs hooks or filters.
    pub(super) git_minutes: Option<f64>,
    /// How long an agent waits for its next turn before it is let go; 0 keeps none.
    pub(super) keep_agents_minutes: Option<f64>,
    /// How many may wait.
    pub(super) keep_agents: Option<usize>,
    pub(super) approval_seconds: Option<u64>,
    pub(super) pool: PoolSection,
    /// Whether agents that are not installed may be downloaded when they are started.
    pub(super) downloads: bool,
    pub(super) executors: BTreeMap<String, ExecutorSection>,
    /// The user's own agents.
    pub(super) agents: BTreeMap<String, Agent>,
    pub(super) limits: LimitsSection,
    pub(super) gc: GcSection,
    pub(super) events: EventsSection,
    pub(super) caps: CapsSection,
    pub(super) log: LogSection,
}

/// How many attempts may run at once; without a number, as many as are asked for.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LimitsSection {
    pub(super) attempts: Option<NonZeroUsize>,
    pub(super) attempts_per_project: Option<NonZeroUsize>,
}

/// Worktrees that are made in advance.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PoolSection {
    pub(super) size: Option<usize>,
    pub(super) max_spares: Option<usize>,
    pub(super) max_bytes: Option<String>,
    pub(super) min_files: Option<u32>,
}

/// After how many days worktrees are taken away that nobody uses; `inf` is never.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct GcSection {
    pub(super) worktree_days: Option<f64>,
    pub(super) closed_days: Option<f64>,
    pub(super) orphan_days: Option<f64>,
    pub(super) snapshot_days: Option<f64>,
}

/// How much of the event log is kept: so many of the newest, and whatever is younger than so many days.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EventsSection {
    pub(super) keep: Option<u32>,
    pub(super) days: Option<f64>,
}

/// What each process of an attempt may use at most; without a number, as much as there is.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct CapsSection {
    pub(super) memory: Option<String>,
    pub(super) processes: Option<NonZeroU64>,
    pub(super) cpus: Option<f64>,
    /// The cgroup in which each process gets its own.
    pub(super) cgroup: Option<PathBuf>,
}

/// The server's own log in files; without a file it goes to standard error.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct LogSection {
    pub(super) file: Option<PathBuf>,
    pub(super) max_bytes: Option<String>,
    /// How many full ones are kept.
    pub(super) older: Option<u32>,
}

/// What to run in place of an executor's own program.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecutorSection {
    pub(super) command: Vec<String>,
}

impl ConfigFile {
    /// The file that was named, which must be there, or the one in the user's configuration folder, which need not.
    pub(super) fn load(named: Option<&Path>) -> Result<Self, Error> {
        let usual = || super::strategy().ok().map(|dirs| dirs.config_dir().join("forge/config.toml"));
        let Some(path) = named.map(Path::to_owned).or_else(usual) else {
            return Ok(Self::default());
        };
        match fs::read_to_string(&path) {
            Ok(text) => match toml::from_str::<Self>(&text) {
                Ok(file) => file.resolved(&path),
                Err(source) => Err(Error::ParseConfig { path, source: Box::new(source) }),
            },
            Err(error) if named.is_none() && error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(source) => Err(Error::ReadConfig { path, source }),
        }
    }

    /// With the paths that it names, which count from its own folder. A command without a slash is one of the PATH.
    fn resolved(mut self, own: &Path) -> Result<Self, Error> {
        let own = super::absolute(own)?;
        let folder = own.parent().unwrap_or(&own);
        let resolve = |path: &Path| super::absolute_in(folder, path);
        for path in [&mut self.worktrees, &mut self.log.file].into_iter().flatten() {
            *path = resolve(path)?;
        }
        for section in self.executors.values_mut() {
            if let Some(program) = section.command.first_mut().filter(|program| program.contains('/')) {
                *program = resolve(Path::new(program))?.to_string_lossy().into_owned();
            }
        }
        Ok(self)
    }
}
