//! Finds out what became of a process: the question a server asks of every directory when it starts.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::UnixStream;
use tokio_util::task::TaskTracker;

use super::connection::{Connection, First, greet};
use crate::host::{CONTINUED_FILE, End, LOCK_FILE, MARK_VAR, SOCKET_FILE, Status, mark_of};
use crate::log::{LOG_FILE, LogError, LogReader, Stream};
use crate::proc;

/// How long a host may take to answer. One that is frozen must not keep anybody waiting for ever.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long to wait before a host that holds its lock and does not talk is asked again: at first, and at most.
const ASK_AGAIN: [Duration; 2] = [Duration::from_millis(5), Duration::from_secs(1)];

/// How much of a log is read at once.
const PAGE: usize = 1024 * 1024;

/// What became of a process.
#[derive(Debug)]
pub enum Found {
    Running(Connection),
    Ended(End),
    /// Its host is gone and left no result: how it ended is not known.
    Lost,
    /// The program was never run.
    NeverStarted,
}

/// The directory of a process could not be examined.
#[derive(Debug, thiserror::Error)]
#[error("the process directory {} cannot be examined", .dir.display())]
pub struct FindError {
    pub dir: PathBuf,
    #[source]
    pub source: io::Error,
}

/// Finds out what became of the process of directory `dir`, and attaches to it if it runs. A task of `tasks` listens then.
pub async fn find(tasks: &TaskTracker, dir: &Path) -> Result<Found, FindError> {
    let failed = |source| FindError { dir: dir.to_owned(), source };
    let dir = true_name(dir).map_err(failed)?;
    let silent = |_elapsed| io::Error::new(io::ErrorKind::TimedOut, "its host does not answer");
    let looked = tokio::time::timeout(PATIENCE, look(&dir)).await.map_err(silent).and_then(|looked| looked);
    Ok(match looked.map_err(failed)? {
        Sight::Running(stream, status) => Found::Running(Connection::open(tasks, dir, stream, status)),
        Sight::Ended(end) => Found::Ended(end),
        Sight::Lost => Found::Lost,
        Sight::NeverStarted => Found::NeverStarted,
    })
}

/// Kills what a lost host may have left running, and returns the number of processes killed.
///
/// A host that was killed cannot end its tree; before anything else runs in the same place this must be called. Found
/// are the processes that carry the host's mark in their environment (Linux only).
pub async fn kill_remains(dir: &Path) -> Result<usize, FindError> {
    let failed = |source| FindError { dir: dir.to_owned(), source };
    let mark = mark_of(&true_name(dir).map_err(failed)?).map_err(failed)?;
    let killed = tokio::task::spawn_blocking(move || proc::kill_marked(MARK_VAR, &mark)).await;
    killed.map_err(|error| failed(error.into()))
}

/// The name of a directory that its host was given, whatever links lead to it.
fn true_name(dir: &Path) -> io::Result<PathBuf> {
    match dir.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::path::absolute(dir),
        result => result,
    }
}

/// [`Found`] before anyone listens.
pub(super) enum Sight {
    Running(UnixStream, Status),
    Ended(End),
    Lost,
    NeverStarted,
}

pub(super) async fn look(dir: &Path) -> io::Result<Sight> {
    let [mut pause, longest] = ASK_AGAIN;
    loop {
        if let Some(end) = recorded(dir)? {
            return Ok(Sight::Ended(end));
        }
        if !is_locked(dir)? {
            // The result is written under the lock, so one that was missing may have come meanwhile.
            return Ok(match recorded(dir)? {
                Some(end) => Sight::Ended(end),
                None if dir.join(LOG_FILE).try_exists()? => Sight::Lost,
                None => Sight::NeverStarted,
            });
        }
        if let Ok(stream) = connect(dir).await
            && let Ok(First::Runs(stream, status)) = greet(stream).await
        {
            return Ok(Sight::Running(stream, status));
        }
        // It holds the lock but does not talk: it is on its way out. To wait for the lock takes a thread that nobody can
        // call off, which a frozen host would hold for ever.
        #[expect(clippy::disallowed_methods, reason = "only a thread could wait for the lock")]
        tokio::time::sleep(pause).await;
        pause = longest.min(pause * 2);
    }
}

/// The result, if there is one that can be read: how a process ended whose result cannot be is not known.
fn recorded(dir: &Path) -> io::Result<Option<End>> {
    match End::find(dir) {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) => {
            tracing::warn!(dir = %dir.display(), %error, "the result of the process in {} cannot be read", dir.display());
            Ok(None)
        }
        found => found,
    }
}

/// Whether the program of `dir` was started in another directory, goes on in this one, and was not told anything here.
#[must_use]
pub fn is_idle(dir: &Path) -> bool {
    // Nobody knows what a program was told whose log cannot be read.
    dir.join(CONTINUED_FILE).exists() && matches!(was_told(dir), Ok(false) | Err(LogError::Missing { .. }))
}

/// Whether anything was written to the program's standard input.
fn was_told(dir: &Path) -> Result<bool, LogError> {
    let (mut log, mut seq) = (LogReader::open(dir)?, 0);
    loop {
        let page = log.read_after(seq, PAGE)?;
        if page.frames.is_empty() {
            return Ok(false);
        }
        if page.frames.iter().any(|frame| frame.stream == Stream::Stdin) {
            return Ok(true);
        }
        seq = page.next;
    }
}

fn is_locked(dir: &Path) -> io::Result<bool> {
    let lock = match File::open(dir.join(LOCK_FILE)) {
        Ok(lock) => lock,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    match lock.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

async fn connect(dir: &Path) -> io::Result<UnixStream> {
    let name = proc::short_name(dir, SOCKET_FILE)?;
    UnixStream::connect(&name.path).await
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn silent_hosts_hold_no_threads() {
        let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
        let (folder, tasks, before) = (tempfile::tempdir().unwrap(), TaskTracker::new(), threads());
        let (mut held, mut found) = (Vec::new(), tokio::task::JoinSet::new());
        for number in 0..8 {
            let dir = folder.path().join(number.to_string());
            std::fs::create_dir(&dir).unwrap();
            let lock = File::create(dir.join(LOCK_FILE)).unwrap();
            lock.lock().unwrap();
            held.push(lock);
            let tasks = tasks.clone();
            found.spawn(async move { find(&tasks, &dir).await });
        }
        for found in found.join_all().await {
            assert_eq!(found.unwrap_err().source.kind(), io::ErrorKind::TimedOut);
        }
        assert!(threads() < before + 8, "{before} → {} threads", threads());
        // One that goes after a while is noticed.
        let dir = folder.path().join("0");
        let gone = find(&tasks, &dir);
        let (gone, ()) = tokio::join!(gone, async { drop(held.remove(0)) });
        assert!(matches!(gone, Ok(Found::NeverStarted)), "{gone:?}");
    }
}
