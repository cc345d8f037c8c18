//! `forge serve`.

use forge_engine::files::Files;

use crate::config::{Config, ServeArgs};
use crate::error::Error;
use crate::server::Server;
use crate::telemetry;

/// Serves until asked to stop. The first line on standard output says where, for people and for programs; others
/// say who may call.
pub(super) async fn serve(args: ServeArgs) -> Result<(), Error> {
    let config = Config::load(args)?;
    telemetry::start(config.log_format, config.log_filter.as_deref(), config.log_file.as_ref())?;
    match forge_engine::files::raise() {
        Ok(Files { now: Some(limit), .. }) => tracing::info!(limit, "at most {limit} files may be open"),
        Ok(Files { now: None, .. }) => {}
        Err(error) => tracing::warn!(%error, "the limit of open files stays as it is: {error}"),
    }
    // Listened for before the line is printed: whoever reads it may stop us at once.
    let mut stop = std::pin::pin!(super::asked_to_stop());
    let server = tokio::select! {
        stopped = &mut stop => return stopped,
        server = Server::start(&config) => server?,
    };
    super::say(format_args!("Forge listens on {}", server.url()));
    if let Some(address) = server.address_for_others() {
        super::say(format_args!("Other machines reach it at {address}"));
    }
    if let Some(path) = server.token_file() {
        super::say(format_args!("Callers need the token in {}", path.display()));
    }
    let stopped = stop.await;
    server.stop().await;
    stopped
}
