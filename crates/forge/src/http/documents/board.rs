//! `/api/tasks/stream/ws`: a project's board.

use axum::extract::State;
use forge_engine::{AsOf, Engine, Told};
use forge_model::{Fact, ProjectId, Seq, TaskCard, TaskStatus};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Change, Document, From, entry, everything, frame, open};
use crate::http::envelope::Frames;
use crate::http::extract::{Id, Query};
use crate::http::problem::Problem;
use crate::http::socket::{Socket, StreamFrame};
use crate::http::spec::Operation;
use crate::http::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(
            "streamTasks",
            "/api/tasks/stream/ws",
            "A project's board, `{\"tasks\": {id: task}}`, and every change of it",
            stream,
        ),
        Operation::get(
            "streamProjectTasks",
            "/api/projects/{id}/tasks/stream/ws",
            "A project's board and every change of it; an older spelling",
            stream_of_project,
        ),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct OfProject {
    project_id: ProjectId,
    /// Goes on after the `position` of a frame. Without it, or when the log does not reach back so far, the first
    /// frame holds everything.
    after: Option<u64>,
}

async fn stream(
    State(engine): State<Engine>,
    Query(OfProject { project_id, after }): Query<OfProject>,
    socket: Socket,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    stream_of_project(State(engine), Id(project_id), Query(From { after }), socket).await
}

async fn stream_of_project(
    State(engine): State<Engine>,
    Id(project): Id<ProjectId>,
    Query(from): Query<From>,
    socket: Socket,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    open(engine, Board { project }, &from, socket)
}

struct Board {
    project: ProjectId,
}

impl Document for Board {
    const PATH: &'static str = "/tasks";

    async fn read(&mut self, engine: &Engine) -> Result<(Seq, StreamFrame), Problem> {
        let AsOf { at, what: board } = engine.board(self.project).await?;
        let (cards, copy) = board.into_parts();
        let frame = everything(Self::PATH, cards, at, move |card, piece| {
            // Other readers of a large board wait until this one is sent.
            let _held = &copy;
            entry(piece, card.task.id, &wire::Task::from(&**card))
        });
        Ok((at, frame))
    }

    fn change(&mut self, told: &Told) -> Result<Change, Problem> {
        let at = told.event.seq;
        let path = |id| format!("{}/{id}", Self::PATH);
        let put = |op, card: &TaskCard| {
            frame(op, &path(card.task.id), Some(&wire::Task::from(card)), at).map(Change::Frame)
        };
        match &told.event.fact {
            Fact::TaskCreated(card) if self.has(card) => put("add", card),
            Fact::TaskUpdated(card) if self.has(card) => put("replace", card),
            Fact::TaskDeleted { id, project_id, on_board: true } if *project_id == self.project => {
                frame("remove", &path(*id), None::<&()>, at).map(Change::Frame)
            }
            Fact::ProjectDeleted { id } if *id == self.project => Ok(Change::End),
            _ => Ok(Change::Nothing),
        }
    }
}

impl Board {
    fn has(&self, card: &TaskCard) -> bool {
        card.task.project_id == self.project && card.task.status != TaskStatus::Agent
    }
}
