//! The text of what is said to Codex: how a turn's settings become a thread and a prompt in it.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::driver::{Failure, Offer, Outgoing};
use crate::rpc::{self, Version};
use crate::turn::{Approvals, Turn};

/// The ids of our requests, by which their answers are known. In a program that is kept, the one of a turn is answered
/// before the turn is over, so the next turn can have the same.
pub(super) const INITIALIZE: &str = "forge-initialize";
pub(super) const THREAD: &str = "forge-thread";
pub(super) const TURN: &str = "forge-turn";
pub(super) const MODELS: &str = "forge-models";
const INTERRUPT: &str = "forge-interrupt";

/// What Codex can run commands in.
const SANDBOXES: [&str; 3] = ["read-only", "workspace-write", "danger-full-access"];

/// Settings that Codex reads from its configuration under the same name.
const CONFIGURED: [&str; 2] = ["model_reasoning_effort", "model_reasoning_summary"];

/// The arguments of the program for a turn.
pub(crate) fn arguments(turn: &Turn) -> Vec<String> {
    let mut args = Vec::new();
    if turn.settings.get("oss").and_then(Value::as_bool) == Some(true) {
        args.push("--oss");
    }
    if let Some(profile) = setting(turn, "profile") {
        args.extend(["--profile", profile]);
    }
    args.push("app-server");
    args.into_iter().map(str::to_owned).collect()
}

pub(super) fn initialize() -> Outgoing {
    let client = json!({ "name": "forge", "title": "Forge", "version": env!("CARGO_PKG_VERSION") });
    request(INITIALIZE, "initialize", &json!({ "clientInfo": client }))
}

pub(super) fn initialized() -> Outgoing {
    rpc::notification(Version::Untold, "initialized", &json!({}))
}

/// Begins a thread, or goes on in a copy of the one before: that stays as it was, so that another turn can take the
/// place of this one.
pub(super) fn open(turn: &Turn) -> Outgoing {
    let mut params = Map::new();
    params.insert("cwd".into(), json!(turn.cwd));
    params.insert("approvalPolicy".into(), json!(policy(turn)));
    params.insert("sandbox".into(), json!(sandbox(turn)));
    if let Some(model) = model(turn) {
        params.insert("model".into(), json!(model));
    }
    if let Some(instructions) = setting(turn, "base_instructions") {
        params.insert("baseInstructions".into(), json!(instructions));
    }
    let given = CONFIGURED.iter().filter_map(|name| Some(((*name).to_owned(), json!(setting(turn, name)?))));
    let mut config: Map<String, Value> = given.collect();
    config.insert("projects".into(), json!({ &turn.cwd: { "trust_level": trust_level(turn) } }));
    params.insert("config".into(), Value::Object(config));
    if let Some(thread) = &turn.resume {
        params.insert("threadId".into(), json!(thread));
        if let Some(last) = &turn.resume_at {
            params.insert("lastTurnId".into(), json!(last));
        }
        // What was said before was told by the turns before.
        params.insert("excludeTurns".into(), json!(true));
    }
    request(THREAD, open_by(turn), &Value::Object(params))
}

/// The method that opens the turn's thread.
pub(super) const fn open_by(turn: &Turn) -> &'static str {
    if turn.resume.is_some() { "thread/fork" } else { "thread/start" }
}

/// The prompt. A thread that is open already hears of another model or sandbox here.
pub(super) fn turn_start(turn: &Turn, thread: &str) -> Outgoing {
    let mut input = vec![json!({ "type": "text", "text": turn.prompt })];
    input.extend(turn.attachments.iter().map(|attached| {
        let path = Path::new(&turn.cwd).join(&attached.path);
        if attached.mime.starts_with("image/") {
            json!({ "type": "localImage", "path": path })
        } else {
            json!({ "type": "mention", "name": attached.path, "path": path })
        }
    }));
    let mut params = Map::new();
    params.insert("threadId".into(), json!(thread));
    params.insert("input".into(), Value::Array(input));
    if let Some(model) = turn.model.as_ref().filter(|_| turn.warm) {
        params.insert("model".into(), json!(model));
    }
    if let Some(policy) = policy_of(turn).filter(|_| turn.warm) {
        params.insert("sandboxPolicy".into(), policy);
    }
    request(TURN, "turn/start", &Value::Object(params))
}

