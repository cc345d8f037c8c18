//! 200,000 entries of a transcript, in one go.

use std::time::Instant;

use anyhow::{Context as _, Result};

use super::place::Place;
use super::stats::number;
use super::{Bench, Row};
use crate::gate::Gate;
use crate::server::Logs;

const ENTRIES: usize = 200_000;

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let place = Place::small(bench).await?;
    let gate = Gate::new(place.repo.beside("gate"));
    let steps = format!("@wait-fifo {}\n@flood {ENTRIES}", gate.path().display());
    let started = place.client.start(&place.project, &steps).await?;
    let path = format!("/api/execution-processes/{}/normalized-logs/ws", started.process);
    let logs = place.server.logs_at(&path).await;
    gate.open().await;
    let began = Instant::now();
    let (live, last) = count(logs).await?;
    let took = began.elapsed().as_secs_f64();
    let (peak, used) = (place.memory("VmHWM")?, place.processor()?);
    let began = Instant::now();
    let (later, last_later) = count(place.server.logs_at(&path).await).await?;
    let again = began.elapsed().as_secs_f64();
    let used_again = place.processor()? - used;
    let peak_again = place.memory("VmHWM")?;
    // The last number tells whether one is missing.
    let whole = |count: usize, last: usize| if count == last + 1 { count } else { 0 };
    let (live, later) = (whole(live, last), whole(later, last_later));
    // The prompt and the name of the model are entries too.
    let (live, later) = (live.saturating_sub(2), later.saturating_sub(2));
    let all = number(ENTRIES);
    Ok(vec![
        Row::new("200,000 normalised entries: arrived live", number(live), "").at_least(all),
        Row::new("… per second", number(live) / took, "").at_least(150_000.0),
        Row::new("… server's processor time", used, "s"),
        Row::new("… server's peak memory", peak, "MB").at_most(64.0),
        Row::new("… read after the end", number(later), "").at_least(all),
        Row::new("… per second", number(later) / again, "").at_least(150_000.0),
        Row::new("… server's processor time", used_again, "s"),
        Row::new("… server's peak memory", peak_again, "MB").at_most(64.0),
    ])
}

/// How many entries were added, and the number of the last. Frames are not parsed: the client shall cost little.
async fn count(mut logs: Logs) -> Result<(usize, usize)> {
    const ADDED: &str = "{\"op\":\"add\",\"path\":\"/entries/";
    let (mut entries, mut last) = (0, 0);
    while let Some(frame) = logs.next_frame().await {
        entries += frame.matches(ADDED).count();
        if let Some((_, rest)) = frame.rsplit_once(ADDED) {
            last = rest.split('"').next().context("a number")?.parse()?;
        }
    }
    Ok((entries, last))
}
