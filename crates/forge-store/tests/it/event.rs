//! The event log: gapless, in order, and its head.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use forge_model::{Event, Fact, ProjectId, Seq, Timestamp};
use forge_store::{Store, StoreError};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::bed::{Bed, Engine, check_gapless, project, store_test, task};

store_test! {
    async fn the_log_is_paged(bed: &Bed) {
        assert_eq!((bed.head(), bed.store.first_seq().await.unwrap()), (0, 1));
        assert_eq!(bed.store.events_after(0, 10).await.unwrap(), []);
        let project = bed.project().await.id;
        for number in 0..6 {
            bed.store.create_task(&task(project, number)).await.unwrap();
        }
        assert_eq!((bed.head(), bed.store.first_seq().await.unwrap()), (7, 1));
        let page = |events: Vec<Event>| events.iter().map(|event| event.seq).collect::<Vec<Seq>>();
        assert_eq!(page(bed.store.events_after(0, 3).await.unwrap()), [1, 2, 3]);
        assert_eq!(page(bed.store.events_after(5, 3).await.unwrap()), [6, 7]);
        assert_eq!(bed.store.events_after(7, 3).await.unwrap(), []);
        assert_eq!(bed.store.events_after(99, 3).await.unwrap(), []);
        assert_eq!(bed.store.events_after(0, 0).await.unwrap(), []);
        assert_eq!(page(bed.store.events_after(-1, usize::MAX).await.unwrap()).len(), 7);
    }
}

store_test! {
    async fn a_page_of_long_events_is_short_and_never_empty(bed: &Bed) {
        let mut long = task(bed.project().await.id, 0);
        long.description = Some("d".repeat(700_000));
        for _ in 0..5 {
            long.id = forge_model::TaskId::random();
            bed.store.create_task(&long).await.unwrap();
        }
        let (mut lengths, mut after) = (vec![], 0);
        loop {
            let page = bed.store.events_after(after, 100).await.unwrap();
            let Some(last) = page.last() else { break };
            after = last.seq;
            lengths.push(page.len());
        }
        assert_eq!(lengths, [3, 2, 1]);
    }
}

/// Pages the log and waits at its end, as every stream does, until it has seen `count` events.
async fn follow(store: Store, count: usize) -> Vec<Event> {
    let mut head = store.head();
    let mut seen: Vec<Event> = Vec::new();
    loop {
        head.borrow_and_update();
        loop {
            let after = seen.last().map_or(0, |event| event.seq);
            let page = store.events_after(after, 7).await.unwrap();
            if page.is_empty() {
                break;
            }
            seen.extend(page);
        }
        if seen.len() >= count {
            return seen;
        }
        head.changed().await.unwrap();
    }
}

/// Fifty at once, through one store or several.
async fn fifty_writers(bed: &Bed, stores: &[Store]) {
    let project = bed.project().await.id;
    let mut readers = JoinSet::new();
    for store in stores.iter().cycle().take(3) {
        readers.spawn(follow(store.clone(), 1 + 50 * 8));
    }
    let gate = Arc::new(Barrier::new(50));
    let mut writers = JoinSet::new();
    for (writer, store) in (0..50).zip(stores.iter().cycle()) {
        let (store, gate) = (store.clone(), Arc::clone(&gate));
        writers.spawn(async move {
            gate.wait().await;
            for number in 0..8 {
                store.create_task(&task(project, writer * 8 + number)).await.unwrap();
            }
        });
    }
    writers.join_all().await;
    let cards = bed.store.list_cards(project).await.unwrap();
    assert_eq!(cards.len(), 400);
    let logs = readers.join_all().await;
    for log in &logs {
        check_gapless(log);
        assert_eq!(log, &logs[0]);
        assert_eq!(log.len(), 401);
    }
}

store_test! {
    async fn events_are_gapless_and_in_order_under_fifty_writers(bed: &Bed) {
        fifty_writers(bed, std::slice::from_ref(&bed.store)).await;
    }
}

#[tokio::test]
async fn the_heads_of_all_stores_on_postgresql_move_with_every_commit() {
    let bed = Bed::new(Engine::Postgres).await;
    let (second, third) =
        (Store::open(&bed.place()).await.unwrap(), Store::open(&bed.place()).await.unwrap());
    fifty_writers(&bed, &[bed.store.clone(), second.clone(), third.clone()]).await;
    for store in [second, third] {
        let mut head = store.head();
        head.wait_for(|head| *head == 401).await.unwrap();
    }
    bed.store.head().wait_for(|head| *head == 401).await.unwrap();
}

