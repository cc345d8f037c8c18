//! What is due at a time: an approval that nobody answered, a prompt that was to wait. One task sleeps until the next of
//! them; that they are rows makes them outlive the server.

use std::time::Duration;

use forge_model::Timestamp;
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::actor::Request;
use crate::engine::Engine;
use crate::error::{ErrorKind, Result};

/// How late a deadline may be after the machine was suspended or its clock set. While none is pending, nothing wakes.
const CHECK: Duration = Duration::from_secs(60);

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
                    () = until(next, Timestamp::now) => {}
                }
            }
        });
    }

    /// Does what is due since it was last rung, and tells when something is next.
    async fn ring(&self, rung: &mut Timestamp) -> Result<Option<Timestamp>> {
        loop {
            let now = Timestamp::now();
            *rung = last_ring(*rung, now);
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

/// Waits until the next deadline by the wall clock, or at most for [`CHECK`]: timers stop while the machine is suspended,
/// and do not notice that the clock was set. Without a deadline nothing wakes.
async fn until(next: Option<Timestamp>, clock: impl Fn() -> Timestamp) {
    let Some(next) = next else { return std::future::pending().await };
    let mut before = clock();
    while let Some(nap) = nap(next, clock()) {
        tokio::time::sleep_until(Instant::now() + nap).await;
        let now = clock();
        if now < before {
            // Set back: what was rung for may be due again.
            return;
        }
        before = now;
    }
}

/// Returns the time up to which deadlines were rung. After the clock was set back, deadlines between now and the last ring
/// are still to come.
fn last_ring(rung: Timestamp, now: Timestamp) -> Timestamp {
    rung.min(now)
}

/// Returns the time to sleep until the clock is looked at again; none when the deadline is reached.
fn nap(next: Timestamp, now: Timestamp) -> Option<Duration> {
    let left = u64::try_from(next.as_millis().saturating_sub(now.as_millis())).unwrap_or_default();
    (left > 0).then(|| Duration::from_millis(left).min(CHECK))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    /// Steps of a clock that are read one after the other; the last one stays.
    async fn reads(next: i64, steps: &[i64]) -> i64 {
        let read = AtomicI64::new(0);
        let clock = || {
            let n = usize::try_from(read.fetch_add(1, Ordering::Relaxed)).unwrap();
            Timestamp::from_millis(steps[n.min(steps.len() - 1)])
        };
        until(Some(Timestamp::from_millis(next)), clock).await;
        read.load(Ordering::Relaxed)
    }

    #[test]
    fn nap_is_bounded() {
        let nap = |next, now| nap(Timestamp::from_millis(next), Timestamp::from_millis(now));
        assert_eq!(nap(HOUR_MS, 0), Some(CHECK));
        assert_eq!(nap(HOUR_MS, HOUR_MS - 5), Some(Duration::from_millis(5)));
        assert_eq!(nap(HOUR_MS, HOUR_MS), None);
        assert_eq!(nap(0, HOUR_MS), None, "a deadline that was missed is reached");
        assert_eq!(nap(i64::MAX, i64::MIN), Some(CHECK));
    }

    #[tokio::test]
    async fn deadline_is_reached_after_step_forwards() {
        // The first nap is of 5 ms; the clock steps an hour meanwhile.
        assert_eq!(reads(5, &[0, 0, HOUR_MS]).await, 4);
    }

    #[tokio::test]
    async fn wait_ends_after_step_backwards() {
        assert_eq!(reads(HOUR_MS + 5, &[HOUR_MS, HOUR_MS, 0]).await, 3);
    }

    #[test]
    fn step_backwards_rings_later_deadlines_again() {
        let last =
            |rung, now| last_ring(Timestamp::from_millis(rung), Timestamp::from_millis(now)).as_millis();
        assert_eq!(last(HOUR_MS, 2 * HOUR_MS), HOUR_MS);
        assert_eq!(last(HOUR_MS, 5), 5, "a deadline at 10 is not passed over");
    }
}
