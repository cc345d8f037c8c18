//! `kill -9` again and again while agents print and attempts are started, followed up, stopped and deleted: after each
//! every agent runs and is attached, and in the end everything that was asked for is there once, and nothing else is.
//! `FORGE_CHAOS_ROUNDS` says how often each test kills.

use std::collections::BTreeMap;
use std::mem::take;

use forge_testkit::server::Setup;
use futures::future::join_all;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::FORGE;
use crate::database::{Database, on_each_database};
use crate::dice::{Dice, times};
use crate::life::{Bed, Run, answered, id, sent};
use crate::talker::Talker;

const ROUNDS: usize = 10;
const STARTS: usize = 2;
const TALKERS: usize = 2;

/// Every so many rounds all comes to its end, is looked at and is given up, so that nothing grows with the rounds.
const LEG: usize = 5;

/// The server is killed after so many messages at most: what a round's attempts tell before they are over. One of the
/// two goes on to its end by itself, and has nine events, of two messages each, as has a follow-up.
const MESSAGES: usize = 36;

/// Or after an agent was heard to print so often.
const LINES: usize = 10;

on_each_database! {
    whatever_is_killed_everything_is_there_once_in_the_first_storm: storm(1);
    whatever_is_killed_everything_is_there_once_in_the_second_storm: storm(2);
    whatever_is_killed_everything_is_there_once_in_the_third_storm: storm(3);
    whatever_is_killed_everything_is_there_once_in_the_fourth_storm: storm(4);
    whatever_is_killed_everything_is_there_once_in_the_fifth_storm: storm(5);
    whatever_is_killed_everything_is_there_once_in_the_sixth_storm: storm(6);
    whatever_is_killed_everything_is_there_once_in_the_seventh_storm: storm(7);
    whatever_is_killed_everything_is_there_once_in_the_eighth_storm: storm(8);
    whatever_is_killed_everything_is_there_once_in_the_ninth_storm: storm(9);
    whatever_is_killed_everything_is_there_once_in_the_tenth_storm: storm(10);
}

#[expect(clippy::print_stdout, reason = "a failure is played again by its seed")]
async fn storm(database: Database, seed: u64) {
    let setup = Setup::new(FORGE);
    // In every other, starts take spares.
    let setup = if seed.is_multiple_of(2) { setup.config("[pool]\nmin_files = 1\n") } else { setup };
    let bed = Bed::with_on(database, setup).await;
    let mut storm = Storm {
        bed,
        dice: Dice::new(seed),
        talkers: Vec::new(),
        unanswered: Vec::new(),
        runs: BTreeMap::new(),
        told: Vec::new(),
        over: Vec::new(),
        removed: Vec::new(),
    };
    let rounds = times("FORGE_CHAOS_ROUNDS", ROUNDS);
    for n in 0..rounds {
        println!("seed {seed}, round {n}");
        if n.is_multiple_of(LEG) {
            storm.set_out(n).await;
        }
        storm.round(n).await;
        if (n + 1).is_multiple_of(LEG) || n + 1 == rounds {
            storm.settle().await;
        }
    }
}

/// One thing that is asked of the server which is killed.
enum Asked {
    Start(usize),
    FollowUp(Run, String),
    Stop(Run),
    Remove(Run),
}

struct Storm {
    bed: Bed,
    dice: Dice,
    talkers: Vec<Talker>,
    /// The keys of starts that nobody heard of again.
    unanswered: Vec<usize>,
    runs: BTreeMap<usize, Run>,
    /// The follow-ups, and whether they were answered.
    told: Vec<(String, bool)>,
    /// What was looked at and may go.
    over: Vec<Run>,
    /// The branches of what is gone.
    removed: Vec<String>,
}

/// The agents that wait until they are stopped. The others are never stopped, but told more.
fn waits(key: usize) -> bool {
    key.is_multiple_of(STARTS)
}

fn said(key: usize) -> Vec<String> {
    let lines = (1..=20).map(|line| format!("line {line} "));
    [format!("{key} begins")].into_iter().chain(lines).chain([format!("{key} ends")]).collect()
}

impl Storm {
    fn request(&self, asked: &Asked) -> RequestBuilder {
        match asked {
            Asked::Start(key) => {
                let end = if waits(*key) { "\n@until-told" } else { "" };
                let steps =
                    format!("@say {key} begins\n@flood 20\n@edit {key}.txt {key}\n@say {key} ends{end}");
                self.bed.start(&steps).header("idempotency-key", format!("key {key}"))
            }
            Asked::FollowUp(run, prompt) => self.bed.follow_up(run, prompt),
            Asked::Stop(run) => self.bed.stop(run),
            Asked::Remove(run) => {
                self.bed.server.request(Method::DELETE, &format!("/api/tasks/{}", run.task))
            }
        }
    }

    async fn set_out(&mut self, n: usize) {
        for talker in 0..TALKERS {
            self.talkers.push(Talker::start(&self.bed, format!("talker-{n}-{talker}")).await);
        }
    }

    /// New starts and those that were not answered, and something for one of each that there is already.
    fn choose(&mut self, n: usize) -> Vec<Asked> {
        self.unanswered.extend(n * STARTS..(n + 1) * STARTS);
        let mut asked: Vec<Asked> = take(&mut self.unanswered).into_iter().map(Asked::Start).collect();
        let (waiting, working): (Vec<_>, Vec<_>) = self.runs.iter().partition(|(key, _)| waits(**key));
        let follow_up =
            |(_, run): &(&usize, &Run)| Asked::FollowUp((*run).clone(), format!("@say follow-up {n}"));
        asked.extend(self.dice.pick(&working).map(follow_up));
        asked.extend(self.dice.pick(&waiting).map(|(_, run)| Asked::Stop((*run).clone())));
        asked.extend(self.dice.pick(&self.over).cloned().map(Asked::Remove));
        asked
    }

