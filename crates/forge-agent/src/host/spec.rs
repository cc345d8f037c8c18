//! What a process is to be, and the names of the files in its directory.

use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SECRETS_VAR;
use super::caps::Caps;
use crate::secrets::{SecretKeys, Secrets, is_unwritten};

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
    /// What must not be written down of what it prints, by name, beside what its variables hold.
    #[serde(skip)]
    pub secrets: SecretKeys,
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
    /// Keeps the spec in `dir`, readable by this user only, without the variables that hold keys: those are in the
    /// host's own environment.
    pub(crate) fn write(&self, dir: &Path) -> io::Result<()> {
        let mut spec = self.clone();
        spec.env.retain(|(name, value)| !is_unwritten(name, value));
        let mut options = OpenOptions::new();
        let mut file =
            options.write(true).create(true).truncate(true).mode(0o600).open(dir.join(SPEC_FILE))?;
        file.write_all(&serde_json::to_vec(&spec)?)
    }

    pub(crate) fn read(dir: &Path) -> io::Result<Self> {
        Ok(serde_json::from_slice(&fs::read(dir.join(SPEC_FILE))?)?)
    }

    /// What a host has in its environment that is not written down: the variables that hold keys, and other secrets.
    pub(crate) fn unwritten(&self) -> io::Result<Vec<(OsString, OsString)>> {
        let mut variables: Vec<_> =
            self.env.iter().filter(|(name, value)| is_unwritten(name, value)).cloned().collect();
        if !self.secrets.is_empty() {
            variables.push((SECRETS_VAR.into(), serde_json::to_string(&self.secrets)?.into()));
        }
        Ok(variables)
    }

    /// In the host: everything that it must not write down.
    pub(crate) fn secrets(&self) -> Secrets {
        let is_list = |(name, _): &(OsString, OsString)| name == SECRETS_VAR;
        let named = std::env::vars_os().find(is_list).map(|(_, list)| list).unwrap_or_default();
        let named: SecretKeys = serde_json::from_slice(named.as_bytes()).unwrap_or_default();
        let ours = || std::env::vars_os().filter(|variable| !is_list(variable));
        let kept: Vec<_> = ours().filter(|(name, _)| !self.env_remove.contains(name)).collect();
        // A placeholder for anything else may come from another program's log.
        let has = |name: &str, value: &[u8]| {
            kept.iter().any(|(own, is)| own == OsStr::new(name) && is.as_bytes() == value)
        };
        Secrets::revealing(&SecretKeys::among(ours()).and(&named), has)
    }

    /// In the host: with secrets in the arguments that are only named there.
    pub(crate) fn reveal(&mut self, secrets: &Secrets) {
        for argument in &mut self.args {
            *argument = OsString::from_vec(secrets.reveal(argument.as_bytes()).into_owned());
        }
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
