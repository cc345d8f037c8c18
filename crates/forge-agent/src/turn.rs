//! One turn of a conversation: everything that a protocol has to know to lead it.
//!
//! It is written to the process's folder before the program is started. Whoever reads the log later, after a restart or
//! an upgrade, reads it with the same turn, whatever the settings have become since.

use forge_model::Usage;
use serde::{Deserialize, Serialize};

use crate::manner::{Manner, Protocol};
use crate::profiles::Settings;
use crate::{acp, claude, codex};

/// What stands between the preface and the request.
const DELIMITER: &str = "\n\n---\n\nThe request:\n\n";

/// How long the contract lets an approval wait.
const APPROVAL_MS: u64 = 3_600_000;

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// How the agent is spoken to.
    pub manner: Manner,
    /// What the agent is told: the request, and where there is one, the preface before it.
    pub prompt: String,
    /// What the variant tells the agent before its first request. It is in the prompt already.
    #[serde(default)]
    pub preface: Option<String>,
    /// What goes with it.
    #[serde(default)]
    pub attachments: Vec<Attachment>,
    /// The conversation that goes on; none begins one.
    pub resume: Option<String>,
    /// The place in that conversation which is gone on from, in the agent's words, where the conversation stands further
    /// already; see [`Driver::mark`](crate::driver::Driver::mark).
    #[serde(default)]
    pub resume_at: Option<String>,
    /// What the turns of that conversation used up before this one; none where a Forge wrote the turn that did not count it.
    /// Some agents only tell the sum of all.
    #[serde(default)]
    pub spent: Option<Usage>,
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

/// What a person asked for in a prompt that may begin with a preface.
pub(crate) fn without_preface<'a>(prompt: &'a str, preface: Option<&str>) -> &'a str {
    let request = preface.and_then(|preface| prompt.strip_prefix(preface));
    request.and_then(|request| request.strip_prefix(DELIMITER)).unwrap_or(prompt)
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

/// What an agent was told to work with, when it was started or since.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorksWith {
    /// The model; none is the one that it chose itself.
    pub model: Option<String>,
    /// The mode; none is the usual one.
    pub mode: Option<String>,
}

