//! Keys in what people write: they are hidden before anything is stored, and the process host puts them back for the
//! program alone.

use forge_model::{CreateTask, Patch};

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

    /// The same for the texts of a new task.
    pub(crate) fn hide_in(&self, task: &mut CreateTask) {
        task.title = self.hide(std::mem::take(&mut task.title));
        task.description = task.description.take().map(|text| self.hide(text));
    }
}
