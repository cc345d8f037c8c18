//! What Codex asks for: the question as people read it, and the answers that it takes.

use serde_json::{Value, json};

use crate::driver::{Choice, ChoiceKind, Decision, Outgoing, Permission};
use crate::rpc::{self, Version};

/// The member of an answer that says why not. Codex passes over it; the transcript does not.
pub(crate) const REASON: &str = "reason";

/// A question that waits for its answer.
#[derive(Debug)]
pub(super) struct Question {
    id: Value,
    kind: Kind,
    /// The answers, with what is sent for each.
    choices: Vec<(Choice, Value)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Whether something may be done.
    Decision,
    /// Whether the agent may do more from here on.
    Permissions,
    /// What an MCP server wants to know.
    Elicitation,
}

/// The name of a request: ids are numbers or texts.
pub(crate) fn name_of(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

impl Question {
    /// The question that a request puts; none for one that is of no kind that is known here.
    pub(super) fn of(
        id: &Value,
        method: &str,
        params: Value,
        changes: Option<&Value>,
        cwd: &str,
    ) -> Option<(Self, Permission)> {
        let call = params.get("itemId").and_then(Value::as_str).map(str::to_owned);
        let (kind, tool, title, input, choices) = match method {
            "item/fileChange/requestApproval" => {
                let title = files(changes, cwd);
                let input = json!({ "changes": changes, "reason": params.get("reason") });
                (Kind::Decision, "edit", title, input, decisions(&params))
            }
            "item/commandExecution/requestApproval" => {
                let command = params.get("command").and_then(Value::as_str).unwrap_or_default();
                let title = unwrapped(command).to_owned();
                let choices = decisions(&params);
                (Kind::Decision, "bash", title, params, choices)
            }
            "item/permissions/requestApproval" => {
                let title = params.get("reason").and_then(Value::as_str).unwrap_or("More permissions");
                let title = title.to_owned();
                let choices = permissions(params.get("permissions").unwrap_or(&Value::Null));
                (Kind::Permissions, "permissions", title, params, choices)
            }
            "mcpServer/elicitation/request" => {
                let title = params.get("message").and_then(Value::as_str).unwrap_or_default().to_owned();
                let choices = elicitation(&params);
                (Kind::Elicitation, "mcp", title, params, choices)
            }
            _ => return None,
        };
        let shown = choices.iter().map(|(choice, _)| choice.clone()).collect();
        let permission =
            Permission { id: name_of(id), tool: tool.into(), title, input, call, choices: shown };
        Some((Self { id: id.clone(), kind, choices }, permission))
    }

    /// The answer that Codex is sent.
    pub(super) fn answer(&self, decision: &Decision) -> Outgoing {
        let (chosen, kinds) = match decision {
            Decision::Allow { choice } => (choice, [ChoiceKind::AllowOnce, ChoiceKind::AllowAlways]),
            Decision::Deny { choice, .. } => (choice, [ChoiceKind::RejectOnce, ChoiceKind::RejectAlways]),
        };
        let picked = chosen.as_ref().and_then(|id| self.choices.iter().find(|(choice, _)| choice.id == *id));
        let of_kind = |kind: &ChoiceKind| self.choices.iter().find(|(choice, _)| choice.kind == *kind);
        let mut result = match picked.or_else(|| kinds.iter().find_map(of_kind)) {
            Some((_, result)) => result.clone(),
            None if self.kind == Kind::Elicitation => json!({ "action": "decline" }),
            None => json!({ "decision": "decline" }),
        };
        if let (Decision::Deny { message, .. }, Value::Object(result)) = (decision, &mut result)
            && !message.is_empty()
        {
            result.insert(REASON.into(), json!(message));
        }
        rpc::result(Version::Untold, &self.id, &result)
    }
}

/// The answers to the question whether something may be done. It takes these four, whether it tells them or not;
/// others come with what they are about.
fn decisions(params: &Value) -> Vec<(Choice, Value)> {
    let plain = |id: &str, name: &str, kind| (choice(id, name.to_owned(), kind), json!({ "decision": id }));
    let mut choices = vec![
        plain("accept", "Allow once", ChoiceKind::AllowOnce),
        plain("acceptForSession", "Allow for this session", ChoiceKind::AllowAlways),
    ];
    let told = params.get("availableDecisions").and_then(Value::as_array).into_iter().flatten();
    for decision in told {
        let Some((id, about)) = decision.as_object().and_then(|decision| decision.iter().next()) else {
            continue;
        };
        let (name, kind) = match id.as_str() {
            "acceptWithExecpolicyAmendment" => {
                let words = about.get("execpolicy_amendment").and_then(Value::as_array);
                let words: Vec<&str> = words.into_iter().flatten().filter_map(Value::as_str).collect();
                (
                    format!("Always allow commands that begin with `{}`", words.join(" ")),
                    ChoiceKind::AllowAlways,
                )
            }
            "applyNetworkPolicyAmendment" => {
                let rule = about.get("network_policy_amendment").unwrap_or(&Value::Null);
                let host = rule.get("host").and_then(Value::as_str).unwrap_or_default();
                if rule.get("action").is_some_and(|action| action == "deny") {
                    (format!("Never allow {host}"), ChoiceKind::RejectAlways)
                } else {
                    (format!("Always allow {host}"), ChoiceKind::AllowAlways)
                }
            }
            _ => continue,
        };
        choices.push((choice(id, name, kind), json!({ "decision": decision })));
    }
    choices.push(plain("decline", "Reject", ChoiceKind::RejectOnce));
    choices.push(plain("cancel", "Reject and end the turn", ChoiceKind::RejectOnce));
    choices
}

fn permissions(wanted: &Value) -> Vec<(Choice, Value)> {
    let granted = |scope: &str| json!({ "permissions": wanted, "scope": scope });
    vec![
        (choice("turn", "Allow for this turn".into(), ChoiceKind::AllowOnce), granted("turn")),
        (choice("session", "Allow for this session".into(), ChoiceKind::AllowAlways), granted("session")),
        (choice("decline", "Reject".into(), ChoiceKind::RejectOnce), json!({ "permissions": {} })),
    ]
}

/// A server that wants a yes gets it from a person; one that wants more than that is not told anything.
fn elicitation(params: &Value) -> Vec<(Choice, Value)> {
    let fields = params.pointer("/requestedSchema/properties").and_then(Value::as_object);
    let mut choices = Vec::new();
    if params.get("url").is_none() && fields.is_none_or(serde_json::Map::is_empty) {
        let accepted = json!({ "action": "accept", "content": {} });
        choices.push((choice("accept", "Allow once".into(), ChoiceKind::AllowOnce), accepted));
    }
    let declined = json!({ "action": "decline" });
    choices.push((choice("decline", "Reject".into(), ChoiceKind::RejectOnce), declined));
    choices
}

fn choice(id: &str, name: String, kind: ChoiceKind) -> Choice {
    Choice { id: id.into(), name, kind }
}

/// The names of the files that are to be changed.
fn files(changes: Option<&Value>, cwd: &str) -> String {
    let paths = changes.and_then(Value::as_array).into_iter().flatten();
    let paths = paths.filter_map(|change| change.get("path")?.as_str());
    let below = |path: &str| {
        let inside = path.strip_prefix(cwd).and_then(|rest| rest.strip_prefix('/'));
        inside.unwrap_or(path).to_owned()
    };
    paths.map(below).collect::<Vec<_>>().join(", ")
}

/// The command without the shell that Codex wraps around it, where nothing in it is escaped.
pub(crate) fn unwrapped(command: &str) -> &str {
    let inside = ["bash -lc ", "bash -c ", "zsh -lc ", "sh -c "].iter().find_map(|shell| {
        let (program, rest) = command.split_once(shell)?;
        (program.is_empty() || (program.starts_with('/') && program.ends_with('/') && !program.contains(' ')))
            .then_some(rest)
    });
    let Some(inside) = inside else { return command };
    let quoted = inside.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    let quoted = quoted.filter(|text| !text.contains('\''));
    match quoted {
        Some(text) => text,
        None if !inside.contains(['\'', '"', '\\', ' ']) => inside,
        None => command,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_without_its_shell_where_that_is_safe() {
        assert_eq!(unwrapped("/bin/bash -lc 'echo ran > ran.txt'"), "echo ran > ran.txt");
        assert_eq!(unwrapped("bash -lc ls"), "ls");
        assert_eq!(unwrapped("/bin/bash -lc 'echo '\\''a'"), "/bin/bash -lc 'echo '\\''a'");
        assert_eq!(unwrapped("echo bash -lc 'x'"), "echo bash -lc 'x'");
        assert_eq!(unwrapped("cargo test"), "cargo test");
    }
}
