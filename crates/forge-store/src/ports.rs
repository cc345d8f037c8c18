//! Blocks of ports: what an attempt's programs may listen on without meeting another attempt's.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use forge_model::AttemptId;

use crate::StoreError;
use crate::backend::on;
use crate::write::WriteTx;

/// How many ports in a row are one attempt's alone.
pub const PORTS_PER_ATTEMPT: u16 = 10;

/// Gives an attempt the first block in `range` that nobody has and all of whose ports are free. None when
/// there is none left: an attempt can do without.
pub(crate) async fn claim(
    tx: &mut WriteTx,
    attempt: AttemptId,
    range: RangeInclusive<u16>,
    is_free: impl Fn(u16) -> bool + Send,
) -> Result<Option<u16>, StoreError> {
    let taken: Vec<(i32,)> =
        on!(tx.db(), |db| sqlx::query_as("SELECT first_port FROM port_block").fetch_all(db).await)
            .map_err(StoreError::query("list ports"))?;
    let taken: HashSet<i32> = taken.into_iter().map(|(first,)| first).collect();
    let Some(first) = choose(range, |first| taken.contains(&i32::from(first)), is_free) else {
        return Ok(None);
    };
    on!(tx.db(), |db| sqlx::query("INSERT INTO port_block (first_port, attempt_id) VALUES ($1, $2)")
        .bind(i32::from(first))
        .bind(attempt.as_uuid())
        .execute(db)
        .await
        .map(drop))
    .map_err(StoreError::query("claim ports"))
    .map_err(|error| error.or_conflict("the attempt has ports already"))?;
    Ok(Some(first))
}

/// Gives back what an attempt has.
pub(crate) async fn release(tx: &mut WriteTx, attempt: AttemptId) -> Result<(), StoreError> {
    on!(tx.db(), |db| sqlx::query("DELETE FROM port_block WHERE attempt_id = $1")
        .bind(attempt.as_uuid())
        .execute(db)
        .await
        .map(drop))
    .map_err(StoreError::query("release ports"))
}

/// Blocks begin at multiples of their size, so that two ranges never give out blocks that overlap.
fn choose(
    range: RangeInclusive<u16>,
    is_taken: impl Fn(u16) -> bool,
    is_free: impl Fn(u16) -> bool,
) -> Option<u16> {
    let last = *range.end();
    let first = range.start().checked_next_multiple_of(PORTS_PER_ATTEMPT)?;
    (first..=last).step_by(usize::from(PORTS_PER_ATTEMPT)).find(|&first| {
        let ends = first.checked_add(PORTS_PER_ATTEMPT - 1);
        ends.is_some_and(|end| end <= last && !is_taken(first) && (first..=end).all(&is_free))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_lies_within_the_range_and_holds_no_port_in_use() {
        let free = |_| true;
        assert_eq!(choose(20_001..=20_039, |_| false, free), Some(20_010));
        assert_eq!(choose(20_001..=20_039, |first| first == 20_010, free), Some(20_020));
        assert_eq!(choose(20_001..=20_039, |_| false, |port| port != 20_019), Some(20_020));
        assert_eq!(choose(20_001..=20_018, |_| false, free), None);
        assert_eq!(choose(65_530..=65_535, |_| false, free), None);
        assert_eq!(choose(20_000..=20_039, |_| true, free), None);
    }
}
