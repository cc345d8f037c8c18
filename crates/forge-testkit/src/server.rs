//! The real `forge` program on a folder of its own, with clients for everything it serves. Waiting is always for
//! something that happens, never for time; what does not happen within [`DEADLINE`] fails the test.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::missing_panics_doc,
    reason = "what goes wrong in here fails the test that asked for it"
)]

mod copy;
mod events;
mod family;
mod logs;
mod transcript;

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use reqwest::Method;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

pub use copy::Copy;
pub use events::{Events, Message};
pub use family::Family;
pub use logs::{Logs, Printed};
pub use transcript::Transcript;

/// How long something may take that should take milliseconds, on the busiest machine.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// How a server is started.
#[derive(Debug, Clone)]
pub struct Setup {
    forge: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    agent: Option<String>,
    programs: Vec<(String, PathBuf)>,
    home: Vec<(String, String)>,
    config: Option<String>,
    prelude: Option<String>,
    keep_minutes: f64,
}

impl Setup {
    /// The program `forge`, with a `claude` on its PATH that is the scripted agent.
    pub fn new(forge: impl Into<PathBuf>) -> Self {
        let forge = forge.into();
        let agent = format!("exec '{}' scripted-agent \"$@\"", forge.display());
        Self {
            forge,
            args: Vec::new(),
            env: Vec::new(),
            agent: Some(agent),
            programs: Vec::new(),
            home: Vec::new(),
            config: None,
            prelude: None,
            keep_minutes: 0.0,
        }
    }

    /// With a flag more.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// With a variable more, for the server and whatever it starts.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// With a `claude` that runs this line of shell instead.
    #[must_use]
    pub fn agent(mut self, line: impl Into<String>) -> Self {
        self.agent = Some(line.into());
        self
    }

    /// With no `claude` on the PATH.
    #[must_use]
    pub fn without_agent(mut self) -> Self {
        self.agent = None;
        self
    }

    /// With a program more on the PATH.
    #[must_use]
    pub fn program(mut self, name: impl Into<String>, file: impl Into<PathBuf>) -> Self {
        self.programs.push((name.into(), file.into()));
        self
    }

    /// With a file in the home.
    #[must_use]
    pub fn home(mut self, path: impl Into<String>, text: impl Into<String>) -> Self {
        self.home.push((path.into(), text.into()));
        self
    }

    /// With this in the user's configuration file.
    #[must_use]
    pub fn config(mut self, text: impl Into<String>) -> Self {
        self.config = Some(text.into());
        self
    }

    /// With agents that wait for their next turn. Otherwise each turn is a program of its own, whose end can be seen.
    #[must_use]
    pub const fn keeping(mut self, minutes: f64) -> Self {
        self.keep_minutes = minutes;
        self
    }

    /// After this line of shell, such as one that sets a limit.
    #[must_use]
    pub fn prelude(mut self, line: impl Into<String>) -> Self {
        self.prelude = Some(line.into());
        self
    }

    /// Starts the server in a new folder.
    pub async fn start(self) -> TestServer {
        let folder = tempfile::Builder::new().prefix("forge-test-").tempdir().expect("a temporary folder");
        prepare(folder.path(), &self);
        let family = Family::new();
        let (child, _stdout, port) = launch(&self, folder.path(), &family).await;
        let http = reqwest::Client::builder()
            .no_proxy()
            // A connection that the server closes in the very moment we use it again is no test's business.
            .pool_max_idle_per_host(0)
            .build()
            .expect("an HTTP client");
        TestServer { setup: self, family, child, _stdout, port, http, token: None, folder }
    }
}

/// A running server. When it is dropped, it and every process it started are killed and its folder is removed.
#[derive(Debug)]
pub struct TestServer {
    setup: Setup,
    family: Family,
    child: Child,
    /// Held so that the server can go on printing.
    _stdout: Lines<BufReader<ChildStdout>>,
    port: u16,
    http: reqwest::Client,
    token: Option<String>,
    folder: tempfile::TempDir,
}

impl TestServer {
    /// Starts `forge` as [`Setup::new`] says.
    pub async fn start(forge: impl Into<PathBuf>) -> Self {
        Setup::new(forge).start().await
    }

