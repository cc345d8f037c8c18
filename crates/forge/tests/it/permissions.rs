//! What an agent asks a person: asked once, answered by whoever is first, told to the agent exactly once, whatever
//! becomes of the server meanwhile.

use forge_testkit::server::{DEADLINE, Setup};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::database::{Database, on_each_database};
use crate::life::{Bed, Run, sent};
use crate::{FORGE, code, data};

/// An agent that asks before it acts, as they do where nothing is said.
async fn asking(bed: &Bed, steps: &str) -> Run {
    bed.started(steps).await
}

async fn under(bed: &Bed, variant: &str, steps: &str) -> Run {
    let request = bed.server.request(reqwest::Method::POST, "/api/tasks/create-and-start").json(&json!({
        "task": {"project_id": bed.project, "title": "t", "description": steps},
        "executor_profile_id": {"executor": "CLAUDE_CODE", "variant": variant},
        "base_branch": "main",
    }));
    Run::of(&sent(request).await)
}

/// What waits, once so many do.
async fn pending(bed: &Bed, count: usize) -> Vec<Value> {
    let mut events = bed.server.events(None).await;
    loop {
        let list = data(bed.server.get("/api/approvals/pending").await).as_array().unwrap().clone();
        if list.len() == count {
            return list;
        }
        events.next_of(&["approval_update"]).await;
    }
}

async fn asked(bed: &Bed) -> Value {
    pending(bed, 1).await.remove(0)
}

fn id(approval: &Value) -> &str {
    approval["id"].as_str().unwrap()
}

fn answer(bed: &Bed, approval: &Value, body: &Value) -> RequestBuilder {
    let path = format!("/api/approvals/{}/respond", id(approval));
    bed.server.request(reqwest::Method::POST, &path).json(body)
}

async fn respond(bed: &Bed, approval: &Value, body: Value) -> (u16, Value) {
    crate::life::answered(answer(bed, approval, &body)).await
}

async fn status(bed: &Bed, approval: &Value) -> Value {
    data(bed.server.get(&format!("/api/approvals/{}/status", id(approval))).await)
}

/// The first tool that the agent used.
async fn tool(bed: &Bed, run: &Run) -> Value {
    let mut transcript = bed.server.transcript(&run.process).await;
    let entries = transcript.rest().await;
    entries.iter().find(|entry| entry["entry_type"]["type"] == "tool_use").unwrap().clone()
}

#[tokio::test]
async fn a_granted_tool_is_run_and_the_task_waits_for_a_person_meanwhile() {
    let bed = Bed::new().await;
    let run = asking(&bed, "@ask Bash\n@edit a.txt one").await;
    let approval = asked(&bed).await;
    assert_eq!(
        (&approval["message"], &approval["execution_process_id"]),
        (&json!("Bash"), &json!(run.process))
    );
    let context = &approval["context"];
    assert_eq!(
        (&context["tool"], &context["input"]["reason"]),
        (&json!("Bash"), &json!("the prompt says so"))
    );
    assert!(context["call"].as_str().unwrap().starts_with("toolu_"));
    assert_eq!((&approval["verb"], &approval["object"]), (&json!("run"), &json!("Bash")));
    let names = ["attempt_id", "task_id", "project_id", "title", "project_name"];
    let path = format!("/api/projects/{}", bed.project);
    let project = data(bed.server.get(&path).await)["name"].clone();
    assert_eq!(
        names.map(|name| &approval[name]),
        [&json!(run.attempt), &json!(run.task), &json!(bed.project), &json!("t"), &project]
    );
    let kinds: Vec<_> =
        approval["choices"].as_array().unwrap().iter().map(|choice| &choice["kind"]).collect();
    assert_eq!(kinds, ["allow_once", "allow_always", "reject_once"]);
    assert!(approval["timeout_at"].as_str() > approval["created_at"].as_str());
    assert_eq!(bed.task_status(&run).await, "inreview");
    assert_eq!(respond(&bed, &approval, json!({"approved": true})).await.0, 200);
    assert_eq!(bed.task_status(&run).await, "inprogress");
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    assert_eq!(bed.said(&run.process).await, ["Bash was allowed"]);
    assert_eq!(bed.commits(&run).await, 1);
    assert_eq!(tool(&bed, &run).await["entry_type"]["status"]["status"], "success");
    bed.assert_whole(&[]).await;
}

