//! Ten thousand requests made from the description of the API, random and hostile: no fault of ours, no hang, and every
//! answer is what the description says. Ids are mostly those of things that are there, so that requests get far.

mod request;
pub(crate) mod schema;
pub(crate) mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use forge_testkit::server::{DEADLINE, TestServer};
use serde_json::{Value, json};

use crate::contract::described;
use crate::dice::{Dice, times};
use crate::ground::make_project;
use crate::{FORGE, is_finished, raw, started};
use request::{Request, Sent};

/// What the machine of the test lacks, and not the server: programs of other agents.
const LACKS: &[&str] = &["not_installed"];

/// A server with something of everything in it, and what was learnt of its ids.
struct World {
    server: TestServer,
    document: Arc<Value>,
    dice: Dice,
    /// Ids by the collection that they are of: the first word of the path.
    ids: BTreeMap<String, Vec<String>>,
    /// How often there had to be something new to ask about.
    furnished: usize,
    /// An attempt that shows whether there still is.
    home: String,
    /// Operations that went well at least once.
    done: BTreeSet<String>,
    /// A word per request, newest last: what led to a failure.
    story: Vec<String>,
}

impl World {
    async fn new(seed: u64) -> Self {
        let server = TestServer::start(FORGE).await;
        let document = Arc::new(described().await);
        let mut world = Self {
            server,
            document,
            dice: Dice::new(seed),
            ids: BTreeMap::new(),
            furnished: 0,
            home: String::new(),
            done: BTreeSet::new(),
            story: vec![format!("seed {seed}")],
        };
        world.furnish().await;
        world
    }

    /// Things to ask about.
    async fn furnish(&mut self) {
        self.furnished += 1;
        let folder = self.server.folder().join(format!("repository-{}", self.furnished));
        let project = make_project(&self.server, &folder, json!({"use_existing_repo": false})).await;
        let started = started(&self.server, &project, "@say hello\n@edit a.txt one").await;
        self.server.until_attempt(started["attempt_id"].as_str().unwrap(), is_finished).await;
        for (collection, id) in [
            ("projects", &project["id"]),
            ("tasks", &started["id"]),
            ("task-attempts", &started["attempt_id"]),
            ("execution-processes", &started["execution_process_id"]),
        ] {
            self.learn(collection, id);
        }
        self.home = started["attempt_id"].as_str().unwrap().to_owned();
    }

    /// Requests about what is gone show little: what is there is learnt anew.
    async fn look_again(&mut self) {
        for collection in ["projects", "tasks", "task-attempts", "execution-processes", "execution-runs"] {
            self.ids.remove(collection);
        }
        for collection in ["projects", "task-attempts", "execution-runs"] {
            let (_, listed) = self.server.get(&format!("/api/{collection}")).await;
            self.harvest(&format!("/api/{collection}"), &listed);
        }
        for attempt in self.ids.get("task-attempts").cloned().unwrap_or_default() {
            let path = format!("/api/execution-processes?task_attempt_id={attempt}");
            let (_, listed) = self.server.get(&path).await;
            self.harvest("/api/execution-processes", &listed);
        }
    }

    /// When nothing is left to ask about, it is made anew.
    async fn keep_furnished(&mut self) {
        let (status, _) = self.server.get(&format!("/api/task-attempts/{}", self.home)).await;
        if status == 404 {
            self.furnish().await;
        }
    }

    fn learn(&mut self, collection: &str, id: &Value) {
        let ids = self.ids.entry(collection.to_owned()).or_default();
        if let Some(id) = id.as_str()
            && !ids.iter().any(|known| known == id)
        {
            ids.push(id.to_owned());
        }
    }

    /// What an answer tells of new things.
    fn harvest(&mut self, path: &str, answer: &Value) {
        let collection = path.trim_start_matches("/api/").split('/').next().unwrap_or_default().to_owned();
        let found = &answer["data"];
        let listed = found.as_array().into_iter().flatten().take(5);
        for one in listed.chain([found]).filter(|one| one.is_object()) {
            let owner = if path.ends_with("/create-and-start") && path.contains("projects") {
                "task-attempts"
            } else {
                &collection
            };
            if !path.contains("/{id}/") {
                self.learn(owner, &one["id"]);
            }
            for (name, collection) in [
                ("attempt_id", "task-attempts"),
                ("task_id", "tasks"),
                ("execution_process_id", "execution-processes"),
                ("approval_id", "approvals"),
            ] {
                self.learn(collection, &one[name]);
            }
            self.learn("execution-runs", &one["execution_run"]["id"]);
        }
    }

    async fn play(&mut self, requests: usize) {
        let document = Arc::clone(&self.document);
        let operations: Vec<(String, String)> = document["paths"]
            .as_object()
            .unwrap()
            .iter()
            .flat_map(|(path, methods)| {
                methods.as_object().unwrap().keys().map(|method| (path.clone(), method.clone()))
            })
            .collect();
        let mut asked = 0;
        while asked < requests {
            let (path, method) = self.dice.pick(&operations).unwrap().clone();
            // What takes everything away is asked for now and then: there has to be something to ask about.
            if method == "delete" && self.dice.roll(4) > 0 {
                continue;
            }
            asked += 1;
            self.ask(&path, &method).await;
            self.keep_furnished().await;
        }
        assert!(self.server.log().lines().all(|line| !line.contains("panicked")), "{}", self.server.log());
    }

