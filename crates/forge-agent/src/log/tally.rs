//! What was printed up to a place of a log: whoever goes on from there needs nothing of what came before.

use super::Stream;

/// How many bytes of a stream can matter to the ones that follow: a character has at most one more.
const TAIL: usize = 3;

/// The sum of the frames before a place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many frames were printed, on either stream.
    pub printed: u64,
    /// The number of the last of them; 0 if there is none.
    pub last_printed: u64,
    pub stdout: Tail,
    pub stderr: Tail,
}

/// The last bytes of a stream, as they came.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tail {
    len: u8,
    bytes: [u8; TAIL],
}

impl Tally {
    pub(super) const SIZE: usize = 24;

    /// Adds frame `seq`, of whose bytes only the last few are needed: see [`Tally::needs`].
    pub(super) fn pass(&mut self, seq: u64, stream: Stream, bytes: &[u8]) {
        let tail = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
            Stream::Stdin | Stream::StdinClosed | Stream::Note => return,
        };
        tail.push(bytes);
        self.printed += 1;
        self.last_printed = seq;
    }

    /// How many of the last bytes of a frame [`Tally::pass`] has to be given.
    pub(super) fn needs(len: usize) -> usize {
        len.min(TAIL)
    }

    pub(super) fn encode(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&self.printed.to_le_bytes());
        into.extend_from_slice(&self.last_printed.to_le_bytes());
        for tail in [self.stdout, self.stderr] {
            into.push(tail.len);
            into.extend_from_slice(&tail.bytes);
        }
    }

    pub(super) fn decode(bytes: &[u8; Self::SIZE]) -> Option<Self> {
        let (printed, rest) = bytes.split_first_chunk::<8>()?;
        let (last_printed, rest) = rest.split_first_chunk::<8>()?;
        let (stdout, rest) = rest.split_first_chunk::<4>()?;
        Some(Self {
            printed: u64::from_le_bytes(*printed),
            last_printed: u64::from_le_bytes(*last_printed),
            stdout: Tail::decode(*stdout)?,
            stderr: Tail::decode(*rest.first_chunk::<4>()?)?,
        })
    }
}

impl Tail {
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_default()
    }

    fn push(&mut self, bytes: &[u8]) {
        let (from, skip) = (*self, bytes.len().saturating_sub(TAIL));
        let new = bytes.get(skip..).unwrap_or_default();
        let kept = from.as_bytes().len().min(TAIL - new.len());
        let old = from.as_bytes().iter().skip(from.as_bytes().len() - kept);
        self.len = 0;
        for (place, byte) in self.bytes.iter_mut().zip(old.chain(new)) {
            *place = *byte;
            self.len += 1;
        }
    }

    fn decode([len, bytes @ ..]: [u8; 4]) -> Option<Self> {
        (usize::from(len) <= TAIL).then_some(Self { len, bytes })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_tail_is_the_end_of_all_that_was_printed(pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6), 0..6)) {
            let mut tally = Tally::default();
            for (seq, piece) in (1..).zip(&pieces) {
                tally.pass(seq, Stream::Stdout, &piece[piece.len() - Tally::needs(piece.len())..]);
                tally.pass(seq, Stream::Stdin, b"not printed");
            }
            let all = pieces.concat();
            prop_assert_eq!(tally.stdout.as_bytes(), &all[all.len().saturating_sub(TAIL)..]);
            prop_assert_eq!((tally.printed, tally.last_printed), (pieces.len() as u64, pieces.len() as u64));
            let mut bytes = Vec::new();
            tally.encode(&mut bytes);
            prop_assert_eq!(Tally::decode(bytes.as_slice().try_into().unwrap()), Some(tally));
        }
    }
}