pub(super) fn list_models() -> Outgoing {
    request(MODELS, "model/list", &json!({}))
}

pub(super) fn interrupt(thread: &str, turn: &str) -> Outgoing {
    request(INTERRUPT, "turn/interrupt", &json!({ "threadId": thread, "turnId": turn }))
}

/// What Codex' sandboxes are to Forge: modes to work in.
pub(super) fn modes() -> Vec<Offer> {
    let mode = |id: &str, name: &str, does: &str| Offer {
        id: id.into(),
        name: name.into(),
        description: Some(does.into()),
    };
    vec![
        mode("read-only", "Read only", "Commands can read files and change nothing."),
        mode("workspace-write", "Workspace", "Commands can change files in the worktree."),
        mode("danger-full-access", "Full access", "Commands run without a sandbox."),
    ]
}

/// Why there is no turn in a mode that is none: what was meant may have been to keep the agent from something.
pub(super) fn unknown_mode(turn: &Turn) -> Option<Failure> {
    let wanted = turn.mode.as_deref().filter(|_| mode(turn).is_none())?;
    let message = format!("Codex has no mode `{wanted}`. Its modes are: {}.", SANDBOXES.join(", "));
    Some(Failure::Agent { message })
}

/// The mode that the turn names, if it is one.
pub(super) fn mode(turn: &Turn) -> Option<&str> {
    turn.mode.as_deref().filter(|mode| SANDBOXES.contains(mode))
}

/// The sandbox that commands run in. Where nobody is asked, the worktree is the fence.
pub(super) fn sandbox(turn: &Turn) -> &str {
    let chosen = mode(turn).or_else(|| setting(turn, "sandbox").filter(|word| SANDBOXES.contains(word)));
    chosen.unwrap_or(match turn.approvals {
        Approvals::Auto => "danger-full-access",
        Approvals::Ask => "workspace-write",
    })
}

/// When Codex asks.
fn policy(turn: &Turn) -> &str {
    match (setting(turn, "ask_for_approval"), turn.approvals) {
        (Some("unless-trusted"), _) | (None, Approvals::Ask) => "untrusted",
        // It asks no more when a command failed: it asks for what needs to leave the sandbox.
        (Some("on-failure" | "on-request"), _) => "on-request",
        (Some("never"), _) | (None, Approvals::Auto) => "never",
        (Some(other), _) => other,
    }
}

/// Whether Codex honors the settings of the repository. Without a word on it, Codex trusts every folder that a thread may
/// write to, and notes this in the user's own configuration.
fn trust_level(turn: &Turn) -> &'static str {
    let is_trusted = turn.settings.get("repository_settings").and_then(Value::as_bool) == Some(true);
    if is_trusted { "trusted" } else { "untrusted" }
}

/// Whether a thread that is open can be told to work in the turn's mode.
pub(crate) fn takes_mode(turn: &Turn) -> bool {
    policy_of(turn).is_some()
}

/// The turn's mode as an open thread is told of it. What commands may write to in the worktree's is for Codex' own
/// configuration to say, and that is read when a thread is opened.
fn policy_of(turn: &Turn) -> Option<Value> {
    match mode(turn)? {
        "read-only" => Some(json!({ "type": "readOnly" })),
        "danger-full-access" => Some(json!({ "type": "dangerFullAccess" })),
        _ => None,
    }
}

fn model(turn: &Turn) -> Option<&str> {
    turn.model.as_deref().or_else(|| setting(turn, "model"))
}

fn setting<'a>(turn: &'a Turn, name: &str) -> Option<&'a str> {
    turn.settings.get(name).and_then(Value::as_str).filter(|value| !value.is_empty())
}

fn request(id: &str, method: &str, params: &Value) -> Outgoing {
    rpc::request(Version::Untold, &json!(id), method, params)
}
