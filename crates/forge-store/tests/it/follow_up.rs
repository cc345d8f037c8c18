//! The queue of an attempt.

use forge_model::{AttemptId, Fact, FollowUp, FollowUpId, QueueExit, Retry, WorktreeReset};

use crate::bed::{
    Bed, assert_conflict, assert_not_found, at, follow_up, intent_for_new, removed, store_test,
};

store_test! {
    async fn prompts_leave_the_queue_in_the_order_in_which_they_came(bed: &Bed) {
        let attempt = bed.started(&intent_for_new(bed.project().await.id, 1)).await.attempt.id;
        let head = bed.head();
        // All of the same millisecond: only the order of their coming tells.
        let prompts: Vec<_> = (0..5).map(|_| follow_up(attempt, 1)).collect();
        for prompt in &prompts {
            bed.store.queue_follow_up(prompt).await.unwrap();
        }
        assert_eq!(bed.store.list_follow_ups(attempt).await.unwrap(), prompts);
        assert_eq!(bed.store.list_follow_ups(AttemptId::random()).await.unwrap(), []);
        assert_eq!(bed.store.remove_follow_up(prompts[2].id).await.unwrap(), prompts[2]);
        let left: Vec<_> = [0, 1, 3, 4].map(|place| prompts[place].clone()).into();
        assert_eq!(bed.store.list_follow_ups(attempt).await.unwrap(), left);
        let mut told: Vec<_> = prompts.iter().cloned().map(Fact::FollowUpQueued).collect();
        told.push(Fact::FollowUpRemoved(removed(&prompts[2], QueueExit::Removed)));
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn of_two_that_take_a_turns_place_the_newer_stands_in_the_queue(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let retry = Retry { process_id: started.process.unwrap().id, worktree: WorktreeReset::Reset };
        let waits = follow_up(started.attempt.id, 1);
        let [older, newer] =
            [2, 3].map(|number| FollowUp { retry: Some(retry), ..follow_up(started.attempt.id, number) });
        for prompt in [&waits, &older] {
            bed.store.queue_follow_up(prompt).await.unwrap();
        }
        let head = bed.head();
        bed.store.queue_follow_up(&newer).await.unwrap();
        let queue = bed.store.list_follow_ups(started.attempt.id).await.unwrap();
        assert_eq!(queue, [newer.clone(), waits]);
        assert_eq!(bed.told(head).await, [Fact::FollowUpRemoved(removed(&older, QueueExit::Removed)), Fact::FollowUpQueued(newer)]);
    }
}

store_test! {
    async fn a_prompt_needs_an_attempt_and_leaves_once(bed: &Bed) {
        assert_not_found(bed.store.queue_follow_up(&follow_up(AttemptId::random(), 1)).await, "attempt");
        assert_not_found(bed.store.remove_follow_up(FollowUpId::random()).await, "follow-up");
        let attempt = bed.started(&intent_for_new(bed.project().await.id, 1)).await.attempt.id;
        let prompt = follow_up(attempt, 1);
        bed.store.queue_follow_up(&prompt).await.unwrap();
        let again = bed.store.queue_follow_up(&prompt).await;
        assert_conflict(again, "the follow-up stands in the queue already");
        bed.store.remove_follow_up(prompt.id).await.unwrap();
        assert_not_found(bed.store.remove_follow_up(prompt.id).await, "follow-up");
    }
}

store_test! {
    async fn prompts_that_interrupt_come_first_and_those_that_wait_for_a_time_are_found(bed: &Bed) {
        let attempt = bed.started(&intent_for_new(bed.project().await.id, 1)).await.attempt.id;
        let plain = follow_up(attempt, 1);
        let urgent = [2, 3].map(|number| FollowUp { interrupt: true, ..follow_up(attempt, number) });
        let later = FollowUp { not_before: Some(at(50)), ..follow_up(attempt, 4) };
        for prompt in [&plain, &urgent[0], &later, &urgent[1]] {
            bed.store.queue_follow_up(prompt).await.unwrap();
        }
        let [first, second] = urgent;
        let queue = [first, second, later, plain.clone()];
        assert_eq!(bed.store.list_follow_ups(attempt).await.unwrap(), queue);
        assert_eq!(bed.store.next_deadline(at(0)).await.unwrap(), Some(at(50)));
        assert_eq!(bed.store.next_deadline(at(50)).await.unwrap(), None);
        assert_eq!(bed.store.list_due_attempts(at(0), at(49)).await.unwrap(), []);
        assert_eq!(bed.store.list_due_attempts(at(49), at(50)).await.unwrap(), [attempt]);
        assert_eq!(bed.store.list_due_attempts(at(50), at(60)).await.unwrap(), []);
        let changed = FollowUp { prompt: "other".into(), variant: None, interrupt: true, ..plain };
        let head = bed.head();
        bed.store.change_follow_up(&changed).await.unwrap();
        assert_eq!(bed.told(head).await, [Fact::FollowUpQueued(changed.clone())]);
        assert_eq!(bed.store.list_follow_ups(attempt).await.unwrap()[0], changed);
        bed.store.remove_follow_up(changed.id).await.unwrap();
        assert_not_found(bed.store.change_follow_up(&changed).await, "follow-up");
    }
}
