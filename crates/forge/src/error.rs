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
                "known keys: port, host, worktrees, auth, allow_hosts, allow_origins, branch_prefix, grace_seconds, [executors.NAME] command, [limits] attempts, attempts_per_project, [caps] memory, processes, cpus, cgroup".into()
            }
            Self::NoHome { .. } => "set HOME, or say where the data shall live with --data".into(),
            Self::Folder { .. } => "see whether the folder can be written, or choose another with --data".into(),
            Self::EmptyToken { path } => {
                format!("remove {} and start again: a new token is made", path.display())
            }
            Self::Engine(error) => return error.hint_text().map(str::to_owned),
            Self::Unfit { .. } => "the lines that say fail tell what to do".into(),
            Self::Setting { .. } | Self::File { .. } | Self::Start { .. } | Self::Demo { .. } => return None,
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
            | Self::NoHome { .. }
            | Self::Folder { .. }
            | Self::File { .. }
            | Self::EmptyToken { .. }
            | Self::Unfit { .. }
            | Self::Engine(_) => 1,
        }
    }
}
