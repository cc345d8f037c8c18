//! Tasks and their cards.

use forge_model::{AttemptId, Fact, Outcome, ProjectId, Task, TaskCard, TaskId, TaskStatus, UpdateTask};

use crate::bed::{
    Bed, assert_conflict, assert_not_found, at, change_to, failure, intent_for, project, store_test, task,
};

fn untried(task: &Task) -> TaskCard {
    TaskCard {
        task: task.clone(),
        has_in_progress_attempt: false,
        last_attempt_failed: false,
        executor: String::new(),
        attempt_count: 0,
    }
}

store_test! {
    async fn a_new_task_was_never_tried(bed: &Bed) {
        let task = task(bed.project().await.id, 1);
        let card = bed.store.create_task(&task).await.unwrap();
        assert_eq!(card, untried(&task));
        assert_eq!(bed.store.get_task(task.id).await.unwrap(), task);
        assert_eq!(bed.store.get_card(task.id).await.unwrap(), card);
        assert_eq!(bed.told(1).await, [Fact::TaskCreated(card)]);
    }
}

store_test! {
    async fn a_task_needs_a_project_and_the_parent_it_names(bed: &Bed) {
        let project = bed.project().await;
        assert_not_found(bed.store.create_task(&task(ProjectId::random(), 1)).await, "project");
        let orphan = Task { parent_task_attempt: Some(AttemptId::random()), ..task(project.id, 1) };
        assert_not_found(bed.store.create_task(&orphan).await, "attempt");
        let task = bed.task(project.id).await;
        let orphan = Task { parent_task_attempt: Some(AttemptId::random()), ..task.clone() };
        assert_not_found(bed.store.update_task(orphan.id, change_to(&orphan), orphan.updated_at).await, "attempt");
        assert_conflict(bed.store.create_task(&task).await, "a task with this id is there already");
        assert_eq!(bed.head(), 2);
    }
}

store_test! {
    async fn an_updated_task_has_every_new_value_and_keeps_its_attempts(bed: &Bed) {
        let project = bed.project().await;
        let parent = bed.started(&intent_for(&bed.task(project.id).await, 2)).await;
        let old = task(project.id, 3);
        bed.store.create_task(&old).await.unwrap();
        let started = bed.started(&intent_for(&old, 4)).await;
        let head = bed.head();
        let new = Task {
            title: "new".into(),
            description: None,
            status: TaskStatus::Done,
            parent_task_attempt: Some(parent.attempt.id),
            updated_at: at(9),
            ..old
        };
        let card = bed.store.update_task(new.id, change_to(&new), new.updated_at).await.unwrap();
        assert_eq!(card, TaskCard { task: new.clone(), ..started.task });
        assert_eq!(bed.store.get_task(new.id).await.unwrap(), new);
        assert_eq!(bed.told(head).await, [Fact::TaskUpdated(card)]);
    }
}

store_test! {
    async fn the_tasks_that_came_out_of_an_attempt_are_newest_first_and_no_others(bed: &Bed) {
        let project = bed.project().await;
        let parent = bed.started(&intent_for(&bed.task(project.id).await, 2)).await;
        let child = |time| Task { parent_task_attempt: Some(parent.attempt.id), ..task(project.id, time) };
        let children = [child(3), child(4)];
        for task in [&children[0], &task(project.id, 5), &children[1]] {
            bed.store.create_task(task).await.unwrap();
        }
        let listed = bed.store.list_children(parent.attempt.id).await.unwrap();
        assert_eq!(listed, [untried(&children[1]), untried(&children[0])]);
        assert!(bed.store.list_children(AttemptId::random()).await.unwrap().is_empty());
    }
}

store_test! {
    async fn a_task_that_is_not_there_is_not_found(bed: &Bed) {
        let id = TaskId::random();
        assert_not_found(bed.store.get_task(id).await, "task");
        assert_not_found(bed.store.get_card(id).await, "task");
        assert_not_found(bed.store.update_task(id, UpdateTask::default(), at(1)).await, "task");
        assert_not_found(bed.store.delete_task(id).await, "task");
        assert_eq!(bed.head(), 0);
    }
}

store_test! {
    async fn a_board_is_newest_first_and_shows_no_conversations_and_no_other_project(bed: &Bed) {
        let ours = bed.project().await.id;
        let other = project(2);
        bed.store.create_project(&other).await.unwrap();
        let mut expected = Vec::new();
        for (number, status) in TaskStatus::ALL.into_iter().enumerate() {
            let number = i64::try_from(number).unwrap();
            let task = Task { status, ..task(ours, number) };
            let card = bed.store.create_task(&task).await.unwrap();
            if status != TaskStatus::Agent {
                expected.insert(0, card);
            }
        }
        bed.store.create_task(&task(other.id, 3)).await.unwrap();
        assert_eq!(bed.store.list_cards(ours).await.unwrap(), expected);
        assert_eq!(bed.store.list_cards(ProjectId::random()).await.unwrap(), []);
    }
}

