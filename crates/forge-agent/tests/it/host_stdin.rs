//! Standard input: in order, each write once, and never in the way of anything else.

use std::time::Duration;

use forge_agent::client::AskError;
use forge_agent::host::{Outcome, StdinKind};
use forge_agent::log::{MAX_FRAME, Stream};

use crate::host_kit::{sh, spec, start, willing};

#[tokio::test]
async fn a_repeated_write_is_taken_once() {
    let mut process = start(&spec("cat", &[])).await;
    let connection = &process.connection;
    connection.write(0, b"one ".to_vec()).await.unwrap();
    connection.write(1, b"two ".to_vec()).await.unwrap();
    connection.write(1, b"two ".to_vec()).await.unwrap();
    connection.write(0, b"one ".to_vec()).await.unwrap();
    let again = process.attach().await;
    assert_eq!(again.attached().next_ordinal, 2);
    again.write(1, b"two ".to_vec()).await.unwrap();
    again.write(2, b"three".to_vec()).await.unwrap();
    again.close_stdin(3).await.unwrap();
    connection.close_stdin(3).await.unwrap();
    assert_eq!(process.end().await.outcome, Outcome::Exited { code: 0 });
    assert_eq!(process.stdout(), "one two three");
    let told: Vec<_> = process.frames.iter().filter(|frame| frame.stream == Stream::Stdin).collect();
    assert_eq!(
        told.iter().map(|frame| frame.bytes.as_slice()).collect::<Vec<_>>(),
        [&b"one "[..], b"two ", b"three"]
    );
    assert_eq!(process.frames.iter().filter(|frame| frame.stream == Stream::StdinClosed).count(), 1);
}

#[tokio::test]
async fn a_write_out_of_order_or_after_the_close_is_refused() {
    let mut process = start(&spec("cat", &[])).await;
    let connection = &process.connection;
    let early = connection.write(1, b"late".to_vec()).await;
    assert_eq!(early, Err(AskError::OutOfOrder { ordinal: 1, expected: 0 }));
    connection.close_stdin(0).await.unwrap();
    let closed = connection.write(1, b"more".to_vec()).await;
    assert!(matches!(closed, Err(AskError::StdinClosed | AskError::Ended)), "{closed:?}");
    process.end().await;
    assert_eq!(process.stdout(), "");
    assert_eq!(process.connection.write(1, b"more".to_vec()).await, Err(AskError::Ended));
}

#[tokio::test]
async fn a_program_without_input_finds_its_end_at_once() {
    let mut process = start(&forge_agent::host::Spec { stdin: StdinKind::Null, ..spec("cat", &[]) }).await;
    assert_eq!(process.end().await.outcome, Outcome::Exited { code: 0 });
}

#[tokio::test]
async fn a_program_that_does_not_read_blocks_neither_output_nor_stop() {
    let mut process = start(&willing(0)).await;
    process.until("ready").await;
    let connection = process.connection.clone();
    for ordinal in 0..2 {
        connection.write(ordinal, vec![b'x'; MAX_FRAME]).await.unwrap();
    }
    // What the pipe itself took has made a little room, less than this.
    assert_eq!(connection.write(2, vec![b'x'; MAX_FRAME]).await, Err(AskError::StdinFull));
    assert_eq!(connection.write(2, vec![b'x'; MAX_FRAME + 1]).await, Err(AskError::TooLong));
    connection.stop(Duration::from_secs(60)).await.unwrap();
    let end = process.end().await;
    assert_eq!((end.outcome, end.stopped), (Outcome::Exited { code: 0 }, true));
    assert!(process.stdout().contains("told"));
}

#[tokio::test]
async fn a_program_that_closes_its_input_is_no_failure() {
    let mut process = start(&sh("exec <&-; echo closed; while :; do sleep 1000; done")).await;
    process.until("closed").await;
    process.connection.write(0, b"unread".to_vec()).await.unwrap();
    assert_eq!(process.connection.write(1, b"more".to_vec()).await, Err(AskError::StdinClosed));
    assert_eq!(process.connection.close_stdin(1).await, Ok(()));
    process.connection.stop(Duration::ZERO).await.unwrap();
    process.end().await;
    let note = String::from_utf8(process.bytes(Stream::Note)).unwrap();
    assert!(note.contains("6 bytes unread"), "{note}");
}

#[tokio::test]
async fn a_large_write_arrives_whole() {
    let mut process = start(&sh("wc -c; cat")).await;
    process.connection.write(0, vec![b'x'; 3_000_000]).await.unwrap();
    process.connection.close_stdin(1).await.unwrap();
    process.end().await;
    assert_eq!(process.stdout().trim(), "3000000");
}
