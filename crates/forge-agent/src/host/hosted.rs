//! The process under a host: its pipes, its log, its tree and its end.
//!
//! Output is read in large chunks, each written to the log before anyone hears of it. If the log cannot be written
//! (a full disk), reading stops, so the program blocks on its own output and nothing is dropped; clients are told, and
//! writing is tried again every second until it succeeds or someone asks for a stop.

use std::fs::File;
use std::io;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process_group, wait};
use tokio::net::unix::pipe;
use tokio::sync::watch;
use tokio::time::Instant;

use super::caps::Group;
use super::clients::{Asked, State};
use super::end::{End, Outcome};
use super::program::Program;
use super::stdin::{Stdin, Verdict};
use super::wire::{self, Ask, Refusal, Status};
use crate::deadline::Deadline;
use crate::log::{LogWriter, MAX_FRAME, Stream, now_ms};
use crate::proc;
use crate::secrets::{Held, Secrets};

/// What is read from a pipe at once: all that it usually holds.
const CHUNK: usize = 64 * 1024;

/// Chunks still read from each pipe when the tree is gone. There cannot be more by then, unless a process outside the
/// tree was handed the pipe, and that one must not keep the host.
const MAX_DRAINED: usize = 64;

const RETRY: Duration = Duration::from_secs(1);

/// How long a killed process may take to go: one that hangs in the kernel must not hide the end of the program.
const HANGS: Duration = Duration::from_secs(5);

const MAX_IDLE: Duration = Duration::from_secs(365 * 24 * 60 * 60);

const MAX_GRACE: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) struct Hosted {
    pid: Pid,
    started_at: u64,
    stdin: Stdin,
    /// `None` once they are read to the end.
    stdout: Option<pipe::Receiver>,
    stderr: Option<pipe::Receiver>,
    chunk: Vec<u8>,
    /// What must not be in the log, and what may be the beginning of it.
    secrets: Secrets,
    held_stdout: Held,
    held_stderr: Held,
    log: LogWriter<File>,
    /// The last of standard output was not the end of a line.
    within_line: bool,
    /// When writing the log is tried again; set while it fails.
    retry_at: Option<Instant>,
    /// When a program that is told nothing is let go, and how long it may take to go.
    idle_until: Option<(Deadline, Duration)>,
    state: watch::Sender<State>,
    stage: Stage,
    stopped: bool,
    group: Option<Group>,
    /// How and when the program ended.
    exit: Option<(Outcome, u64)>,
}

/// Where the tree is on its way to the end.
enum Stage {
    Running,
    /// Asked to go; killed when its time is over.
    Stopping {
        kill_at: Instant,
    },
    /// Killed, again on every death until none is left.
    Killing {
        hangs_at: Instant,
    },
    Gone,
}

impl Hosted {
    pub(crate) fn new(
        program: Program,
        log: LogWriter<File>,
        secrets: Secrets,
        group: Option<Group>,
    ) -> Self {
        Self {
            pid: program.pid,
            started_at: now_ms(),
            stdin: Stdin::new(program.stdin),
            stdout: Some(program.stdout),
            stderr: Some(program.stderr),
            chunk: vec![0; CHUNK],
            secrets,
            held_stdout: Held::default(),
            held_stderr: Held::default(),
            log,
            within_line: false,
            retry_at: None,
            idle_until: None,
            state: watch::Sender::default(),
            stage: Stage::Running,
            stopped: false,
            group,
            exit: None,
        }
    }

    pub(crate) fn status(&self) -> Status {
        Status {
            version: wire::VERSION,
            host_pid: getpid().as_raw_nonzero().get().unsigned_abs(),
            pid: self.pid.as_raw_nonzero().get().unsigned_abs(),
            head: self.log.head(),
            next_ordinal: self.stdin.next_ordinal(),
            started_at: self.started_at,
        }
    }

