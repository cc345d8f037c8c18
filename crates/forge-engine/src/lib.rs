//! Every use case, once; where store, git and agents meet; recovers after a crash.
#![warn(missing_docs)]

mod error;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use forge_model::*;
use tokio::sync::watch;

pub use error::{Error, ErrorKind, Result};

/// What the engine is told at its start. Nothing else is read from the environment.
#[derive(Debug, Clone)]
pub struct Options {
    pub data: PathBuf,
    pub worktrees: PathBuf,
    /// How to start the process host: the own program and its hidden subcommand.
    pub host_command: Vec<OsString>,
    /// Programs to run in place of the executors' own, by executor name.
    pub executors: BTreeMap<String, Vec<String>>,
    /// Where programs are looked for.
    pub path: OsString,
    /// What agents are told as FORGE_API_URL.
    pub api_url: String,
    pub branch_prefix: String,
    /// How long an agent that was asked to stop may take.
    pub grace: Duration,
    /// The ports that are given to attempts.
    pub first_port: u16,
    pub last_port: u16,
}

#[derive(Clone)]
pub struct Engine {}

/// What a follow-up asks for.
pub struct SendFollowUp { pub prompt: String, pub variant: Option<String> }
/// What became of it.
pub enum FollowedUp { Started(Process), Queued { follow_up: FollowUp, ahead: usize } }
/// A branch of a project's repository.
pub struct Branch { pub name: String, pub is_current: bool, pub is_remote: bool, pub last_commit_at: Timestamp }

impl Engine {
    /// Takes the data folder (a second server is refused: code `data_folder_in_use`), opens the store, goes on with what runs.
    pub async fn open(options: Options) -> Result<Self> { todo!() }
    /// Stops the engine's own tasks; agents go on.
    pub async fn shutdown(&self) { todo!() }
    pub async fn list_projects(&self) -> Result<Vec<Project>> { todo!() }
    pub async fn get_project(&self, id: ProjectId) -> Result<Project> { todo!() }
    pub async fn create_project(&self, command: CreateProject) -> Result<Project> { todo!() }
    pub async fn update_project(&self, id: ProjectId, command: UpdateProject) -> Result<Project> { todo!() }
    pub async fn delete_project(&self, id: ProjectId) -> Result<()> { todo!() }
    pub async fn list_branches(&self, id: ProjectId) -> Result<Vec<Branch>> { todo!() }
    pub async fn list_tasks(&self, project: ProjectId) -> Result<Vec<TaskCard>> { todo!() }
    pub async fn get_task(&self, id: TaskId) -> Result<TaskCard> { todo!() }
    pub async fn create_task(&self, command: CreateTask) -> Result<TaskCard> { todo!() }
    pub async fn update_task(&self, id: TaskId, command: UpdateTask) -> Result<TaskCard> { todo!() }
    pub async fn delete_task(&self, id: TaskId) -> Result<()> { todo!() }
    pub async fn start_attempt(&self, command: StartAttempt) -> Result<Started> { todo!() }
    pub async fn list_attempts(&self, task: Option<TaskId>) -> Result<Vec<Attempt>> { todo!() }
    pub async fn get_attempt(&self, id: AttemptId) -> Result<Attempt> { todo!() }
    pub async fn delete_attempt(&self, id: AttemptId) -> Result<()> { todo!() }
    pub async fn stop_attempt(&self, id: AttemptId) -> Result<Attempt> { todo!() }
    pub async fn follow_up(&self, id: AttemptId, command: SendFollowUp) -> Result<FollowedUp> { todo!() }
    pub async fn list_follow_ups(&self, id: AttemptId) -> Result<Vec<FollowUp>> { todo!() }
    pub async fn list_processes(&self, attempt: AttemptId) -> Result<Vec<Process>> { todo!() }
    pub async fn get_process(&self, id: ProcessId) -> Result<Process> { todo!() }
    pub async fn stop_process(&self, id: ProcessId) -> Result<Process> { todo!() }
    /// The newest event's place; changes when something was committed.
    pub fn head(&self) -> watch::Receiver<Seq> { todo!() }
    pub async fn events_after(&self, after: Seq, limit: usize) -> Result<Vec<Event>> { todo!() }
    /// What the process printed, from a position on, and onwards while it runs.
    pub async fn output(&self, id: ProcessId) -> Result<Output> { todo!() }
}

/// Reads a process's output page by page; keeps nothing in memory but the page.
pub struct Output {}
pub struct Chunk { pub seq: u64, pub at: Timestamp, pub stream: OutputStream, pub bytes: Vec<u8> }
pub enum OutputStream { Stdout, Stderr }
impl Output {
    /// The next chunks after `seq`; waits while the process runs and there are none; None when it has ended and everything was read.
    pub async fn next(&mut self, after: u64, max_bytes: usize) -> Result<Option<Vec<Chunk>>> { todo!() }
}
