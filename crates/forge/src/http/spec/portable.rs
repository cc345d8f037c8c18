//! The description in the words of OpenAPI 3.1 that code generators understand.
//!
//! schemars writes all of JSON Schema 2020-12: `true` for any value, a list of `const` for words, a `$ref` beside
//! properties, `null` as a type of its own. Generators reject these or generate code that does not compile.

use serde_json::{Map, Value, json};

/// Rewrites every schema of the document.
pub(super) fn make_portable(document: &mut Value) {
    let named = document.pointer("/components/schemas").cloned().unwrap_or_default();
    find_schemas(document, &named);
}

fn find_schemas(value: &mut Value, named: &Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match name.as_str() {
                    "schema" | "x-frames" => rewrite(field, named),
                    "schemas" => rewrite_each(field, named),
                    _ => find_schemas(field, named),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| find_schemas(item, named)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn rewrite_each(schemas: &mut Value, named: &Value) {
    match schemas {
        Value::Object(fields) => fields.values_mut().for_each(|schema| rewrite(schema, named)),
        // `null` as an alternative is what every generator reads as optional.
        Value::Array(items) => {
            items.iter_mut().filter(|item| !is_null(item)).for_each(|schema| rewrite(schema, named));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn rewrite(schema: &mut Value, named: &Value) {
    if *schema == Value::Bool(true) {
        *schema = json!({});
    }
    let Value::Object(fields) = schema else { return };
    inline_reference(fields, named);
    for (name, below) in fields.iter_mut() {
        match name.as_str() {
            "items" => rewrite(below, named),
            "additionalProperties" if !below.is_boolean() => rewrite(below, named),
            "properties" | "patternProperties" | "oneOf" | "anyOf" | "allOf" => rewrite_each(below, named),
            _ => {}
        }
    }
    join_words(fields);
    if let Some(Value::String(word)) = fields.get("const") {
        let words = json!([word]);
        fields.remove("const");
        fields.insert("type".into(), json!("string"));
        fields.insert("enum".into(), words);
    }
    if fields.get("const").is_some_and(Value::is_boolean) {
        fields.insert("type".into(), json!("boolean"));
    }
    if fields.get("type").is_some_and(|kind| kind == "null") {
        fields.insert("type".into(), json!(["string", "null"]));
        fields.insert("x-always-null".into(), json!(true));
    }
}

/// A `$ref` with properties beside it becomes one object with the properties of both.
fn inline_reference(fields: &mut Map<String, Value>, named: &Value) {
    if !fields.contains_key("properties") {
        return;
    }
    let Some(Value::String(reference)) = fields.remove("$ref") else { return };
    let name = reference.rsplit('/').next().unwrap_or_default();
    let Some(other) = named.get(name).and_then(Value::as_object) else { return };
    for part in ["properties", "required"] {
        match (fields.get_mut(part), other.get(part)) {
            (Some(Value::Object(own)), Some(Value::Object(more))) => own.extend(more.clone()),
            (Some(Value::Array(own)), Some(Value::Array(more))) => own.extend(more.iter().cloned()),
            _ => {}
        }
    }
}

/// Alternatives that are one word each become a list of words.
fn join_words(fields: &mut Map<String, Value>) {
    for part in ["oneOf", "anyOf"] {
        let alternatives = fields.get(part).and_then(Value::as_array);
        let words =
            alternatives.and_then(|alternatives| alternatives.iter().map(word).collect::<Option<Vec<_>>>());
        if let Some(words) = words {
            fields.remove(part);
            fields.insert("type".into(), json!("string"));
            fields.insert("enum".into(), Value::Array(words));
        }
    }
}

fn word(schema: &Value) -> Option<Value> {
    match schema.get("enum")?.as_array()?.as_slice() {
        [word @ Value::String(_)] => Some(word.clone()),
        _ => None,
    }
}

fn is_null(schema: &Value) -> bool {
    schema.as_object().is_some_and(|fields| fields.len() == 1)
        && schema.get("type").is_some_and(|kind| kind == "null")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::spec::openapi;

    fn portable(schema: &Value) -> Value {
        let mut document = json!({ "components": { "schemas": {
            "Made": schema,
            "Other": { "type": "object", "required": ["a"], "properties": { "a": { "type": "integer" } } },
        } } });
        make_portable(&mut document);
        document["components"]["schemas"]["Made"].take()
    }

    #[test]
    fn words_become_one_enum() {
        let words = json!({ "oneOf": [{ "const": "on", "description": "Runs." }, { "type": "string", "enum": ["off"] }] });
        assert_eq!(portable(&words), json!({ "type": "string", "enum": ["on", "off"] }));
        assert_eq!(portable(&json!({ "const": "on" })), json!({ "type": "string", "enum": ["on"] }));
        let mixed = json!({ "oneOf": [{ "const": "on" }, { "type": "integer" }] });
        assert!(portable(&mixed)["oneOf"].is_array());
    }

    #[test]
    fn reference_beside_properties_is_inlined() {
        let flattened = json!({
            "type": "object", "$ref": "#/components/schemas/Other", "required": ["type"],
            "properties": { "type": { "const": "x" } },
        });
        let made = portable(&flattened);
        assert_eq!(made["required"], json!(["type", "a"]));
        assert!(made["properties"]["a"].is_object() && made.get("$ref").is_none(), "{made}");
    }

    #[test]
    fn null_alone_is_nullable_text() {
        let made = portable(&json!({ "properties": {
            "gone": { "type": "null" }, "some": { "anyOf": [{ "$ref": "#/components/schemas/Other" }, { "type": "null" }] },
        } }));
        assert_eq!(made["properties"]["gone"], json!({ "type": ["string", "null"], "x-always-null": true }));
        assert_eq!(made["properties"]["some"]["anyOf"][1], json!({ "type": "null" }));
    }

    /// What the generators of `tools/generators` reject.
    #[test]
    fn description_has_no_shape_that_generators_reject() {
        let document = openapi();
        assert!(document["servers"][0]["url"].is_string());
        check(&document, "");
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let answers = operation["responses"].as_object().unwrap();
                let success: Vec<_> = answers
                    .iter()
                    .filter(|(status, _)| status.starts_with('2') || *status == "101")
                    .collect();
                assert!(!success.is_empty(), "{method} {path}");
                for (status, answer) in
                    success.into_iter().filter(|(_, answer)| answer.get("content").is_some())
                {
                    for (media, content) in answer["content"].as_object().unwrap() {
                        assert!(content["schema"].is_object(), "{method} {path} {status} {media}");
                    }
                }
            }
        }
    }

    fn check(value: &Value, place: &str) {
        match value {
            Value::Object(fields) => {
                let is_map = place.ends_with("/properties") || place.ends_with("/schemas");
                for (name, field) in fields {
                    let is_schema = is_map || ["schema", "items"].contains(&name.as_str());
                    assert!(!(is_schema && field.is_boolean()), "{place}/{name} is a boolean");
                    assert!(name != "const" || field.is_boolean(), "{place} is a constant");
                    check(field, &format!("{place}/{name}"));
                }
            }
            Value::Array(items) => items.iter().for_each(|item| check(item, place)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}
