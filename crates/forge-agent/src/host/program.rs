//! Starts the program of a process, and says precisely why it could not.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::fs::{Access, access};
use rustix::process::Pid;
use serde::{Deserialize, Serialize};
use tokio::net::unix::pipe;

use super::spec::{Spec, StdinKind};
use super::{DETACHED_VAR, MARK_VAR, SECRETS_VAR};
use crate::proc;

/// A program that runs, and the host's ends of its pipes.
pub(crate) struct Program {
    pub(crate) pid: Pid,
    pub(crate) stdin: Option<pipe::Sender>,
    pub(crate) stdout: pipe::Receiver,
    pub(crate) stderr: pipe::Receiver,
}

/// Why a program could not be started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Failure {
    ProgramNotFound,
    NotExecutable { detail: String },
    BadWorkingDirectory { detail: String },
    Other { detail: String },
}

impl Program {
    /// Starts what `spec` says in a process group of its own, marked as belonging to `dir`.
    #[expect(clippy::disallowed_methods, reason = "this is where agents are started")]
    pub(crate) fn start(spec: &Spec, dir: &Path) -> Result<Self, Failure> {
        check_directory(&spec.cwd)?;
        let mut command = Command::new(&spec.program);
        command.args(&spec.args).current_dir(&spec.cwd).process_group(0);
        for name in &spec.env_remove {
            command.env_remove(name);
        }
        command.envs(spec.env.iter().map(|(name, value)| (name, value)));
        command.env_remove(DETACHED_VAR).env_remove(SECRETS_VAR).env(MARK_VAR, dir);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).stdin(match spec.stdin {
            StdinKind::Piped => Stdio::piped(),
            StdinKind::Null => Stdio::null(),
        });
        let mut child = command.spawn().map_err(|error| refused(spec, &error))?;
        Self::of(&mut child).map_err(|error| {
            // It must not run on unseen. That it is gone already is the only way for this to fail.
            let _killed = child.kill();
            other(&error)
        })
    }

    fn of(child: &mut Child) -> io::Result<Self> {
        let stdin = child.stdin.take().map(|pipe| pipe::Sender::from_owned_fd(OwnedFd::from(pipe)));
        let pipes = (proc::pid_of(child.id()), child.stdout.take(), child.stderr.take());
        let (Some(pid), Some(stdout), Some(stderr)) = pipes else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        Ok(Self {
            pid,
            stdin: stdin.transpose()?,
            stdout: pipe::Receiver::from_owned_fd(stdout.into())?,
            stderr: pipe::Receiver::from_owned_fd(stderr.into())?,
        })
    }
}

fn check_directory(path: &Path) -> Result<(), Failure> {
    let enterable = match path.metadata() {
        Ok(metadata) if metadata.is_dir() => access(path, Access::EXEC_OK).map_err(io::Error::from),
        Ok(_) => Err(io::ErrorKind::NotADirectory.into()),
        Err(error) => Err(error),
    };
    enterable.map_err(|error| Failure::BadWorkingDirectory { detail: error.to_string() })
}

/// Tells the reasons apart that `exec` reports alike: "not found" is also what a missing interpreter gives.
fn refused(spec: &Spec, error: &io::Error) -> Failure {
    let present = named_file(spec).is_some_and(|path| path.exists());
    match error.kind() {
        io::ErrorKind::NotFound if present => {
            Failure::NotExecutable { detail: "its interpreter is missing".into() }
        }
        io::ErrorKind::NotFound => Failure::ProgramNotFound,
        io::ErrorKind::PermissionDenied | io::ErrorKind::ExecutableFileBusy | io::ErrorKind::IsADirectory => {
            Failure::NotExecutable { detail: error.to_string() }
        }
        _ if error.raw_os_error() == Some(rustix::io::Errno::NOEXEC.raw_os_error()) => {
            Failure::NotExecutable { detail: error.to_string() }
        }
        _ => other(error),
    }
}

/// The file that the program names, if it is a path and not a name to look up.
fn named_file(spec: &Spec) -> Option<PathBuf> {
    let path = Path::new(&spec.program);
    (path.file_name() != Some(OsStr::new(&spec.program))).then(|| spec.cwd.join(path))
}

fn other(error: &io::Error) -> Failure {
    Failure::Other { detail: error.to_string() }
}
