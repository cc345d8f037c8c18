//! Drafts: what is being written, and its one way into the queue.

use forge_model::{
    AttemptId, Draft, DraftKind, DraftRefusal, Fact, FollowUp, FollowUpId, Outcome, Patch, Process,
    ProcessId, QueueDraft, QueueExit, Queueing, Retry, SaveDraft, Started, WorktreeReset,
};
use forge_store::Advance;

use crate::bed::{
    Bed, assert_not_found, at, failure, finishing, follow_up, intent_for_new, process, removed, store_test,
};

async fn attempt(bed: &Bed) -> Started {
    bed.started(&intent_for_new(bed.project().await.id, 1)).await
}

async fn write(bed: &Bed, id: AttemptId, kind: DraftKind, change: SaveDraft) -> Result<Draft, DraftRefusal> {
    bed.store.change_draft(id, kind, |draft| draft.save(change)).await.unwrap()
}

fn prompt(text: &str) -> SaveDraft {
    SaveDraft { prompt: Patch::Set(text.into()), ..SaveDraft::default() }
}

async fn queue(bed: &Bed, id: AttemptId) -> Result<(Draft, FollowUp), DraftRefusal> {
    let command =
        QueueDraft { wanted: Queueing::Send, expected_queued: None, expected_version: None, prompt: None };
    let change = move |draft: Draft| draft.queue(command, FollowUpId::random(), at(9));
    bed.store.queue_draft(id, DraftKind::FollowUp, change).await.unwrap()
}

async fn get(bed: &Bed, id: AttemptId, kind: DraftKind) -> Draft {
    bed.store.get_draft(id, kind).await.unwrap()
}

