//! Systems without `/proc` and subreapers: the program's process group stands for its tree.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use super::{Killed, ShortName};

/// Whether every process of the tree is in the end a child of the host.
pub(crate) const ADOPTS_ORPHANS: bool = false;

/// There is nothing to ask for here.
pub(crate) fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// Sends the kill signal to the program's process group.
pub(crate) fn kill_tree(program: Pid) -> Killed {
    match kill_process_group(program, Signal::KILL) {
        Ok(()) => Killed { sent: 1, refused: 0 },
        Err(Errno::PERM) => Killed { sent: 0, refused: 1 },
        Err(_) => Killed::default(),
    }
}

/// The environment of other processes cannot be read here.
pub(crate) fn kill_marked(_name: &str, _value: &OsStr) -> usize {
    0
}

/// A path of any length, named through a short symbolic link to its directory.
pub(crate) fn long_name(dir: &Path, file: &str) -> io::Result<ShortName> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let link = PathBuf::from(format!("/tmp/forge-{}-{number}", std::process::id()));
    std::os::unix::fs::symlink(dir, &link)?;
    let path = link.join(file);
    Ok(ShortName { path, _keep: Some(Box::new(Link(link))) })
}

struct Link(PathBuf);

impl Drop for Link {
    fn drop(&mut self) {
        // A link that stays behind does no harm.
        let _removed = std::fs::remove_file(&self.0);
    }
}
