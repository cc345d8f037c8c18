//! `kill -9` again and again while attempts are started, followed up and stopped: at the end everything that was
//! asked for is there once, and nothing else is.

use std::collections::BTreeMap;

use futures::future::join_all;
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::life::{Bed, Run, id, sent};

const ROUNDS: usize = 12;
const STARTS: usize = 3;

/// What a round's attempts tell before they are over, in messages: two of the three go on to their end by
/// themselves, and each of these has nine events, of two messages each.
const MESSAGES: u64 = 36;

/// Chooses what happens, the same in every run; when it happens, the machine chooses.
struct Dice(u64);

impl Dice {
    /// A number below `sides`.
    fn throw(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let sides = u64::try_from(from.len()).unwrap();
        (sides > 0).then(|| &from[usize::try_from(self.throw(sides)).unwrap()])
    }
}

/// The agents that wait until they are stopped. The others are never stopped, but told more.
fn waits(key: usize) -> bool {
    key.is_multiple_of(STARTS)
}

fn steps(key: usize) -> String {
    let end = if waits(key) { "\n@until-told" } else { "" };
    format!("@say {key} begins\n@edit {key}.txt {key}\n@say {key} ends{end}")
}

fn start(bed: &Bed, key: usize) -> RequestBuilder {
    bed.start(&steps(key)).header("idempotency-key", format!("key {key}"))
}

/// Sends everything at once and kills the server after so many messages. Tells who was answered with what.
async fn round(bed: &mut Bed, requests: Vec<RequestBuilder>, messages: u64) -> Vec<Option<(u16, Value)>> {
    let mut events = bed.server.events(None).await;
    let load = requests.into_iter().map(async |request| {
        let response = request.send().await.ok()?;
        Some((response.status().as_u16(), response.json().await.ok()?))
    });
    let (answers, ()) = tokio::join!(join_all(load), async {
        for _ in 0..messages {
            events.next().await;
        }
        bed.server.kill_9().await;
    });
    bed.server.restart().await;
    answers
}

/// Waits until nothing runs and nothing waits to.
async fn quiet(bed: &Bed) {
    let mut events = bed.server.events(None).await;
    loop {
        let mut busy = false;
        for attempt in crate::data(bed.server.get("/api/task-attempts").await).as_array().unwrap() {
            let waiting = format!("/api/task-attempts/{}/follow-ups", id(attempt));
            busy |=
                attempt["state"] != "finished" || crate::data(bed.server.get(&waiting).await) != json!([]);
        }
        if !busy {
            return;
        }
        events.next().await;
    }
}

#[tokio::test]
async fn whatever_is_killed_whenever_everything_asked_for_is_there_once() {
    let mut bed = Bed::new().await;
    let mut dice = Dice(42);
    let (mut keys, mut runs): (Vec<usize>, BTreeMap<usize, Run>) = (vec![], BTreeMap::new());
    let mut told: Vec<(String, bool)> = Vec::new();
    for n in 0..ROUNDS {
        keys.extend(n * STARTS..(n + 1) * STARTS);
        let messages = dice.throw(MESSAGES);
        println!("round {n}: {} starts, killed after {messages} messages", keys.len());
        let mut requests: Vec<RequestBuilder> = keys.iter().map(|key| start(&bed, *key)).collect();
        let (waiting, working): (Vec<_>, Vec<_>) = runs.iter().partition(|(key, _)| waits(**key));
        let prompt = format!("@say follow-up {n}");
        let followed = dice.pick(&working).map(|(_, run)| bed.follow_up(run, &prompt));
        let stopped = dice.pick(&waiting).map(|(_, run)| bed.stop(run));
        let follows = followed.is_some();
        requests.extend(followed.into_iter().chain(stopped));
        let answers = round(&mut bed, requests, messages).await;
        for (status, body) in answers.iter().flatten() {
            assert!([200, 202].contains(status), "{status}: {body}");
        }
        if follows {
            told.push((prompt, answers[keys.len()].is_some()));
        }
        let answered = keys.iter().zip(&answers).filter_map(|(key, answer)| Some((*key, answer.as_ref()?)));
        runs.extend(answered.map(|(key, (_, body))| (key, Run::of(&body["data"]))));
        keys.retain(|key| !runs.contains_key(key));
    }
    for key in 0..ROUNDS * STARTS {
        let run = Run::of(&sent(start(&bed, key)).await);
        assert_eq!(*runs.entry(key).or_insert_with(|| run.clone()), run, "key {key} has two attempts");
    }
    for (_, run) in runs.iter().filter(|(key, _)| waits(**key)) {
        sent(bed.stop(run)).await;
    }
    quiet(&bed).await;
    assert_eq!(bed.tasks().await.len(), ROUNDS * STARTS);
    is_once(&bed, &runs, &told).await;
    bed.assert_whole(&[]).await;
}

/// Every agent did what it was told, and was told nothing twice.
async fn is_once(bed: &Bed, runs: &BTreeMap<usize, Run>, told: &[(String, bool)]) {
    let mut prompts: Vec<String> = Vec::new();
    for (key, run) in runs {
        let attempt = bed.attempt(run).await;
        let outcome = if waits(*key) { "stopped" } else { "succeeded" };
        assert_eq!(attempt["outcome"], outcome, "{attempt:#}");
        let processes = bed.processes(&run.attempt).await;
        for process in &processes {
            let prompt = process["executor_action"]["typ"]["prompt"].as_str().unwrap();
            prompts.extend(prompt.lines().filter(|line| line.contains("follow-up")).map(str::to_owned));
        }
        let said = bed.said(&id(&processes[0])).await;
        let whole = [format!("{key} begins"), format!("{key} ends")];
        if waits(*key) {
            // Stopped at any point, but it said nothing twice.
            assert!(whole.starts_with(&said), "{said:?}");
        } else {
            assert_eq!(said, whole);
            assert_eq!(bed.committed(run, &format!("{key}.txt")).await, key.to_string());
        }
    }
    for (prompt, answered) in told {
        let times = prompts.iter().filter(|line| *line == prompt).count();
        // One that was not answered may have been taken all the same.
        assert!(times == 1 || (times == 0 && !answered), "{prompt} was done {times} times");
    }
}
