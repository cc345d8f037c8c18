//! Telling a lock that is in use from one left behind by a killed git.
//!
//! Git writes nothing into its lock files that says whose they are. Linux tells which processes
//! work in a folder or hold a file; elsewhere every lock counts as in use.

use std::path::Path;

use crate::{Error, Result};

/// Waits, blocking, until nobody uses `lock` or it is gone. True when it is still there and nobody's.
#[cfg(target_os = "linux")]
pub(crate) fn wait_for_git(worktree: &Path, lock: &Path) -> Result<bool> {
    use std::time::{Duration, Instant};

    // Long enough for any git that an editor runs, short enough for one that waits on a pager.
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let users = linux::users(worktree, lock);
        if !lock.exists() {
            return Ok(false);
        }
        if users.is_empty() {
            return Ok(true);
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if !linux::any_ends_within(left, &users) {
            return Err(Error::Locked { path: lock.to_owned() });
        }
    }
}

/// Whether `lock` is there and nobody's, which cannot be known here.
#[cfg(not(target_os = "linux"))]
pub(crate) fn wait_for_git(_worktree: &Path, lock: &Path) -> Result<bool> {
    if lock.exists() { Err(Error::Locked { path: lock.to_owned() }) } else { Ok(false) }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::os::fd::OwnedFd;
    use std::path::Path;
    use std::time::Duration;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};

    /// Handles of the git processes that work in the folder, and of whatever has the lock open.
    pub(super) fn users(worktree: &Path, lock: &Path) -> Vec<OwnedFd> {
        let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
        let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        pids.filter_map(|pid| {
            let process = Path::new("/proc").join(pid.to_string());
            // The handle comes first: it stays with this process even if the number is used again.
            let handle = pidfd_open(Pid::from_raw(pid)?, PidfdFlags::empty()).ok()?;
            let uses = (is_git(&process) && works_in(&process, worktree)) || has_open(&process, lock);
            uses.then_some(handle)
        })
        .collect()
    }

    /// Waits for the end of one of the processes; false when none ended in time.
    pub(super) fn any_ends_within(limit: Duration, users: &[OwnedFd]) -> bool {
        let mut handles: Vec<_> = users.iter().map(|user| PollFd::new(user, PollFlags::IN)).collect();
        let limit = Timespec::try_from(limit).ok();
        match poll(&mut handles, limit.as_ref()) {
            Ok(ended) => ended > 0,
            // Interrupted: the caller looks again.
            Err(Errno::INTR) => true,
            Err(_) => false,
        }
    }

    fn is_git(process: &Path) -> bool {
        fs::read(process.join("comm")).is_ok_and(|name| name.starts_with(b"git"))
    }

    fn works_in(process: &Path, folder: &Path) -> bool {
        fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd.starts_with(folder))
    }

    fn has_open(process: &Path, file: &Path) -> bool {
        let Ok(open) = fs::read_dir(process.join("fd")) else { return false };
        open.flatten().any(|entry| fs::read_link(entry.path()).is_ok_and(|target| target == file))
    }
}
