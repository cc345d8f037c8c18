//! Every spelling that a client is known to send comes to the same command.

use forge_engine::WhenDirty;
use forge_model::{DraftKind, Queueing, SaveDraft, WorktreeReset};
use serde_json::json;

use super::*;

const PROJECT: &str = "38668057-8ad8-4c66-a1f6-0b1e60e1b0a1";

fn start(body: Value, in_path: Option<&str>) -> Result<StartAttempt, Problem> {
    let in_path = in_path.map(|id| id.parse().unwrap());
    serde_json::from_value::<CreateAndStart>(body).unwrap().into_command(in_path, None)
}

fn expected(variant: Option<&str>, base_branch: Option<&str>) -> StartAttempt {
    StartAttempt {
        subject: Subject::New(CreateTask {
            project_id: PROJECT.parse().unwrap(),
            title: "t".into(),
            description: Some("d".into()),
            parent_task_attempt: None,
            image_ids: Vec::new(),
        }),
        profile: Profile::new("CLAUDE_CODE", variant).unwrap(),
        base_branch: base_branch.map(str::to_owned),
        include_uncommitted: false,
        idempotency_key: None,
    }
}

#[test]
fn nested_flat_and_below_the_project_are_the_same_start() {
    let nested = json!({
        "task": {"project_id": PROJECT, "title": "t", "description": "d", "status": "todo", "image_ids": null},
        "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": "DEFAULT", "model": "x"},
        "base_branch": "main", "use_worktree": null, "unknown": {"a": 1},
    });
    assert_eq!(start(nested, None).unwrap(), expected(None, Some("main")));
    let flat = json!({
        "title": "t", "description": "d", "executor_profile_id": "CLAUDE_CODE", "base_branch": "main",
    });
    assert_eq!(start(flat.clone(), Some(PROJECT)).unwrap(), expected(None, Some("main")));
    let mut with_project = flat;
    with_project["project_id"] = json!(PROJECT);
    assert_eq!(start(with_project, None).unwrap(), expected(None, Some("main")));
}

#[test]
fn every_spelling_of_a_profile_is_one() {
    for profile in [
        json!("CLAUDE_CODE:PLAN"),
        json!("claude-code:plan"),
        json!({"executor": "claude-code", "variant": "plan"}),
        json!({"profile": "CLAUDE_CODE", "variant": "PLAN"}),
    ] {
        let body =
            json!({"title": "t", "description": "d", "executor_profile_id": profile, "base_branch": ""});
        assert_eq!(start(body, Some(PROJECT)).unwrap(), expected(Some("PLAN"), None));
    }
    for profile in [json!(""), json!({}), json!(7), json!({"executor": "a/b"})] {
        let body = json!({"title": "t", "executor_profile_id": profile}).to_string();
        let error = crate::http::shape::of_body::<CreateAndStart>(body.as_bytes()).err().unwrap().message;
        assert!(error.starts_with("`executor_profile_id`: an executor"), "{error}");
    }
}

#[test]
fn what_cannot_be_done_is_refused_and_not_ignored() {
    let base = json!({"title": "t", "description": "d", "executor_profile_id": "CLAUDE_CODE"});
    for use_worktree in [json!(true), json!(false), json!(null)] {
        let mut body = base.clone();
        body["use_worktree"] = use_worktree;
        assert_eq!(start(body, Some(PROJECT)).unwrap(), expected(None, None));
    }
    let mut elsewhere = base.clone();
    elsewhere["project_id"] = json!("38668057-8ad8-4c66-a1f6-0b1e60e1b0a2");
    assert_eq!(start(elsewhere, Some(PROJECT)).unwrap_err().code, "project_mismatch");
    assert_eq!(start(base, None).unwrap_err().message, "`project_id` is missing");
    let untitled = json!({"executor_profile_id": "CLAUDE_CODE"});
    assert_eq!(start(untitled, Some(PROJECT)).unwrap_err().message, "`task` is missing");
    let nobody = json!({"title": "t"});
    let message = start(nobody, Some(PROJECT)).unwrap_err().message;
    assert_eq!(message, "`executor_profile_id` is missing");
}

