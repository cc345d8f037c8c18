//! The messages that go, and what is read of the questions that come. What is sent is the same every time: after a
//! restart it is compared with the log, byte by byte.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::update::{ToolCall, text};
use crate::driver::{Choice, ChoiceKind, Decision, Failure, Outgoing};
use crate::rpc::{self, Version};
use crate::turn::{Attachment, Turn};

/// The version of the protocol that is spoken here.
pub(super) const PROTOCOL: u64 = 1;
/// The error by which the protocol says that somebody has to log in first.
const LOGIN: i64 = -32000;
/// The error by which the protocol says that something is not there.
const NOT_THERE: i64 = -32002;
/// The error by which JSON-RPC says that what a request names is wrong: here that is the conversation.
const WRONG_PARAMS: i64 = -32602;
/// What agents say of a conversation that is not there; each has its own words for it.
const GONE: [&str; 6] = [
    "not found",
    "no session",
    "no such session",
    "no previous sessions",
    "unknown session",
    "does not exist",
];

/// A question of the agent.
#[derive(Debug)]
pub(super) struct Asked {
    /// The id of the request, as it came.
    pub(super) request: Value,
    pub(super) choices: Vec<Choice>,
}

/// Nothing is offered to the agent: it reads and writes files and runs commands by itself.
pub(super) fn initialize() -> Value {
    json!({
        "protocolVersion": PROTOCOL,
        "clientCapabilities": { "fs": { "readTextFile": false, "writeTextFile": false }, "terminal": false },
        "clientInfo": { "name": "forge", "title": "Forge", "version": "1" },
    })
}

/// The prompt and what goes with it. Files are named; images are shown to an agent that can see.
pub(super) fn prompt(turn: &Turn, session: &str, sees: bool) -> Value {
    let mut blocks = vec![json!({ "type": "text", "text": turn.prompt })];
    blocks.extend(turn.attachments.iter().map(|attachment| block(attachment, &turn.cwd, sees)));
    json!({ "sessionId": session, "prompt": blocks })
}

