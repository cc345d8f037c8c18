use serde_json::json;

use super::*;

fn map(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_change_names_what_changes_and_nothing_else() {
    let first = Preferences::new("mine");
    assert_eq!(first.branch_prefix(), "mine");
    let change =
        json!({"editor": {"editor_type": "ZED", "tabs": 4}, "later": {"a": 1}, "github": {"pat": "p"}});
    let second = first.changed(map(change)).unwrap();
    let document = Value::Object(second.document().clone());
    assert_eq!(document["editor"]["editor_type"], "ZED");
    assert_eq!((&document["editor"]["tabs"], &document["later"]), (&json!(4), &json!({"a": 1})));
    assert_eq!((&document["editor"]["custom_command"], &document["theme"]), (&Value::Null, &json!("SYSTEM")));
    let third = second.changed(map(json!({"github": {"username": null}}))).unwrap();
    assert_eq!(third.document()["github"]["pat"], "p");
    assert_eq!(third.changed(Map::new()).unwrap(), third);
}

#[test]
fn a_secret_is_masked_kept_by_its_mask_and_cleared_by_null() {
    let secret = json!({"github": {"pat": "ghp_1", "oauth_token": "gho_2"}});
    let with = Preferences::new("forge").changed(map(secret)).unwrap();
    let masked = with.masked();
    assert_eq!(masked["github"]["pat"], MASK);
    assert!(!serde_json::to_string(&masked).unwrap().contains("gh"), "{masked:?}");
    assert_eq!(with.changed(masked).unwrap(), with);
    let without = with.changed(map(json!({"github": {"pat": null}}))).unwrap();
    assert_eq!(without.document()["github"]["pat"], Value::Null);
    assert_eq!(without.document()["github"]["oauth_token"], "gho_2");
    assert_eq!(without.masked()["github"]["pat"], Value::Null);
    // A mask of nothing is nothing.
    let empty = Preferences::new("forge");
    assert_eq!(empty.changed(map(json!({"github": {"pat": MASK}}))).unwrap(), empty);
}

#[test]
fn what_cannot_be_is_refused_by_its_place() {
    let cases = [
        (json!({"theme": "PINK"}), "theme"),
        (json!({"theme": null}), "theme"),
        (json!({"notifications": {"sound_file": "COW_MOOING"}}), "notifications.sound_file"),
        (json!({"notifications": null}), "notifications"),
        (json!({"editor": []}), "editor"),
        (json!({"executor_profile": {"executor": "a/b"}}), "executor_profile"),
        (json!({"executor_profile": {"executor": "AMP", "variant": 1}}), "executor_profile"),
        (json!({"showcases": {"seen_features": [1]}}), "showcases.seen_features"),
        (json!({"disclaimer_acknowledged": "yes"}), "disclaimer_acknowledged"),
        (json!({"config_version": "v8"}), "config_version"),
    ];
    let prefixes = ["a/b", "..", "-x", "x.lock", "a b", "ü", ".x", "x.", "a\u{0}"];
    let prefixes = prefixes.map(|prefix| (json!({"git_branch_prefix": prefix}), "git_branch_prefix"));
    for (change, field) in cases.into_iter().chain(prefixes) {
        let wrong = Preferences::new("forge").changed(map(change.clone())).unwrap_err();
        assert_eq!(wrong.field, field, "{change}");
    }
}

#[test]
fn one_bad_line_in_what_was_kept_costs_that_line_alone() {
    let kept = json!({"theme": 7, "language": "JA", "unknown": [1], "executor_profile": "claude-code:plan"});
    let (all, wrong) = Preferences::new("forge").with_kept(map(kept));
    assert_eq!(wrong.iter().map(|wrong| wrong.field.as_str()).collect::<Vec<_>>(), ["theme"]);
    assert_eq!((&all.document()["theme"], &all.document()["language"]), (&json!("SYSTEM"), &json!("JA")));
    assert_eq!(all.document()["unknown"], json!([1]));
    assert_eq!(all.profile().unwrap().to_string(), "CLAUDE_CODE:PLAN");
}
