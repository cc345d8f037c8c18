//! `forge node`: the identity of a data folder.

use std::path::PathBuf;

use forge_engine::node;

use crate::config;
use crate::error::Error;

/// The flags of `forge node`.
#[derive(Debug, clap::Args)]
pub(super) struct NodeArgs {
    #[command(subcommand)]
    command: NodeCommand,
    /// The server's data folder [env: FORGE_DATA] [default: forge in your data folder]
    #[arg(long, global = true)]
    data: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum NodeCommand {
    /// Print the node id and the id of the database that the folder is bound to
    Show,
    /// Give a copied data folder an id of its own; the attempts stay with the original
    NewId,
    /// Accept another database, a restored one, or another place of the folder at the next start
    Rebind,
}

pub(super) fn node(args: NodeArgs) -> Result<(), Error> {
    let data = config::data_folder(args.data)?;
    match args.command {
        NodeCommand::Show => {
            let identity = node::show(&data)?;
            let word = |id: Option<String>| id.unwrap_or_else(|| "none yet".to_owned());
            super::say(format_args!("node {}", word(identity.node.map(|id| id.to_string()))));
            super::say(format_args!("database {}", word(identity.database.map(|id| id.to_string()))));
        }
        NodeCommand::NewId => super::say(format_args!("The data folder is node {} now", node::renew(&data)?)),
        NodeCommand::Rebind => {
            node::unbind(&data)?;
            super::say("The next start binds the data folder to the database it is given");
        }
    }
    Ok(())
}
