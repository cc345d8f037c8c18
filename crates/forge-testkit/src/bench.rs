//! What `make bench` measures. Each section has a server of its own on a settled filesystem; where there is a floor
//! (plain git, a plain pipe), it is measured in turn with ours, so that their ratio means something on any machine.

mod burst;
mod client;
mod crash;
mod ends;
mod entries;
mod follow_up;
mod latency;
mod lists;
mod place;
mod row;
mod size;
mod start;
mod stats;
mod tasks;
mod volume;

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};

pub use row::Row;

/// What is measured, and how long.
#[derive(Debug)]
pub struct Bench {
    /// The program.
    pub forge: PathBuf,
    /// The scripted agent.
    pub agent: PathBuf,
    /// Whether a rough answer will do.
    pub quick: bool,
}

const SECTIONS: [&str; 11] = [
    "size",
    "start",
    "follow-up",
    "burst",
    "latency",
    "volume",
    "entries",
    "ends",
    "crash",
    "tasks",
    "lists",
];

/// Runs the sections that were asked for, or all.
///
/// # Errors
/// When a section is not known, or could not be measured.
pub async fn run(bench: &Bench, only: &[String]) -> Result<Vec<Row>> {
    if let Some(unknown) = only.iter().find(|name| !SECTIONS.contains(&name.as_str())) {
        bail!("there is no section `{unknown}`; there are {}", SECTIONS.join(", "));
    }
    let mut rows = Vec::new();
    for section in SECTIONS {
        if !only.is_empty() && !only.iter().any(|name| name == section) {
            continue;
        }
        writeln!(std::io::stderr(), "measuring {section}")?;
        // What an earlier section wrote must not be written out while this one is timed.
        rustix::fs::sync();
        rows.extend(match section {
            "size" => size::measure(bench).await?,
            "start" => start::measure(bench).await?,
            "follow-up" => follow_up::measure(bench).await?,
            "burst" => burst::measure(bench).await?,
            "latency" => latency::measure(bench).await?,
            "volume" => volume::measure(bench).await?,
            "entries" => entries::measure(bench).await?,
            "ends" => ends::measure(bench).await?,
            "crash" => crash::measure(bench).await?,
            "tasks" => tasks::measure(bench).await?,
            _ => lists::measure(bench).await?,
        });
    }
    Ok(rows)
}

impl Bench {
    /// How often to repeat something.
    const fn times(&self, usually: usize) -> usize {
        if self.quick { usually.div_ceil(5) } else { usually }
    }
}
