//! A PostgreSQL that loses the answer to a commit: the outcome is unknown until the database is asked again.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use forge_testkit::postgres::TestPostgres;
use forge_testkit::server::{Setup, TestServer};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;

use crate::ground::comes_true;
use crate::{FORGE, code, data, project};

const OPEN: u8 = 0;
/// The next commit after the awaited words is passed on, its answer is not, and no connection is accepted.
const ARMED: u8 = 1;
/// The awaited words are not passed on either.
const ARMED_BEFORE: u8 = 2;
const DOWN: u8 = 3;

/// What the commit says that appends events.
const EVENTS: &str = "pg_notify";
/// What is written when a turn begins.
const PROCESS: &str = r#""type":"process_created""#;
/// What is written when a start begins.
const INTENT: &str = r#""fingerprint":"#;
/// How the database says that a commit is made.
const COMMITTED: &[u8] = b"COMMIT\0";

/// A way to the database that can break.
struct Proxy {
    port: u16,
    state: Arc<AtomicU8>,
    awaited: Arc<Mutex<&'static str>>,
    broken: watch::Sender<bool>,
    /// Connections that the database takes for alive after they broke; none unless they are kept.
    kept: Kept,
}

type Kept = Arc<Mutex<Option<Vec<UnixStream>>>>;

impl Proxy {
    async fn start(socket: PathBuf) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (state, broken) = (Arc::new(AtomicU8::new(OPEN)), watch::channel(false).0);
        let (at, breaks) = (Arc::clone(&state), broken.clone());
        let awaited = Arc::new(Mutex::new(EVENTS));
        let words = Arc::clone(&awaited);
        let kept = Kept::default();
        let keeping = Arc::clone(&kept);
        #[expect(clippy::disallowed_methods, reason = "ends with the test's runtime")]
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if at.load(Ordering::SeqCst) == DOWN {
                    continue;
                }
                let server = UnixStream::connect(&socket).await.unwrap();
                let carried = carry(client, server, Arc::clone(&at), Arc::clone(&words), breaks.clone());
                let keeping = Arc::clone(&keeping);
                tokio::spawn(async move {
                    let server = carried.await;
                    if let Some(kept) = keeping.lock().unwrap().as_mut() {
                        kept.push(server);
                    }
                });
            }
        });
        Self { port, state, awaited, broken, kept }
    }

    fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }

    fn arm(&self, state: u8, awaited: &'static str) {
        self.broken.send_replace(false);
        *self.awaited.lock().unwrap() = awaited;
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
    awaited: Arc<Mutex<&'static str>>,
    broken: watch::Sender<bool>,
) -> UnixStream {
    let (mut asked, mut answered) = (vec![0; 65_536], vec![0; 65_536]);
    let mut breaks = broken.subscribe();
    let mut is_asked = false;
    let has = |bytes: &[u8], words: &[u8]| bytes.windows(words.len()).any(|some| some == words);
    loop {
        tokio::select! {
            biased;
            () = async { drop(breaks.wait_for(|broken| *broken).await) } => return server,
            read = client.read(&mut asked) => {
                let Ok(length @ 1..) = read else { return server };
                let armed = state.load(Ordering::SeqCst);
                let words = *awaited.lock().unwrap();
                is_asked |= matches!(armed, ARMED | ARMED_BEFORE) && has(&asked[..length], words.as_bytes());
                if is_asked && armed == ARMED_BEFORE {
                    break;
                }
                server.write_all(&asked[..length]).await.unwrap();
            }
            read = server.read(&mut answered) => {
                let Ok(length @ 1..) = read else { return server };
                // The commit is made; nobody gets to see it.
                if is_asked && has(&answered[..length], COMMITTED) {
                    break;
                }
                if client.write_all(&answered[..length]).await.is_err() {
                    return server;
                }
            }
        }
    }
    state.store(DOWN, Ordering::SeqCst);
    broken.send_replace(true);
    server
}

async fn bed() -> (TestPostgres, Proxy, TestServer) {
    bed_of(Setup::new(FORGE)).await
}

