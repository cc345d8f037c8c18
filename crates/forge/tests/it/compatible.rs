//! What the last release promised still holds. `docs/openapi-released.json` is its description; whatever takes
//! something back from an older client has to stand in `docs/openapi-breaking.txt`, or this fails.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::contract::{described, docs};
use crate::read;

/// Which way a shape travels: what clients send may be taken more widely, what they get only more narrowly.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Sent,
    Got,
}

/// Two documents that are compared.
struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    found: BTreeSet<String>,
    /// Pairs of named shapes that are being compared: shapes may hold themselves.
    within: Vec<(String, String)>,
}

/// What breaks an older client.
fn breakage(old: &Value, new: &Value) -> BTreeSet<String> {
    let mut comparison = Comparison { old, new, found: BTreeSet::new(), within: Vec::new() };
    for (path, methods) in old["paths"].as_object().into_iter().flatten() {
        for (method, before) in methods.as_object().into_iter().flatten() {
            let name = format!("{} {path}", method.to_uppercase());
            match new["paths"][path].get(method) {
                Some(after) => comparison.operation(&name, before, after),
                None => comparison.break_at(&name, "is gone"),
            }
        }
    }
    comparison.found
}

impl Comparison<'_> {
    fn break_at(&mut self, place: &str, what: &str) {
        self.found.insert(format!("{place}: {what}"));
    }

    fn operation(&mut self, name: &str, before: &Value, after: &Value) {
        if before["operationId"] != after["operationId"] {
            self.break_at(name, "has another operationId");
        }
        self.parameters(name, before, after);
        let body = |operation: &Value| operation.get("requestBody").cloned();
        match (body(before), body(after)) {
            (None, Some(after)) if after["required"] == true => self.break_at(name, "needs a body now"),
            (Some(_), None) => self.break_at(name, "takes no body any more"),
            (Some(before), Some(after)) => {
                if before["required"] != true && after["required"] == true {
                    self.break_at(name, "needs a body now");
                }
                self.contents(&format!("{name} body"), &before, &after, Way::Sent);
            }
            (None, _) => {}
        }
        for (status, answer) in before["responses"].as_object().into_iter().flatten() {
            let place = format!("{name} {status}");
            match after["responses"].get(status) {
                Some(now) => self.contents(&place, answer, now, Way::Got),
                None => self.break_at(&place, "is not answered any more"),
            }
        }
        match (before.get("x-frames"), after.get("x-frames")) {
            (Some(before), Some(after)) => self.shape(&format!("{name} frames"), before, after, Way::Got),
            (Some(_), None) => self.break_at(name, "is no stream any more"),
            (None, _) => {}
        }
    }

    fn parameters(&mut self, name: &str, before: &Value, after: &Value) {
        let list = |operation: &Value| -> BTreeMap<(String, String), Value> {
            let all = operation["parameters"].as_array().into_iter().flatten();
            let key = |one: &Value| (one["in"].to_string(), one["name"].to_string());
            all.map(|one| (key(one), one.clone())).collect()
        };
        let (old, new) = (list(before), list(after));
        for (key, parameter) in &old {
            let place = format!("{name} parameter {}", key.1);
            match new.get(key) {
                Some(now) => {
                    if parameter["required"] != true && now["required"] == true {
                        self.break_at(&place, "is required now");
                    }
                    self.shape(&place, &parameter["schema"], &now["schema"], Way::Sent);
                }
                None => self.break_at(&place, "is gone"),
            }
        }
        for (key, parameter) in &new {
            if !old.contains_key(key) && parameter["required"] == true {
                self.break_at(&format!("{name} parameter {}", key.1), "is new and required");
            }
        }
    }

    fn contents(&mut self, place: &str, before: &Value, after: &Value, way: Way) {
        let (before, after) = (resolve(self.old, before), resolve(self.new, after));
        for (media, content) in before["content"].as_object().into_iter().flatten() {
            match after["content"].get(media) {
                Some(now) => self.shape(place, &content["schema"], &now["schema"], way),
                None => self.break_at(place, &format!("{media} is gone")),
            }
        }
    }

    fn shape(&mut self, place: &str, before: &Value, after: &Value, way: Way) {
        let names = (before["$ref"].to_string(), after["$ref"].to_string());
        let is_named = before.get("$ref").is_some() || after.get("$ref").is_some();
        if is_named && self.within.contains(&names) {
            return;
        }
        self.within.push(names);
        let (old, new) = (Shape::of(self.old, before), Shape::of(self.new, after));
        self.kinds(place, &old, &new, way);
        self.fields(place, &old, &new, way);
        if let (Some(before), Some(after)) = (&old.items, &new.items) {
            self.shape(&format!("{place}[]"), before, after, way);
        }
        if let (Some(before), Some(after)) = (&old.values, &new.values) {
            self.shape(&format!("{place}{{}}"), before, after, way);
        }
        self.within.pop();
    }

    fn kinds(&mut self, place: &str, old: &Shape, new: &Shape, way: Way) {
        let takes = |wide: &Shape, kind: &String| {
            wide.is_anything
                || wide.kinds.contains(kind)
                || generals(kind).iter().any(|kind| wide.kinds.contains(*kind))
        };
        match way {
            Way::Sent => {
                if old.is_anything && !new.is_anything {
                    self.break_at(place, "was anything and is not any more");
                }
                for kind in old.kinds.iter().filter(|kind| !takes(new, kind)) {
                    self.break_at(place, &format!("is not taken as {kind} any more"));
                }
            }
            Way::Got => {
                if new.is_anything && !old.is_anything {
                    self.break_at(place, "may be anything now");
                }
                // A further word in a list of words is no breakage: clients have to live with words they do not know.
                let is_word = |kind: &str| {
                    kind.starts_with("word ") && old.kinds.iter().any(|old| old.starts_with("word "))
                };
                for kind in new.kinds.iter().filter(|kind| !takes(old, kind) && !is_word(kind)) {
                    self.break_at(place, &format!("may be {kind} now"));
                }
            }
        }
    }

    fn fields(&mut self, place: &str, old: &Shape, new: &Shape, way: Way) {
        for (name, before) in &old.fields {
            let field = format!("{place}.{name}");
            let Some(after) = new.fields.get(name) else {
                if !(new.is_anything || new.values.is_some()) || way == Way::Got {
                    self.break_at(&field, "is gone");
                }
                continue;
            };
            if way == Way::Got && old.required.contains(name) && !new.required.contains(name) {
                self.break_at(&field, "may be missing now");
            }
            self.shape(&field, before, after, way);
        }
        if way == Way::Sent && !old.fields.is_empty() {
            for name in new.required.iter().filter(|name| !old.required.contains(*name)) {
                self.break_at(&format!("{place}.{name}"), "is required now");
            }
        }
    }
}