#[tokio::test]
async fn a_denied_tool_is_not_run_and_the_agent_is_told_why() {
    let bed = Bed::new().await;
    let run = asking(&bed, "@ask Bash").await;
    let approval = asked(&bed).await;
    let body = json!({
        "execution_process_id": run.process, "status": {"status": "denied", "reason": "not on a Monday"},
    });
    assert_eq!(respond(&bed, &approval, body).await.0, 200);
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    assert_eq!(bed.said(&run.process).await, ["Bash was denied: not on a Monday"]);
    let denied = json!({"status": "denied", "reason": "not on a Monday"});
    assert_eq!(tool(&bed, &run).await["entry_type"]["status"], denied);
}

#[tokio::test]
async fn a_choice_of_the_agents_own_is_what_it_is_told() {
    let bed = Bed::new().await;
    let run = under(&bed, "APPROVALS", "@ask Bash").await;
    let approval = asked(&bed).await;
    for (body, expected) in [
        (json!({"choice": "perhaps"}), "choice_unknown"),
        (json!({"choice": "allow_always", "approved": false}), "wrong_shape"),
        (json!({"choice": 7}), "wrong_shape"),
    ] {
        let (status, refusal) = respond(&bed, &approval, body).await;
        assert_eq!((status, code(&refusal)), (422, expected));
    }
    assert_eq!(respond(&bed, &approval, json!({"choice": "allow_always"})).await.0, 200);
    bed.finished(&run).await;
    assert_eq!(bed.said(&run.process).await, ["Bash was allowed for good"]);
    let told = status(&bed, &approval).await;
    assert_eq!((&told["status"], &told["choice"]), (&json!("approved"), &json!("allow_always")));
}

#[tokio::test]
async fn of_many_who_answer_one_is_heard() {
    let bed = Bed::new().await;
    let run = asking(&bed, "@ask Bash").await;
    let approval = asked(&bed).await;
    let answers = (0..20).map(|number| respond(&bed, &approval, json!({"approved": number % 2 == 0})));
    let answers = futures::future::join_all(answers).await;
    assert_eq!(answers.iter().filter(|(status, _)| *status == 200).count(), 1);
    bed.finished(&run).await;
    let standing = status(&bed, &approval).await["status"].clone();
    let said = bed.said(&run.process).await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0] == "Bash was allowed", standing == "approved", "{said:?} {standing}");
}

#[tokio::test]
async fn no_answer_in_time_is_a_no_also_when_the_server_was_not_there() {
    let mut bed = Bed::with(Setup::new(FORGE).config("approval_seconds = 2")).await;
    for dies in [false, true] {
        // On a busy machine it may have timed out before anybody looks at what waits.
        let mut events = bed.server.events(None).await;
        let run = asking(&bed, "@ask Bash").await;
        let approval = events.next_of(&["approval_update"]).await.data;
        if dies {
            bed.crash().await;
        }
        assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
        let said = bed.said(&run.process).await;
        assert!(said[0].starts_with("Bash was denied: Nobody answered"), "{said:?}");
        assert_eq!(status(&bed, &approval).await["status"], "timed_out");
        let (status, refusal) = respond(&bed, &approval, json!({"approved": true})).await;
        assert_eq!((status, code(&refusal)), (409, "approval_answered"));
    }
}

#[tokio::test]
async fn an_approval_that_somebody_else_asks_for_ends_when_they_say() {
    let bed = Bed::new().await;
    let mut events = bed.server.events(None).await;
    let body = json!({"message": "soon?", "timeout_seconds": 1});
    let asked = data(bed.server.post("/api/approvals/create", body).await);
    assert!(asked["timeout_at"].is_string());
    let mut last = Value::Null;
    while last["status"] != "timed_out" {
        last = events.next_of(&["approval_update"]).await.data;
    }
    assert_eq!(last["id"], asked["id"]);
}

