//! What clients send about the server's own settings, profiles and editors.

use std::collections::BTreeMap;

use forge_engine::OpenEditor;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::http::problem::Problem;

/// What to open. Without anything, the whole folder is opened in the editor of the configuration.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct OpenBody {
    /// The editor, in place of the one in the configuration.
    editor_type: Option<String>,
    /// A file below the folder.
    file_path: Option<String>,
    /// Another name of `file_path`.
    file: Option<String>,
    /// A line of the file, from 1 on.
    line: Option<u32>,
}

impl OpenBody {
    pub(in crate::http) fn into_command(self) -> OpenEditor {
        OpenEditor { editor: self.editor_type, file: self.file_path.or(self.file), line: self.line }
    }
}

/// The document of profiles in a body: the document itself, `{"profiles": …}` or `{"content": …}` with the document or
/// its text in it, or the executors without the key around them.
pub(in crate::http) fn profiles(body: &str) -> Result<Value, Problem> {
    let read = |text: &str| {
        serde_json::from_str::<Value>(text).map_err(|error| {
            let place = format!("line {}, column {}", error.line(), error.column());
            Problem::malformed(
                "bad_json",
                format!("the profiles are not valid JSON: it goes wrong at {place}"),
            )
            .hint("send the text that GET /api/profiles has as `content`, with your changes")
        })
    };
    let mut document = read(body)?;
    for wrapper in ["profiles", "content"] {
        if let Some(inner) = document.get_mut(wrapper).map(Value::take) {
            document = inner;
        }
    }
    if let Value::String(text) = &document {
        document = read(text)?;
    }
    match document.as_object() {
        Some(executors) if !executors.is_empty() && !executors.contains_key("executors") => {
            Ok(json!({"executors": executors}))
        }
        Some(_) | None => Ok(document),
    }
}

/// The servers that an agent shall know, by name. They take the place of those that it knows.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct McpBody {
    // Not a `Map`, which takes `null` for an empty one: it would take all servers away.
    pub(in crate::http) servers: BTreeMap<String, Value>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wrapping_of_the_profiles_is_taken_off() {
        let document = json!({"executors": {"AMP": {}}});
        let bodies = [
            document.clone(),
            json!({"profiles": document.to_string()}),
            json!({"profiles": document}),
            json!({"content": document.to_string(), "path": "/x"}),
            json!(document.to_string()),
            json!({"AMP": {}}),
        ];
        for body in bodies {
            assert_eq!(profiles(&body.to_string()).unwrap(), document, "{body}");
        }
        assert_eq!(profiles("{}").unwrap(), json!({}));
        for wrong in ["", "{", r#"{"profiles": "{"}"#] {
            assert_eq!(profiles(wrong).unwrap_err().code, "bad_json", "{wrong}");
        }
    }
}
