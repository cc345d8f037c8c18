//! Whether this machine has what Forge needs, and what to do where it has not. Looks only; changes nothing that stays.

use std::fs;
use std::path::Path;
use std::time::Duration;

use forge_agent::executor::{self, Executor};
use forge_agent::host::try_caps;
use forge_git::Git;

use crate::engine::Options;
use crate::files::{Files, files};

/// How long an agent may take to tell its version.
const VERSION: Duration = Duration::from_secs(10);
const GIB: u64 = 1 << 30;
/// Enough for some dozens of agents, each with its sockets and files.
const FEW_FILES: u64 = 4096;

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
    let mut checks = vec![
        git().await,
        folder("data folder", &options.data, "--data"),
        folder("worktrees", &options.worktrees, "--worktrees"),
        database(&options.data.join("forge.db")).await,
    ];
    for executor in Executor::all() {
        checks.push(agent(executor, options).await);
    }
    checks.push(caps(options));
    checks.push(open_files());
    checks
}

async fn git() -> Check {
    let hint = "install git 2.40 or newer and see that it is on PATH";
    let version = match Git::find().await {
        Ok(git) => git.version().await,
        Err(error) => Err(error),
    };
    match version {
        Ok(version) => Check::ok("git", version),
        Err(error) => Check::fail("git", error.to_string(), hint),
    }
}

/// A folder that is not there yet is judged by the nearest one that is.
fn folder(name: &str, path: &Path, flag: &str) -> Check {
    let other = format!("see who owns it, or choose another with {flag}");
    let Some(there) = path.ancestors().find(|folder| folder.exists()) else {
        return Check::fail(name, format!("{} has no place to be", path.display()), other);
    };
    let probe = there.join(format!(".forge-doctor-{}", std::process::id()));
    if let Err(error) = fs::create_dir(&probe).and_then(|()| fs::remove_dir(&probe)) {
        return Check::fail(name, format!("{} cannot be written: {error}", there.display()), other);
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

async fn database(path: &Path) -> Check {
    let name = "database";
    if !path.exists() {
        return Check::ok(name, format!("{} is made at the first start", path.display()));
    }
    match forge_store::check(path).await {
        Err(error) => {
            let why = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
            Check::fail(name, format!("{error}: {why}"), "see who owns the file, or restore a backup")
        }
        Ok(seen) if !seen.damage.is_empty() => Check::fail(
            name,
            format!("damaged: {}", seen.damage.join("; ")),
            "stop Forge and restore a backup",
        ),
        Ok(seen) if seen.schema > seen.known => Check::fail(
            name,
            format!("schema {}, of a newer Forge; this one knows {}", seen.schema, seen.known),
            "run the newer Forge",
        ),
        Ok(seen) if seen.schema < seen.known => Check::ok(
            name,
            format!("sound, schema {}; the next start brings it to {}", seen.schema, seen.known),
        ),
        Ok(seen) => Check::ok(name, format!("sound, schema {}", seen.schema)),
    }
}

async fn agent(executor: &'static Executor, options: &Options) -> Check {
    let own = options.executors.get(executor.name).map(Vec::as_slice);
    let command = match executor::locate(executor, own, &options.path) {
        Ok(command) => command,
        Err(missing) => return Check::warn(executor.name, missing.to_string(), missing.hint),
    };
    let place = command.program.display();
    if command.downloads() {
        let found = format!("not installed; {place} downloads it at each first use");
        return Check::warn(executor.name, found, "install it, so that a start needs no network");
    }
    match executor::version(&command, VERSION).await {
        Ok(version) => Check::ok(executor.name, format!("{version}, {place}")),
        Err(error) => {
            let hint = format!("run `{place} --version` and see what it says");
            Check::warn(executor.name, format!("{place} is there, but {error}"), hint)
        }
    }
}

fn caps(options: &Options) -> Check {
    let name = "caps";
    let mut wanted = options.caps.clone();
    let is_set = wanted.memory.or(wanted.processes).or(wanted.cpu_millis).is_some();
    if !is_set {
        (wanted.memory, wanted.processes, wanted.cpu_millis) = (Some(GIB), Some(512), Some(1000));
    }
    let hint = "run Forge in a cgroup of its own that it may share out (systemd: Delegate=yes), or name one as [caps] cgroup";
    match try_caps(&wanted) {
        Ok(()) => Check::ok(name, "memory, processes and processors of attempts can be capped"),
        Err(why) if is_set => Check::warn(name, format!("not enforced: {why}"), hint),
        Err(why) => Check::ok(name, format!("none set; could not be enforced here: {why}")),
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
