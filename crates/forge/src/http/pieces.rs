//! Long JSON that is written while it is sent: a reader costs one piece of it, however long the whole is.

use axum::body::Bytes;

use super::problem::Problem;

/// A piece is sent when it has this many bytes.
const PIECE: usize = 64 * 1024;

/// A text, piece by piece.
pub(super) type Pieces = Box<dyn Iterator<Item = Result<Bytes, Problem>> + Send>;

/// Writes `head`, the items with commas between them, and `tail`.
pub(super) fn pieces<T, W>(head: String, items: Vec<T>, tail: String, write: W) -> Pieces
where
    T: Send + 'static,
    W: Fn(&T, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
{
    Box::new(Writing {
        piece: head.into_bytes(),
        items: items.into_iter(),
        tail: Some(tail),
        first: true,
        write,
    })
}

struct Writing<T, W> {
    /// What is not sent yet.
    piece: Vec<u8>,
    items: std::vec::IntoIter<T>,
    /// None when everything is written.
    tail: Option<String>,
    first: bool,
    write: W,
}

impl<T, W> Iterator for Writing<T, W>
where
    W: Fn(&T, &mut Vec<u8>) -> serde_json::Result<()>,
{
    type Item = Result<Bytes, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        self.tail.as_ref()?;
        while self.piece.len() < PIECE {
            let Some(item) = self.items.next() else {
                self.piece.extend_from_slice(self.tail.take().unwrap_or_default().as_bytes());
                break;
            };
            if !std::mem::take(&mut self.first) {
                self.piece.push(b',');
            }
            if let Err(error) = (self.write)(&item, &mut self.piece) {
                self.tail = None;
                return Some(Err(Problem::internal(error)));
            }
        }
        Some(Ok(std::mem::take(&mut self.piece).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(count: usize) -> (usize, String) {
        let items: Vec<_> = (0..count).map(|number| format!("{number:04}{}", "x".repeat(1_000))).collect();
        let all =
            pieces("[".to_owned(), items, "]".to_owned(), |item, piece| serde_json::to_writer(piece, item));
        let all: Vec<_> = all.map(|piece| piece.unwrap().to_vec()).collect();
        (all.len(), String::from_utf8(all.concat()).unwrap())
    }

    #[test]
    fn pieces_make_up_the_whole() {
        for (count, expected) in [(0, 1), (1, 1), (500, 8)] {
            let (pieces, text) = written(count);
            let items: Vec<String> = serde_json::from_str(&text).unwrap();
            assert_eq!((pieces, items.len()), (expected, count));
            assert!(items.iter().enumerate().all(|(at, item)| item.starts_with(&format!("{at:04}"))));
        }
    }
}
