//! Every process that a test's server started, however far it detached: all of them carry a mark in their
//! environment that no other test's have.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use uuid::Uuid;

use super::DEADLINE;

/// Looks like a locale, because Forge passes few other variables on to git.
const NAME: &str = "LC_FORGE_TEST_FAMILY";

/// In the environment of every program under a process host: the folder of the process.
const HOST_DIR: &[u8] = b"FORGE_HOST_DIR=";

/// A mark, and who carries it.
#[derive(Debug)]
pub struct Family {
    mark: String,
}

impl Family {
    pub(super) fn new() -> Self {
        Self { mark: Uuid::new_v4().to_string() }
    }

    /// The variable to give to the first of them.
    pub(super) fn mark(&self) -> [(OsString, OsString); 1] {
        [(NAME.into(), self.mark.clone().into())]
    }

    /// The ids of those that live. One that has ended and was not yet waited for does not.
    #[must_use]
    pub fn pids(&self) -> Vec<u32> {
        let variable = format!("{NAME}={}", self.mark);
        let carries = |pid: &u32| words(*pid, "environ").iter().any(|entry| entry == variable.as_bytes());
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(carries).collect()
    }

    /// The host of a process.
    #[must_use]
    pub fn host(&self, process: &str) -> Option<u32> {
        self.pids().into_iter().find(|pid| hosted_by(*pid).as_deref() == Some(process))
    }

    /// Waits until nobody lives but the server and what belongs to these processes, and makes sure that each of
    /// these has its host.
    pub async fn settle(&self, server: u32, processes: &BTreeSet<String>) {
        let is_stray =
            |pid: &u32| *pid != server && owner(*pid).is_none_or(|owner| !processes.contains(&owner));
        while let Some(stray) = self.pids().into_iter().find(is_stray) {
            self.gone(stray).await;
        }
        let hosted: BTreeSet<String> = self.pids().into_iter().filter_map(hosted_by).collect();
        let without: Vec<_> = processes.difference(&hosted).collect();
        assert!(without.is_empty(), "processes without a host: {without:?}");
    }

    /// What the programs of these processes have as a variable.
    #[must_use]
    pub fn variables(&self, processes: &BTreeSet<String>, name: &str) -> BTreeMap<String, String> {
        let value = |pid: u32| {
            let owner = owner(pid).filter(|owner| processes.contains(owner))?;
            let words = words(pid, "environ");
            let value =
                words.iter().find_map(|word| word.strip_prefix(name.as_bytes())?.strip_prefix(b"="))?;
            Some((owner, String::from_utf8_lossy(value).into_owned()))
        };
        self.pids().into_iter().filter_map(value).collect()
    }

    /// Waits until this one of them has ended.
    pub async fn gone(&self, pid: u32) {
        let command = words(pid, "cmdline").join(&b' ');
        let Some(handle) = pid_of(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
            return;
        };
        // Looked at after it was opened, so that the handle is that of one of the family.
        if !self.pids().contains(&pid) {
            return;
        }
        let most = Timespec::try_from(DEADLINE).expect("a short time");
        let wait = move || loop {
            match poll(&mut [PollFd::new(&handle, PollFlags::IN)], Some(&most)) {
                Err(Errno::INTR) => {}
                ended => return ended,
            }
        };
        let ended = tokio::task::spawn_blocking(wait).await.expect("it is waited for");
        assert_eq!(ended, Ok(1), "process {pid} lives on: {}", String::from_utf8_lossy(&command));
    }

    /// Kills one of them as nobody can hinder.
    pub fn kill_9(&self, pid: u32) {
        assert!(self.pids().contains(&pid), "process {pid} does not run");
        signal(pid, Signal::KILL);
    }

    /// Kills them all, and again whoever was started meanwhile, until nobody is left.
    pub fn kill(&self) {
        loop {
            let pids = self.pids();
            if pids.is_empty() {
                return;
            }
            for pid in pids {
                signal(pid, Signal::KILL);
            }
            std::thread::yield_now();
        }
    }
}

pub(super) fn terminate(pid: u32) {
    signal(pid, Signal::TERM);
}

fn signal(pid: u32, signal: Signal) {
    let Some(pid) = pid_of(pid) else { return };
    match kill_process(pid, signal) {
        // It may have ended by itself just now, which is what we want.
        Ok(()) | Err(_) => {}
    }
}

fn pid_of(pid: u32) -> Option<Pid> {
    i32::try_from(pid).ok().and_then(Pid::from_raw)
}

/// The entries of one of the lists in a process's folder; none when it has ended.
fn words(pid: u32, list: &str) -> Vec<Vec<u8>> {
    let text = fs::read(format!("/proc/{pid}/{list}")).unwrap_or_default();
    text.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect()
}

/// Which process this is the host of.
fn hosted_by(pid: u32) -> Option<String> {
    let command = words(pid, "cmdline");
    let at = command.iter().position(|word| word == b"host")?;
    (at == 1).then(|| command.get(2)).flatten().and_then(|dir| last_part(dir))
}

/// Which process this belongs to.
fn owner(pid: u32) -> Option<String> {
    let environment = words(pid, "environ");
    let dir = environment.iter().find_map(|entry| entry.strip_prefix(HOST_DIR));
    hosted_by(pid).or_else(|| last_part(dir?))
}

fn last_part(dir: &[u8]) -> Option<String> {
    Some(Path::new(OsStr::from_bytes(dir)).file_name()?.to_str()?.to_owned())
}