impl WorksWith {
    /// The agent was told this; what that does not say stays as it is.
    pub fn change(&mut self, told: Self) {
        self.model = told.model.or_else(|| self.model.take());
        self.mode = told.mode.or_else(|| self.mode.take());
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
    /// What the conversation had used up before this turn; none where nobody knows.
    pub(crate) fn spent_before(&self) -> Option<Usage> {
        self.spent.or_else(|| self.resume.is_none().then(Usage::default))
    }

    /// What the agent works with in this turn, as far as it is told.
    #[must_use]
    pub fn works_with(&self) -> WorksWith {
        WorksWith { model: self.model.clone(), mode: self.mode.clone() }
    }

    /// Whether an agent that works with this can be told to work with what this turn wants. Nobody can be told to choose
    /// again by itself.
    #[must_use]
    pub fn can_be_told(&self, now: &WorksWith) -> bool {
        let takes_mode = match self.manner.protocol {
            _ if self.mode == now.mode => true,
            _ if self.mode.is_none() => false,
            Protocol::Claude => claude::takes_mode(self),
            Protocol::Codex => codex::takes_mode(self),
            Protocol::Acp => acp::takes_mode(self, now),
            Protocol::Lines => false,
        };
        takes_mode && (self.model.is_some() || now.model.is_none())
    }

    /// The same turn at the place where another stands in its conversation, with the model and in the mode of that: alike
    /// then are turns that the same program can take, if it [`can_be_told`](Self::can_be_told) the rest.
    #[must_use]
    pub fn at_place_of(&self, other: &Self) -> Self {
        let other = other.clone();
        Self {
            prompt: other.prompt,
            preface: other.preface,
            attachments: other.attachments,
            resume: other.resume,
            resume_at: other.resume_at,
            model: other.model,
            mode: other.mode,
            spent: other.spent,
            ..self.clone()
        }
    }

    /// A first turn with nothing special about it.
    #[must_use]
    pub fn new(protocol: Protocol, prompt: impl Into<String>) -> Self {
        Self {
            manner: Manner::plain(protocol),
            prompt: prompt.into(),
            preface: None,
            attachments: Vec::new(),
            resume: None,
            resume_at: None,
            spent: None,
            warm: false,
            cwd: "/repo".to_owned(),
            approvals: Approvals::Auto,
            approval_ms: APPROVAL_MS,
            model: None,
            mode: None,
            settings: Settings::new(),
        }
    }

    /// The turn with what the variant has to say before the request: it stays in the conversation, so it is said only where
    /// that begins.
    #[must_use]
    pub fn with_preface(mut self, preface: Option<&str>) -> Self {
        if let Some(preface) = preface.filter(|_| self.resume.is_none()) {
            self.prompt.insert_str(0, DELIMITER);
            self.prompt.insert_str(0, preface);
            self.preface = Some(preface.to_owned());
        }
        self
    }

    /// What the person asked for, without the preface.
    #[must_use]
    pub fn request(&self) -> &str {
        without_preface(&self.prompt, self.preface.as_deref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_preface_comes_before_the_first_request_only() {
        let first = Turn::new(Protocol::Acp, "do it").with_preface(Some("Be brief."));
        assert_eq!(first.prompt, "Be brief.\n\n---\n\nThe request:\n\ndo it");
        assert_eq!(first.request(), "do it");
        let later = Turn { resume: Some("1".into()), ..Turn::new(Protocol::Acp, "more") };
        let later = later.with_preface(Some("Be brief."));
        assert_eq!((later.prompt.as_str(), later.request()), ("more", "more"));
        assert_eq!(Turn::new(Protocol::Acp, "x").with_preface(None).request(), "x");
    }
    #[test]
    fn a_program_can_take_a_later_turn_of_the_same_kind_and_none_with_other_settings() {
        let first = Turn::new(Protocol::Acp, "do it").with_preface(Some("Be brief."));
        let later = Turn { resume: Some("1".into()), ..Turn::new(Protocol::Acp, "more") };
        let later = Turn { spent: Some(Usage { output_tokens: 5, ..Usage::default() }), ..later };
        let later = later.with_preface(Some("Be brief."));
        assert_eq!(later.at_place_of(&first), first);
        for other in [
            Turn { approvals: Approvals::Ask, ..later.clone() },
            Turn { cwd: "/elsewhere".into(), ..later.clone() },
        ] {
            assert_ne!(other.at_place_of(&first), first);
        }
        let other = Turn { model: Some("large".into()), mode: Some("plan".into()), ..later };
        assert_eq!(other.at_place_of(&first), first);
    }

    #[test]
    fn a_program_is_told_of_what_its_protocol_can_set_and_of_nothing_else() {
        let now = |model: Option<&str>, mode: Option<&str>| WorksWith {
            model: model.map(str::to_owned),
            mode: mode.map(str::to_owned),
        };
        let wants = |protocol, model: Option<&str>, mode: Option<&str>| {
            let WorksWith { model, mode } = now(model, mode);
            Turn { model, mode, ..Turn::new(protocol, "more") }
        };
        for protocol in [Protocol::Claude, Protocol::Codex, Protocol::Acp] {
            assert!(wants(protocol, Some("b"), None).can_be_told(&now(Some("a"), None)));
            assert!(wants(protocol, Some("b"), None).can_be_told(&now(None, None)));
            assert!(!wants(protocol, None, None).can_be_told(&now(Some("a"), None)), "{protocol:?}");
            assert!(!wants(protocol, None, None).can_be_told(&now(None, Some("plan"))), "{protocol:?}");
        }
        assert!(wants(Protocol::Claude, None, Some("plan")).can_be_told(&now(None, None)));
        assert!(!wants(Protocol::Claude, None, Some("bypassPermissions")).can_be_told(&now(None, None)));
        assert!(wants(Protocol::Codex, None, Some("read-only")).can_be_told(&now(None, None)));
        assert!(
            !wants(Protocol::Codex, None, Some("workspace-write")).can_be_told(&now(None, Some("read-only")))
        );
        assert!(wants(Protocol::Acp, None, Some("plan")).can_be_told(&now(None, Some("code"))));
        assert!(!wants(Protocol::Acp, None, Some("plan")).can_be_told(&now(None, Some("all=on"))));
        let mut usual = wants(Protocol::Acp, None, Some("plan"));
        usual.manner.modes.auto = Some("all=on".into());
        assert!(!usual.can_be_told(&now(None, None)), "what its usual mode switched on would stay on");
        assert!(!wants(Protocol::Lines, None, Some("plan")).can_be_told(&now(None, None)));
    }
}
