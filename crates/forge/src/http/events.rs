//! `GET /api/events`: the event log as server-sent messages, from any position on. A reader is a position; it
//! costs one page, however slow it is.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse as _;
use forge_engine::{Engine, OpenStream, StreamKind};
use forge_model::{ProjectId, Seq};
use futures::stream;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::App;
use super::envelope::Plain;
use super::extract::{LastEventId, Query};
use super::problem::Problem;
use super::spec::Operation;
use super::wire;

const PAGE: usize = 256;
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(super) fn operations() -> Vec<Operation> {
    let about = "Server-sent events: `json_patch`, and typed names beside it; `id` is the place in the log";
    vec![Operation::get("subscribeToEvents", "/api/events", about, stream).media("text/event-stream")]
}

#[derive(Deserialize, JsonSchema)]
struct From {
    /// Goes on after this place; 0 is everything that is kept.
    after: Option<u64>,
    /// Only what belongs to this project.
    project_id: Option<ProjectId>,
    /// `events` leaves out the `json_patch` messages, `json_patch` the named ones; both are sent without it.
    format: Option<wire::EventFormat>,
}

/// One reader of the log.
struct Reader {
    engine: Engine,
    head: watch::Receiver<Seq>,
    stopping: CancellationToken,
    after: Seq,
    /// None for all projects.
    project: Option<ProjectId>,
    format: Option<wire::EventFormat>,
    counted: OpenStream,
    /// What is sent before the first page.
    greeting: Option<String>,
}

/// Goes on after `Last-Event-ID` or `?after=`; without either it begins now and says where that is.
async fn stream(
    State(app): State<App>,
    Query(from): Query<From>,
    LastEventId(last): LastEventId,
) -> Result<Plain, Problem> {
    let head = app.engine.head();
    let bad = |_source| Problem::malformed("bad_header", "Last-Event-ID has to be the id of an event");
    let asked = last.map(|text| text.parse()).transpose().map_err(bad)?.or(from.after);
    let after = match asked.map(|after| Seq::try_from(after).unwrap_or(Seq::MAX)) {
        Some(after) if is_known(&app.engine, after, &head).await? => Some(after),
        Some(_) | None => None,
    };
    let now = *head.borrow();
    let counted = app.engine.open_stream(StreamKind::Events, after.unwrap_or(now));
    let reader = Reader {
        engine: app.engine,
        head,
        stopping: app.stopping,
        after: after.unwrap_or(now),
        project: from.project_id,
        format: from.format,
        counted,
        greeting: Some(greeting(after.is_none().then_some(now))),
    };
    let messages = stream::unfold(reader, |mut reader| async move {
        let text = reader.next().await?;
        Some((Ok::<_, Infallible>(text), reader))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    Ok(Plain((kind, Body::from_stream(messages)).into_response()))
}

/// A position beyond the log is of another log: whoever waits there would wait for ever, so it begins now.
async fn is_known(engine: &Engine, after: Seq, head: &watch::Receiver<Seq>) -> Result<bool, Problem> {
    if after < 0 {
        return Ok(false);
    }
    if after <= *head.borrow() {
        // Refused here and not in the stream: a reader is told before it begins that it has missed something.
        engine.events_after(after, 1).await?;
        return Ok(true);
    }
    // The head may lag a moment behind what was read.
    Ok(!engine.events_after(after - 1, 1).await?.is_empty())
}

/// How soon to come back after a break and, for who begins now, where that is.
fn greeting(position: Option<Seq>) -> String {
    let hello = position.map(|seq| format!("id: {seq}\nevent: hello\ndata: {{\"position\":{seq}}}\n\n"));
    format!("retry: 1000\n\n{}", hello.unwrap_or_default())
}

impl Reader {
    /// The next messages; none ends the stream.
    async fn next(&mut self) -> Option<String> {
        if let Some(greeting) = self.greeting.take() {
            return Some(greeting);
        }
        loop {
            if self.stopping.is_cancelled() {
                return None;
            }
            // Marked as seen before the page is read, so that what is committed meanwhile wakes us.
            self.head.borrow_and_update();
            match self.page().await {
                Ok(text) if text.is_empty() => {}
                Ok(text) => return Some(text),
                Err(problem) => {
                    tracing::error!(error.chain = %problem.chain(), "an event stream broke");
                    return None;
                }
            }
            tokio::select! {
                () = self.stopping.cancelled() => return None,
                moved = tokio::time::timeout(KEEP_ALIVE, self.head.changed()) => match moved {
                    Ok(Ok(())) => {}
                    Ok(Err(_closed)) => return None,
                    // An id alone is no message, but where to come back to: a reader of a quiet project moves on, too.
                    Err(_elapsed) => return Some(format!("id: {}\n\n", self.after)),
                },
            }
        }
    }

    /// The next page that has something for this reader; empty when there is none.
    async fn page(&mut self) -> Result<String, Problem> {
        let mut text = String::new();
        loop {
            let page = self.engine.events_after(self.after, PAGE).await?;
            for told in &page {
                // What nobody knows the project of any more may be of this one.
                if self.project.is_none_or(|ours| told.project.is_none_or(|of| of == ours)) {
                    wire::write_event(&mut text, told, self.format).map_err(Problem::internal)?;
                }
                self.after = told.event.seq;
            }
            self.counted.at(self.after);
            if page.is_empty() || !text.is_empty() {
                return Ok(text);
            }
        }
    }
}
