//! Starts process hosts.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as StdUnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tokio::net::UnixStream;
use tokio_util::task::TaskTracker;

use super::connection::{Connection, First, greet};
use crate::host::{Failure, Place, Spec, Trouble};

/// How process hosts are started.
#[derive(Debug, Clone)]
pub struct Launcher {
    /// The program and its first arguments; the directory of the process follows as the last one.
    pub command: Vec<OsString>,
    /// Keeps count of the tasks that listen to hosts. They end with their process, or when nobody holds its
    /// [`Connection`] any more.
    pub tasks: TaskTracker,
}

/// Why a process could not be started. Nothing of it is left running.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    #[error("the program `{}` was not found", .program.display())]
    ProgramNotFound { program: OsString },
    #[error("the program `{}` cannot be executed: {detail}", .program.display())]
    NotExecutable { program: OsString, detail: String },
    #[error("{} cannot be the working directory: {detail}", .path.display())]
    BadWorkingDirectory { path: PathBuf, detail: String },
    #[error("{} already belongs to a process", .dir.display())]
    Occupied { dir: PathBuf },
    #[error("the process host failed: {detail}")]
    HostFailed { detail: String },
    #[error("the process directory {} could not be prepared", .dir.display())]
    Prepare {
        dir: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Launcher {
    /// Starts `spec` as the process of directory `dir`, which is made if need be. Returns when the program runs.
    ///
    /// The start is carried through even if the returned future is dropped; [`find`](super::find()) tells what became
    /// of it.
    pub async fn start(&self, dir: &Path, spec: &Spec) -> Result<Connection, StartError> {
        let (command, at, what) = (self.command.clone(), dir.to_owned(), spec.clone());
        let launched = tokio::task::spawn_blocking(move || launch(&command, &at, &what)).await;
        let failed = |detail| StartError::HostFailed { detail };
        let Launched { dir, socket, last_words } = launched.map_err(|error| failed(error.to_string()))??;
        let first = match UnixStream::from_std(socket) {
            Ok(stream) => greet(stream).await,
            Err(error) => Err(error),
        };
        match first {
            Ok(First::Runs(stream, status)) => Ok(Connection::open(&self.tasks, dir, stream, status)),
            Ok(First::Failed(failure)) => Err(start_error(failure, spec)),
            Ok(First::Gone) => Err(failed(last_words)),
            Err(error) => Err(failed(format!("{error}; {last_words}"))),
        }
    }
}

struct Launched {
    dir: PathBuf,
    socket: StdUnixStream,
    last_words: String,
}

/// Prepares the directory, starts the host and waits until it has started the program or given up.
#[expect(clippy::disallowed_methods, reason = "this is where process hosts are started")]
fn launch(command: &[OsString], dir: &Path, spec: &Spec) -> Result<Launched, StartError> {
    let Some((program, args)) = command.split_first() else {
        return Err(StartError::HostFailed { detail: "no host command is configured".to_owned() });
    };
    let unwritten = spec.unwritten().map_err(|source| StartError::Prepare { dir: dir.to_owned(), source })?;
    let trouble = |trouble| match trouble {
        Trouble::Occupied => StartError::Occupied { dir: dir.to_owned() },
        Trouble::Io(source) => StartError::Prepare { dir: dir.to_owned(), source },
    };
    let place = Place::take(dir, spec).map_err(trouble)?;
    let socket = place.connect().map_err(|source| trouble(source.into()))?;
    socket.set_nonblocking(true).map_err(|source| trouble(source.into()))?;
    let Place { dir, lock, listener } = place;
    let mut command = Command::new(program);
    command.args(args).arg(&dir).envs(unwritten);
    command.stdin(Stdio::from(lock)).stdout(Stdio::from(OwnedFd::from(listener))).stderr(Stdio::piped());
    let started = command.spawn();
    // The host alone holds lock and socket from here on: when it goes, both say so.
    drop(command);
    let failed = |error: io::Error| StartError::HostFailed { detail: error.to_string() };
    let mut first = started.map_err(failed)?;
    let mut words = Vec::new();
    if let Some(mut stderr) = first.stderr.take() {
        stderr.read_to_end(&mut words).map_err(failed)?;
    }
    let status = first.wait().map_err(failed)?;
    let mut last_words = String::from_utf8_lossy(&words).trim().to_owned();
    if last_words.is_empty() {
        last_words = format!("it ended early ({status})");
    }
    Ok(Launched { dir, socket, last_words })
}

fn start_error(failure: Failure, spec: &Spec) -> StartError {
    let program = spec.program.clone();
    match failure {
        Failure::ProgramNotFound => StartError::ProgramNotFound { program },
        Failure::NotExecutable { detail } => StartError::NotExecutable { program, detail },
        Failure::BadWorkingDirectory { detail } => {
            StartError::BadWorkingDirectory { path: spec.cwd.clone(), detail }
        }
        Failure::Other { detail } => StartError::HostFailed { detail },
    }
}
