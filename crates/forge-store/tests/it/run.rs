//! Runs: attempts without a task. They are stored with the attempts and listed beside them, never among them.

use forge_model::{Attempt, AttemptState, Begun, Fact, Outcome, Process, TaskMove};
use forge_store::Advance;

use crate::bed::{
    Bed, approval, assert_conflict, assert_not_found, at, ended, follow_up, intent_for_new, intent_for_run,
    project, store_test,
};

/// The move that ends a run with its process. A task's status would not be moved by accident: there is none.
fn finishing(run: &Begun) -> Advance {
    Advance {
        drop_from: None,
        attempt: Attempt {
            state: AttemptState::Finished { outcome: Outcome::Succeeded },
            updated_at: at(90),
            ..run.attempt.clone()
        },
        expected: run.attempt.state.clone(),
        process_ended: Some(ended(run.process.as_ref().unwrap())),
        process_started: None,
        task: Some(TaskMove::End),
        take_follow_up: None,
        add_follow_up: None,
        drop_follow_ups: false,
    }
}

store_test! {
    async fn a_run_is_started_as_an_attempt_is_and_has_no_task(bed: &Bed) {
        let project = bed.project().await.id;
        let mut intent = intent_for_run(project, 1);
        intent.idempotency_key = Some("key".into());
        let head = bed.head();
        let run = bed.begun(&intent).await;
        assert_eq!(run.task, None);
        assert_eq!(run.attempt.prompt.as_deref(), Some("count the lines"));
        assert_eq!(bed.store.get_attempt(run.attempt.id).await.unwrap(), run.attempt);
        let process = run.process.clone().unwrap();
        assert!(process.in_run);
        assert_eq!(bed.store.get_process(process.id).await.unwrap(), process);
        assert_eq!(bed.store.list_processes(run.attempt.id).await.unwrap(), std::slice::from_ref(&process));
        assert_eq!(bed.store.list_running_processes().await.unwrap(), std::slice::from_ref(&process));
        assert_eq!(bed.store.list_cards(project).await.unwrap(), []);
        assert_eq!(bed.store.find_answer("key").await.unwrap().unwrap().started, run);
        let told = [Fact::AttemptCreated(run.attempt), Fact::ProcessCreated(process)];
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn runs_and_attempts_are_listed_apart(bed: &Bed) {
        let ours = bed.project().await.id;
        let other = project(2);
        bed.store.create_project(&other).await.unwrap();
        let attempt = bed.started(&intent_for_new(ours, 1)).await;
        assert!(!bed.store.get_process(attempt.process.unwrap().id).await.unwrap().in_run);
        let first = bed.begun(&intent_for_run(ours, 2)).await.attempt;
        let second = bed.begun(&intent_for_run(ours, 3)).await.attempt;
        let foreign = bed.begun(&intent_for_run(other.id, 4)).await.attempt;
        assert_eq!(bed.store.list_attempts(None).await.unwrap(), std::slice::from_ref(&attempt.attempt));
        assert_eq!(bed.store.list_runs(Some(ours)).await.unwrap(), [second.clone(), first.clone()]);
        assert_eq!(bed.store.list_runs(None).await.unwrap(), [foreign.clone(), second.clone(), first.clone()]);
        let all = [foreign.clone(), second.clone(), first.clone(), attempt.attempt.clone()];
        assert_eq!(bed.store.list_attempts_and_runs(None).await.unwrap(), all);
        assert_eq!(bed.store.list_attempts_and_runs(Some(other.id)).await.unwrap(), std::slice::from_ref(&foreign));
        // A server that starts finds all that is at work.
        let unfinished = bed.store.list_unfinished_attempts().await.unwrap();
        assert_eq!(unfinished, [attempt.attempt, first, second, foreign]);
    }
}

store_test! {
    async fn a_run_moves_on_and_no_task_hears_of_it(bed: &Bed) {
        let project = bed.project().await.id;
        let run = bed.begun(&intent_for_run(project, 1)).await;
        bed.store.queue_follow_up(&follow_up(run.attempt.id, 2)).await.unwrap();
        let head = bed.head();
        let advance = finishing(&run);
        let advanced = bed.store.advance(advance.clone()).await.unwrap();
        assert_eq!(advanced.task, None);
        let told = [
            Fact::ProcessUpdated(advance.process_ended.unwrap()),
            Fact::AttemptUpdated(advance.attempt.clone()),
        ];
        assert_eq!(bed.told(head).await, told);
        let taken = bed.store.take_worktree(run.attempt.id).await.unwrap();
        assert!(taken.worktree_deleted && taken.prompt.is_some());
        let back = bed.store.return_worktree(run.attempt.id, 20_000..=29_999, |_| true).await.unwrap();
        assert!(!back.worktree_deleted && back.first_port.is_some());
        let named = Attempt { conversation: Some("c".into()), ..back };
        assert_eq!(bed.store.update_attempt(&named).await.unwrap(), named);
    }
}

store_test! {
    async fn a_project_goes_with_its_runs_but_not_while_one_is_at_work_or_begins(bed: &Bed) {
        let project = bed.project().await.id;
        let begun = bed.store.begin_start(&intent_for_run(project, 1), 20_000..=29_999, |_| true).await.unwrap();
        assert_conflict(bed.store.delete_project(project).await, "a start of it is under way");
        let run = bed.store.commit_start(&begun).await.unwrap();
        assert_conflict(bed.store.delete_project(project).await, "an attempt of it runs");
        let process = run.process.clone().unwrap();
        let asked = approval(Some(process.id), 2);
        bed.store.ask_approval(&asked).await.unwrap();
        bed.store.advance(finishing(&run)).await.unwrap();
        let head = bed.head();
        bed.store.delete_project(project).await.unwrap();
        let told = [
            Fact::ApprovalDeleted { id: asked.id },
            Fact::ProcessDeleted { id: process.id, attempt_id: run.attempt.id, project_id: Some(project), in_run: true },
            Fact::AttemptDeleted { id: run.attempt.id, task_id: None, project_id: Some(project) },
            Fact::ProjectDeleted { id: project },
        ];
        assert_eq!(bed.told(head).await, told);
        assert_not_found(bed.store.get_attempt(run.attempt.id).await, "attempt");
        assert_not_found(bed.store.get_approval(asked.id).await, "approval");
    }
}

store_test! {
    async fn a_run_is_deleted_alone(bed: &Bed) {
        let project = bed.project().await.id;
        let bystander = bed.begun(&intent_for_run(project, 1)).await;
        let run = bed.begun(&intent_for_run(project, 2)).await;
        let head = bed.head();
        bed.store.delete_attempt(run.attempt.id).await.unwrap();
        let Process { id, attempt_id, .. } = run.process.unwrap();
        let told = [
            Fact::ProcessDeleted { id, attempt_id, project_id: Some(project), in_run: true },
            Fact::AttemptDeleted { id: run.attempt.id, task_id: None, project_id: Some(project) },
        ];
        assert_eq!(bed.told(head).await, told);
        assert_eq!(bed.store.list_runs(None).await.unwrap(), [bystander.attempt]);
    }
}

store_test! {
    async fn a_run_needs_its_project(bed: &Bed) {
        let gone = forge_model::ProjectId::random();
        let begun = bed.store.begin_start(&intent_for_run(gone, 1), 20_000..=29_999, |_| true).await;
        assert_not_found(begun, "project");
    }
}
