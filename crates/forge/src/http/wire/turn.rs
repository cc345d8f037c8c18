//! What replacing a turn and starting a dev server came to: the process, and what else is to be said.

use forge_model::{ProcessId, Profile};
use schemars::JsonSchema;
use serde::Serialize;

use super::Process;
use crate::http::spec::documented;

documented!(Replaced<'_>, DevServer<'_>);

/// A turn that took the place of another. The fields of its process are there once it runs.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Replaced<'a> {
    /// How many processes were dropped.
    deleted_count: usize,
    /// Whether the worktree was different from what it was before the turn that was replaced.
    git_reset_needed: bool,
    /// Whether it was put back. What was in it is saved as a snapshot.
    git_reset_applied: bool,
    /// The commit that stood before that turn.
    target_before_oid: Option<&'a str>,
    /// The process that runs now; null while the attempt stands in the queue.
    new_execution_id: Option<ProcessId>,
    #[serde(flatten)]
    process: Option<Process<'a>>,
}

impl<'a> Replaced<'a> {
    pub(in crate::http) fn new(replaced: &'a forge_engine::Replaced, profile: &'a Profile) -> Self {
        let process = replaced.process.as_ref();
        Self {
            deleted_count: replaced.dropped,
            git_reset_needed: replaced.reset_needed,
            git_reset_applied: replaced.reset_applied,
            target_before_oid: replaced.target.as_deref(),
            new_execution_id: process.map(|process| process.id),
            process: process.map(|process| Process::new(process, Some(profile))),
        }
    }
}

/// A dev server that runs.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct DevServer<'a> {
    /// The port that the script was told to use, as `PORT` and `FORGE_PORT`.
    port: Option<u16>,
    /// Where it answers if the script does as it was told.
    url: Option<String>,
    #[serde(flatten)]
    process: Process<'a>,
}

impl<'a> DevServer<'a> {
    pub(in crate::http) fn new(server: &'a forge_engine::DevServer, profile: &'a Profile) -> Self {
        Self {
            port: server.port,
            url: server.port.map(|port| format!("http://localhost:{port}")),
            process: Process::new(&server.process, Some(profile)),
        }
    }
}
