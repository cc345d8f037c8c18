//! Logs: to standard error or a file, as text for people or JSON for programs. What is logged are ids, codes and
//! numbers; never prompts, tokens, headers or environment.

mod log_file;

use std::io::{self, IsTerminal as _};
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

use crate::config::{LogFile, LogFormat};
use crate::error::Error;
use log_file::Rotating;

/// Begins to log.
pub(crate) fn start(format: LogFormat, filter: Option<&str>, file: Option<&LogFile>) -> Result<(), Error> {
    let filter = EnvFilter::try_new(filter.unwrap_or("info")).map_err(|_source| Error::Setting {
        name: "FORGE_LOG",
        value: filter.unwrap_or_default().to_owned(),
        expected: "a filter such as debug or forge=debug,info",
    })?;
    let writer = match file {
        Some(settings) => {
            let log = Rotating::open(settings.clone())
                .map_err(|source| Error::File { path: settings.path.clone(), source })?;
            BoxMakeWriter::new(Mutex::new(log))
        }
        None => BoxMakeWriter::new(io::stderr),
    };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        // A log that cannot be written, on a full disk, must not end what was to be logged: the complaint would panic.
        .log_internal_errors(false)
        .with_ansi(file.is_none() && io::stderr().is_terminal());
    // The only way to fail is that somebody logs already, and then logging works.
    drop(match format {
        LogFormat::Text => subscriber.try_init(),
        LogFormat::Json => subscriber.json().try_init(),
    });
    Ok(())
}