#[tokio::test]
async fn two_hundred_are_asked_at_once_and_all_are_answered() {
    let bed = Bed::new().await;
    let run = asking(&bed, "@ask-many 200 Bash").await;
    let all = pending(&bed, 200).await;
    let answers = all
        .iter()
        .enumerate()
        .map(|(number, approval)| respond(&bed, approval, json!({"approved": number % 4 != 0})));
    for (status, body) in futures::future::join_all(answers).await {
        assert_eq!(status, 200, "{body}");
    }
    bed.finished(&run).await;
    assert_eq!(bed.said(&run.process).await, ["150 of 200 were allowed"]);
}

#[tokio::test]
async fn what_an_agent_waits_for_ends_with_its_turn() {
    let bed = Bed::new().await;
    let run = asking(&bed, "@ask Bash").await;
    let approval = asked(&bed).await;
    sent(bed.stop(&run)).await;
    assert_eq!(status(&bed, &approval).await["status"], "timed_out");
    assert_eq!(bed.task_status(&run).await, "inreview");
    bed.assert_whole(&[]).await;
}

on_each_database! {
    a_server_that_dies_while_an_agent_waits_has_the_question_when_it_is_back;
    a_server_that_dies_in_the_middle_of_a_turn_asks_nothing_twice;
}

async fn a_server_that_dies_while_an_agent_waits_has_the_question_when_it_is_back(database: Database) {
    let mut bed = Bed::on(database).await;
    let run = asking(&bed, "@ask Bash\n@edit a.txt one").await;
    let approval = asked(&bed).await;
    bed.crash().await;
    assert_eq!(asked(&bed).await, approval, "the same question, once");
    assert_eq!(respond(&bed, &approval, json!({"approved": true})).await.0, 200);
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    assert_eq!(bed.said(&run.process).await, ["Bash was allowed"]);
    assert_eq!(bed.commits(&run).await, 1);
    bed.assert_whole(&[]).await;
}

async fn a_server_that_dies_in_the_middle_of_a_turn_asks_nothing_twice(database: Database) {
    let mut bed = Bed::on(database).await;
    let gate = bed.gate("gate");
    let steps = format!("@ask Bash\n@wait-fifo {}\n@ask Write\n@say done", gate.path().display());
    let run = asking(&bed, &steps).await;
    let first = asked(&bed).await;
    assert_eq!(respond(&bed, &first, json!({"approved": true})).await.0, 200);
    bed.server.logs(&run.process, 0).await.until("Bash was allowed").await;
    bed.crash().await;
    gate.open().await;
    let second = asked(&bed).await;
    assert_eq!(second["message"], "Write");
    assert_eq!(respond(&bed, &second, json!({"approved": false})).await.0, 200);
    assert_eq!(bed.finished(&run).await["outcome"], "succeeded");
    let said = bed.said(&run.process).await;
    let expected = ["Bash was allowed", "Write was denied: User denied this tool use request", "done"];
    assert_eq!(said, expected);
    assert_eq!(status(&bed, &first).await["status"], "approved");
    bed.assert_whole(&[]).await;
}

/// Where the server dies between writing an answer down and telling the agent.
pub(crate) async fn dies_with_an_answer(bed: &mut Bed) -> Run {
    let run = asking(bed, "@ask Bash\n@edit a.txt one").await;
    let approval = asked(bed).await;
    let request = answer(bed, &approval, &json!({"approved": true}));
    bed.dies_of(request).await;
    run
}

#[tokio::test]
async fn what_everything_is_allowed_to_is_not_asked() {
    let bed = Bed::new().await;
    let run = under(&bed, "ALLOW_ALL", "@ask Bash").await;
    tokio::time::timeout(DEADLINE, bed.finished(&run)).await.unwrap();
    assert_eq!(bed.said(&run.process).await, ["Bash was allowed"]);
    assert_eq!(pending(&bed, 0).await, Vec::<Value>::new());
}
