//! Keys in what people write: they are hidden before anything is stored, and the process host puts them back for the
//! program alone.

use forge_agent::driver::Finish;
use forge_model::{CreateTask, Patch};
use serde_json::Value;

use crate::engine::Engine;

impl Engine {
    /// The text without keys.
    pub(crate) fn hide(&self, text: String) -> String {
        self.inner.secrets.hide_text(text)
    }

    /// The same for a text that may be set.
    pub(crate) fn hide_set(&self, text: Patch<String>) -> Patch<String> {
        match text {
            Patch::Set(text) => Patch::Set(self.hide(text)),
            unset @ (Patch::Keep | Patch::Clear) => unset,
        }
    }

    /// The same for an agent's last words, of which its log may have the pieces only.
    pub(crate) fn hide_in_finish(&self, finish: Finish) -> Finish {
        Finish { message: finish.message.map(|message| self.hide(message)), ..finish }
    }

    /// The same for every text in a value.
    pub(crate) fn hide_in_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.hide(text)),
            Value::Array(values) => values.into_iter().map(|value| self.hide_in_value(value)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (self.hide(name), self.hide_in_value(value))).collect()
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
        }
    }

    /// The same for the texts of a new task.
    pub(crate) fn hide_in(&self, task: &mut CreateTask) {
        task.title = self.hide(std::mem::take(&mut task.title));
        task.description = task.description.take().map(|text| self.hide(text));
    }
}
