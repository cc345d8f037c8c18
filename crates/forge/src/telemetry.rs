//! Logs: to standard error, as text for people or JSON for programs. What is logged are ids, codes and numbers;
//! never prompts, tokens, headers or environment.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// Begins to log. A filter that cannot be read falls back to `info`.
pub(crate) fn start(format: LogFormat, filter: Option<&str>) {
    let filter =
        filter.and_then(|text| EnvFilter::try_new(text).ok()).unwrap_or_else(|| EnvFilter::new("info"));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal());
    // The only way to fail is that somebody logs already, and then logging works.
    drop(match format {
        LogFormat::Text => subscriber.try_init(),
        LogFormat::Json => subscriber.json().try_init(),
    });
}