#[test]
fn a_follow_up_is_a_prompt_by_either_name() {
    let wanted = |body| serde_json::from_value::<FollowUpBody>(body).unwrap().into_command();
    let read = |body| match wanted(body).unwrap() {
        Wanted::Next(command) => command,
        Wanted::Instead(command) => panic!("it takes the place of nothing: {command:?}"),
    };
    for body in [json!({"prompt": "go on"}), json!({"follow_up_prompt": "go on", "variant": " "})] {
        let command = read(body);
        assert_eq!((command.prompt.as_str(), command.variant), ("go on", None));
    }
    assert_eq!(read(json!({"prompt": "x", "variant": "PLAN"})).variant.as_deref(), Some("PLAN"));
    assert_eq!(wanted(json!({})).err().unwrap().code, "wrong_shape");
    let Wanted::Instead(retry) = wanted(json!({"prompt": "x", "retry_process_id": PROJECT})).unwrap() else {
        panic!("it takes the place of a turn")
    };
    assert_eq!(retry.process_id, Some(PROJECT.parse().unwrap()));
    assert_eq!((retry.worktree, retry.when_dirty), (WorktreeReset::Reset, WhenDirty::Save));
}

#[test]
fn a_turn_is_replaced_in_either_spelling() {
    let read = |body| serde_json::from_value::<ReplaceBody>(body).unwrap().into_command();
    let command = read(json!({"prompt": "x", "executor_profile_id": "claude-code:plan"})).unwrap();
    assert_eq!(
        (command.process_id, command.profile.unwrap().to_string().as_str()),
        (None, "CLAUDE_CODE:PLAN")
    );
    let body = json!({
        "process_id": PROJECT, "prompt": "x", "variant": null, "force_when_dirty": false, "perform_git_reset": false,
    });
    let command = read(body).unwrap();
    assert_eq!((command.worktree, command.when_dirty), (WorktreeReset::Keep, WhenDirty::Refuse));
    assert_eq!(read(json!({"process_id": PROJECT})).err().unwrap().code, "wrong_shape");
}

#[test]
fn a_draft_is_named_saved_and_queued_in_either_spelling() {
    let kind = |body| serde_json::from_value::<WhichDraft>(body).map(|which| which.kind());
    let follow_up = DraftKind::FollowUp;
    for (text, meant) in [("follow_up", follow_up), ("FOLLOW-UP", follow_up), ("retry", DraftKind::Retry)] {
        assert_eq!(kind(json!({"type": text})).unwrap(), meant);
    }
    assert_eq!(kind(json!({})).unwrap(), DraftKind::FollowUp);
    assert!(kind(json!({"type": "other"})).is_err());
    let save = |body| serde_json::from_value::<DraftBody>(body).unwrap().into_command();
    assert_eq!(save(json!({})), SaveDraft::default());
    assert_eq!(save(json!({"follow_up_prompt": "x"})).prompt, Patch::Set("x".into()));
    let nulls = save(json!({"variant": null, "prompt": null, "image_ids": null, "retry_process_id": null}));
    assert_eq!(nulls, SaveDraft { variant: Patch::Clear, ..SaveDraft::default() });
    let cleared = save(json!({"variant": " ", "prompt": "", "image_ids": []}));
    let empty = (Patch::Set(String::new()), Patch::Clear, Patch::Set(vec![]));
    assert_eq!((cleared.prompt, cleared.variant, cleared.image_ids), empty);
    let queue = |body| serde_json::from_value::<QueueBody>(body).unwrap().into_command();
    for body in [json!({"queued": true}), json!({"execute": true, "prompt": "x"})] {
        assert_eq!(queue(body).unwrap().wanted, Queueing::Send);
    }
    assert_eq!(queue(json!({"queued": false, "expected_version": 2})).unwrap().expected_version, Some(2));
    assert_eq!(queue(json!({})).err().unwrap().code, "wrong_shape");
}

#[test]
fn a_repository_is_made_only_when_that_is_said() {
    let read = |body| serde_json::from_value::<NewProject>(body).unwrap().into_command().unwrap().origin;
    assert_eq!(read(json!({"name": "p", "git_repo_path": "/r"})), RepositoryOrigin::Existing);
    assert_eq!(
        read(json!({"name": "p", "repo_path": "/r", "git_repo_path": "/r"})),
        RepositoryOrigin::Existing
    );
    let made = json!({"name": "p", "git_repo_path": "/r", "use_existing_repo": false});
    assert_eq!(read(made), RepositoryOrigin::New);
}

