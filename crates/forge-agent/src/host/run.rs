//! The host's loop: everything that happens to a process happens here, one thing after the other.

use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};

use super::clients;
use super::hosted::Hosted;
use super::program::Failure;
use super::spec::SOCKET_FILE;
use super::wire::{self, News};
use crate::log::Stream;

const MAX_CLIENTS: usize = 64;
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

/// Runs a started program to its end.
pub(crate) async fn run(
    dir: &Path,
    listener: UnixListener,
    launcher: UnixStream,
    mut signals: Signals,
    mut hosted: Hosted,
) -> io::Result<()> {
    let nothing = File::options().write(true).open("/dev/null")?;
    rustix::stdio::dup2_stderr(nothing)?;
    let (asked, mut requests) = mpsc::channel(8);
    let mut clients = JoinSet::new();
    let serve =
        |client, hosted: &Hosted| clients::serve(client, hosted.status(), hosted.watch(), asked.clone());
    clients.spawn(serve(launcher, &hosted));
    while !hosted.is_over() {
        tokio::select! {
            _ready = hosted.output(Stream::Stdout), if hosted.takes_output() => hosted.capture(Stream::Stdout),
            _ready = hosted.output(Stream::Stderr), if hosted.takes_output() => hosted.capture(Stream::Stderr),
            _ready = hosted.stdin().writable(), if hosted.stdin().waiting() => hosted.feed(),
            Some(request) = requests.recv() => hosted.answer(request),
            _died = signals.child.recv() => hosted.reap(),
            Ok((client, _)) = listener.accept(), if clients.len() < MAX_CLIENTS => {
                clients.spawn(serve(client, &hosted));
            }
            Some(_) = clients.join_next() => {}
            () = until(hosted.kill_at()) => hosted.kill_due(),
            () = until(hosted.retry_at()) => hosted.retry(),
        }
        // Clients are told between any two chunks, however fast these come.
        tokio::task::yield_now().await;
    }
    let end = hosted.end();
    // If even the room kept for it cannot be written, clients still hear of the end and the server keeps it.
    let _recorded = end.record(dir);
    hosted.announce_end(end);
    drop((listener, requests));
    let _late = timeout(FAREWELL, async { while clients.join_next().await.is_some() {} }).await;
    let _removed = fs::remove_file(dir.join(SOCKET_FILE));
    // Last, since on a slow disk it takes long and nobody waits for it.
    hosted.sync();
    Ok(())
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