/// After everything.
const LATER: Timestamp = Timestamp::from_millis(i64::MAX);

store_test! {
    async fn old_events_are_forgotten_from_the_front(bed: &Bed) {
        let project = bed.project().await.id;
        for number in 0..9 {
            bed.store.create_task(&task(project, number)).await.unwrap();
        }
        assert_eq!(bed.store.prune_events(100, LATER).await.unwrap(), 0);
        assert_eq!(bed.store.prune_events(4, LATER).await.unwrap(), 6);
        assert_eq!((bed.store.first_seq().await.unwrap(), bed.head()), (7, 10));
        for after in [-1, 0, 5] {
            match bed.store.events_after(after, 3).await {
                Err(error @ StoreError::Pruned { first: 7 }) => {
                    assert_eq!(error.to_string(), "the events before 7 are not kept any more");
                }
                other => panic!("expected that they are gone: {other:?}"),
            }
        }
        for (after, count) in [(6, 4), (9, 1), (10, 0)] {
            assert_eq!(bed.store.events_after(after, 100).await.unwrap().len(), count);
        }
    }
}

store_test! {
    async fn young_events_are_kept_and_no_gap_is_made_by_a_clock_that_went_back(bed: &Bed) {
        let project = bed.project().await.id;
        for number in 0..9 {
            bed.store.create_task(&task(project, number)).await.unwrap();
        }
        assert_eq!(bed.store.prune_events(1, Timestamp::from_millis(0)).await.unwrap(), 0);
        bed.run("UPDATE event SET at = 5").await;
        bed.run("UPDATE event SET at = 7 WHERE seq = 4").await;
        assert_eq!(bed.store.prune_events(1, Timestamp::from_millis(6)).await.unwrap(), 3);
        assert_eq!(bed.store.prune_events(1, Timestamp::from_millis(6)).await.unwrap(), 0);
        assert_eq!(bed.store.first_seq().await.unwrap(), 4);
    }
}

store_test! {
    async fn numbers_go_on_after_all_events_were_forgotten(bed: &mut Bed) {
        assert_eq!(bed.store.prune_events(0, LATER).await.unwrap(), 0);
        let project = bed.project().await.id;
        bed.store.create_task(&task(project, 1)).await.unwrap();
        assert_eq!(bed.store.prune_events(0, LATER).await.unwrap(), 1);
        bed.reopen().await;
        assert_eq!(bed.head(), 2);
        bed.store.create_task(&task(project, 2)).await.unwrap();
        assert_eq!((bed.store.first_seq().await.unwrap(), bed.head()), (2, 3));
    }
}

/// Polls a call so often, then drops it.
async fn poll_times(call: impl Future, times: usize) {
    let mut call = pin!(call);
    let mut polled = 0;
    std::future::poll_fn(|context| {
        polled += 1;
        if call.as_mut().poll(context).is_ready() || polled >= times {
            return Poll::Ready(());
        }
        Poll::Pending
    })
    .await;
}

store_test! {
    async fn a_dropped_call_is_done_as_a_whole_or_not_at_all(bed: &Bed) {
        let project = bed.project().await.id;
        for times in 1..=4 {
            for number in 0..20 {
                poll_times(bed.store.create_task(&task(project, number)), times).await;
            }
        }
        // What was queued before is done before this.
        let last = bed.store.create_task(&task(project, 99)).await.unwrap();
        let cards = bed.store.list_cards(project).await.unwrap();
        let facts = bed.told(1).await;
        assert_eq!(facts.len(), cards.len());
        assert_eq!(facts.last(), Some(&Fact::TaskCreated(last)));
        for card in cards {
            assert!(facts.contains(&Fact::TaskCreated(card)));
        }
    }
}

store_test! {
    async fn a_call_that_was_never_polled_does_nothing(bed: &Bed) {
        let ours = bed.project().await.id;
        drop(bed.store.create_task(&task(ours, 1)));
        bed.store.create_project(&project(2)).await.unwrap();
        assert_eq!(bed.store.list_cards(ours).await.unwrap(), []);
    }
}

store_test! {
    async fn a_refused_write_moves_no_head_and_wakes_nobody(bed: &Bed) {
        let mut head = bed.store.head();
        head.borrow_and_update();
        assert!(bed.store.create_task(&task(ProjectId::random(), 1)).await.is_err());
        assert!(!head.has_changed().unwrap());
        bed.project().await;
        assert!(head.has_changed().unwrap());
    }
}
