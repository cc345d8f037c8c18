//! Transcripts over REST: pages from the end backwards, and one entry with all that is too long to be sent along.

use axum::extract::State;
use forge_engine::{Engine, EntriesPage, Entry};
use forge_model::ProcessId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::envelope::{Answer, ok};
use super::extract::{Id, NumberBelow, Query};
use super::problem::Problem;
use super::spec::{Operation, documented};

const USUAL: u64 = 100;
const MOST: u64 = 1_000;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "listEntries",
            "/api/execution-processes/{id}/entries",
            "The last entries of what an agent said and did, or those before them",
            list,
        ),
        Operation::get(
            "getEntry",
            "/api/execution-processes/{id}/entries/{index}",
            "One entry, with everything that lists and streams cut",
            get,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Window {
    /// Only entries with a smaller index: the `before` of the page that was read last.
    before: Option<u64>,
    /// So many at most, up to 1000; 100 if it is left out. A page of long entries may hold fewer.
    limit: Option<u64>,
}

/// Some entries in a row, oldest first.
#[derive(Serialize, JsonSchema)]
struct TranscriptPage {
    entries: Vec<NumberedEntry>,
    /// How many entries there are by now.
    total: u64,
    /// Where the page before this one ends; null when this one holds the first entry.
    before: Option<u64>,
}

/// An entry and its number.
#[derive(Serialize, JsonSchema)]
struct NumberedEntry {
    /// Its number, from 0, which it keeps.
    index: u64,
    /// The entry as it is now.
    #[schemars(with = "Entry")]
    entry: Box<RawValue>,
}

documented!(TranscriptPage, NumberedEntry);

async fn list(
    State(engine): State<Engine>,
    Id(id): Id<ProcessId>,
    Query(window): Query<Window>,
) -> Answer<TranscriptPage> {
    let limit = match window.limit {
        Some(0) => return Err(Problem::malformed("bad_query", "`limit` has to be at least 1")),
        limit => limit.unwrap_or(USUAL).min(MOST),
    };
    let EntriesPage { first, entries, total } = engine.entries(id, window.before, limit).await?;
    let entries = (first..).zip(entries).map(|(index, json)| numbered(index, &json));
    let entries = entries.collect::<Result<Vec<_>, Problem>>()?;
    ok(TranscriptPage { entries, total, before: Some(first).filter(|first| *first > 0) })
}

async fn get(State(engine): State<Engine>, NumberBelow(id, index): NumberBelow) -> Answer<NumberedEntry> {
    ok(numbered(index, &engine.entry(id, index).await?)?)
}

fn numbered(index: u64, json: &str) -> Result<NumberedEntry, Problem> {
    let entry = RawValue::from_string(json.to_owned()).map_err(Problem::internal)?;
    Ok(NumberedEntry { index, entry })
}
