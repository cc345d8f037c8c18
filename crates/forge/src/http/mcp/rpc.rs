//! Messages of JSON-RPC 2.0, as MCP sends them.

use std::borrow::Cow;

use axum::http::StatusCode;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};

/// What a message is to us.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Call(Call),
    /// It wants no answer: a notification, or an answer to something that we never ask.
    Silent,
    /// The request of this id is not waited for any more.
    Cancel(Value),
    Broken {
        id: Value,
        fault: Fault,
    },
}

/// Something that is asked.
#[derive(Debug, PartialEq)]
pub(super) struct Call {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Map<String, Value>,
}

impl Call {
    /// A parameter that has to be there.
    pub(super) fn text(&self, name: &str) -> Result<&str, Fault> {
        let text = self.params.get(name).and_then(Value::as_str);
        text.ok_or_else(|| Fault::wrong_params(format!("`{name}` has to be there, as text")))
    }
}

/// Why there is no result.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    code: i32,
    message: String,
    data: Option<Value>,
}

const NOT_JSON: i32 = -32700;
const NOT_A_MESSAGE: i32 = -32600;
const NO_SUCH_METHOD: i32 = -32601;
const WRONG_PARAMS: i32 = -32602;
const UNSPOKEN_VERSION: i32 = -32022;

impl Fault {
    pub(super) fn not_json(error: &serde_json::Error) -> Self {
        let place = format!("line {}, column {}", error.line(), error.column());
        Self::new(NOT_JSON, format!("the message is not valid JSON: it goes wrong at {place}"))
    }

    pub(super) fn not_a_message(message: impl Into<String>) -> Self {
        Self::new(NOT_A_MESSAGE, message)
    }

    pub(super) fn no_such_method(name: &str) -> Self {
        let message = format!("there is no method {}; there are tools/list and tools/call", short(name));
        Self::new(NO_SUCH_METHOD, message)
    }

    pub(super) fn wrong_params(message: impl Into<String>) -> Self {
        Self::new(WRONG_PARAMS, message)
    }

    /// A version of the protocol that is not spoken, with those that are.
    pub(super) fn unspoken(version: &str, spoken: &[&str]) -> Self {
        Self::new(UNSPOKEN_VERSION, format!("MCP {} is not spoken here", short(version)))
            .with(json!({ "supported": spoken, "requested": short(version) }))
    }

    fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// Tells programs more.
    pub(super) fn with(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// What somebody sent, as far as it is repeated.
pub(super) fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

pub(super) fn read(message: Value) -> Incoming {
    let Value::Object(mut fields) = message else {
        return broken(Value::Null, Fault::not_a_message("a message has to be an object"));
    };
    let id = fields.remove("id");
    let named = id.clone().filter(|id| id.is_string() || id.is_number());
    let known = named.clone().unwrap_or_default();
    if fields.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return broken(known, Fault::not_a_message("`jsonrpc` has to be \"2.0\""));
    }
    let method = match fields.remove("method") {
        Some(Value::String(method)) => method,
        None if fields.contains_key("result") || fields.contains_key("error") => return Incoming::Silent,
        Some(_) | None => return broken(known, Fault::not_a_message("`method` has to be there, as text")),
    };
    let id = match (id, named) {
        (None, _) if method == "notifications/cancelled" => {
            let request = fields.get("params").and_then(|params| params.get("requestId"));
            return request.cloned().map_or(Incoming::Silent, Incoming::Cancel);
        }
        (None, _) => return Incoming::Silent,
        (Some(_), Some(id)) => id,
        (Some(_), None) => return broken(known, Fault::not_a_message("`id` has to be text or a number")),
    };
    match fields.remove("params") {
        None | Some(Value::Null) => Incoming::Call(Call { id, method, params: Map::new() }),
        Some(Value::Object(params)) => Incoming::Call(Call { id, method, params }),
        Some(_) => broken(id, Fault::wrong_params("`params` has to be an object")),
    }
}

const fn broken(id: Value, fault: Fault) -> Incoming {
    Incoming::Broken { id, fault }
}

/// A result, and the status that it goes with.
pub(super) fn answer(id: &Value, result: &Value) -> (Value, StatusCode) {
    (json!({ "jsonrpc": "2.0", "id": id, "result": result }), StatusCode::OK)
}

/// A fault, and the status that it goes with: only what is no message at all is none of HTTP's successes.
pub(super) fn refuse(id: &Value, Fault { code, message, data }: &Fault) -> (Value, StatusCode) {
    let mut error = json!({ "code": code, "message": message });
    if let (Some(error), Some(data)) = (error.as_object_mut(), data) {
        error.insert("data".into(), data.clone());
    }
    let status = match *code {
        NOT_JSON | NOT_A_MESSAGE | UNSPOKEN_VERSION => StatusCode::BAD_REQUEST,
        _ => StatusCode::OK,
    };
    (json!({ "jsonrpc": "2.0", "id": id, "error": error }), status)
}

/// What is sent: one message, or several.
pub(super) struct Messages;

impl JsonSchema for Messages {
    fn schema_name() -> Cow<'static, str> {
        "RpcMessages".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let message = json!({
            "type": "object",
            "required": ["jsonrpc", "method"],
            "properties": {
                "jsonrpc": { "const": "2.0" },
                "id": { "type": ["string", "integer"], "description": "Left out, no answer is wanted." },
                "method": {
                    "type": "string",
                    "examples": ["initialize", "ping", "tools/list", "tools/call", "notifications/initialized"],
                },
                "params": named(generator, "RpcParams", json!({ "type": "object" })),
            },
        });
        let batch = json!({ "type": "array", "items": named(generator, "RpcMessage", message.clone()) });
        json_schema!({
            "description": "JSON-RPC 2.0 of the Model Context Protocol.",
            "examples": [
                { "jsonrpc": "2.0", "id": 1, "method": "tools/list" },
                { "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "list_projects" } },
            ],
            "oneOf": [message, batch],
        })
    }
}

/// A reference to a schema that the document has under this name.
fn named(generator: &mut SchemaGenerator, name: &str, schema: Value) -> Value {
    let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
    generator.definitions_mut().insert(name.to_owned(), schema);
    reference
}

/// What is answered: to one message, or to each of several that wants an answer.
pub(super) struct Answers;

impl JsonSchema for Answers {
    fn schema_name() -> Cow<'static, str> {
        "RpcAnswers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let fault = json!({
            "type": "object",
            "required": ["code", "message"],
            "properties": { "code": { "type": "integer" }, "message": { "type": "string" } },
        });
        let answer = json!({
            "type": "object",
            "required": ["jsonrpc", "id"],
            "properties": {
                "jsonrpc": { "const": "2.0" },
                "id": { "type": ["string", "number", "null"] },
                "result": named(generator, "RpcResult", json!({ "type": "object" })),
                "error": named(generator, "RpcFault", fault),
            },
        });
        let batch = json!({ "type": "array", "items": named(generator, "RpcAnswer", answer.clone()) });
        json_schema!({
            "description": "JSON-RPC 2.0: a `result` or an `error` for each message that has an `id`.",
            "oneOf": [answer, batch],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(message: Value) -> (Value, i32) {
        match read(message) {
            Incoming::Broken { id, fault } => (id, fault.code),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_message_is_refused_with_the_id_it_may_have() {
        for message in [json!(null), json!("ping"), json!(7), json!([])] {
            assert_eq!(code(message), (Value::Null, NOT_A_MESSAGE));
        }
        for message in [
            json!({"id": 1, "method": "ping"}),
            json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
            json!({"jsonrpc": "2.0", "id": 1}),
            json!({"jsonrpc": "2.0", "id": 1, "method": 7}),
        ] {
            assert_eq!(code(message), (json!(1), NOT_A_MESSAGE));
        }
        for id in [json!(null), json!({}), json!([1]), json!(true)] {
            let message = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            assert_eq!(code(message), (Value::Null, NOT_A_MESSAGE), "{id}");
        }
        let message = json!({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]});
        assert_eq!(code(message), (json!("a"), WRONG_PARAMS));
    }

    #[test]
    fn what_wants_no_answer_gets_none() {
        for message in [
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}),
            json!({"jsonrpc": "2.0", "method": "tools/call", "params": []}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}),
        ] {
            assert_eq!(read(message.clone()), Incoming::Silent, "{message}");
        }
    }
}
