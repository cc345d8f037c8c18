//! A throw-away PostgreSQL server of the test's own, reached through a socket in a temporary folder.
//!
//! Setting up an empty cluster takes seconds, copying one does not: the first test of a version sets one up and
//! keeps it in the cache, every other starts on a copy.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::missing_panics_doc,
    reason = "what goes wrong in here fails the test that asked for it; the server is the test's own"
)]

use std::ffi::OsStr;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::Ipv4Addr;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rustix::fs::{FlockOperation, flock};
use rustix::process::{Pid, Signal, geteuid, kill_process};

/// Raised when a kept cluster is not what this file makes any more.
const RECIPE: u32 = 1;

const SETTINGS: [&str; 15] = [
    "listen_addresses=",
    "max_connections=32",
    "shared_buffers=2MB",
    "dynamic_shared_memory_type=mmap",
    "huge_pages=off",
    "fsync=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "min_wal_size=2MB",
    "max_logical_replication_workers=0",
    "max_parallel_workers_per_gather=0",
    "autovacuum=off",
    "jit=off",
    "logging_collector=off",
];

/// A running server. It ends with the value, and with the thread that started it however that ends.
#[derive(Debug)]
pub struct TestPostgres {
    programs: Programs,
    folder: tempfile::TempDir,
    running: Option<Running>,
    log: Arc<Mutex<String>>,
    /// Where it listens for encrypted connections.
    address: Option<Ipv4Addr>,
}

#[derive(Debug)]
struct Running {
    server: Child,
    reader: JoinHandle<()>,
}

/// Where the programs are, and as whom they run: PostgreSQL refuses to run as root.
#[derive(Debug, Clone)]
struct Programs {
    bin: PathBuf,
    version: String,
    user: Option<User>,
}

#[derive(Debug, Clone, Copy)]
struct User {
    uid: u32,
    gid: u32,
}

impl TestPostgres {
    /// Starts a server with one empty database. To be called on the test's own thread, with which it ends.
    #[must_use]
    pub fn start() -> Self {
        let programs = Programs::find();
        let template = template(&programs);
        let folder = scratch(&programs);
        copy(&template, &folder.path().join("data"));
        let mut postgres = Self { programs, folder, running: None, log: Arc::default(), address: None };
        postgres.run();
        postgres
    }

    /// The same with TLS beside the socket, on an address of its own, with a certificate that vouches for itself.
    #[must_use]
    pub fn start_with_tls() -> Self {
        let mut postgres = Self::start();
        postgres.stop();
        let [_, a, b, c, ..] = RandomState::new().build_hasher().finish().to_le_bytes();
        // All of 127.0.0.0/8 is this machine: a port that nobody else has is had by an address that nobody else has.
        let address = Ipv4Addr::new(127, a | 1, b, c.clamp(1, 254));
        let (key, certificate) = (postgres.folder.path().join("key.pem"), postgres.certificate());
        make_certificate(&key, &certificate, address);
        if let Some(User { uid, gid }) = postgres.programs.user {
            chown(&key, Some(uid), Some(gid)).expect("the key can be given away");
        }
        fs::write(
            postgres.folder.path().join("hba"),
            "local all all trust\nhostssl all all 127.0.0.0/8 trust\n",
        )
        .expect("who may connect can be written");
        postgres.address = Some(address);
        postgres.run();
        postgres
    }

    /// The address of the database over TLS, with these parameters.
    #[must_use]
    pub fn tls_url(&self, parameters: &str) -> String {
        let address = self.address.expect("started with TLS");
        format!("postgres://postgres@{address}:5432/postgres?{parameters}")
    }

    /// The file with the certificate that the server shows.
    #[must_use]
    pub fn certificate(&self) -> PathBuf {
        self.folder.path().join("certificate.pem")
    }