store_test! {
    async fn a_draft_is_kept_with_its_version_and_its_event(bed: &Bed) {
        let attempt = attempt(bed).await.attempt;
        assert_not_found(bed.store.get_draft(AttemptId::random(), DraftKind::Retry).await, "attempt");
        let empty = get(bed, attempt.id, DraftKind::FollowUp).await;
        assert_eq!((empty.version, empty.prompt.as_str(), empty.project_id), (0, "", attempt.project_id));
        let head = bed.head();
        let first = write(bed, attempt.id, DraftKind::FollowUp, prompt("one")).await.unwrap();
        let same = write(bed, attempt.id, DraftKind::FollowUp, prompt("one")).await.unwrap();
        assert_eq!((first.version, &same), (1, &first), "what changes nothing is no change");
        let late = SaveDraft { version: Some(0), ..prompt("two") };
        let refused = write(bed, attempt.id, DraftKind::FollowUp, late).await;
        assert_eq!(refused, Err(DraftRefusal::Changed { version: 1 }));
        let retry = SaveDraft { retry_process_id: Patch::Set(ProcessId::random()), ..prompt("again") };
        let retry = write(bed, attempt.id, DraftKind::Retry, retry).await.unwrap();
        let emptied = bed.store.change_draft(attempt.id, DraftKind::FollowUp, |draft| Ok(draft.emptied())).await;
        let emptied = emptied.unwrap().unwrap();
        assert_eq!((emptied.version, emptied.prompt.as_str()), (2, ""));
        assert_eq!(get(bed, attempt.id, DraftKind::FollowUp).await, emptied);
        let (at, drafts) = bed.store.drafts_at_once(attempt.project_id).await.unwrap();
        assert_eq!((at, drafts), (bed.head(), vec![[emptied.clone(), retry.clone()]]));
        let told = [Fact::DraftUpdated(first), Fact::DraftUpdated(retry), Fact::DraftCleared(emptied)];
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn a_queued_draft_goes_where_its_follow_up_goes(bed: &Bed) {
        let started = attempt(bed).await;
        let id = started.attempt.id;
        assert_eq!(queue(bed, id).await, Err(DraftRefusal::Blank));
        write(bed, id, DraftKind::FollowUp, prompt("next")).await.unwrap();
        let (queued, waiting) = queue(bed, id).await.unwrap();
        assert_eq!((queued.queued, waiting.prompt.as_str()), (Some(waiting.id), "next"));
        assert_eq!(bed.store.list_follow_ups(id).await.unwrap(), std::slice::from_ref(&waiting));
        assert_eq!(queue(bed, id).await, Err(DraftRefusal::Queued), "it is queued once");
        assert_eq!(write(bed, id, DraftKind::FollowUp, prompt("x")).await, Err(DraftRefusal::Queued));

        // Taken out, it is a draft again.
        bed.store.remove_follow_up(waiting.id).await.unwrap();
        let back = get(bed, id, DraftKind::FollowUp).await;
        assert_eq!((back.queued, back.prompt.as_str(), back.version), (None, "next", queued.version + 1));
        queue(bed, id).await.unwrap();
        let stopped = bed.store.remove_follow_ups(id).await.unwrap();
        let back = (stopped[0].why, stopped[0].returned_to_draft);
        assert_eq!(back, (Some(QueueExit::Stopped), Some(DraftKind::FollowUp)));
        assert_eq!(get(bed, id, DraftKind::FollowUp).await.prompt, "next");

        // When its turn has come, nothing of it is left.
        let (_, waiting) = queue(bed, id).await.unwrap();
        let head = bed.head();
        let take = Advance { take_follow_up: Some(waiting.id), ..finishing(&started, Outcome::Succeeded) };
        bed.store.advance(take).await.unwrap();
        let sent = get(bed, id, DraftKind::FollowUp).await;
        assert_eq!((sent.queued, sent.prompt.as_str()), (None, ""));
        let told = bed.told(head).await;
        assert_eq!(told[told.len() - 2..], [Fact::FollowUpRemoved(removed(&waiting, QueueExit::Sent)), Fact::DraftCleared(sent)]);
    }
}

store_test! {
    async fn a_stop_leaves_what_was_written(bed: &Bed) {
        let started = attempt(bed).await;
        let id = started.attempt.id;
        write(bed, id, DraftKind::FollowUp, prompt("next")).await.unwrap();
        queue(bed, id).await.unwrap();
        let stop = Advance { drop_follow_ups: true, ..finishing(&started, Outcome::Stopped) };
        bed.store.advance(stop).await.unwrap();
        assert_eq!(bed.store.list_follow_ups(id).await.unwrap(), []);
        let draft = get(bed, id, DraftKind::FollowUp).await;
        assert_eq!((draft.queued, draft.prompt.as_str()), (None, "next"));
    }
}

store_test! {
    async fn what_replaces_a_turn_comes_first_and_drops_it_and_all_after_it(bed: &Bed) {
        let started = attempt(bed).await;
        let (id, first) = (started.attempt.id, started.process.clone().unwrap());
        let waits = follow_up(id, 2);
        bed.store.queue_follow_up(&waits).await.unwrap();
        let retry = Retry { process_id: first.id, worktree: WorktreeReset::Reset };
        let replaces = FollowUp { retry: Some(retry), ..follow_up(id, 3) };
        bed.store.queue_follow_up(&replaces).await.unwrap();
        assert_eq!(bed.store.list_follow_ups(id).await.unwrap(), [replaces.clone(), waits.clone()]);
        let change = SaveDraft { retry_process_id: Patch::Set(first.id), ..prompt("again") };
        write(bed, id, DraftKind::Retry, change).await.unwrap();
        let server = Process { kind: forge_model::ProcessKind::DevServer, ..process(id, 2) };
        bed.store.add_process(&server).await.unwrap();
        for of in [id.as_uuid(), started.task.task.id.as_uuid(), started.attempt.project_id.as_uuid()] {
            assert_eq!(bed.store.list_dev_servers(of).await.unwrap(), std::slice::from_ref(&server));
        }
        let finished = finishing(&started, failure());
        let drops = Advance {
            take_follow_up: Some(replaces.id),
            drop_from: Some(first.id),
            process_started: Some(process(id, 5)),
            ..finished
        };
        let advanced = bed.store.advance(drops).await.unwrap();
        assert_eq!(advanced.dropped.iter().map(|process| process.id).collect::<Vec<_>>(), [first.id]);
        let dropped: Vec<bool> =
            bed.store.list_processes(id).await.unwrap().iter().map(|process| process.dropped).collect();
        assert_eq!(dropped, [true, false, false], "neither the dev server nor what comes now");
        assert!(get(bed, id, DraftKind::Retry).await.is_empty(), "there is nothing left to retry");
        assert_eq!(bed.store.list_follow_ups(id).await.unwrap(), [waits]);
    }
}
