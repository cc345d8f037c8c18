//! Texts as they are shown: not too long, without a terminal's colours, paths from where the agent works.

use std::cell::Cell;

/// The longest text of an agent or a person that is sent whole.
pub(super) const MOST_TEXT: usize = 128 * 1024;
/// The longest output of a tool that is sent whole.
pub(super) const MOST_OUTPUT: usize = 32 * 1024;
/// The longest output that is only beside the point.
pub(super) const MOST_ASIDE: usize = 4 * 1024;

/// The longest text of an entry that somebody asked to have whole.
const MOST_WHOLE: usize = 8 << 20;

thread_local! {
    /// Whether what is folded on this thread just now is to be whole, and whether something was left out of it. Folding a
    /// frame never waits, so it is one transcript's at a time; every text of every protocol passes through here, and none
    /// of them has to carry it along.
    static WHOLE: Cell<bool> = const { Cell::new(false) };
    static LEFT_OUT: Cell<bool> = const { Cell::new(false) };
}

/// A piece of a transcript is about to be folded.
pub(super) fn begin(whole: bool) {
    WHOLE.set(whole);
    LEFT_OUT.set(false);
}

/// Whether something was left out since this was last asked.
pub(super) fn was_cut() -> bool {
    LEFT_OUT.take()
}

/// Whether something of this size is sent; what is not is missed.
pub(super) fn fits(size: usize, most: usize) -> bool {
    let fits = size <= if WHOLE.get() { MOST_WHOLE } else { most };
    if !fits {
        LEFT_OUT.set(true);
    }
    fits
}

/// The text, or its beginning and how much was left out.
pub(super) fn cut(text: &str, most: usize) -> String {
    if fits(text.len(), most) {
        return text.to_owned();
    }
    let most = if WHOLE.get() { MOST_WHOLE } else { most };
    let (head, rest) = text.split_at_checked(text.floor_char_boundary(most)).unwrap_or((text, ""));
    format!("{head}\n… {} more bytes are in the raw log", rest.len())
}

/// The text without the sequences by which a terminal is told colours and the like.
pub(super) fn without_colours(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    if !text.contains(['\u{1b}', '\r']) {
        return text.into_owned();
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' => match chars.next() {
                // Parameters up to a letter.
                Some('[') => while chars.next().is_some_and(|next| !('@'..='~').contains(&next)) {},
                // A title or a link, up to a bell or the sequence that ends strings.
                Some(']') => {
                    while let Some(next) = chars.next() {
                        if next == '\u{7}' || (next == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                            break;
                        }
                    }
                }
                _ => {}
            },
            '\r' => {}
            other => plain.push(other),
        }
    }
    plain
}

/// The path as seen from `root`, where it lies below.
pub(super) fn below<'a>(path: &'a str, root: Option<&str>) -> &'a str {
    let inside = root.filter(|root| root.len() > 1).and_then(|root| path.strip_prefix(root));
    inside.and_then(|rest| rest.strip_prefix('/')).filter(|rest| !rest.is_empty()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_says_how_much_is_missing_and_is_cut_between_characters() {
        assert_eq!(cut("äöü", 6), "äöü");
        assert_eq!(cut("äöü", 3), "ä\n… 4 more bytes are in the raw log");
    }

    #[test]
    fn colours_titles_and_broken_sequences_go() {
        assert_eq!(without_colours(b"\x1b[1;31mred\x1b[0m\r"), "red");
        assert_eq!(without_colours(b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b"), "ab");
        assert_eq!(without_colours(b"a\x1b[31"), "a");
        assert_eq!(without_colours(b"a\xff"), "a\u{fffd}");
    }

    #[test]
    fn only_what_lies_below_is_shortened() {
        assert_eq!(below("/repo/src/a.rs", Some("/repo")), "src/a.rs");
        assert_eq!(below("/repository/a.rs", Some("/repo")), "/repository/a.rs");
        assert_eq!(below("/a", Some("/")), "/a");
        assert_eq!(below("/repo/", Some("/repo")), "/repo/");
    }
}
