//! How many files this process may have open: each agent, each caller and each git takes some.

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than anybody needs. Programs that we start inherit the limit, and some walk through all numbers below it.
const ENOUGH: u64 = 65_536;

/// What may be open, and what could be after [`raise`]. None is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files {
    /// The limit now.
    pub now: Option<u64>,
    /// The limit of a server, which raises it at its start as far as the system lets it.
    pub at_most: Option<u64>,
}

/// The limits as they are.
#[must_use]
pub fn files() -> Files {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let at_most = current.map(|current| maximum.map_or(ENOUGH, |maximum| maximum.min(ENOUGH)).max(current));
    Files { now: current, at_most }
}

/// Raises the limit as far as the system lets us: many shells and systems give programs a low one, and let them raise it.
///
/// # Errors
/// When the system refuses after all.
pub fn raise() -> Result<Files, Errno> {
    let Files { now, at_most } = files();
    if now != at_most {
        setrlimit(
            Resource::Nofile,
            Rlimit { current: at_most, maximum: getrlimit(Resource::Nofile).maximum },
        )?;
    }
    Ok(files())
}