#[test]
fn an_attempt_of_a_task_in_the_path_is_the_same_start() {
    let read = |body: Value, in_path: Option<&str>| {
        let in_path = in_path.map(|id| id.parse().unwrap());
        serde_json::from_value::<StartBody>(body).unwrap().into_command(in_path, None)
    };
    let named = json!({"task_id": PROJECT, "executor_profile_id": "CLAUDE_CODE", "base_branch": "main"});
    let in_path = json!({"executor": "claude-code", "base_branch": "main"});
    let mut both = named.clone();
    both["executor"] = json!("CLAUDE_CODE");
    let expected = read(named, None).unwrap();
    assert_eq!(read(both, None).unwrap(), expected);
    assert_eq!(read(in_path.clone(), Some(PROJECT)).unwrap(), expected);
    assert_eq!(read(in_path, None).unwrap_err().message, "`task_id` is missing");
}

#[test]
fn name_change_keeps_null_and_refuses_long_text() {
    let project = |body| serde_json::from_value::<ProjectChange>(body).unwrap().into_command();
    let task = |body| serde_json::from_value::<TaskChange>(body).unwrap().into_command();
    assert!(project(json!({"name": null})).is_ok());
    let nulls = json!({
        "title": null, "description": null, "status": null, "parent_task_attempt": null, "image_ids": null,
    });
    assert_eq!(task(nulls).unwrap(), UpdateTask::default());
    assert_eq!(project(json!({"name": "n"})).unwrap().name, Patch::Set("n".into()));
    assert_eq!(task(json!({"parent_task_attempt": ""})).unwrap().parent_task_attempt, Patch::Clear);
    let (most, more) = ("ü".repeat(1_000), "ü".repeat(1_001));
    assert!(project(json!({"name": most})).is_ok() && task(json!({"title": most})).is_ok());
    assert_eq!(project(json!({"name": more})).unwrap_err().code, "too_long");
    assert_eq!(task(json!({"title": more})).unwrap_err().code, "too_long");
    let new = json!({"title": more, "executor_profile_id": "CLAUDE_CODE"});
    assert_eq!(start(new, Some(PROJECT)).unwrap_err().code, "too_long");
    let new: NewProject = serde_json::from_value(json!({"name": more, "git_repo_path": "/r"})).unwrap();
    assert_eq!(new.into_command().unwrap_err().code, "too_long");
}

#[test]
fn a_run_is_asked_for_in_either_spelling() {
    let read = |body: Value| serde_json::from_value::<NewRun>(body).unwrap().into_command(Some("key".into()));
    let nested = json!({
        "project_id": PROJECT, "prompt": "count", "base_branch": " ",
        "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": "PLAN"},
    });
    let flat =
        json!({"project_id": PROJECT, "prompt": "count", "executor": "claude-code", "variant": "PLAN"});
    let expected = read(nested).unwrap();
    assert_eq!((&expected.base_branch, expected.profile.variant.as_deref()), (&None, Some("PLAN")));
    assert_eq!(read(flat).unwrap(), expected);
    let nobody = json!({"project_id": PROJECT, "prompt": "count"});
    assert_eq!(read(nobody).unwrap_err().message, "`executor_profile_id` is missing");
}

#[test]
fn an_approval_is_answered_in_either_spelling() {
    let read = |body: Value| serde_json::from_value::<ApprovalAnswer>(body).map(ApprovalAnswer::into_command);
    let answer = |body: Value| read(body).unwrap().unwrap();
    let no = answer(json!({"approved": false, "comment": "why?"}));
    assert_eq!((no.approved, no.comment.as_deref(), no.process_id), (Some(false), Some("why?"), None));
    let other =
        answer(json!({"execution_process_id": PROJECT, "status": {"status": "denied", "reason": "why?"}}));
    assert_eq!((other.approved, other.comment.as_deref()), (Some(false), Some("why?")));
    assert_eq!(other.process_id, Some(PROJECT.parse().unwrap()));
    assert_eq!(answer(json!({"status": {"status": "approved"}})).approved, Some(true));
    assert_eq!(answer(json!({"status": "approved", "approved": true})).approved, Some(true));
    assert_eq!(read(json!({})).unwrap().unwrap_err().message, "`approved` is missing");
    let both = json!({"approved": true, "status": {"status": "denied"}});
    assert_eq!(read(both).unwrap().unwrap_err().code, "wrong_shape");
    for status in
        [json!("pending"), json!({"status": "timed_out"}), json!({}), json!(7), json!({"status": "yes"})]
    {
        assert!(read(json!({ "status": status })).is_err(), "{status}");
    }
}
