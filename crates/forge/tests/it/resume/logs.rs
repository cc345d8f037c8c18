//! The log socket.

use forge_testkit::server::TestServer;
use forge_testkit::turnstile::Turnstile;

use super::{has_ended, printing, text};
use crate::FORGE;

/// Lines that a script prints, a block each time it is let through.
const BLOCKS: usize = 100;
const BLOCK: usize = 1000;

fn numbers(count: usize) -> String {
    (1..=count).map(|number| format!("{number}\n")).collect()
}

fn blocks(gate: &Turnstile) -> String {
    format!(
        "for block in $(seq 0 {}); do {}; seq $((block * {BLOCK} + 1)) $((block * {BLOCK} + {BLOCK})); done",
        BLOCKS - 1,
        gate.wait()
    )
}

/// How long `numbers(count)` is, without making it.
fn numbers_len(count: usize) -> usize {
    (1..=count).map(|number| number.ilog10() as usize + 2).sum()
}

#[tokio::test]
async fn every_position_of_a_finished_log_gives_the_rest() {
    let server = TestServer::start(FORGE).await;
    let gate = Turnstile::new(&server.folder().join("gate"));
    let script = format!("for n in $(seq 20); do {}; echo $n; echo e$n >&2; done", gate.wait());
    let process = printing(&server, &script).await;
    let mut live = server.logs(&process, 0).await;
    for number in 1..=20 {
        gate.open();
        live.until(&format!("{number}\n")).await;
    }
    live.rest().await;
    server.until_process(&process, has_ended).await;
    let all = server.logs(&process, 0).await.rest().await;
    // Each number came by itself.
    assert!(all.len() > 20, "{all:?}");
    for position in 0..=all.len() {
        let rest = server.logs(&process, position as u64).await.rest().await;
        assert_eq!(rest, all[position..], "after {position}");
    }
}

#[tokio::test]
async fn a_reader_that_does_not_read_holds_nobody_up_and_misses_nothing() {
    let server = TestServer::start(FORGE).await;
    let gate = Turnstile::new(&server.folder().join("gate"));
    // 8 MB: more than fits between two sockets.
    let process = printing(&server, &format!("{}; seq -f '%099.0f' 80000", gate.wait())).await;
    let mut idle = server.logs(&process, 0).await;
    let mut quick = server.logs(&process, 0).await;
    gate.open();
    let all = text(&quick.rest().await);
    assert!(quick.finished());
    let late = text(&idle.rest().await);
    assert!(idle.finished());
    let expected: String = (1..=80_000).map(|number| format!("{number:099}\n")).collect();
    assert!(all == expected, "{} bytes of {}", all.len(), expected.len());
    assert!(late == expected, "{} bytes of {}", late.len(), expected.len());
}

#[tokio::test]
async fn a_log_resumes_over_crashes_of_the_server_while_the_process_prints() {
    let mut server = TestServer::start(FORGE).await;
    let gate = Turnstile::new(&server.folder().join("gate"));
    let process = printing(&server, &blocks(&gate)).await;
    let (mut all, mut position, mut opened) = (String::new(), 0, 0);
    for crash in [10, 11, 40, BLOCKS] {
        let mut logs = server.logs(&process, position).await;
        while all.len() < numbers_len(crash * BLOCK) {
            if opened < BLOCKS && all.len() == numbers_len(opened * BLOCK) {
                gate.open();
                opened += 1;
            }
            all.push_str(&text(&logs.next().await.unwrap()));
            position = logs.position();
        }
        // Somebody prints while nobody listens.
        let ahead = (opened + 3).min(BLOCKS);
        while opened < ahead {
            gate.open();
            opened += 1;
        }
        server.kill_9().await;
        server.restart().await;
    }
    let mut logs = server.logs(&process, position).await;
    all.push_str(&text(&logs.rest().await));
    assert!(logs.finished());
    let expected = numbers(BLOCKS * BLOCK);
    assert!(all == expected, "{} bytes of {}", all.len(), expected.len());
    let whole = text(&server.logs(&process, 0).await.rest().await);
    assert!(whole == expected, "{} bytes of {}", whole.len(), expected.len());
}
