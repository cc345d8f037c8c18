//! MCP over HTTP, by the numbers of its protocol, and who may speak it.

use forge_testkit::server::{DEADLINE, Setup, TestServer};
use reqwest::Method;
use serde_json::{Value, json};

use crate::contract_fuzz::{schema, words};
use crate::dice::{Dice, times};
use crate::{FORGE, code, project, started};

/// The versions of the protocol that are spoken.
const SPOKEN: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What is answered to a message, and with which status.
pub(crate) async fn say(server: &TestServer, message: &Value) -> (u16, Value) {
    server.post("/mcp", message.clone()).await
}

/// What a tool answers: what it says as JSON, or the error that it is.
pub(crate) async fn call(server: &TestServer, tool: &str, arguments: Value) -> Result<Value, Value> {
    let params = json!({"name": tool, "arguments": arguments});
    let message = json!({"jsonrpc": "2.0", "id": tool, "method": "tools/call", "params": params});
    let (status, answer) = say(server, &message).await;
    assert_eq!((status, &answer["id"]), (200, &json!(tool)), "{answer}");
    content(&answer["result"])
}

/// The same of an answer that was heard.
pub(crate) fn content(result: &Value) -> Result<Value, Value> {
    let content = result["content"].as_array().unwrap_or_else(|| panic!("{result}"));
    assert_eq!((content.len(), &content[0]["type"]), (1, &json!("text")), "{result}");
    let said = serde_json::from_str(content[0]["text"].as_str().unwrap()).unwrap();
    if result["isError"] == json!(true) { Err(said) } else { Ok(said) }
}

fn ask(method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "id": 7, "method": method});
    message["params"] = params;
    message
}

#[tokio::test]
async fn a_version_of_the_protocol_is_agreed_on() {
    let server = TestServer::start(FORGE).await;
    for (asked, spoken) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2025-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
    ] {
        let hello =
            ask("initialize", json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {}}));
        let (status, answer) = say(&server, &hello).await;
        assert_eq!((status, &answer["id"]), (200, &json!(7)));
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], spoken, "{asked}");
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        assert_eq!(result["serverInfo"]["name"], "automagik-forge");
        assert!(result["instructions"].as_str().unwrap().contains("list_approvals"), "{result}");
    }
    let (status, answer) = say(&server, &ask("initialize", json!({"protocolVersion": "2024-10-07"}))).await;
    let expected = json!({
        "requested_protocol": "2024-10-07", "minimum_supported_protocol": "2024-11-05",
        "supported_protocols": ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"],
    });
    assert_eq!(
        (status, &answer["error"]["code"], &answer["error"]["data"]),
        (200, &json!(-32602), &expected)
    );
}

#[tokio::test]
async fn the_version_that_was_agreed_on_may_be_said_again_and_no_other() {
    let server = TestServer::start(FORGE).await;
    let send = async |version: &str, message: Value| {
        let request = server.request(Method::POST, "/mcp").header("mcp-protocol-version", version);
        let answer = request.json(&message).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    for version in SPOKEN {
        let (status, answer) = send(version, ask("ping", json!({}))).await;
        assert_eq!((status, &answer["result"]), (200, &json!({})));
    }
    let (status, answer) = send("2026-07-28", ask("ping", json!({}))).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32022)));
    assert_eq!(answer["error"]["data"], json!({"supported": SPOKEN, "requested": "2026-07-28"}));
    // Nothing was agreed on yet.
    let (status, answer) =
        send("2199-01-01", ask("initialize", json!({"protocolVersion": "2199-01-01"}))).await;
    assert_eq!((status, &answer["result"]["protocolVersion"]), (200, &json!("2025-11-25")));
}

/// Since 2026-07-28 there is no handshake: each request names its version.
#[tokio::test]
async fn request_of_newer_version_names_the_spoken_ones() {
    let server = TestServer::start(FORGE).await;
    for method in ["server/discover", "tools/list", "tools/call"] {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let (status, answer) =
            say(&server, &ask(method, json!({"_meta": meta, "name": "list_projects"}))).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32022)), "{method} {answer}");
        assert_eq!(answer["error"]["data"], json!({"supported": SPOKEN, "requested": "2026-07-28"}));
    }
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2025-11-25"});
    let (status, answer) = say(&server, &ask("tools/list", json!({"_meta": meta}))).await;
    assert!(status == 200 && answer["result"]["tools"].is_array(), "{answer}");
}

