//! A process runs until it has ended, once.

use crate::{End, ProcessState};

/// Why an input is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the process has ended: it {end}")]
pub struct AlreadyEnded {
    /// How.
    pub end: End,
}

/// The state after the program ended. An end that was seen is never replaced by another.
///
/// # Errors
/// When it had ended already.
pub const fn ended(state: ProcessState, end: End) -> Result<ProcessState, AlreadyEnded> {
    match state {
        ProcessState::Running => Ok(ProcessState::Ended { end }),
        ProcessState::Ended { end } => Err(AlreadyEnded { end }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_end_stands() {
        let state = ended(ProcessState::Running, End::Lost).unwrap();
        assert_eq!(state, ProcessState::Ended { end: End::Lost });
        assert_eq!(ended(state, End::Exited { code: 0 }), Err(AlreadyEnded { end: End::Lost }));
    }
}
