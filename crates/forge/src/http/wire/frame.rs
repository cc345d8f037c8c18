//! What stands in the frames of WebSockets.

use schemars::JsonSchema;
use serde::Serialize;

/// A frame: changes of the document that a stream keeps, or its end.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its shape is used: streams write their frames as they go")]
pub(in crate::http) enum PatchFrame {
    /// Changes, to be applied in order.
    Changes {
        /// RFC 6902 operations.
        #[serde(rename = "JsonPatch")]
        patch: Vec<PatchOperation>,
        /// Where to go on after a break: `?after=`.
        position: u64,
    },
    /// There is nothing more to come; the socket closes.
    Finished { finished: bool },
}

/// One operation of a JSON patch.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct PatchOperation {
    /// `add`, `replace` or `remove`.
    op: String,
    /// A JSON pointer.
    path: String,
    /// Absent for `remove`.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<serde_json::Value>,
}

/// A frame of a transcript: entries that are new or different, or its end.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its shape is used: streams write their frames as they go")]
pub(in crate::http) enum TranscriptFrame {
    /// Changes, to be applied in order.
    Changes {
        /// RFC 6902 operations.
        #[serde(rename = "JsonPatch")]
        patch: Vec<TranscriptOperation>,
        /// Where to go on after a break: `?after=`.
        position: u64,
    },
    /// There is nothing more to come; the socket closes.
    Finished { finished: bool },
}

/// An entry that is new or different.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct TranscriptOperation {
    /// `add` or `replace`.
    op: String,
    /// `/entries/` and the number of the entry, from 0.
    path: String,
    /// The entry as it is now.
    value: TranscriptValue,
}

/// An entry, and of what kind it is.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct TranscriptValue {
    /// `NORMALIZED_ENTRY`.
    #[serde(rename = "type")]
    kind: String,
    /// The entry.
    content: forge_engine::Entry,
}
