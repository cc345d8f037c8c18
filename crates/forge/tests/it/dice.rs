//! Chance that is the same in every run: what happens, the seed chooses; when it happens, the machine chooses.

pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A number below `sides`.
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        // The multiplier and increment of Knuth's MMIX; the upper bits are the good ones.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        (!from.is_empty()).then(|| &from[self.roll(from.len())])
    }
}

/// How often a test of chance plays: as the variable says, which `make nightly` sets.
pub(crate) fn times(variable: &str, otherwise: usize) -> usize {
    std::env::var_os(variable).map_or(otherwise, |text| text.to_str().unwrap().parse().unwrap())
}
