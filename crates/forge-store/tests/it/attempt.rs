//! Attempts: what is written is read back, and told.

use forge_model::{Attempt, AttemptId, AttemptState, Fact, Outcome, Profile, Stage, TaskCard, TaskId};

use crate::bed::{Bed, assert_not_found, at, intent_for, intent_for_new, store_test};

store_test! {
    async fn attempts_are_listed_newest_first(bed: &Bed) {
        let project = bed.project().await.id;
        let task = bed.task(project).await;
        let first = bed.started(&intent_for(&task, 10)).await;
        let first = bed.finished(&first, Outcome::Succeeded).await;
        let second = bed.started(&intent_for(&task, 30)).await.attempt;
        let other = bed.started(&intent_for_new(project, 20)).await.attempt;
        let of_task = [second.clone(), first.clone()];
        assert_eq!(bed.store.list_attempts(Some(task.id)).await.unwrap(), of_task);
        assert_eq!(bed.store.list_attempts(None).await.unwrap(), [second, other, first]);
        assert_eq!(bed.store.list_attempts(Some(TaskId::random())).await.unwrap(), []);
    }
}

store_test! {
    async fn an_attempt_is_found_by_every_path_in_its_worktree_and_no_other(bed: &Bed) {
        let project = bed.project().await.id;
        let mut outer = intent_for_new(project, 10);
        outer.attempt.worktree = "/w/ä_%".into();
        let mut inner = intent_for_new(project, 20);
        inner.attempt.worktree = "/w/ä_%/inner".into();
        let outer = bed.started(&outer).await.attempt;
        let inner = bed.started(&inner).await.attempt;
        for path in ["/w/ä_%", "/w/ä_%/", "/w/ä_%/a/b", "/w/ä_%/innermost"] {
            assert_eq!(bed.store.find_attempt_at(path).await.unwrap(), outer, "{path}");
        }
        for path in ["/w/ä_%/inner", "/w/ä_%/inner/x"] {
            assert_eq!(bed.store.find_attempt_at(path).await.unwrap(), inner, "{path}");
        }
        // Neither a pattern nor a beginning is enough.
        for path in ["/w", "/w/", "/w/äxx", "/w/ä_%x", "", "/", "w/ä_%", "%"] {
            assert_not_found(bed.store.find_attempt_at(path).await, "attempt");
        }
    }
}

store_test! {
    async fn an_attempt_that_runs_or_stops_is_unfinished(bed: &Bed) {
        let project = bed.project().await.id;
        let done = bed.started(&intent_for_new(project, 10)).await;
        bed.finished(&done, Outcome::Lost).await;
        let mut stopping = intent_for_new(project, 30);
        stopping.attempt.state = AttemptState::Stopping { stage: Stage::Commit };
        let stopping = bed.started(&stopping).await.attempt;
        let running = bed.started(&intent_for_new(project, 20)).await.attempt;
        assert_eq!(bed.store.list_unfinished_attempts().await.unwrap(), [running, stopping]);
    }
}

store_test! {
    async fn pages_of_attempts_are_the_list(bed: &Bed) {
        let project = bed.project().await.id;
        let task = bed.task(project).await;
        // Some were made in the same millisecond.
        for number in 0..9 {
            let mut intent =
                if number % 2 == 0 { intent_for(&task, number) } else { intent_for_new(project, number) };
            intent.attempt.created_at = at(number / 4);
            bed.started(&intent).await;
        }
        for task in [None, Some(task.id)] {
            let all = bed.store.list_attempts(task).await.unwrap();
            for limit in 1..=10 {
                let (mut seen, mut before) = (Vec::new(), None);
                loop {
                    let page = bed.store.page_of_attempts(task, before, limit).await.unwrap();
                    assert!(page.len() <= limit);
                    let Some(last) = page.last() else { break };
                    before = Some((last.created_at, last.id));
                    seen.extend(page);
                }
                assert_eq!(seen, all);
            }
        }
    }
}

store_test! {
    async fn an_updated_attempt_has_every_new_value_but_its_state(bed: &Bed) {
        let project = bed.project().await.id;
        let started = bed.started(&intent_for_new(project, 1)).await;
        let head = bed.head();
        let wanted = Attempt {
            profile: Profile { executor: "OTHER".into(), variant: Some("PLAN".into()) },
            branch: "forge/new".into(),
            target_branch: "develop".into(),
            worktree: "/elsewhere".into(),
            worktree_deleted: true,
            first_port: Some(65_530),
            conversation: Some("conversation".into()),
            set_up: false,
            state: AttemptState::Finished { outcome: Outcome::Lost },
            updated_at: at(9),
            ..started.attempt.clone()
        };
        let expected = Attempt { state: started.attempt.state, ..wanted.clone() };
        assert_eq!(bed.store.update_attempt(&wanted).await.unwrap(), expected);
        assert_eq!(bed.store.get_attempt(wanted.id).await.unwrap(), expected);
        let card = TaskCard { executor: "OTHER".into(), ..started.task };
        // Its process is shown with the profile.
        let process = Fact::ProcessUpdated(started.process.unwrap());
        assert_eq!(bed.told(head).await, [Fact::AttemptUpdated(expected), process, Fact::TaskUpdated(card)]);
    }
}

store_test! {
    async fn a_change_that_no_card_shows_is_told_of_the_attempt_alone(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let head = bed.head();
        let conversation = Some("conversation".into());
        let named = Attempt { conversation, updated_at: at(9), ..started.attempt };
        bed.store.update_attempt(&named).await.unwrap();
        assert_eq!(bed.told(head).await, [Fact::AttemptUpdated(named)]);
    }
}

store_test! {
    async fn an_attempt_that_is_not_there_is_not_found(bed: &Bed) {
        let id = AttemptId::random();
        assert_not_found(bed.store.get_attempt(id).await, "attempt");
        assert_not_found(bed.store.delete_attempt(id).await, "attempt");
        let stranger = intent_for_new(bed.project().await.id, 1).attempt;
        assert_not_found(bed.store.update_attempt(&stranger).await, "attempt");
        assert_eq!(bed.head(), 1);
    }
}
