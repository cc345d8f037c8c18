//! Every use case, once; where store, git and agents meet; recovers after a crash.
//!
//! HTTP, MCP and the command line are spellings of the calls on [`Engine`]. A call decides by the state machines of
//! `forge-model`, writes rows and events through `forge-store`, and acts through `forge-git` and `forge-agent`.
#![warn(missing_docs)]

mod actor;
mod actors;
mod approvals;
mod attempts;
mod board;
mod branch;
mod collect;
mod commit;
mod compress;
mod crash;
pub mod database;
mod diffs;
mod disk;
pub mod doctor;
mod engine;
mod environment;
mod error;
mod events;
pub mod files;
mod folder;
mod images;
mod inside;
mod launch;
mod live;
mod log;
mod metrics;
mod output;
mod pool;
mod projects;
mod recent;
mod recover;
mod remove;
mod runs;
mod search;
mod settings;
mod slots;
mod snapshots;
mod standing;
mod start;
mod tags;
mod tasks;

pub use attempts::{FollowedUp, SendFollowUp};
pub use branch::{BranchStatus, Compared, ProjectStatus, Relations};
pub use collect::{Collection, Retention};
pub use diffs::{DiffPage, Diffs, ShownDiff};
pub use disk::Disk;
pub use engine::{Engine, Options};
pub use error::{Error, ErrorKind, Result};
pub use events::{AsOf, EventRetention};
pub use forge_agent::host::{Capped, Caps, main as host_main};
pub use forge_agent::log::{Tail, Tally};
pub use forge_git::{ChangeKind, CommitInfo, Comparison, Divergence, Operation, Status as WorktreeStatus};
pub use forge_store::{Answered, BadUrl, PostgresUrl};
pub use images::{MOST_IMAGE_BYTES, Upload};
pub use metrics::{Durations, Measured, OpenStream, StreamKind};
pub use output::{Chunk, Output, OutputStream, Resumed};
pub use pool::PoolOptions;
pub use projects::Branch;
pub use recent::Told;
pub use runs::{StartRun, StartedRun};
pub use search::{Found, Matched, SearchScope};
pub use slots::Limits;
pub use snapshots::{Occasion, Snapshot};