/// What a kind is one of: `string uuid` and each word are strings, `integer int64` is an integer and a number.
fn generals(kind: &str) -> &'static [&'static str] {
    match kind.split(' ').next() {
        Some("word" | "string") => &["string"],
        Some("integer") => &["integer", "number"],
        Some("number") => &["number"],
        _ => &[],
    }
}

fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let Some(name) = value["$ref"].as_str() else { return value };
    document.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("{name} is not there"))
}

/// A schema, flat: all its alternatives together.
#[derive(Default)]
struct Shape {
    is_anything: bool,
    kinds: BTreeSet<String>,
    fields: BTreeMap<String, Value>,
    /// Those that every alternative with fields has.
    required: BTreeSet<String>,
    items: Option<Value>,
    values: Option<Value>,
}

impl Shape {
    fn of(document: &Value, schema: &Value) -> Self {
        let mut shape = Self::default();
        shape.add(document, schema, 0);
        shape
    }

    fn add(&mut self, document: &Value, schema: &Value, depth: usize) {
        let schema = resolve(document, schema);
        // Nullable for generators; the server sends nothing else.
        if schema["x-always-null"] == true {
            self.kinds.insert("null".into());
            return;
        }
        assert!(depth < 20, "alternatives within alternatives: {schema}");
        if let Some(all) = schema["allOf"].as_array() {
            return all.iter().for_each(|one| self.add(document, one, depth + 1));
        }
        if let Some(several) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
            several.iter().for_each(|one| self.add(document, one, depth + 1));
        }
        for word in schema["enum"].as_array().into_iter().flatten().chain(schema.get("const")) {
            self.kinds.insert(if word.is_null() { "null".into() } else { format!("word {word}") });
        }
        let is_listed = schema.get("enum").is_some() || schema.get("const").is_some();
        let types = match &schema["type"] {
            Value::String(one) => vec![one.clone()],
            Value::Array(several) => {
                several.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect()
            }
            _ => vec![],
        };
        for kind in &types {
            if is_listed && kind != "null" {
                continue;
            }
            self.kinds.insert(match schema["format"].as_str() {
                Some(format) if kind != "null" => format!("{kind} {format}"),
                _ => kind.clone(),
            });
        }
        self.is_anything |= schema == &json!(true)
            || schema.as_object().is_some_and(serde_json::Map::is_empty)
            || schema.is_null();
        if let Some(fields) = schema["properties"].as_object() {
            let required = schema["required"].as_array().into_iter().flatten();
            let required: BTreeSet<_> =
                required.filter_map(|name| name.as_str().map(str::to_owned)).collect();
            self.required = if self.fields.is_empty() { required } else { &self.required & &required };
            self.fields.extend(fields.clone());
        }
        self.items = self.items.take().or_else(|| schema.get("items").cloned());
        self.values = self.values.take().or_else(|| schema.get("additionalProperties").cloned());
    }
}

