//! A long day in minutes: what a server holds does not grow with what it has done.
//!
//! Shifts of work pass, each with attempts of every fate, follow-ups, readers that leave early, and tasks that come and
//! go. Days pass by collections, which take at once what is closed. What is kept on purpose is counted to the
//! row and to the file; memory, descriptors and threads have a bound that one leak per attempt breaks. `make nightly`
//! sets `FORGE_DAY_ATTEMPTS` to play all of it.

mod held;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{DEADLINE, Setup};
use futures::StreamExt as _;
use futures::stream;
use serde_json::json;

use crate::ground::{Ground, Started};
use crate::{FORGE, data};
use held::Held;

/// Attempts of a day in `make test`; as many come in each shift, so that each has all fates.
const ATTEMPTS: usize = 40;
/// As many tasks come and go for each attempt, beside its own.
const TASKS_PER_ATTEMPT: usize = 4;
/// How much is asked for at once.
const AT_ONCE: usize = 4;
/// One attempt of so many is of each fate.
const FATES: usize = 10;
/// Parts of the day after which is looked; the first is for what is made once and used again.
const SHIFTS: usize = 4;

/// What is there on purpose.
#[derive(Debug, Default, Clone, Copy)]
struct Kept {
    /// Attempts that are done, with all that was printed, and without their worktrees.
    attempts: usize,
    /// Processes of theirs.
    processes: usize,
    /// Branches and snapshots of attempts that were deleted without discarding their work.
    branches: usize,
    /// Those branches, the others' branches, and all snapshots.
    refs: usize,
    /// Answers that a client may ask for again within a day.
    answers: usize,
}

#[tokio::test]
async fn what_a_server_holds_does_not_grow_with_what_it_has_done() {
    #[expect(clippy::disallowed_methods, reason = "how long a test plays is no configuration of Forge")]
    let attempts = match std::env::var("FORGE_DAY_ATTEMPTS") {
        Ok(text) => text.parse().expect("FORGE_DAY_ATTEMPTS is a number"),
        Err(_unset) => ATTEMPTS,
    };
    let setup = Setup::new(FORGE).config("[gc]\nclosed_days = 0.0\n").env("FORGE_LOG", "info");
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let (mut kept, mut seen) = (Kept::default(), Vec::new());
    let rounds = attempts / FATES / SHIFTS;
    for shift in 0..SHIFTS {
        for round in shift * rounds..(shift + 1) * rounds {
            work(&ground, round * FATES..(round + 1) * FATES, &mut kept).await;
        }
        let held = Held::look(&ground).await;
        eprintln!("after {} of {SHIFTS} shifts: {held}, kept {kept:?}", shift + 1);
        held.assert_only(&kept);
        seen.push(held);
    }
    let [first, .., last] = seen.as_slice() else { unreachable!() };
    last.assert_no_bigger_than(first);
}

/// Attempts of each fate, tasks beside them, and a collection.
async fn work(ground: &Ground, numbers: std::ops::Range<usize>, kept: &mut Kept) {
    let tasks =
        stream::iter(0..numbers.len() * TASKS_PER_ATTEMPT).for_each_concurrent(AT_ONCE, |_| task(ground));
    let attempts = stream::iter(numbers).map(async |number| (number, attempt(ground, number).await));
    let attempts = attempts.buffer_unordered(AT_ONCE).collect::<Vec<_>>();
    let (attempts, ()) = tokio::join!(attempts, tasks);
    collect(ground).await;
    let endings = attempts.into_iter().map(async |(number, started)| leave(ground, number, &started).await);
    for left in stream::iter(endings).buffer_unordered(AT_ONCE).collect::<Vec<_>>().await {
        kept.attempts += left.attempts;
        kept.processes += left.processes;
        kept.branches += left.branches;
        kept.refs += left.refs;
        kept.answers += left.answers;
    }
}

/// Collects until nothing is left for a reason that passes: who ends, and a git that tidies the repository now and then,
/// may still be in a worktree.
async fn collect(ground: &Ground) {
    let collecting =
        async { while data(ground.server.post("/api/gc", json!({})).await)["left"] != json!([]) {} };
    assert!(tokio::time::timeout(DEADLINE, collecting).await.is_ok(), "worktrees are left");
}

/// A task that nobody starts.
async fn task(ground: &Ground) {
    let body = json!({"project_id": ground.project_id(), "title": "Think", "description": "of something"});
    let task = data(ground.server.post("/api/tasks", body).await);
    let path = format!("/api/tasks/{}", task["id"].as_str().unwrap());
    assert_eq!(ground.server.delete(&path).await.0, 202);
}

/// An attempt up to its end, and its task closed.
async fn attempt(ground: &Ground, number: usize) -> Started {
    let start = async |steps: &str| ground.start(steps).await;
    let started = match number % FATES {
        0 => {
            let key = format!("key {number}");
            Started { answer: data(ground.try_start_under(&key, &ground.body("@edit a.txt one")).await) }
        }
        1 => start("@exit 3").await,
        2 => {
            let started = start("@until-told").await;
            ground.stop(&started).await;
            started
        }
        3 => {
            let started = start("@say hello").await;
            // It leaves in the middle.
            ground.server.logs(started.process(), 0).await.until("hello").await;
            started
        }
        4 => {
            let started = start("@say hello").await;
            ground.finished(&started).await;
            assert_eq!(ground.follow_up(&started, "@say again").await.0, 200);
            started
        }
        5 => {
            let started = start("@until-told").await;
            assert_eq!(ground.follow_up(&started, "@say never").await.0, 202);
            ground.stop(&started).await;
            started
        }
        _ => start("@say hello").await,
    };
    ground.finished(&started).await;
    let path = format!("/api/tasks/{}", started.task());
    data(ground.server.put(&path, json!({"status": "done"})).await);
    started
}

/// What becomes of an attempt whose worktree is gone: most are discarded, some stay.
async fn leave(ground: &Ground, number: usize, started: &Started) -> Kept {
    let path = format!("/api/task-attempts/{}", started.attempt());
    match number % FATES {
        // A branch, what every turn came to, and what was collected.
        4 => return Kept { attempts: 1, processes: 2, refs: 4, ..Kept::default() },
        0 => return Kept { attempts: 1, processes: 1, refs: 3, answers: 1, ..Kept::default() },
        3 => assert_eq!(ground.server.delete(&path).await.0, 200),
        _ => assert_eq!(ground.server.delete(&format!("{path}?discard=true")).await.0, 200),
    }
    assert_eq!(ground.server.delete(&format!("/api/tasks/{}", started.task())).await.0, 202);
    let branches = usize::from(number % FATES == 3);
    // The same, and that it was deleted.
    Kept { branches, refs: branches * 4, ..Kept::default() }
}

/// The number behind a key, such as a row of `/proc/<pid>/status`.
fn number_of(text: &str, key: &str) -> usize {
    let line =
        text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_else(|| panic!("{key} in {text}"));
    line.split_whitespace().next().unwrap().parse().unwrap()
}
