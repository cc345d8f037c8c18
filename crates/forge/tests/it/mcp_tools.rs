//! The tools of MCP: each goes well once and badly once, and says what the REST API does.

use forge_testkit::server::TestServer;
use serde_json::{Value, json};

use crate::life::Bed;
use crate::mcp::{call, say};
use crate::{FORGE, data};

const UNKNOWN: &str = "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";

/// The tools, whether they only look, and whether something may be gone after them.
const TOOLS: [(&str, bool, bool); 18] = [
    ("list_projects", true, false),
    ("list_tasks", true, false),
    ("create_task", false, false),
    ("get_task", true, false),
    ("update_task", false, true),
    ("delete_task", false, true),
    ("start_task_attempt", false, false),
    ("create_and_start_task", false, false),
    ("list_task_attempts", true, false),
    ("get_task_attempt", true, false),
    ("follow_up", false, false),
    ("stop_task_attempt", false, true),
    ("start_execution_run", false, false),
    ("list_execution_runs", true, false),
    ("get_execution_run", true, false),
    ("stop_execution_run", false, true),
    ("list_approvals", true, false),
    ("answer_approval", false, false),
];

#[tokio::test]
async fn every_tool_says_what_it_does_and_takes() {
    let server = TestServer::start(FORGE).await;
    let (status, answer) = say(&server, &json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})).await;
    assert_eq!(status, 200);
    let tools = answer["result"]["tools"].as_array().unwrap();
    let told: Vec<_> = tools
        .iter()
        .map(|tool| {
            let hint = |name: &str| tool["annotations"][name].as_bool().unwrap();
            (tool["name"].as_str().unwrap(), hint("readOnlyHint"), hint("destructiveHint"))
        })
        .collect();
    assert_eq!(told, TOOLS);
    for tool in tools {
        assert!(tool["description"].as_str().unwrap().len() > 20, "{tool}");
        let schema = &tool["inputSchema"];
        assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)));
        for (name, property) in schema["properties"].as_object().unwrap() {
            assert!(property["description"].as_str().is_some_and(|text| text.len() > 8), "{name} of {tool}");
            assert!(property["type"].is_string(), "{name} of {tool}");
        }
        assert!(!tool.to_string().contains("$ref"), "{tool}");
    }
}

#[tokio::test]
async fn a_task_is_made_listed_changed_and_deleted() {
    let bed = Bed::new().await;
    let server = &bed.server;
    let projects = call(server, "list_projects", json!({})).await.unwrap();
    assert_eq!((&projects["count"], &projects["projects"][0]["id"]), (&json!(1), &json!(bed.project)));
    let keys: Vec<_> = projects["projects"][0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["created_at", "git_repo_path", "id", "name", "updated_at"],
        "what is not set is left out"
    );

    let new = json!({"project_id": bed.project, "title": "one", "description": "more"});
    let id = call(server, "create_task", new).await.unwrap()["task_id"].clone();
    let task = call(server, "get_task", json!({"task_id": id})).await.unwrap()["task"].clone();
    assert_eq!(
        (&task["title"], &task["description"], &task["status"]),
        (&json!("one"), &json!("more"), &json!("todo"))
    );
    assert_eq!(task["has_in_progress_attempt"], false);

    // Both spellings go in, one comes out.
    for (spelling, told) in [("inprogress", "in-progress"), ("in-review", "in-review")] {
        let change = json!({"task_id": id, "status": spelling, "title": null});
        let changed = call(server, "update_task", change).await.unwrap();
        assert_eq!((&changed["task"]["status"], &changed["task"]["title"]), (&json!(told), &json!("one")));
        for status in [spelling, told] {
            let which = json!({"project_id": bed.project, "status": status});
            let listed = call(server, "list_tasks", which).await.unwrap();
            assert_eq!((&listed["count"], &listed["tasks"][0]["id"]), (&json!(1), &id), "{listed}");
            assert_eq!(listed["applied_filters"], json!({"status": told, "limit": 50}));
            assert_eq!(listed["project_id"], json!(bed.project));
        }
    }
    let rest = data(server.get(&format!("/api/tasks/{}", id.as_str().unwrap())).await);
    assert_eq!((&rest["status"], &rest["title"]), (&json!("inreview"), &json!("one")));
    for (which, count) in [
        (json!({"project_id": bed.project, "status": "done"}), 0),
        (json!({"project_id": bed.project, "limit": 0}), 0),
        (json!({"project_id": bed.project, "limit": -3}), 0),
        (json!({"project_id": bed.project, "limit": 1}), 1),
    ] {
        assert_eq!(call(server, "list_tasks", which).await.unwrap()["count"], count);
    }
    let gone = call(server, "delete_task", json!({"task_id": id})).await.unwrap();
    assert_eq!(gone, json!({"deleted_task_id": id}));
    let error = call(server, "get_task", json!({"task_id": id})).await.unwrap_err();
    assert_eq!(error["details"]["code"], "not_found");
}

