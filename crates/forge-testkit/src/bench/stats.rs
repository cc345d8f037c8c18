//! What many measurements come to.

use std::time::Duration;

/// Measured times.
#[derive(Debug, Default, Clone)]
pub(super) struct Times(Vec<f64>);

impl Times {
    pub(super) fn push(&mut self, time: Duration) {
        self.0.push(time.as_secs_f64() * 1000.0);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// In milliseconds.
    pub(super) fn median(&self) -> f64 {
        self.at(0.5)
    }

    /// In milliseconds: one in a hundred took longer.
    pub(super) fn p99(&self) -> f64 {
        self.at(0.99)
    }

    /// In milliseconds.
    pub(super) fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    fn at(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().saturating_sub(1);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a place in a list of thousands"
        )]
        let place = (last as f64 * part).round() as usize;
        sorted.get(place).copied().unwrap_or(f64::NAN)
    }
}

impl Extend<Self> for Times {
    fn extend<T: IntoIterator<Item = Self>>(&mut self, others: T) {
        for other in others {
            self.0.extend(other.0);
        }
    }
}

/// A count as a number among others.
#[expect(clippy::cast_precision_loss, reason = "no count here comes near 2^52")]
pub(super) const fn number(count: usize) -> f64 {
    count as f64
}
