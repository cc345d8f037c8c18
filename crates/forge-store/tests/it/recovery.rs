//! What a server asks at its start.

use crate::bed::{Bed, follow_up, intent_for_new, store_test};

store_test! {
    async fn the_attempts_that_prompts_wait_for_are_told_once_each(bed: &Bed) {
        let project = bed.project().await.id;
        let mut attempts = Vec::new();
        for number in 0..3 {
            attempts.push(bed.started(&intent_for_new(project, number)).await.attempt.id);
        }
        assert_eq!(bed.store.list_waiting_attempts().await.unwrap(), []);
        for attempt in &attempts[..2] {
            for number in 0..2 {
                bed.store.queue_follow_up(&follow_up(*attempt, number)).await.unwrap();
            }
        }
        let mut waiting = attempts[..2].to_vec();
        waiting.sort_unstable();
        assert_eq!(bed.store.list_waiting_attempts().await.unwrap(), waiting);
    }
}

store_test! {
    async fn the_ids_of_all_processes_are_told_and_those_of_intents_are_not(bed: &Bed) {
        let project = bed.project().await.id;
        let intent = intent_for_new(project, 1);
        let begun = bed.store.begin_start(&intent, 20_000..=29_999, |_| true).await.unwrap();
        assert_eq!(bed.store.list_process_ids().await.unwrap(), []);
        let first = bed.store.commit_start(&begun).await.unwrap().process.unwrap().id;
        let second = bed.started(&intent_for_new(project, 2)).await.process.unwrap().id;
        let mut ids = bed.store.list_process_ids().await.unwrap();
        ids.sort_unstable();
        let mut expected = [first, second];
        expected.sort_unstable();
        assert_eq!(ids, expected);
        assert_eq!(begun.task.as_ref().map(|task| task.task().id), begun.attempt.task_id);
    }
}
