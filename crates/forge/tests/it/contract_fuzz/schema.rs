//! Schemas of the description: what fits one, and values made from one.

use serde_json::{Map, Value, json};

use super::words;
use crate::dice::Dice;

/// Follows a reference into the document.
pub(super) fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(name) => resolve(document, document.pointer(name.trim_start_matches('#')).unwrap()),
        None => schema,
    }
}

/// Says where `value` is not what `schema` says.
pub(super) fn check(document: &Value, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    let schema = resolve(document, schema);
    if let Some(several) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        let wrong: Vec<_> =
            several.iter().filter_map(|one| check(document, one, value, place).err()).collect();
        if wrong.len() == several.len() {
            return Err(format!("none of them: {}", wrong.join("; ")));
        }
    }
    for one in schema["allOf"].as_array().into_iter().flatten() {
        check(document, one, value, place)?;
    }
    if let Some(expected) = schema.get("const").filter(|expected| *expected != value) {
        return Err(format!("{place} is {value} and not {expected}"));
    }
    if let Some(words) = schema["enum"].as_array().filter(|words| !words.contains(value)) {
        return Err(format!("{place} is {value} and none of {words:?}"));
    }
    let is = |kind: &str| match kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no kind"),
    };
    let fits = match &schema["type"] {
        Value::String(kind) => is(kind),
        Value::Array(kinds) => kinds.iter().any(|kind| is(kind.as_str().unwrap())),
        _ => true,
    };
    if !fits {
        return Err(format!("{place} is {value} and not {}", schema["type"]));
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(items) = schema.get("items") {
            check(document, items, item, &format!("{place}[{index}]"))?;
        }
    }
    let Some(fields) = value.as_object() else { return Ok(()) };
    for name in schema["required"].as_array().into_iter().flatten() {
        if !fields.contains_key(name.as_str().unwrap()) {
            return Err(format!("{place} has no {name}"));
        }
    }
    for (name, field) in fields {
        let below = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
        if let Some(below) = below.filter(|below| !below.is_boolean()) {
            check(document, below, field, &format!("{place}.{name}"))?;
        }
    }
    Ok(())
}

/// Something that fits `schema`. Ids are some of `ids`, so that it is about things that are there.
pub(crate) fn make(document: &Value, schema: &Value, ids: &[String], dice: &mut Dice, depth: usize) -> Value {
    let schema = resolve(document, schema);
    if let Some(example) = schema["examples"].as_array().and_then(|examples| dice.pick(examples))
        && dice.roll(2) == 0
    {
        return example.clone();
    }
    if let Some(several) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
        return make(document, dice.pick(several).unwrap(), ids, dice, depth + 1);
    }
    if let Some(word) = schema.get("const") {
        return word.clone();
    }
    if let Some(word) = schema["enum"].as_array().and_then(|words| dice.pick(words)) {
        return word.clone();
    }
    let kind = match &schema["type"] {
        Value::String(kind) => kind.as_str(),
        Value::Array(kinds) => dice.pick(kinds).unwrap().as_str().unwrap(),
        _ => return words::anything(dice, depth),
    };
    match kind {
        "boolean" => json!(dice.roll(2) == 0),
        "integer" | "number" => json!(dice.roll(200)),
        "string" if schema["format"] == "uuid" => json!(words::id(ids, dice)),
        "string" => json!(words::ordinary(dice)),
        "array" => {
            let length = if depth > 6 { 0 } else { dice.roll(3) };
            (0..length).map(|_| make(document, &schema["items"], ids, dice, depth + 1)).collect()
        }
        "object" => {
            let mut fields = Map::new();
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            // The more is said, the more can be wrong with it: half of the time little is.
            let said = if dice.roll(2) == 0 { 1 } else { 4 };
            for (name, field) in schema["properties"].as_object().into_iter().flatten() {
                if required.contains(&json!(name)) || (depth < 6 && dice.roll(5) < said) {
                    fields.insert(name.clone(), make(document, field, ids, dice, depth + 1));
                }
            }
            if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
                fields.insert(words::ordinary(dice), make(document, values, ids, dice, depth + 1));
            }
            Value::Object(fields)
        }
        _ => Value::Null,
    }
}
