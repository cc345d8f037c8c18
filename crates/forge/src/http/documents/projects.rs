//! `/api/projects/stream/ws`: all projects.

use axum::extract::State;
use forge_engine::{AsOf, Engine, Told};
use forge_model::{Fact, Project, Seq};

use super::{Change, Document, From, entry, everything, frame, open};
use crate::http::envelope::Frames;
use crate::http::extract::Query;
use crate::http::problem::Problem;
use crate::http::socket::{Socket, StreamFrame};
use crate::http::spec::Operation;
use crate::http::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![Operation::get(
        "streamProjects",
        "/api/projects/stream/ws",
        "All projects, `{\"projects\": {id: project}}`, and every change of them",
        stream,
    )]
}

async fn stream(
    State(engine): State<Engine>,
    Query(from): Query<From>,
    socket: Socket,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    open(engine, Projects, &from, socket)
}

struct Projects;

impl Document for Projects {
    const PATH: &'static str = "/projects";

    async fn read(&mut self, engine: &Engine) -> Result<(Seq, StreamFrame), Problem> {
        let AsOf { at, what: projects } = engine.projects_as_of().await?;
        let frame = everything(Self::PATH, projects, at, |project, piece| {
            entry(piece, project.id, &wire::Project::from(project))
        });
        Ok((at, frame))
    }

    fn change(&mut self, told: &Told) -> Result<Change, Problem> {
        let at = told.event.seq;
        let path = |id| format!("{}/{id}", Self::PATH);
        let put = |op, project: &Project| {
            frame(op, &path(project.id), Some(&wire::Project::from(project)), at).map(Change::Frame)
        };
        match &told.event.fact {
            Fact::ProjectCreated(project) => put("add", project),
            Fact::ProjectUpdated(project) => put("replace", project),
            Fact::ProjectDeleted { id } => frame("remove", &path(*id), None::<&()>, at).map(Change::Frame),
            _ => Ok(Change::Nothing),
        }
    }
}
