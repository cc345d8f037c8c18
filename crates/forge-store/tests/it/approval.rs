//! Approvals: the first answer stands, and nobody is asked on behalf of a process that has ended.

use forge_model::{
    AnswerApproval, Approval, ApprovalId, ApprovalStatus, Fact, Outcome, ProcessId, TaskStatus,
};
use forge_store::Answered;

use crate::bed::{Bed, approval, assert_conflict, assert_not_found, at, ended, intent_for_new, store_test};

fn yes() -> AnswerApproval {
    AnswerApproval { approved: Some(true), choice: None, comment: Some("go on".into()), process_id: None }
}

fn no() -> AnswerApproval {
    AnswerApproval { approved: Some(false), choice: None, comment: None, process_id: None }
}

store_test! {
    async fn an_approval_is_asked_answered_and_kept(bed: &mut Bed) {
        let head = bed.head();
        let (asked, other) = (approval(None, 1), approval(None, 2));
        bed.store.ask_approval(&other).await.unwrap();
        bed.store.ask_approval(&asked).await.unwrap();
        bed.reopen().await;
        assert_eq!(bed.store.list_pending_approvals().await.unwrap(), [asked.clone(), other.clone()]);
        let Answered::Now(answered) = bed.store.answer_approval(asked.id, yes()).await.unwrap() else {
            panic!("the first answer")
        };
        assert_eq!(answered, Approval {
            status: ApprovalStatus::Approved,
            comment: Some("go on".into()),
            answered_at: answered.answered_at,
            ..asked.clone()
        });
        assert!(answered.answered_at.is_some());
        assert_eq!(bed.store.get_approval(asked.id).await.unwrap(), answered);
        assert_eq!(bed.store.list_pending_approvals().await.unwrap(), std::slice::from_ref(&other));
        let told = [
            Fact::ApprovalAsked(other),
            Fact::ApprovalAsked(asked),
            Fact::ApprovalAnswered(answered),
        ];
        assert_eq!(bed.told(head).await, told);
    }
}

store_test! {
    async fn of_a_hundred_answers_at_once_one_stands(bed: &Bed) {
        let asked = approval(None, 1);
        bed.store.ask_approval(&asked).await.unwrap();
        let head = bed.head();
        let answers = (0..100).map(|number| {
            let answer = if number % 2 == 0 { yes() } else { no() };
            bed.store.answer_approval(asked.id, answer)
        });
        let answers = futures::future::join_all(answers).await;
        let (mut firsts, mut others) = (vec![], vec![]);
        for answer in answers {
            match answer.unwrap() {
                Answered::Now(approval) => firsts.push(approval),
                Answered::Before(approval) => others.push(approval),
            }
        }
        assert_eq!(firsts.len(), 1);
        assert_eq!(others, vec![firsts[0].clone(); 99], "all are told the answer that stands");
        assert_eq!(bed.told(head).await, [Fact::ApprovalAnswered(firsts[0].clone())]);
    }
}

store_test! {
    async fn what_a_process_asked_for_ends_with_it(bed: &Bed) {
        let project = bed.project().await.id;
        let started = bed.started(&intent_for_new(project, 1)).await;
        let process = started.process.clone().unwrap();
        let (waits, answered, foreign) =
            (approval(Some(process.id), 2), approval(Some(process.id), 3), approval(None, 4));
        for asked in [&waits, &answered, &foreign] {
            bed.store.ask_approval(asked).await.unwrap();
        }
        bed.store.answer_approval(answered.id, no()).await.unwrap();
        let head = bed.head();
        bed.finished(&started, Outcome::Succeeded).await;
        let timed_out = bed.store.get_approval(waits.id).await.unwrap();
        assert_eq!(timed_out.status, ApprovalStatus::TimedOut);
        assert_eq!(bed.store.get_approval(answered.id).await.unwrap().status, ApprovalStatus::Denied);
        assert_eq!(bed.store.list_pending_approvals().await.unwrap(), [foreign]);
        assert!(bed.told(head).await.contains(&Fact::ApprovalAnswered(timed_out.clone())));
        // Too late, and nobody would hear it.
        assert_eq!(bed.store.answer_approval(waits.id, yes()).await.unwrap(), Answered::Before(timed_out));
        let late = approval(Some(process.id), 5);
        assert_conflict(bed.store.ask_approval(&late).await, "the process has ended");
        // That its end is written again changes nothing.
        let head = bed.head();
        bed.store.update_process(&ended(&process)).await.unwrap();
        assert_eq!(bed.told(head).await.len(), 1);
    }
}

