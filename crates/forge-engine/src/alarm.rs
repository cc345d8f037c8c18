//! What is due at a time: an approval that nobody answered, a prompt that was to wait. One task sleeps until the next of
//! them; that they are rows makes them outlive the server.

use std::time::Duration;

use forge_model::Timestamp;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::actor::Request;
use crate::engine::Engine;
use crate::error::{ErrorKind, Result};

/// Wakes whoever sleeps until the next time.
#[derive(Debug, Default)]
pub(crate) struct Alarm {
    changed: Notify,
}

impl Alarm {
    /// Something may be due earlier than was known.
    pub(crate) fn look_again(&self) {
        self.changed.notify_one();
    }
}

impl Engine {
    /// Does what is due when it is due, for as long as the server runs.
    pub(crate) fn keep_time(&self) {
        let engine = self.clone();
        self.inner.tasks.spawn(async move {
            let mut rung = Timestamp::from_millis(0);
            loop {
                let next = match engine.ring(&mut rung).await {
                    Ok(next) => next,
                    Err(error) => {
                        tracing::error!(error = %error, "what is due cannot be looked up; trying again");
                        if engine.pause().await {
                            return;
                        }
                        continue;
                    }
                };
                tokio::select! {
                    () = engine.inner.closing.cancelled() => return,
                    () = engine.inner.alarm.changed.notified() => {}
                    () = until(next) => {}
                }
            }
        });
    }

    /// Does what is due since it was last rung, and tells when something is next.
    async fn ring(&self, rung: &mut Timestamp) -> Result<Option<Timestamp>> {
        loop {
            let now = Timestamp::now();
            let next = self.inner.store.next_deadline(*rung).await?;
            if next.is_none_or(|next| next > now) {
                return Ok(next);
            }
            for approval in self.inner.store.time_out_approvals(now).await? {
                // The others are told all the same; a restart tells this one.
                if let Err(error) = self.tell_answered(&approval).await {
                    tracing::error!(error = %error, "nobody could be told that approval {} timed out", approval.id);
                }
            }
            for attempt in self.inner.store.list_due_attempts(*rung, now).await? {
                self.inner.actors.send(self, attempt, Request::Wake);
            }
            *rung = now;
        }
    }

    /// Has the agent told that waits for this answer.
    pub(crate) async fn tell_answered(&self, approval: &forge_model::Approval) -> Result<()> {
        let Some(process) = approval.process_id else { return Ok(()) };
        match self.get_process(process).await {
            Ok(process) => {
                self.inner.actors.send(self, process.attempt_id, Request::Answered(approval.id));
                Ok(())
            }
            // Deleted meanwhile, with its attempt.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }
}

async fn until(next: Option<Timestamp>) {
    let Some(next) = next else { return std::future::pending().await };
    let left = next.as_millis().saturating_sub(Timestamp::now().as_millis());
    let left = Duration::from_millis(u64::try_from(left).unwrap_or_default());
    tokio::time::sleep_until(Instant::now() + left).await;
}