    async fn ask(&mut self, path: &str, method: &str) {
        let document = Arc::clone(&self.document);
        let operation = &document["paths"][path][method];
        let folder = self.server.folder().display().to_string();
        let request = Request::random(&document, operation, path, &self.ids, &folder, &mut self.dice);
        self.story.push(format!("{} {} {}", method.to_uppercase(), request.path, request.body));
        if operation.get("x-frames").is_some() && self.dice.roll(2) == 0 {
            return self.open(&request).await;
        }
        let sent = tokio::time::timeout(DEADLINE, request.send(&self.server, method)).await;
        let Ok(sent) = sent else { panic!("no answer in time: {}", self.tale()) };
        if let Err(wrong) = self.judge(operation, &sent) {
            panic!("{wrong}\n{} {}\n{}", sent.status, sent.text, self.tale());
        }
        if method == "delete" && sent.status < 300 {
            self.look_again().await;
        }
        // What says that it cannot be done yet has done all it can.
        if (200..300).contains(&sent.status) || sent.text.contains("\"not_available_yet\"") {
            self.done.insert(operation["operationId"].as_str().unwrap().to_owned());
            let answer = serde_json::from_str(&sent.text).unwrap_or_default();
            self.harvest(path, &answer);
        }
    }

    /// A WebSocket that is opened and dropped at once.
    async fn open(&mut self, request: &Request) {
        let port = self.server.port();
        let head = format!(
            "GET {} HTTP/1.1\nHost: localhost:{port}\nUpgrade: websocket\nConnection: upgrade\n\
             Sec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
            request.path
        );
        let (status, answer) = raw::head(&self.server, &head).await;
        assert!(status < 500, "{status} {answer}\n{}", self.tale());
    }

    fn judge(&self, operation: &Value, sent: &Sent) -> Result<(), String> {
        let described = &operation["responses"][sent.status.to_string()];
        if sent.status >= 400 && described.is_null() {
            let answer: Value = serde_json::from_str(&sent.text)
                .map_err(|error| format!("a problem outside of the envelope: {error}"))?;
            schema::check(
                &self.document,
                &self.document["components"]["schemas"]["Problem"],
                &answer,
                "problem",
            )?;
            let is_lack =
                sent.status == 503 && LACKS.contains(&answer["error_data"]["code"].as_str().unwrap());
            return if sent.status < 500 || is_lack { Ok(()) } else { Err("a fault of ours".into()) };
        }
        if described.is_null() {
            return Err("the description does not have this status".into());
        }
        let Some(schema) = described.pointer("/content/application~1json/schema") else { return Ok(()) };
        if !sent.media.starts_with("application/json") {
            return Err(format!("{} in place of JSON", sent.media));
        }
        let answer = serde_json::from_str(&sent.text).map_err(|error| error.to_string())?;
        schema::check(&self.document, schema, &answer, "answer")
    }

    /// The last requests, and what the server wrote.
    fn tale(&self) -> String {
        let last = self.story.iter().rev().take(12).rev().cloned().collect::<Vec<_>>().join("\n");
        let log = self.server.log();
        let log: Vec<_> = log.lines().rev().take(15).collect();
        format!("{}\n{last}\n--- log, newest first\n{}", self.story[0], log.join("\n"))
    }
}

/// A quarter of the ten thousand.
async fn play(seed: u64) {
    let mut world = World::new(seed).await;
    world.play(times("FORGE_CONTRACT_REQUESTS", 2_500)).await;
    // Requests that are all refused would show nothing.
    let all = world.document["paths"].as_object().unwrap().values();
    let all: BTreeSet<_> = all
        .flat_map(|methods| methods.as_object().unwrap().values())
        .collect::<Vec<_>>()
        .into_iter()
        .filter(|operation| operation.get("x-frames").is_none())
        .map(|operation| operation["operationId"].as_str().unwrap().to_owned())
        .collect();
    let never: Vec<_> = all.difference(&world.done).collect();
    assert!(never.len() * 4 < all.len(), "of {} operations these never went well: {never:?}", all.len());
}

#[tokio::test]
async fn random_requests_are_answered_as_described_1() {
    play(1).await;
}

#[tokio::test]
async fn random_requests_are_answered_as_described_2() {
    play(2).await;
}

#[tokio::test]
async fn random_requests_are_answered_as_described_3() {
    play(3).await;
}

#[tokio::test]
async fn random_requests_are_answered_as_described_4() {
    play(4).await;
}

/// The judge itself: what does not fit is seen.
#[test]
fn what_does_not_fit_its_schema_is_seen() {
    let document = json!({ "components": { "schemas": { "N": { "type": ["integer", "null"] } } } });
    let shape = json!({
        "type": "object", "required": ["a"],
        "properties": { "a": { "$ref": "#/components/schemas/N" }, "b": { "enum": ["x"] }, "c": { "type": "array", "items": { "type": "string" } } },
    });
    let fits = |value: Value| schema::check(&document, &shape, &value, "v").is_ok();
    assert!(fits(json!({ "a": null, "b": "x", "c": ["s"], "more": 1 })) && fits(json!({ "a": 1 })));
    for wrong in [
        json!([]),
        json!({}),
        json!({ "a": "1" }),
        json!({ "a": 1.5 }),
        json!({ "a": 1, "b": "y" }),
        json!({ "a": 1, "c": [1] }),
    ] {
        assert!(!fits(wrong.clone()), "{wrong}");
    }
}
