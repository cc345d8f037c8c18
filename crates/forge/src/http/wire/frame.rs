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
