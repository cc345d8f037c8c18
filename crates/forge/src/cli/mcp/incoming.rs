//! What the bridge has to know of a message: whether it waits, and what it cancels.

use serde_json::Value;

use super::Line;

/// A message of the client.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// The request of this id is not waited for any more.
    Cancel(Value),
    /// Anything else, with the id under which it can be canceled.
    Call { id: Option<Value>, waits: bool },
}

/// Reads a line. One that is no message is for the server to refuse.
pub(super) fn read(line: &Line) -> Incoming {
    let message = match line {
        Line::Whole(line) => serde_json::from_slice(line).unwrap_or(Value::Null),
        Line::TooLong => Value::Null,
    };
    let canceled = message.pointer("/params/requestId");
    if let Some(request) = canceled.filter(|_| is(&message, "notifications/cancelled")) {
        return Incoming::Cancel(request.clone());
    }
    let waits = message.as_array().map_or_else(|| waits(&message), |messages| messages.iter().any(waits));
    let id = message.get("id").filter(|_| message.get("method").is_some());
    Incoming::Call { id: id.cloned(), waits }
}

/// Whether a call does nothing but wait for something to happen: then nothing is lost when it is given up.
fn waits(message: &Value) -> bool {
    let seconds = message.pointer("/params/arguments/wait_seconds").and_then(Value::as_u64);
    is(message, "tools/call") && seconds.is_some_and(|seconds| seconds > 0)
}

fn is(message: &Value, method: &str) -> bool {
    message.get("method").is_some_and(|named| named == method)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_that_wait_and_cancellations_are_known() {
        let read = |message: Value| read(&Line::Whole(message.to_string().into_bytes()));
        let call = |seconds: u64| json!({"id": 1, "method": "tools/call", "params": {"arguments": {"wait_seconds": seconds}}});
        let id = Some(json!(1));
        assert_eq!(read(call(5)), Incoming::Call { id: id.clone(), waits: true });
        assert_eq!(read(call(0)), Incoming::Call { id, waits: false });
        assert_eq!(read(json!([{"method": "ping"}, call(5)])), Incoming::Call { id: None, waits: true });
        let cancel = json!({"method": "notifications/cancelled", "params": {"requestId": "a"}});
        assert_eq!(read(cancel), Incoming::Cancel(json!("a")));
        let nonsense = Incoming::Call { id: None, waits: false };
        assert_eq!(super::read(&Line::Whole(b"x".into())), nonsense);
        assert_eq!(super::read(&Line::TooLong), nonsense);
    }
}
