//! Settings of git that run a program, and values under which they run none.

use std::collections::BTreeSet;

use crate::{Error, Result};

/// A setting of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// Whether it is the repository's own, not the user's or the machine's.
    pub(crate) own: bool,
    pub(crate) key: String,
    pub(crate) value: String,
}

impl Setting {
    /// Reads the output of `git config --list -z --show-scope`.
    ///
    /// # Errors
    /// When the name of a setting that runs a program is not UTF-8: it could not be overridden by that name.
    pub(crate) fn parse(output: &[u8]) -> Result<Vec<Self>> {
        let mut fields = output.split(|byte| *byte == 0);
        let mut settings = Vec::new();
        while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
            let end = setting.iter().position(|byte| *byte == b'\n').unwrap_or(setting.len());
            let (name, value) = setting.split_at(end);
            let key = String::from_utf8_lossy(name).into_owned();
            if key.as_bytes() != name && harmless(&key).is_some() {
                let stderr = format!("the name of the setting {key} is not UTF-8");
                return Err(Error::Damaged { command: "git config --list".to_owned(), stderr });
            }
            let value = String::from_utf8_lossy(value.strip_prefix(b"\n").unwrap_or(value)).into_owned();
            settings.push(Self { own: matches!(scope, b"local" | b"worktree"), key, value });
        }
        Ok(settings)
    }

    /// The filter driver that it belongs to.
    pub(crate) fn driver(&self) -> Option<&str> {
        match split(&self.key)? {
            ("filter", Some(driver), "clean" | "smudge" | "process") => Some(driver),
            _ => None,
        }
    }
}

/// The value under which a setting that can run a program runs none of the repository's choice; none for a setting
/// that runs nothing.
pub(crate) fn harmless(key: &str) -> Option<&'static str> {
    Some(match split(key)? {
        ("filter", Some(_), "clean" | "smudge" | "process")
        | ("credential", _, "helper")
        | ("core", None, "askpass") => "",
        ("core", None, "hookspath") => "/dev/null",
        // A server that is fetched from would choose what is written to a file that the settings name.
        ("core", None, "fsmonitor") | ("http", _, "savecookies") => "false",
        ("core", None, "sshcommand") => "ssh -oBatchMode=yes",
        ("core", None, "editor") | ("sequence", None, "editor") => ":",
        ("core", None, "pager") | ("pager", ..) => "cat",
        ("core", None, "gitproxy") => "none",
        ("core", None, "alternaterefscommand")
        | ("gpg", Some(_), "defaultkeycommand")
        | ("trailer", Some(_), "command" | "cmd")
        | ("hook", Some(_), "command") => ":",
        ("gpg", Some("ssh"), "program") => "ssh-keygen",
        ("gpg", Some("x509"), "program") => "gpgsm",
        ("gpg", _, "program") => "gpg",
        ("diff", None, "external") | ("diff", Some(_), "command") => "true",
        ("diff", Some(_), "textconv") => "cat",
        ("merge", Some(_), "driver") | ("lfs", Some(_), "path" | "clean" | "smudge") => "false",
        ("remote", Some(_), "uploadpack") => "git-upload-pack",
        ("remote", Some(_), "receivepack") => "git-receive-pack",
        ("remote", Some(_), "vcs") => "none",
        ("submodule", Some(_), "update") => "checkout",
        ("protocol", _, "allow") => "never",
        _ => return None,
    })
}

/// Settings that run the user's own program, or none, in place of the repository's own for which `affected` holds.
pub(crate) fn without_own(settings: &[Setting], affected: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let own = settings.iter().filter(|setting| setting.own && affected(&setting.key));
    let keys: BTreeSet<&str> = own.map(|setting| setting.key.as_str()).collect();
    keys.into_iter().flat_map(|key| in_place(settings, key, &[])).collect()
}

/// Returns the values that override all others of a setting: `values`, else the user's own, else a harmless one. Empty
/// for a setting that runs no program.
pub(crate) fn in_place(settings: &[Setting], key: &str, values: &[&str]) -> Vec<(String, String)> {
    let Some(harmless) = harmless(key) else { return Vec::new() };
    let users = settings.iter().filter(|setting| !setting.own && setting.key == key);
    let users: Vec<&str> = users.map(|setting| setting.value.as_str()).collect();
    let is_list = matches!(split(key), Some(("credential", _, "helper")));
    let values = if is_list {
        // An empty value ends what comes before it; others add to that.
        [&[""], users.as_slice(), values].concat()
    } else {
        vec![*values.last().or(users.last()).unwrap_or(&harmless)]
    };
    values.into_iter().map(|value| (key.to_owned(), value.to_owned())).collect()
}

