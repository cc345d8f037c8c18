//! One git invocation: its environment, its streams, its verdict.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::blocked::{Folders, unless_blocked};
use crate::environment::passed_on;
use crate::lock::Hold;
use crate::{Error, Git, Result};

/// Variables that would point git at another repository, index or object store than the one named.
pub const FOREIGN: [&str; 20] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DIR",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REFLOG_ACTION",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// How git's complaint ends when a file cannot grow: the disk is full, the user's share of it is, or a file has the
/// size that files may have.
const NO_ROOM: [&str; 3] = ["No space left on device", "quota exceeded", "File too large"];
/// How it begins where git does not tell why something could not be written.
const NOT_WRITTEN: [&str; 3] = [
    "error: unable to write file ",
    "fatal: unable to write new index file",
    "fatal: Unable to write new index file",
];

/// Git's complaints about files of the repository that cannot be read, the settings among them.
const DAMAGED: [&str; 10] = [
    "fatal: bad config",
    "index file smaller than expected",
    "index file corrupt",
    "bad signature 0x",
    "fatal: missing object",
    "fatal: bad object",
    "too-short tree",
    "malformed mode in tree",
    "empty filename in tree",
    "error: invalid path '",
];

/// Complaints of shells and git about a filter whose program is not installed.
const LFS_MISSING: [&str; 6] = [
    "git-lfs: not found",
    "git-lfs: command not found",
    "command not found: git-lfs",
    "git-lfs: No such file or directory",
    "cannot run git-lfs",
    "'lfs' is not a git command",
];

/// How long a git may take to remove its locks when it is ended.
const TO_TIDY_UP: Duration = Duration::from_secs(1);

/// A list of protocols that has none.
const NO_PROTOCOL: &str = "none";

/// An invocation being put together.
pub(crate) struct Call {
    command: Command,
    shown: String,
    dir: PathBuf,
    places: Arc<Semaphore>,
    /// For a git that runs filters.
    filtering_places: Arc<Semaphore>,
    deadline: Duration,
    programs_deadline: Duration,
    stop: CancellationToken,
    /// Whether it is killed, with all that it runs, when the caller is dropped.
    ends_with_caller: bool,
    /// How many settings its environment has.
    settings: usize,
}

/// What a git that ran left behind.
pub(crate) struct Output {
    shown: String,
    dir: PathBuf,
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Git {
    /// A git to run in `dir`.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that starts git")]
    pub(crate) fn call(&self, dir: &Path) -> Call {
        let mut command = Command::new("git");
        command.env_clear().envs(passed_on());
        command.current_dir(dir).env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").envs(self.env());
        // Files of a repository say where to fetch missing objects from, and by which program. Git 2.41 does not know the
        // first variable.
        command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", NO_PROTOCOL);
        // Files of a repository name no program that watches it, and git enters no repository but the one it is run in.
        command.args(["-c", "core.fsmonitor=false", "-c", "submodule.recurse=false"]);
        let settings = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok());
        Call {
            command,
            shown: "git".to_owned(),
            dir: dir.to_owned(),
            places: self.places(),
            filtering_places: self.filtering_places(),
            deadline: self.deadline(),
            programs_deadline: self.programs_deadline(),
            stop: self.stop().clone(),
            ends_with_caller: false,
            settings: settings.unwrap_or(0),
        }
    }
}

