//! The environment of every git: an allow-list of this process's variables.
//!
//! Git starts programs that a repository names (hooks, filters, helpers). These get what git needs and what tells them
//! who the user is, and none of the keys that the server or its agents were given.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

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

/// Variables with lists of folders that are searched for programs and libraries.
const SEARCHED: [&str; 2] = ["PATH", "LD_LIBRARY_PATH"];

/// Variables with a folder or file that programs or settings are read from.
const READ_FROM: [&str; 5] =
    ["HOME", "XDG_CONFIG_HOME", "GIT_EXEC_PATH", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];

/// The variables of this process that git gets.
pub(crate) fn passed_on() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os()
        .filter(|(name, _)| is_passed_on(name))
        .filter_map(|(name, value)| absolute(&name, &value).map(|value| (name, value)))
}

/// The value without relative paths, which would be those of the worktree that git works in. None if nothing is left.
fn absolute(name: &OsStr, value: &OsStr) -> Option<OsString> {
    if SEARCHED.iter().any(|searched| name == *searched) {
        let folders = std::env::split_paths(value).filter(|folder| folder.is_absolute());
        return std::env::join_paths(folders).ok().filter(|folders| !folders.is_empty());
    }
    let is_read_from = READ_FROM.iter().any(|read| name == *read);
    (!is_read_from || value.is_empty() || Path::new(value).is_absolute()).then(|| value.to_owned())
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

    #[test]
    fn relative_paths_are_not_passed_on() {
        for (name, value, wanted) in [
            ("PATH", "./bin:/usr/bin::bin:/bin", Some("/usr/bin:/bin")),
            ("LD_LIBRARY_PATH", ":/opt/x", Some("/opt/x")),
            ("LD_LIBRARY_PATH", ":.", None),
            ("GIT_EXEC_PATH", "libexec", None),
            ("HOME", "/home/me", Some("/home/me")),
            ("GIT_CONFIG_GLOBAL", "", Some("")),
            ("LANG", "C", Some("C")),
        ] {
            let passed = absolute(OsStr::new(name), OsStr::new(value));
            assert_eq!(passed.as_deref(), wanted.map(OsStr::new), "{name}={value}");
        }
    }
}
