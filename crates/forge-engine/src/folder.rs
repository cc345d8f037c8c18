//! The data folder: where everything lies that Forge makes, and the lock that says whose it is.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use forge_model::{AttemptId, ProcessId, ProjectId};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use crate::error::{Error, Result};

/// How long a dead server's lock may still be there, on the busiest machine.
const PATIENCE: Duration = Duration::from_secs(10);

/// The data folder, held by this server alone.
#[derive(Debug)]
pub(crate) struct Folder {
    root: PathBuf,
    worktrees: PathBuf,
    /// Held as long as the server lives; the system lets go of it even after `kill -9`.
    _lock: File,
}

impl Folder {
    /// Makes the folder where it is missing and takes it.
    pub(crate) fn take(root: &Path, worktrees: &Path) -> Result<Self> {
        make(root)?;
        let lock = lock(root)?;
        let folder = Self { root: root.to_owned(), worktrees: worktrees.to_owned(), _lock: lock };
        for part in [folder.processes(), folder.images(), folder.trash()] {
            make(&part)?;
        }
        Ok(folder)
    }

    pub(crate) fn processes(&self) -> PathBuf {
        self.root.join("processes")
    }

    pub(crate) fn process(&self, id: ProcessId) -> PathBuf {
        self.processes().join(id.to_string())
    }

    pub(crate) fn images(&self) -> PathBuf {
        self.root.join("images")
    }

    /// Where images are while they come.
    pub(crate) fn incoming_images(&self) -> PathBuf {
        self.images().join(".incoming")
    }

    /// What was removed and waits to be deleted in the background. On the data folder's filesystem, which may not be
    /// the worktrees': those have a trash of their own.
    pub(crate) fn trash(&self) -> PathBuf {
        self.root.join("trash")
    }

    pub(crate) fn worktrees(&self) -> &Path {
        &self.worktrees
    }

    /// Worktrees that are made in advance; beside the others, because a claim is a rename.
    pub(crate) fn pool(&self) -> PathBuf {
        self.worktrees.join(".pool")
    }

    /// Records of the programs that git may run in worktrees.
    pub(crate) fn records(&self) -> PathBuf {
        self.root.join("programs")
    }

    /// A folder for an attempt's temporary files.
    pub(crate) fn tmp(&self, id: AttemptId) -> PathBuf {
        self.root.join("tmp").join(id.to_string())
    }

    /// The record of the files that were not copied to an attempt's worktree.
    pub(crate) fn not_copied(&self, id: AttemptId) -> PathBuf {
        self.root.join("not-copied").join(format!("{id}.json"))
    }

    /// A folder for what a project's attempts may share, such as a build cache.
    pub(crate) fn cache(&self, id: ProjectId) -> PathBuf {
        self.root.join("cache").join(id.to_string())
    }
}

/// Where worktrees of a folder wait to be deleted.
pub(crate) fn worktree_trash(worktrees: &Path) -> PathBuf {
    worktrees.join(".trash")
}

/// Makes a folder that only its owner may read.
pub(crate) fn make(path: &Path) -> Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|source| {
        let message = format!("the folder {} cannot be made: {source}", path.display());
        Error::lacking(&message).unwrap_or_else(|| {
            Error::unavailable("folder_not_writable", message)
                .hint("see who owns it and whether the disk is full, or choose another place")
        })
    })
}

/// Takes the data folder's lock.
pub(crate) fn lock(root: &Path) -> Result<File> {
    let path = root.join("lock");
    let failed = |source: std::io::Error| {
        Error::unavailable("folder_not_writable", format!("{} cannot be written: {source}", path.display()))
            .hint("see who owns the data folder, or choose another with --data")
    };
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let mut file = options.open(&path).map_err(failed)?;
    if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
        let holder = holder(&mut file);
        let left = holder.is_some_and(is_dead).then(|| file.try_clone().map_err(failed)).transpose()?;
        if !left.is_some_and(is_let_go) {
            let holder = holder.map(|pid| format!(" (process {pid})")).unwrap_or_default();
            let message = format!("another forge server{holder} uses the data folder {}", root.display());
            return Err(Error::conflict("data_folder_in_use", message)
                .hint("stop that server, or give this one a folder of its own with --data"));
        }
    }
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| write!(file, "{}", std::process::id()))
        .map_err(failed)?;
    Ok(file)
}

