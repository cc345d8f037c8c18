//! What a variant's settings come to at a launch.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::Agent;
use super::setting::{Kind, Part, Setting};
use crate::profiles::Settings;
use crate::turn::Approvals;

/// What a variant's settings come to at a launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Meaning {
    /// Arguments more.
    pub args: Vec<String>,
    /// Variables more, over those of the server.
    pub env: BTreeMap<String, String>,
    /// What is run in place of the agent's program.
    pub command: Option<Vec<String>>,
    /// The npm package that holds that.
    pub npm: Option<String>,
    /// The model, where the protocol tells the agent.
    pub model: Option<String>,
    /// The mode, where the protocol tells the agent.
    pub mode: Option<String>,
    /// Who decides about tools.
    pub approvals: Approvals,
    /// What is told before the first request.
    pub preface: Option<String>,
    /// Files of the worktree of which the first that exists is named before the first request.
    pub instructions: Vec<String>,
    /// What is left for the protocol to read.
    pub settings: Settings,
}

impl Agent {
    /// What these settings come to.
    #[must_use]
    pub fn meaning(&self, settings: &Settings) -> Meaning {
        let mut meaning = Meaning {
            args: Vec::new(),
            env: self.program.env.clone(),
            command: None,
            npm: None,
            model: None,
            mode: None,
            approvals: Approvals::Ask,
            preface: None,
            instructions: Vec::new(),
            settings: settings.clone(),
        };
        for (name, setting) in &self.settings {
            meaning.take(name, setting, settings.get(name));
        }
        let text =
            |name: &str| settings.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        if let Some(own) = text("base_command_override") {
            (meaning.command, meaning.npm) = (Some(words(own)), None);
        }
        meaning.preface = text("append_prompt").map(str::to_owned);
        if let Some(pairs) = settings.get("env").and_then(Value::as_object) {
            let texts =
                pairs.iter().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
            meaning.env.extend(texts);
        }
        let more = settings.get("additional_params").and_then(Value::as_array);
        meaning.args.extend(more.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
        for name in ["append_prompt", "base_command_override", "additional_params", "env"] {
            meaning.settings.remove(name);
        }
        meaning
    }
}

impl Meaning {
    /// Returns the text to send before the first request of a conversation in `worktree`.
    #[must_use]
    pub fn preface_in(&self, worktree: &Path) -> Option<String> {
        let exists =
            |name: &&String| worktree.join(name).symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        let pointer = self.instructions.iter().find(exists).map(|name| {
            format!("First read `{name}` in the top folder of the repository, and follow its instructions.")
        });
        let parts: Vec<String> = self.preface.clone().into_iter().chain(pointer).collect();
        (!parts.is_empty()).then(|| parts.join("\n\n"))
    }

    fn take(&mut self, name: &str, setting: &Setting, value: Option<&Value>) {
        if setting.allows_all.as_ref().is_some_and(|all| Some(all) == value) {
            self.approvals = Approvals::Auto;
        }
        let told = told(setting, value);
        let env = if told.is_empty() { &setting.env_if_off } else { &setting.env };
        let first = told.first().map_or("", String::as_str);
        self.env.extend(env.iter().map(|(name, text)| (name.clone(), text.replace("{}", first))));
        if setting.is_launchs() {
            self.settings.remove(name);
        }
        if told.is_empty() {
            self.args.extend(setting.args_if_off.iter().cloned());
            self.instructions.extend(setting.instructions_if_off.iter().cloned());
            return;
        }
        for told in &told {
            self.args.extend(setting.args.iter().map(|arg| arg.replace("{}", told)));
        }
        match setting.sets {
            Some(Part::Model) => self.model = Some(first.to_owned()),
            Some(Part::Mode) => self.mode = Some(first.to_owned()),
            None => {}
        }
        if !setting.command.is_empty() {
            (self.command, self.npm) = (Some(setting.command.clone()), setting.npm.clone());
        }
    }
}

/// What the agent is told of a setting, in its own words: nothing where it is not set.
fn told(setting: &Setting, value: Option<&Value>) -> Vec<String> {
    let own = |word: &str| setting.means.get(word).map_or(word, String::as_str).to_owned();
    let told = match (setting.kind, value) {
        (Kind::Switch, Some(Value::Bool(true))) => vec!["true".to_owned()],
        (Kind::Text | Kind::OneOf, Some(Value::String(text))) => vec![own(text)],
        (Kind::Texts, Some(Value::Array(texts))) => texts.iter().filter_map(Value::as_str).map(own).collect(),
        _ => Vec::new(),
    };
    told.into_iter().filter(|word| !word.is_empty()).collect()
}

/// Splits a line as a shell does: at blanks, but not within quotes, and a backslash takes the next as it is.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None::<char>);
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), char) if open == char => quote = None,
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(chars.next()),
            (None, char) if char.is_whitespace() => words.extend(word.take()),
            (_, char) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_as_a_shell_does() {
        let cases: [(&str, &[&str]); 6] = [
            ("npx -y  pkg@1", &["npx", "-y", "pkg@1"]),
            ("'/opt/my agent/run' \"a b\"c", &["/opt/my agent/run", "a bc"]),
            (r#"a\ b "c\"d" 'e\f'"#, &["a b", "c\"d", "e\\f"]),
            ("  ", &[]),
            ("''", &[""]),
            ("open 'end", &["open", "end"]),
        ];
        for (line, expected) in cases {
            assert_eq!(words(line), expected, "{line}");
        }
    }
}
