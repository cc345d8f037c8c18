//! What a process has printed up to now, without a WebSocket: entries in pages, or plain text.

use std::collections::VecDeque;
use std::io;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::IntoResponse as _;
use forge_engine::Engine;
use forge_model::ProcessId;
use futures::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entries::Entry;
use super::envelope::{Answer, Plain, ok};
use super::extract::{Id, Query};
use super::printed::Printed;
use super::problem::Problem;
use super::spec::{Operation, documented};

const USUAL_ENTRIES: usize = 1_000;
const MOST_ENTRIES: usize = 10_000;
/// A page ends after the entry with which it has so many bytes.
const PAGE_BYTES: usize = 1024 * 1024;
/// The last lines are kept in memory until the end is read.
const MOST_TAIL_BYTES: usize = 16 * 1024 * 1024;
const X_POSITION: HeaderName = HeaderName::from_static("x-position");

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "listRawLogs",
            "/api/execution-processes/{id}/raw-logs",
            "What a process has printed up to now, as entries",
            list,
        ),
        Operation::get(
            "getOutput",
            "/api/execution-processes/{id}/output",
            "What a process has printed up to now, as text; the header X-Position says where it ends",
            text,
        )
        .media("text/plain"),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct EntriesAfter {
    /// Only what was printed after this position.
    #[serde(default)]
    after: u64,
    /// So many entries at most, up to 10000; 1000 if it is left out. A page of long entries may hold fewer.
    limit: Option<usize>,
}

/// Some entries in a row, oldest first.
#[derive(Serialize, JsonSchema)]
struct RawPage {
    entries: Vec<RawEntry>,
    /// Where to go on: the `after` of the next page.
    position: u64,
    /// Whether the process has ended and there is nothing after this page.
    finished: bool,
}

/// What was printed in one go.
#[derive(Serialize, JsonSchema)]
struct RawEntry {
    /// Its number, from 0, which it keeps.
    index: u64,
    position: u64,
    /// `STDOUT` or `STDERR`.
    #[serde(rename = "type")]
    kind: &'static str,
    content: String,
}

documented!(RawPage, RawEntry);

async fn list(
    State(engine): State<Engine>,
    Id(id): Id<ProcessId>,
    Query(wanted): Query<EntriesAfter>,
) -> Answer<RawPage> {
    let limit = match wanted.limit {
        Some(0) => return Err(Problem::malformed("bad_query", "`limit` has to be at least 1")),
        limit => limit.unwrap_or(USUAL_ENTRIES).min(MOST_ENTRIES),
    };
    let mut printed = SoFar::of(&engine, id, wanted.after).await?;
    let (mut entries, mut bytes, mut is_full) = (Vec::new(), 0, false);
    while !is_full && let Some(read) = printed.next().await? {
        for Entry { index, position, kind, content } in read {
            if is_full {
                break;
            }
            bytes += content.len();
            entries.push(RawEntry { index, position, kind, content });
            is_full = entries.len() == limit || bytes >= PAGE_BYTES;
        }
    }
    let position = entries.last().map_or(wanted.after, |last| last.position);
    ok(RawPage { entries, position, finished: printed.has_ended && !is_full })
}

#[derive(Deserialize, JsonSchema)]
struct TextAfter {
    /// Only what was printed after this position.
    #[serde(default)]
    after: u64,
    /// Only the last so many lines.
    tail: Option<usize>,
}

async fn text(
    State(engine): State<Engine>,
    Id(id): Id<ProcessId>,
    Query(wanted): Query<TextAfter>,
) -> Result<Plain, Problem> {
    let printed = SoFar::of(&engine, id, wanted.after).await?;
    let end = HeaderValue::from(printed.end.max(wanted.after));
    let body = match wanted.tail {
        Some(lines) => Body::from(tail(printed, lines).await?),
        None => Body::from_stream(stream::unfold(printed, |mut printed| async move {
            let entries =
                printed.next().await.map_err(|problem| io::Error::other(problem.chain())).transpose()?;
            let text =
                entries.map(|entries| entries.into_iter().map(|entry| entry.content).collect::<String>());
            Some((text, printed))
        })),
    };
    let kind =
        [(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8")), (X_POSITION, end)];
    Ok(Plain((kind, body).into_response()))
}

/// The last lines of what was printed, as far as they fit in memory.
async fn tail(mut printed: SoFar, most: usize) -> Result<String, Problem> {
    let (mut lines, mut bytes) = (VecDeque::from([String::new()]), 0);
    while let Some(entries) = printed.next().await? {
        // Nothing is waited for here, and the log may be long.
        tokio::task::yield_now().await;
        for part in entries.iter().flat_map(|entry| entry.content.split_inclusive('\n')) {
            bytes += part.len();
            match lines.back_mut() {
                Some(last) if !last.ends_with('\n') => last.push_str(part),
                Some(_) | None => lines.push_back(part.to_owned()),
            }
            while lines.len() > most || bytes > MOST_TAIL_BYTES {
                let Some(first) = lines.pop_front() else { break };
                bytes -= first.len();
            }
        }
    }
    Ok(lines.into_iter().collect())
}

/// Reads what there is by now, and no further.
struct SoFar {
    printed: Printed,
    end: u64,
    has_ended: bool,
}

impl SoFar {
    async fn of(engine: &Engine, id: ProcessId, after: u64) -> Result<Self, Problem> {
        let (mut output, has_ended) = engine.output_so_far(id).await?;
        let end = output.resume(u64::MAX)?.seq;
        Ok(Self { printed: Printed::new(output, after), end, has_ended })
    }

    async fn next(&mut self) -> Result<Option<Vec<Entry>>, Problem> {
        let Some(mut entries) = self.printed.next().await? else { return Ok(None) };
        if !self.has_ended {
            // A character that is not whole yet may be finished by what comes.
            entries.retain(|entry| entry.position <= self.end);
        }
        Ok(Some(entries).filter(|entries| !entries.is_empty()))
    }
}
