//! What can keep the program from doing what it was asked, each with what to do about it.

use std::io;
use std::path::PathBuf;

/// An error that ends the program.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("port {port} on {host} is taken")]
    PortTaken { host: String, port: u16, source: io::Error },
    #[error("cannot listen on {host}, port {port}")]
    Listen { host: String, port: u16, source: io::Error },
    #[error("cannot read the configuration file {}", path.display())]
    ReadConfig { path: PathBuf, source: io::Error },
    #[error("the configuration file {} is wrong", path.display())]
    ParseConfig { path: PathBuf, source: Box<toml::de::Error> },
    #[error("{name} is `{value}`, but should be {expected}")]
    Setting { name: &'static str, value: String, expected: &'static str },
    #[error("DATABASE_URL, or database_url in the configuration, is not understood")]
    DatabaseUrl { source: forge_engine::BadUrl },
    #[error("the configuration file names the executor `{}`, which is not known", source.name)]
    UnknownExecutor { source: forge_engine::UnknownExecutor },
    #[error("the configuration file is wrong: {source}")]
    BadAgent { source: forge_engine::BadAgent },
    #[error("the command of the executor `{name}` is empty")]
    EmptyCommand { name: String },
    #[error("cannot tell where your home folder is")]
    NoHome { source: etcetera::HomeDirError },
    #[error("cannot use the folder {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error("cannot use the file {}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("the token file {} holds no token", path.display())]
    EmptyToken { path: PathBuf },
    #[error("cannot start")]
    Start { source: io::Error },
    #[error(transparent)]
    Engine(#[from] forge_engine::Error),
    #[error("the database's schema is not up to date: {changes} to go")]
    Outdated { changes: usize },
    #[error("no server runs on the data folder {}", data.display())]
    NoServer { data: PathBuf },
    #[error("there is no data folder at {}", .data.display())]
    NoData { data: PathBuf },
    #[error("standard input cannot be read")]
    Input { source: io::Error },
    #[error("the server could not be asked")]
    Call { source: reqwest::Error },
    #[error("the server refused: {message}")]
    Refused { message: String },
    #[error("Forge cannot run here: {failed} checks failed")]
    Unfit { failed: usize },
    #[error("the demo could not {step}")]
    Demo { step: &'static str, source: anyhow::Error },
}

impl Error {
    /// What a person can do about it.
    pub(crate) fn hint(&self) -> Option<String> {
        Some(match self {
            Self::PortTaken { port, .. } => format!(
                "another Forge may be serving there already: open http://127.0.0.1:{port}, or choose another port with --port (0 picks a free one)"
            ),
            Self::Listen { .. } => "--host takes an address of this machine, such as 127.0.0.1".into(),
            Self::ReadConfig { .. } => "--config takes the path of a TOML file".into(),
            Self::ParseConfig { .. } => {
                "known keys: port, host, worktrees, database_url, auth, allow_hosts, allow_origins, branch_prefix, grace_seconds, snapshot_max_file, git_minutes, keep_agents_minutes, keep_agents, approval_seconds, downloads, [executors.NAME] command, [agents.NAME] (docs/agents/format.md), [limits] attempts, attempts_per_project, [pool] size, max_spares, max_bytes, min_files, [gc] worktree_days, closed_days, orphan_days, snapshot_days, [events] keep, days, [caps] memory, processes, cpus, cgroup, [log] file, max_bytes, older".into()
            }
            Self::DatabaseUrl { .. } => {
                "it should be postgres://user:password@host:port/database; without it Forge keeps its database in a file".into()
            }
            Self::NoHome { .. } => "set HOME, or say where the data shall live with --data".into(),
            Self::Folder { .. } => {
                "see whether the folder can be made and written, or choose another with --data or --worktrees".into()
            }
            Self::UnknownExecutor { source } => source.hint.clone(),
            Self::BadAgent { source } => source.hint.clone(),
            Self::EmptyCommand { .. } => {
                "write the program and its arguments, such as command = [\"/opt/claude\"], or remove the section".into()
            }
            // Variables are written in capitals, keys of the file are not.
            Self::Setting { name, .. } if name.chars().any(|char| char.is_ascii_lowercase()) => {
                format!("change {name} in the configuration file or on the command line, or remove it there")
            }
            Self::Setting { name, expected, .. } => format!("set {name} to {expected}, or unset it"),
            Self::EmptyToken { path } => {
                format!("remove {} and start again: a new token is made", path.display())
            }
            Self::Outdated { .. } => "`forge db migrate` makes the changes; so does the next start of the server".into(),
            Self::NoData { .. } => "name the server's folder with --data".into(),
            Self::NoServer { .. } => {
                "start one with `forge serve`, or name another folder with --data".into()
            }
            Self::Engine(error) => return error.hint_text().map(str::to_owned),
            Self::Unfit { .. } => "the lines that say fail tell what to do".into(),
            Self::File { .. }
            | Self::Start { .. }
            | Self::Input { .. }
            | Self::Call { .. }
            | Self::Refused { .. }
            | Self::Demo { .. } => return None,
        })
    }

    /// 1 where the caller can mend it, 70 where the fault is ours.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Engine(error) if error.kind() == forge_engine::ErrorKind::Internal => 70,
            Self::Start { .. } | Self::Demo { .. } => 70,
            Self::PortTaken { .. }
            | Self::Listen { .. }
            | Self::ReadConfig { .. }
            | Self::ParseConfig { .. }
            | Self::Setting { .. }
            | Self::DatabaseUrl { .. }
            | Self::UnknownExecutor { .. }
            | Self::BadAgent { .. }
            | Self::EmptyCommand { .. }
            | Self::NoHome { .. }
            | Self::Folder { .. }
            | Self::File { .. }
            | Self::EmptyToken { .. }
            | Self::Outdated { .. }
            | Self::NoServer { .. }
            | Self::NoData { .. }
            | Self::Input { .. }
            | Self::Call { .. }
            | Self::Refused { .. }
            | Self::Unfit { .. }
            | Self::Engine(_) => 1,
        }
    }
}