async fn bed_of(setup: Setup) -> (TestPostgres, Proxy, TestServer) {
    let postgres = TestPostgres::start();
    let url = postgres.url();
    let folder = url.split("host=").nth(1).unwrap().split('&').next().unwrap().replace("%2F", "/");
    let proxy = Proxy::start(PathBuf::from(folder).join(".s.PGSQL.5432")).await;
    let agent = format!("echo >> \"$HOME/launches\"; exec '{FORGE}' scripted-agent \"$@\"");
    let server = setup.env("DATABASE_URL", proxy.url()).agent(agent).start().await;
    (postgres, proxy, server)
}

fn start_of(project: &Value) -> Value {
    json!({
        "task": {"project_id": project["id"], "title": "t", "description": "@until-told"},
        "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": "DEFAULT"},
        "base_branch": "main",
    })
}

async fn start(server: &TestServer, project: &Value) -> (u16, Value) {
    let request = server.request(reqwest::Method::POST, "/api/tasks/create-and-start");
    let answer = request.header("Idempotency-Key", "once").json(&start_of(project)).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// Asks to start while the way to the database breaks, twice with one key, and mends the way once the answers are there.
async fn start_while_broken(server: &TestServer, proxy: &Proxy, project: &Value) {
    let again = async {
        proxy.until_broken().await;
        start(server, project).await
    };
    let (first, second) = tokio::join!(start(server, project), again);
    for (status, body) in [first, second] {
        assert_eq!((status, code(&body)), (503, "outcome_unknown"), "{body}");
    }
    proxy.mend();
}

/// Repeats the call until the start is written.
async fn start_again(server: &TestServer, project: &Value) -> Value {
    loop {
        let (status, body) = start(server, project).await;
        if status == 200 {
            return body["data"].clone();
        }
        assert_eq!((status, code(&body)), (503, "outcome_unknown"), "{body}");
    }
}

#[tokio::test]
async fn start_goes_on_when_commit_answer_is_lost() {
    let (_postgres, proxy, server) = bed().await;
    let project = project(&server).await;
    proxy.arm(ARMED, EVENTS);
    start_while_broken(&server, &proxy, &project).await;
    // The same key gives the start that was made: one attempt, whose agent runs.
    let started = start_again(&server, &project).await;
    let listed = data(server.get("/api/task-attempts").await);
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    let attempt = started["attempt_id"].as_str().unwrap();
    server.until_attempt(attempt, |seen| seen["state"] == "running").await;
    assert!(server.family().host(started["execution_process_id"].as_str().unwrap()).is_some());
    data(server.post(&format!("/api/task-attempts/{attempt}/stop"), json!(null)).await);
}

/// The only attempt there is.
async fn only_attempt(server: &TestServer) -> Value {
    let listed = data(server.get("/api/task-attempts").await);
    assert_eq!(listed.as_array().unwrap().len(), 1, "{listed}");
    listed[0].clone()
}

/// How many agents were started.
fn launches(server: &TestServer) -> usize {
    crate::read(server.folder().join("home/launches")).lines().count()
}

/// Starts while the way to the database breaks before these words: the agent works meanwhile, and is the only one.
async fn start_broken_before(words: &'static str) {
    let (_postgres, proxy, server) = bed().await;
    let project = project(&server).await;
    proxy.arm(ARMED_BEFORE, words);
    start_while_broken(&server, &proxy, &project).await;
    let started = start_again(&server, &project).await;
    assert_eq!(only_attempt(&server).await["id"], started["attempt_id"]);
    let process = started["execution_process_id"].as_str().unwrap();
    assert_eq!(crate::ground::names(&server.data().join("processes")), [process]);
    assert!(server.family().host(process).is_some());
    let attempt = started["attempt_id"].as_str().unwrap();
    data(server.post(&format!("/api/task-attempts/{attempt}/stop"), json!(null)).await);
    assert_eq!(launches(&server), 1);
}

#[tokio::test]
async fn start_is_committed_again_after_lost_commit() {
    start_broken_before(EVENTS).await;
}

#[tokio::test]
async fn start_goes_on_while_database_is_away() {
    start_broken_before(PROCESS).await;
}

#[tokio::test]
async fn start_goes_on_while_database_holds_lost_connection() {
    let (_postgres, proxy, server) = bed().await;
    let project = project(&server).await;
    *proxy.kept.lock().unwrap() = Some(Vec::new());
    proxy.arm(ARMED_BEFORE, PROCESS);
    start_while_broken(&server, &proxy, &project).await;
    comes_true("the lost connection still has the database", || {
        server.log().contains("another forge server uses the database")
    })
    .await;
    proxy.kept.lock().unwrap().take();
    let started = start_again(&server, &project).await;
    assert_eq!(only_attempt(&server).await["id"], started["attempt_id"]);
    let attempt = started["attempt_id"].as_str().unwrap();
    data(server.post(&format!("/api/task-attempts/{attempt}/stop"), json!(null)).await);
    assert_eq!(launches(&server), 1);
}

#[tokio::test]
async fn start_goes_on_when_commit_of_intent_is_lost() {
    let (_postgres, proxy, server) = bed().await;
    let project = project(&server).await;
    proxy.arm(ARMED, INTENT);
    start_while_broken(&server, &proxy, &project).await;
    let started = start_again(&server, &project).await;
    assert_eq!(only_attempt(&server).await["id"], started["attempt_id"]);
    let attempt = started["attempt_id"].as_str().unwrap();
    server.until_attempt(attempt, |seen| seen["state"] == "running").await;
    data(server.post(&format!("/api/task-attempts/{attempt}/stop"), json!(null)).await);
}

/// Sends a follow-up whose commit is lost until its sender has been told so. It runs to its end, with so many agents started.
async fn follow_up_with_lost_commit(setup: Setup, agents: usize) {
    let (_postgres, proxy, server) = bed_of(setup).await;
    let project = project(&server).await;
    let started = crate::started(&server, &project, "@say first").await;
    let attempt = started["attempt_id"].as_str().unwrap();
    server.until_attempt(attempt, crate::is_finished).await;
    proxy.arm(ARMED, PROCESS);
    let path = format!("/api/task-attempts/{attempt}");
    let (status, body) =
        server.post(&format!("{path}/follow-up"), json!({"prompt": "@edit a.txt two"})).await;
    assert_eq!((status, code(&body)), (503, "outcome_unknown"), "{body}");
    proxy.mend();
    let processes = format!("/api/execution-processes?task_attempt_id={attempt}");
    let second = loop {
        let (status, body) = server.get(&processes).await;
        if status == 200 && body["data"][1].is_object() {
            break body["data"][1]["id"].as_str().unwrap().to_owned();
        }
    };
    let done = server.until_attempt(attempt, crate::is_finished).await;
    assert_eq!(done["outcome"], "succeeded", "{done}");
    let worktree = std::path::Path::new(done["worktree_path"].as_str().unwrap());
    assert_eq!(crate::read(worktree.join("a.txt")), "two\n");
    data(server.post(&format!("{path}/stop"), json!(null)).await);
    assert!(server.data().join("processes").join(second).join("log").exists());
    assert_eq!(data(server.get(&processes).await).as_array().unwrap().len(), 2);
    assert_eq!(launches(&server), agents);
}

#[tokio::test]
async fn follow_up_goes_on_when_commit_answer_is_lost() {
    follow_up_with_lost_commit(Setup::new(FORGE), 2).await;
}

#[tokio::test]
async fn kept_agent_goes_on_when_commit_answer_is_lost() {
    follow_up_with_lost_commit(Setup::new(FORGE).keeping(30.0), 1).await;
}

#[tokio::test]
async fn write_of_actor_goes_on_when_commit_answer_is_lost() {
    let (_postgres, proxy, server) = bed().await;
    let project = project(&server).await;
    let started = data(server.post("/api/tasks/create-and-start", start_of(&project)).await);
    let attempt = started["attempt_id"].as_str().unwrap();
    proxy.arm(ARMED, EVENTS);
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
