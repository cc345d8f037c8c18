//! The git program on this machine.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Mutex as Turn, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::{Error, Result};

/// Oldest git that has everything we use.
const OLDEST: (u32, u32) = (2, 41);

/// The largest untracked file that is saved where nobody says otherwise.
const LARGEST_UNTRACKED: u64 = 100 * 1024 * 1024;

/// Far more than any git takes that runs none of the user's programs.
const DEADLINE: Duration = Duration::from_secs(5 * 60);

/// More than hooks that run tests, and filters that fetch large files, should take.
const PROGRAMS_DEADLINE: Duration = Duration::from_secs(30 * 60);

/// How many run at once on a machine with one core.
const FEWEST_AT_ONCE: usize = 2;

/// How many run filters at once while they look at files.
const FILTERING_AT_ONCE: usize = 16;

/// The `git` program; cheap to clone.
#[derive(Clone, Debug)]
pub struct Git {
    inner: Arc<Inner>,
    /// Ends what runs the user's programs.
    stop: CancellationToken,
}

/// How git is used on this machine.
#[derive(Clone, Debug)]
pub struct GitOptions {
    /// Variables that every git gets on top of those that are passed on to it.
    pub env: Vec<(OsString, OsString)>,
    /// A folder for what is recorded of worktrees, where no worktree can write; none is the repositories' own folders.
    pub records: Option<PathBuf>,
    /// The largest untracked file that is saved and committed, in bytes.
    pub largest_untracked: u64,
    /// How long a git may take that runs none of the user's programs; it is ended then.
    pub deadline: Duration,
    /// How long a git may take that runs hooks, filters or other programs of the user's; it is ended then.
    pub programs_deadline: Duration,
}

impl Default for GitOptions {
    fn default() -> Self {
        Self {
            env: Vec::new(),
            records: None,
            largest_untracked: LARGEST_UNTRACKED,
            deadline: DEADLINE,
            programs_deadline: PROGRAMS_DEADLINE,
        }
    }
}

#[derive(Debug)]
struct Inner {
    options: GitOptions,
    operations: TaskTracker,
    turns: Mutex<HashMap<PathBuf, Weak<Turn<()>>>>,
    /// As many run at once as there are cores: more would only take these from each other, and from who waits for an
    /// answer that needs no git.
    places: Arc<Semaphore>,
    /// For those that run filters, which may hang: nothing else waits for these.
    filtering: Arc<Semaphore>,
}

impl Git {
    /// Finds git on PATH and checks its version.
    pub async fn find() -> Result<Self> {
        Self::find_with(GitOptions::default()).await
    }

    /// Like [`Git::find`], with variables that every git gets on top of this process's environment.
    pub async fn find_with_env(env: impl IntoIterator<Item = (OsString, OsString)>) -> Result<Self> {
        Self::find_with(GitOptions { env: env.into_iter().collect(), ..GitOptions::default() }).await
    }

    /// Like [`Git::find`], with options.
    pub async fn find_with(options: GitOptions) -> Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let inner = Inner {
            options,
            operations: TaskTracker::new(),
            turns: Mutex::default(),
            places: Arc::new(Semaphore::new(cores.max(FEWEST_AT_ONCE))),
            filtering: Arc::new(Semaphore::new(FILTERING_AT_ONCE)),
        };
        let git = Self { inner: Arc::new(inner), stop: CancellationToken::new() };
        git.version().await?;
        Ok(git)
    }

    /// What the program calls its version, which is not too old.
    pub async fn version(&self) -> Result<String> {
        let output = self.call(Path::new("/")).arg("--version").read().await?.ok()?;
        let found = output.text()?.trim().trim_start_matches("git version ").to_owned();
        match parse_version(&found) {
            Some(version) if version >= OLDEST => Ok(found),
            Some(_) => Err(Error::GitTooOld { found }),
            None => Err(output.unreadable()),
        }
    }

    /// Waits until every change under way has come to its end; new ones may still be started.
    pub async fn finish(&self) {
        self.inner.operations.close();
        self.inner.operations.wait().await;
    }

    pub(crate) fn places(&self) -> Arc<Semaphore> {
        Arc::clone(&self.inner.places)
    }

    pub(crate) fn filtering_places(&self) -> Arc<Semaphore> {
        Arc::clone(&self.inner.filtering)
    }

    pub(crate) fn env(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.inner.options.env.iter().map(|(name, value)| (name, value))
    }

    pub(crate) fn records(&self) -> Option<&Path> {
        self.inner.options.records.as_deref()
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.inner.options.deadline
    }

    pub(crate) fn programs_deadline(&self) -> Duration {
        self.inner.options.programs_deadline
    }

    /// The same git; what runs the user's programs is killed when it is told to stop.
    pub(crate) fn until(&self, stop: &CancellationToken) -> Self {
        Self { inner: Arc::clone(&self.inner), stop: stop.clone() }
    }

    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.stop
    }

    /// Waits for a future that is safe to drop; fails with [`Error::Stopped`] when told to stop.
    pub(crate) async fn unless_stopped<T>(&self, wait: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            done = wait => done,
            () = self.stop.cancelled() => Err(Error::Stopped),
        }
    }

    pub(crate) fn largest_untracked(&self) -> u64 {
        self.inner.options.largest_untracked
    }

    /// Runs a change to its end, whether or not the caller still waits for it.
    pub(crate) async fn see_through<T: Send + 'static>(
        &self,
        change: impl Future<Output = Result<T>> + Send + 'static,
    ) -> Result<T> {
        match self.inner.operations.spawn(change).await {
            Ok(result) => result,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_cancelled) => Err(Error::ShuttingDown),
        }
    }

    /// The turn that changes of one repository take which git cannot do beside each other.
    pub(crate) fn turn(&self, common_dir: &Path) -> Arc<Turn<()>> {
        let mut turns = self.inner.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turn) = turns.get(common_dir).and_then(Weak::upgrade) {
            return turn;
        }
        turns.retain(|_, turn| turn.strong_count() > 0);
        let turn = Arc::new(Turn::new(()));
        turns.insert(common_dir.to_owned(), Arc::downgrade(&turn));
        turn
    }
}

fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_all_vendors_are_understood() {
        assert_eq!(parse_version("2.47.3"), Some((2, 47)));
        assert_eq!(parse_version("2.39.5 (Apple Git-154)"), Some((2, 39)));
        assert_eq!(parse_version("2.45.1.windows.1"), Some((2, 45)));
        assert_eq!(parse_version("two"), None);
    }
}