#[tokio::test]
async fn an_attempt_is_started_told_more_and_stopped() {
    let bed = Bed::new().await;
    let server = &bed.server;
    let new = json!({"project_id": bed.project, "title": "t", "description": "@until-told"});
    let task = call(server, "create_task", new).await.unwrap()["task_id"].clone();
    let start = json!({"task_id": task, "executor": "claude-code", "base_branch": "main", "variant": "plan"});
    let started = call(server, "start_task_attempt", start).await.unwrap();
    assert_eq!((&started["task_id"], &started["queued"]), (&task, &json!(false)));
    let id = started["attempt_id"].as_str().unwrap();
    let attempt = data(server.get(&format!("/api/task-attempts/{id}")).await);
    assert_eq!(attempt["executor_profile_id"], json!({"executor": "CLAUDE_CODE", "variant": "PLAN"}));
    assert_eq!((&attempt["state"], &attempt["branch"]), (&json!("running"), &started["branch"]));
    let told = call(server, "get_task_attempt", json!({"attempt_id": id})).await.unwrap();
    let listed = call(server, "list_task_attempts", json!({"task_id": task})).await.unwrap();
    assert_eq!(listed["count"], 1);
    for told in [&told["attempt"], &listed["attempts"][0]] {
        for name in ["id", "task_id", "state", "branch", "worktree_path", "executor_profile_id"] {
            assert_eq!(told[name], attempt[name], "{name} as REST tells it");
        }
    }

    let more = call(server, "follow_up", json!({"attempt_id": id, "message": "@say more"})).await.unwrap();
    assert_eq!((&more["queued"], &more["ahead"]), (&json!(true), &json!(0)));
    let waiting = data(server.get(&format!("/api/task-attempts/{id}/follow-ups")).await);
    assert_eq!((&waiting[0]["id"], &waiting[0]["prompt"]), (&more["follow_up_id"], &json!("@say more")));

    let stopped = call(server, "stop_task_attempt", json!({"attempt_id": id})).await.unwrap();
    assert_eq!((&stopped["stopped"], &stopped["attempt_id"]), (&json!(true), &json!(id)));
    assert_eq!(stopped["unsent"], json!(["@say more"]));
    let attempt = data(server.get(&format!("/api/task-attempts/{id}")).await);
    assert_eq!(attempt["outcome"], "stopped");
    let more = call(server, "follow_up", json!({"attempt_id": id, "message": "@say more"})).await.unwrap();
    assert_eq!(more["queued"], false);
    assert!(more["execution_process_id"].is_string(), "{more}");
    // The new turn is told what the one that was stopped was asked, and waits as that did.
    call(server, "stop_task_attempt", json!({"attempt_id": id})).await.unwrap();
}

#[tokio::test]
async fn a_task_is_made_and_started_at_once_or_not_at_all() {
    let bed = Bed::new().await;
    let new = |executor: &str, branch: &str| {
        json!({
            "project_id": bed.project, "title": "t", "description": "@edit a.txt one", "executor": executor,
            "base_branch": branch,
        })
    };
    let error =
        call(&bed.server, "create_and_start_task", new("CLAUDE_CODE", "no-such-branch")).await.unwrap_err();
    assert_eq!(error["success"], false);
    assert_eq!(bed.tasks().await, Vec::<Value>::new());
    let started =
        call(&bed.server, "create_and_start_task", new("CLAUDE_CODE:DEFAULT", "main")).await.unwrap();
    let id = started["attempt_id"].as_str().unwrap();
    let attempt = bed.server.until_attempt(id, crate::is_finished).await;
    assert_eq!((&attempt["task_id"], &attempt["outcome"]), (&started["task_id"], &json!("succeeded")));
}

