//! Agents that take one prompt, print lines and end: what their lines say is data, the [rules].
//!
//! Nobody can answer them, so they ask for nothing. Their exit codes are not trusted: some return 0 when they failed.

use forge_model::{End, Usage};
use serde_json::Value;

use crate::driver::{Decision, Failure, Finish, MOST_WORDS, Outbox, Outgoing, Seen, Speak};
use crate::manner::Manner;
use crate::rules::{self, Kind, Rule, Said, Sum};
use crate::turn::Turn;

/// The agents whose lines are known: [`Lines::like`](crate::manner::Lines::like) names one.
pub const DIALECTS: [(&str, &str); 14] = [
    ("cline", include_str!("../agents/lines/cline.toml")),
    ("codex", include_str!("../agents/lines/codex.toml")),
    ("copilot", include_str!("../agents/lines/copilot.toml")),
    ("droid", include_str!("../agents/lines/droid.toml")),
    ("gemini", include_str!("../agents/lines/gemini.toml")),
    ("goose", include_str!("../agents/lines/goose.toml")),
    ("grok", include_str!("../agents/lines/grok.toml")),
    ("kimi", include_str!("../agents/lines/kimi.toml")),
    ("opencode", include_str!("../agents/lines/opencode.toml")),
    ("opencode-serve", include_str!("../agents/lines/opencode-serve.toml")),
    ("openhands", include_str!("../agents/lines/openhands.toml")),
    ("pi", include_str!("../agents/lines/pi.toml")),
    ("stream-json", include_str!("../agents/lines/stream-json.toml")),
    ("vibe", include_str!("../agents/lines/vibe.toml")),
];

/// The rules for an agent's lines.
pub(crate) fn rules_of(manner: &Manner) -> Vec<Rule> {
    #[derive(serde::Deserialize)]
    struct File {
        rules: Vec<Rule>,
    }
    let like = manner.lines.like.as_deref().unwrap_or_default();
    let file = DIALECTS.iter().find(|(name, _)| *name == like);
    // That each of them can be read is a test's to see.
    let more = file.and_then(|(_, text)| toml::from_str::<File>(text).ok()).map(|file| file.rules);
    manner.lines.rules.iter().cloned().chain(more.unwrap_or_default()).collect()
}

/// The one turn of a program.
#[derive(Debug)]
pub(crate) struct OneShot {
    rules: Vec<Rule>,
    conversation: Option<String>,
    last_message: Option<String>,
    /// A text that comes in pieces.
    growing: String,
    /// Whether the agent said or did anything, and whether it said that it is done.
    is_alive: bool,
    is_done: bool,
    error: Option<Failure>,
    interrupted: bool,
    usage: Usage,
    /// What the conversation had used up before.
    spent: Option<Usage>,
}

impl OneShot {
    pub(crate) fn new(turn: &Turn, outbox: &mut Outbox) -> Self {
        if turn.manner.lines.stdin {
            // In lines, as the log shows them.
            for line in turn.prompt.lines() {
                outbox.push(Outgoing::Write(format!("{line}\n").into_bytes()));
            }
        }
        outbox.push(Outgoing::Close);
        Self {
            rules: rules_of(&turn.manner),
            conversation: None,
            last_message: None,
            growing: String::new(),
            is_alive: false,
            is_done: false,
            error: None,
            interrupted: false,
            usage: Usage::default(),
            spent: turn.spent_before(),
        }
    }
}

impl Speak for OneShot {
    fn received(&mut self, line: &[u8], _at_ms: u64, _outbox: &mut Outbox, seen: &mut Vec<Seen>) {
        if self.rules.is_empty() {
            return self.printed(line, seen);
        }
        let Ok(line) = serde_json::from_slice::<Value>(line) else { return };
        if let Some(conversation) = rules::conversation(&self.rules, &line)
            && self.conversation.as_ref() != Some(&conversation)
        {
            self.conversation = Some(conversation.clone());
            seen.push(Seen::Conversation(conversation));
        }
        for said in rules::read(&self.rules, &line).unwrap_or_default() {
            self.said(said, seen);
        }
    }

    fn sent(&mut self, _line: &[u8], _outbox: &mut Outbox) {}

    fn closed(&mut self, _seen: &mut Vec<Seen>) {}