/// Whether a server has the data folder, which is not known from the port that it wrote there: one that was killed leaves
/// that behind, and anybody may listen on it since.
#[must_use]
pub fn is_served(root: &Path) -> bool {
    let Ok(mut file) = File::open(root.join("lock")) else { return false };
    match holder(&mut file) {
        None => false,
        Some(pid) if !is_dead(pid) => true,
        // The number says nothing here if the owner lives in another container. Whoever starts meanwhile waits for a
        // lock whose owner is dead, so this one is in nobody's way.
        Some(_) => flock(&file, FlockOperation::NonBlockingLockShared).is_err(),
    }
}

/// Who wrote its number into the lock. Whose lock it is, the system knows; the number is told to people, and tells whether
/// that one lives.
fn holder(lock: &mut File) -> Option<i32> {
    let mut holder = String::new();
    lock.read_to_string(&mut holder).ok()?;
    holder.trim().parse().ok()
}

/// Waits for a lock whose owner is dead. One that was killed while it started a program leaves a child that has the
/// lock too, until it becomes that program, which is a moment. It takes longer if the number only says nothing here,
/// because the owner lives in another container.
fn is_let_go(file: File) -> bool {
    let (told, heard) = mpsc::channel();
    std::thread::spawn(move || {
        // Nobody listens any more when it took too long.
        told.send(flock(&file, FlockOperation::LockExclusive).is_ok()).ok();
    });
    heard.recv_timeout(PATIENCE).unwrap_or(false)
}

fn is_dead(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_served_while_somebody_has_its_lock() {
        #[expect(clippy::disallowed_methods, reason = "somebody who has ended")]
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let root = tempfile::tempdir().unwrap();
        assert!(!is_served(root.path()), "there is no lock");
        let path = root.path().join("lock");
        fs::write(&path, "").unwrap();
        assert!(!is_served(root.path()), "nobody is named");
        fs::write(&path, ended.id().to_string()).unwrap();
        assert!(!is_served(root.path()), "whoever had it is gone");
        let elsewhere = File::open(&path).unwrap();
        flock(&elsewhere, FlockOperation::LockExclusive).unwrap();
        assert!(is_served(root.path()), "whoever has it is one whose number says nothing here");
        drop(elsewhere);
        let _ours = lock(root.path()).unwrap();
        assert!(is_served(root.path()));
    }

    #[test]
    fn what_a_killed_server_had_just_forked_is_waited_for() {
        #[expect(clippy::disallowed_methods, reason = "somebody who has ended")]
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("lock");
        fs::write(&path, ended.id().to_string()).unwrap();
        let child = File::open(&path).unwrap();
        flock(&child, FlockOperation::LockExclusive).unwrap();
        let (asked, heard) = mpsc::channel();
        let leaving = std::thread::spawn(move || {
            heard.recv().unwrap();
            drop(child);
        });
        asked.send(()).unwrap();
        Folder::take(root.path(), &root.path().join("w")).unwrap();
        leaving.join().unwrap();
    }

    #[test]
    fn a_second_server_is_refused_and_told_whom_to_stop() {
        let root = tempfile::tempdir().unwrap();
        let first = Folder::take(root.path(), &root.path().join("w")).unwrap();
        let error = Folder::take(root.path(), &root.path().join("w")).unwrap_err();
        assert_eq!(error.code(), "data_folder_in_use");
        assert!(error.to_string().contains(&std::process::id().to_string()), "{error}");
        drop(first);
        Folder::take(root.path(), &root.path().join("w")).unwrap();
    }
}