    /// Where it listens.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// `path` as a URL of this server.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// A folder for the test's own files, removed with the server.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The server's data folder.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// What the server has logged.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder().join("server.log")).unwrap_or_default()
    }

    /// The processes that the server started and that still run, itself included.
    #[must_use]
    pub const fn family(&self) -> &Family {
        &self.family
    }

    /// The server's process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id().expect("the server runs")
    }

    /// Sends the server's token from here on.
    pub fn use_token(&mut self) {
        let token = fs::read_to_string(self.data().join("token")).expect("a token file");
        self.token = Some(token.trim().to_owned());
    }

    /// A request that is not sent yet.
    pub fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.http.request(method, self.url(path));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Status and body of a GET.
    pub async fn get(&self, path: &str) -> (u16, Value) {
        answer(self.request(Method::GET, path)).await
    }

    /// Status and body of a POST.
    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        answer(self.request(Method::POST, path).json(&body)).await
    }

    /// Status and body of a PUT.
    pub async fn put(&self, path: &str, body: Value) -> (u16, Value) {
        answer(self.request(Method::PUT, path).json(&body)).await
    }

    /// Status and body of a DELETE.
    pub async fn delete(&self, path: &str) -> (u16, Value) {
        answer(self.request(Method::DELETE, path)).await
    }

    /// One number of `/metrics`, by its name with labels; none where there is no such line.
    pub async fn metric(&self, name: &str) -> Option<f64> {
        let (status, body) = self.get("/metrics").await;
        assert_eq!(status, 200, "{body}");
        let text = body.as_str().expect("metrics are text");
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
        Some(line.parse().expect("a number"))
    }

    /// Asks for a number until it is as `wanted`.
    pub async fn until_metric(&self, name: &str, wanted: impl Fn(f64) -> bool) -> f64 {
        let looked = tokio::time::timeout(DEADLINE, async {
            loop {
                if let Some(value) = self.metric(name).await.filter(|value| wanted(*value)) {
                    return value;
                }
            }
        });
        looked.await.unwrap_or_else(|_elapsed| panic!("{name} is never as wanted"))
    }

    /// The event stream after a position, or from now on.
    pub async fn events(&self, after: Option<i64>) -> Events {
        let query = after.map(|after| format!("?after={after}")).unwrap_or_default();
        Events::open(self.request(Method::GET, &format!("/api/events{query}"))).await
    }

    /// What a process printed and prints, after a position.
    pub async fn logs(&self, process: &str, after: u64) -> Logs {
        let path = format!("/api/execution-processes/{process}/raw-logs/ws?after={after}");
        Logs::open(&self.url(&path), self.token.as_deref()).await
    }

    /// The log socket at a path.
    pub async fn logs_at(&self, path: &str) -> Logs {
        Logs::open(&self.url(path), self.token.as_deref()).await
    }

    /// What the agent of a process said and did.
    pub async fn transcript(&self, process: &str) -> Transcript {
        self.transcript_after(process, Vec::new(), 0).await
    }

    /// The same for who has these entries, up to a position.
    pub async fn transcript_after(&self, process: &str, entries: Vec<Value>, after: u64) -> Transcript {
        let path = format!("/api/execution-processes/{process}/normalized-logs/ws?after={after}");
        Transcript::new(self.logs_at(&path).await, entries, after)
    }

    /// The task, once it is as `wanted`.
    pub async fn until_task(&self, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.until(&format!("/api/tasks/{id}"), "task_update", wanted).await
    }

    /// The attempt, once it is as `wanted`.
    pub async fn until_attempt(&self, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.until(&format!("/api/task-attempts/{id}"), "task_attempt_update", wanted).await
    }

    /// The execution run, once it is as `wanted`.
    pub async fn until_run(&self, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.until(&format!("/api/execution-runs/{id}"), "execution_run_update", wanted).await
    }

    /// The process, once it is as `wanted`.
    pub async fn until_process(&self, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.until(&format!("/api/execution-processes/{id}"), "execution_process_update", wanted).await
    }

    /// Listens before it looks, so that nothing can happen in between.
    async fn until(&self, path: &str, event: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut events = self.events(None).await;
        let (status, body) = self.get(path).await;
        assert_eq!(status, 200, "{path}: {body}");
        let mut last = field(&body, "/data").clone();
        while !wanted(&last) {
            let heard = events.try_next().await;
            let mut message = heard.unwrap_or_else(|why| panic!("{why}; last seen of {path}: {last:#}"));
            let is_it = field(&message.data, "/id") == field(&last, "/id");
            if message.event == event && is_it {
                if let Some(attempt) = message.data.as_object_mut().filter(|_| event == "task_attempt_update")
                {
                    // Its task's, which the attempt itself does not have.
                    attempt.remove("title");
                }
                last = message.data;
            }
        }
        last
    }

    /// Kills the server, and it alone, without warning.
    pub async fn kill_9(&mut self) {
        self.child.kill().await.expect("the server can be killed");
    }

    /// Starts the server again on the same folder.
    pub async fn restart(&mut self) {
        (self.child, self._stdout, self.port) = launch(&self.setup, self.folder.path(), &self.family).await;
    }

    /// Starts the server again, and kills it after a while, whether or not it serves by then.
    pub async fn start_and_kill(&mut self, after: Duration) {
        let mut child = spawn(&self.setup, self.folder.path(), &self.family);
        if let Ok(ended) = tokio::time::timeout(after, child.wait()).await {
            panic!("the server ended by itself: {ended:?}\n{}", self.log());
        }
        child.kill().await.expect("the server can be killed");
    }

    /// From its next start on, agents wait this long for their next turn.
    pub const fn set_keeping(&mut self, minutes: f64) {
        self.setup.keep_minutes = minutes;
    }

    /// From its next start on, the server has this variable.
    pub fn set_env(&mut self, name: &str, value: &str) {
        self.unset_env(name);
        self.setup.env.push((name.into(), value.into()));
    }

    /// From its next start on, the server does not have this variable.
    pub fn unset_env(&mut self, name: &str) {
        self.setup.env.retain(|(known, _)| known != name);
    }

    /// Asks the server to end as `kill` does, and waits until it has.
    pub async fn terminate(&mut self) -> ExitStatus {
        self.ask_to_end();
        self.ended().await
    }

    /// Asks the server to end as `kill` does.
    pub fn ask_to_end(&self) {
        family::terminate(self.pid());
    }

    /// Waits until the server has ended.
    pub async fn ended(&mut self) -> ExitStatus {
        let ended = tokio::time::timeout(DEADLINE, self.child.wait()).await;
        ended.expect("the server ends").expect("its end is seen")
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.family.kill();
        if std::thread::panicking() {
            use std::io::Write as _;
            drop(writeln!(std::io::stderr(), "--- the server's log ---\n{}", self.log()));
        }
    }
}