#[tokio::test]
async fn a_start_that_is_asked_for_twice_under_one_key_is_one() {
    let bed = Bed::new().await;
    let task = json!({"project_id": bed.project, "title": "t", "description": "@say hi"});
    let run = json!({"project_id": bed.project, "prompt": "@say hi"});
    for (tool, mut arguments, id) in
        [("create_and_start_task", task, "attempt_id"), ("start_execution_run", run, "execution_run_id")]
    {
        arguments["executor"] = json!("CLAUDE_CODE");
        arguments["idempotency_key"] = json!(tool);
        let first = call(&bed.server, tool, arguments.clone()).await.unwrap();
        let again = call(&bed.server, tool, arguments.clone()).await.unwrap();
        assert_eq!(again[id], first[id], "{tool}");
        let mut long = arguments;
        long["idempotency_key"] = json!("k".repeat(256));
        assert_eq!(call(&bed.server, tool, long).await.unwrap_err()["details"]["code"], "wrong_shape");
    }
    assert_eq!(bed.tasks().await.len(), 1);
}

#[tokio::test]
async fn a_run_is_started_listed_told_and_stopped() {
    let bed = Bed::new().await;
    let server = &bed.server;
    let start = json!({"project_id": bed.project, "prompt": "@until-told", "executor": "CLAUDE_CODE"});
    let started = call(server, "start_execution_run", start).await.unwrap();
    assert_eq!((&started["project_id"], &started["queued"]), (&json!(bed.project), &json!(false)));
    let id = started["execution_run_id"].clone();
    let told = call(server, "get_execution_run", json!({"execution_run_id": id})).await.unwrap();
    assert_eq!((&told["prompt"], &told["status"]), (&json!("@until-told"), &json!("running")));
    assert_eq!((&told["branch"], &told["target_branch"]), (&started["branch"], &json!("main")));
    for which in [json!({}), json!({"project_id": bed.project})] {
        let listed = call(server, "list_execution_runs", which).await.unwrap();
        assert_eq!((&listed["count"], &listed["runs"][0]["id"]), (&json!(1), &id));
    }
    let none = call(server, "list_execution_runs", json!({"limit": 0})).await.unwrap();
    assert_eq!(none["count"], 0);
    // Each has tools of its own.
    let error = call(server, "stop_task_attempt", json!({"attempt_id": id})).await.unwrap_err();
    assert_eq!(error["details"]["code"], "not_found");
    let stopped = call(server, "stop_execution_run", json!({"execution_run_id": id})).await.unwrap();
    assert_eq!(stopped, json!({"stopped": true, "execution_run_id": id}));
    let told = call(server, "get_execution_run", json!({"execution_run_id": id})).await.unwrap();
    assert_eq!(told["status"], "killed");
}

