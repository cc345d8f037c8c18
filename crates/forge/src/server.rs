//! A server from its first moment to its last: takes the port and the data folder, serves, and lets go of both.
//! Agents are not its children and go on without it.

mod addresses;
mod connections;
mod idle;
mod peer;

use std::fs;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use forge_engine::Engine;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Config;
use crate::error::Error;
use crate::http::{self, App, Guard, McpCalls};
use crate::token::Token;

/// How long requests and streams may take to end. Agents do not count: they are not stopped.
const SHUTDOWN: Duration = Duration::from_secs(5);

/// Where the token lies in the data folder.
const TOKEN_FILE: &str = "token";

/// The key of the marks that stand for secrets in logs and rows.
const MARK_KEY_FILE: &str = "mark-key";

/// A server that takes requests.
pub(crate) struct Server {
    address: SocketAddr,
    engine: Engine,
    stopping: CancellationToken,
    tasks: TaskTracker,
    port_file: PathBuf,
    token_file: Option<PathBuf>,
}

impl Server {
    /// Takes port and data folder, and serves. The port comes first because agents are told it, and because
    /// whoever calls while the engine recovers shall wait instead of being refused.
    pub(crate) async fn start(config: &Config) -> Result<Self, Error> {
        let listener = listen(&config.host, config.port).await?;
        let address = listener.local_addr().map_err(|source| Error::Start { source })?;
        create_folder(&config.data)?;
        if !forge_engine::worktrees_are_away(&config.data, &config.worktrees) {
            create_folder(&config.worktrees)?;
        }
        let own_program = std::env::current_exe().map_err(|source| Error::Start { source })?;
        let token = token(config, address)?;
        let mut options = config.engine_options(url(address), &own_program);
        if let Some(token) = &token {
            token.add_to(&mut options.secrets);
        }
        Token::load_or_create(&config.data.join(MARK_KEY_FILE))?.mark(&mut options.secrets);
        let engine = Engine::open(options).await?;

        let port_file = config.data.join("port");
        write_whole(&port_file, &format!("{}\n", address.port()))?;
        let token_file = token.is_some().then(|| config.data.join(TOKEN_FILE));
        let guard = Guard::new(address, config, token);
        let (stopping, tasks) = (CancellationToken::new(), TaskTracker::new());
        let app = App {
            engine: engine.clone(),
            stopping: stopping.clone(),
            tasks: tasks.clone(),
            auth_required: token_file.is_some(),
            mcp_calls: McpCalls::default(),
        };
        tasks.spawn(connections::accept(listener, http::router(app, guard), stopping.clone(), tasks.clone()));
        tracing::info!(server.address = %address, "serving");
        Ok(Self { address, engine, stopping, tasks, port_file, token_file })
    }

    /// Where it is reached from this machine.
    pub(crate) fn url(&self) -> String {
        url(self.address)
    }

    /// Where it is reached from other machines, if it is.
    pub(crate) fn address_for_others(&self) -> Option<String> {
        let (ip, port) = (self.address.ip(), self.address.port());
        if ip.is_loopback() {
            None
        } else if ip.is_unspecified() {
            Some(format!(
                "port {port} of every address of this one; a name has to be allowed with --allow-host"
            ))
        } else {
            Some(url(self.address))
        }
    }

    /// Where the token is that callers need, if they need one.
    pub(crate) fn token_file(&self) -> Option<&Path> {
        self.token_file.as_deref()
    }

    /// Takes no more requests, ends the streams, lets go of the data folder.
    pub(crate) async fn stop(self) {
        self.stopping.cancel();
        // Before the engine lets go of the folder: afterwards the file may be another server's.
        if let Err(error) = fs::remove_file(&self.port_file) {
            tracing::warn!(error = %error, "the port file could not be removed");
        }
        // Before the requests are waited for: some wait for an agent that takes its time.
        self.engine.close();
        self.tasks.close();
        let ended = tokio::time::timeout(SHUTDOWN, async {
            self.tasks.wait().await;
            self.engine.shutdown().await;
        });
        match ended.await {
            Ok(()) => tracing::info!("stopped; agents go on"),
            Err(_elapsed) => tracing::warn!("stopped before every request had ended; agents go on"),
        }
    }
}

async fn listen(host: &str, port: u16) -> Result<TcpListener, Error> {
    let name = host.trim_start_matches('[').trim_end_matches(']');
    TcpListener::bind((name, port)).await.map_err(|source| {
        let host = host.to_owned();
        if source.kind() == io::ErrorKind::AddrInUse {
            Error::PortTaken { host, port, source }
        } else {
            Error::Listen { host, port, source }
        }
    })
}

/// Made for its owner alone: logs, prompts and work lie in it. That it can be written is tried.
fn create_folder(path: &Path) -> Result<(), Error> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .and_then(|()| tempfile::tempfile_in(path).map(drop))
        .map_err(|source| Error::Folder { path: path.to_owned(), source })
}

fn token(config: &Config, address: SocketAddr) -> Result<Option<Token>, Error> {
    if address.ip().is_loopback() && !config.auth && peer::IS_SUPPORTED {
        return Ok(None);
    }
    let path = config.data.join(TOKEN_FILE);
    let token = Token::load_or_create(&path)?;
    tracing::info!(path = %path.display(), "callers have to send the token in this file");
    Ok(Some(token))
}

/// The address as agents and people on this machine call it.
fn url(address: SocketAddr) -> String {
    let ip = if address.ip().is_unspecified() { IpAddr::V4(Ipv4Addr::LOCALHOST) } else { address.ip() };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

/// Whoever reads the file reads all of it.
fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    let draft = path.with_extension("new");
    fs::write(&draft, text)
        .and_then(|()| fs::rename(&draft, path))
        .map_err(|source| Error::File { path: path.to_owned(), source })
}
