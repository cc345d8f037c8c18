//! The engine: what every use case shares.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::thread::available_parallelism;
use std::time::Duration;

use forge_agent::agents::Agents;
use forge_agent::client::Launcher;
use forge_agent::host::Caps;
use forge_agent::profiles::Profiles;
use forge_agent::secrets::{SecretKeys, Secrets};
use forge_git::{Git, GitOptions};
use forge_model::Home;
use forge_model::preferences::Preferences;
use forge_store::{Place, PostgresUrl, Store};
use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::actors::Actors;
use crate::alarm::Alarm;
use crate::board::Boards;
use crate::browse::LOOKING;
use crate::collect::Retention;
use crate::crash::CrashPoints;
use crate::disk::COUNTS;
use crate::error::Result;
use crate::events::EventRetention;
use crate::folder::{Folder, worktree_trash};
use crate::kept::{Keeping, KeptAgents};
use crate::live::Live;
use crate::metrics::Metrics;
use crate::pool::{Pool, PoolOptions};
use crate::recent::Recent;
use crate::remove::empty;
use crate::slots::{Limits, Slots};
use crate::start::Keys;
use crate::transcript::Transcripts;
use crate::trust::{self, TrustedVariants};
use crate::whole::Kept;
use crate::{node, preferences, profiles};

/// What the engine is told at its start. Nothing else is read from the environment.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where Forge keeps what it makes.
    pub data: PathBuf,
    /// The PostgreSQL database to keep everything in; without one it is a file in the data folder.
    pub database: Option<PostgresUrl>,
    /// Where worktrees are made.
    pub worktrees: PathBuf,
    /// How to start the process host: the own program and its hidden subcommand.
    pub host_command: Vec<OsString>,
    /// Every agent there is.
    pub agents: Agents,
    /// Whether an agent that is not installed may be downloaded when it is started.
    pub downloads: bool,
    /// Programs to run in place of the executors' own, by executor.
    pub executors: BTreeMap<String, Vec<String>>,
    /// Where programs are looked for, as `PATH` has it.
    pub path: OsString,
    /// The user's home folder, where agents keep their settings.
    pub home: Option<PathBuf>,
    /// The user's folder of settings.
    pub config_home: Option<PathBuf>,
    /// The user's folder of what programs keep.
    pub data_home: Option<PathBuf>,
    /// The names of all variables that are set, by which agents may be logged in.
    pub variables: BTreeSet<String>,
    /// What agents are told as `FORGE_API_URL`.
    pub api_url: String,
    /// What branch names begin with, before the slash, unless the person prefers something else.
    pub branch_prefix: String,
    /// How long a program that was asked to stop may take.
    pub grace: Duration,
    /// The largest untracked file that is saved and committed, in bytes.
    pub snapshot_max_file: u64,
    /// How long a git may take that runs hooks, filters or other programs of the user's.
    pub git_limit: Duration,
    /// How long an agent waits for a person's answer, until no answer is a no.
    pub approval_timeout: Duration,
    /// The first of the ports that are given to attempts.
    pub first_port: u16,
    /// The last of them.
    pub last_port: u16,
    /// How many worktrees are made in advance.
    pub pool: PoolOptions,
    /// How many attempts may run at once.
    pub limits: Limits,
    /// How long worktrees are kept that nobody uses.
    pub retention: Retention,
    /// How long the folders of processes are kept that no row knows. None is for ever.
    pub orphans: Option<Duration>,
    /// How much of the event log is kept.
    pub events: EventRetention,
    /// What each process of an attempt may use at most.
    pub caps: Caps,
    /// How agents are kept between turns.
    pub keep: Keeping,
    /// What must not be written down anywhere, by name: keys of the environment, and the server's own.
    pub secrets: SecretKeys,
    /// Where to die, in tests of recovery.
    pub crash_at: Option<String>,
}

impl Options {
    /// A file of the user's, as agents' descriptions name it. None where its folder is not known.
    pub(crate) fn place(&self, file: &str) -> Option<PathBuf> {
        let (base, rest) = file.split_once('/')?;
        let base = match base {
            "~" => self.home.as_deref()?,
            "$XDG_CONFIG_HOME" => self.config_home.as_deref()?,
            "$XDG_DATA_HOME" => self.data_home.as_deref()?,
            _ => return Some(PathBuf::from(file)),
        };
        Some(base.join(rest))
    }
}

/// A start of a program waits now and then, so one of them does not keep a core busy.
const LAUNCHES_PER_CORE: usize = 2;

/// How long to wait before what the disk or the database refused is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// Every use case. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) options: Options,
    pub(crate) folder: Folder,
    pub(crate) store: Store,
    /// The node that this server is.
    pub(crate) node: Home,
    pub(crate) git: Git,
    pub(crate) launcher: Launcher,
    pub(crate) actors: Actors,
    pub(crate) alarm: Alarm,
    pub(crate) live: Live,
    pub(crate) kept: KeptAgents,
    pub(crate) transcripts: Transcripts,
    pub(crate) secrets: Arc<Secrets>,
    pub(crate) slots: Slots,
    pub(crate) boards: Boards,
    pub(crate) recent: Recent,
    pub(crate) keys: Keys,
    pub(crate) preferences: Kept<Preferences>,
    pub(crate) profiles: Kept<Profiles>,
    pub(crate) trusted: Kept<TrustedVariants>,
    /// One change of an agent's own settings at a time.
    pub(crate) mcp_files: Mutex<()>,
    /// Places for those who look into folders.
    pub(crate) looking: Arc<Semaphore>,
    pub(crate) pool: Pool,
    /// Places for those who start a program. Many at once would take the processors from each other, and from who waits
    /// for an answer.
    pub(crate) launches: Semaphore,
    /// Held by whoever starts a dev server: a project has one.
    pub(crate) dev_servers: Mutex<()>,
    /// One collection at a time.
    pub(crate) collecting: Mutex<()>,
    /// Serializes changes of the list of former repositories.
    pub(crate) former_repositories: Mutex<()>,
    /// Places for those who count bytes.
    pub(crate) counts: Semaphore,
    /// Whether it was told that caps are not enforced.
    pub(crate) uncapped: Once,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) crash: CrashPoints,
    /// Held by whoever compresses a log: one at a time leaves the machine to the agents.
    pub(crate) compressing: Mutex<()>,
    pub(crate) tasks: TaskTracker,
    /// Canceled when the idle agents that the last server left have exited.
    pub(crate) idle_agents_ended: CancellationToken,
    pub(crate) closing: CancellationToken,
}

