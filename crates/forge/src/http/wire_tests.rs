//! The shapes on the wire against the contract's samples.

use forge_model as model;
use serde_json::{Value, json};

use super::*;
use crate::http::compat::UseWorktree;

const AT: &str = "2026-11-15T07:13:15.913Z";

fn from_json<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn project() -> model::Project {
    from_json(json!({
        "id": "38668057-8ad8-4c66-a1f6-0b1e60e1b0a1", "name": "p", "git_repo_path": "/abs/repo",
        "setup_script": null, "dev_script": null, "cleanup_script": null, "copy_files": null,
        "commit_prompt": null, "default_base_branch": null, "fetch_submodules": false,
        "skip_commit_hooks": false, "skip_commit_signing": false, "created_at": AT, "updated_at": AT,
    }))
}

fn card() -> model::TaskCard {
    from_json(json!({
        "task": {
            "id": "26ff6bbc-0000-4000-8000-000000000001", "project_id": project().id, "title": "t",
            "description": "d", "status": "inprogress", "parent_task_attempt": null,
            "created_at": AT, "updated_at": AT,
        },
        "has_in_progress_attempt": true, "last_attempt_failed": false, "executor": "CLAUDE_CODE",
        "attempt_count": 1,
    }))
}

fn attempt() -> model::Attempt {
    from_json(json!({
        "id": "03837cb9-0000-4000-8000-000000000002", "task_id": card().task.id, "project_id": project().id,
        "profile": {"executor": "CLAUDE_CODE", "variant": null}, "branch": "forge/0383-t",
        "target_branch": "main", "worktree": "/w/0383-t", "worktree_deleted": false, "first_port": 20000,
        "conversation": null, "set_up": true, "state": {"state": "running", "stage": "agent"},
        "created_at": AT, "updated_at": AT,
    }))
}

fn process() -> model::Process {
    from_json(json!({
        "id": "bf130f56-0000-4000-8000-000000000003", "attempt_id": attempt().id, "kind": "codingagent",
        "action": {"type": "turn", "prompt": "t\n\nd", "conversation": null},
        "state": {"state": "running"}, "reason": null, "before_head_commit": "cd082d2b",
        "after_head_commit": null, "started_at": AT, "completed_at": null, "updated_at": AT,
    }))
}

/// Everything of `sample` stands in `value` as it stands there; `value` may have more.
fn assert_holds(value: &Value, sample: &Value) {
    for (key, expected) in sample.as_object().unwrap() {
        assert_eq!(value.get(key), Some(expected), "{key}");
    }
}

fn task_sample() -> Value {
    json!({
        "id": card().task.id, "project_id": project().id, "title": "t", "description": "d",
        "status": "inprogress", "parent_task_attempt": null, "dev_server_id": null, "created_at": AT,
        "updated_at": AT, "has_in_progress_attempt": true, "has_merged_attempt": false,
        "last_attempt_failed": false, "executor": "CLAUDE_CODE", "attempt_count": 1,
    })
}

fn attempt_sample() -> Value {
    json!({
        "id": attempt().id, "task_id": card().task.id, "container_ref": "/w/0383-t",
        "branch": "forge/0383-t", "target_branch": "main", "executor": "CLAUDE_CODE",
        "worktree_deleted": false, "setup_completed_at": null, "input_tokens": null, "output_tokens": null,
        "cache_creation_tokens": null, "cache_read_tokens": null, "created_at": AT, "updated_at": AT,
        "status": "running", "project_id": project().id, "worktree_path": "/w/0383-t",
        "branch_name": "forge/0383-t", "base_branch": "main", "state": "running", "reason": null,
        "executor_profile_id": {"executor": "CLAUDE_CODE"},
    })
}

#[test]
fn a_project_is_the_contracts() {
    let wire = serde_json::to_value(Project::from(&project())).unwrap();
    assert_eq!(
        wire,
        json!({
            "id": "38668057-8ad8-4c66-a1f6-0b1e60e1b0a1", "name": "p", "git_repo_path": "/abs/repo",
            "setup_script": null, "dev_script": null, "cleanup_script": null, "copy_files": null,
            "commit_prompt": null, "default_base_branch": null, "fetch_submodules": false,
            "skip_commit_hooks": false, "skip_commit_signing": false, "created_at": AT, "updated_at": AT,
        })
    );
}

#[test]
fn a_task_is_flat_and_nested() {
    let wire = serde_json::to_value(Task::from(&card())).unwrap();
    assert_holds(&wire, &task_sample());
    for key in ["id", "project_id", "title", "description", "status", "created_at"] {
        assert_eq!(wire["task"][key], wire[key], "{key}");
    }
}

#[test]
fn an_attempt_has_the_old_names_and_the_new() {
    assert_holds(&serde_json::to_value(Attempt::from(&attempt())).unwrap(), &attempt_sample());
}