#[tokio::test]
async fn whatever_is_wrong_with_a_call_is_told_to_the_agent() {
    let bed = Bed::new().await;
    let project = &bed.project;
    let wrong = [
        ("list_projects", json!({"limit": 3}), "unknown_argument"),
        ("list_tasks", json!({"project_id": UNKNOWN}), "not_found"),
        ("list_tasks", json!({"project_id": project, "status": "finished"}), "wrong_shape"),
        ("list_tasks", json!({"project_id": project, "limit": "ten"}), "wrong_shape"),
        ("create_task", json!({"project_id": project}), "wrong_shape"),
        ("create_task", json!({"project_id": project, "title": " "}), "title_empty"),
        ("create_task", json!({"project_id": project, "title": "x".repeat(1_001)}), "too_long"),
        ("get_task", json!({}), "wrong_shape"),
        ("get_task", json!({"task_id": 7}), "wrong_shape"),
        ("update_task", json!({"task_id": UNKNOWN, "title": "x"}), "not_found"),
        ("delete_task", json!({"task_id": UNKNOWN}), "not_found"),
        (
            "start_task_attempt",
            json!({"task_id": UNKNOWN, "executor": "CLAUDE_CODE", "base_branch": "main"}),
            "not_found",
        ),
        (
            "start_task_attempt",
            json!({"task_id": UNKNOWN, "executor": "CLAUDE_CODE", "base_branch": " "}),
            "wrong_shape",
        ),
        (
            "create_and_start_task",
            json!({"project_id": project, "title": "t", "executor": "CLAUD_CODE"}),
            "executor_unknown",
        ),
        ("list_task_attempts", json!({"task_id": UNKNOWN}), "not_found"),
        ("get_task_attempt", json!({"attempt_id": UNKNOWN}), "not_found"),
        ("follow_up", json!({"attempt_id": UNKNOWN, "message": "x"}), "not_found"),
        ("stop_task_attempt", json!({"attempt_id": UNKNOWN}), "not_found"),
        (
            "start_execution_run",
            json!({"project_id": project, "prompt": " ", "executor": "CLAUDE_CODE"}),
            "prompt_empty",
        ),
        ("list_execution_runs", json!({"project_id": UNKNOWN}), "not_found"),
        ("get_execution_run", json!({"execution_run_id": UNKNOWN}), "not_found"),
        ("stop_execution_run", json!({"execution_run_id": UNKNOWN}), "not_found"),
        ("list_approvals", json!({"attempt_id": UNKNOWN}), "not_found"),
        ("list_approvals", json!({"project_id": UNKNOWN}), "not_found"),
        ("list_approvals", json!({"wait_seconds": 61}), "wrong_shape"),
        ("answer_approval", json!({"approval_id": UNKNOWN, "approved": true}), "not_found"),
    ];
    for (tool, arguments, code) in wrong {
        let error = call(&bed.server, tool, arguments.clone()).await.unwrap_err();
        let details = &error["details"];
        assert_eq!(
            (&error["success"], &details["code"]),
            (&json!(false), &json!(code)),
            "{tool} {arguments} {error}"
        );
        assert!(!error["error"].as_str().unwrap().is_empty(), "{error}");
        assert!(!details["hint"].as_str().unwrap().is_empty(), "{error}");
        assert_eq!(details["request_id"].as_str().unwrap().len(), 36, "{error}");
    }
    let slip = json!({"project_id": project, "title": "t", "descriptoin": "d"});
    let error = call(&bed.server, "create_task", slip).await.unwrap_err();
    assert_eq!(error["error"], "create_task has no argument `descriptoin`");
    let hint = error["details"]["hint"].as_str().unwrap();
    assert!(hint.starts_with("did you mean `description`?"), "{hint}");
    assert_eq!(bed.tasks().await, Vec::<Value>::new(), "nothing is made of what is refused");
}

#[tokio::test]
async fn hints_name_tools_and_no_paths() {
    let bed = Bed::new().await;
    let (project, server) = (&bed.project, &bed.server);
    let start =
        json!({"project_id": project, "title": "t", "description": "@until-told", "executor": "CLAUDE_CODE"});
    let started = call(server, "create_and_start_task", start.clone()).await.unwrap();
    let run = json!({"project_id": project, "prompt": "@say hi", "executor": "CLAUDE_CODE"});
    let run = call(server, "start_execution_run", run).await.unwrap();
    let (task, attempt, run) = (&started["task_id"], &started["attempt_id"], &run["execution_run_id"]);
    let with = |more: Value| {
        let mut arguments = start.clone();
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    call(server, "create_and_start_task", with(json!({"description": "@say", "idempotency_key": "k"})))
        .await
        .unwrap();
    let wrong = [
        ("get_task", json!({"task_id": UNKNOWN}), "not_found", "list_tasks"),
        ("list_tasks", json!({"project_id": UNKNOWN}), "not_found", "list_projects"),
        ("answer_approval", json!({"approval_id": UNKNOWN, "approved": true}), "not_found", "list_approvals"),
        ("get_task_attempt", json!({"attempt_id": run}), "not_found", "get_execution_run"),
        ("get_execution_run", json!({"execution_run_id": attempt}), "not_found", "get_task_attempt"),
        ("create_and_start_task", with(json!({"base_branch": "no"})), "branch_not_found", "list_projects"),
        ("delete_task", json!({"task_id": task}), "attempt_running", "stop_task_attempt"),
        (
            "create_and_start_task",
            with(json!({"title": "other", "idempotency_key": "k"})),
            "idempotency_key_reused",
            "idempotency_key",
        ),
    ];
    for (tool, arguments, code, named) in wrong {
        let error = call(server, tool, arguments).await.unwrap_err();
        assert_eq!(error["details"]["code"], code, "{tool} {error}");
        let hint = error["details"]["hint"].as_str().unwrap();
        assert!(hint.contains(named), "{tool}: {hint}");
        let rest = ["/api/", "GET ", "POST ", "Idempotency-Key"];
        assert!(!rest.iter().any(|word| error.to_string().contains(word)), "{tool}: {error}");
    }
    call(server, "stop_task_attempt", json!({"attempt_id": attempt})).await.unwrap();
}