    /// What clients are told from now on.
    pub(crate) fn watch(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// Whether nothing is left of the process but its result.
    pub(crate) fn is_over(&mut self) -> bool {
        if !matches!(self.stage, Stage::Gone) {
            return false;
        }
        for stream in [Stream::Stdout, Stream::Stderr] {
            self.drain(stream);
            self.let_go(stream);
        }
        self.retry_at.is_none() || self.stopped
    }

    pub(crate) fn end(&self) -> End {
        // The stage is `Gone` only after the exit was seen; were it not, claiming success would be the one wrong answer.
        let unseen = (Outcome::Signaled { signal: Signal::KILL.as_raw() }, now_ms());
        let (outcome, ended_at) = self.exit.unwrap_or(unseen);
        let log_complete = self.retry_at.is_none();
        End { outcome, stopped: self.stopped, ended_at, last_seq: self.log.head(), log_complete }
    }

    pub(crate) fn announce_end(&self, end: End) {
        self.state.send_modify(|state| state.end = Some(end));
    }

    /// Puts the log on the disk itself; a disk that refuses has refused the writes before.
    pub(crate) fn sync(&self) {
        let _synced = self.log.sink().sync_data();
    }
}

/// Output and the log.
impl Hosted {
    pub(crate) fn takes_output(&self) -> bool {
        self.retry_at.is_none()
    }

    /// Waits until there is output to capture.
    pub(crate) async fn output(&self, stream: Stream) -> io::Result<()> {
        match self.pipe(stream) {
            Some(pipe) => pipe.readable().await,
            None => std::future::pending().await,
        }
    }

    /// Takes one chunk of output to the log.
    pub(crate) fn capture(&mut self, stream: Stream) {
        let mut chunk = std::mem::take(&mut self.chunk);
        let read = self.pipe(stream).map(|pipe| pipe.try_read(&mut chunk));
        self.chunk = chunk;
        self.captured(stream, read.unwrap_or(Ok(0)));
    }

    /// Takes what is left in a pipe after all of the tree is gone.
    fn drain(&mut self, stream: Stream) {
        for _ in 0..MAX_DRAINED {
            if !self.takes_output() {
                break;
            }
            let mut chunk = std::mem::take(&mut self.chunk);
            // Not through the runtime, which may not have heard yet that there is something.
            let read = self.pipe(stream).map(|pipe| rustix::io::read(pipe, chunk.as_mut_slice()));
            self.chunk = chunk;
            match read {
                Some(Ok(count)) if count > 0 => self.captured(stream, Ok(count)),
                Some(Err(Errno::INTR)) => {}
                _ => break,
            }
        }
    }

    fn captured(&mut self, stream: Stream, read: io::Result<usize>) {
        match read {
            Ok(0) => self.close(stream),
            Ok(count) => {
                let chunk = std::mem::take(&mut self.chunk);
                let bytes = chunk.get(..count).unwrap_or_default();
                if stream == Stream::Stdout {
                    self.within_line = bytes.last() != Some(&b'\n');
                }
                let mut held = std::mem::take(self.held(stream));
                let shown = self.secrets.hide_piece(bytes, &mut held);
                *self.held(stream) = held;
                // All of it may be the beginning of a secret.
                if !shown.is_empty() {
                    self.append(stream, &shown);
                }
                self.chunk = chunk;
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => self.close(stream),
        }
    }

    fn pipe(&self, stream: Stream) -> Option<&pipe::Receiver> {
        match stream {
            Stream::Stdout => self.stdout.as_ref(),
            Stream::Stderr => self.stderr.as_ref(),
            Stream::Stdin | Stream::StdinClosed | Stream::Note => None,
        }
    }

    /// What may be the beginning of a secret; nothing but output is taken in pieces.
    const fn held(&mut self, stream: Stream) -> &mut Held {
        match stream {
            Stream::Stderr => &mut self.held_stderr,
            Stream::Stdout | Stream::Stdin | Stream::StdinClosed | Stream::Note => &mut self.held_stdout,
        }
    }

    /// Takes to the log what was held back: it goes on as nothing.
    fn let_go(&mut self, stream: Stream) {
        if !self.takes_output() {
            return;
        }
        let mut held = std::mem::take(self.held(stream));
        let rest = self.secrets.hide_rest(&mut held);
        if !rest.is_empty() {
            self.append(stream, &rest);
        }
    }

    fn close(&mut self, stream: Stream) {
        self.let_go(stream);
        match stream {
            Stream::Stdout => self.stdout = None,
            Stream::Stderr => self.stderr = None,
            Stream::Stdin | Stream::StdinClosed | Stream::Note => {}
        }
    }

    fn append(&mut self, stream: Stream, bytes: &[u8]) {
        let result = self.log.append(stream, bytes);
        self.wrote(result);
    }

    fn note(&mut self, text: &str) {
        self.append(Stream::Note, text.as_bytes());
    }

    pub(crate) fn retry_at(&self) -> Option<Instant> {
        self.retry_at
    }

    /// Tries again to write what could not be written.
    pub(crate) fn retry(&mut self) {
        let result = self.log.retry();
        let resumed = result.is_ok();
        self.wrote(result);
        if resumed {
            self.note("The log could not be written for a while; the program's output waited.");
        }
    }

    /// Announces the new head, or that the log has stalled.
    fn wrote(&mut self, result: io::Result<()>) {
        let stalled = result.err().map(|error| error.to_string());
        self.retry_at = stalled.is_some().then(|| Instant::now() + RETRY);
        let head = self.log.head();
        self.state.send_if_modified(|state| {
            let changed = (state.head, &state.stalled) != (head, &stalled);
            state.head = head;
            state.stalled = stalled;
            changed
        });
    }
}

/// Going on as another process.
impl Hosted {
    /// Whether the program could go on as another process now: what it was told and what it said is all in the log.
    pub(crate) fn is_between_parts(&mut self) -> bool {
        let runs = matches!(self.stage, Stage::Running) && self.exit.is_none();
        if !runs || self.within_line || !self.stdin.is_idle() {
            return false;
        }
        for stream in [Stream::Stdout, Stream::Stderr] {
            self.let_go(stream);
        }
        self.retry_at.is_none()
    }