store_test! {
    async fn tasks_of_the_same_millisecond_keep_one_order(bed: &Bed) {
        let project = bed.project().await.id;
        let mut ids = Vec::new();
        for _ in 0..20 {
            ids.push(bed.store.create_task(&task(project, 7)).await.unwrap().task.id);
        }
        ids.sort_unstable_by(|a, b| b.cmp(a));
        let listed: Vec<TaskId> =
            bed.store.list_cards(project).await.unwrap().into_iter().map(|card| card.task.id).collect();
        assert_eq!(listed, ids);
    }
}

store_test! {
    async fn a_card_tells_what_the_newest_attempt_came_to(bed: &Bed) {
        let task = bed.task(bed.project().await.id).await;
        let outcomes = [
            (failure(), true),
            (Outcome::Succeeded, false),
            (Outcome::Lost, true),
            (Outcome::Stopped, false),
        ];
        for (number, (outcome, failed)) in (1..).zip(outcomes) {
            let mut intent = intent_for(&task, number * 10);
            intent.attempt.profile.executor = format!("AGENT_{number}");
            let started = bed.started(&intent).await;
            let running = TaskCard {
                task: Task { status: TaskStatus::InProgress, updated_at: at(number * 10), ..task.clone() },
                has_in_progress_attempt: true,
                last_attempt_failed: false,
                executor: format!("AGENT_{number}"),
                attempt_count: number,
            };
            assert_eq!(started.task, running);
            let attempt = bed.finished(&started, outcome).await;
            let card = TaskCard {
                task: Task { status: TaskStatus::InReview, updated_at: attempt.updated_at, ..task.clone() },
                has_in_progress_attempt: false,
                last_attempt_failed: failed,
                ..running
            };
            assert_eq!(bed.store.get_card(task.id).await.unwrap(), card);
            assert_eq!(bed.store.list_cards(task.project_id).await.unwrap(), [card]);
        }
    }
}

store_test! {
    async fn the_log_tells_when_a_task_comes_to_the_board_and_when_it_leaves_it(bed: &Bed) {
        let project_id = bed.project().await.id;
        let task = bed.task(project_id).await;
        let id = task.id;
        let set = |status| {
            let task = Task { status, ..task.clone() };
            bed.store.update_task(id, change_to(&task), task.updated_at)
        };
        let head = bed.head();
        let done = set(TaskStatus::Done).await.unwrap();
        let agent = set(TaskStatus::Agent).await.unwrap();
        set(TaskStatus::Agent).await.unwrap();
        let back = set(TaskStatus::Todo).await.unwrap();
        set(TaskStatus::Agent).await.unwrap();
        bed.store.delete_task(id).await.unwrap();
        let left = Fact::TaskDeleted { id, project_id, on_board: true };
        let told = [
            Fact::TaskUpdated(done),
            left.clone(),
            Fact::TaskCreated(agent.clone()),
            Fact::TaskUpdated(agent.clone()),
            Fact::TaskCreated(back),
            left,
            Fact::TaskCreated(agent),
            Fact::TaskDeleted { id, project_id, on_board: false },
        ];
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn a_board_is_what_the_events_up_to_its_moment_make_of_it(bed: &Bed) {
        let project = bed.project().await.id;
        let write = async {
            for number in 0..120 {
                let task = task(project, number);
                bed.store.create_task(&task).await.unwrap();
                let task = Task { title: "changed".into(), ..task };
                bed.store.update_task(task.id, change_to(&task), at(number)).await.unwrap();
                if number % 3 == 0 {
                    bed.store.delete_task(task.id).await.unwrap();
                }
            }
        };
        let look = async {
            let mut looks = Vec::new();
            for _ in 0..40 {
                looks.push(bed.store.board(project).await.unwrap());
                // Who goes in the middle leaves nothing that others stumble over.
                let mut left = Box::pin(bed.store.board(project));
                for _ in 0..3 {
                    if futures::poll!(&mut left).is_ready() {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
            }
            looks
        };
        let (looks, ()) = tokio::join!(look, write);
        let facts = bed.told(0).await;
        assert!(looks.iter().any(|(at, _)| (1..facts.len()).contains(&usize::try_from(*at).unwrap())));
        for (at, cards) in looks {
            let mut board = std::collections::BTreeMap::new();
            for fact in &facts[..usize::try_from(at).unwrap()] {
                match fact {
                    Fact::TaskCreated(card) | Fact::TaskUpdated(card) => {
                        board.insert(card.task.id, card.clone());
                    }
                    Fact::TaskDeleted { id, .. } => drop(board.remove(id)),
                    _ => {}
                }
            }
            let cards: std::collections::BTreeMap<_, _> =
                cards.into_iter().map(|card| (card.task.id, card)).collect();
            assert_eq!(cards, board, "at {at}");
        }
    }
}
