//! The process host: a small program of its own that runs one process and outlives the server.
//!
//! The server starts it with three things in its hands: the lock of the directory (as stdin), the listening socket
//! (as stdout) and a pipe for its last words (as stderr). The lock is held without a gap from before the start until the
//! host is gone, so "does it live" never depends on a process number; the socket can be connected to from before the
//! start, so nobody ever waits by looking again. The first process makes a session of its own, starts itself once more
//! and leaves: the second has no terminal, no parent that must reap it, and no tie to the server.
//!
//! In the directory of a process: `spec`, `lock`, `socket`, `log` (there from just before the program's start) and
//! `result` (there, as a whole, when all is over).

mod caps;
mod clients;
mod end;
mod hosted;
mod move_on;
mod place;
mod program;
mod run;
mod spec;
mod stdin;
pub(crate) mod wire;

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, ExitCode};

use caps::Group;
pub use caps::{Capped, Caps, try_caps};
pub use end::{End, Outcome};
use hosted::Hosted;
pub(crate) use move_on::{MARK_FILE as CONTINUED_FILE, mark_of};
pub(crate) use place::{Place, Trouble};
pub(crate) use program::Failure;
use program::Program;
pub(crate) use spec::{LOCK_FILE, SOCKET_FILE};
pub use spec::{Spec, StdinKind};
pub use wire::Status;

use crate::log::{INDEX_FILE, LOG_FILE, LogWriter};
use crate::proc;
use crate::secrets::Secrets;

/// Tells the second process of a host from the first. The program never sees it.
const DETACHED_VAR: &str = "FORGE_HOST_DETACHED";

/// In the environment of a host alone: what it must not write down beside what the program's variables hold.
pub(crate) const SECRETS_VAR: &str = "FORGE_HOST_SECRETS";

/// In the environment of everything a host started: the directory of the process it belongs to.
pub(crate) const MARK_VAR: &str = "FORGE_HOST_DIR";

/// Runs the process whose spec is in `dir`. The hidden subcommand of the server's binary is this and nothing else.
pub fn main(dir: &Path) -> ExitCode {
    let result = match std::env::var_os(DETACHED_VAR) {
        None => detach(),
        Some(_) => host(dir),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The launcher reads this; if it is gone there is nobody to tell.
            let _told = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

/// The first process: hands everything to the second and leaves.
#[expect(clippy::disallowed_methods, reason = "the host starts itself once more to be nobody's child")]
fn detach() -> io::Result<()> {
    rustix::process::setsid()?;
    let mut again = Command::new(std::env::current_exe()?);
    again.args(std::env::args_os().skip(1)).env(DETACHED_VAR, "1").spawn()?;
    Ok(())
}

/// The second process: the host itself.
fn host(dir: &Path) -> io::Result<()> {
    let (lock, listener) = take_over()?;
    // The directory the server happened to be started in must stay free to be removed or unmounted.
    std::env::set_current_dir("/")?;
    proc::adopt_orphans()?;
    let mut spec = Spec::read(dir)?;
    let secrets = spec.secrets();
    spec.reveal(&secrets);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let place = run::Here::new(Place { dir: dir.to_owned(), lock, listener })?;
        // The launcher connected before it started us, so that it hears of even the shortest life.
        let (launcher, _) = place.listener.accept().await?;
        let signals = run::Signals::install()?;
        match start(&spec, secrets, dir)? {
            Ok(hosted) => run::run(place, launcher, signals, hosted).await,
            Err(failure) => run::report(launcher, failure).await,
        }
    })
}

/// Takes lock and socket out of the places of stdin and stdout, where the program's tree must not find them.
fn take_over() -> io::Result<(File, UnixListener)> {
    let listener = UnixListener::from(io::stdout().as_fd().try_clone_to_owned()?);
    if listener.local_addr().is_err() {
        return Err(io::Error::other("a process host is started by the server, not by hand"));
    }
    let lock = File::from(io::stdin().as_fd().try_clone_to_owned()?);
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    Ok((lock, listener))
}

/// Starts the program. The log is there first: a host that dies in between leaves a process whose fate is unknown,
/// never one that is taken for not started. A start that fails takes it away again.
fn start(spec: &Spec, secrets: Secrets, dir: &Path) -> io::Result<Result<Hosted, Failure>> {
    let started = begin_log(dir).and_then(|log| {
        let group = Group::prepare(&spec.caps, dir)?;
        let program = start_in(group.as_ref(), spec, dir)?;
        Ok(program.map(|program| Hosted::new(program, log, secrets, group)))
    });
    if !matches!(started, Ok(Ok(_))) {
        forget_log(dir)?;
    }
    started
}

/// Makes the log of a process, and room for its result.
fn begin_log(dir: &Path) -> io::Result<LogWriter<File>> {
    let path = dir.join(LOG_FILE);
    let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
    End::reserve(dir).and_then(|()| LogWriter::create(file, Some(dir.join(INDEX_FILE))))
}

/// Takes them away again: the process never was.
fn forget_log(dir: &Path) -> io::Result<()> {
    std::fs::remove_file(dir.join(LOG_FILE))?;
    End::unreserve(dir)
}

/// Starts the program inside its group, where the host is, and goes back out. A host that cannot go back out would be killed with it, so nothing runs then.
fn start_in(group: Option<&Group>, spec: &Spec, dir: &Path) -> io::Result<Result<Program, Failure>> {
    let Some(group) = group else { return Ok(Program::start(spec, dir)) };
    let started = Program::start(spec, dir);
    let left = group.leave();
    if left.is_err() || started.is_err() {
        if let Ok(program) = &started {
            // It fails only if the program is gone already.
            let _killed = rustix::process::kill_process_group(program.pid, rustix::process::Signal::KILL);
        }
        group.remove();
    }
    left.map(|()| started)
}
