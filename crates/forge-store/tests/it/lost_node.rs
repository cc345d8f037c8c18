//! What becomes of a node's rows when it is forgotten.

use forge_model::{AttemptState, End, Fact, Home, NodeId, Outcome, ProcessState, TaskStatus};
use forge_store::{Intent, NodeRecord, StoreError};

use crate::bed::{Bed, approval, failure, follow_up, intent_for_new, store_test};

fn node(name: &str) -> NodeRecord {
    NodeRecord {
        id: NodeId::random(),
        name: name.into(),
        data_folder: format!("/{name}"),
        machine: "machine".into(),
        inode: 1,
        generation: None,
    }
}

fn home(node: &NodeRecord) -> Home {
    Home { id: node.id, name: node.name.clone(), is_elsewhere: false }
}

fn on(node: &NodeRecord, mut intent: Intent) -> Intent {
    intent.attempt.node = Some(home(node));
    intent
}

store_test! {
    async fn forgotten_nodes_attempts_end_and_change_owner(bed: &mut Bed) {
        let (lost, mine) = (node("lost"), node("mine"));
        bed.store.serve_as(&lost).await.unwrap();
        let project = bed.project().await.id;
        let running = bed.started(&on(&lost, intent_for_new(project, 1))).await;
        let process = running.process.as_ref().unwrap().id;
        bed.store.queue_follow_up(&follow_up(running.attempt.id, 1)).await.unwrap();
        bed.store.ask_approval(&approval(Some(process), 1)).await.unwrap();
        let finished = bed.finished(&bed.started(&on(&lost, intent_for_new(project, 2))).await, failure()).await;
        let mut begun = on(&lost, intent_for_new(project, 3));
        begun.idempotency_key = Some("key".into());
        bed.store.begin_start(&begun, 20_000..=29_999, |_| true).await.unwrap();
        bed.reopen().await;
        bed.store.serve_as(&mine).await.unwrap();
        let own = bed.started(&on(&mine, intent_for_new(project, 4))).await.attempt;
        let of = |nodes: Vec<forge_store::NodeSummary>| -> Vec<_> {
            nodes.into_iter().map(|node| (node.name, node.is_own, node.attempts)).collect()
        };
        let mut nodes = of(bed.store.list_nodes().await.unwrap());
        nodes.sort();
        assert_eq!(nodes, [("lost".into(), false, 2), ("mine".into(), true, 1)]);

        let head = bed.head();
        let forgotten = bed.store.forget_node(lost.id, home(&mine), "/here".into()).await.unwrap();
        let ids = [running.attempt.id, finished.id];
        assert_eq!(forgotten.iter().map(|attempt| attempt.id).collect::<Vec<_>>(), ids);
        assert_eq!(forgotten[0].worktree, running.attempt.worktree);
        let lost_state = AttemptState::Finished { outcome: Outcome::Lost };
        for (id, state) in ids.into_iter().zip([&lost_state, &finished.state]) {
            let now = bed.store.get_attempt(id).await.unwrap();
            assert_eq!((&now.state, now.is_unreachable(), now.worktree_deleted), (state, false, true));
            assert!(now.worktree.starts_with("/here/"), "{now:?}");
            assert_eq!((now.first_port, &now.conversation), (None, &None));
            assert_eq!(bed.store.list_follow_ups(id).await.unwrap(), []);
        }
        let ended = bed.store.get_process(process).await.unwrap();
        assert_eq!(ended.state, ProcessState::Ended { end: End::Lost });
        assert_eq!(bed.store.list_pending_approvals().await.unwrap(), []);
        assert_eq!(bed.store.get_task(running.task.task.id).await.unwrap().status, TaskStatus::InReview);
        assert_eq!(bed.store.get_attempt(own.id).await.unwrap().worktree, own.worktree);
        let told = bed.told(head).await;
        let updated = |fact: &&Fact| matches!(fact, Fact::AttemptUpdated(_));
        assert_eq!(told.iter().filter(updated).count(), 2);
        assert!(told.iter().any(|fact| matches!(fact, Fact::ProcessUpdated(of) if of.id == process)));
        assert!(told.iter().any(|fact| matches!(fact, Fact::FollowUpRemoved(_))));
        assert!(told.iter().any(|fact| matches!(fact, Fact::ApprovalAnswered(_))));
        // The abandoned start holds neither its key nor its project.
        begun.attempt.node = Some(home(&mine));
        bed.store.begin_start(&begun, 20_000..=29_999, |_| true).await.unwrap();
        assert_eq!(of(bed.store.list_nodes().await.unwrap()), [("mine".into(), true, 3)]);
        let again = bed.store.forget_node(lost.id, home(&mine), "/here".into()).await;
        assert!(matches!(again, Err(StoreError::NotFound { what: "node" })), "{again:?}");
    }
}
