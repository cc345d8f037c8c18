//! `/api/execution-processes/stream/ws`: an attempt's processes.

use std::collections::HashSet;

use axum::extract::State;
use forge_engine::{AsOf, Engine, Told};
use forge_model::{AttemptId, Fact, Process, ProcessId, Seq};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Change, Document, From, entry, everything, frame, open};
use crate::http::envelope::Frames;
use crate::http::extract::Query;
use crate::http::problem::Problem;
use crate::http::socket::{Socket, StreamFrame};
use crate::http::spec::Operation;
use crate::http::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![Operation::get(
        "streamExecutionProcesses",
        "/api/execution-processes/stream/ws",
        "An attempt's processes, `{\"execution_processes\": {id: process}}`, and every change of them",
        stream,
    )]
}

#[derive(Deserialize, JsonSchema)]
struct OfAttempt {
    task_attempt_id: AttemptId,
    /// Whether processes are shown whose turn another one took the place of.
    #[serde(default)]
    show_soft_deleted: bool,
    /// Goes on after the `position` of a frame. Without it, or when the log does not reach back so far, the first
    /// frame holds everything.
    after: Option<u64>,
}

async fn stream(
    State(engine): State<Engine>,
    Query(of): Query<OfAttempt>,
    socket: Socket,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    let processes =
        Processes { attempt: of.task_attempt_id, show_dropped: of.show_soft_deleted, hidden: None };
    open(engine, processes, &From { after: of.after }, socket)
}

struct Processes {
    attempt: AttemptId,
    show_dropped: bool,
    /// Those that the copy lacks because they are dropped. A reader that comes back may have been told of any of them
    /// or not: then it is none.
    hidden: Option<HashSet<ProcessId>>,
}

impl Document for Processes {
    const PATH: &'static str = "/execution_processes";

    async fn read(&mut self, engine: &Engine) -> Result<(Seq, StreamFrame), Problem> {
        let AsOf { at, what: (attempt, processes) } = engine.processes_as_of(self.attempt).await?;
        let (shown, hidden): (Vec<_>, Vec<_>) = processes.into_iter().partition(|process| self.has(process));
        self.hidden = Some(hidden.iter().map(|process| process.id).collect());
        let frame = everything(Self::PATH, shown, at, move |process, piece| {
            entry(piece, process.id, &wire::Process::new(process, Some(&attempt.profile)))
        });
        Ok((at, frame))
    }

    fn change(&mut self, told: &Told) -> Result<Change, Problem> {
        let at = told.event.seq;
        match &told.event.fact {
            Fact::ProcessCreated(process) if process.attempt_id == self.attempt => put("add", process, told),
            Fact::ProcessUpdated(process) if process.attempt_id == self.attempt => {
                if self.has(process) {
                    put("replace", process, told)
                } else {
                    self.hide(process.id, at)
                }
            }
            Fact::ProcessDeleted { id, attempt_id, .. } if *attempt_id == self.attempt => self.hide(*id, at),
            Fact::AttemptDeleted { id, .. } if *id == self.attempt => Ok(Change::End),
            _ => Ok(Change::Nothing),
        }
    }
}

impl Processes {
    const fn has(&self, process: &Process) -> bool {
        self.show_dropped || !process.dropped
    }

    /// Takes a process out of the copy, unless it is out of it already.
    fn hide(&mut self, id: ProcessId, at: Seq) -> Result<Change, Problem> {
        let Some(hidden) = &mut self.hidden else { return Ok(Change::Everything) };
        if !hidden.insert(id) {
            return Ok(Change::Nothing);
        }
        frame("remove", &path(id), None::<&()>, at).map(Change::Frame)
    }
}

fn put(op: &'static str, process: &Process, told: &Told) -> Result<Change, Problem> {
    let value = wire::Process::new(process, told.profile.as_ref());
    frame(op, &path(process.id), Some(&value), told.event.seq).map(Change::Frame)
}

fn path(id: ProcessId) -> String {
    format!("{}/{id}", Processes::PATH)
}
