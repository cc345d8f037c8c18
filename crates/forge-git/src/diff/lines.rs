//! How many lines were added and deleted between two texts.

use std::collections::HashMap;

/// How many changed lines are counted exactly. Beyond them the cost grows with their square, so a line counts as
/// unchanged there if the other text has it anywhere.
const MOST_EXACT: usize = 2000;

/// Lines added and deleted: as few as turn the one text into the other.
pub(super) fn count(old: &[u8], new: &[u8]) -> (u64, u64) {
    let (old, new) = (split(old), split(new));
    let same = |(a, b): &(&&[u8], &&[u8])| a == b;
    let before = old.iter().zip(&new).take_while(same).count();
    let (old, new) = (old.get(before..).unwrap_or_default(), new.get(before..).unwrap_or_default());
    let after = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
    let old = old.get(..old.len() - after).unwrap_or_default();
    let new = new.get(..new.len() - after).unwrap_or_default();
    if old.is_empty() || new.is_empty() {
        return (new.len() as u64, old.len() as u64);
    }
    match edits(old, new) {
        // The edits are additions and deletions, and these differ by how much longer the new text is.
        Some(edits) => {
            let added = (edits + new.len() - old.len().min(edits + new.len())) / 2;
            (added as u64, (edits - added.min(edits)) as u64)
        }
        None => roughly(old, new),
    }
}

/// Lines with what ends them, so that a missing last line break is a difference.
fn split(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The fewest additions and deletions between two lists, by the greedy search along diagonals; none when they are
/// too many.
fn edits(old: &[&[u8]], new: &[&[u8]]) -> Option<usize> {
    let most = (old.len() + new.len()).min(MOST_EXACT);
    // `reached[k]` is how far into `old` one gets on diagonal `k - offset` with the edits so far.
    let offset = most + 1;
    let mut reached = vec![0_usize; 2 * most + 3];
    let at = |reached: &[usize], k: usize| reached.get(k).copied().unwrap_or(0);
    for edits in 0..=most {
        let mut k = offset - edits;
        while k <= offset + edits {
            let down =
                k == offset - edits || (k != offset + edits && at(&reached, k - 1) < at(&reached, k + 1));
            let mut x = if down { at(&reached, k + 1) } else { at(&reached, k - 1) + 1 };
            // `y = x - (k - offset)`; a place outside the lists is left at once.
            while let Some(y) = (x + offset).checked_sub(k)
                && let (Some(a), Some(b)) = (old.get(x), new.get(y))
                && a == b
            {
                x += 1;
            }
            if let Some(cell) = reached.get_mut(k) {
                *cell = x;
            }
            if x >= old.len() && (x + offset).checked_sub(k).is_some_and(|y| y >= new.len()) {
                return Some(edits);
            }
            k += 2;
        }
    }
    None
}

/// Lines that only one of the texts has.
fn roughly(old: &[&[u8]], new: &[&[u8]]) -> (u64, u64) {
    let mut left: HashMap<&[u8], u64> = HashMap::new();
    for line in old {
        *left.entry(line).or_default() += 1;
    }
    let mut added = 0;
    for line in new {
        match left.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            Some(_) | None => added += 1,
        }
    }
    (added, left.values().sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_and_deletions_are_counted() {
        let cases: [(&str, &str, (u64, u64)); 8] = [
            ("", "", (0, 0)),
            ("", "a\nb\n", (2, 0)),
            ("a\nb", "", (0, 2)),
            ("a\n", "a", (1, 1)),
            ("a\nb\nc\n", "a\nc\n", (0, 1)),
            ("a\nb\nc\n", "a\nx\ny\nc\n", (2, 1)),
            ("a\nb\nc\nd\n", "d\na\nb\nc\n", (1, 1)),
            ("1\n2\n3\n4\n5\n", "0\n2\n9\n4\n6\n7\n", (4, 3)),
        ];
        for (old, new, counts) in cases {
            assert_eq!(count(old.as_bytes(), new.as_bytes()), counts, "{old:?} {new:?}");
        }
    }

    #[test]
    fn texts_with_nothing_in_common_are_counted_in_no_time() {
        let text = |word: &str| (0..200_000).map(|line| format!("{word} {line}\n")).collect::<String>();
        assert_eq!(count(text("old").as_bytes(), text("new").as_bytes()), (200_000, 200_000));
    }

    proptest::proptest! {
        /// The lists are short, so the table of all distances is small.
        #[test]
        fn the_count_is_the_smallest(old in "[abc\n]{0,24}", new in "[abc\n]{0,24}") {
            let (a, b) = (split(old.as_bytes()), split(new.as_bytes()));
            let mut common = vec![vec![0_u64; b.len() + 1]; a.len() + 1];
            for i in 0..a.len() {
                for j in 0..b.len() {
                    common[i + 1][j + 1] = if a[i] == b[j] { common[i][j] + 1 } else { common[i][j + 1].max(common[i + 1][j]) };
                }
            }
            let kept = common[a.len()][b.len()];
            proptest::prop_assert_eq!(count(old.as_bytes(), new.as_bytes()), (b.len() as u64 - kept, a.len() as u64 - kept));
        }
    }
}
