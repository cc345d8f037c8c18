//! Words to send: ordinary, and such as nobody means well with. None of them harms the machine that the test runs
//! on, whatever a server would do with it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::dice::Dice;

const ORDINARY: &[&str] = &[
    "main",
    "HEAD",
    "fix the login",
    "a.txt",
    "README.md",
    "follow_up",
    "retry",
    "CLAUDE_CODE",
    "CLAUDE_CODE:PLAN",
    "DEFAULT",
    "CODEX",
    "todo",
    "done",
    "cancelled",
    "in-progress",
    "true",
    "1",
    "0",
    "image.png",
    "x",
];

const HOSTILE: &[&str] = &[
    "",
    " ",
    "\n",
    "\u{0}",
    "\u{202e}",
    "../../../etc/passwd",
    "..%2f..%2fx",
    "/",
    "//",
    "/proc/self/environ",
    "~",
    "-",
    "--help",
    "-c core.editor=x",
    "'; DROP TABLE tasks; --",
    "\" OR 1=1",
    "%",
    "%00",
    "%zz",
    "{}",
    "[]",
    "null",
    "NaN",
    "-1",
    "99999999999999999999999",
    "1e308",
    "𝕏\u{301}",
    "e\u{301}",
    "\u{feff}",
    "<script>alert(1)</script>",
    "${HOME}",
    "refs/heads/main",
    "@{-1}",
    "main~999999",
    "..",
    ".git/config",
    ".git",
    "a\tb",
    "C:\\x",
    "\\\\host\\share",
];

pub(super) fn ordinary(dice: &mut Dice) -> String {
    (*dice.pick(ORDINARY).unwrap()).to_owned()
}

pub(super) fn hostile(dice: &mut Dice) -> String {
    match dice.roll(12) {
        0 => "x".repeat(dice.roll(5_000)),
        1 => "/a".repeat(dice.roll(3_000)),
        2 => (0..dice.roll(40)).map(|_| char::from_u32(dice.roll(0x2_0000) as u32).unwrap_or('?')).collect(),
        _ => (*dice.pick(HOSTILE).unwrap()).to_owned(),
    }
}

/// Mostly the id of something that is there.
pub(super) fn id(ids: &[String], dice: &mut Dice) -> String {
    match dice.roll(12) {
        0 => "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42".into(),
        1 => hostile(dice),
        _ => dice.pick(ids).cloned().unwrap_or_else(|| "00000000-0000-0000-0000-000000000000".into()),
    }
}

/// Any JSON.
pub(super) fn anything(dice: &mut Dice, depth: usize) -> Value {
    match dice.roll(if depth > 4 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(dice.roll(2) == 0),
        2 => json!(dice.roll(1_000)),
        3 => json!(-1.5e300),
        4 => json!(hostile(dice)),
        5 => json!(u64::MAX),
        6 => (0..dice.roll(4)).map(|_| anything(dice, depth + 1)).collect(),
        _ => (0..dice.roll(4)).map(|_| (ordinary(dice), anything(dice, depth + 1))).collect(),
    }
}

/// A place in `value`, replaced by something that was not expected there.
pub(crate) fn spoil(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Object(fields) if !fields.is_empty() && dice.roll(8) > 0 => {
            let name = fields.keys().nth(dice.roll(fields.len())).cloned().unwrap();
            match dice.roll(4) {
                0 => drop(fields.remove(&name)),
                _ => spoil(&mut fields[&name], dice),
            }
        }
        Value::Array(items) if !items.is_empty() && dice.roll(4) > 0 => {
            let index = dice.roll(items.len());
            spoil(&mut items[index], dice);
        }
        other => *other = if dice.roll(2) == 0 { json!(hostile(dice)) } else { anything(dice, 0) },
    }
}

/// Ids are mostly of what their fields are called: among all there are, hardly one would be right by chance.
pub(super) fn aim(value: &mut Value, ids: &BTreeMap<String, Vec<String>>, dice: &mut Dice) {
    let Value::Object(fields) = value else { return };
    for (name, field) in fields.iter_mut() {
        let collection = match name.as_str() {
            "project_id" => "projects",
            "task_id" => "tasks",
            "task_attempt_id" | "parent_task_attempt" => "task-attempts",
            "execution_process_id" | "process_id" | "retry_process_id" => "execution-processes",
            "executor_profile_id" | "base_branch" | "variant" | "prompt" | "title" | "image_ids" => {
                meant(name, field, ids, dice);
                continue;
            }
            _ => {
                aim(field, ids, dice);
                continue;
            }
        };
        if let Some(known) = ids.get(collection).and_then(|known| dice.pick(known))
            && field.is_string()
            && dice.roll(6) > 0
        {
            *field = json!(known);
        }
    }
}

/// What is refused at first sight gets no further: these are mostly what people send.
fn meant(name: &str, field: &mut Value, ids: &BTreeMap<String, Vec<String>>, dice: &mut Dice) {
    if dice.roll(4) > 0 {
        *field = match name {
            "executor_profile_id" => json!("CLAUDE_CODE"),
            "base_branch" => json!("main"),
            "variant" => json!("DEFAULT"),
            "image_ids" => {
                ids.get("images").and_then(|images| dice.pick(images)).into_iter().cloned().collect()
            }
            _ => json!("@say hello"),
        };
    }
}

/// What a server does with some fields reaches beyond it: scripts are run, folders are made, programs are started.
/// They are sent all the same, but so that nothing happens outside of the test's own folder.
pub(super) fn tame(value: &mut Value, folder: &str, dice: &mut Dice) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| tame(item, folder, dice)),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                let Value::String(text) = field else {
                    tame(field, folder, dice);
                    continue;
                };
                if name.ends_with("repo_path") {
                    let clean: String = text.replace("..", "").chars().take(300).collect();
                    *text = format!("{folder}/made/{clean}");
                } else if name.ends_with("_script") {
                    *text = (*dice.pick(&["true", "exit 3", "echo ready"]).unwrap()).to_owned();
                } else if name.contains("command") || name == "program" {
                    *text = format!("{folder}/no-such-program");
                } else if name == "git_branch_prefix" && text == "main" {
                    // With it no attempt could be started any more: a branch `main/x` cannot be beside `main`.
                    *text = "mine".to_owned();
                } else if name == "copy_files" {
                    *text = "a.txt, *.md".to_owned();
                }
            }
        }
        _ => {}
    }
}
