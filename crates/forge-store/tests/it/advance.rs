//! Moving an attempt: everything at once, or nothing.

use forge_model::{
    Attempt, AttemptState, Fact, FollowUpId, Outcome, QueueExit, Stage, Task, TaskMove, TaskStatus,
};
use forge_store::{Advance, Advanced, StoreError};

use crate::bed::{
    Bed, assert_conflict, assert_not_found, at, change_to, failure, finishing, follow_up, intent_for_new,
    process, removed, store_test,
};

store_test! {
    async fn a_move_tells_all_that_changed_in_order(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let waiting = [follow_up(started.attempt.id, 2), follow_up(started.attempt.id, 3)];
        for prompt in &waiting {
            bed.store.queue_follow_up(prompt).await.unwrap();
        }
        let head = bed.head();
        let next = process(started.attempt.id, 4);
        let advance = Advance {
            process_started: Some(next.clone()),
            take_follow_up: Some(waiting[0].id),
            ..finishing(&started, failure())
        };
        let done = bed.store.advance(advance.clone()).await.unwrap();
        let card = bed.store.get_card(started.task.task.id).await.unwrap();
        let advanced = Advanced { task: Some(card.clone()), follow_ups: vec![removed(&waiting[0], QueueExit::Sent)], dropped: vec![] };
        assert_eq!(done, advanced);
        assert_eq!((card.task.status, card.last_attempt_failed), (TaskStatus::InReview, true));
        assert_eq!(card.task.updated_at, advance.attempt.updated_at);
        let ended = advance.process_ended.unwrap();
        assert_eq!(bed.store.get_attempt(started.attempt.id).await.unwrap(), advance.attempt);
        let processes = bed.store.list_processes(started.attempt.id).await.unwrap();
        assert_eq!(processes, [ended.clone(), next.clone()]);
        assert_eq!(bed.store.list_follow_ups(started.attempt.id).await.unwrap(), waiting[1..]);
        let told = [
            Fact::ProcessUpdated(ended),
            Fact::ProcessCreated(next),
            Fact::AttemptUpdated(advance.attempt),
            Fact::TaskUpdated(card),
            Fact::FollowUpRemoved(removed(&waiting[0], QueueExit::Sent)),
        ];
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn a_move_that_no_card_shows_tells_nothing_of_the_task(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let head = bed.head();
        let attempt = Attempt {
            state: AttemptState::Running { stage: Stage::Commit },
            updated_at: at(5),
            ..started.attempt.clone()
        };
        let advance = Advance {
            attempt: attempt.clone(),
            task: Some(TaskMove::Begin),
            ..finishing(&started, Outcome::Succeeded)
        };
        let done = bed.store.advance(advance.clone()).await.unwrap();
        assert_eq!(done, Advanced { task: Some(started.task), follow_ups: vec![], dropped: vec![] });
        let told = [Fact::ProcessUpdated(advance.process_ended.unwrap()), Fact::AttemptUpdated(attempt)];
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn turn_does_not_begin_in_closed_task(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let task = started.task.task.clone();
        let closed = Task { status: TaskStatus::Done, ..task };
        bed.store.update_task(closed.id, change_to(&closed), at(2)).await.unwrap();
        let head = bed.head();
        let again = Advance { task: Some(TaskMove::Begin), ..finishing(&started, Outcome::Succeeded) };
        let refused = bed.store.advance(again).await.unwrap_err();
        assert!(matches!(refused, StoreError::TaskClosed), "{refused:?}");
        assert_eq!(bed.told(head).await, []);
        bed.store.reopen_task(closed.id, at(3)).await.unwrap();
        assert_eq!(bed.store.get_task(closed.id).await.unwrap().status, TaskStatus::Todo);
        let head = bed.head();
        bed.store.reopen_task(closed.id, at(4)).await.unwrap();
        assert_eq!(bed.told(head).await, [], "it is open");
    }
}

store_test! {
    async fn a_move_that_changes_nothing_tells_nothing(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let head = bed.head();
        let still = Advance {
            attempt: Attempt { updated_at: at(9), ..started.attempt.clone() },
            process_ended: None,
            task: None,
            ..finishing(&started, Outcome::Succeeded)
        };
        bed.store.advance(still).await.unwrap();
        assert_eq!(bed.told(head).await, []);
        assert_eq!(bed.store.get_attempt(started.attempt.id).await.unwrap(), started.attempt);
    }
}

store_test! {
    async fn a_stop_drops_all_that_waits(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let waiting: Vec<_> = (0..3).map(|number| follow_up(started.attempt.id, number)).collect();
        for prompt in &waiting {
            bed.store.queue_follow_up(prompt).await.unwrap();
        }
        let advance = Advance { drop_follow_ups: true, ..finishing(&started, Outcome::Stopped) };
        let head = bed.head();
        let done = bed.store.advance(advance).await.unwrap();
        let left: Vec<_> = waiting.iter().map(|prompt| removed(prompt, QueueExit::Stopped)).collect();
        assert_eq!(done.follow_ups, left);
        let left: Vec<_> = left.into_iter().map(Fact::FollowUpRemoved).collect();
        assert_eq!(bed.store.list_follow_ups(started.attempt.id).await.unwrap(), []);
        assert_eq!(bed.told(head).await[3..], left);
    }
}

store_test! {
    async fn a_move_decided_in_another_state_is_refused(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let head = bed.head();
        let states = [
            AttemptState::Running { stage: Stage::Setup },
            AttemptState::Stopping { stage: Stage::Agent },
            AttemptState::Finished { outcome: Outcome::Succeeded },
        ];
        for expected in states {
            let advance = Advance { expected, ..finishing(&started, Outcome::Succeeded) };
            assert_conflict(bed.store.advance(advance).await, "the attempt has moved on meanwhile");
        }
        assert_eq!(bed.head(), head);
        assert_eq!(bed.store.get_attempt(started.attempt.id).await.unwrap(), started.attempt);
    }
}

store_test! {
    async fn of_two_moves_out_of_one_state_one_is_made(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let (one, two) = (finishing(&started, Outcome::Succeeded), finishing(&started, Outcome::Stopped));
        let (one, two) = tokio::join!(bed.store.advance(one), bed.store.advance(two));
        assert_eq!(usize::from(one.is_ok()) + usize::from(two.is_ok()), 1);
    }
}

store_test! {
    async fn a_move_that_fails_half_way_leaves_nothing(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let head = bed.head();
        // Everything else is written by the time the prompt is found missing.
        let advance = Advance {
            take_follow_up: Some(FollowUpId::random()),
            ..finishing(&started, Outcome::Succeeded)
        };
        assert_not_found(bed.store.advance(advance.clone()).await, "follow-up");
        assert_eq!(bed.head(), head);
        assert_eq!(bed.told(head).await, []);
        assert_eq!(bed.store.get_attempt(started.attempt.id).await.unwrap(), started.attempt);
        assert_eq!(bed.store.get_process(started.process.as_ref().unwrap().id).await.unwrap(), started.process.unwrap());
        assert_eq!(bed.store.get_card(started.task.task.id).await.unwrap(), started.task);
        bed.store.advance(Advance { take_follow_up: None, ..advance }).await.unwrap();
        assert_eq!(bed.told(head).await.len(), 3);
    }
}

store_test! {
    async fn an_attempt_that_is_gone_does_not_move(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        bed.store.delete_attempt(started.attempt.id).await.unwrap();
        let advance = finishing(&started, Outcome::Succeeded);
        assert_not_found(bed.store.advance(advance).await, "attempt");
    }
}
