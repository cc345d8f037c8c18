//! A file lock that the git we start holds too.
//!
//! The lock's file is handed to git as its (empty) standard input. An advisory lock belongs to the
//! open file, so it stays taken until that git has ended, even when this process was killed before.
//! That is how recovery knows that nothing of a crashed start is still at work: it takes the lock.

use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::{Error, Result};

/// A held lock; dropping it releases it once every git started under it has ended.
pub(crate) struct Hold {
    file: File,
    path: PathBuf,
}

#[derive(Clone, Copy)]
enum Mode {
    Shared,
    Exclusive,
}

impl Hold {
    /// Taken by many at once, but never beside an exclusive one.
    pub(crate) async fn shared(path: &Path) -> Result<Self> {
        Self::take(path, Mode::Shared).await
    }

    /// Taken by one alone.
    pub(crate) async fn exclusive(path: &Path) -> Result<Self> {
        Self::take(path, Mode::Exclusive).await
    }

    async fn take(path: &Path, mode: Mode) -> Result<Self> {
        let file = open(path).map_err(Error::io("open the lock", path))?;
        let attempt = match mode {
            Mode::Shared => file.try_lock_shared(),
            Mode::Exclusive => file.try_lock(),
        };
        let file = match attempt {
            Ok(()) => file,
            Err(TryLockError::WouldBlock) => {
                // Waiting is the kernel's; it happens only beside another Forge or during recovery.
                tokio::task::spawn_blocking(move || wait(&file, mode).map(|()| file))
                    .await
                    .map_err(|_stopped| Error::ShuttingDown)?
                    .map_err(Error::io("lock", path))?
            }
            Err(TryLockError::Error(source)) => return Err(Error::io("lock", path)(source)),
        };
        Ok(Self { file, path: path.to_owned() })
    }

    /// Standard input for a git that works under this lock.
    pub(crate) fn stdin(&self) -> Result<Stdio> {
        let file = self.file.try_clone().map_err(Error::io("share the lock", &self.path))?;
        Ok(Stdio::from(file))
    }
}

/// Opens the lock's file. It may be in the hands of an agent: what stands in its place, such as a link or a pipe, is
/// removed.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).custom_flags(OFlags::NOFOLLOW.bits() as i32);
    match options.open(path) {
        Ok(file) if file.metadata()?.is_file() => return Ok(file),
        Err(error) if error.raw_os_error() != Some(Errno::LOOP.raw_os_error()) => return Err(error),
        _ => fs::remove_file(path)?,
    }
    options.open(path)
}

fn wait(file: &File, mode: Mode) -> io::Result<()> {
    loop {
        let taken = match mode {
            Mode::Shared => file.lock_shared(),
            Mode::Exclusive => file.lock(),
        };
        match taken {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}
