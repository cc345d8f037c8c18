//! create-and-start, one by one, against `git worktree add`.

use std::time::Instant;

use anyhow::Result;

use super::place::Place;
use super::stats::Times;
use super::{Bench, Row};

/// From so many files on, a worktree is made in advance.
const POOLED: usize = 1000;

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let small = Place::small(bench).await?;
    rows.extend(against_git(small, bench.times(40), 20, 1.5).await?);
    let files = if bench.quick { 2_000 } else { 20_000 };
    let large = Place::new(bench, files, 7_500).await?;
    rows.extend(against_git(large, bench.times(5), files, 0.05).await?);
    Ok(rows)
}

async fn against_git(mut place: Place, times: usize, files: usize, most: f64) -> Result<Vec<Row>> {
    let (mut ours, mut floor) = (Times::default(), Times::default());
    // The first of each finds cold caches.
    for warm in 0..=times {
        if files >= POOLED && warm > 0 {
            place.until_spare().await;
        }
        let git = place.add_worktree();
        let began = Instant::now();
        place.client.start(&place.project, "@until-told").await?;
        if warm > 0 {
            ours.push(began.elapsed());
            floor.push(git);
        }
    }
    Ok(vec![
        Row::new(format!("create-and-start, {files} files"), ours.median(), "ms").floor(floor.median()),
        Row::new(format!("… × worktree add, {files} files"), ours.median() / floor.median(), "×")
            .at_most(most),
    ])
}
