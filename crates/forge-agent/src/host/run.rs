//! The host's loop: everything that happens to a process happens here, one thing after the other.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::clients::{self, Asked};
use super::hosted::Hosted;
use super::move_on;
use super::place::Place;
use super::program::Failure;
use super::spec::SOCKET_FILE;
use super::wire::{self, Ask, News, Refusal};
use crate::deadline::Deadline;
use crate::log::Stream;

const MAX_CLIENTS: usize = 64;
/// How late an idle program may be ended after the machine was suspended.
const CHECK: Duration = Duration::from_secs(60);
/// How long clients may take to hear of the end. Whoever misses it finds the result.
const FAREWELL: Duration = Duration::from_secs(2);

/// The signals a host listens to.
pub(crate) struct Signals {
    child: SignalStream,
    _deaf: Vec<SignalStream>,
}

impl Signals {
    /// Makes the host deaf to signals that mean the terminal or the server, not the process.
    ///
    /// A signal that has a listener is back to its default in the program, one that is ignored is not: so the program
    /// can be interrupted even if the server was started with SIGINT ignored, as a shell does for `forge serve &`.
    pub(crate) fn install() -> io::Result<Self> {
        let deaf =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        Ok(Self {
            child: signal(SignalKind::child())?,
            _deaf: deaf.into_iter().map(signal).collect::<io::Result<_>>()?,
        })
    }
}

/// Tells the launcher why there is no program.
pub(crate) async fn report(mut launcher: UnixStream, failure: Failure) -> io::Result<()> {
    wire::write(&mut launcher, &News::Failed { failure }, &[]).await
}

/// The directory that the program's process has at present.
pub(crate) struct Here {
    dir: PathBuf,
    pub(crate) listener: UnixListener,
    /// How many processes the program was before this one.
    part: u64,
    _lock: File,
}

impl Here {
    pub(crate) fn new(place: Place) -> io::Result<Self> {
        place.listener.set_nonblocking(true)?;
        let listener = UnixListener::from_std(place.listener)?;
        Ok(Self { dir: place.dir, listener, part: 0, _lock: place.lock })
    }

    /// Lets the program go on in another directory, and leaves this one.
    fn move_on(&mut self, hosted: &mut Hosted, to: &Path) -> io::Result<()> {
        let next = Self { part: self.part + 1, ..Self::new(move_on::take(&self.dir, to)?)? };
        move_on::go(hosted, &self.dir, &next.dir)?;
        let _removed = fs::remove_file(self.dir.join(SOCKET_FILE));
        *self = next;
        Ok(())
    }

    fn answer(&mut self, hosted: &mut Hosted, asked: Asked) {
        match asked.ask {
            // It meant a process that is over, and its client is being told so.
            _ if asked.part != self.part => {}
            Ask::MoveOn { idle_ms, grace_ms } => {
                let to = Path::new(OsStr::from_bytes(&asked.bytes));
                let moved = hosted.is_between_parts() && self.move_on(hosted, to).is_ok();
                if moved {
                    hosted.wait_idle(Duration::from_millis(idle_ms), Duration::from_millis(grace_ms));
                }
                let _heard = asked.answer.send((!moved).then_some(Refusal::NotMoved));
            }
            _ => hosted.answer(asked),
        }
    }
}

/// Runs a started program to its end.
pub(crate) async fn run(
    mut here: Here,
    launcher: UnixStream,
    mut signals: Signals,
    mut hosted: Hosted,
) -> io::Result<()> {
    let nothing = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stderr(nothing)?;
    let (asked, mut requests) = mpsc::channel(8);
    let mut clients = JoinSet::new();
    let serve = |client, part, hosted: &Hosted| {
        clients::serve(client, part, hosted.status(), hosted.watch(), asked.clone())
    };
    clients.spawn(serve(launcher, here.part, &hosted));
    while !hosted.is_over() {
        tokio::select! {
            _ready = hosted.output(Stream::Stdout), if hosted.takes_output() => hosted.capture(Stream::Stdout),
            _ready = hosted.output(Stream::Stderr), if hosted.takes_output() => hosted.capture(Stream::Stderr),
            _ready = hosted.stdin().writable(), if hosted.stdin().waiting() => hosted.feed(),
            Some(request) = requests.recv() => here.answer(&mut hosted, request),
            _died = signals.child.recv() => hosted.reap(),
            Ok((client, _)) = here.listener.accept(), if clients.len() < MAX_CLIENTS => {
                clients.spawn(serve(client, here.part, &hosted));
            }
            Some(_) = clients.join_next() => {}
            () = until(hosted.kill_at()) => hosted.kill_due(),
            () = until(hosted.retry_at()) => hosted.retry(),
            () = until_idle(hosted.idle_until()) => hosted.idled(),
        }
        // Clients are told between any two chunks, however fast these come.
        tokio::task::yield_now().await;
    }
    let end = hosted.end();
    // If even the room kept for it cannot be written, clients still hear of the end and the server keeps it.
    let _recorded = end.record(&here.dir);
    hosted.announce_end(end);
    let Here { dir, listener, _lock: lock, .. } = here;
    drop((listener, requests));
    let _late = timeout(FAREWELL, async { while clients.join_next().await.is_some() {} }).await;
    let _removed = fs::remove_file(dir.join(SOCKET_FILE));
    // Last, since on a slow disk it takes long and nobody waits for it.
    hosted.sync();
    drop(lock);
    Ok(())
}

async fn until_idle(deadline: Option<Deadline>) {
    match deadline {
        Some(deadline) => deadline.reached(CHECK).await,
        None => std::future::pending().await,
    }
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
