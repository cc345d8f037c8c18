//! The environment of every git: an allow-list of this process's variables.
//!
//! Git starts programs that a repository names (hooks, filters, helpers). These get what git needs and what tells them
//! who the user is, and none of the keys that the server or its agents were given.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use crate::command::FOREIGN;

/// Variables that are passed on.
const PASSED: [&str; 42] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TERM",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "DBUS_SESSION_BUS_ADDRESS",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "SSH_ASKPASS",
    "GNUPGHOME",
    "GPG_TTY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "NIX_SSL_CERT_FILE",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "LD_LIBRARY_PATH",
    "NVM_DIR",
    "VOLTA_HOME",
    "PYENV_ROOT",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "GOPATH",
    "JAVA_HOME",
    "LLVM_PROFILE_FILE",
    "EMAIL",
];

/// Beginnings of names that are passed on.
const PASSED_FAMILIES: [&str; 16] = [
    "LC_",
    "XDG_",
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_CONFIG_",
    "GIT_SSH",
    "GIT_SSL_",
    "GIT_PROXY_",
    "GIT_HTTP_",
    "GIT_TRACE",
    "GIT_ASKPASS",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_CEILING_DIRECTORIES",
    "GIT_ALLOW_PROTOCOL",
    "GIT_DEFAULT_",
];

/// The variables of this process that git gets.
pub(crate) fn passed_on() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| is_passed_on(name))
}

fn is_passed_on(name: &OsStr) -> bool {
    if FOREIGN.iter().any(|foreign| name == *foreign) {
        return false;
    }
    PASSED.iter().any(|passed| name == *passed)
        || PASSED_FAMILIES.iter().any(|family| name.as_bytes().starts_with(family.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_repository_variables_are_not_passed_on() {
        for name in ["ANTHROPIC_API_KEY", "FORGE_TOKEN", "GIT_DIR", "GIT_CONFIG_PARAMETERS", "DATABASE_URL"] {
            assert!(!is_passed_on(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "LC_CTYPE", "GIT_AUTHOR_NAME", "GIT_CONFIG_GLOBAL", "GIT_SSH_COMMAND"] {
            assert!(is_passed_on(OsStr::new(name)), "{name}");
        }
    }
}
