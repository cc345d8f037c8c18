//! The bench: drives the program, which `make bench` builds with the `dist` profile, over its public API and prints
//! each number beside a floor that was measured in the same minutes.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Parser;
use forge_testkit::bench::{self, Bench};

/// Measures Forge and prints a table.
#[derive(Debug, Parser)]
struct Args {
    /// The program to measure
    #[arg(long)]
    forge: PathBuf,
    /// The scripted agent
    #[arg(long)]
    agent: PathBuf,
    /// Only these sections
    #[arg(long, value_name = "SECTION")]
    only: Vec<String>,
    /// Fewer repetitions and smaller repositories
    #[arg(long)]
    quick: bool,
    /// Write the rows here too, as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> Result<()> {
    let args = Args::parse();
    let bench = Bench {
        forge: fs::canonicalize(&args.forge).with_context(|| format!("no {}", args.forge.display()))?,
        agent: fs::canonicalize(&args.agent).with_context(|| format!("no {}", args.agent.display()))?,
        quick: args.quick,
    };
    let rows = bench::run(&bench, &args.only).await?;
    if let Some(path) = args.json {
        fs::write(path, serde_json::to_vec_pretty(&rows)?)?;
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "\n| what | ours | floor | wanted | |\n|---|--:|--:|--:|---|")?;
    for row in &rows {
        writeln!(out, "{row}")?;
    }
    Ok(())
}
