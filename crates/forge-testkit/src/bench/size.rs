//! How soon it serves, and what it costs to have it.

use std::time::Instant;

use anyhow::Result;

use super::place::{Place, file_size};
use super::stats::Times;
use super::{Bench, Row};

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let (mut fresh, mut warm) = (Times::default(), Times::default());
    let mut place = Place::small(bench).await?;
    for _ in 0..bench.times(10) {
        let began = Instant::now();
        let server = crate::server::Setup::new(&bench.forge).env("FORGE_LOG", "warn").start().await;
        fresh.push(began.elapsed());
        drop(server);
        place.server.kill_9().await;
        let began = Instant::now();
        place.server.restart().await;
        warm.push(began.elapsed());
    }
    place.server.get("/api/projects").await;
    Ok(vec![
        Row::new("cold start, new folder", fresh.median(), "ms").at_most(50.0),
        Row::new("cold start, known folder", warm.median(), "ms").at_most(15.0),
        Row::new("memory at rest", place.memory("VmRSS")?, "MB").at_most(20.0),
        Row::new("program", file_size(&bench.forge)?, "MB").at_most(35.0),
    ])
}
