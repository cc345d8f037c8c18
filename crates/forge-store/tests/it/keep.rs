//! Worktrees that are taken away and made again.

use forge_model::{AttemptId, Fact, Outcome};

use crate::bed::{Bed, assert_not_found, intent_for_new, store_test};

store_test! {
    async fn an_attempt_without_its_worktree_has_no_ports_and_nobody_has_used_it(bed: &Bed) {
        let project = bed.project().await;
        let range = 20_000..=20_009;
        let begun = bed.store.begin_start(&intent_for_new(project.id, 1), range.clone(), |_| true).await.unwrap();
        let started = bed.store.commit_start(&begun).await.unwrap().of_task().unwrap();
        let finished = bed.finished(&started, Outcome::Succeeded).await;
        assert_eq!(finished.first_port, Some(20_000));
        let head = bed.head();
        let taken = bed.store.take_worktree(finished.id).await.unwrap();
        assert_eq!((taken.worktree_deleted, taken.first_port, taken.updated_at), (true, None, finished.updated_at));
        assert_eq!(bed.told(head).await, [Fact::AttemptUpdated(taken.clone())]);
        assert_eq!(bed.store.get_attempt(taken.id).await.unwrap(), taken);

        let back = bed.store.return_worktree(taken.id, range.clone(), |_| true).await.unwrap();
        assert_eq!((back.worktree_deleted, back.first_port, back.set_up), (false, Some(20_000), false));
        let again = bed.store.return_worktree(taken.id, range, |_| true).await.unwrap();
        assert_eq!(again.first_port, Some(20_000), "it keeps those that it has");
        assert_not_found(bed.store.take_worktree(AttemptId::random()).await, "attempt");
        assert_not_found(bed.store.return_worktree(AttemptId::random(), 1..=1, |_| true).await, "attempt");
    }
}
