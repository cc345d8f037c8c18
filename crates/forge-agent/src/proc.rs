//! What the process host needs of the operating system's process table, and its portable fallback.
//!
//! On Linux the host is the subreaper of everything its program starts: an orphan becomes the host's child, whatever
//! session or group it made for itself, so the tree is found by descent from the host. Elsewhere only the program's
//! process group is known.

use std::io;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod portable;

#[cfg(target_os = "linux")]
pub(crate) use linux::{ADOPTS_ORPHANS, adopt_orphans, kill_marked, kill_tree, long_name};
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::{ADOPTS_ORPHANS, adopt_orphans, kill_marked, kill_tree, long_name};

/// What one round of killing met.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Killed {
    /// Processes that were sent the kill signal.
    pub(crate) sent: usize,
    /// Processes that this user may not kill, such as those of `sudo`.
    pub(crate) refused: usize,
}

/// The longest path that fits a socket address on every system we run on.
const SOCKET_PATH: usize = 100;

/// A name for a path that fits into a socket address; it holds while the value lives.
pub(crate) struct ShortName {
    pub(crate) path: PathBuf,
    _keep: Option<Box<dyn Send>>,
}

/// Names `file` in `dir` for `bind` and `connect`, which take no more than about 100 bytes.
pub(crate) fn short_name(dir: &Path, file: &str) -> io::Result<ShortName> {
    let path = dir.join(file);
    if path.as_os_str().len() <= SOCKET_PATH {
        return Ok(ShortName { path, _keep: None });
    }
    long_name(dir, file)
}

pub(crate) fn pid_of(raw: u32) -> Option<Pid> {
    i32::try_from(raw).ok().and_then(Pid::from_raw)
}
