//! Whether this machine has what Forge needs, and what to do where it has not. Looks only; changes nothing that stays.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use forge_agent::agents;
use forge_agent::host::try_caps;
use forge_agent::profiles::Settings;
use forge_git::Git;
use forge_store::{Place, Server};

use crate::agents::AgentStatus;
use crate::engine::{Options, database as place};
use crate::error::Error;
use crate::files::{Files, files};
use crate::orphans;
use crate::start_warnings::CAPS_HINT;
use crate::worktree_root::WorktreeRoot;

/// How long an agent may take to tell its version.
const VERSION: Duration = Duration::from_secs(10);
/// The agent that is used where none is named.
const DEFAULT_EXECUTOR: &str = "CLAUDE_CODE";
const GIB: u64 = 1 << 30;
/// Enough for some dozens of agents, each with its sockets and files.
const FEW_FILES: u64 = 4096;

/// The first that tells how a transaction ended.
const OLDEST_POSTGRES: i32 = 13;
/// From which on a start takes noticeably longer.
const SLOW: Duration = Duration::from_millis(20);

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Ok,
    /// Forge runs, but something will be missed.
    Warn,
    /// Forge cannot run like this.
    Fail,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub name: String,
    /// How it came out.
    pub verdict: Verdict,
    /// What was found.
    pub found: String,
    /// What a person can do about it.
    pub hint: Option<String>,
}

impl Check {
    /// All is well.
    pub fn ok(name: impl Into<String>, found: impl Into<String>) -> Self {
        Self { name: name.into(), verdict: Verdict::Ok, found: found.into(), hint: None }
    }

    /// Something will be missed.
    pub fn warn(name: impl Into<String>, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { verdict: Verdict::Warn, hint: Some(hint.into()), ..Self::ok(name, found) }
    }

    /// It does not work like this.
    pub fn fail(name: impl Into<String>, found: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { verdict: Verdict::Fail, hint: Some(hint.into()), ..Self::ok(name, found) }
    }
}

/// Looks at everything that the engine would use.
pub async fn examine(options: &Options) -> Vec<Check> {
    let mut checks = git().await;
    checks.extend([
        folder("data folder", &options.data, "--data"),
        worktrees(options),
        database(&place(&options.data, options.database.as_ref())).await,
    ]);
    checks.extend(examine_agents(options).await);
    checks.push(orphaned(options));
    checks.push(caps(options));
    checks.push(open_files());
    checks
}

/// Git itself, and the user's identity if git is installed.
async fn git() -> Vec<Check> {
    let found = async {
        let git = Git::find().await?;
        Ok::<_, forge_git::Error>((git.version().await?, git))
    };
    match found.await {
        Ok((version, git)) => vec![Check::ok("git", version), identity(&git).await],
        Err(error) => {
            let hint = "install git 2.41 or newer and see that it is on PATH";
            vec![Check::fail("git", error.to_string(), hint)]
        }
    }
}

async fn identity(git: &Git) -> Check {
    let name = "git identity";
    let hint = "run `git config --global user.name \"Your Name\"` and `git config --global user.email you@example.com`";
    match git.user().await {
        Ok(Some(user)) => Check::ok(name, user),
        Ok(None) => {
            let found =
                "git lacks your name or address; commits are by `Forge` in repositories that do not set them";
            Check::warn(name, found, hint)
        }
        Err(error) => Check::warn(name, error.to_string(), hint),
    }
}