impl Call {
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.shown.push(' ');
        self.shown.push_str(&arg.as_ref().to_string_lossy());
        self.command.arg(arg);
        self
    }

    pub(crate) fn args<I: IntoIterator<Item: AsRef<OsStr>>>(self, args: I) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Says that git runs filters to look at files. Others do not wait for those.
    pub(crate) fn filtering(mut self) -> Self {
        self.places = Arc::clone(&self.filtering_places);
        self
    }

    /// Lets git fetch over these protocols, missing objects too.
    pub(crate) fn fetching(mut self, protocols: &str) -> Self {
        self.command.env("GIT_ALLOW_PROTOCOL", protocols).env("GIT_NO_LAZY_FETCH", "0");
        self
    }

    /// Lets the programs that git runs fetch over the protocols that the user allows; git itself still fetches no
    /// missing objects.
    pub(crate) fn for_hooks(mut self) -> Self {
        match std::env::var_os("GIT_ALLOW_PROTOCOL") {
            Some(allowed) => self.command.env("GIT_ALLOW_PROTOCOL", allowed),
            None => self.command.env_remove("GIT_ALLOW_PROTOCOL"),
        };
        self
    }

    /// Adds a setting that wins over those of every file.
    pub(crate) fn setting(mut self, key: &str, value: &str) -> Self {
        self.command.env(format!("GIT_CONFIG_KEY_{}", self.settings), key);
        self.command.env(format!("GIT_CONFIG_VALUE_{}", self.settings), value);
        self.settings += 1;
        self.command.env("GIT_CONFIG_COUNT", self.settings.to_string());
        self
    }

    /// Ends with the caller even if it changes something: for what nobody misses when it is half done.
    pub(crate) fn ends_with_caller(mut self) -> Self {
        self.ends_with_caller = true;
        self
    }

    /// Runs a command that changes nothing; it and what it runs end with the caller, and when told to stop.
    pub(crate) async fn read(mut self) -> Result<Output> {
        self.command.env("GIT_OPTIONAL_LOCKS", "0").stdin(Stdio::null()).process_group(0);
        self.ends_with_caller = true;
        let stop = self.stop.clone();
        self.run(&stop).await
    }

    /// Like [`Call::read`], with something to read for git.
    pub(crate) async fn read_fed(mut self, input: Vec<u8>) -> Result<Output> {
        let places = Arc::clone(&self.places);
        let _place = places.acquire().await.map_err(|_closed| Error::ShuttingDown)?;
        self.command.process_group(0);
        let mut git = self.piped(Stdio::piped())?;
        let (id, feed) = (git.id(), git.stdin.take());
        let mut group = Group(id);
        let feeding = async move {
            if let Some(mut stdin) = feed {
                // A git that does not want all of it says why when it ends.
                drop(stdin.write_all(&input).await);
            }
        };
        let done = async { tokio::join!(git.wait_with_output(), feeding).0 };
        let output = self.in_time(id, done, &self.stop).await;
        group.0 = None;
        let output = output?.map_err(|source| self.not_run(source))?;
        Ok(Output {
            shown: self.shown,
            dir: self.dir,
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Starts a command that changes nothing and is talked with; it ends with the caller.
    pub(crate) fn piped(&mut self, stderr: Stdio) -> Result<Child> {
        self.command.env("GIT_OPTIONAL_LOCKS", "0").kill_on_drop(true);
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr);
        self.command.spawn().map_err(|source| self.not_run(source))
    }

    /// Runs a command that changes something. It outlives the caller and a Ctrl-C in the server's
    /// terminal, and holds the lock as long as it lives.
    pub(crate) async fn write(mut self, hold: &Hold) -> Result<Output> {
        self.command.stdin(hold.stdin()?).process_group(0);
        self.run(&CancellationToken::new()).await
    }

    /// Like [`Call::write`], for commands that run the user's programs (hooks, filters, signing).
    ///
    /// Those speak the user's language, and may leave something running that keeps our pipe open:
    /// output goes to a file, so that the end of git is the end of the wait. Git and what it runs are ended when they
    /// take too long, and when told to stop.
    pub(crate) async fn write_with_hooks(mut self, hold: &Hold) -> Result<Output> {
        let failed = |shown: &str| {
            let command = shown.to_owned();
            |source| Error::Run { command, source }
        };
        let mut file = sheet().map_err(failed(&self.shown))?;
        let copies = file.try_clone().and_then(|out| Ok((out, file.try_clone()?)));
        let (out, err) = copies.map_err(failed(&self.shown))?;
        self.command.stdin(hold.stdin()?).process_group(0).stdout(out).stderr(err);
        self.command.env_remove("LC_ALL").env("LANGUAGE", "en");
        if let Some(locale) = std::env::var_os("LC_ALL") {
            self.command.env("LC_ALL", locale);
        }
        self.command.kill_on_drop(self.ends_with_caller);
        let mut git = self.command.spawn().map_err(|source| self.not_run(source))?;
        let mut group = Group(git.id().filter(|_| self.ends_with_caller));
        let folders = self.folders();
        let ended = async {
            tokio::select! {
                status = unless_blocked(&folders, git.wait()) => status,
                () = self.stop.cancelled() => Err(Error::Stopped),
            }
        };
        let late = |_elapsed| Error::TimedOut { command: self.shown.clone(), limit: self.programs_deadline };
        let ended = tokio::time::timeout(self.programs_deadline, ended).await.map_err(late).flatten();
        group.0 = None;
        let status = match ended {
            Ok(status) => status.map_err(failed(&self.shown))?,
            Err(why) => {
                let status = end(&mut git).await.map_err(failed(&self.shown))?;
                // It may have come to its end just now.
                if !status.success() {
                    return Err(why);
                }
                status
            }
        };
        let mut text = Vec::new();
        file.rewind().and_then(|()| file.read_to_end(&mut text)).map_err(failed(&self.shown))?;
        let stderr = String::from_utf8_lossy(&text).into_owned();
        Ok(Output { shown: self.shown, dir: self.dir, status, stdout: Vec::new(), stderr })
    }

    /// Waits for a place first. Nothing that has one waits for anything but git, so places always come back; what
    /// runs hooks may take as long as these want, and has none, and what runs filters has places of its own.
    async fn run(mut self, stop: &CancellationToken) -> Result<Output> {
        let _place = self.places.acquire().await.map_err(|_closed| Error::ShuttingDown)?;
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command.kill_on_drop(self.ends_with_caller);
        let git = self.command.spawn().map_err(|source| self.not_run(source))?;
        let id = git.id();
        let mut group = Group(id.filter(|_| self.ends_with_caller));
        let output = self.in_time(id, git.wait_with_output(), stop).await;
        group.0 = None;
        let output = output?.map_err(|source| self.not_run(source))?;
        Ok(Output {
            shown: self.shown,
            dir: self.dir,
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Waits for a git, and kills it and what it runs when it takes too long or is told to stop.
    async fn in_time<T>(
        &self,
        id: Option<u32>,
        git: impl Future<Output = T>,
        stop: &CancellationToken,
    ) -> Result<T> {
        let folders = self.folders();
        let done = async {
            tokio::select! {
                done = unless_blocked(&folders, git) => done,
                () = stop.cancelled() => Err(Error::Stopped),
            }
        };
        let done = tokio::time::timeout(self.deadline, done).await;
        let late = |_elapsed| Error::TimedOut { command: self.shown.clone(), limit: self.deadline };
        done.map_err(late).flatten().inspect_err(|_ended| signal_group(id, Signal::KILL))
    }

    /// The folders whose files git reads, as far as they are known here.
    fn folders(&self) -> Folders {
        let named = self.command.as_std().get_envs().filter_map(|(name, value)| {
            let is_folder = ["GIT_DIR", "GIT_COMMON_DIR"].iter().any(|folder| name == *folder);
            value.filter(|_| is_folder).map(PathBuf::from)
        });
        let mut git: Vec<PathBuf> = named.collect();
        if git.is_empty() {
            git.push(self.dir.join(".git"));
        }
        Folders { top: self.dir.clone(), git }
    }

    fn not_run(&self, source: io::Error) -> Error {
        if source.kind() != io::ErrorKind::NotFound {
            Error::Run { command: self.shown.clone(), source }
        } else if self.dir.exists() {
            Error::GitMissing { source }
        } else {
            Error::PathNotFound { path: self.dir.clone() }
        }
    }
}

/// A file for what git says that needs no room on a disk: that the disk is full must not be lost to it.
#[cfg(target_os = "linux")]
fn sheet() -> io::Result<File> {
    Ok(rustix::fs::memfd_create("git", rustix::fs::MemfdFlags::CLOEXEC)?.into())
}

#[cfg(not(target_os = "linux"))]
fn sheet() -> io::Result<File> {
    tempfile::tempfile()
}

/// Ends a git and what it runs, which are a group of their own. Git removes its locks if it is given the time.
async fn end(git: &mut Child) -> io::Result<ExitStatus> {
    let id = git.id();
    signal_group(id, Signal::TERM);
    let ended = tokio::time::timeout(TO_TIDY_UP, git.wait()).await;
    signal_group(id, Signal::KILL);
    match ended {
        Ok(status) => status,
        Err(_elapsed) => git.wait().await,
    }
}

/// A git and what it runs, which are killed when this is dropped; none once git has ended.
struct Group(Option<u32>);

impl Drop for Group {
    fn drop(&mut self) {
        signal_group(self.0, Signal::KILL);
    }
}

/// Sends a signal to a git and what it runs.
fn signal_group(id: Option<u32>, signal: Signal) {
    let group = id.and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    if let Some(group) = group {
        // That they have ended just now is what was wanted.
        let _gone = kill_process_group(group, signal);
    }
}

impl Output {
    /// The output of a success, or the error that every command can meet.
    pub(crate) fn ok(self) -> Result<Self> {
        if self.status.success() { Ok(self) } else { Err(self.into_error()) }
    }

    /// Why it failed, as far as that does not depend on the command.
    pub(crate) fn into_error(self) -> Error {
        if self.met_a_full_disk() {
            return Error::DiskFull { command: self.shown, stderr: self.stderr };
        }
        if self.stderr.contains("detected dubious ownership") {
            return Error::UnsafeOwnership { path: self.dir };
        }
        if self.stderr.contains("not a git repository") {
            return Error::NotARepository { path: self.dir };
        }
        if let Some(path) = lock_in_the_way(&self.stderr) {
            return Error::Locked { path: self.dir.join(path) };
        }
        if LFS_MISSING.iter().any(|words| self.stderr.contains(words)) {
            return Error::LfsMissing { command: self.shown };
        }
        if DAMAGED.iter().any(|words| self.stderr.contains(words)) {
            return Error::Damaged { command: self.shown, stderr: self.stderr };
        }
        Error::Failed { command: self.shown, status: self.status, stderr: self.stderr }
    }

    /// Whether something could not be written for want of room, which may be there the next time.
    pub(crate) fn met_a_full_disk(&self) -> bool {
        // Hooks and filters say what they want; these are git's own lines.
        let own = |line: &&str| line.starts_with("error: ") || line.starts_with("fatal: ");
        let no_room = |line: &str| {
            NO_ROOM.iter().any(|words| line.ends_with(words))
                || NOT_WRITTEN.iter().any(|words| line.starts_with(words))
        };
        self.stderr.lines().filter(own).any(no_room)
    }

    /// Standard output without its last line break.
    pub(crate) fn text(&self) -> Result<&str> {
        let text = str::from_utf8(&self.stdout).map_err(|_invalid| self.unreadable())?;
        Ok(text.strip_suffix('\n').unwrap_or(text))
    }

    /// Standard output as one object name.
    pub(crate) fn oid(&self) -> Result<crate::Oid> {
        self.text()?.parse().map_err(|_invalid| self.unreadable())
    }

    pub(crate) fn unreadable(&self) -> Error {
        Error::Unreadable { command: self.shown.clone() }
    }
}

/// The lock file that git says exists: `Unable to create '/x/index.lock': File exists.` or
/// `could not lock config file .git/config: File exists`.
fn lock_in_the_way(stderr: &str) -> Option<PathBuf> {
    let (before, _) = stderr.split_once(": File exists")?;
    if let Some((_, path)) = before.rsplit_once("Unable to create '") {
        return Some(PathBuf::from(path.trim_end_matches('\'')));
    }
    let (_, config) = before.rsplit_once("could not lock config file ")?;
    Some(PathBuf::from(format!("{config}.lock")))
}