/// The causes of an error, outermost first. One that the text before it tells already is left out.
pub(crate) fn causes(error: &dyn std::error::Error) -> Vec<String> {
    let mut told = error.to_string();
    let mut causes = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string().trim_end().to_owned();
        if !told.contains(&text) {
            told.push_str(&text);
            causes.push(text);
        }
        next = cause.source();
    }
    causes
}

/// Text from anywhere, on one line: what steers a terminal or begins a line is shown and not done.
pub(crate) fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() {
            line.extend(char.escape_default());
        } else {
            line.push(char);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Link {
        text: &'static str,
        source: Option<Box<Self>>,
    }

    fn chain(texts: &[&'static str]) -> Option<Box<Link>> {
        let (text, rest) = texts.split_first()?;
        Some(Box::new(Link { text, source: chain(rest) }))
    }

    #[test]
    fn a_cause_is_told_once() {
        let error = chain(&["cannot open: it is locked", "it is locked", "by process 7\n", "it is locked"]);
        assert_eq!(causes(&*error.unwrap()), ["by process 7"]);
        assert_eq!(causes(&*chain(&["a", "b", "c"]).unwrap()), ["b", "c"]);
    }

    #[test]
    fn what_would_begin_a_line_or_steer_a_terminal_is_shown() {
        let line = on_one_line("a\nERROR \u{1b}[31m\u{9b}ü\0");
        assert_eq!(line, r"a\nERROR \u{1b}[31m\u{9b}ü\u{0}");
    }

    #[test]
    fn a_wrong_setting_comes_with_what_to_do() {
        let setting = |name| Error::Setting { name, value: "x".into(), expected: "true or false" };
        assert_eq!(
            setting("AUTH_REQUIRED").hint().unwrap(),
            "set AUTH_REQUIRED to true or false, or unset it"
        );
        assert!(setting("pool.max_bytes").hint().unwrap().contains("configuration file"));
    }
}
