//! The MCP servers in an agent's own settings file: found, and replaced without touching anything else in the file.

mod json;
mod secrets;
mod toml;

use serde_json::{Map, Value};

use crate::agents::McpFile;
pub(crate) use secrets::is_secret;
pub use secrets::{NotKnown, mask, unmask};

/// Servers by their names.
pub type Servers = Map<String, Value>;

/// Why the servers of a file cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadFile {
    /// The file is not what it should be.
    #[error("it is not {format} that can be read: {why}")]
    Unreadable { format: &'static str, why: String },
    /// What stands at the key of the servers is something else.
    #[error("`{key}` in it is not a list of servers by name")]
    NotServers { key: String },
    /// The format has no way to say it.
    #[error("TOML cannot say `{0}`")]
    CannotSay(String),
}

/// The servers that a file names. One that is empty names none.
///
/// # Errors
/// When the file is not what it should be.
pub fn read(file: &McpFile, text: &str) -> Result<Servers, BadFile> {
    if file.toml { toml::read(&file.key, text) } else { json::read(&file.key, text) }
}

/// The text of the file with these servers in place of those that it names, and everything else as it is.
///
/// # Errors
/// When the file is not what it should be, or cannot say what the servers are.
pub fn write(file: &McpFile, text: &str, servers: &Servers) -> Result<String, BadFile> {
    if read(file, text)? == *servers && !text.is_empty() {
        return Ok(text.to_owned());
    }
    if file.toml { toml::write(&file.key, text, servers) } else { json::write(&file.key, text, servers) }
}

/// A file of this kind without any server, as its own program would begin it.
#[must_use]
pub fn template(file: &McpFile) -> Value {
    Value::Object(Map::from_iter([(file.key.clone(), Value::Object(Map::new()))]))
}

/// A server that is a program, as this file names it.
#[must_use]
pub fn program(file: &McpFile, program: &str, args: &[&str]) -> Value {
    let mut server = file.also.clone();
    if file.one_list {
        let words = std::iter::once(program).chain(args.iter().copied());
        server.insert("command".into(), words.collect());
    } else {
        server.insert("command".into(), program.into());
        server.insert("args".into(), args.iter().copied().collect());
    }
    Value::Object(server)
}

#[cfg(test)]
#[path = "mcp_tests.rs"]
mod tests;
