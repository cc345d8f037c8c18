//! Opens the person's editor where an attempt or a project lies.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

use forge_agent::agents::look_up;
use forge_agent::detached;
use forge_model::preferences::{EDITORS, EditorChoice};
use forge_model::{AttemptId, ProjectId, nearest};

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::launch::not_for_programs;
use crate::whole::off_runtime;

/// What shall be opened.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OpenEditor {
    /// The editor, in place of the one that the person prefers.
    pub editor: Option<String>,
    /// A file below the folder; without one, the folder.
    pub file: Option<String>,
    /// A line of the file.
    pub line: Option<u32>,
}

/// How it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// What a browser elsewhere has to open; none where the editor was started here.
    pub url: Option<String>,
}

/// A place to open.
struct Target {
    root: PathBuf,
    path: PathBuf,
    is_file: bool,
    line: Option<u32>,
}

impl Engine {
    /// Opens a project's folder, or a file in it.
    ///
    /// # Errors
    /// When the project is not there, the file is not in it, or the editor cannot be started.
    pub async fn open_project_in_editor(&self, id: ProjectId, command: OpenEditor) -> Result<Opened> {
        let project = self.get_project(id).await?;
        self.open_in_editor(project.git_repo_path.into(), command).await
    }

    /// Opens an attempt's worktree, or a file in it.
    ///
    /// # Errors
    /// When the attempt or its worktree is not there, the file is not in it, or the editor cannot be started.
    pub async fn open_attempt_in_editor(&self, id: AttemptId, command: OpenEditor) -> Result<Opened> {
        let attempt = self.get_attempt_here(id).await?;
        self.open_in_editor(attempt.worktree.into(), command).await
    }

    async fn open_in_editor(&self, root: PathBuf, command: OpenEditor) -> Result<Opened> {
        let mut choice = self.inner.preferences.now().editor();
        if let Some(kind) = command.editor.as_deref().map(str::trim).filter(|kind| !kind.is_empty()) {
            choice.kind = known(kind)?;
        }
        let search_path = self.inner.options.path.clone();
        off_runtime(move || {
            let target = target(&root, command.file.as_deref(), command.line)?;
            if let Some(url) = remote_url(&choice, &target) {
                return Ok(Opened { url: Some(url) });
            }
            let (name, mut args) = program(&choice)?;
            let program = look_up(&name, &search_path).ok_or_else(|| {
                Error::invalid("editor_not_found", format!("the editor's program `{name}` was not found"))
                    .hint("put it on Forge's PATH, or choose another editor: PUT /api/config {\"editor\": {\"editor_type\": …}}")
            })?;
            args.extend(arguments(&choice.kind, &target));
            detached::start(&program, &args, &target.root, &not_for_programs()).map_err(|error| {
                let message = format!("{} cannot be started: {error}", program.display());
                Error::lacking(&message).unwrap_or_else(|| {
                    Error::invalid("editor_not_startable", message).hint("see whether it may be run")
                })
            })?;
            Ok(Opened { url: None })
        })
        .await
    }
}

fn known(kind: &str) -> Result<String> {
    let wanted = kind.to_uppercase().replace(['-', ' '], "_");
    if EDITORS.contains(&wanted.as_str()) {
        return Ok(wanted);
    }
    let hint = match nearest(&wanted, EDITORS.iter().copied()) {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("known editors: {}", EDITORS.join(", ")),
    };
    let kind: String = kind.chars().take(80).collect();
    Err(Error::invalid("editor_unknown", format!("there is no editor `{kind}`")).hint(hint))
}

fn target(root: &Path, file: Option<&str>, line: Option<u32>) -> Result<Target> {
    let root = root.canonicalize().map_err(|error| {
        Error::conflict("folder_gone", format!("{} cannot be opened: {error}", root.display()))
            .hint("a worktree that was taken away comes back with the next follow-up")
    })?;
    let Some(file) = file.map(str::trim).filter(|file| !file.is_empty()) else {
        return Ok(Target { path: root.clone(), root, is_file: false, line: None });
    };
    let shown: String = file.chars().take(200).collect();
    let outside = || {
        Error::invalid("path_outside", format!("`{shown}` is not below the folder that is opened"))
            .hint("give the file's path from that folder on")
    };
    let path = root.join(file);
    // Before anything is looked at: who asks must not learn what there is elsewhere.
    if !path.starts_with(&root) || path.components().any(|part| part == Component::ParentDir) {
        return Err(outside());
    }
    let path = path.canonicalize().map_err(|_not_there| {
        Error::invalid("path_not_found", format!("there is no `{shown}` in {}", root.display()))
            .hint("see whether it was moved or deleted")
    })?;
    if !path.starts_with(&root) {
        return Err(outside());
    }
    Ok(Target { is_file: path.is_file(), root, path, line })
}

