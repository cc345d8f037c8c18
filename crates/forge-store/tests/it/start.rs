//! Starts: intent, then record, or nothing.

use std::slice::from_ref;

use forge_model::{
    Attempt, AttemptState, Fact, Outcome, Patch, ProjectId, Task, TaskCard, TaskStatus, Timestamp, UpdateTask,
};
use forge_store::{Answer, Intent, IntentTask, StoreError};

use crate::bed::{
    Bed, assert_conflict, assert_not_found, at, change_to, intent_for, intent_for_new, process, store_test,
    task,
};

const UNDER_WAY: &str = "a start with this idempotency key is under way";
const DONE: &str = "a start with this idempotency key is done already";

async fn begin(bed: &Bed, intent: &Intent) -> Intent {
    bed.store.begin_start(intent, 20_000..=29_999, |_| true).await.unwrap()
}

fn with_key(intent: Intent, key: &str) -> Intent {
    Intent { idempotency_key: Some(key.into()), ..intent }
}

store_test! {
    async fn nobody_sees_a_start_before_it_is_done(bed: &Bed) {
        let project = bed.project().await.id;
        let intent = begin(bed, &intent_for_new(project, 1)).await;
        assert_eq!(bed.store.list_intents().await.unwrap(), from_ref(&intent));
        assert_eq!(bed.store.list_cards(project).await.unwrap(), []);
        assert_eq!(bed.store.list_attempts(None).await.unwrap(), []);
        assert_eq!(bed.store.list_running_processes().await.unwrap(), []);
        assert_not_found(bed.store.get_attempt(intent.attempt.id).await, "attempt");
        assert_eq!(bed.head(), 1);
    }
}

store_test! {
    async fn a_start_makes_task_attempt_and_process_at_once(bed: &Bed) {
        let project = bed.project().await.id;
        let intent = begin(bed, &intent_for_new(project, 1)).await;
        let started = bed.store.commit_start(&intent).await.unwrap().of_task().unwrap();
        let Some(IntentTask::New(task)) = &intent.task else { panic!("a new task") };
        let card = TaskCard {
            task: task.clone(),
            has_in_progress_attempt: true,
            last_attempt_failed: false,
            executor: "CLAUDE_CODE".into(),
            attempt_count: 1,
        };
        assert_eq!(started.task, card);
        assert_eq!(bed.store.get_card(task.id).await.unwrap(), card);
        assert_eq!(bed.store.get_attempt(intent.attempt.id).await.unwrap(), intent.attempt);
        assert_eq!(bed.store.get_process(intent.process.as_ref().unwrap().id).await.unwrap(), intent.process.clone().unwrap());
        assert_eq!(bed.store.list_intents().await.unwrap(), []);
        let told = [
            Fact::TaskCreated(card),
            Fact::AttemptCreated(intent.attempt),
            Fact::ProcessCreated(intent.process.unwrap()),
        ];
        assert_eq!(bed.told(1).await, told);
    }
}

