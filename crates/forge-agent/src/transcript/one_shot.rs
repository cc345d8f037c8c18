//! One prompt, lines of JSON, an exit code: for agents that speak no protocol, as entries.

use super::book::Book;
use super::fold::Fold;
use crate::turn::Turn;

/// What has to be remembered of one process.
#[derive(Debug)]
pub(super) struct OneShot {}

impl OneShot {
    pub(super) const fn new(_turn: &Turn) -> Self {
        Self {}
    }
}

impl Fold for OneShot {
    fn received(&mut self, _line: &[u8], _at_ms: u64, _book: &mut Book) {}

    fn sent(&mut self, _line: &[u8], _at_ms: u64, _book: &mut Book) {}
}
