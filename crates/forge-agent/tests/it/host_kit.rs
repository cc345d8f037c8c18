//! A process in a temporary directory, and ways to wait for what it does.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forge_agent::client::{AskError, Connection, Found, Launcher, Wait, find};
use forge_agent::host::{Caps, End, Spec, StdinKind};
use forge_agent::log::{Frame, LogReader, Stream};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tempfile::TempDir;
use tokio_util::task::TaskTracker;

/// A test that waits this long hangs. It is no measure of speed.
const HANGS: Duration = Duration::from_secs(120);

pub(crate) const HOST: &str = env!("CARGO_BIN_EXE_forge-host");

pub(crate) fn launcher() -> Launcher {
    Launcher { command: vec![HOST.into()], tasks: TaskTracker::new() }
}

/// A host that is started by a shell which first runs `prelude`.
pub(crate) fn launcher_after(prelude: &str) -> Launcher {
    let script = format!("{prelude}; exec \"$0\" \"$@\"");
    Launcher {
        command: vec!["sh".into(), "-c".into(), script.into(), HOST.into()],
        tasks: TaskTracker::new(),
    }
}

pub(crate) fn spec(program: &str, args: &[&str]) -> Spec {
    Spec {
        program: program.into(),
        args: args.iter().map(OsString::from).collect(),
        env: Vec::new(),
        env_remove: Vec::new(),
        cwd: std::env::temp_dir(),
        stdin: StdinKind::Piped,
        caps: Caps::default(),
        secrets: forge_agent::secrets::SecretKeys::default(),
    }
}

pub(crate) fn sh(script: &str) -> Spec {
    spec("sh", &["-c", script])
}

/// A program that prints `ready`, waits for SIGINT, prints `told` and exits with `code`.
///
/// Not a shell: a signal that reaches it while it starts a command waits for the end of that, or is forgotten.
pub(crate) fn willing(code: u8) -> Spec {
    willing_after("", code)
}

/// A willing program that first does what the Python statements say.
pub(crate) fn willing_after(statements: &str, code: u8) -> Spec {
    let script = format!(
        "import signal, subprocess, sys\n\
         assert signal.getsignal(signal.SIGINT) != signal.SIG_IGN\n\
         signal.pthread_sigmask(signal.SIG_BLOCK, {{signal.SIGINT}})\n\
         {statements}\n\
         print('ready', flush=True)\n\
         signal.sigwait({{signal.SIGINT}})\n\
         print('told')\n\
         sys.exit({code})"
    );
    spec("python3", &["-c", &script])
}

/// A started process, and a reader of its log.
pub(crate) struct Started {
    pub(crate) connection: Connection,
    pub(crate) dir: PathBuf,
    pub(crate) frames: Vec<Frame>,
    reader: LogReader,
    _temp: Option<TempDir>,
}

pub(crate) async fn start(spec: &Spec) -> Started {
    start_with(&launcher(), spec).await
}

pub(crate) async fn start_with(launcher: &Launcher, spec: &Spec) -> Started {
    start_in(launcher, spec, Path::new("process")).await
}

/// Starts in `below`, a path below a temporary directory.
pub(crate) async fn start_in(launcher: &Launcher, spec: &Spec, below: &Path) -> Started {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join(below);
    let connection = bounded(launcher.start(&dir, spec)).await.unwrap();
    let reader = LogReader::open(&dir).unwrap();
    Started { connection, dir, frames: Vec::new(), reader, _temp: Some(temp) }
}

impl Started {
    /// Reads what is in the log by now.
    pub(crate) fn read(&mut self) {
        loop {
            let after = self.frames.last().map_or(0, |frame| frame.seq);
            let page = self.reader.read_after(after, 1024 * 1024).unwrap();
            if page.frames.is_empty() {
                return;
            }
            self.frames.extend(page.frames);
        }
    }

    pub(crate) fn bytes(&self, stream: Stream) -> Vec<u8> {
        let chosen = self.frames.iter().filter(|frame| frame.stream == stream);
        chosen.flat_map(|frame| frame.bytes.iter().copied()).collect()
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.bytes(Stream::Stdout)).unwrap()
    }

    /// Waits until the program has printed `text`.
    pub(crate) async fn until(&mut self, text: &str) {
        self.wait_for(|started| started.stdout().contains(text).then_some(())).await;
    }

    /// Looks at the log each time it has grown, until `look` finds something.
    async fn wait_for<T>(&mut self, look: impl Fn(&Self) -> Option<T>) -> T {
        let mut head = self.connection.head();
        bounded(async {
            loop {
                head.borrow_and_update();
                self.read();
                if let Some(found) = look(self) {
                    return found;
                }
                head.changed().await.expect("the process ended first");
            }
        })
        .await
    }

    /// The process number that the program printed as `label=NUMBER.`, once it has.
    pub(crate) async fn pid(&mut self, label: &str) -> Pid {
        let number = |stdout: &str| {
            let (_, rest) = stdout.split_once(&format!("{label}="))?;
            rest.split_once('.')?.0.parse().ok().and_then(Pid::from_raw)
        };
        self.wait_for(|started| number(&started.stdout())).await
    }

    /// Waits for the end and reads the log to its last frame.
    pub(crate) async fn end(&mut self) -> End {
        let end = bounded(self.connection.ended()).await.expect("the process is lost");
        self.read();
        assert_eq!(self.frames.last().map_or(0, |frame| frame.seq), end.last_seq);
        assert!(self.frames.iter().zip(1..).all(|(frame, seq)| frame.seq == seq));
        end
    }

    pub(crate) async fn find(&self) -> Found {
        bounded(find(&TaskTracker::new(), &self.dir)).await.unwrap()
    }

    /// Lets the program go on as the process of a directory beside this one.
    pub(crate) async fn move_on(&self, name: &str) -> Result<Self, AskError> {
        self.move_on_for(name, Wait { idle: HANGS, grace: Duration::ZERO }).await
    }

    pub(crate) async fn move_on_for(&self, name: &str, wait: Wait) -> Result<Self, AskError> {
        let dir = self.dir.with_file_name(name);
        let connection = bounded(self.connection.move_on(&TaskTracker::new(), &dir, wait)).await?;
        let reader = LogReader::open(&dir).unwrap();
        Ok(Self { connection, dir, frames: Vec::new(), reader, _temp: None })
    }

    /// Another connection, as that of a restarted server.
    pub(crate) async fn attach(&self) -> Connection {
        match self.find().await {
            Found::Running(connection) => connection,
            other => panic!("not running: {other:?}"),
        }
    }

    pub(crate) fn program(&self) -> Pid {
        pid(self.connection.attached().pid)
    }

    pub(crate) fn host(&self) -> Pid {
        pid(self.connection.attached().host_pid)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // A failed test must not leave its processes behind.
            let _killed = kill_process_group(self.program(), Signal::KILL);
            let _killed = kill_process(self.host(), Signal::KILL);
        }
    }
}

/// Fails a test that would wait forever.
pub(crate) async fn bounded<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANGS, future).await.expect("waited in vain")
}

fn pid(raw: u32) -> Pid {
    Pid::from_raw(raw.try_into().unwrap()).unwrap()
}

/// Whether a process is there and not just a remnant that waits to be reaped.
pub(crate) fn lives(pid: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}
