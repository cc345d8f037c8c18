//! A PostgreSQL that loses the answer to a commit: the outcome is unknown until the database is asked again.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use forge_testkit::postgres::TestPostgres;
use forge_testkit::server::{Setup, TestServer};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

use crate::{FORGE, code, data, project};

const OPEN: u8 = 0;
/// The next commit that appends events is passed on, its answer is not, and no connection is accepted.
const ARMED: u8 = 1;
/// The same, but the commit is not passed on either.
const ARMED_BEFORE: u8 = 2;
const DOWN: u8 = 3;

/// A way to the database that can break.
struct Proxy {
    port: u16,
    state: Arc<AtomicU8>,
    broken: watch::Sender<bool>,
}

impl Proxy {
    async fn start(socket: PathBuf) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (state, broken) = (Arc::new(AtomicU8::new(OPEN)), watch::channel(false).0);
        let (at, breaks) = (Arc::clone(&state), broken.clone());
        #[expect(clippy::disallowed_methods, reason = "ends with the test's runtime")]
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if at.load(Ordering::SeqCst) == DOWN {
                    continue;
                }
                let server = UnixStream::connect(&socket).await.unwrap();
                tokio::spawn(carry(client, server, Arc::clone(&at), breaks.clone()));
            }
        });
        Self { port, state, broken }
    }

    fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }

    fn arm(&self, state: u8) {
        self.broken.send_replace(false);
        self.state.store(state, Ordering::SeqCst);
    }

    async fn until_broken(&self) {
        self.broken.subscribe().wait_for(|broken| *broken).await.unwrap();
    }

    fn mend(&self) {
        self.broken.send_replace(false);
        self.state.store(OPEN, Ordering::SeqCst);
    }
}

async fn carry(
    mut client: TcpStream,
    mut server: UnixStream,
    state: Arc<AtomicU8>,
    broken: watch::Sender<bool>,
) {
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    let mut breaks = broken.subscribe();
    loop {
        tokio::select! {
            biased;
            () = async { drop(breaks.wait_for(|broken| *broken).await) } => return,
            read = client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return };
                let is_commit = asked[..length].windows(9).any(|words| words == b"pg_notify");
                let armed = state.load(Ordering::SeqCst);
                if is_commit && matches!(armed, ARMED | ARMED_BEFORE) {
                    if armed == ARMED {
                        server.write_all(&asked[..length]).await.unwrap();
                        // The answer shows that the commit is made; nobody else gets to see it.
                        assert!(server.read(&mut answered).await.unwrap() > 0);
                    }
                    state.store(DOWN, Ordering::SeqCst);
                    broken.send_replace(true);
                    return;
                }
                server.write_all(&asked[..length]).await.unwrap();
            }
            read = server.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return };
                if client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn bed() -> (TestPostgres, Proxy, TestServer) {
    let postgres = TestPostgres::start();
    let url = postgres.url();
    let folder = url.split("host=").nth(1).unwrap().split('&').next().unwrap().replace("%2F", "/");
    let proxy = Proxy::start(PathBuf::from(folder).join(".s.PGSQL.5432")).await;
    let server = Setup::new(FORGE).env("DATABASE_URL", proxy.url()).start().await;
    (postgres, proxy, server)
}

fn start_of(project: &Value) -> Value {
    json!({
        "task": {"project_id": project["id"], "title": "t", "description": "@until-told"},
        "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": "DEFAULT"},
        "base_branch": "main",
    })
}

/// Asks to start while the way to the database breaks, and mends the way once the answer is there.
async fn start_while_broken(server: &TestServer, proxy: &Proxy, project: &Value) -> (u16, Value) {
    let request = server.request(reqwest::Method::POST, "/api/tasks/create-and-start");
    let request = request.header("Idempotency-Key", "once").json(&start_of(project)).send();
    let (answer, ()) = tokio::join!(request, proxy.until_broken());
    let answer = answer.unwrap();
    let answer = (answer.status().as_u16(), answer.json().await.unwrap());
    proxy.mend();
    answer
}

async fn start_again(server: &TestServer, project: &Value) -> Value {
    let request = server.request(reqwest::Method::POST, "/api/tasks/create-and-start");
    let answer = request.header("Idempotency-Key", "once").json(&start_of(project)).send().await.unwrap();
    data((answer.status().as_u16(), answer.json().await.unwrap()))
}

#[tokio::test]
async fn start_goes_on_when_commit_answer_is_lost() {
    let (_postgres, proxy, server) = bed().await;
    let project = project(&server).await;
    proxy.arm(ARMED);
    let (status, body) = start_while_broken(&server, &proxy, &project).await;
    assert_eq!((status, code(&body)), (503, "outcome_unknown"), "{body}");
    // The same key gives the start that was made: one attempt, whose agent runs.
    let started = start_again(&server, &project).await;
    let listed = data(server.get("/api/task-attempts").await);
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    let attempt = started["attempt_id"].as_str().unwrap();
    server.until_attempt(attempt, |seen| seen["state"] == "running").await;
    assert!(server.family().host(started["execution_process_id"].as_str().unwrap()).is_some());
    data(server.post(&format!("/api/task-attempts/{attempt}/stop"), json!(null)).await);
}

#[tokio::test]
async fn start_is_undone_when_commit_was_not_made() {
    let (_postgres, proxy, server) = bed().await;
    let project = project(&server).await;
    proxy.arm(ARMED_BEFORE);
    let (status, body) = start_while_broken(&server, &proxy, &project).await;
    assert_eq!((status, code(&body)), (503, "outcome_unknown"), "{body}");
    let started = start_again(&server, &project).await;
    let listed = data(server.get("/api/task-attempts").await);
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    let attempt = started["attempt_id"].as_str().unwrap();
    data(server.post(&format!("/api/task-attempts/{attempt}/stop"), json!(null)).await);
}

#[tokio::test]
async fn write_of_actor_goes_on_when_commit_answer_is_lost() {
    let (_postgres, proxy, server) = bed().await;
    let project = project(&server).await;
    let started = data(server.post("/api/tasks/create-and-start", start_of(&project)).await);
    let attempt = started["attempt_id"].as_str().unwrap();
    proxy.arm(ARMED);
    let path = format!("/api/task-attempts/{attempt}/stop");
    let stop = server.post(&path, json!(null));
    let mend = async {
        proxy.until_broken().await;
        proxy.mend();
    };
    let (_answer, ()) = tokio::join!(stop, mend);
    while server.get(&format!("/api/task-attempts/{attempt}")).await.0 != 200 {}
    let stopped = server.until_attempt(attempt, crate::is_finished).await;
    assert_eq!(stopped["status"], "killed", "{stopped}");
}
