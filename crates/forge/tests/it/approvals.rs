//! Approvals over HTTP: the first answer stands, whoever sends it in whichever spelling, and nothing is forgotten.

use forge_testkit::server::TestServer;
use serde_json::{Value, json};

use crate::database::{Database, on_each_database};
use crate::life::Bed;
use crate::{FORGE, code, data};

const UNKNOWN: &str = "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";

async fn ask(server: &TestServer, body: Value) -> String {
    let asked = data(server.post("/api/approvals/create", body).await);
    assert_eq!((&asked["id"], &asked["status"]), (&asked["approval_id"], &json!("pending")));
    asked["approval_id"].as_str().unwrap().to_owned()
}

async fn respond(server: &TestServer, id: &str, body: Value) -> (u16, Value) {
    server.post(&format!("/api/approvals/{id}/respond"), body).await
}

async fn status(server: &TestServer, id: &str) -> Value {
    data(server.get(&format!("/api/approvals/{id}/status")).await)
}

async fn pending(server: &TestServer) -> Vec<String> {
    let list = data(server.get("/api/approvals/pending").await);
    list.as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_approval_is_asked_listed_answered_and_told() {
    let server = TestServer::start(FORGE).await;
    let mut events = server.events(None).await;
    let first = ask(&server, json!({"message": " May I? ", "context": {"tool": "rm"}})).await;
    let second = ask(&server, json!({"message": "And I?"})).await;
    assert_eq!(pending(&server).await, [first.clone(), second.clone()]);
    let (_, list) = server.get("/api/approvals/pending").await;
    let listed = &list["data"][0];
    assert_eq!((&listed["message"], &listed["context"]), (&json!("May I?"), &json!({"tool": "rm"})));
    assert!(listed["created_at"].is_string());
    for name in ["verb", "object", "attempt_id", "task_id", "title", "project_id", "project_name"] {
        assert_eq!(listed[name], Value::Null, "nobody in Forge asks: {name}");
    }

    // One client's spelling, with what each of them looks for in the answer.
    let (code, answer) = respond(&server, &first, json!({"approved": true, "comment": "go on"})).await;
    assert_eq!(code, 200);
    let expected = json!({
        "success": true, "data": {"status": "approved"}, "error_data": null, "message": null, "status": "approved",
    });
    assert_eq!(answer, expected);
    let told = status(&server, &first).await;
    assert_eq!(
        (&told["status"], &told["response"], &told["reason"]),
        (&json!("approved"), &json!("go on"), &Value::Null)
    );
    assert!(told["answered_at"].is_string());

    // And the other's.
    let body = json!({"execution_process_id": UNKNOWN, "status": {"status": "denied", "reason": "not now"}});
    let (code, answer) = respond(&server, &second, body).await;
    assert_eq!((code, &answer["status"], &answer["reason"]), (200, &json!("denied"), &json!("not now")));
    assert_eq!(answer["data"], json!({"status": "denied", "reason": "not now"}));
    assert_eq!(status(&server, &second).await["response"], "not now");
    assert_eq!(pending(&server).await, Vec::<String>::new());

    let mut heard = Vec::new();
    while heard.len() < 4 {
        let message = events.next_of(&["approval_update"]).await;
        let id = message.data["id"].as_str().unwrap().to_owned();
        heard.push((id, message.data["status"].as_str().unwrap().to_owned()));
    }
    let told = |id: &String, status: &str| (id.clone(), status.to_owned());
    let expected = [
        told(&first, "pending"),
        told(&second, "pending"),
        told(&first, "approved"),
        told(&second, "denied"),
    ];
    assert_eq!(heard, expected);
}

on_each_database! {
    of_a_hundred_answers_at_once_one_stands_and_the_others_are_told_it;
    what_waits_and_what_was_answered_outlive_the_server;
}

async fn of_a_hundred_answers_at_once_one_stands_and_the_others_are_told_it(database: Database) {
    let bed = Bed::on(database).await;
    let id = ask(&bed.server, json!({"message": "yes or no?"})).await;
    let answers = (0..100).map(|number| {
        let (server, id) = (&bed.server, &id);
        async move {
            let body = match number % 2 {
                0 => json!({"approved": true, "comment": number.to_string()}),
                _ => json!({"status": {"status": "denied", "reason": number.to_string()}}),
            };
            (number, respond(server, id, body).await)
        }
    });
    let answers = futures::future::join_all(answers).await;
    let standing = status(&bed.server, &id).await;
    let (mut won, mut lost) = (vec![], 0);
    for (number, (code, answer)) in answers {
        match code {
            200 => won.push((number, answer["status"].clone())),
            409 => {
                assert_eq!(crate::code(&answer), "approval_answered");
                assert_eq!(answer["error_data"]["approval"], standing, "all are told the answer that stands");
                assert_eq!(answer["error_data"]["status"], standing["status"]);
                lost += 1;
            }
            other => panic!("{other} {answer}"),
        }
    }
    assert_eq!((won.len(), lost), (1, 99));
    assert_eq!(
        (json!(won[0].0.to_string()), won[0].1.clone()),
        (standing["response"].clone(), standing["status"].clone())
    );
}

async fn what_waits_and_what_was_answered_outlive_the_server(database: Database) {
    let mut bed = Bed::on(database).await;
    let (waits, answered) =
        (ask(&bed.server, json!({"message": "a"})).await, ask(&bed.server, json!({"message": "b"})).await);
    assert_eq!(respond(&bed.server, &answered, json!({"approved": false})).await.0, 200);
    bed.crash().await;
    assert_eq!(pending(&bed.server).await, std::slice::from_ref(&waits));
    let (status_code, refusal) = respond(&bed.server, &answered, json!({"approved": true})).await;
    assert_eq!((status_code, code(&refusal)), (409, "approval_answered"));
    assert_eq!(refusal["error_data"]["status"], "denied");
    assert_eq!(respond(&bed.server, &waits, json!({"approved": true})).await.0, 200);
    bed.crash().await;
    assert_eq!(status(&bed.server, &waits).await["status"], "approved");
}

#[tokio::test]
async fn what_a_process_asked_for_ends_with_the_process() {
    let mut bed = Bed::new().await;
    let run = bed.started("@until-told").await;
    let body = json!({"message": "May I?", "execution_process_id": run.process});
    let (waits, answered) = (ask(&bed.server, body.clone()).await, ask(&bed.server, body.clone()).await);
    let other = json!({"execution_process_id": UNKNOWN, "status": {"status": "approved"}});
    let (status_code, refusal) = respond(&bed.server, &waits, other).await;
    assert_eq!((status_code, code(&refusal)), (409, "approval_of_another_process"));
    let right = json!({"execution_process_id": run.process, "status": {"status": "approved"}});
    assert_eq!(respond(&bed.server, &answered, right).await.0, 200);
    // The process outlives the server, and so does what it waits for.
    bed.crash().await;
    assert_eq!(pending(&bed.server).await, std::slice::from_ref(&waits));
    crate::life::sent(bed.stop(&run)).await;
    assert_eq!(status(&bed.server, &waits).await["status"], "timed_out");
    assert_eq!(status(&bed.server, &answered).await["status"], "approved");
    let (status_code, refusal) = respond(&bed.server, &waits, json!({"approved": true})).await;
    assert_eq!((status_code, code(&refusal)), (409, "approval_answered"));
    assert_eq!(refusal["error_data"]["status"], "timed_out");
    let (status_code, refusal) = bed.server.post("/api/approvals/create", body).await;
    assert_eq!((status_code, code(&refusal)), (409, "process_ended"));
    // With the attempt go its processes, and with these what they asked for.
    let path = format!("/api/task-attempts/{}", run.attempt);
    assert_eq!(bed.server.delete(&path).await.0, 200);
    assert_eq!(bed.server.get(&format!("/api/approvals/{waits}/status")).await.0, 404);
}

#[tokio::test]
async fn what_cannot_be_asked_or_answered_is_refused_and_leaves_nothing() {
    let server = TestServer::start(FORGE).await;
    let nested = |levels: usize| (0..levels).fold(json!(0), |inner, _| json!([inner]));
    let bad = [
        (422, json!({})),
        (422, json!({"message": "  "})),
        (422, json!({"message": "a\u{0}b"})),
        (422, json!({"message": "x".repeat(20_001)})),
        (422, json!({"message": "m", "context": nested(33)})),
        (422, json!({"message": "m", "context": "x".repeat(300_000)})),
        (422, json!({"message": "m", "execution_process_id": "x"})),
        (404, json!({"message": "m", "execution_process_id": UNKNOWN})),
    ];
    for (expected, body) in bad {
        let (status, refusal) = server.post("/api/approvals/create", body).await;
        assert_eq!(status, expected, "{refusal}");
        code(&refusal);
    }
    assert_eq!(pending(&server).await, Vec::<String>::new());
    // The deepest that is taken can be read again by everybody, from the rows and from the log.
    let mut events = server.events(None).await;
    let id = ask(&server, json!({"message": "m", "context": nested(32)})).await;
    assert_eq!(status(&server, &id).await["context"], nested(32));
    assert_eq!(events.next_of(&["approval_update"]).await.data["context"], nested(32));

    for path in [format!("/api/approvals/{UNKNOWN}/status"), format!("/api/approvals/{UNKNOWN}/respond")] {
        let (status, refusal) = if path.ends_with("status") {
            server.get(&path).await
        } else {
            // Before anything about the body.
            server.post(&path, json!({})).await
        };
        assert_eq!((status, code(&refusal)), (404, "not_found"), "{path}");
    }
    assert_eq!(server.get("/api/approvals/x/status").await.0, 400);
    for body in [
        json!({}),
        json!({"approved": "yes"}),
        json!({"status": {"status": "pending"}}),
        json!({"status": {"status": "timed_out"}}),
        json!({"approved": true, "status": {"status": "denied"}}),
        json!({"approved": true, "comment": "\u{0}"}),
        json!({"status": {"status": "denied", "reason": "\u{0}"}}),
        json!({"approved": true, "execution_process_id": 7}),
    ] {
        let (status, refusal) = respond(&server, &id, body.clone()).await;
        assert_eq!(status, 422, "{body} {refusal}");
        code(&refusal);
    }
    assert_eq!(status(&server, &id).await["status"], "pending");
}
