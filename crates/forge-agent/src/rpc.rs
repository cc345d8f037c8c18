//! JSON-RPC as agents speak it over lines: messages taken apart, and the text of those that go. It holds no state.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::driver::Outgoing;

/// What a request gets that nobody here understands.
pub(crate) const NO_SUCH_METHOD: i64 = -32601;

/// Whether messages say which version of JSON-RPC they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    /// They do, as the standard wants it.
    Two,
    /// They do not: Codex.
    Untold,
}

/// A message of either side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// It waits for an answer under this id, which is a number or a text.
    Request { id: Value, method: String, params: Value },
    /// Nobody waits.
    Notification { method: String, params: Value },
    /// The answer to a request of the other side.
    Answer { id: Value, outcome: Result<Value, Error> },
}

/// Why a request failed, in the words of the other side.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(crate) struct Error {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Value,
}

impl Message {
    /// Takes a line apart; none where it is no message.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        let Ok(Value::Object(mut message)) = serde_json::from_slice(line) else { return None };
        let id = message.remove("id").filter(|id| !id.is_null());
        let Some(method) = message.remove("method") else { return Self::answer(id?, message) };
        let Value::String(method) = method else { return None };
        let params = message.remove("params").unwrap_or_default();
        Some(match id {
            Some(id) => Self::Request { id, method, params },
            None => Self::Notification { method, params },
        })
    }

    fn answer(id: Value, mut message: Map<String, Value>) -> Option<Self> {
        let outcome = match message.remove("error").filter(|error| !error.is_null()) {
            Some(error) => Err(Error::of(error)),
            None => Ok(message.remove("result")?),
        };
        Some(Self::Answer { id, outcome })
    }
}

impl Error {
    /// What is no error as the standard describes it is kept in its own words.
    fn of(error: Value) -> Self {
        Self::deserialize(&error).unwrap_or_else(|_| Self {
            code: 0,
            message: error.to_string(),
            data: error,
        })
    }
}

/// A request.
pub(crate) fn request(version: Version, id: &Value, method: &str, params: &Value) -> Outgoing {
    line(version, json!({ "id": id, "method": method, "params": params }))
}

/// Whether this is the request under this id, however it is worded.
pub(crate) fn is_request(waiting: &Outgoing, id: &Value) -> bool {
    let Outgoing::Write(line) = waiting else { return false };
    matches!(Message::parse(line), Some(Message::Request { id: other, .. }) if other == *id)
}

/// A message that nobody answers.
pub(crate) fn notification(version: Version, method: &str, params: &Value) -> Outgoing {
    line(version, json!({ "method": method, "params": params }))
}

/// The answer to a request.
pub(crate) fn result(version: Version, id: &Value, result: &Value) -> Outgoing {
    line(version, json!({ "id": id, "result": result }))
}

/// The answer to a request that nobody here understands.
pub(crate) fn no_such_method(version: Version, id: &Value, method: &str) -> Outgoing {
    let error = json!({ "code": NO_SUCH_METHOD, "message": format!("Method not found: {method}") });
    line(version, json!({ "id": id, "error": error }))
}

fn line(version: Version, mut message: Value) -> Outgoing {
    if let Some(members) = message.as_object_mut().filter(|_| version == Version::Two) {
        members.insert("jsonrpc".into(), json!("2.0"));
    }
    Outgoing::Write(format!("{message}\n").into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart_by_what_they_have() {
        let parse = |text: &str| Message::parse(text.as_bytes());
        let request = Message::Request { id: json!("a"), method: "m".into(), params: json!([1]) };
        assert_eq!(parse(r#"{"id":"a","method":"m","params":[1]}"#), Some(request));
        let told = Message::Notification { method: "m".into(), params: Value::Null };
        assert_eq!(parse(r#"{"jsonrpc":"2.0","method":"m","id":null}"#), Some(told));
        let answer = Message::Answer { id: json!(0), outcome: Ok(Value::Null) };
        assert_eq!(parse(r#"{"id":0,"result":null}"#), Some(answer));
        let error = Error { code: -1, message: "no".into(), data: Value::Null };
        let failed = Message::Answer { id: json!(0), outcome: Err(error) };
        assert_eq!(parse(r#"{"id":0,"error":{"code":-1,"message":"no"},"result":null}"#), Some(failed));
        let odd = Error { code: 0, message: r#""no""#.into(), data: json!("no") };
        assert_eq!(
            parse(r#"{"id":0,"error":"no"}"#),
            Some(Message::Answer { id: json!(0), outcome: Err(odd) })
        );
        for nothing in ["", "[]", "hello", r#"{"id":1}"#, r#"{"method":1}"#, r#"{"result":1}"#] {
            assert_eq!(parse(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn what_goes_is_a_line_that_comes_back_the_same() {
        let Outgoing::Write(line) = request(Version::Two, &json!(7), "m", &json!({ "a": "b\n" })) else {
            panic!("a request is written");
        };
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert!(String::from_utf8_lossy(&line).contains(r#""jsonrpc":"2.0""#));
        let same = Message::Request { id: json!(7), method: "m".into(), params: json!({ "a": "b\n" }) };
        assert_eq!(Message::parse(&line), Some(same));
        let Outgoing::Write(line) = no_such_method(Version::Untold, &json!(7), "m") else {
            panic!("an answer is written");
        };
        assert!(!String::from_utf8_lossy(&line).contains("jsonrpc"));
    }
}