fn block(attachment: &Attachment, cwd: &str, sees: bool) -> Value {
    let Attachment { path, mime, data } = attachment;
    if let Some(data) = data.as_ref().filter(|_| sees && mime.starts_with("image/")) {
        return json!({ "type": "image", "mimeType": mime, "data": data });
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let whole = if path.starts_with('/') { path.clone() } else { format!("{cwd}/{path}") };
    json!({ "type": "resource_link", "uri": file_uri(&whole), "name": name, "mimeType": mime })
}

fn file_uri(path: &str) -> String {
    let mut uri = "file://".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) {
            uri.push(byte.into());
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

pub(super) fn cancel(session: &str) -> Outgoing {
    rpc::notification(Version::Two, "session/cancel", &json!({ "sessionId": session }))
}

/// What a request of ours sets.
pub(crate) fn set_by(method: &str, params: &Value) -> Option<String> {
    match method {
        "session/set_config_option" => text(params, "/configId"),
        _ => method.strip_prefix("session/set_").map(str::to_owned),
    }
}

/// The model that a request of ours sets.
pub(crate) fn model_to_set(method: &str, params: &Value) -> Option<String> {
    match method {
        "session/set_model" => text(params, "/modelId"),
        "session/set_config_option" if params.get("configId")? == "model" => text(params, "/value"),
        _ => None,
    }
}

/// The agent's name for a request, which is a number for some and a text for others.
pub(crate) fn name_of(request: &Value) -> String {
    request.as_str().map_or_else(|| request.to_string(), str::to_owned)
}

/// The names of an agent's questions. Some use the id of a question again once that is answered, and the answer to the one
/// is none to the other. The same log gives the same names.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// How many questions were asked under an id, as it reads: a number and a text can read the same.
    asked: BTreeMap<String, u64>,
    /// The name of the last one under an id, as it came.
    last: BTreeMap<String, String>,
}

impl Names {
    /// The name of a question that is asked now.
    pub(crate) fn next(&mut self, request: &Value) -> String {
        let id = name_of(request);
        let times = self.asked.entry(id.clone()).or_default();
        *times += 1;
        let name = if *times > 1 { format!("{id}#{times}") } else { id };
        self.last.insert(request.to_string(), name.clone());
        name
    }

    /// The name of the question that was asked last under this id.
    pub(crate) fn last(&self, request: &Value) -> String {
        self.last.get(&request.to_string()).cloned().unwrap_or_else(|| name_of(request))
    }
}

impl Asked {
    /// Reads a question: what it is about, and how it can be answered.
    pub(super) fn parse(request: Value, params: &mut Value) -> (Self, Option<ToolCall>) {
        let options = params.get("options").and_then(Value::as_array).into_iter().flatten();
        let choices = options.filter_map(choice).collect();
        let call = params.get_mut("toolCall").and_then(ToolCall::parse);
        (Self { request, choices }, call)
    }

    /// The answer when nobody is asked. What is allowed only once leaves no trace outside of the conversation.
    pub(super) fn allowed(&self) -> Outgoing {
        self.by_kind(&[ChoiceKind::AllowOnce, ChoiceKind::AllowAlways])
            .map_or_else(|| self.cancelled(None), |choice| self.selected(&choice.id, None))
    }

    /// The answer that somebody gave, and whether it was a refusal.
    pub(super) fn decided(&self, decision: &Decision) -> Outgoing {
        let (choice, kinds, reason) = match decision {
            Decision::Allow { choice } => (choice, [ChoiceKind::AllowOnce, ChoiceKind::AllowAlways], None),
            Decision::Deny { choice, message } => {
                (choice, [ChoiceKind::RejectOnce, ChoiceKind::RejectAlways], Some(message.as_str()))
            }
        };
        let named = choice.as_ref().and_then(|choice| self.named(choice));
        match named.or_else(|| self.by_kind(&kinds)) {
            Some(choice) => self.selected(&choice.id, reason),
            None => self.cancelled(reason),
        }
    }

    /// Nobody answers any more.
    pub(super) fn cancelled(&self, reason: Option<&str>) -> Outgoing {
        self.outcome(&json!({ "outcome": "cancelled" }), reason)
    }

    /// Whether this answer, as the log shows it, refuses.
    pub(super) fn refuses(&self, answer: &Value) -> bool {
        let chosen = answer.pointer("/outcome/optionId").and_then(Value::as_str);
        let choice = self.choices.iter().find(|choice| Some(choice.id.as_str()) == chosen);
        choice.is_none_or(|choice| matches!(choice.kind, ChoiceKind::RejectOnce | ChoiceKind::RejectAlways))
    }

    /// By the agent's own name for it, or by what it does.
    fn named(&self, choice: &str) -> Option<&Choice> {
        let by_id = self.choices.iter().find(|known| known.id == choice);
        by_id.or_else(|| self.by_kind(&[kind(choice)?]))
    }

    /// The first of the first kind that there is. Ids say nothing: each agent has its own.
    fn by_kind(&self, kinds: &[ChoiceKind]) -> Option<&Choice> {
        kinds.iter().find_map(|kind| self.choices.iter().find(|choice| choice.kind == *kind))
    }

    fn selected(&self, choice: &str, reason: Option<&str>) -> Outgoing {
        self.outcome(&json!({ "outcome": "selected", "optionId": choice }), reason)
    }

    /// The protocol has no place for a reason; it goes beside the answer, where the transcript finds it.
    fn outcome(&self, outcome: &Value, reason: Option<&str>) -> Outgoing {
        let result = match reason.filter(|reason| !reason.is_empty()) {
            Some(reason) => json!({ "outcome": outcome, "_meta": { "forge": { "reason": reason } } }),
            None => json!({ "outcome": outcome }),
        };
        rpc::result(Version::Two, &self.request, &result)
    }
}

fn choice(option: &Value) -> Option<Choice> {
    let id = text(option, "/optionId")?;
    let name = text(option, "/name").unwrap_or_else(|| id.clone());
    Some(Choice { id, name, kind: kind(&text(option, "/kind")?)? })
}

/// What an answer does; a kind of a later version of the protocol does what its name begins with.
pub(crate) fn kind(told: &str) -> Option<ChoiceKind> {
    Some(match told {
        "allow_always" => ChoiceKind::AllowAlways,
        "reject_always" => ChoiceKind::RejectAlways,
        _ if told.starts_with("allow") => ChoiceKind::AllowOnce,
        _ if told.starts_with("reject") => ChoiceKind::RejectOnce,
        _ => return None,
    })
}

/// What an agent says about a request that failed, in one text: the details are in the data, if anywhere.
pub(crate) fn told(error: &rpc::Error) -> String {
    let places = ["", "/details", "/message", "/reason", "/errorName"];
    let details = places.iter().find_map(|at| text(&error.data, at));
    match details.filter(|details| !error.message.contains(details)) {
        Some(details) => format!("{}: {details}", error.message),
        None => error.message.clone(),
    }
}

/// Why a request failed.
pub(crate) fn failure(error: &rpc::Error) -> Failure {
    let message = told(error);
    let words = message.to_lowercase();
    if error.code == LOGIN && ["auth", "log in", "login", "sign in"].iter().any(|word| words.contains(word)) {
        return Failure::NotLoggedIn { message };
    }
    let status = u16::try_from(error.code).ok().filter(|code| (400..600).contains(code));
    Failure::of_model(status, message)
}

/// Whether the agent wants somebody to log in before anything else.
pub(super) const fn wants_login(error: &rpc::Error) -> bool {
    error.code == LOGIN
}

/// Why a conversation could not be taken up again. It is only given up for good where the agent says that it is gone.
pub(super) fn failure_to_resume(error: &rpc::Error) -> Failure {
    match failure(error) {
        _ if error.code == NOT_THERE => Failure::UnknownConversation { message: told(error) },
        Failure::Agent { message } if error.code == WRONG_PARAMS || is_gone(&message) => {
            Failure::UnknownConversation { message }
        }
        other => other,
    }
}

fn is_gone(message: &str) -> bool {
    let words = message.to_lowercase();
    GONE.iter().any(|gone| words.contains(gone))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(outgoing: &Outgoing) -> Value {
        let Outgoing::Write(line) = outgoing else { panic!("an answer is written") };
        serde_json::from_slice::<Value>(line).unwrap()["result"].clone()
    }

    fn asked(options: &Value) -> Asked {
        Asked::parse(json!(0), &mut json!({ "options": options })).0
    }

    #[test]
    fn answers_are_chosen_by_what_they_do_and_the_first_of_two_counts() {
        let asked = asked(&json!([
            { "optionId": "accept", "kind": "allow_once" }, { "optionId": "reject", "kind": "reject_once" },
            { "optionId": "risk_based", "kind": "allow_once" }, { "optionId": "all", "kind": "allow_always" },
        ]));
        let chosen = |decision| answer(&asked.decided(&decision))["outcome"]["optionId"].clone();
        assert_eq!(chosen(Decision::Allow { choice: None }), "accept");
        assert_eq!(chosen(Decision::Allow { choice: Some("risk_based".into()) }), "risk_based");
        assert_eq!(chosen(Decision::Allow { choice: Some("allow_always".into()) }), "all");
        assert_eq!(answer(&asked.allowed())["outcome"]["optionId"], "accept");
        let denied = answer(&asked.decided(&Decision::Deny { choice: None, message: "no".into() }));
        assert_eq!(denied["outcome"]["optionId"], "reject");
        assert_eq!(denied["_meta"]["forge"]["reason"], "no");
    }

    #[test]
    fn a_question_that_cannot_be_denied_is_cancelled() {
        let asked = asked(&json!([{ "optionId": "yes", "kind": "allow_once" }, { "optionId": 1 }, null]));
        let denied = answer(&asked.decided(&Decision::Deny { choice: None, message: String::new() }));
        assert_eq!(denied, json!({ "outcome": { "outcome": "cancelled" } }));
        assert!(asked.refuses(&denied) && !asked.refuses(&answer(&asked.allowed())));
    }

    #[test]
    fn a_conversation_is_only_given_up_where_the_agent_says_that_it_is_gone() {
        let failed = |code, message: &str| {
            failure_to_resume(&rpc::Error { code, message: message.into(), data: Value::Null })
        };
        for (code, message) in [
            (NOT_THERE, "Resource"),
            (WRONG_PARAMS, "Invalid params"),
            (-32603, "Session not found: s"),
            (-32603, "No previous sessions found for this project."),
            (0, "Unknown session s"),
        ] {
            let failure = failed(code, message);
            assert!(matches!(failure, Failure::UnknownConversation { .. }), "{failure:?}");
        }
        for message in ["Internal error", "The database is locked", "out of memory"] {
            let failure = failed(-32603, message);
            assert!(matches!(failure, Failure::Agent { .. }), "{failure:?}");
        }
        let failure = failed(WRONG_PARAMS, "Please log in");
        assert!(matches!(failure, Failure::NotLoggedIn { .. }), "{failure:?}");
    }

    #[test]
    fn what_goes_with_a_prompt_is_shown_or_named() {
        let image =
            Attachment { path: "a b.png".into(), mime: "image/png".into(), data: Some("AA==".into()) };
        assert_eq!(
            block(&image, "/repo", true),
            json!({ "type": "image", "mimeType": "image/png", "data": "AA==" })
        );
        let link = json!({
            "type": "resource_link", "uri": "file:///repo/a%20b.png", "name": "a b.png", "mimeType": "image/png",
        });
        assert_eq!(block(&image, "/repo", false), link);
    }
}
