//! An older client asks for `/api/tasks/{id}` with the id of an attempt: it reads its state there, stops it with
//! `{"status": "cancelled"}` and sends a follow-up as `{"description": …}`.

use forge_engine::{Engine, ErrorKind, SendFollowUp};
use forge_model::{Attempt, AttemptId, How, Patch, TaskCard, TaskId, TaskStatus, UpdateTask};

use super::{Problem, TaskChange};

/// A task, and the attempt by whose id it was asked for, if it was.
pub(in crate::http) struct Found {
    pub(in crate::http) card: TaskCard,
    pub(in crate::http) attempt: Option<Attempt>,
}

/// The task with this id, or that of the attempt with this id.
pub(in crate::http) async fn get(engine: &Engine, id: TaskId) -> Result<Found, Problem> {
    match engine.get_task(id).await {
        Ok(card) => Ok(Found { card, attempt: None }),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let attempt = engine.get_attempt(AttemptId::from_uuid(id.as_uuid())).await;
            // A run has no task.
            let Ok(attempt @ Attempt { task_id: Some(task), .. }) = attempt else {
                return Err(error.into());
            };
            Ok(Found { card: engine.get_task(task).await?, attempt: Some(attempt) })
        }
        Err(error) => Err(error.into()),
    }
}

/// Changes the task with this id, or tells the attempt with this id what the change means there.
pub(in crate::http) async fn update(
    engine: &Engine,
    id: TaskId,
    change: TaskChange,
) -> Result<Found, Problem> {
    let found = get(engine, id).await?;
    let change = change.into_command()?;
    let Some(Attempt { id: attempt, .. }) = found.attempt else {
        return Ok(Found { card: engine.update_task(id, change).await?, attempt: None });
    };
    match change {
        UpdateTask { status: Patch::Set(TaskStatus::Cancelled), .. } => {
            engine.stop_attempt(attempt).await?;
        }
        UpdateTask { description: Patch::Set(prompt), image_ids, .. } => {
            let image_ids = image_ids.unwrap_or_default();
            let how = How::default();
            let follow_up = SendFollowUp { prompt, variant: None, how, interrupt: false, image_ids };
            engine.follow_up(attempt, follow_up).await?;
        }
        UpdateTask { .. } => {
            let message =
                format!("{id} is an attempt: it can be stopped or told more, not changed like a task");
            let hint = "send {\"status\":\"cancelled\"} or {\"description\":…}, or use the id of the task";
            return Err(Problem::invalid("not_a_task", message).hint(hint));
        }
    }
    get(engine, id).await
}
