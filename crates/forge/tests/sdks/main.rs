//! The MCP SDKs for Python and TypeScript, newest and older, over both transports. `tools/sdks/install` installs them.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "what goes wrong in a test fails it; JSON is looked into by name"
)]

use std::path::{Path, PathBuf};
use std::process::Stdio;

use forge_testkit::server::{DEADLINE, TestServer};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout};

/// The program under test.
const FORGE: &str = env!("CARGO_BIN_EXE_forge");
/// SDKs send a signal to a server that has not exited two seconds after the end of its input.
const SDK_PATIENCE_MS: u64 = 1800;

/// A client that is made of an SDK.
#[derive(Debug, Clone, Copy)]
struct Sdk {
    is_python: bool,
    /// Which of its releases.
    release: &'static str,
    /// The newest revision of the protocol that both sides speak.
    version: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum Transport {
    Http,
    Stdio,
}

/// A client that runs.
struct Client {
    child: Child,
    output: Lines<BufReader<ChildStdout>>,
}

impl Client {
    fn start(sdk: Sdk, transport: Transport, mode: &str, server: &TestServer) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdks");
        let folder = installed();
        #[expect(clippy::disallowed_methods, reason = "a client of the program under test")]
        let mut command = tokio::process::Command::new(if sdk.is_python { "python3" } else { "node" });
        if sdk.is_python {
            command.arg(here.join("client.py")).env("PYTHONPATH", folder.join(sdk.release));
        } else {
            command.arg(here.join("client.mjs")).arg(&folder);
        }
        command.args([sdk.release, mode]);
        match transport {
            Transport::Http => command.arg(server.url("")),
            Transport::Stdio => command.arg(FORGE).arg(server.data()),
        };
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, output }
    }

    /// What it prints next.
    async fn said(&mut self) -> Value {
        let line =
            tokio::time::timeout(DEADLINE, self.output.next_line()).await.expect("a line in time").unwrap();
        let mut complaint = String::new();
        if line.is_none() {
            self.child.stderr.as_mut().unwrap().read_to_string(&mut complaint).await.unwrap();
        }
        serde_json::from_str(&line.expect(&complaint)).unwrap()
    }

    /// Kills it, and waits until nothing that it started is left: all of it has its standard error.
    async fn vanish(mut self) {
        self.child.kill().await.unwrap();
        let mut rest = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        // The call waits for a minute.
        let ended = tokio::time::timeout(DEADLINE / 2, stderr.read_to_string(&mut rest)).await;
        ended.expect("the bridge ends with its client").unwrap();
    }
}

/// Where the SDKs are.
fn installed() -> PathBuf {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/sdks/install");
    #[expect(clippy::disallowed_methods, reason = "tells where the SDKs are")]
    let told = std::process::Command::new(script).arg("--where").output().unwrap();
    assert!(told.status.success(), "{}", String::from_utf8_lossy(&told.stderr));
    String::from_utf8(told.stdout).unwrap().trim().into()
}

async fn check(sdk: Sdk, transport: Transport) {
    let server = TestServer::start(FORGE).await;
    let mut client = Client::start(sdk, transport, "check", &server);
    let mut seen = client.said().await;
    let closed_ms = seen.as_object_mut().unwrap().remove("closed_ms").and_then(|ms| ms.as_u64()).unwrap();
    let expected = json!({
        "version": sdk.version, "tools": 18, "error": [true, "not_found"], "fifty": 50, "canceled": "canceled",
        "after": 18,
    });
    assert_eq!(seen, expected);
    assert!(closed_ms < SDK_PATIENCE_MS, "a call still waits, and the end took {closed_ms} ms");
    assert!(client.child.wait().await.unwrap().success());
}

/// A client that is killed leaves no bridge, and takes no place of others.
async fn vanish(sdk: Sdk, transport: Transport) {
    let server = TestServer::start(FORGE).await;
    let mut client = Client::start(sdk, transport, "wait", &server);
    assert_eq!(client.said().await, json!({"waits": true}));
    client.vanish().await;
    let mut other = Client::start(sdk, transport, "check", &server);
    assert_eq!(other.said().await["fifty"], 50);
}

macro_rules! sdks {
    ($($name:ident = $python:literal $release:literal $version:literal;)+) => {
        $(mod $name {
            use crate::{Sdk, Transport};

            const SDK: Sdk = Sdk { is_python: $python, release: $release, version: $version };

            #[tokio::test]
            async fn speaks_over_http() {
                crate::check(SDK, Transport::Http).await;
            }

            #[tokio::test]
            async fn speaks_over_stdio() {
                crate::check(SDK, Transport::Stdio).await;
            }

            #[tokio::test]
            async fn vanishes_over_http() {
                crate::vanish(SDK, Transport::Http).await;
            }

            #[tokio::test]
            async fn vanishes_over_stdio() {
                crate::vanish(SDK, Transport::Stdio).await;
            }
        })+
    };
}

sdks! {
    // These ask for 2026-07-28 first, and are told what is spoken.
    typescript_newest = false "newest" "2025-11-25";
    python_newest = true "newest" "2025-11-25";
    typescript_sdk = false "sdk" "2025-11-25";
    typescript_older = false "older" "2025-03-26";
    python_older = true "older" "2025-03-26";
}
