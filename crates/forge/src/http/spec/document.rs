//! The OpenAPI document. It is made when somebody asks: a server that nobody asks does not hold it.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::describe::Draft;
use super::portable::make_portable;
use super::{Area, Operation};
use crate::http::areas;

const ABOUT: &str = "Runs coding agents on your own repositories, each in a worktree of its own. Every answer is an \
    envelope `{success, data, error_data, message}`; a problem has the right status, a sentence in `message` and \
    `{code, hint, request_id}` in `error_data`. Fields that are not known are ignored; older spellings are taken too.";

/// The description of everything that can be asked of a server.
pub(crate) fn openapi() -> Value {
    document(&areas())
}

fn document(areas: &[Area]) -> Value {
    let settings = || {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
        settings
    };
    let mut inputs = settings().for_deserialize().into_generator();
    let mut outputs = settings().for_serialize().into_generator();
    let mut paths = Map::new();
    for area in areas {
        for operation in &area.operations {
            let described = describe(area, operation, &mut inputs, &mut outputs);
            let path = paths.entry(operation.path).or_insert_with(|| json!({}));
            if let Some(path) = path.as_object_mut() {
                path.insert(operation.method.into(), described);
            }
        }
    }
    let mut schemas = inputs.take_definitions(true);
    schemas.append(&mut outputs.take_definitions(true));
    schemas.insert("Problem".into(), problem());
    let tags: Vec<_> =
        areas.iter().map(|area| json!({ "name": area.name, "description": area.about })).collect();
    let mut document = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Forge",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "http://127.0.0.1:8887", "description": "The default address" }],
        "tags": tags,
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": {
                "Problem": {
                    "description": "It was not done; `error_data` says why and what to do",
                    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Problem" } } },
                },
            },
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
        },
        "security": [{}, { "token": [] }],
    });
    make_portable(&mut document);
    document
}

fn describe(
    area: &Area,
    operation: &Operation,
    inputs: &mut SchemaGenerator,
    outputs: &mut SchemaGenerator,
) -> Value {
    let mut draft = Draft::new(operation.path, inputs, outputs);
    (operation.describe)(&mut draft);
    for (status, when) in &operation.also {
        let mut other = draft.responses.values().next().cloned().unwrap_or_else(|| json!({}));
        if let Some(other) = other.as_object_mut() {
            other.insert("description".into(), json!(when));
        }
        draft.responses.insert(status.to_string(), other);
    }
    if let Some(media) = operation.media {
        for response in draft.responses.values_mut().filter_map(Value::as_object_mut) {
            response.insert("content".into(), json!({ media: { "schema": content_of(media) } }));
        }
    }
    if !draft.answered.is_empty() {
        for response in draft.responses.values_mut().filter_map(Value::as_object_mut) {
            response.insert("headers".into(), Value::Object(draft.answered.clone()));
        }
    }
    draft.responses.insert("default".into(), json!({ "$ref": "#/components/responses/Problem" }));
    let mut described = json!({
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [area.name],
        "responses": draft.responses,
    });
    if let Some(described) = described.as_object_mut() {
        if !draft.parameters.is_empty() {
            described.insert("parameters".into(), Value::Array(draft.parameters));
        }
        if let Some(body) = draft.body {
            described.insert("requestBody".into(), body);
        }
        if let Some(frames) = draft.frames {
            described.insert("x-frames".into(), frames);
        }
    }
    described
}

/// The shape of an answer that is not JSON.
fn content_of(media: &str) -> Value {
    if media.starts_with("text/") || media.ends_with("+json") {
        return json!({ "type": "string" });
    }
    json!({ "type": "string", "format": "binary" })
}

/// The envelope of every problem.
fn problem() -> Value {
    json!({
        "type": "object",
        "description": "Why something was not done.",
        "required": ["success", "data", "error_data", "message"],
        "properties": {
            "success": { "const": false },
            "data": { "type": "null" },
            "error_data": {
                "type": "object",
                "required": ["code", "hint", "request_id"],
                "properties": {
                    "code": { "type": "string", "description": "For programs." },
                    "hint": { "type": ["string", "null"], "description": "What to do." },
                    "request_id": { "type": "string", "description": "Under which the server's log tells more." },
                },
            },
            "message": { "type": "string", "description": "For people." },
        },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Two types of one name would stand for each other in the document.
    #[test]
    fn no_two_shapes_have_one_name() {
        let mut inputs = SchemaSettings::draft2020_12().for_deserialize().into_generator();
        let mut outputs = SchemaSettings::draft2020_12().for_serialize().into_generator();
        for area in &areas() {
            for operation in &area.operations {
                describe(area, operation, &mut inputs, &mut outputs);
            }
        }
        let read = inputs.take_definitions(true);
        let written = outputs.take_definitions(true);
        for (name, shape) in &read {
            assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "two types are called {name}");
            assert!(
                written.get(name).is_none_or(|other| other == shape),
                "{name} is read and written differently"
            );
        }
        for name in written.keys() {
            assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "two types are called {name}");
        }
    }

    #[test]
    fn every_operation_has_a_name_of_its_own_and_says_what_is_in_its_path() {
        let mut ids = HashSet::new();
        for operation in areas().iter().flat_map(|area| &area.operations) {
            assert!(ids.insert(operation.id), "{} is the name of two operations", operation.id);
        }
        let document = openapi();
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let named = operation["parameters"].as_array().into_iter().flatten();
                let named = named.filter(|parameter| parameter["in"] == "path").count();
                assert_eq!(named, path.matches('{').count(), "{method} {path}");
            }
        }
    }
}
