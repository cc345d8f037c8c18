//! One turn of a conversation: everything that a protocol has to know to lead it.
//!
//! It is written to the process's folder before the program is started. Whoever reads the log later, after a restart or
//! an upgrade, reads it with the same turn, whatever the settings have become since.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::manner::{Manner, Protocol};
use crate::profiles::Settings;

/// How long the contract lets an approval wait.
const APPROVAL_MS: u64 = 3_600_000;

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// How the agent is spoken to.
    pub manner: Manner,
    /// What the agent is told.
    pub prompt: String,
    /// What goes with it.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// The conversation that goes on; none begins one.
    pub resume: Option<String>,
    /// Whether the agent runs already, with this conversation open: it only has to be told.
    #[serde(default)]
    pub warm: bool,
    /// The folder that the agent works in.
    pub cwd: String,
    /// Who decides about tools.
    pub approvals: Approvals,
    /// How long a question about a tool waits for an answer.
    pub approval_ms: u64,
    /// The model to use from here on, in the agent's words; none leaves it as it is.
    #[serde(default)]
    pub model: Option<String>,
    /// The mode to work in from here on, in the agent's words; none leaves it as it is.
    #[serde(default)]
    pub mode: Option<String>,
    /// What the variant says.
    #[serde(default)]
    pub settings: Settings,
}

/// Who decides about the tools that the agent may not use on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Approvals {
    /// Everything is allowed: the worktree is the fence.
    Auto,
    /// The engine is asked, by [`Seen::Permission`](crate::driver::Seen::Permission).
    Ask,
}

/// The settings by which a person allows an agent everything, in the words of each.
const ALLOW_ALL: [&str; 5] =
    ["dangerously_skip_permissions", "dangerously_allow_all", "yolo", "force", "allow_all_tools"];

impl Approvals {
    /// Who decides where a variant says this: a person, unless it says otherwise in so many words.
    #[must_use]
    pub fn of(settings: &Settings) -> Self {
        let is_on = |name: &str| settings.get(name).and_then(Value::as_bool) == Some(true);
        let says = |name: &str| settings.get(name).and_then(Value::as_str);
        let asks = is_on("approvals") || is_on("plan");
        let unfenced = says("sandbox") == Some("danger-full-access")
            && matches!(says("ask_for_approval"), None | Some("never"));
        if !asks && (unfenced || ALLOW_ALL.into_iter().any(is_on)) { Self::Auto } else { Self::Ask }
    }
}

/// A file that goes with a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attachment {
    /// Where it lies, from the folder that the agent works in.
    pub path: String,
    /// What it is: `image/png`, `text/plain`.
    pub mime: String,
    /// What is in it, as base64; none where its path is enough.
    pub data: Option<String>,
}

impl Turn {
    /// A first turn with nothing special about it.
    #[must_use]
    pub fn new(protocol: Protocol, prompt: impl Into<String>) -> Self {
        Self {
            manner: Manner::plain(protocol),
            prompt: prompt.into(),
            attachments: Vec::new(),
            resume: None,
            warm: false,
            cwd: "/repo".to_owned(),
            approvals: Approvals::Auto,
            approval_ms: APPROVAL_MS,
            model: None,
            mode: None,
            settings: Settings::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_person_is_asked_unless_the_variant_allows_everything() {
        let of = |settings: Value| Approvals::of(settings.as_object().unwrap());
        for asks in [
            json!({}),
            json!({"yolo": false}),
            json!({"plan": true, "dangerously_skip_permissions": true}),
            json!({"approvals": true}),
            json!({"sandbox": "workspace-write", "ask_for_approval": "unless-trusted"}),
            json!({"sandbox": "danger-full-access", "ask_for_approval": "on-request"}),
            json!({"sandbox": "workspace-write"}),
        ] {
            assert_eq!(of(asks.clone()), Approvals::Ask, "{asks}");
        }
        let allowing = ALLOW_ALL.map(|name| json!({ name: true }));
        for allows in allowing.into_iter().chain([json!({"sandbox": "danger-full-access"})]) {
            assert_eq!(of(allows.clone()), Approvals::Auto, "{allows}");
        }
    }
}