#[test]
fn a_failed_attempt_says_why_and_what_to_do() {
    let state = json!({"state": "finished", "outcome": {
        "outcome": "failed", "reason": {"code": "setup_failed", "ended": "ended with exit code 3"},
    }});
    let attempt = model::Attempt { state: from_json(state), ..attempt() };
    let wire = serde_json::to_value(Attempt::from(&attempt)).unwrap();
    assert_holds(
        &wire,
        &json!({"status": "failed", "state": "finished", "outcome": "failed", "stage": null}),
    );
    assert_eq!(wire["reason"]["code"], "setup_failed");
    assert_eq!(wire["reason"]["message"], "the setup script ended with exit code 3");
    assert!(wire["reason"]["hint"].as_str().unwrap().contains("follow-up"));
}

#[test]
fn a_process_is_the_contracts() {
    let (process, attempt) = (process(), attempt());
    let wire = serde_json::to_value(Process::new(&process, Some(&attempt.profile))).unwrap();
    assert_holds(
        &wire,
        &json!({
            "id": process.id, "task_attempt_id": attempt.id, "execution_run_id": null,
            "run_reason": "codingagent", "before_head_commit": "cd082d2b", "after_head_commit": null,
            "status": "running", "exit_code": null, "dropped": false, "started_at": AT, "completed_at": null,
            "created_at": AT, "updated_at": AT, "state": "running", "reason": null,
            "executor_action": {
                "typ": {
                    "type": "CodingAgentInitialRequest", "prompt": "t\n\nd",
                    "executor_profile_id": {"executor": "CLAUDE_CODE"},
                },
                "next_action": null,
            },
        }),
    );
}

#[test]
fn what_a_process_ran_is_told_by_its_type() {
    let typ = |action: Value, kind: &str| {
        let process = model::Process { action: from_json(action), kind: from_json(json!(kind)), ..process() };
        serde_json::to_value(Process::new(&process, None)).unwrap()["executor_action"]["typ"].clone()
    };
    let script = json!({"type": "script", "script": "make"});
    for (kind, context) in [("setupscript", "SetupScript"), ("cleanupscript", "CleanupScript")] {
        let expected =
            json!({"type": "ScriptRequest", "script": "make", "language": "Bash", "context": context});
        assert_eq!(typ(script.clone(), kind), expected);
    }
    let turn = json!({"type": "turn", "prompt": "more", "conversation": "c1"});
    let expected = json!({
        "type": "CodingAgentFollowUpRequest", "prompt": "more", "session_id": "c1",
        "executor_profile_id": null,
    });
    assert_eq!(typ(turn, "codingagent"), expected);
}

#[test]
fn an_end_that_nobody_saw_is_lost_and_never_success() {
    for (end, state, status, exit_code) in [
        (json!({"type": "exited", "code": 0}), "exited", "completed", json!(0)),
        (json!({"type": "exited", "code": 3}), "exited", "failed", json!(3)),
        (json!({"type": "signaled", "signal": 9}), "signaled", "failed", json!(null)),
        (json!({"type": "stopped"}), "stopped", "killed", json!(null)),
        (json!({"type": "lost"}), "lost", "failed", json!(null)),
    ] {
        let state_json = json!({"state": "ended", "end": end});
        let process = model::Process { state: from_json(state_json), ..process() };
        let wire = serde_json::to_value(Process::new(&process, None)).unwrap();
        assert_holds(&wire, &json!({"state": state, "status": status, "exit_code": exit_code}));
    }
}

#[test]
fn a_start_has_every_id_wherever_a_client_looks_for_it() {
    let started = model::Started { task: card(), attempt: attempt(), process: Some(process()) };
    let (task, attempt, process) = (json!(card().task.id), json!(attempt().id), json!(process().id));
    let wire = serde_json::to_value(StartedTask::new(&started, None, UseWorktree::Wanted, vec![])).unwrap();
    assert_holds(&wire, &task_sample());
    assert_eq!((&wire["id"], &wire["task"]["id"]), (&task, &task));
    let flat =
        serde_json::to_value(StartedAttempt::new(&started, None, UseWorktree::Wanted, vec![])).unwrap();
    assert_holds(&flat, &attempt_sample());
    assert_eq!((&flat["id"], &flat["task_id"], &flat["task"]["id"]), (&attempt, &task, &task));
    for wire in [wire, flat] {
        assert_holds(&wire["task_attempt"], &attempt_sample());
        assert_eq!(wire["attempts"][0], wire["task_attempt"]);
        assert_eq!((&wire["attempt_id"], &wire["execution_process_id"]), (&attempt, &process));
        assert_eq!(wire["execution_process"]["id"], process);
    }
}

