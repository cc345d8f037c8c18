//! A hundred starts at once.

use std::time::{Duration, Instant};

use anyhow::Result;
use futures::future::{Either, join_all, select};

use super::client::Client;
use super::place::Place;
use super::stats::{Times, number};
use super::{Bench, Row};

const AT_ONCE: usize = 100;

pub(super) async fn measure(bench: &Bench) -> Result<Vec<Row>> {
    let (mut started, mut total, mut floor, mut meanwhile) =
        (AT_ONCE, Times::default(), Times::default(), Times::default());
    for _ in 0..bench.times(3) {
        let mut place = Place::small(bench).await?;
        let mut adds = Times::default();
        for _ in 0..AT_ONCE {
            adds.push(place.add_worktree());
        }
        floor.push(Duration::from_secs_f64(adds.sum() / 1000.0));
        rustix::fs::sync();
        let began = Instant::now();
        let starts = join_all((0..AT_ONCE).map(|_| place.client.start(&place.project, "@until-told")));
        let probe = Client::new(&place.server)?;
        let (done, times) = beside(starts, &probe).await?;
        total.push(began.elapsed());
        started = started.min(done.iter().filter(|done| done.is_ok()).count());
        meanwhile.extend([times]);
    }
    Ok(vec![
        Row::new("100 at once: started, worst run", number(started), "").at_least(100.0),
        Row::new("… all of them", total.median(), "ms").floor(floor.median()),
        Row::new("… × 100 worktree adds", total.median() / floor.median(), "×").at_most(1.5),
        Row::new("… GET meanwhile, p50", meanwhile.median(), "ms"),
        Row::new("… GET meanwhile, p99", meanwhile.p99(), "ms").at_most(50.0),
    ])
}

/// Does `work`, and asks something simple over and over meanwhile.
async fn beside<T>(work: impl Future<Output = T>, probe: &Client) -> Result<(T, Times)> {
    let mut times = Times::default();
    let mut work = std::pin::pin!(work);
    let mut pause = tokio::time::interval(Duration::from_millis(5));
    loop {
        let ask = std::pin::pin!(async {
            pause.tick().await;
            let began = Instant::now();
            probe.get("/api/projects").await.map(|_| began.elapsed())
        });
        match select(work.as_mut(), ask).await {
            Either::Left((done, _asking)) => return Ok((done, times)),
            Either::Right((time, _working)) => times.push(time?),
        }
    }
}
