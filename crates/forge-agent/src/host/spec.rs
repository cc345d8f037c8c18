//! What a process is to be, and the names of the files in its directory.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::caps::Caps;

const SPEC_FILE: &str = "spec";
pub(crate) const LOCK_FILE: &str = "lock";
pub(crate) const SOCKET_FILE: &str = "socket";

/// A program to run: what, where, with what environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// A path, or a name looked up on the program's own `PATH`.
    pub program: OsString,
    pub args: Vec<OsString>,
    /// Variables to set on top of the host's environment, which is the server's.
    pub env: Vec<(OsString, OsString)>,
    /// Variables of the host's environment that the program must not see.
    pub env_remove: Vec<OsString>,
    #[serde(with = "path_as_os_string")]
    pub cwd: PathBuf,
    pub stdin: StdinKind,
    /// What it may use at most; without any, as much as there is.
    #[serde(default)]
    pub caps: Caps,
}

/// What the program finds at its standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StdinKind {
    /// What clients write.
    Piped,
    /// Nothing: the end at once.
    Null,
}

impl Spec {
    /// Keeps the spec in `dir`, readable by this user only: environments hold secrets.
    pub(crate) fn write(&self, dir: &Path) -> io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o600).open(dir.join(SPEC_FILE))?;
        file.write_all(&serde_json::to_vec(self)?)
    }

    /// The spec of the process of `dir`.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
    pub fn read(dir: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(dir.join(SPEC_FILE))?)?)
    }
}

/// Paths are any bytes; serde's own form of them is text only.
mod path_as_os_string {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(from).map(PathBuf::from)
    }
}
