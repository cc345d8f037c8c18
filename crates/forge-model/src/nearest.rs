//! The known name that somebody may have meant.

/// The name among `known` that is closest to `text`, if it is close enough to be meant.
pub fn nearest<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // No name is longer; what somebody sent may be.
    let text: Vec<char> = text.chars().take(80).flat_map(char::to_uppercase).collect();
    let far = |name: &str| distance(&text, &name.to_uppercase().chars().collect::<Vec<_>>());
    let closest = known.into_iter().map(|name| (far(name), name)).min_by_key(|(steps, _)| *steps);
    closest.filter(|(steps, name)| *steps * 3 <= name.chars().count()).map(|(_, name)| name)
}

/// How many characters have to be changed, added or removed.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (done, this) in from.iter().enumerate() {
        let mut last = done + 1;
        let mut next = vec![last];
        for ((that, above), diagonal) in to.iter().zip(row.iter().skip(1)).zip(&row) {
            let changed = diagonal + usize::from(this != that);
            last = changed.min(above + 1).min(last + 1);
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["CLAUDE_CODE", "CODEX", "AMP"];
        assert_eq!(nearest("claud_code", known), Some("CLAUDE_CODE"));
        assert_eq!(nearest("CODX", known), Some("CODEX"));
        assert_eq!(nearest("AMP", known), Some("AMP"));
        for other in ["EMACS_DOCTOR", "NO_SUCH_AGENT"] {
            assert_eq!(nearest(other, ["CURSOR_AGENT", "CLAUDE_CODE"]), None, "{other}");
        }
        assert_eq!(nearest("", known), None);
        assert_eq!(nearest("x", []), None);
    }
}
