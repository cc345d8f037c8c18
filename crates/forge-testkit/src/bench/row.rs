//! One line of the table.

use std::fmt;

use serde::Serialize;

/// One number, and what it is held against.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    what: String,
    ours: f64,
    unit: &'static str,
    /// The same without Forge.
    floor: Option<f64>,
    wanted: Option<Wanted>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum Wanted {
    AtMost(f64),
    AtLeast(f64),
}

impl Row {
    pub(super) fn new(what: impl Into<String>, ours: f64, unit: &'static str) -> Self {
        Self { what: what.into(), ours, unit, floor: None, wanted: None }
    }

    pub(super) fn floor(mut self, floor: f64) -> Self {
        self.floor = Some(floor);
        self
    }

    pub(super) fn at_most(mut self, most: f64) -> Self {
        self.wanted = Some(Wanted::AtMost(most));
        self
    }

    pub(super) fn at_least(mut self, least: f64) -> Self {
        self.wanted = Some(Wanted::AtLeast(least));
        self
    }

    fn is_met(&self) -> bool {
        match self.wanted {
            None => true,
            Some(Wanted::AtMost(most)) => self.ours <= most,
            Some(Wanted::AtLeast(least)) => self.ours >= least,
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let floor = self.floor.map(short).unwrap_or_default();
        let wanted = match self.wanted {
            None => String::new(),
            Some(Wanted::AtMost(most)) => format!("≤ {}", short(most)),
            Some(Wanted::AtLeast(least)) => format!("≥ {}", short(least)),
        };
        let mark = if self.is_met() { "" } else { "missed" };
        write!(f, "| {} | {} {} | {floor} | {wanted} | {mark} |", self.what, short(self.ours), self.unit)
    }
}

/// Three figures are all that a busy machine can tell.
fn short(number: f64) -> String {
    match number.abs() {
        size if size >= 100.0 || number.fract() == 0.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 1.0 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}