    /// The end of the process that the program was so far.
    pub(crate) fn end_of_part(&self) -> End {
        let last_seq = self.log.head();
        let outcome = Outcome::Exited { code: 0 };
        End { outcome, stopped: false, ended_at: now_ms(), last_seq, log_complete: true }
    }

    /// Lets the program go unless it is told something in time.
    pub(crate) fn wait_idle(&mut self, idle: Duration, grace: Duration) {
        self.idle_until = Some((Deadline::after(idle.min(MAX_IDLE)), grace.min(MAX_GRACE)));
    }

    pub(crate) fn idle_until(&self) -> Option<Deadline> {
        self.idle_until.map(|(until, _)| until)
    }

    /// Nobody told it anything.
    pub(crate) fn idled(&mut self) {
        let Some((_, grace)) = self.idle_until.take() else { return };
        if matches!(self.stage, Stage::Running) && self.take_close(self.stdin.next_ordinal()).is_none() {
            self.stopped = true;
            self.stage = Stage::Stopping { kill_at: Instant::now() + grace };
        } else {
            self.stop(grace);
        }
    }

    /// Goes on with another log, and returns the one before. Who listened hears the end.
    pub(crate) fn go_on_with(&mut self, log: LogWriter<File>, end: End) -> LogWriter<File> {
        self.announce_end(end);
        self.state = watch::Sender::default();
        self.stdin.restart();
        std::mem::replace(&mut self.log, log)
    }
}

/// Requests.
impl Hosted {
    pub(crate) fn answer(&mut self, Asked { ask, bytes, answer, .. }: Asked) {
        let refusal = match ask {
            Ask::Write { ordinal } => self.take_write(ordinal, &bytes),
            Ask::CloseStdin { ordinal } => self.take_close(ordinal),
            Ask::Interrupt => {
                self.interrupt();
                None
            }
            Ask::Stop { grace_ms } => {
                self.stop(Duration::from_millis(grace_ms).min(MAX_GRACE));
                None
            }
            // That is for whoever has the directory.
            Ask::MoveOn { .. } | Ask::Unknown => Some(Refusal::Unsupported),
        };
        // A client that left does not need its answer.
        let _heard = answer.send(refusal);
    }

    fn take_write(&mut self, ordinal: u64, bytes: &[u8]) -> Option<Refusal> {
        match self.judge(ordinal, bytes.len()) {
            Verdict::Take => {
                self.idle_until = None;
                let mut shown = self.secrets.hide(bytes).into_owned();
                shown.truncate(MAX_FRAME);
                self.append(Stream::Stdin, &shown);
                self.stdin.push(self.secrets.reveal(bytes).into_owned());
                self.feed();
                None
            }
            Verdict::Known => None,
            Verdict::Refuse(refusal) => Some(refusal),
        }
    }