/// Whether a setting names a program or file that fetching uses, and gives way to another one.
pub(crate) fn is_about_fetching(key: &str) -> bool {
    matches!(
        split(key),
        Some(
            ("remote", Some(_), "vcs")
                | ("http", _, "savecookies")
                | ("core", None, "sshcommand" | "gitproxy" | "askpass")
                | ("credential", _, "helper")
        )
    )
}

/// Whether a setting says that objects may be missing and be fetched when they are wanted.
pub(crate) fn is_promisor(key: &str) -> bool {
    matches!(split(key), Some(("remote", Some(_), "promisor") | ("extensions", None, "partialclone")))
}

/// Encrypted protocols.
const ENCRYPTED: &str = "https:ssh";

/// Protocols that are fetched over: encrypted ones, and local paths where the user allowed these in settings of their own.
pub(crate) fn protocols(settings: &[Setting]) -> &'static str {
    let file = settings.iter().rfind(|setting| !setting.own && setting.key == "protocol.file.allow");
    if file.is_some_and(|file| file.value == "always") { "https:ssh:file" } else { ENCRYPTED }
}

/// Protocols that missing objects are fetched over. From a local path they come by a program, of which git takes the
/// first that is configured: nothing wins over the repository's own.
pub(crate) fn protocols_for_missing(settings: &[Setting]) -> &'static str {
    let is_pack = |key: &str| matches!(split(key), Some(("remote", Some(_), "uploadpack")));
    let names_pack = settings.iter().any(|setting| setting.own && is_pack(&setting.key));
    if names_pack { ENCRYPTED } else { protocols(settings) }
}

/// Section, subsection and name.
fn split(key: &str) -> Option<(&str, Option<&str>, &str)> {
    let (section, rest) = key.split_once('.')?;
    Some(match rest.rsplit_once('.') {
        Some((subsection, name)) => (section, Some(subsection), name),
        None => (section, None, rest),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_programs_give_way_to_those_of_user() {
        let setting =
            |own: bool, key: &str, value: &str| Setting { own, key: key.to_owned(), value: value.to_owned() };
        let settings = [
            setting(false, "credential.helper", "store"),
            setting(false, "gpg.program", "users"),
            setting(true, "credential.helper", "evil"),
            setting(true, "gpg.program", "evil"),
            setting(true, "core.sshcommand", "evil"),
            setting(true, "user.name", "x"),
        ];
        let pairs = without_own(&settings, |_| true);
        let pairs: Vec<_> = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let expected = [
            ("core.sshcommand", "ssh -oBatchMode=yes"),
            ("credential.helper", ""),
            ("credential.helper", "store"),
            ("gpg.program", "users"),
        ];
        assert_eq!(pairs, expected);
        let recorded = in_place(&settings, "credential.helper", &["mine"]);
        assert_eq!(
            recorded.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>(),
            ["", "store", "mine"]
        );
    }

    #[test]
    fn settings_that_run_programs_are_known() {
        for key in ["filter.a.b.clean", "core.sshcommand", "gpg.ssh.program", "credential.https://x.y.helper"]
        {
            assert!(harmless(key).is_some(), "{key}");
        }
        for key in ["user.name", "core.autocrlf", "branch.forge/a.remote", "filter.a.required"] {
            assert!(harmless(key).is_none(), "{key}");
        }
        let parsed =
            Setting::parse(b"global\0user.name\nA\nB\0local\0filter.x=y.clean\nrun\0local\0core.bare\0");
        let parsed = parsed.unwrap();
        assert_eq!(parsed.len(), 3);
        assert_eq!(parsed[0].value, "A\nB");
        assert!(parsed.iter().any(|setting| setting.own && setting.driver() == Some("x=y")));
    }

    #[test]
    fn program_whose_name_is_not_utf8_is_refused() {
        assert!(Setting::parse(b"local\0branch.\xff.remote\norigin\0").is_ok());
        for name in [&b"filter.\xff.clean"[..], b"filter.\xff.process", b"merge.\xff.driver"] {
            let listed = [b"local\0", name, b"\nevil\0"].concat();
            assert!(matches!(Setting::parse(&listed), Err(Error::Damaged { .. })), "{listed:?}");
        }
    }
}
