//! Settings of git that run a program, and values under which they run none.

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
    pub(crate) fn parse(output: &[u8]) -> Vec<Self> {
        let mut fields = output.split(|byte| *byte == 0);
        let mut settings = Vec::new();
        while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
            let setting = String::from_utf8_lossy(setting);
            let (key, value) = setting.split_once('\n').unwrap_or((&setting, ""));
            let own = matches!(scope, b"local" | b"worktree");
            settings.push(Self { own, key: key.to_owned(), value: value.to_owned() });
        }
        settings
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
        ("core", None, "fsmonitor") => "false",
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
        ("protocol", _, "allow") => "user",
        _ => return None,
    })
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
        assert_eq!(parsed.len(), 3);
        assert!(parsed.iter().any(|setting| setting.own && setting.driver() == Some("x=y")));
    }
}