#[tokio::test]
async fn canceled_wait_ends_without_an_answer() {
    let server = TestServer::start(FORGE).await;
    let post = |session: &str, message: Value| {
        let request = server.request(Method::POST, "/mcp").header("mcp-session-id", session);
        request.json(&message).send()
    };
    let mut sessions = Vec::new();
    for _ in 0..2 {
        let hello = ask("initialize", json!({"protocolVersion": "2025-11-25"}));
        let answer = server.request(Method::POST, "/mcp").json(&hello).send().await.unwrap();
        sessions.push(answer.headers()["mcp-session-id"].to_str().unwrap().to_owned());
    }
    assert_ne!(sessions[0], sessions[1]);
    let wait = ask("tools/call", json!({"name": "list_approvals", "arguments": {"wait_seconds": 60}}));
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
    // The other session uses the same id, and a call may not have begun when it is canceled.
    let other = post(&sessions[1], wait.clone());
    let canceled = async {
        loop {
            assert_eq!(post(&sessions[0], cancel.clone()).await.unwrap().status(), 202);
        }
    };
    let answered = async {
        tokio::select! {
            answer = post(&sessions[0], wait) => answer.unwrap(),
            _answer = other => panic!("another session's call was canceled"),
            () = canceled => unreachable!(),
        }
    };
    // The call waits for a minute.
    let answer = tokio::time::timeout(DEADLINE / 2, answered).await.expect("it is canceled");
    assert_eq!((answer.status().as_u16(), answer.text().await.unwrap()), (202, String::new()));
}

#[tokio::test]
async fn whatever_is_wrong_with_a_message_has_its_number() {
    let server = TestServer::start(FORGE).await;
    let wrong = [
        (400, -32600, json!(null), json!("ping")),
        (400, -32600, json!(null), json!([])),
        (400, -32600, json!(null), (0..101).map(|_| ask("ping", json!({}))).collect()),
        (400, -32600, json!(7), json!({"id": 7, "method": "ping"})),
        (400, -32600, json!(7), json!({"jsonrpc": "2.0", "id": 7})),
        (400, -32600, json!(null), json!({"jsonrpc": "2.0", "id": null, "method": "ping"})),
        (200, -32601, json!(7), ask("resources/list", json!({}))),
        (200, -32601, json!(7), ask("", json!({}))),
        (200, -32602, json!(7), ask("ping", json!([1]))),
        (200, -32602, json!(7), ask("initialize", json!({}))),
        (200, -32602, json!(7), ask("initialize", json!({"protocolVersion": 1}))),
        (200, -32602, json!(7), ask("tools/list", json!({"cursor": "x"}))),
        (200, -32602, json!(7), ask("tools/call", json!({}))),
        (200, -32602, json!(7), ask("tools/call", json!({"name": "list_project"}))),
        (200, -32602, json!(7), ask("tools/call", json!({"name": "list_projects", "arguments": []}))),
    ];
    for (status, number, id, message) in wrong {
        let (told, answer) = say(&server, &message).await;
        assert_eq!(
            (told, &answer["error"]["code"], &answer["id"], &answer["jsonrpc"]),
            (status, &json!(number), &id, &json!("2.0")),
            "{message} {answer}"
        );
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
    let (_, answer) = say(&server, &ask("tools/call", json!({"name": "list_project"}))).await;
    assert!(answer["error"]["message"].as_str().unwrap().contains("did you mean list_projects?"), "{answer}");
}

#[tokio::test]
async fn what_is_no_json_or_too_much_of_it_is_refused() {
    let server = TestServer::start(FORGE).await;
    let deep = "[".repeat(100_000);
    for body in ["", "{", "nonsense", "\u{0}", deep.as_str(), "{\"jsonrpc\": \"2.0\", \"id\": 1e999}"] {
        let request = server.request(Method::POST, "/mcp").header("content-type", "application/json");
        let answer = request.body(body.to_owned()).send().await.unwrap();
        assert_eq!(answer.status(), 400);
        let answer: Value = answer.json().await.unwrap();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &Value::Null), "{answer}");
    }
    let big = ask("ping", json!({"padding": "x".repeat(10_000_000)}));
    let (status, answer) = say(&server, &big).await;
    assert_eq!((status, code(&answer)), (413, "too_large"));
    let request = server.request(Method::POST, "/mcp").body(ask("ping", json!({})).to_string());
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 415, "a page of another site can send a form, but not JSON");
    let (status, answer) = say(&server, &ask("ping", json!({}))).await;
    assert_eq!((status, &answer["result"]), (200, &json!({})), "it still serves");
}