    fn take_close(&mut self, ordinal: u64) -> Option<Refusal> {
        match self.judge(ordinal, 0) {
            Verdict::Take => {
                self.append(Stream::StdinClosed, &[]);
                self.stdin.close();
                None
            }
            Verdict::Known => None,
            Verdict::Refuse(refusal) => Some(refusal),
        }
    }

    /// A write that the log cannot take now is not taken, else a stalled log would grow in memory.
    fn judge(&self, ordinal: u64, len: usize) -> Verdict {
        match self.stdin.judge(ordinal, len) {
            Verdict::Take if self.retry_at.is_some() => Verdict::Refuse(Refusal::LogStalled),
            verdict => verdict,
        }
    }

    pub(crate) fn stdin(&self) -> &Stdin {
        &self.stdin
    }

    /// Writes to the program what it is ready to read.
    pub(crate) fn feed(&mut self) {
        if let Err(unread) = self.stdin.flush() {
            self.note(&format!("The program closed its standard input with {unread} bytes unread."));
        }
    }

    fn interrupt(&self) {
        if self.exit.is_none() {
            // It fails only if the group is gone, and then its end is about to be seen.
            let _sent = kill_process_group(self.pid, Signal::INT);
        }
    }

    fn stop(&mut self, grace: Duration) {
        self.stopped = true;
        let kill_at = Instant::now() + grace;
        match &mut self.stage {
            Stage::Running => {
                self.interrupt();
                self.stage = Stage::Stopping { kill_at };
            }
            Stage::Stopping { kill_at: planned } => *planned = kill_at.min(*planned),
            Stage::Killing { .. } | Stage::Gone => {}
        }
    }
}

/// The tree.
impl Hosted {
    pub(crate) fn kill_at(&self) -> Option<Instant> {
        match self.stage {
            Stage::Stopping { kill_at } => Some(kill_at),
            Stage::Killing { hangs_at } => Some(hangs_at),
            Stage::Running | Stage::Gone => None,
        }
    }

    /// The grace is over, or what was killed does not go.
    pub(crate) fn kill_due(&mut self) {
        if matches!(self.stage, Stage::Killing { .. }) && self.exit.is_some() {
            self.note("Processes that the program left behind were killed but hang in the kernel.");
            self.stage = Stage::Gone;
        } else {
            self.stage = Stage::Killing { hangs_at: Instant::now() + HANGS };
            self.kill_group();
            proc::kill_tree(self.pid);
        }
    }

    /// Collects whoever died. When the program is among them, the rest of its tree must follow.
    pub(crate) fn reap(&mut self) {
        let any_left = loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.pid => {
                    self.exit = outcome(status).map(|outcome| (outcome, now_ms())).or(self.exit);
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break true,
                Err(_) => break false,
            }
        };
        if self.exit.is_none() {
            return;
        }
        if any_left || !proc::ADOPTS_ORPHANS {
            self.kill_rest();
        }
        if !any_left {
            self.close_group();
            self.stage = Stage::Gone;
        }
    }

    fn kill_group(&self) {
        if let Some(group) = &self.group {
            group.kill();
        }
    }

    /// All of the tree is gone: says whether its cap was why, and gives the group back.
    fn close_group(&mut self) {
        let Some(group) = self.group.take() else { return };
        let killed = group.killed_for_memory();
        group.remove();
        if killed > 0 {
            self.note(&format!("The system killed {killed} processes that needed more memory than the cap."));
        }
    }

    fn kill_rest(&mut self) {
        let killed = proc::kill_tree(self.pid);
        if !matches!(self.stage, Stage::Killing { .. }) {
            self.stage = Stage::Killing { hangs_at: Instant::now() + HANGS };
            if killed.sent > 0 {
                self.note(&format!("Killed {} processes that the program left behind.", killed.sent));
            }
        }
        if killed.sent == 0 && killed.refused > 0 {
            self.note(&format!("{} processes of another user are left behind.", killed.refused));
            self.stage = Stage::Gone;
        }
    }
}

fn outcome(status: WaitStatus) -> Option<Outcome> {
    let exited = status.exit_status().map(|code| Outcome::Exited { code });
    exited.or_else(|| status.terminating_signal().map(|signal| Outcome::Signaled { signal }))
}
