//! What turns used up: counted once, and summed.

use forge_model::{Process, ProjectId, TaskId, Usage};

use crate::bed::{Bed, at, ended, intent_for_new, store_test};

fn usage(tokens: u64, cost_micros: Option<u64>) -> Usage {
    Usage { input_tokens: tokens, cached_tokens: 2 * tokens, output_tokens: 3 * tokens, cost_micros }
}

store_test! {
    async fn a_turn_is_counted_once_when_it_ends_and_summed_by_attempt_task_and_project(bed: &Bed) {
        let project = bed.project().await.id;
        let (first, second) = (intent_for_new(project, 1), intent_for_new(project, 2));
        let (first, second) = (bed.started(&first).await, bed.started(&second).await);
        let running = Process { usage: usage(9, None), ..first.process.clone().unwrap() };
        bed.store.update_process(&running).await.unwrap();
        assert_eq!(bed.store.get_attempt(first.attempt.id).await.unwrap().usage, Usage::default());

        let over = Process { usage: usage(10, None), ..ended(first.process.as_ref().unwrap()) };
        bed.store.update_process(&over).await.unwrap();
        // What is written of it later changes nothing.
        let committed = Process { after_head_commit: Some("fedcba".into()), updated_at: at(9), ..over.clone() };
        bed.store.update_process(&committed).await.unwrap();
        assert_eq!(bed.store.get_process(over.id).await.unwrap().usage, usage(10, None));
        assert_eq!(bed.store.get_attempt(first.attempt.id).await.unwrap().usage, usage(10, None));
        let (tasks, attempt) = ([first.task.task.id, second.task.task.id], first.attempt.id);
        assert_eq!(bed.store.task_usage(tasks[0]).await.unwrap(), usage(10, None));
        assert_eq!(bed.store.task_usage(tasks[1]).await.unwrap(), Usage::default());

        let over = Process { usage: usage(5, Some(700)), ..ended(second.process.as_ref().unwrap()) };
        bed.store.update_process(&over).await.unwrap();
        assert_eq!(bed.store.project_usage(project).await.unwrap(), usage(15, Some(700)));
        assert_eq!(bed.store.project_usage(ProjectId::random()).await.unwrap(), Usage::default());
        assert_eq!(bed.store.task_usage(TaskId::random()).await.unwrap(), Usage::default());
        // Whoever changes the attempt does not change what was counted.
        bed.store.update_attempt(&first.attempt).await.unwrap();
        assert_eq!(bed.store.get_attempt(attempt).await.unwrap().usage, usage(10, None));
    }
}
