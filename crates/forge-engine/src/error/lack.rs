//! What a machine runs out of: room on the disk, and open files. Both come back, so both are told as they are, wherever
//! they were met.

use super::Error;

pub(super) const DISK_FULL: &str = "disk_full";
pub(super) const TOO_MANY_FILES: &str = "too_many_files";

/// How the system says that a file cannot grow: no room, no room for this user, no file of this size.
const NO_ROOM: [&str; 3] = ["No space left on device", "quota exceeded", "File too large"];
const NO_FILES: &str = "Too many open files";

impl Error {
    /// The trouble that is told as a lack of the machine, where the system's words are in it. Git and the process host
    /// hand on what the system said to them as text, so text is what is looked at.
    pub(crate) fn lacking(told: &str) -> Option<Self> {
        if NO_ROOM.iter().any(|words| told.contains(words)) {
            return Some(Self::disk_full(told));
        }
        told.contains(NO_FILES).then(|| {
            Self::unavailable(TOO_MANY_FILES, told)
                .hint("close connections or stop agents, or start Forge with a higher limit (ulimit -n)")
        })
    }

    pub(crate) fn disk_full(told: impl Into<String>) -> Self {
        Self::unavailable(DISK_FULL, told)
            .hint("free some space; agents go on by themselves when there is room again")
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use rustix::io::Errno;

    use super::*;

    #[test]
    fn what_the_system_says_is_told_apart() {
        let code = |errno: Errno| {
            let told = format!("could not write x: {}", io::Error::from(errno));
            Error::lacking(&told).map(|error| error.code())
        };
        for full in [Errno::NOSPC, Errno::DQUOT, Errno::FBIG] {
            assert_eq!(code(full), Some("disk_full"), "{full}");
        }
        for open in [Errno::MFILE, Errno::NFILE] {
            assert_eq!(code(open), Some("too_many_files"), "{open}");
        }
        for other in [Errno::IO, Errno::ACCESS, Errno::ROFS] {
            assert_eq!(code(other), None, "{other}");
        }
    }
}