#[tokio::test]
async fn what_wants_no_answer_gets_none_and_nothing_else_is_there_than_post() {
    let server = TestServer::start(FORGE).await;
    let silent = [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]),
    ];
    for message in silent {
        let answer = server.request(Method::POST, "/mcp").json(&message).send().await.unwrap();
        assert_eq!(answer.status(), 202, "{message}");
        assert_eq!(answer.text().await.unwrap(), "");
    }
    for method in [Method::GET, Method::DELETE] {
        let answer = server.request(method, "/mcp").send().await.unwrap();
        assert_eq!((answer.status().as_u16(), answer.headers()["allow"].to_str().unwrap()), (405, "POST"));
    }
}

#[tokio::test]
async fn several_messages_at_once_are_answered_together() {
    let server = TestServer::start(FORGE).await;
    let several = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        7,
        {"jsonrpc": "2.0", "id": 2, "method": "nothing"},
    ]);
    let (status, answers) = say(&server, &several).await;
    let answers = answers.as_array().unwrap();
    let told: Vec<_> = answers.iter().map(|one| (&one["id"], &one["error"]["code"])).collect();
    let expected = [(json!("a"), Value::Null), (Value::Null, json!(-32600)), (json!(2), json!(-32601))];
    assert_eq!((status, told), (200, expected.iter().map(|(id, code)| (id, code)).collect()));
}

#[tokio::test]
async fn whoever_may_not_call_may_not_speak_mcp() {
    let mut server = Setup::new(FORGE).arg("--auth").start().await;
    let ping = ask("ping", json!({}));
    let (status, answer) = say(&server, &ping).await;
    assert_eq!((status, code(&answer)), (401, "token_required"));
    server.use_token();
    assert_eq!(say(&server, &ping).await.1["result"], json!({}));
    let foreign = server.request(Method::POST, "/mcp").header("origin", "http://evil.example").json(&ping);
    let answer = foreign.send().await.unwrap();
    assert_eq!(answer.status(), 403);
    assert_eq!(code(&answer.json().await.unwrap()), "origin_refused");
}

/// Arguments made from what each tool says it takes, half of them spoilt: none is a fault of ours.
#[tokio::test]
async fn random_arguments_are_answered_or_refused_and_never_a_fault() {
    let server = TestServer::start(FORGE).await;
    let project = project(&server).await;
    let task = started(&server, &project, "@say hello").await;
    let ids: Vec<String> =
        [&project["id"], &task["id"], &task["attempt_id"]].map(|id| id.as_str().unwrap().to_owned()).to_vec();
    let (_, listed) = say(&server, &ask("tools/list", json!({}))).await;
    let mut dice = Dice::new(11);
    for _ in 0..times("FORGE_MCP_CALLS", 20) {
        for tool in listed["result"]["tools"].as_array().unwrap() {
            let mut arguments = schema::make(&Value::Null, &tool["inputSchema"], &ids, &mut dice, 0);
            if dice.roll(2) == 0 {
                words::spoil(&mut arguments, &mut dice);
            }
            // Nobody asks anything here, so that it would be waited for in vain.
            arguments.as_object_mut().and_then(|arguments| arguments.remove("wait_seconds"));
            let params = json!({"name": tool["name"], "arguments": arguments});
            let (status, answer) = say(&server, &ask("tools/call", params.clone())).await;
            assert_eq!(status, 200, "{params} {answer}");
            if answer["error"]["code"] == json!(-32602) {
                assert!(!arguments.is_object(), "{params} {answer}");
            } else if let Err(error) = content(&answer["result"]) {
                assert_eq!(error["success"], false, "{error}");
                assert_ne!(error["details"]["code"], "internal", "{params} {error}");
            }
        }
    }
    assert!(!server.log().contains("panicked"), "{}", server.log());
}
