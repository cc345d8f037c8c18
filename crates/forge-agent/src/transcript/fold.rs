//! What every protocol's fold has in common: lines of both directions go in, entries are put into the book.

use forge_model::{ApprovalId, ProcessId, Timestamp};

use super::book::Book;
use super::entry::ToolStatus;
use crate::turn::{Approvals, Turn};

/// How the messages of a protocol become entries.
pub(super) trait Fold: std::fmt::Debug + Send + Sync {
    /// Takes a line that the agent printed.
    fn received(&mut self, line: &[u8], at_ms: u64, book: &mut Book);
    /// Takes a line that was written to the agent.
    fn sent(&mut self, line: &[u8], at_ms: u64, book: &mut Book);
    /// The process has ended: what is still to be said is said.
    fn finish(&mut self, _book: &mut Book) {}
}

/// The questions of a process: under which ids people answer them, and until when.
#[derive(Debug, Clone, Copy)]
pub(super) struct Questions {
    process: ProcessId,
    asks: bool,
    wait_ms: u64,
}

impl Questions {
    pub(super) fn new(process: ProcessId, turn: &Turn) -> Self {
        Self { process, asks: turn.approvals == Approvals::Ask, wait_ms: turn.approval_ms }
    }

    /// Whether a person is asked at all.
    pub(super) const fn are_asked(&self) -> bool {
        self.asks
    }

    /// What a tool is while a person is asked about it.
    pub(super) fn pending(&self, request: &str, at_ms: u64) -> ToolStatus {
        ToolStatus::PendingApproval {
            approval_id: ApprovalId::of(self.process, request).to_string(),
            requested_at: Timestamp::from_millis(at_ms.cast_signed()),
            timeout_at: Timestamp::from_millis(at_ms.saturating_add(self.wait_ms).cast_signed()),
        }
    }
}
