//! What agents ask, seen and answered over MCP.

use serde_json::{Value, json};

use crate::data;
use crate::life::{Bed, Run};
use crate::mcp::call;

/// What the run's agent asks, once it does. An agent on a busy machine may take longer than one call waits.
async fn asked(bed: &Bed, run: &Run) -> Value {
    loop {
        let which = json!({"attempt_id": run.attempt, "wait_seconds": 20});
        let listed = call(&bed.server, "list_approvals", which).await.unwrap();
        if listed["count"] == 1 {
            return listed["approvals"][0].clone();
        }
    }
}

#[tokio::test]
async fn an_agent_asks_and_is_told_the_choice_that_was_made_over_mcp() {
    let bed = Bed::new().await;
    let run = bed.started("@ask Bash\n@edit a.txt one").await;
    let approval = asked(&bed, &run).await;
    assert_eq!((&approval["message"], &approval["status"]), (&json!("Bash"), &json!("pending")));
    assert_eq!(approval["context"]["input"]["reason"], "the prompt says so");
    assert_eq!((&approval["verb"], &approval["object"]), (&json!("run"), &json!("Bash")));
    assert_eq!(approval["title"], "t");
    assert_eq!(
        (&approval["attempt_id"], &approval["task_id"], &approval["project_id"]),
        (&json!(run.attempt), &json!(run.task), &json!(bed.project))
    );
    let choices: Vec<_> =
        approval["choices"].as_array().unwrap().iter().map(|choice| &choice["kind"]).collect();
    assert_eq!(choices, ["allow_once", "allow_always", "reject_once"]);

    let choice = &approval["choices"][1]["id"];
    let done = json!({"approval_id": approval["id"], "choice": choice});
    let answered = call(&bed.server, "answer_approval", done.clone()).await.unwrap()["approval"].clone();
    assert_eq!((&answered["status"], &answered["choice"]), (&json!("approved"), choice));
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    assert_eq!(bed.said(&run.process).await, ["Bash was allowed for good"]);

    // Who comes later is told the answer that stands, also when it is the same.
    for late in [json!({"approval_id": approval["id"], "approved": false, "reason": "no"}), done] {
        let error = call(&bed.server, "answer_approval", late).await.unwrap_err();
        assert_eq!(error["details"]["code"], "approval_answered");
        assert_eq!(
            (&error["details"]["status"], &error["details"]["approval"]),
            (&json!("approved"), &answered)
        );
    }
    let rest =
        data(bed.server.get(&format!("/api/approvals/{}/status", approval["id"].as_str().unwrap())).await);
    assert_eq!(rest, answered, "REST tells the same");
}

#[tokio::test]
async fn an_agent_that_is_told_no_over_mcp_reads_why() {
    let bed = Bed::new().await;
    let run = bed.started("@ask Bash").await;
    let id = asked(&bed, &run).await["id"].clone();
    for (answer, code) in [
        (json!({"approval_id": id}), "wrong_shape"),
        (json!({"approval_id": id, "choice": "perhaps"}), "choice_unknown"),
        (json!({"approval_id": id, "choice": "allow_always", "approved": false}), "wrong_shape"),
        (json!({"approval_id": id, "approved": "yes"}), "wrong_shape"),
    ] {
        let error = call(&bed.server, "answer_approval", answer).await.unwrap_err();
        assert_eq!(error["details"]["code"], code, "{error}");
    }
    let no = json!({"approval_id": id, "approved": false, "reason": "not on a Monday"});
    let answered = call(&bed.server, "answer_approval", no).await.unwrap();
    assert_eq!(
        (&answered["approval"]["status"], &answered["approval"]["reason"]),
        (&json!("denied"), &json!("not on a Monday"))
    );
    bed.finished(&run).await;
    assert_eq!(bed.said(&run.process).await, ["Bash was denied: not on a Monday"]);
    let listed = call(&bed.server, "list_approvals", json!({})).await.unwrap();
    assert_eq!(listed, json!({"approvals": [], "count": 0}));
}

#[tokio::test]
async fn who_waits_for_what_is_asked_is_woken_by_it() {
    let bed = Bed::new().await;
    let waits = call(&bed.server, "list_approvals", json!({"wait_seconds": 50}));
    let asks = async { data(bed.server.post("/api/approvals/create", json!({"message": "may I?"})).await) };
    let (listed, asked) = tokio::join!(waits, asks);
    let listed = listed.unwrap();
    assert_eq!((&listed["count"], &listed["approvals"][0]["id"]), (&json!(1), &asked["id"]));
    // Nobody's attempt and no project of anybody's.
    assert_eq!(listed["approvals"][0]["attempt_id"], Value::Null);
    let of_project = call(&bed.server, "list_approvals", json!({"project_id": bed.project})).await.unwrap();
    assert_eq!(of_project["count"], 0);
}

#[tokio::test]
async fn an_attempt_and_a_project_have_approvals_of_their_own() {
    let bed = Bed::new().await;
    let (one, two) = (bed.started("@ask Bash").await, bed.started("@ask Edit").await);
    let (first, second) = (asked(&bed, &one).await, asked(&bed, &two).await);
    assert_eq!((&first["message"], &second["message"]), (&json!("Bash"), &json!("Edit")));
    let both = call(&bed.server, "list_approvals", json!({"project_id": bed.project})).await.unwrap();
    assert_eq!(both["count"], 2);
    let other = crate::project(&bed.server).await;
    let none = call(&bed.server, "list_approvals", json!({"project_id": other["id"]})).await.unwrap();
    assert_eq!(none["count"], 0);
    let neither = json!({"attempt_id": one.attempt, "project_id": other["id"]});
    assert_eq!(call(&bed.server, "list_approvals", neither).await.unwrap()["count"], 0);
}