store_test! {
    async fn who_means_another_process_is_refused(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let process = started.process.unwrap().id;
        let asked = approval(Some(process), 2);
        bed.store.ask_approval(&asked).await.unwrap();
        let wrong = AnswerApproval { process_id: Some(ProcessId::random()), ..yes() };
        assert_conflict(bed.store.answer_approval(asked.id, wrong.clone()).await, "the approval is of another process");
        let right = AnswerApproval { process_id: Some(process), ..yes() };
        assert!(matches!(bed.store.answer_approval(asked.id, right).await.unwrap(), Answered::Now(_)));
        let of_nobody = approval(None, 3);
        bed.store.ask_approval(&of_nobody).await.unwrap();
        assert!(matches!(bed.store.answer_approval(of_nobody.id, wrong).await.unwrap(), Answered::Now(_)));
    }
}

store_test! {
    async fn what_is_not_there_cannot_be_asked_for_or_answered(bed: &Bed) {
        assert_not_found(bed.store.ask_approval(&approval(Some(ProcessId::random()), 1)).await, "process");
        assert_not_found(bed.store.get_approval(ApprovalId::random()).await, "approval");
        assert_not_found(bed.store.answer_approval(ApprovalId::random(), yes()).await, "approval");
        assert_eq!(bed.head(), 0);
    }
}

store_test! {
    async fn old_answers_are_forgotten_and_what_waits_is_kept(bed: &Bed) {
        let (waits, answered) = (approval(None, 1), approval(None, 2));
        for asked in [&waits, &answered] {
            bed.store.ask_approval(asked).await.unwrap();
        }
        bed.store.answer_approval(answered.id, yes()).await.unwrap();
        assert_eq!(bed.store.prune_approvals(at(0)).await.unwrap(), 0, "it was answered just now");
        let head = bed.head();
        let later = forge_model::Timestamp::from_millis(forge_model::Timestamp::now().as_millis() + 60_000);
        assert_eq!(bed.store.prune_approvals(later).await.unwrap(), 1);
        assert_eq!(bed.told(head).await, [Fact::ApprovalDeleted { id: answered.id }]);
        assert_eq!(bed.store.list_pending_approvals().await.unwrap(), [waits]);
    }
}

store_test! {
    async fn what_a_process_asks_is_written_once_and_shown_on_its_task(bed: &Bed) {
        let started = bed.started(&intent_for_new(bed.project().await.id, 1)).await;
        let (process, task) = (started.process.unwrap().id, started.task.task.id);
        let status = async || bed.store.get_task(task).await.unwrap().status;
        let asked = [approval(Some(process), 2), approval(Some(process), 3)];
        assert_eq!(bed.store.ask_approvals(process, asked.to_vec()).await.unwrap(), asked);
        assert_eq!(status().await, TaskStatus::InReview);
        let Answered::Now(answered) = bed.store.answer_approval(asked[0].id, yes()).await.unwrap() else {
            panic!("the first answer")
        };
        assert_eq!(status().await, TaskStatus::InReview, "the other waits still");
        let again = bed.store.ask_approvals(process, asked.to_vec()).await.unwrap();
        assert_eq!(again, [answered, asked[1].clone()]);
        bed.store.withdraw_approvals(process, asked.iter().map(|one| one.id).collect()).await.unwrap();
        let standing = [asked[0].id, asked[1].id].map(|id| bed.store.get_approval(id));
        let standing = futures::future::join_all(standing).await;
        let standing: Vec<_> = standing.into_iter().map(|one| one.unwrap().status).collect();
        assert_eq!(standing, [ApprovalStatus::Approved, ApprovalStatus::TimedOut]);
        assert_eq!(status().await, TaskStatus::InProgress);
    }
}

store_test! {
    async fn what_waits_too_long_is_ended_and_the_next_time_is_known(bed: &Bed) {
        let until = |number, at_ms| Approval { timeout_at: Some(at(at_ms)), ..approval(None, number) };
        let (soon, later, ever) = (until(1, 10), until(2, 20), approval(None, 3));
        assert_eq!(bed.store.next_deadline(at(0)).await.unwrap(), None);
        for asked in [&soon, &later, &ever] {
            bed.store.ask_approval(asked).await.unwrap();
        }
        assert_eq!(bed.store.next_deadline(at(15)).await.unwrap(), Some(at(10)), "also one that is over");
        let ended = bed.store.time_out_approvals(at(10)).await.unwrap();
        assert_eq!(ended.iter().map(|one| one.id).collect::<Vec<_>>(), [soon.id]);
        assert_eq!(bed.store.time_out_approvals(at(10)).await.unwrap(), []);
        assert_eq!(bed.store.next_deadline(at(15)).await.unwrap(), Some(at(20)));
        assert_eq!(bed.store.list_pending_approvals().await.unwrap(), [later, ever]);
    }
}
