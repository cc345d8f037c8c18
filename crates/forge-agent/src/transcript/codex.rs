//! Codex' app-server, both directions, as entries.

use super::book::Book;
use super::fold::{Fold, Questions};
use crate::turn::Turn;

/// What has to be remembered of one process.
#[derive(Debug)]
pub(super) struct Codex {}

impl Codex {
    pub(super) const fn new(_turn: &Turn, _questions: Questions) -> Self {
        Self {}
    }
}

impl Fold for Codex {
    fn received(&mut self, _line: &[u8], _at_ms: u64, _book: &mut Book) {}

    fn sent(&mut self, _line: &[u8], _at_ms: u64, _book: &mut Book) {}
}