    /// The address of the database.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://postgres@localhost/postgres?host={}", self.folder.path().display())
    }

    /// Ends the server at once, as a crash would; what was committed is kept.
    pub fn stop(&mut self) {
        let Some(Running { mut server, reader }) = self.running.take() else { return };
        // Not the kill that cannot be caught: it would leave the shared memory behind.
        let pid = i32::try_from(server.id()).ok().and_then(Pid::from_raw).expect("a process id");
        kill_process(pid, Signal::QUIT).expect("the server can be stopped");
        server.wait().expect("the server's end is seen");
        reader.join().expect("the log is read to its end");
    }

    /// Starts the server again on what it had.
    pub fn run(&mut self) {
        assert!(self.running.is_none(), "the server runs already");
        let data = self.folder.path().join("data");
        let mut command = self.programs.command("postgres", self.folder.path());
        command.arg("-D").arg(data).arg("-k").arg(self.folder.path());
        for setting in SETTINGS {
            command.args(["-c", setting]);
        }
        if let Some(address) = self.address {
            let file = |name: &str| self.folder.path().join(name).display().to_string();
            let tls = [
                format!("listen_addresses={address}"),
                "ssl=on".to_owned(),
                format!("ssl_cert_file={}", file("certificate.pem")),
                format!("ssl_key_file={}", file("key.pem")),
                format!("hba_file={}", file("hba")),
            ];
            for setting in tls {
                command.args(["-c", &setting]);
            }
        }
        let mut server = command.stderr(Stdio::piped()).spawn().expect("postgres can be started");
        let mut lines = BufReader::new(server.stderr.take().expect("a pipe"));
        until_ready(&mut lines, &self.log);
        let log = Arc::clone(&self.log);
        let reader = std::thread::spawn(move || while read_line(&mut lines, &log) {});
        self.running = Some(Running { server, reader });
    }
}

impl Drop for TestPostgres {
    fn drop(&mut self) {
        self.stop();
        if std::thread::panicking() {
            let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            drop(writeln!(std::io::stderr(), "--- PostgreSQL's log ---\n{log}"));
        }
    }
}

