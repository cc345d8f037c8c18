//! Processes: an end is written once.

use forge_model::{Action, AttemptId, End, Fact, Process, ProcessId, ProcessKind, ProcessState, Reason};
use forge_store::Advance;

use crate::bed::{
    Bed, assert_conflict, assert_not_found, at, ended, finishing, intent_for_new, process, store_test,
};

/// Moves the attempt from one process to the next.
fn next_process(from: Advance, next: Process) -> Advance {
    Advance {
        expected: from.expected.clone(),
        attempt: forge_model::Attempt { state: from.expected, ..from.attempt },
        process_started: Some(next),
        ..from
    }
}

store_test! {
    async fn an_attempts_processes_are_listed_in_the_order_of_their_starts(bed: &Bed) {
        let mut intent = intent_for_new(bed.project().await.id, 1);
        let first = intent.process.as_mut().unwrap();
        first.kind = ProcessKind::SetupScript;
        first.action = Action::Script { script: "npm ci".into() };
        let started = bed.started(&intent).await;
        let mut expected = vec![started.process.clone().unwrap()];
        let mut last = started;
        for kind in [ProcessKind::CodingAgent, ProcessKind::CleanupScript, ProcessKind::CodingAgent] {
            // All begin in the same millisecond: ids and times do not tell their order.
            let next = Process { kind, ..process(last.attempt.id, 1) };
            let advance = finishing(&last, forge_model::Outcome::Succeeded);
            *expected.last_mut().unwrap() = ended(last.process.as_ref().unwrap());
            expected.push(next.clone());
            bed.store.advance(next_process(advance, next.clone())).await.unwrap();
            last.process = Some(next);
        }
        assert_eq!(bed.store.list_processes(last.attempt.id).await.unwrap(), expected);
        assert_eq!(bed.store.list_running_processes().await.unwrap(), [last.process.unwrap()]);
        assert_eq!(bed.store.list_processes(AttemptId::random()).await.unwrap(), []);
    }
}

store_test! {
    async fn one_agent_or_script_runs_in_an_attempt_and_a_dev_server_beside_it(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let beside = |kind| {
            let advance = finishing(&started, forge_model::Outcome::Succeeded);
            let next = Process { kind, ..process(started.attempt.id, 2) };
            Advance { process_ended: None, task: None, ..next_process(advance, next) }
        };
        let head = bed.head();
        for kind in [ProcessKind::CodingAgent, ProcessKind::SetupScript, ProcessKind::CleanupScript] {
            let refused = bed.store.advance(beside(kind)).await;
            assert_conflict(refused, "a process runs in the attempt already");
        }
        assert_eq!(bed.head(), head);
        for _ in 0..2 {
            bed.store.advance(beside(ProcessKind::DevServer)).await.unwrap();
        }
        assert_eq!(bed.store.list_running_processes().await.unwrap().len(), 3);
    }
}

store_test! {
    async fn an_updated_process_has_every_new_value(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let head = bed.head();
        let ended = Process {
            state: ProcessState::Ended { end: End::Signaled { signal: 9 } },
            reason: Some(Reason::AgentCrashed { ended: "was ended by signal 9".into() }),
            before_head_commit: None,
            after_head_commit: Some("fedcba".into()),
            completed_at: Some(at(8)),
            updated_at: at(9),
            ..started.process.unwrap()
        };
        bed.store.update_process(&ended).await.unwrap();
        assert_eq!(bed.store.get_process(ended.id).await.unwrap(), ended);
        assert_eq!(bed.told(head).await, [Fact::ProcessUpdated(ended)]);
    }
}

store_test! {
    async fn an_end_that_was_seen_is_never_replaced_by_another(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let ended = ended(started.process.as_ref().unwrap());
        bed.store.update_process(&ended).await.unwrap();
        let committed = Process { after_head_commit: Some("fedcba".into()), ..ended.clone() };
        bed.store.update_process(&committed).await.unwrap();
        let head = bed.head();
        let states = [ProcessState::Running, ProcessState::Ended { end: End::Lost }];
        for state in states {
            let refused = bed.store.update_process(&Process { state, ..ended.clone() }).await;
            assert_conflict(refused, "the process has ended already, and otherwise");
        }
        assert_eq!(bed.store.get_process(ended.id).await.unwrap(), committed);
        assert_eq!(bed.head(), head);
    }
}

store_test! {
    async fn a_process_that_is_not_there_is_not_found(bed: &Bed) {
        assert_not_found(bed.store.get_process(ProcessId::random()).await, "process");
        assert_not_found(bed.store.update_process(&process(AttemptId::random(), 1)).await, "process");
        assert_eq!(bed.head(), 0);
    }
}
