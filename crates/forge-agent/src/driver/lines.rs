//! Cuts a stream of bytes into lines, however the bytes were split on their way.

/// The line that is not whole yet.
#[derive(Debug)]
pub(crate) struct Lines {
    part: Vec<u8>,
    longest: usize,
    /// The present line is too long already: it is passed over up to its end.
    skips: bool,
}

impl Lines {
    pub(crate) const fn new(longest: usize) -> Self {
        Self { part: Vec::new(), longest, skips: false }
    }

    /// Gives out every line that the bytes complete, without its end; none in place of one that is too long.
    pub(crate) fn push(&mut self, bytes: &[u8], mut line: impl FnMut(Option<&[u8]>)) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = match piece.strip_suffix(b"\n") {
                Some(text) => (text, true),
                None => (piece, false),
            };
            self.skips |= self.part.len() + text.len() > self.longest;
            if self.skips {
                self.part = Vec::new();
                self.skips = !ends;
                if ends {
                    line(None);
                }
            } else if !ends {
                self.part.extend_from_slice(text);
            } else if self.part.is_empty() {
                line(Some(text));
            } else {
                self.part.extend_from_slice(text);
                line(Some(&self.part));
                self.part.clear();
            }
        }
    }

    /// Gives out the line that nobody ended, once there is no more.
    pub(crate) fn finish(&mut self, line: impl FnOnce(Option<&[u8]>)) {
        let part = std::mem::take(&mut self.part);
        if self.skips {
            line(None);
        } else if !part.is_empty() {
            line(Some(&part));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines(longest: usize, pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut lines = Lines::new(longest);
        let mut found = Vec::new();
        for piece in pieces {
            lines.push(piece, |line| found.push(line.unwrap_or(b"?").to_vec()));
        }
        found
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_and_the_next_is_not() {
        assert_eq!(lines(3, &[b"abc\nabcd\nxyz\n"]), [&b"abc"[..], b"?", b"xyz"]);
        assert_eq!(lines(3, &[b"ab", b"cd", b"\nx", b"yz\n"]), [&b"?"[..], b"xyz"]);
    }

    proptest! {
        #[test]
        fn any_split_gives_the_same_lines(
            text in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'a')], 0..60),
            width in 1_usize..9,
        ) {
            let pieces: Vec<&[u8]> = text.chunks(width).collect();
            prop_assert_eq!(lines(4, &pieces), lines(4, &[&text]));
        }
    }
}
