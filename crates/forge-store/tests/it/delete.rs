//! Removing: what goes, what stays, and that each is told.

use std::slice::from_ref;

use forge_model::{Fact, Outcome, ProjectId, QueueExit, Started, Task, TaskCard};

use crate::bed::{
    Bed, assert_conflict, assert_not_found, follow_up, intent_for, intent_for_new, project, removed,
    store_test, task,
};

fn gone(started: &Started) -> [Fact; 2] {
    let (attempt_id, project_id) = (started.attempt.id, Some(started.attempt.project_id));
    let process = Fact::ProcessDeleted {
        id: started.process.as_ref().unwrap().id,
        attempt_id,
        project_id,
        in_run: false,
    };
    let task_id = started.attempt.task_id;
    [process, Fact::AttemptDeleted { id: attempt_id, task_id, project_id }]
}

/// A task that was made out of an attempt.
async fn child(bed: &Bed, project: ProjectId, parent: &Started) -> Task {
    let child = Task { parent_task_attempt: Some(parent.attempt.id), ..task(project, 50) };
    bed.store.create_task(&child).await.unwrap();
    child
}

/// Checks that the child lost its parent and nothing else, and answers with its card.
async fn orphaned(bed: &Bed, child: Task) -> TaskCard {
    let card = bed.store.get_card(child.id).await.unwrap();
    let updated_at = card.task.updated_at;
    assert_ne!(updated_at, child.updated_at);
    assert_eq!(card.task, Task { parent_task_attempt: None, updated_at, ..child });
    card
}

store_test! {
    async fn a_deleted_attempt_takes_its_processes_and_prompts_and_leaves_its_task(bed: &Bed) {
        let project = bed.project().await.id;
        let task = bed.task(project).await;
        let started = bed.started(&intent_for(&task, 2)).await;
        let child = child(bed, project, &started).await;
        let prompt = follow_up(started.attempt.id, 3);
        bed.store.queue_follow_up(&prompt).await.unwrap();
        let head = bed.head();
        bed.store.delete_attempt(started.attempt.id).await.unwrap();
        assert_not_found(bed.store.get_attempt(started.attempt.id).await, "attempt");
        assert_not_found(bed.store.get_process(started.process.as_ref().unwrap().id).await, "process");
        assert_eq!(bed.store.list_follow_ups(started.attempt.id).await.unwrap(), []);
        let card = bed.store.get_card(task.id).await.unwrap();
        assert_eq!((card.has_in_progress_attempt, card.attempt_count), (false, 0));
        let [process, attempt] = gone(&started);
        let child = Fact::TaskUpdated(orphaned(bed, child).await);
        let told = [process, Fact::FollowUpRemoved(removed(&prompt, QueueExit::Deleted)), attempt, child, Fact::TaskUpdated(card)];
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn a_deleted_task_takes_its_attempts_and_leaves_its_children(bed: &Bed) {
        let project = bed.project().await.id;
        let started = bed.started(&intent_for_new(project, 1)).await;
        let bystander = bed.started(&intent_for_new(project, 2)).await;
        let child = child(bed, project, &started).await;
        let id = started.task.task.id;
        assert_conflict(bed.store.delete_task(id).await, "an attempt of it runs");
        bed.finished(&started, Outcome::Succeeded).await;
        let head = bed.head();
        bed.store.delete_task(id).await.unwrap();
        assert_not_found(bed.store.get_task(id).await, "task");
        assert_not_found(bed.store.get_attempt(started.attempt.id).await, "attempt");
        assert_not_found(bed.store.get_process(started.process.as_ref().unwrap().id).await, "process");
        let child = orphaned(bed, child).await;
        assert_eq!(bed.store.list_cards(project).await.unwrap(), [child.clone(), bystander.task]);
        let [process, attempt] = gone(&started);
        let deleted = Fact::TaskDeleted { id, project_id: project, on_board: true };
        let told = [process, attempt, Fact::TaskUpdated(child), deleted];
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn a_deleted_project_takes_everything_in_it_and_nothing_else(bed: &Bed) {
        let ours = bed.project().await.id;
        let other = project(2);
        bed.store.create_project(&other).await.unwrap();
        let started = bed.started(&intent_for_new(ours, 1)).await;
        let inner = child(bed, ours, &started).await;
        let outer = child(bed, other.id, &started).await;
        let bystander = bed.started(&intent_for_new(other.id, 9)).await;
        assert_conflict(bed.store.delete_project(ours).await, "an attempt of it runs");
        bed.finished(&started, Outcome::Succeeded).await;
        let head = bed.head();
        bed.store.delete_project(ours).await.unwrap();
        assert_eq!(bed.store.list_projects().await.unwrap(), from_ref(&other));
        assert_eq!(bed.store.list_cards(ours).await.unwrap(), []);
        assert_eq!(bed.store.list_attempts(None).await.unwrap(), [bystander.attempt]);
        assert_eq!(bed.store.list_running_processes().await.unwrap(), [bystander.process.unwrap()]);
        let outer = orphaned(bed, outer).await;
        assert_eq!(bed.store.list_cards(other.id).await.unwrap(), [outer.clone(), bystander.task]);
        let mut told = bed.told(head).await;
        assert_eq!(told.pop(), Some(Fact::ProjectDeleted { id: ours }));
        let tasks = told.split_off(3);
        for id in [started.task.task.id, inner.id] {
            assert!(tasks.contains(&Fact::TaskDeleted { id, project_id: ours, on_board: true }));
        }
        assert_eq!(tasks.len(), 2);
        let [process, attempt] = gone(&started);
        assert_eq!(told, [process, attempt, Fact::TaskUpdated(outer)]);
    }
}

store_test! {
    async fn the_repository_of_a_deleted_project_is_free_again(bed: &Bed) {
        let project = bed.project().await;
        bed.store.delete_project(project.id).await.unwrap();
        bed.store.create_project(&project).await.unwrap();
    }
}