store_test! {
    async fn a_start_of_a_task_that_is_there_changes_only_its_status(bed: &Bed) {
        let old = bed.task(bed.project().await.id).await;
        let intent = begin(bed, &intent_for(&old, 5)).await;
        let renamed = Task { title: "renamed meanwhile".into(), ..old };
        bed.store.update_task(renamed.id, change_to(&renamed), renamed.updated_at).await.unwrap();
        let head = bed.head();
        let started = bed.store.commit_start(&intent).await.unwrap().of_task().unwrap();
        let expected = Task { status: TaskStatus::InProgress, updated_at: at(5), ..renamed };
        assert_eq!(started.task.task, expected);
        let told = [
            Fact::TaskUpdated(started.task),
            Fact::AttemptCreated(started.attempt),
            Fact::ProcessCreated(started.process.unwrap()),
        ];
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn an_abandoned_start_leaves_nothing(bed: &Bed) {
        let project = bed.project().await.id;
        let intent = with_key(intent_for_new(project, 1), "key");
        let begun = begin(bed, &intent).await;
        bed.store.abandon_start(intent.attempt.id).await.unwrap();
        bed.store.abandon_start(intent.attempt.id).await.unwrap();
        assert_eq!(bed.store.list_intents().await.unwrap(), []);
        assert_not_found(bed.store.commit_start(&begun).await, "start");
        assert_eq!(bed.store.list_cards(project).await.unwrap(), []);
        assert_eq!(bed.store.find_answer("key").await.unwrap(), None);
        assert_eq!(bed.head(), 1);
        assert_eq!(begin(bed, &intent).await, begun, "key and ports are free again");
    }
}

store_test! {
    async fn abandoning_a_start_that_is_done_changes_nothing(bed: &Bed) {
        let project = bed.project().await.id;
        let started = bed.started(&intent_for_new(project, 1)).await;
        bed.store.abandon_start(started.attempt.id).await.unwrap();
        assert_eq!(bed.store.get_attempt(started.attempt.id).await.unwrap(), started.attempt);
        let next = begin(bed, &intent_for_new(project, 2)).await;
        assert_ne!(next.attempt.first_port, started.attempt.first_port);
    }
}

store_test! {
    async fn a_start_that_fails_half_way_leaves_nothing(bed: &Bed) {
        let project = bed.project().await.id;
        let intent = begin(bed, &with_key(intent_for_new(project, 1), "key")).await;
        let head = bed.head();
        // Task and attempt can be written; the process then belongs to an attempt that is not there.
        let stray = process(intent_for_new(project, 2).attempt.id, 1);
        let broken = Intent { process: Some(stray), ..intent.clone() };
        assert_not_found(bed.store.commit_start(&broken).await, "attempt");
        assert_eq!(bed.head(), head);
        assert_eq!(bed.told(head).await, []);
        assert_eq!(bed.store.list_cards(project).await.unwrap(), []);
        assert_eq!(bed.store.list_attempts(None).await.unwrap(), []);
        assert_eq!(bed.store.find_answer("key").await.unwrap(), None);
        assert_eq!(bed.store.list_intents().await.unwrap(), from_ref(&intent));
        bed.store.commit_start(&intent).await.unwrap();
    }
}

store_test! {
    async fn a_start_whose_project_or_task_is_gone_is_not_begun(bed: &Bed) {
        let project = bed.project().await.id;
        let range = 20_000..=29_999;
        let existing = intent_for(&task(project, 1), 1);
        assert_not_found(bed.store.begin_start(&existing, range.clone(), |_| true).await, "task");
        let new = intent_for_new(ProjectId::random(), 2);
        assert_not_found(bed.store.begin_start(&new, range, |_| true).await, "project");
        assert_eq!(bed.store.list_intents().await.unwrap(), []);
        assert_eq!(begin(bed, &intent_for_new(project, 3)).await.attempt.first_port, Some(20_000));
        assert_eq!(bed.head(), 1);
    }
}

store_test! {
    async fn start_keeps_concurrent_change_of_task(bed: &Bed) {
        let project = bed.project().await.id;
        let mut cards = Vec::new();
        for number in 1..=2 {
            cards.push(bed.store.create_task_with(&task(project, number), vec![]).await.unwrap());
        }
        for (card, status, kept) in [
            (&cards[0], TaskStatus::Agent, TaskStatus::Agent),
            (&cards[1], TaskStatus::InReview, TaskStatus::InProgress),
        ] {
            let intent = begin(bed, &intent_for(&card.task, 10)).await;
            let change = UpdateTask {
                title: Patch::Set("renamed".into()),
                status: Patch::Set(status),
                ..UpdateTask::default()
            };
            let changed = bed.store.update_task(card.task.id, change, at(20)).await.unwrap();
            let started = bed.store.commit_start(&intent).await.unwrap().task.unwrap().task;
            assert_eq!((started.title.as_str(), started.status), ("renamed", kept));
            assert!(started.updated_at >= changed.task.updated_at);
        }
    }
}

store_test! {
    async fn task_closed_during_start_stays_closed(bed: &Bed) {
        let open = bed.task(bed.project().await.id).await;
        let intent = begin(bed, &intent_for(&open, 5)).await;
        let closed = Task { status: TaskStatus::Cancelled, ..open.clone() };
        bed.store.update_task(open.id, change_to(&closed), at(6)).await.unwrap();
        let head = bed.head();
        let refused = bed.store.commit_start(&intent).await.unwrap_err();
        assert!(matches!(refused, StoreError::TaskClosed), "{refused:?}");
        assert_eq!(bed.told(head).await, []);
        assert_eq!(bed.store.get_task(open.id).await.unwrap().status, TaskStatus::Cancelled);
        bed.store.abandon_start(intent.attempt.id).await.unwrap();

        // One that begins when the task is closed already opens it.
        for (queued, status) in [(true, TaskStatus::Todo), (false, TaskStatus::InProgress)] {
            bed.store.update_task(open.id, change_to(&closed), at(7)).await.unwrap();
            let mut intent = intent_for(&closed, 8);
            intent.task = Some(IntentTask::Existing(closed.clone()));
            if queued {
                intent.process = None;
                intent.attempt.state = AttemptState::Queued { since: at(8) };
            }
            let intent = begin(bed, &intent).await;
            let started = bed.store.commit_start(&intent).await.unwrap();
            assert_eq!(started.task.unwrap().task.status, status);
        }
    }
}

store_test! {
    async fn a_worktree_is_nobody_elses_even_after_it_was_taken_away(bed: &Bed) {
        let project = bed.project().await.id;
        let first = bed.started(&intent_for_new(project, 1)).await;
        let mut second = intent_for_new(project, 2);
        second.attempt.worktree.clone_from(&first.attempt.worktree);
        let taken = |result| matches!(result, Err(StoreError::WorktreeTaken { .. }));
        assert!(taken(bed.store.begin_start(&second, 20_000..=29_999, |_| true).await));
        bed.finished(&first, Outcome::Succeeded).await;
        let collected = bed.store.take_worktree(first.attempt.id).await.unwrap();
        assert!(taken(bed.store.begin_start(&second, 20_000..=29_999, |_| true).await));
        assert_eq!(bed.store.list_intents().await.unwrap(), []);
        assert!(!bed.store.is_anothers_worktree(&collected).await.unwrap());
        // As an older version could do.
        let other = bed.started(&intent_for_new(project, 3)).await.attempt;
        bed.run("UPDATE attempt SET worktree = '/shared'").await;
        let [collected, other] = [collected, other].map(|attempt| Attempt { worktree: "/shared".into(), ..attempt });
        assert!(bed.store.is_anothers_worktree(&collected).await.unwrap());
        assert!(!bed.store.is_anothers_worktree(&other).await.unwrap());
        bed.store.delete_attempt(first.attempt.id).await.unwrap();
        bed.store.begin_start(&second, 20_000..=29_999, |_| true).await.unwrap();
    }
}

store_test! {
    async fn what_is_being_started_cannot_be_deleted(bed: &Bed) {
        let under_way = "a start of it is under way";
        let project = bed.project().await.id;
        let (old, other) = (bed.task(project).await, task(project, 2));
        bed.store.create_task(&other).await.unwrap();
        let intent = begin(bed, &intent_for(&old, 5)).await;
        let head = bed.head();
        assert_conflict(bed.store.delete_task(old.id).await, under_way);
        assert_conflict(bed.store.delete_project(project).await, under_way);
        assert_eq!(bed.head(), head);
        bed.store.delete_task(other.id).await.unwrap();
        let started = bed.store.commit_start(&intent).await.unwrap().of_task().unwrap();
        bed.finished(&started, Outcome::Succeeded).await;
        bed.store.delete_task(old.id).await.unwrap();
        let intent = begin(bed, &intent_for_new(project, 6)).await;
        assert_conflict(bed.store.delete_project(project).await, under_way);
        bed.store.abandon_start(intent.attempt.id).await.unwrap();
        bed.store.delete_project(project).await.unwrap();
    }
}

store_test! {
    async fn intents_are_listed_oldest_first(bed: &Bed) {
        let project = bed.project().await.id;
        let later = begin(bed, &intent_for_new(project, 2)).await;
        let earlier = begin(bed, &intent_for_new(project, 1)).await;
        assert_eq!(bed.store.list_intents().await.unwrap(), [earlier, later]);
    }
}

store_test! {
    async fn a_key_stands_for_one_start_and_its_answer(bed: &Bed) {
        let project = bed.project().await.id;
        let first = begin(bed, &with_key(intent_for_new(project, 1), "key")).await;
        let second = with_key(intent_for_new(project, 2), "key");
        let range = 20_000..=29_999;
        assert_conflict(bed.store.begin_start(&second, range.clone(), |_| true).await, UNDER_WAY);
        assert_eq!(bed.store.find_answer("key").await.unwrap(), None);
        let started = bed.store.commit_start(&first).await.unwrap();
        let answer = Answer { fingerprint: "what was asked".into(), started };
        assert_eq!(bed.store.find_answer("key").await.unwrap(), Some(answer));
        assert_eq!(bed.store.find_answer("other").await.unwrap(), None);
        assert_conflict(bed.store.begin_start(&second, range, |_| true).await, DONE);
        assert_eq!(bed.store.list_intents().await.unwrap(), []);
    }
}

store_test! {
    async fn old_answers_are_forgotten(bed: &Bed) {
        let project = bed.project().await.id;
        bed.started(&with_key(intent_for_new(project, 1), "key")).await;
        assert_eq!(bed.store.prune_answers(at(0)).await.unwrap(), 0);
        assert!(bed.store.find_answer("key").await.unwrap().is_some());
        assert_eq!(bed.store.prune_answers(Timestamp::from_millis(i64::MAX)).await.unwrap(), 1);
        assert_eq!(bed.store.find_answer("key").await.unwrap(), None);
    }
}

store_test! {
    async fn every_attempt_has_ports_of_its_own_until_it_is_deleted(bed: &Bed) {
        let project = bed.project().await.id;
        let range = 20_000..=20_039;
        let mut begun = Vec::new();
        for number in 0..4 {
            // Something else listens in the second block.
            let is_free = |port| port != 20_013;
            let intent = intent_for_new(project, number);
            begun.push(bed.store.begin_start(&intent, range.clone(), is_free).await.unwrap());
        }
        let ports: Vec<_> = begun.iter().map(|intent| intent.attempt.first_port).collect();
        assert_eq!(ports, [Some(20_000), Some(20_020), Some(20_030), None]);
        bed.store.commit_start(&begun[1]).await.unwrap();
        bed.store.delete_attempt(begun[1].attempt.id).await.unwrap();
        let next = intent_for_new(project, 5);
        let next = bed.store.begin_start(&next, range, |port| port != 20_013).await.unwrap();
        assert_eq!(next.attempt.first_port, Some(20_020));
    }
}

store_test! {
    async fn an_attempt_that_needs_its_ports_no_more_gives_them_back(bed: &Bed) {
        let project = bed.project().await.id;
        let range = 20_000..=20_009;
        let begin = |number| {
            let intent = intent_for_new(project, number);
            let range = range.clone();
            async move { bed.store.begin_start(&intent, range, |_| true).await.unwrap() }
        };
        let begun = begin(1).await;
        let started = bed.store.commit_start(&begun).await.unwrap();
        let renamed = Attempt { branch: "forge/renamed".into(), ..started.attempt };
        bed.store.update_attempt(&renamed).await.unwrap();
        let refused = begin(2).await;
        assert_eq!(refused.attempt.first_port, None);
        bed.store.update_attempt(&Attempt { first_port: None, ..renamed }).await.unwrap();
        let next = begin(3).await;
        assert_eq!(next.attempt.first_port, Some(20_000));
    }
}
