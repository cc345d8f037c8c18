//! Deadlines after a period, which neither a suspended machine nor a changed clock delays.
//!
//! The monotonic clock stops while a machine is suspended, and the wall clock can be set back. A deadline is reached as
//! soon as either clock says so.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::log::now_ms;

/// The end of a period, by both clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    monotonic: Instant,
    wall_ms: u64,
}

impl Deadline {
    /// Returns the deadline this long from now.
    #[must_use]
    pub fn after(period: Duration) -> Self {
        Self::at(Instant::now(), now_ms(), period)
    }

    fn at(now: Instant, now_ms: u64, period: Duration) -> Self {
        let period_ms = u64::try_from(period.as_millis()).unwrap_or(u64::MAX);
        Self { monotonic: now + period, wall_ms: now_ms.saturating_add(period_ms) }
    }

    /// Waits until the deadline is reached. The clocks are compared at least once per `check`, because no timer fires
    /// when the wall clock is set or the machine resumes.
    pub async fn reached(self, check: Duration) {
        loop {
            let left = self.left(Instant::now(), now_ms());
            if left.is_zero() {
                return;
            }
            sleep_until(Instant::now() + left.min(check)).await;
        }
    }

    fn left(self, now: Instant, now_ms: u64) -> Duration {
        let wall = Duration::from_millis(self.wall_ms.saturating_sub(now_ms));
        self.monotonic.saturating_duration_since(now).min(wall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);
    const HOUR_MS: u64 = 3_600_000;
    const NOON_MS: u64 = 1_800_000_000_000;

    #[test]
    fn deadline_is_reached_by_either_clock() {
        let now = Instant::now();
        let deadline = Deadline::at(now, NOON_MS, HOUR);
        assert_eq!(deadline.left(now, NOON_MS), HOUR);
        assert_eq!(deadline.left(now + HOUR / 2, NOON_MS + HOUR_MS / 2), HOUR / 2);
        // Suspended for an hour: only the wall clock went on.
        assert_eq!(deadline.left(now, NOON_MS + HOUR_MS), Duration::ZERO);
        // Set back by a year.
        assert_eq!(deadline.left(now + HOUR, NOON_MS - 365 * 24 * HOUR_MS), Duration::ZERO);
    }

    #[tokio::test]
    async fn reached_returns_after_period() {
        let began = Instant::now();
        Deadline::after(Duration::from_millis(30)).reached(Duration::from_millis(10)).await;
        assert!(began.elapsed() >= Duration::from_millis(29));
    }
}
