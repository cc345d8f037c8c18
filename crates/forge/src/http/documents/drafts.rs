//! `/api/drafts/stream/ws`: the drafts of a project's attempts.

use axum::extract::State;
use forge_engine::{AsOf, Engine, Told};
use forge_model::{AttemptId, Draft, DraftKind, Fact, ProjectId, Seq, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Change, Document, From, entry, everything, frame, open};
use crate::http::envelope::Frames;
use crate::http::extract::Query;
use crate::http::problem::Problem;
use crate::http::socket::{Socket, StreamFrame};
use crate::http::spec::Operation;
use crate::http::wire;

pub(super) fn operations() -> Vec<Operation> {
    vec![Operation::get(
        "streamDrafts",
        "/api/drafts/stream/ws",
        "The drafts of a project's attempts, `{\"drafts\": {attempt: {\"follow_up\": draft, \"retry\": draft or null}}}`, \
         and every change of them",
        stream,
    )]
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
    Query(of): Query<OfProject>,
    socket: Socket,
) -> Result<Frames<wire::PatchFrame>, Problem> {
    open(engine, Drafts { project: of.project_id }, &From { after: of.after }, socket)
}

struct Drafts {
    project: ProjectId,
}

/// What an attempt has.
#[derive(Serialize)]
struct Pair<'a> {
    follow_up: Option<wire::Draft<'a>>,
    retry: Option<wire::Draft<'a>>,
}

impl Document for Drafts {
    const PATH: &'static str = "/drafts";

    async fn read(&mut self, engine: &Engine) -> Result<(Seq, StreamFrame), Problem> {
        let AsOf { at, what: drafts } = engine.drafts_as_of(self.project).await?;
        let frame = everything(Self::PATH, drafts, at, |[follow_up, retry], piece| {
            let pair = Pair { follow_up: wire::shown(follow_up), retry: wire::shown(retry) };
            entry(piece, follow_up.attempt_id, &pair)
        });
        Ok((at, frame))
    }

    fn change(&mut self, told: &Told) -> Result<Change, Problem> {
        let at = told.event.seq;
        match &told.event.fact {
            Fact::DraftUpdated(draft) | Fact::DraftCleared(draft) if draft.project_id == self.project => {
                let path = format!("{}/{}", path(draft.attempt_id), draft.kind.as_str());
                frame("replace", &path, Some(&wire::shown(draft)), at).map(Change::Frame)
            }
            Fact::AttemptCreated(attempt) if attempt.project_id == self.project && !attempt.is_run() => {
                let unwritten = unwritten(attempt.id, self.project, attempt.created_at);
                let pair = Pair { follow_up: wire::shown(&unwritten), retry: None };
                frame("add", &path(attempt.id), Some(&pair), at).map(Change::Frame)
            }
            Fact::AttemptDeleted { id, task_id: Some(_), project_id: Some(project) }
                if *project == self.project =>
            {
                frame("remove", &path(*id), None::<&()>, at).map(Change::Frame)
            }
            // Whether it was one of ours is not known.
            Fact::AttemptDeleted { task_id: Some(_), project_id: None, .. } => Ok(Change::Everything),
            Fact::ProjectDeleted { id } if *id == self.project => Ok(Change::End),
            _ => Ok(Change::Nothing),
        }
    }
}

const fn unwritten(attempt: AttemptId, project: ProjectId, since: Timestamp) -> Draft {
    Draft::unwritten(attempt, project, DraftKind::FollowUp, since)
}

fn path(attempt: AttemptId) -> String {
    format!("{}/{attempt}", Drafts::PATH)
}