/// Where the database is.
pub(crate) fn database(data: &Path, url: Option<&PostgresUrl>) -> Place {
    match url {
        Some(url) => Place::Postgres(url.clone()),
        None => Place::Sqlite(data.join("forge.db")),
    }
}

impl Engine {
    /// Takes the data folder, opens the store and goes on with everything that was going on.
    ///
    /// # Errors
    /// When another server has the folder, it cannot be written, the database cannot be opened, or git is missing.
    pub async fn open(options: Options) -> Result<Self> {
        let folder = Folder::take(&options.data, &options.worktrees)?;
        let engine = Self::open_in(folder, options).await?;
        engine.recover().await?;
        engine.keep_time();
        engine.collect_daily();
        Ok(engine)
    }

    /// The same for a command that collects while no server runs: what was going on is left alone. The trash is emptied
    /// first, so that a full disk has room.
    ///
    /// # Errors
    /// As [`Engine::open`].
    pub async fn open_to_collect(options: Options, dry_run: bool) -> Result<Self> {
        let folder = Folder::take(&options.data, &options.worktrees)?;
        let trashes = [folder.trash(), worktree_trash(&options.worktrees)];
        if !dry_run {
            // What stays says so in the log.
            drop(tokio::task::spawn_blocking(move || trashes.iter().for_each(empty)).await);
        }
        Self::open_in(folder, options).await
    }

    async fn open_in(folder: Folder, options: Options) -> Result<Self> {
        let git = GitOptions {
            records: Some(folder.records()),
            largest_untracked: options.snapshot_max_file,
            programs_deadline: options.git_limit,
            ..GitOptions::default()
        };
        let git = Git::find_with(git).await?;
        let place = database(&options.data, options.database.as_ref());
        let store = Store::open_alone(&place).await?;
        let crash = CrashPoints::armed_at(options.crash_at.clone());
        let node = match node::enter(&options, &crash, &store, &folder, &place).await {
            Ok(node) => node,
            Err(error) => {
                store.close().await;
                return Err(error);
            }
        };
        let tasks = TaskTracker::new();
        let inner = Inner {
            folder,
            store,
            node,
            git,
            launcher: Launcher { command: options.host_command.clone(), tasks: tasks.clone() },
            actors: Actors::default(),
            alarm: Alarm::default(),
            live: Live::default(),
            kept: KeptAgents::default(),
            transcripts: Transcripts::default(),
            secrets: Arc::new(Secrets::new(&options.secrets)),
            slots: Slots::new(options.limits),
            boards: Boards::default(),
            recent: Recent::default(),
            keys: Keys::default(),
            preferences: preferences::load(&options.data, &options.branch_prefix)?,
            profiles: profiles::load(&options.data, &options.agents)?,
            trusted: trust::load(&options.data)?,
            mcp_files: Mutex::default(),
            looking: Arc::new(Semaphore::new(LOOKING)),
            pool: Pool::default(),
            launches: Semaphore::new(LAUNCHES_PER_CORE * available_parallelism().map_or(1, usize::from)),
            dev_servers: Mutex::new(()),
            collecting: Mutex::new(()),
            former_repositories: Mutex::new(()),
            counts: Semaphore::new(COUNTS),
            crash,
            uncapped: Once::new(),
            metrics: Arc::default(),
            compressing: Mutex::default(),
            tasks,
            idle_agents_ended: CancellationToken::new(),
            closing: CancellationToken::new(),
            options,
        };
        let engine = Self { inner: Arc::new(inner) };
        engine.enter_roots().await?;
        Ok(engine)
    }

    /// Whether requests can be answered.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn is_ready(&self) -> Result<()> {
        Ok(self.inner.store.answers().await?)
    }

    /// Begins the end: whoever waits for an attempt is told that the server goes.
    pub fn close(&self) {
        self.inner.closing.cancel();
    }

    /// Ends the engine's own work in an orderly way. Agents and scripts that work go on without it.
    pub async fn shutdown(&self) {
        self.close();
        self.dismiss_kept().await;
        self.inner.tasks.close();
        self.inner.tasks.wait().await;
        self.inner.git.finish().await;
        self.inner.store.close().await;
    }

    /// Waits before something is tried again that may pass. True when the server goes.
    #[expect(clippy::disallowed_methods, reason = "nothing tells when a full disk has room again")]
    pub(crate) async fn pause(&self) -> bool {
        tokio::select! {
            () = self.inner.closing.cancelled() => true,
            () = tokio::time::sleep(PAUSE) => false,
        }
    }

    /// Every place where a test may let the server die.
    #[must_use]
    pub fn crash_points() -> &'static [&'static str] {
        &CrashPoints::ALL
    }
}