/// A folder that is not there yet is judged by the nearest one that is.
fn folder(name: &str, path: &Path, flag: &str) -> Check {
    let other = format!("see who owns it, or choose another with {flag}");
    let Some(there) = path.ancestors().find(|folder| folder.exists()) else {
        return Check::fail(name, format!("{} has no place to be", path.display()), other);
    };
    if let Err(error) = probe(there) {
        let found = format!("{} cannot be written: {error}", there.display());
        let lack = Error::lacking(&found);
        let hint = lack.as_ref().and_then(Error::hint_text).unwrap_or(&other);
        return Check::fail(name, found, hint);
    }
    let space = match rustix::fs::statvfs(there) {
        Ok(disk) => disk.f_bavail.saturating_mul(disk.f_frsize),
        Err(error) => {
            return Check::warn(
                name,
                format!("the free space of {} is not known: {error}", there.display()),
                other,
            );
        }
    };
    let found = format!("{}, {} GiB free", path.display(), space / GIB);
    let free = "free some space, or choose a folder on another disk";
    let swept = ["/tmp", "/var/tmp"].iter().any(|swept| path.starts_with(swept));
    match space {
        _ if space < GIB / 4 => Check::fail(name, found, free),
        _ if space < 5 * GIB => Check::warn(name, found, free),
        _ if swept => {
            Check::warn(name, found, format!("the system cleans up there: choose another with {flag}"))
        }
        _ => Check::ok(name, found),
    }
}

/// Writes a file and removes it again: on a disk or quota that is full, a folder can often be made all the same.
fn probe(folder: &Path) -> io::Result<()> {
    let probe = folder.join(format!(".forge-doctor-{}", std::process::id()));
    fs::create_dir(&probe)?;
    let written = fs::write(probe.join("file"), [0; 4096]);
    fs::remove_dir_all(&probe)?;
    written
}

fn worktrees(options: &Options) -> Check {
    let name = "worktrees";
    match (WorktreeRoot { data: &options.data, path: &options.worktrees }).check() {
        Ok(()) => folder(name, &options.worktrees, "--worktrees"),
        Err(error) => {
            Check::fail(name, error.to_string(), error.hint_text().unwrap_or("see who owns the data folder"))
        }
    }
}

async fn database(place: &Place) -> Check {
    let name = "database";
    if let Place::Sqlite(path) = place
        && !path.exists()
    {
        return Check::ok(name, format!("{} is made at the first start", path.display()));
    }
    let seen = match forge_store::check(place).await {
        Ok(seen) => seen,
        Err(error) => {
            let error = Error::from(error);
            let hint = match place {
                Place::Sqlite(_) => {
                    "see who owns the file and whether the disk is full; if the file is damaged, restore a backup"
                }
                Place::Postgres(_) => error.hint_text().unwrap_or("see what its log says"),
            };
            return Check::fail(name, error.to_string(), hint);
        }
    };
    if !seen.damage.is_empty() {
        let found = format!("damaged: {}", seen.damage.join("; "));
        return Check::fail(name, found, "stop Forge and restore a backup");
    }
    // A server looks after its own soundness.
    let sound = if seen.server.is_none() { "sound, " } else { "" };
    let state = match seen.schema {
        schema if schema > seen.known => {
            let found = format!("schema {schema}, of a newer Forge; this one knows {}", seen.known);
            return Check::fail(name, found, "run the newer Forge");
        }
        0 => "empty; the first start makes its schema".to_owned(),
        schema if schema < seen.known => {
            format!("{sound}schema {schema}; the next start brings it to {}", seen.known)
        }
        schema => format!("{sound}schema {schema}"),
    };
    match &seen.server {
        None => Check::ok(name, state),
        Some(server) => on_server(name, place, server, &state),
    }
}

fn on_server(name: &str, place: &Place, server: &Server, state: &str) -> Check {
    let Server { version, major, encrypted, local, answers_in } = server;
    let line = if *encrypted { "TLS" } else { "no TLS" };
    let millis = answers_in.as_secs_f64() * 1000.0;
    let found = format!("{place}, PostgreSQL {version}, {line}, answers in {millis:.1} ms; {state}");
    if *major < OLDEST_POSTGRES {
        return Check::fail(name, found, format!("use PostgreSQL {OLDEST_POSTGRES} or newer"));
    }
    if !encrypted && !local {
        let hint = "what goes over the network can be read: add sslmode=verify-full to DATABASE_URL, with \
                    sslrootcert where the authority is your own";
        return Check::warn(name, found, hint);
    }
    if *answers_in > SLOW {
        let hint = "every change waits for several answers: use a database that is nearer";
        return Check::warn(name, found, hint);
    }
    Check::ok(name, found)
}

