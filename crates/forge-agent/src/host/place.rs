//! The directory of a process, taken for one host: made, locked, with its spec and its socket.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use super::spec::{LOCK_FILE, SOCKET_FILE, Spec};
use crate::log::LOG_FILE;
use crate::proc;

/// A directory that belongs to one host.
pub(crate) struct Place {
    /// Its one true name, whatever links led to it: by this name the processes in it are found again.
    pub(crate) dir: PathBuf,
    pub(crate) lock: File,
    pub(crate) listener: UnixListener,
}

/// Why a directory could not be taken.
pub(crate) enum Trouble {
    Occupied,
    Io(io::Error),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Place {
    /// Takes a directory in which no process was before.
    pub(crate) fn take(dir: &Path, spec: &Spec) -> Result<Self, Trouble> {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        // Also if it was there before: the socket and the spec are for this user only.
        fs::set_permissions(dir, Permissions::from_mode(0o700))?;
        let dir = dir.canonicalize()?;
        let lock =
            File::options().read(true).write(true).create(true).truncate(false).open(dir.join(LOCK_FILE))?;
        if dir.join(LOG_FILE).try_exists()? {
            return Err(Trouble::Occupied);
        }
        // Waits, since a process that this server is just starting elsewhere has a copy of each open file for a moment,
        // also of this lock from a start that failed before.
        lock.lock()?;
        if dir.join(LOG_FILE).try_exists()? {
            return Err(Trouble::Occupied);
        }
        spec.write(&dir)?;
        match fs::remove_file(dir.join(SOCKET_FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
        let listener = UnixListener::bind(&proc::short_name(&dir, SOCKET_FILE)?.path)?;
        fs::set_permissions(dir.join(SOCKET_FILE), Permissions::from_mode(0o600))?;
        Ok(Self { dir, lock, listener })
    }

    /// A connection to whoever listens here.
    pub(crate) fn connect(&self) -> io::Result<UnixStream> {
        UnixStream::connect(&proc::short_name(&self.dir, SOCKET_FILE)?.path)
    }
}