#[test]
fn an_event_is_a_patch_and_a_typed_message_and_only_the_last_has_the_id() {
    let event = model::Event { seq: 7, at: from_json(json!(AT)), fact: model::Fact::TaskUpdated(card()) };
    let mut text = String::new();
    write_event(&mut text, &event.into(), None).unwrap();
    let messages: Vec<_> = text.split_terminator("\n\n").collect();
    let task = serde_json::to_value(Task::from(&card())).unwrap();
    let patch = json!([{"op": "replace", "path": format!("/tasks/{}", card().task.id), "value": task}]);
    let (head, body) = messages[0].split_once("\ndata: ").unwrap();
    assert_eq!((head, serde_json::from_str::<Value>(body).unwrap()), ("event: json_patch", patch));
    let (head, body) = messages[1].split_once("\ndata: ").unwrap();
    assert_eq!((head, serde_json::from_str::<Value>(body).unwrap()), ("id: 7\nevent: task_update", task));
    assert_eq!(messages.len(), 2);
}

#[test]
fn what_is_gone_is_removed() {
    let (id, task_id) = (attempt().id, card().task.id);
    let fact = model::Fact::AttemptDeleted { id, task_id: Some(task_id), project_id: None };
    let mut text = String::new();
    write_event(&mut text, &model::Event { seq: 9, at: from_json(json!(AT)), fact }.into(), None).unwrap();
    let expected = format!(
        "event: json_patch\ndata: [{{\"op\":\"remove\",\"path\":\"/task_attempts/{id}\"}}]\n\n\
         id: 9\nevent: task_attempt_deleted\ndata: {{\"id\":\"{id}\",\"task_id\":\"{task_id}\"}}\n\n"
    );
    assert_eq!(text, expected);
}

fn run() -> model::Attempt {
    model::Attempt {
        task_id: None,
        prompt: Some("count".into()),
        branch: "run/03837cb9".into(),
        worktree: "/w/run-0383".into(),
        ..attempt()
    }
}

#[test]
fn a_run_is_the_contracts() {
    let wire = serde_json::to_value(Run::from(&run())).unwrap();
    assert_holds(
        &wire,
        &json!({
            "id": run().id, "project_id": project().id, "branch": "run/03837cb9", "target_branch": "main",
            "executor": "CLAUDE_CODE", "variant": null, "container_ref": "/w/run-0383", "prompt": "count",
            "worktree_deleted": false, "created_at": AT, "updated_at": AT, "status": "running",
        }),
    );
    assert!(wire.get("task_id").is_none());
    let process = model::Process { in_run: true, ..process() };
    let started = forge_engine::StartedRun { run: run(), process: Some(process) };
    let wire = serde_json::to_value(StartedRun::new(&started, Some(2))).unwrap();
    assert_eq!(wire["execution_run"]["id"], wire["execution_run_id"]);
    assert_eq!(wire["queue_position"], 2);
    let process = &wire["execution_process"];
    assert_holds(process, &json!({"task_attempt_id": null, "execution_run_id": run().id}));
}

#[test]
fn runs_and_approvals_are_told_under_their_own_names() {
    let told = |fact: model::Fact| {
        let mut text = String::new();
        write_event(&mut text, &model::Event { seq: 3, at: from_json(json!(AT)), fact }.into(), None)
            .unwrap();
        let lines = text.lines().filter(|line| line.starts_with("event: ")).skip(1);
        let path = text.split("\"path\":\"/").nth(1).unwrap().split('/').next().unwrap().to_owned();
        (path, lines.map(|line| line.replace("event: ", "")).collect::<String>())
    };
    let names = |path: &str, name: &str| (path.to_owned(), name.to_owned());
    let runs = |name| names("execution_runs", name);
    assert_eq!(told(model::Fact::AttemptCreated(run())), runs("execution_run_update"));
    assert_eq!(told(model::Fact::AttemptUpdated(run())), runs("execution_run_update"));
    let gone = model::Fact::AttemptDeleted { id: run().id, task_id: None, project_id: None };
    assert_eq!(told(gone), runs("execution_run_deleted"));
    let approval = model::Approval {
        id: model::ApprovalId::random(),
        process_id: None,
        message: "may I?".into(),
        context: None,
        choices: vec![],
        status: model::ApprovalStatus::Denied,
        choice: None,
        comment: Some("no".into()),
        created_at: from_json(json!(AT)),
        timeout_at: None,
        answered_at: Some(from_json(json!(AT))),
    };
    let wire = serde_json::to_value(Approval::from(&approval)).unwrap();
    assert_holds(&wire, &json!({"status": "denied", "response": "no", "reason": "no", "message": "may I?"}));
    assert_eq!(
        serde_json::to_value(Responded::from(&approval)).unwrap(),
        json!({
            "success": true, "data": {"status": "denied", "reason": "no"}, "error_data": null,
            "message": null, "status": "denied", "reason": "no",
        })
    );
    let id = approval.id;
    let approvals = |name| names("approvals", name);
    assert_eq!(told(model::Fact::ApprovalAsked(approval.clone())), approvals("approval_update"));
    assert_eq!(told(model::Fact::ApprovalAnswered(approval)), approvals("approval_update"));
    assert_eq!(told(model::Fact::ApprovalDeleted { id }), approvals("approval_deleted"));
}
