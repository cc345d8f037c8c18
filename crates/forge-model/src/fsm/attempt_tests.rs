use proptest::prelude::*;

use super::*;

fn end() -> impl Strategy<Value = End> {
    prop_oneof![
        any::<i32>().prop_map(|code| End::Exited { code }),
        Just(End::Exited { code: 0 }),
        any::<i32>().prop_map(|signal| End::Signaled { signal }),
        Just(End::Stopped),
        Just(End::Lost),
        Just(End::NotStarted),
    ]
}

fn input() -> impl Strategy<Value = Input> {
    let reason = proptest::option::of(Just(Reason::AgentFailed { message: "no".into() }));
    prop_oneof![
        Just(Input::Begin),
        Just(Input::Stop),
        (end(), reason).prop_map(|(end, reason)| Input::Ended { end, reason }),
        Just(Input::Committed(Committed::Changed)),
        Just(Input::Committed(Committed::Unchanged)),
        Just(Input::Committed(Committed::Refused { message: "hook".into() })),
    ]
}

fn plan() -> impl Strategy<Value = Plan> {
    (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(needs_setup, has_cleanup, commits, free)| {
            let room = if free { Room::Free } else { Room::Full { now: Timestamp::from_millis(7) } };
            Plan { needs_setup, has_cleanup, commits, room }
        },
    )
}

proptest! {
    /// Whatever happens in whatever order: no panic, at most one process at a time, and a finished attempt
    /// leaves its end only through a new turn.
    #[test]
    fn one_process_at_a_time_and_a_finished_attempt_stays_finished(
        plan in plan(),
        inputs in proptest::collection::vec(input(), 0..60),
    ) {
        let (mut state, mut effects) = first(plan);
        for input in inputs {
            let runs = effects.iter().filter(|e| matches!(e, Effect::RunSetup | Effect::RunAgent | Effect::RunCleanup));
            prop_assert!(runs.count() <= 1);
            let before = state.clone();
            match step(&state, plan, input.clone()) {
                Ok((next, todo)) => {
                    if before.is_finished() {
                        prop_assert_eq!(&input, &Input::Begin);
                    }
                    let queued = matches!(before, AttemptState::Queued { .. });
                    prop_assert!(!queued || input == Input::Begin || input == Input::Stop);
                    if next.is_finished() {
                        prop_assert!(todo.contains(&Effect::Review));
                        let ran = !queued && !matches!(input, Input::Ended { end: End::NotStarted, .. });
                        prop_assert!(todo.contains(&Effect::Snapshot) || !ran);
                    }
                    let at_work = matches!(before, AttemptState::Running { .. } | AttemptState::Stopping { .. });
                    if at_work && todo.iter().any(|e| matches!(e, Effect::RunAgent | Effect::RunCleanup)) {
                        let by_stage = matches!(input, Input::Ended { .. } | Input::Committed(_));
                        prop_assert!(by_stage);
                    }
                    state = next;
                    effects = todo;
                }
                Err(Refusal::Busy) => prop_assert!(!before.is_finished() && input == Input::Begin),
                Err(Refusal::NotRunning) => {
                    let idle = before.is_finished() || matches!(before, AttemptState::Queued { .. });
                    prop_assert!(idle);
                }
                Err(Refusal::WrongStage) => prop_assert!(!before.is_finished()),
            }
        }
    }

    /// However far an attempt is, a stop ends it as soon as its stage answers.
    #[test]
    fn a_stopped_attempt_never_starts_anything_again(plan in plan(), inputs in proptest::collection::vec(input(), 0..20)) {
        let (mut state, _) = first(plan);
        for input in inputs {
            if let Ok((next, _)) = step(&state, plan, input) {
                state = next;
            }
        }
        let Ok((stopping, _)) = step(&state, plan, Input::Stop) else {
            prop_assert!(state.is_finished());
            return Ok(());
        };
        for answer in [Input::Ended { end: End::Exited { code: 0 }, reason: None }, Input::Committed(Committed::Changed)] {
            if let Ok((next, effects)) = step(&stopping, plan, answer) {
                prop_assert_eq!(next, AttemptState::Finished { outcome: Outcome::Stopped });
                prop_assert_eq!(effects, vec![Effect::Snapshot, Effect::Review]);
            }
        }
    }

    /// Success is only ever told of a chain that went through.
    #[test]
    fn a_process_that_did_not_end_well_is_never_a_success(end in end(), plan in plan()) {
        for stage in [Stage::Setup, Stage::Agent] {
            let state = AttemptState::Running { stage };
            let (next, _) = step(&state, plan, Input::Ended { end, reason: None }).unwrap();
            if end.is_success() {
                let is_last = stage == Stage::Agent && !plan.commits;
                prop_assert_eq!(next.is_finished(), is_last);
            } else {
                prop_assert!(next.is_finished());
                let succeeded = AttemptState::Finished { outcome: Outcome::Succeeded };
                prop_assert_ne!(next, succeeded);
            }
        }
    }
}

