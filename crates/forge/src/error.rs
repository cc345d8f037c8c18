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
    #[error("the server could not be asked")]
    Call { source: reqwest::Error },
    #[error("the server refused: {message}")]
    Refused { message: String },
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
                "known keys: port, host, worktrees, database_url, auth, allow_hosts, allow_origins, branch_prefix, grace_seconds, [executors.NAME] command, [limits] attempts, attempts_per_project, [pool] size, max_spares, max_bytes, min_files, [gc] worktree_days, closed_days".into()
            }
            Self::DatabaseUrl { .. } => {
                "it should be postgres://user:password@host:port/database; without it Forge keeps its database in a file".into()
            }
            Self::NoHome { .. } => "set HOME, or say where the data shall live with --data".into(),
            Self::Folder { .. } => "see whether the folder can be written, or choose another with --data".into(),
            Self::EmptyToken { path } => {
                format!("remove {} and start again: a new token is made", path.display())
            }
            Self::Outdated { .. } => "`forge db migrate` makes the changes; so does the next start of the server".into(),
            Self::NoServer { .. } => {
                "start one with `forge serve`, which does this by itself, or name another folder with --data".into()
            }
            Self::Engine(error) => return error.hint_text().map(str::to_owned),
            Self::Setting { .. }
            | Self::File { .. }
            | Self::Start { .. }
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
            | Self::NoHome { .. }
            | Self::Folder { .. }
            | Self::File { .. }
            | Self::EmptyToken { .. }
            | Self::Outdated { .. }
            | Self::NoServer { .. }
            | Self::Call { .. }
            | Self::Refused { .. }
            | Self::Engine(_) => 1,
        }
    }
}
