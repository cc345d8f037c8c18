//! The MCP servers that an agent's own program is told of, in that program's own settings file.

use std::path::PathBuf;

use forge_agent::agents::McpFile;
use forge_agent::mcp::{self, BadFile, Servers};
use serde_json::Value;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::whole::{self, off_runtime};

/// How often a file is read anew that its own program changes at the same time.
const TRIES: usize = 5;

/// The MCP servers of an executor, and where they stand.
#[derive(Debug, Clone, PartialEq)]
pub struct McpConfig {
    /// The servers by name, with keys masked.
    pub servers: Servers,
    /// The keys that lead to them in the file.
    pub servers_path: Vec<String>,
    /// A file without any.
    pub template: Value,
    /// Servers to choose from, as the file names them: Forge itself.
    pub preconfigured: Servers,
    /// Whether the file is TOML.
    pub is_toml: bool,
    /// The file.
    pub path: PathBuf,
}

/// How many servers there were and are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct McpChange {
    /// Before.
    pub before: usize,
    /// After.
    pub after: usize,
}

impl Engine {
    /// The MCP servers of an executor.
    ///
    /// # Errors
    /// When there is no such executor, or its file is not understood.
    pub async fn mcp_config(&self, executor: &str) -> Result<McpConfig> {
        let (of, path) = self.mcp_file(executor)?;
        let (file, at) = (of.clone(), path.clone());
        let servers = off_runtime(move || {
            let text = whole::read(&at)?.unwrap_or_default();
            mcp::read(&file, &text).map_err(|bad| not_understood(&bad, &at))
        });
        Ok(McpConfig {
            servers: mcp::mask(&servers.await?),
            template: mcp::template(&of),
            preconfigured: self.own_server(&of),
            servers_path: vec![of.key],
            is_toml: of.toml,
            path,
        })
    }

    /// Makes the MCP servers of an executor these. Everything else in its file stays as it is, and so does what comes
    /// back masked.
    ///
    /// # Errors
    /// When there is no such executor, a server cannot be, or the file is not understood or cannot be written.
    pub async fn set_mcp_servers(&self, executor: &str, servers: Servers) -> Result<McpChange> {
        let (of, path) = self.mcp_file(executor)?;
        if let Some((name, _)) = servers.iter().find(|(_, server)| !server.is_object()) {
            let name: String = name.chars().take(80).collect();
            return Err(Error::invalid(
                "mcp_server_invalid",
                format!("the server `{name}` has to be an object"),
            )
            .hint("write it as {\"command\": …, \"args\": […]} or {\"url\": …}"));
        }
        let _turn = self.inner.mcp_files.lock().await;
        off_runtime(move || replace(&of, &path, &servers)).await
    }

    /// Forge as a server for its own agents: the bridge to the server that runs on this data folder.
    fn own_server(&self, of: &McpFile) -> Servers {
        let options = &self.inner.options;
        let Some(program) = options.host_command.first() else { return Servers::new() };
        let data = options.data.to_string_lossy();
        let server = mcp::program(of, &program.to_string_lossy(), &["mcp", "--data", &data]);
        Servers::from_iter([("forge".to_owned(), server)])
    }

    /// The file of an executor, and where it is.
    fn mcp_file(&self, executor: &str) -> Result<(McpFile, PathBuf)> {
        let agent = self.inner.options.agents.find(executor)?;
        let of = agent.mcp.clone().ok_or_else(|| {
            let message = format!("Forge does not know where {} keeps its MCP servers", agent.name);
            Error::invalid("mcp_not_supported", message).hint("name them with its own program")
        })?;
        let path = self.inner.options.place(&of.file).ok_or_else(|| {
            Error::invalid("home_unknown", "it is not known where your home folder is")
                .hint("start Forge with HOME set")
        })?;
        Ok((of, path))
    }
}

fn replace(of: &McpFile, path: &std::path::Path, servers: &Servers) -> Result<McpChange> {
    for _ in 0..TRIES {
        let text = whole::read(path)?;
        let there = text.as_deref().unwrap_or_default();
        let before = mcp::read(of, there).map_err(|bad| not_understood(&bad, path))?;
        let mut after = servers.clone();
        mcp::unmask(&mut after, &before).map_err(|unknown| {
            Error::invalid("mcp_key_unknown", unknown.to_string()).hint("send the key itself in this place")
        })?;
        let change = McpChange { before: before.len(), after: after.len() };
        if before == after {
            return Ok(change);
        }
        let new = mcp::write(of, there, &after).map_err(|bad| not_understood(&bad, path))?;
        // The agent's own program writes this file too. What it wrote meanwhile must not be lost.
        if whole::read(path)? == text {
            whole::write(path, &new)?;
            return Ok(change);
        }
    }
    Err(Error::conflict("file_changing", format!("{} changes all the time", path.display()))
        .hint("end the agent's own program, and send it again"))
}

fn not_understood(bad: &BadFile, path: &std::path::Path) -> Error {
    match bad {
        BadFile::CannotSay(_) => {
            Error::invalid("mcp_server_invalid", bad.to_string()).hint("leave it out, or say it otherwise")
        }
        BadFile::Unreadable { .. } | BadFile::NotServers { .. } => {
            Error::conflict("file_unreadable", format!("{} is not changed: {bad}", path.display()))
                .hint("mend the file, or move it away")
        }
    }
}
