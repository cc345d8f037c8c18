//! Every process that a test's server started, however far it detached: all of them carry a mark in their
//! environment that no other test's have.

use std::ffi::OsString;
use std::fs;

use rustix::process::{Pid, Signal, kill_process};
use uuid::Uuid;

const NAME: &str = "FORGE_TEST_FAMILY";

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
        let carries = |pid: &u32| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|entry| entry == variable.as_bytes())
        };
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(carries).collect()
    }

    /// Kills them all, and again whoever was started meanwhile, until nobody is left.
    pub(super) fn kill(&self) {
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
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    match kill_process(pid, signal) {
        // It may have ended by itself just now, which is what we want.
        Ok(()) | Err(_) => {}
    }
}