    fn answer(&mut self, _permission: &str, _decision: &Decision, _outbox: &mut Outbox) {}

    /// There is nothing that such a program could be told: whoever interrupts it stops it.
    fn interrupt(&mut self, _outbox: &mut Outbox) {
        self.interrupted = true;
    }

    fn finish(&self) -> Option<Finish> {
        None
    }

    fn ended(&self, end: End) -> Option<Finish> {
        let failure = match (&self.error, end) {
            (Some(error), _) => Some(error.clone()),
            (None, End::Exited { code: 0 }) if self.ends_by_saying_so() && !self.is_done => return None,
            (None, End::Exited { code: 0 }) if self.is_alive || self.is_done => None,
            (None, End::Exited { code: 0 }) => {
                Some(Failure::Agent { message: "it ended without having said or done anything".into() })
            }
            _ => return None,
        };
        Some(Finish { message: self.last_message(), failure, usage: self.usage })
    }

    fn was_interrupted(&self) -> bool {
        self.interrupted
    }

    fn last_message(&self) -> Option<String> {
        let growing = Some(self.growing.trim()).filter(|text| !text.is_empty());
        growing.map(str::to_owned).or_else(|| self.last_message.clone())
    }

    fn usage(&self) -> Usage {
        self.usage
    }
}

impl OneShot {
    /// A line of a program that nothing is known about: its words. The last paragraph of them is what it said last.
    fn printed(&mut self, line: &[u8], seen: &mut Vec<Seen>) {
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            return self.flush(seen);
        }
        self.is_alive = true;
        if self.growing.len() + text.len() <= MOST_WORDS {
            self.growing.push_str(&text);
            self.growing.push('\n');
        }
    }

    fn said(&mut self, said: Said, seen: &mut Vec<Seen>) {
        match said {
            Said::Text { thought: true, .. } | Said::Remark(_) => self.flush(seen),
            Said::Text { text, grows: true, .. } => {
                self.is_alive = true;
                if self.growing.len() + text.len() <= MOST_WORDS {
                    self.growing.push_str(&text);
                }
            }
            Said::Text { text, .. } => {
                self.is_alive = true;
                // The whole of what came in pieces.
                self.growing.clear();
                self.say(text, seen);
            }
            Said::Tool { .. } | Said::Result { .. } => {
                self.is_alive = true;
                self.flush(seen);
            }
            Said::Error { interim: true, .. } | Said::Conversation(_) => {}
            Said::Error { text, status, .. } => {
                // It was no answer, although it came as one.
                if self.growing == text {
                    self.growing.clear();
                }
                self.fail(Failure::of_model(status, text));
            }
            Said::Usage { usage, sum: Sum::Part } => self.usage += usage,
            Said::Usage { usage, sum: Sum::Turn } => self.usage = usage,
            Said::Usage { usage, sum: Sum::Conversation } => {
                self.usage = self.spent.map(|spent| usage.since(spent)).unwrap_or_default();
            }
            Said::End { failed, text } => {
                self.flush(seen);
                self.is_done = true;
                if failed {
                    let text = text.unwrap_or_else(|| "it says that it failed, and not why".into());
                    self.fail(Failure::of_model(None, text));
                } else {
                    self.error = None;
                }
            }
            Said::Interrupted => self.error = Some(Failure::Interrupted),
        }
    }

    /// Whether the agent always says that it is done: one that ends without it was interrupted.
    fn ends_by_saying_so(&self) -> bool {
        self.rules.iter().any(|rule| rule.is == Kind::End)
    }

    /// A cause that was told stays, whatever is said of it afterwards.
    fn fail(&mut self, failure: Failure) {
        let is_vague = matches!(failure, Failure::Agent { .. });
        if self.error.is_none() || !is_vague {
            self.error = Some(failure);
        }
    }

    fn flush(&mut self, seen: &mut Vec<Seen>) {
        let text = std::mem::take(&mut self.growing);
        let text = text.trim();
        if !text.is_empty() {
            self.say(text.to_owned(), seen);
        }
    }

    fn say(&mut self, text: String, seen: &mut Vec<Seen>) {
        if self.last_message.as_ref() != Some(&text) {
            self.last_message = Some(text.clone());
            seen.push(Seen::Message(text));
        }
    }
}