/// What the server needs around it: a home without anybody's settings, and an agent.
fn prepare(folder: &Path, setup: &Setup) {
    for name in ["home", "bin", "tmp"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    let identity = "[user]\n\tname = Test\n\temail = test@localhost\n[init]\n\tdefaultBranch = main\n";
    fs::write(folder.join("home/.gitconfig"), identity).unwrap();
    let config = setup.config.as_deref().map(|text| (".config/forge/config.toml", text));
    let files = setup.home.iter().map(|(path, text)| (path.as_str(), text.as_str()));
    for (path, text) in files.chain(config) {
        let path = folder.join("home").join(path);
        fs::create_dir_all(path.parent().expect("a file in the home")).unwrap();
        fs::write(path, text).unwrap();
    }
    for (name, file) in &setup.programs {
        std::os::unix::fs::symlink(file, folder.join("bin").join(name)).unwrap();
    }
    if let Some(agent) = &setup.agent {
        let path = folder.join("bin/claude");
        fs::write(&path, format!("#!/bin/sh\n{agent}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Starts the program and reads the port from the line that it prints once it serves.
async fn launch(
    setup: &Setup,
    folder: &Path,
    family: &Family,
) -> (Child, Lines<BufReader<ChildStdout>>, u16) {
    let mut child = spawn(setup, folder, family);
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let line = tokio::time::timeout(DEADLINE, lines.next_line()).await;
    let port = match &line {
        Ok(Ok(Some(line))) => line.rsplit(':').next().and_then(|port| port.parse().ok()),
        Ok(Ok(None) | Err(_)) | Err(_) => None,
    };
    let Some(port) = port else {
        family.kill();
        let log = fs::read_to_string(folder.join("server.log")).unwrap_or_default();
        panic!("the server did not say where it listens: {line:?}\n{log}");
    };
    (child, lines, port)
}

/// Starts the program.
fn spawn(setup: &Setup, folder: &Path, family: &Family) -> Child {
    let log = fs::File::options().create(true).append(true).open(folder.join("server.log")).unwrap();
    let mut path = folder.join("bin").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut command = program(setup);
    command
        .args(["serve", "--port", "0", "--data"])
        .arg(folder.join("data"))
        .args(["--keep-agents-minutes", &setup.keep_minutes.to_string()])
        .args(&setup.args)
        // What the tests themselves run in must not reach the server.
        .env_clear()
        .env("PATH", path)
        .env("HOME", folder.join("home"))
        .env("TMPDIR", folder.join("tmp"))
        .env("SCRIPTED_AGENT_HOME", folder.join("tmp"))
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C.UTF-8")
        .env("FORGE_LOG", "debug,hyper=info")
        .envs(family.mark())
        .envs(setup.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log);
    command.spawn().expect("forge can be started")
}

/// The program itself, or a shell that becomes it.
#[expect(clippy::disallowed_methods, reason = "the program under test")]
fn program(setup: &Setup) -> tokio::process::Command {
    let Some(prelude) = &setup.prelude else { return tokio::process::Command::new(&setup.forge) };
    let mut shell = tokio::process::Command::new("/bin/sh");
    shell.arg("-c").arg(format!("{prelude}; exec \"$0\" \"$@\"")).arg(&setup.forge);
    shell
}

async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = tokio::time::timeout(DEADLINE, request.send()).await;
    let response = response.expect("an answer in time").expect("an answer");
    let status = response.status().as_u16();
    let body = tokio::time::timeout(DEADLINE, response.bytes()).await;
    let body = body.expect("a whole answer in time").expect("a whole answer");
    (status, serde_json::from_slice(&body).unwrap_or_else(|_| String::from_utf8_lossy(&body).into()))
}

fn field<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    value.pointer(pointer).unwrap_or(&Value::Null)
}