/// The program of an editor and what comes first of its arguments.
fn program(choice: &EditorChoice) -> Result<(String, Vec<OsString>)> {
    let name = match choice.kind.as_str() {
        "VS_CODE" => "code",
        "CURSOR" => "cursor",
        "WINDSURF" => "windsurf",
        "INTELLI_J" => "idea",
        "ZED" => "zed",
        "XCODE" => "xed",
        _ => {
            let mut words = choice.command.as_deref().unwrap_or_default().split_whitespace();
            let program = words.next().ok_or_else(|| {
                Error::invalid("editor_not_configured", "no command is set for your own editor")
                    .hint("PUT /api/config {\"editor\": {\"custom_command\": \"emacsclient -n\"}}")
            })?;
            return Ok((program.to_owned(), words.map(Into::into).collect()));
        }
    };
    Ok((name.to_owned(), Vec::new()))
}

/// Paths are whole ones, so none is taken for an option.
fn arguments(kind: &str, target: &Target) -> Vec<OsString> {
    let path = target.path.clone().into_os_string();
    let Some(line) = target.line.filter(|_| target.is_file) else { return vec![path] };
    let mut at = path.clone();
    at.push(format!(":{line}"));
    match kind {
        "VS_CODE" | "CURSOR" | "WINDSURF" => vec!["--goto".into(), at],
        "ZED" => vec![at],
        "INTELLI_J" | "XCODE" => vec!["--line".into(), line.to_string().into(), path],
        _ => vec![path],
    }
}

/// What opens the place in an editor on another machine, which reaches this one over SSH.
fn remote_url(choice: &EditorChoice, target: &Target) -> Option<String> {
    let host = choice.remote_host.as_deref()?;
    let scheme = match choice.kind.as_str() {
        "VS_CODE" => "vscode",
        "CURSOR" => "cursor",
        "WINDSURF" => "windsurf",
        _ => return None,
    };
    let user = choice.remote_user.as_deref().map(|user| format!("{}@", escaped(user))).unwrap_or_default();
    let path = escaped(target.path.to_str()?);
    let line = if target.is_file { format!(":{}:1", target.line.unwrap_or(1)) } else { String::new() };
    Some(format!("{scheme}://vscode-remote/ssh-remote+{user}{}{path}{line}", escaped(host)))
}

/// As it may stand in a URL.
fn escaped(text: &str) -> String {
    let mut url = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~[]".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(kind: &str, host: Option<&str>) -> EditorChoice {
        EditorChoice {
            kind: kind.into(),
            command: None,
            remote_host: host.map(Into::into),
            remote_user: Some("me".into()),
        }
    }

    #[test]
    fn each_editor_is_told_the_line_in_its_own_way() {
        let at = |line| Target { root: "/w".into(), path: "/w/a b".into(), is_file: true, line };
        let told = |kind, line| {
            arguments(kind, &at(line)).into_iter().map(|arg| arg.into_string().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(told("VS_CODE", Some(7)), ["--goto", "/w/a b:7"]);
        assert_eq!(told("ZED", Some(7)), ["/w/a b:7"]);
        assert_eq!(told("XCODE", Some(7)), ["--line", "7", "/w/a b"]);
        assert_eq!(told("CUSTOM", Some(7)), ["/w/a b"]);
        assert_eq!(told("VS_CODE", None), ["/w/a b"]);
    }

    #[test]
    fn an_editor_elsewhere_gets_a_url() {
        let file = Target { root: "/w".into(), path: "/w/a b?".into(), is_file: true, line: None };
        let url = |kind, host| remote_url(&choice(kind, host), &file);
        let expected = "vscode://vscode-remote/ssh-remote+me@build.example/w/a%20b%3F:1:1";
        assert_eq!(url("VS_CODE", Some("build.example")).as_deref(), Some(expected));
        assert_eq!(url("ZED", Some("build.example")), None);
        assert_eq!(url("VS_CODE", None), None);
    }

    #[test]
    fn nothing_outside_the_folder_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir(&root).unwrap();
        std::fs::write(folder.path().join("secret"), "").unwrap();
        std::fs::write(root.join("file"), "").unwrap();
        std::os::unix::fs::symlink(folder.path().join("secret"), root.join("link")).unwrap();
        let code = |file: &str| target(&root, Some(file), None).err().map(|error| error.code());
        for outside in ["../secret", "a/../../secret", "/etc/passwd", "../gone", "link", "..", "file/.."] {
            assert_eq!(code(outside), Some("path_outside"), "{outside}");
        }
        for gone in ["gone", "a\0b"] {
            assert_eq!(code(gone), Some("path_not_found"), "{gone:?}");
        }
        let whole = root.canonicalize().unwrap().join("file");
        for inside in ["file", "./file", whole.to_str().unwrap()] {
            assert_eq!(target(&root, Some(inside), None).unwrap().path, whole, "{inside}");
        }
    }
}