/// The server says itself when it takes connections; one that cannot start ends, and then there is nothing to read.
fn until_ready(lines: &mut BufReader<ChildStderr>, log: &Mutex<String>) {
    let ready = "database system is ready to accept connections";
    while !log
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .lines()
        .next_back()
        .is_some_and(|l| l.contains(ready))
    {
        let more = read_line(lines, log);
        assert!(more, "postgres did not start:\n{}", log.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// False at the end.
fn read_line(lines: &mut BufReader<ChildStderr>, log: &Mutex<String>) -> bool {
    let mut line = Vec::new();
    let read = lines.read_until(b'\n', &mut line).unwrap_or(0);
    log.lock().unwrap_or_else(PoisonError::into_inner).push_str(&String::from_utf8_lossy(&line));
    read > 0
}

impl Programs {
    /// On the PATH, or where Debian puts them.
    fn find() -> Self {
        let on_path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders: Vec<PathBuf> = std::env::split_paths(&on_path).collect();
        let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let mut debian: Vec<PathBuf> = debian.map(|version| version.path().join("bin")).collect();
        debian.sort();
        folders.extend(debian.into_iter().rev());
        let bin =
            folders.into_iter().find(|bin| bin.join("initdb").is_file() && bin.join("postgres").is_file());
        let bin = bin.expect("PostgreSQL is installed; `make tools` installs it");
        let version = Command::new(bin.join("postgres")).arg("--version").output().expect("postgres runs");
        let version = String::from_utf8_lossy(&version.stdout).into_owned();
        Self { bin, version, user: geteuid().is_root().then(unprivileged) }
    }

    /// One of the programs, as somebody who may run it. Ends with the thread that starts it, where that can be had.
    fn command(&self, program: &str, cwd: &Path) -> Command {
        let program = self.bin.join(program);
        let mut command = if cfg!(target_os = "linux") {
            let mut command = Command::new("setpriv");
            if let Some(User { uid, gid }) = self.user {
                command.arg(format!("--reuid={uid}")).arg(format!("--regid={gid}")).arg("--clear-groups");
            }
            command.args(["--pdeathsig", "QUIT", "--"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LC_ALL", "C")
            .current_dir(cwd)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }
}

/// The user that came with PostgreSQL, or the one that may do nothing.
fn unprivileged() -> User {
    let users = fs::read_to_string("/etc/passwd").expect("a list of users");
    let of = |name: &str| {
        let mut fields = users.lines().find(|line| line.split(':').next() == Some(name))?.split(':');
        let uid = fields.nth(2)?.parse().ok()?;
        Some(User { uid, gid: fields.next()?.parse().ok()? })
    };
    of("postgres").or_else(|| of("nobody")).expect("a user that is not root")
}

/// A folder that the server's user may use.
fn scratch(programs: &Programs) -> tempfile::TempDir {
    let folder = tempfile::Builder::new().prefix("forge-pg-").tempdir().expect("a temporary folder");
    if let Some(User { uid, gid }) = programs.user {
        chown(folder.path(), Some(uid), Some(gid)).expect("the folder can be given away");
    }
    folder
}

/// The kept cluster; sets one up when there is none.
fn template(programs: &Programs) -> PathBuf {
    let cache = std::env::home_dir().unwrap_or_else(std::env::temp_dir).join(".cache/forge/test-postgres");
    fs::create_dir_all(&cache).expect("a folder to keep a cluster in");
    let version: String = programs.version.chars().filter(char::is_ascii_alphanumeric).collect();
    let template = cache.join(format!("{version}-{RECIPE}"));
    let lock = fs::File::create(cache.join("lock")).expect("a lock file");
    flock(&lock, FlockOperation::LockExclusive).expect("the lock");
    if !template.exists() {
        let folder = scratch(programs);
        let data = folder.path().join("data");
        set_up(programs, folder.path(), &data);
        // Whole or not there, whenever this is killed.
        let draft = cache.join("draft");
        if draft.exists() {
            fs::remove_dir_all(&draft).expect("an old draft can be removed");
        }
        copy(&data, &draft);
        fs::rename(&draft, &template).expect("the cluster can be kept");
    }
    template
}

/// A cluster with one database and none to copy more from, which is small.
fn set_up(programs: &Programs, cwd: &Path, data: &Path) {
    let mut initdb = programs.command("initdb", cwd);
    initdb.arg("-D").arg(data).args(["-U", "postgres", "-A", "trust", "--encoding=UTF8", "--locale=C"]);
    succeed(initdb.args(["--wal-segsize=1", "--no-sync", "--no-instructions"]));
    let mut single = programs.command("postgres", cwd);
    single.arg("--single").arg("-D").arg(data).args(["-c", "fsync=off", "postgres"]);
    let input = fs::File::options().read(true).write(true).create_new(true).open(cwd.join("input"));
    let mut input = input.expect("a file");
    for database in ["template0", "template1"] {
        let drop_it = format!(
            "UPDATE pg_database SET datistemplate = false WHERE datname = '{database}'\nDROP DATABASE {database}\n"
        );
        input.write_all(drop_it.as_bytes()).expect("what to do can be written");
    }
    let input = fs::File::open(cwd.join("input")).expect("what to do can be read");
    succeed(single.stdin(input));
}

/// A certificate for this address that vouches for itself.
///
/// # Panics
/// Without openssl.
pub fn make_certificate(key: &Path, certificate: &Path, address: Ipv4Addr) {
    let mut openssl = Command::new("openssl");
    openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]);
    openssl.arg("-keyout").arg(key).arg("-out").arg(certificate);
    openssl.args(["-days", "30", "-subj", "/CN=forge-test", "-addext"]);
    openssl.arg(format!("subjectAltName=IP:{address}"));
    // Else it could vouch for others only.
    succeed(openssl.args(["-addext", "basicConstraints=critical,CA:FALSE"]));
}

fn copy(from: &Path, to: &Path) {
    succeed(Command::new("cp").args([OsStr::new("-a"), from.as_os_str(), to.as_os_str()]));
}

fn succeed(command: &mut Command) {
    let output = command.output().expect("a program can be started");
    if !output.status.success() {
        panic!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr));
    }
}