#[tokio::test]
async fn what_was_released_still_holds() {
    let released: Value = serde_json::from_str(&read(docs().join("openapi-released.json"))).unwrap();
    let breaks = breakage(&released, &described().await);
    let marked = read(docs().join("openapi-breaking.txt"));
    let marked: BTreeSet<_> =
        marked.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect();
    let unmarked: Vec<_> = breaks.difference(&marked).collect();
    assert!(unmarked.is_empty(), "this breaks older clients: {unmarked:#?}");
    let stale: Vec<_> = marked.difference(&breaks).collect();
    assert!(stale.is_empty(), "docs/openapi-breaking.txt marks what does not break: {stale:#?}");
}

/// Each change of a small document, and whether it breaks anybody.
#[test]
fn breakage_is_seen_and_additions_are_not_taken_for_it() {
    let old = json!({
        "paths": { "/a": { "post": {
            "operationId": "a",
            "parameters": [{ "in": "query", "name": "q", "required": false, "schema": { "type": "string" } }],
            "requestBody": { "required": false, "content": { "application/json": { "schema": { "$ref": "#/components/schemas/In" } } } },
            "responses": { "200": { "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Out" } } } } },
        } } },
        "components": { "schemas": {
            "In": { "type": "object", "required": ["x"], "properties": { "x": { "type": ["string", "null"] }, "y": { "enum": ["b", "c"] } } },
            "Out": { "type": "object", "required": ["n", "s"], "properties": {
                "n": { "type": "integer" }, "s": { "enum": ["on"] }, "l": { "type": "array", "items": { "type": "string" } },
                "again": { "$ref": "#/components/schemas/Out" },
            } },
        } },
    });
    assert_eq!(breakage(&old, &old), BTreeSet::new());
    let change = |pointer: &str, value: Value| {
        let mut new = old.clone();
        *new.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        breakage(&old, &new).into_iter().collect::<Vec<_>>()
    };
    let input = "/components/schemas/In";
    let output = "/components/schemas/Out";
    let operation = "/paths/~1a/post";
    assert_eq!(change("/paths", json!({})), ["POST /a: is gone"]);
    assert_eq!(change(&format!("{operation}/operationId"), json!("z")), ["POST /a: has another operationId"]);
    assert_eq!(
        change(&format!("{operation}/parameters/0/required"), json!(true)),
        ["POST /a parameter \"q\": is required now"]
    );
    assert_eq!(change(&format!("{operation}/parameters"), json!([])), ["POST /a parameter \"q\": is gone"]);
    assert_eq!(
        change(&format!("{operation}/requestBody/required"), json!(true)),
        ["POST /a: needs a body now"]
    );
    assert_eq!(
        change(&format!("{operation}/responses"), json!({})),
        ["POST /a 200: is not answered any more"]
    );
    assert_eq!(change(&format!("{input}/required"), json!(["x", "y"])), ["POST /a body.y: is required now"]);
    assert_eq!(
        change(&format!("{input}/properties/x/type"), json!("string")),
        ["POST /a body.x: is not taken as null any more"]
    );
    assert_eq!(
        change(&format!("{input}/properties/y/enum"), json!(["b"])),
        ["POST /a body.y: is not taken as word \"c\" any more"]
    );
    assert_eq!(change(&format!("{output}/required"), json!(["n"])), ["POST /a 200.s: may be missing now"]);
    assert_eq!(
        change(&format!("{output}/properties/n/type"), json!(["integer", "null"])),
        ["POST /a 200.n: may be null now"]
    );
    assert_eq!(
        change(&format!("{output}/properties/l/items/type"), json!("number")),
        ["POST /a 200.l[]: may be number now"]
    );
    assert_eq!(change(&format!("{output}/properties/l"), json!({})), ["POST /a 200.l: may be anything now"]);
    for harmless in [
        change(&format!("{input}/required"), json!([])),
        change(&format!("{input}/properties/x"), json!({})),
        change(&format!("{input}/properties/y/enum"), json!(["b", "c", "d"])),
        change(&format!("{output}/properties/s/enum"), json!(["on", "off"])),
        change(&format!("{output}/required"), json!(["n", "s", "l"])),
        change(&format!("{output}/properties/n"), json!({ "type": "integer", "format": "int64" })),
    ] {
        assert_eq!(harmless, Vec::<String>::new());
    }
}
