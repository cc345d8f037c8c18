use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn what_people_write_in_front_matter_is_read() {
    let text = r#"---
name: implementor   # who
description: "Does: the work"
emoji: 🧞
# a comment

genie:
  executor: [CLAUDE_CODE, CODEX,
    OPENCODE]
  background: true
  'quoted key': 'it''s'
forge:
  CLAUDE_CODE:
    model: sonnet
    dangerously_skip_permissions: true
    additional_params:
    - --add-dir
    - "a b"   # with a blank
  CODEX: {model: gpt-5.5, sandbox: "read-only", n: 3, none: }
  append_prompt: |
    First.

      Second: # no comment
  folded: >-
    one
    two

    three
long: a text
  that goes on
url: http://localhost:80/#x
empty:
---
The body.
---
More.
"#;
    let (matter, body) = split(text).unwrap();
    assert_eq!(body, "The body.\n---\nMore.\n");
    assert_eq!(
        matter.unwrap(),
        json!({
            "name": "implementor",
            "description": "Does: the work",
            "emoji": "🧞",
            "genie": {
                "executor": ["CLAUDE_CODE", "CODEX", "OPENCODE"], "background": true, "quoted key": "it's",
            },
            "forge": {
                "CLAUDE_CODE": {
                    "model": "sonnet", "dangerously_skip_permissions": true, "additional_params": ["--add-dir", "a b"],
                },
                "CODEX": {"model": "gpt-5.5", "sandbox": "read-only", "n": 3, "none": null},
                "append_prompt": "First.\n\n  Second: # no comment\n",
                "folded": "one two\nthree",
            },
            "long": "a text that goes on",
            "url": "http://localhost:80/#x",
            "empty": null,
        })
    );
}

#[test]
fn a_text_without_front_matter_is_all_body() {
    for text in ["", "Hello\n---\nx\n---\n", "--- not\nx: 1\n---\n", "----\n"] {
        assert_eq!(split(text), Ok((None, text)));
    }
    assert_eq!(split("---\r\na: 1\r\n---\r\nbody"), Ok((Some(json!({"a": 1})), "body")));
    assert_eq!(split("---\n---\n"), Ok((Some(json!({})), "")));
}

#[test]
fn what_cannot_be_read_names_its_line() {
    let cases = [
        ("---\na: 1\n", "line 1: the front matter has no"),
        ("---\na: 1\nb\n---\n", "line 3: it is no `key: value`"),
        ("---\na: 1\na: 2\n---\n", "line 3: `a` stands there twice"),
        ("---\na:\n  - x\n b: 1\n---\n", "line 4"),
        ("---\na: [1, 2\n---\n", "line 2: it has no end"),
        ("---\na: *anchor\n---\n", "line 2: what begins so"),
        ("---\na: \"x\" y\n---\n", "line 2: there is something after its end"),
        ("---\n\ta: 1\n---\n", "line 2: it is indented with a tab"),
    ];
    for (text, expected) in cases {
        let told = split(text).unwrap_err();
        assert!(told.starts_with(expected), "{text:?}: {told}");
    }
}

proptest! {
    #[test]
    fn nothing_that_stands_there_breaks_the_reader(lines in prop::collection::vec("[ \\t]{0,6}[-a:|>\\[\\]{}\"'#,&é ]{0,12}", 0..12)) {
        let _read = split(&format!("---\n{}\n---\nbody", lines.join("\n")));
    }
}

#[test]
fn unended_value_costs_linear_time() {
    // Parsing it anew for each line took minutes.
    let lines = 400_000;
    let unended = format!("---\nx: [\n{}---\n", ",\n".repeat(lines));
    assert_eq!(split(&unended).unwrap_err(), format!("line {}: it has no end", lines + 2));
    let ended = format!("---\nx: [\n{}]\n---\n", "'it''s', {a: b:'c, \"]\\\"\": 2},\n".repeat(1000));
    let (matter, _) = split(&ended).unwrap();
    let list = matter.unwrap()["x"].as_array().unwrap().clone();
    assert_eq!(list.len(), 2000);
    assert_eq!((&list[0], &list[1]), (&json!("it's"), &json!({"a": "b:'c", "]\"": 2})));
}
