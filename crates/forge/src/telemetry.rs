//! Logs: to standard error, as text for people or JSON for programs. What is logged are ids, codes and numbers;
//! never prompts, tokens, headers or environment.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;
use crate::error::Error;

/// Begins to log.
pub(crate) fn start(format: LogFormat, filter: Option<&str>) -> Result<(), Error> {
    let filter = EnvFilter::try_new(filter.unwrap_or("info")).map_err(|_source| Error::Setting {
        name: "FORGE_LOG",
        value: filter.unwrap_or_default().to_owned(),
        expected: "a filter such as debug or forge=debug,info",
    })?;
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        // A log that cannot be written, on a full disk, must not end what was to be logged: the complaint would panic.
        .log_internal_errors(false)
        .with_ansi(io::stderr().is_terminal());
    // The only way to fail is that somebody logs already, and then logging works.
    drop(match format {
        LogFormat::Text => subscriber.try_init(),
        LogFormat::Json => subscriber.json().try_init(),
    });
    Ok(())
}