#[test]
fn the_whole_chain() {
    let plan = Plan { needs_setup: true, has_cleanup: true, commits: true, room: Room::Free };
    let ok = || Input::Ended { end: End::Exited { code: 0 }, reason: None };
    let (state, effects) = first(plan);
    assert_eq!(
        (&state, effects),
        (&AttemptState::Running { stage: Stage::Setup }, vec![Effect::Progress, Effect::RunSetup])
    );
    let (state, effects) = step(&state, plan, ok()).unwrap();
    assert_eq!(
        (&state, effects),
        (&AttemptState::Running { stage: Stage::Agent }, vec![Effect::Snapshot, Effect::RunAgent])
    );
    let (state, effects) = step(&state, plan, ok()).unwrap();
    assert_eq!((&state, effects), (&AttemptState::Running { stage: Stage::Commit }, vec![Effect::Commit]));
    let (state, effects) = step(&state, plan, Input::Committed(Committed::Changed)).unwrap();
    assert_eq!(
        (&state, effects),
        (&AttemptState::Running { stage: Stage::Cleanup }, vec![Effect::RunCleanup])
    );
    let (state, effects) = step(&state, plan, ok()).unwrap();
    assert_eq!(
        (&state, effects),
        (
            &AttemptState::Running { stage: Stage::CommitCleanup { end: End::Exited { code: 0 } } },
            vec![Effect::Commit]
        )
    );
    let (state, _) = step(&state, plan, Input::Committed(Committed::Unchanged)).unwrap();
    assert_eq!(state, AttemptState::Finished { outcome: Outcome::Succeeded });
}

#[test]
fn an_agent_that_changed_nothing_needs_no_cleanup() {
    let plan = Plan { needs_setup: false, has_cleanup: true, commits: true, room: Room::Free };
    let state = AttemptState::Running { stage: Stage::Commit };
    let (state, effects) = step(&state, plan, Input::Committed(Committed::Unchanged)).unwrap();
    assert_eq!(state, AttemptState::Finished { outcome: Outcome::Succeeded });
    assert_eq!(effects, vec![Effect::Snapshot, Effect::Review]);
}

#[test]
fn a_cleanup_script_that_failed_is_told_after_its_work_was_committed() {
    let plan = Plan { needs_setup: false, has_cleanup: true, commits: true, room: Room::Free };
    let state = AttemptState::Running { stage: Stage::Cleanup };
    let (state, effects) =
        step(&state, plan, Input::Ended { end: End::Exited { code: 3 }, reason: None }).unwrap();
    assert_eq!(effects, vec![Effect::Commit]);
    let (state, _) = step(&state, plan, Input::Committed(Committed::Changed)).unwrap();
    let reason = Reason::CleanupFailed { ended: "ended with exit code 3".into() };
    assert_eq!(state, AttemptState::Finished { outcome: Outcome::Failed { reason } });
}

#[test]
fn where_there_is_no_room_a_turn_waits_and_keeps_its_place() {
    let full = |now| Plan {
        needs_setup: false,
        has_cleanup: false,
        commits: true,
        room: Room::Full { now: Timestamp::from_millis(now) },
    };
    let (state, effects) = first(full(1));
    assert_eq!((&state, effects), (&AttemptState::Queued { since: Timestamp::from_millis(1) }, vec![]));
    let (state, effects) = step(&state, full(2), Input::Begin).unwrap();
    assert_eq!((&state, effects), (&AttemptState::Queued { since: Timestamp::from_millis(1) }, vec![]));
    let free = Plan { room: Room::Free, ..full(3) };
    let (state, effects) = step(&state, free, Input::Begin).unwrap();
    assert_eq!(
        (&state, effects),
        (&AttemptState::Running { stage: Stage::Agent }, vec![Effect::Progress, Effect::RunAgent])
    );
}

#[test]
fn where_nothing_is_committed_the_chain_ends_with_the_agent_and_its_work_is_saved() {
    let plan = Plan { needs_setup: false, has_cleanup: true, commits: false, room: Room::Free };
    let (state, effects) = first(plan);
    assert_eq!(effects, vec![Effect::Progress, Effect::RunAgent]);
    let ended = Input::Ended { end: End::Exited { code: 0 }, reason: None };
    let (state, effects) = step(&state, plan, ended).unwrap();
    assert_eq!(state, AttemptState::Finished { outcome: Outcome::Succeeded });
    assert_eq!(effects, vec![Effect::Snapshot, Effect::Review]);
}

#[test]
fn turn_that_never_ran_leaves_nothing_to_save() {
    let plan = Plan { needs_setup: false, has_cleanup: false, commits: true, room: Room::Free };
    let queued = AttemptState::Queued { since: Timestamp::from_millis(1) };
    let running = AttemptState::Running { stage: Stage::Agent };
    for (state, input) in
        [(queued, Input::Stop), (running, Input::Ended { end: End::NotStarted, reason: None })]
    {
        let (state, effects) = step(&state, plan, input).unwrap();
        assert!(state.is_finished());
        assert_eq!(effects, vec![Effect::Review]);
    }
}

#[test]
fn node_loss_ends_what_runs_and_what_waits() {
    let stage = Stage::Commit;
    let finished = |outcome| AttemptState::Finished { outcome };
    let after = |state| after_node_loss(&state);
    assert_eq!(after(AttemptState::Running { stage }), Some(finished(Outcome::Lost)));
    assert_eq!(after(AttemptState::Stopping { stage }), Some(finished(Outcome::Stopped)));
    assert_eq!(
        after(AttemptState::Queued { since: Timestamp::from_millis(7) }),
        Some(finished(Outcome::Stopped))
    );
    assert_eq!(after(finished(Outcome::Succeeded)), None);
}
