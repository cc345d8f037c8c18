//! JSON in a column of text.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::StoreError;

/// The text to store.
pub(crate) fn write(what: &'static str, value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(StoreError::corrupt(what))
}

/// What was stored as this text.
pub(crate) fn read<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(StoreError::corrupt(what))
}