/// A line for each agent that is installed, and for the one that is used where none is named; one line for the rest.
async fn examine_agents(options: &Options) -> Vec<Check> {
    let all: Vec<_> = options.agents.all().iter().map(|agent| AgentStatus::of(agent, options)).collect();
    let (told, rest): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|status| status.path.is_some() || status.agent.name == DEFAULT_EXECUTOR);
    let mut checks = Vec::new();
    for status in told {
        checks.push(agent(&status, options).await);
    }
    let names: Vec<_> = rest.iter().map(|status| status.agent.name.as_str()).collect();
    if !names.is_empty() {
        checks.push(Check::ok("more agents", format!("not installed: {}", names.join(", "))));
    }
    checks
}

async fn agent(status: &AgentStatus, options: &Options) -> Check {
    let agent = &status.agent;
    let (name, how) = (agent.name.as_str(), status.how_to_fix.clone().unwrap_or_default());
    if let Some((_, lacks)) = &status.lacks {
        return Check::warn(name, lacks.clone(), how);
    }
    let command = match options.locate(agent, &agent.meaning(&Settings::new())) {
        Ok(command) => command,
        Err(missing) => return Check::warn(name, missing.to_string(), missing.hint),
    };
    let place = command.program.display();
    if command.downloads() {
        let found = format!("not installed; {place} downloads it at each first use");
        return Check::warn(name, found, "install it, so that a start needs no network");
    }
    let version = match &status.version {
        Some(version) => version.clone(),
        None => match agents::version(&command, VERSION).await {
            Ok(version) => version,
            Err(error) => {
                let hint = format!("run `{place} --version` and see what it says");
                return Check::warn(name, format!("{place} is there, but {error}"), hint);
            }
        },
    };
    if let Err(old) = agent.check_told_version(&version) {
        return Check::warn(name, old.to_string(), old.hint);
    }
    match status.logged_in {
        Some(false) => Check::warn(name, format!("{version}, {place}, nobody is logged in"), how),
        Some(true) => Check::ok(name, format!("{version}, {place}, logged in")),
        None => Check::ok(name, format!("{version}, {place}")),
    }
}

fn caps(options: &Options) -> Check {
    let name = "caps";
    let mut wanted = options.caps.clone();
    let is_set = wanted.memory.or(wanted.processes).or(wanted.cpu_millis).is_some();
    if !is_set {
        (wanted.memory, wanted.processes, wanted.cpu_millis) = (Some(GIB), Some(512), Some(1000));
    }
    match try_caps(&wanted) {
        Ok(()) => Check::ok(name, "memory, processes and processors of attempts can be capped"),
        Err(why) if is_set => Check::warn(name, format!("not enforced: {why}"), CAPS_HINT),
        Err(why) => Check::ok(name, format!("none set; could not be enforced here: {why}")),
    }
}

fn orphaned(options: &Options) -> Check {
    let name = "processes";
    match orphans::count(&options.data) {
        0 => Check::ok(name, "every folder has a row"),
        folders => Check::warn(
            name,
            format!("{folders} folders in {}/processes have no row", options.data.display()),
            "see whether Forge uses the right database; they are kept for [gc] orphan_days",
        ),
    }
}

fn open_files() -> Check {
    let Files { now, at_most } = files();
    let Some(limit) = at_most else { return Check::ok("open files", "no limit") };
    let found = match now {
        Some(now) if now < limit => format!("at most {limit} ({now} until the server raises it)"),
        Some(_) | None => format!("at most {limit}"),
    };
    if limit < FEW_FILES {
        let hint = format!("raise it for many agents at once: ulimit -n {FEW_FILES}");
        return Check::warn("open files", found, hint);
    }
    Check::ok("open files", found)
}
