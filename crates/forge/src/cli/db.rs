//! `forge db`.

use std::path::PathBuf;

use forge_engine::database;

use crate::config::{Config, ServeArgs};
use crate::error::Error;

/// The flags of `forge db`. Which database it is, they say as those of `forge serve` do.
#[derive(Debug, clap::Args)]
pub(super) struct DbArgs {
    #[command(subcommand)]
    command: DbCommand,
    /// Folder that the server uses [env: FORGE_DATA] [default: forge in your data folder]
    #[arg(long, global = true)]
    data: Option<PathBuf>,
    /// Configuration file [default: forge/config.toml in your configuration folder]
    #[arg(long, global = true)]
    config: Option<PathBuf>,
}

#[derive(Debug, clap::Subcommand)]
enum DbCommand {
    /// Write everything in the database into a new file, also while a server runs
    ///
    /// The file is a SQLite database, whichever database it comes from. It holds projects, tasks, attempts,
    /// processes, waiting follow-ups and events. It does not hold what agents printed, which is in the data folder,
    /// nor repositories, branches and worktrees, which are git's.
    Backup {
        /// The file to make
        file: PathBuf,
    },
    /// Make a database out of a backup; no server may run, and there must be no database yet
    ///
    /// Attempts that ran when the backup was made are told as lost, unless their processes are still there. What
    /// agents printed is not in a backup: bring the data folder's `processes` along to keep it.
    Restore {
        /// The backup
        file: PathBuf,
    },
    /// Bring the schema up to date; a server does so by itself when it starts
    Migrate {
        /// Only say what would be done; the exit code is 0 when there is nothing to do and 1 otherwise
        #[arg(long)]
        check: bool,
    },
    /// Say how many rows each table has, also while a server runs
    Rows,
}

pub(super) async fn db(args: DbArgs) -> Result<(), Error> {
    let Config { data, database: url, .. } = Config::load(ServeArgs::of(args.data, args.config))?;
    let url = url.as_ref();
    match args.command {
        DbCommand::Backup { file } => {
            database::backup(&data, url, &file).await?;
            super::say(format_args!("The backup is in {}", file.display()));
        }
        DbCommand::Restore { file } => {
            database::restore(&data, url, &file).await?;
            super::say("The database is restored");
        }
        DbCommand::Rows => {
            for (table, rows) in database::count_rows(&data, url).await? {
                super::say(format_args!("{table} {rows}"));
            }
        }
        DbCommand::Migrate { check } => {
            let pending = database::pending(&data, url).await?;
            if pending.is_empty() {
                super::say("The schema is up to date");
                return Ok(());
            }
            if !check {
                database::migrate(&data, url).await?;
            }
            let did = if check { "to be made" } else { "made" };
            for (version, name) in &pending {
                super::say(format_args!("{did}: change {version}, {name}"));
            }
            if check {
                return Err(Error::Outdated { changes: pending.len() });
            }
        }
    }
    Ok(())
}
