//! `GET /api/task-attempts/{id}/diff` and `…/diff/ws`: the files that an attempt changes, `{"entries": {path: file}}`.
//!
//! One operation per frame, as clients expect; frames of one page are written together, so that costs them nothing.
//! Whoever comes back is sent everything again after a frame that empties its copy: nobody knows which files a reader
//! had that have not changed back meanwhile.

use std::collections::BTreeMap;

use axum::extract::State;
use forge_engine::{DiffPage, Diffs, Engine, StreamKind};
use forge_model::{AttemptId, Seq};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::documents::frame;
use super::envelope::{Answer, Frames, ok};
use super::extract::{Id, Query};
use super::problem::Problem;
use super::socket::{Socket, Source, StreamFrame};
use super::spec::{Operation, documented};
use super::wire;

const ENTRIES: &str = "/entries";

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "getTaskDiff",
            "/api/task-attempts/{id}/diff",
            "The files that an attempt changes, as they are now",
            get,
        ),
        Operation::get(
            "streamTaskDiff",
            "/api/task-attempts/{id}/diff/ws",
            "The files that an attempt changes, `{\"entries\": {path: file}}`, and every change of them",
            stream,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct Wanted {
    /// Whether what is in the files is left out.
    #[serde(default)]
    stats_only: bool,
}

/// The files that differ, by their path: what a reader of the stream has.
#[derive(Serialize, JsonSchema)]
struct DiffCopy<'a> {
    entries: BTreeMap<&'a str, wire::DiffEntry<'a>>,
}

documented!(DiffCopy<'_>);

async fn get(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(wanted): Query<Wanted>,
) -> Answer<DiffCopy<'static>> {
    let files = engine.diff_now(id, !wanted.stats_only).await?;
    let entries = files.iter().map(|(path, diff)| (path.as_str(), wire::DiffEntry::from(diff)));
    ok(DiffCopy { entries: entries.collect() })
}

#[derive(Deserialize, JsonSchema)]
struct How {
    /// Whether what is in the files is left out.
    #[serde(default)]
    stats_only: bool,
    /// The `position` of the last frame, for who comes back: the first frame empties its copy then.
    after: Option<u64>,
}

async fn stream(
    State(engine): State<Engine>,
    Id(id): Id<AttemptId>,
    Query(how): Query<How>,
    socket: Socket,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    let diffs = engine.diffs(id, !how.stats_only).await?;
    let counted = engine.open_stream(StreamKind::Diffs, diffs.at());
    socket.send(counted, Changes { empties: how.after.is_some(), diffs })
}

struct Changes {
    diffs: Diffs,
    /// Whether the reader's copy is to be emptied first.
    empties: bool,
}

impl Source for Changes {
    async fn next(&mut self) -> Result<Option<Vec<StreamFrame>>, Problem> {
        if std::mem::take(&mut self.empties) {
            let nothing = serde_json::Map::new();
            return Ok(Some(vec![frame("replace", ENTRIES, Some(&nothing), self.diffs.at())?.into()]));
        }
        match self.diffs.next().await? {
            Some(page) => frames(&page).map(Some),
            None => Ok(None),
        }
    }

    fn at(&self) -> Seq {
        self.diffs.at()
    }
}

fn frames(page: &DiffPage) -> Result<Vec<StreamFrame>, Problem> {
    let removed = page.removed.iter().map(|path| frame("remove", &pointer(path), None::<&()>, page.at));
    let changed = page
        .changed
        .iter()
        .map(|(path, diff)| frame("add", &pointer(path), Some(&wire::DiffEntry::from(diff)), page.at));
    removed.chain(changed).map(|frame| frame.map(StreamFrame::from)).collect()
}

/// The JSON pointer of a path: its slashes are part of one key.
fn pointer(path: &str) -> String {
    format!("{ENTRIES}/{}", path.replace('~', "~0").replace('/', "~1"))
}
