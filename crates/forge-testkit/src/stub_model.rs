//! The model behind the real agent programs: `stub_model.py`, which answers in every wire format they use and does
//! what the prompt says, one step in double brackets per turn.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::gate::Gate;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/stub_model.py");

/// A running stub, on a free port of its own, until it is dropped.
#[derive(Debug)]
pub struct StubModel {
    url: String,
    /// Its standard input is open as long as we live: a test that is killed leaves none behind.
    child: Child,
    folder: tempfile::TempDir,
}

impl StubModel {
    /// Starts a stub.
    ///
    /// # Errors
    /// When there is no Python, or no port to listen on.
    #[expect(clippy::disallowed_methods, reason = "a helper of tests, not an agent")]
    pub fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut child = Command::new("python3")
            .arg(PROGRAM)
            .args(["--until-eof", "--log-bodies", "--log"])
            .arg(folder.path().join("requests"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("failed to start python3")?;
        let stdout = child.stdout.take().context("it has a standard output")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let url =
            line.trim().strip_prefix("listening on ").context("the stub model did not start")?.to_owned();
        Ok(Self { url, child, folder })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it was asked, oldest first: the bodies of the requests that offer tools, which are those of a turn.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.asked().iter().filter_map(|asked| asked.get("body").cloned()).collect()
    }

    /// The names of the models that these were for.
    #[must_use]
    pub fn models(&self) -> Vec<String> {
        self.asked().iter().filter_map(|asked| asked.get("model")?.as_str().map(str::to_owned)).collect()
    }

    fn asked(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.folder.path().join("requests")).unwrap_or_default();
        let asked = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        asked.filter(|asked| asked.pointer("/tools/0").is_some()).collect()
    }

    /// A step at which the model thinks until the test lets it go on.
    #[must_use]
    pub fn pause(&self, name: &str) -> Pause {
        Pause::new(self.folder.path().join(name))
    }
}

impl Drop for StubModel {
    fn drop(&mut self) {
        // It is a helper: that it had ended already changes nothing.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Where the model thinks.
#[derive(Debug)]
pub struct Pause {
    folder: PathBuf,
    here: Gate,
    go: Gate,
}

impl Pause {
    #[expect(clippy::expect_used, reason = "what goes wrong in here fails the test")]
    fn new(folder: PathBuf) -> Self {
        std::fs::create_dir(&folder).expect("a new folder");
        let (here, go) = (Gate::new(folder.join("here")), Gate::new(folder.join("go")));
        Self { folder, here, go }
    }

    /// What to write into the prompt.
    #[must_use]
    pub fn step(&self) -> String {
        format!("[[wait {}]]", self.folder.display())
    }

    /// Waits until the model has come here.
    pub async fn reached(&self) {
        self.here.reached().await;
    }

    /// Lets the model go on.
    pub async fn open(&self) {
        self.go.open().await;
    }
}