    /// Asks for everything at once, kills the server meanwhile, and sees who goes on.
    #[expect(clippy::print_stdout, reason = "a failure is played again by its seed")]
    async fn round(&mut self, n: usize) {
        let asked = self.choose(n);
        let requests: Vec<RequestBuilder> = asked.iter().map(|asked| self.request(asked)).collect();
        let load = requests.into_iter().map(async |request| {
            let response = request.send().await.ok()?;
            Some((response.status().as_u16(), response.json().await.ok()?))
        });
        let mut events = self.bed.server.events(None).await;
        let by_messages = self.dice.roll(2) == 0;
        let messages = if by_messages { self.dice.roll(MESSAGES) } else { usize::MAX };
        // When nothing is left to be told of, somebody is still heard.
        let lines = if by_messages { 20 * LINES } else { self.dice.roll(LINES) };
        println!("{} are asked for; killed after {messages} messages or {lines} lines", asked.len());
        let (server, talker) = (&mut self.bed.server, &mut self.talkers[0]);
        let (answers, ()) = tokio::join!(join_all(load), async {
            let told = async {
                for _ in 0..messages {
                    events.next().await;
                }
            };
            let printed = async {
                for _ in 0..lines {
                    talker.hear().await;
                }
            };
            tokio::select! {
                () = told => {}
                () = printed => {}
            }
            server.kill_9().await;
        });
        self.bed.server.restart().await;
        for (asked, answer) in asked.into_iter().zip(answers) {
            self.take(asked, answer);
        }
        for talker in &mut self.talkers {
            talker.is_attached(&self.bed).await;
        }
    }

    fn take(&mut self, asked: Asked, answer: Option<(u16, Value)>) {
        let accepted = |status: u16| match asked {
            // An earlier one may have been heard although it was not answered.
            Asked::Remove(_) => status < 300 || status == 404,
            _ => status < 300,
        };
        if let Some((status, body)) = &answer {
            assert!(accepted(*status), "{status}: {body}");
        }
        match (asked, answer) {
            (Asked::Start(key), Some((_, body))) => drop(self.runs.insert(key, Run::of(&body["data"]))),
            (Asked::Start(key), None) => self.unanswered.push(key),
            (Asked::FollowUp(_, prompt), answer) => self.told.push((prompt, answer.is_some())),
            (Asked::Remove(run), Some(_)) => {
                self.over.retain(|other| *other != run);
                self.removed.push(run.branch);
            }
            (Asked::Stop(_) | Asked::Remove(_), _) => {}
        }
    }

    /// Brings everything but the talkers to its end, sees that it is as it should be, and gives it up.
    async fn settle(&mut self) {
        for run in take(&mut self.over) {
            let (status, body) = answered(self.request(&Asked::Remove(run.clone()))).await;
            assert!(status < 300 || status == 404, "{status}: {body}");
            self.removed.push(run.branch);
        }
        let known: Vec<usize> = self.runs.keys().copied().chain(take(&mut self.unanswered)).collect();
        for key in known {
            let run = Run::of(&sent(self.request(&Asked::Start(key))).await);
            assert_eq!(
                *self.runs.entry(key).or_insert_with(|| run.clone()),
                run,
                "key {key} has two attempts"
            );
            if waits(key) {
                sent(self.bed.stop(&run)).await;
            }
        }
        self.quiet().await;
        assert_eq!(self.bed.tasks().await.len(), self.runs.len() + self.talkers.len());
        self.is_once().await;
        self.bed.assert_whole(&self.removed).await;
        for talker in take(&mut self.talkers) {
            self.over.push(talker.finish(&self.bed).await);
        }
        self.bed.assert_whole(&self.removed).await;
        self.over.extend(take(&mut self.runs).into_values());
        self.told.clear();
    }

    /// Waits until nothing runs but the talkers, and nothing waits to.
    async fn quiet(&self) {
        let mut events = self.bed.server.events(None).await;
        for run in self.runs.values() {
            let waiting = format!("/api/task-attempts/{}/follow-ups", run.attempt);
            // In this order: once nothing waits, only what runs already can be.
            while crate::data(self.bed.server.get(&waiting).await) != json!([])
                || !crate::is_finished(&self.bed.attempt(run).await)
            {
                events.next().await;
            }
        }
    }

    /// Every agent did what it was told, and was told nothing twice.
    async fn is_once(&self) {
        let mut prompts: Vec<String> = Vec::new();
        for (key, run) in &self.runs {
            let attempt = self.bed.attempt(run).await;
            let outcome = if waits(*key) { "stopped" } else { "succeeded" };
            assert_eq!(attempt["outcome"], outcome, "{attempt:#}");
            let processes = self.bed.processes(&run.attempt).await;
            for process in &processes {
                let prompt = process["executor_action"]["typ"]["prompt"].as_str().unwrap();
                prompts.extend(prompt.lines().filter(|line| line.contains("follow-up")).map(str::to_owned));
            }
            let (said, whole) = (self.bed.said(&id(&processes[0])).await, said(*key));
            if waits(*key) {
                // Stopped at any point, but it said nothing twice.
                assert!(whole.starts_with(&said), "{said:?}");
            } else {
                assert_eq!(said, whole);
                assert_eq!(self.bed.committed(run, &format!("{key}.txt")).await, key.to_string());
            }
        }
        for (prompt, answered) in &self.told {
            let times = prompts.iter().filter(|line| *line == prompt).count();
            // One that was not answered may have been taken all the same.
            assert!(times == 1 || (times == 0 && !answered), "{prompt} was done {times} times");
        }
    }
}
