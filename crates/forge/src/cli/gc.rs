//! `forge gc`: removes the worktrees that nobody uses, through the server that runs, or by itself where none does.

use std::path::{Path, PathBuf};

use forge_engine::Engine;
use serde::Deserialize;
use serde_json::json;

use super::call;
use crate::config::{self, Config, ServeArgs};
use crate::error::Error;

/// The flags of `forge gc`.
#[derive(Debug, clap::Args)]
pub(super) struct GcArgs {
    /// Only tell what would be done
    #[arg(long)]
    dry_run: bool,
    /// The server's data folder [env: FORGE_DATA] [default: forge in your data folder]
    #[arg(long)]
    data: Option<PathBuf>,
    /// Configuration file, for use without a server [default: ~/.config/forge/config.toml]
    #[arg(long)]
    config: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Envelope {
    data: Option<Collection>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct Collection {
    collected: Vec<Taken>,
    left: Vec<Left>,
    unregistered: Vec<PathBuf>,
    #[serde(default)]
    snapshots: usize,
    bytes: u64,
}

#[derive(Deserialize)]
struct Taken {
    worktree_path: String,
    bytes: u64,
}

#[derive(Deserialize)]
struct Left {
    worktree_path: String,
    why: String,
}

/// Asks, and tells what came of it: one line for each worktree, and a sum.
pub(super) async fn gc(args: GcArgs) -> Result<(), Error> {
    let data = config::data_folder(args.data)?;
    let collection = if forge_engine::is_served(&data) {
        ask(&data, args.dry_run).await?
    } else {
        collect(&Config::load(ServeArgs::of(Some(data), args.config))?, args.dry_run).await?
    };
    let (done, sum) = if args.dry_run { ("would go", "would free") } else { ("gone", "freed") };
    for taken in &collection.collected {
        super::say(format_args!("{done}: {} ({})", taken.worktree_path, size(taken.bytes)));
    }
    for left in &collection.left {
        super::say(format_args!("left: {} ({})", left.worktree_path, left.why));
    }
    for path in &collection.unregistered {
        super::say(format_args!("forgotten: {} (its folder is not there)", path.display()));
    }
    let count = collection.collected.len();
    super::say(format_args!("{count} worktrees, {sum} {}", size(collection.bytes)));
    if collection.snapshots > 0 {
        super::say(format_args!("{} expired snapshots, {done}", collection.snapshots));
    }
    Ok(())
}

async fn ask(data: &Path, dry_run: bool) -> Result<Collection, Error> {
    // A proxy has no business between us and ourselves.
    let http = reqwest::Client::builder().no_proxy().build().map_err(|source| Error::Call { source })?;
    let request = call::post(&http, data, "/api/gc")?.json(&json!({"dry_run": dry_run}));
    let answer = request.send().await.map_err(|source| call::failed(data, source))?;
    let envelope: Envelope = answer.json().await.map_err(|source| Error::Call { source })?;
    match envelope.data {
        Some(collection) => Ok(collection),
        None => Err(Error::Refused { message: envelope.message.unwrap_or_default() }),
    }
}

/// Does it itself. The database and the folder are taken meanwhile, so that no server starts beside it.
async fn collect(config: &Config, dry_run: bool) -> Result<Collection, Error> {
    if !config.data.exists() {
        return Err(Error::NoData { data: config.data.clone() });
    }
    let own_program = std::env::current_exe().map_err(|source| Error::Start { source })?;
    let engine = Engine::open_to_collect(config.engine_options(String::new(), &own_program), dry_run).await?;
    let collected = engine.collect(dry_run).await;
    engine.shutdown().await;
    Ok(Collection::from(collected?))
}

impl From<forge_engine::Collection> for Collection {
    fn from(collection: forge_engine::Collection) -> Self {
        Self {
            bytes: collection.taken.iter().map(|(_, bytes)| bytes).sum(),
            collected: collection
                .taken
                .into_iter()
                .map(|(attempt, bytes)| Taken { worktree_path: attempt.worktree, bytes })
                .collect(),
            left: collection
                .left
                .into_iter()
                .map(|(attempt, why)| Left { worktree_path: attempt.worktree, why })
                .collect(),
            unregistered: collection.unregistered,
            snapshots: collection.snapshots,
        }
    }
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..0x10_0000 => (1 << 10, "KiB"),
        0x10_0000..0x4000_0000 => (1 << 20, "MiB"),
        0x4000_0000.. => (1 << 30, "GiB"),
    };
    format!("{}.{} {name}", bytes / unit, bytes % unit * 10 / unit)
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn bytes_are_told_in_a_unit_that_fits() {
        assert_eq!(size(0), "0.0 KiB");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(size(5 << 20), "5.0 MiB");
        assert_eq!(size(3 << 40), "3072.0 GiB");
    }
}
