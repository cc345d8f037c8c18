//! Reads `git diff-index --raw -z` and `git diff-tree --raw -z`.

use super::{Change, ChangeKind, Side, Source, as_path};

/// `:100644 100755 <oid> <oid> M\0path\0`, or two paths after an `R` with its score. None when it cannot be read.
pub(super) fn parse(output: &[u8]) -> Option<Vec<Change>> {
    let mut changes = Vec::new();
    let mut fields = output.split(|byte| *byte == 0);
    while let Some(head) = fields.next().filter(|head| !head.is_empty()) {
        let head = str::from_utf8(head).ok()?.strip_prefix(':')?;
        let parts: Vec<_> = head.split(' ').collect();
        let &[old_mode, new_mode, old_oid, new_oid, status] = parts.as_slice() else { return None };
        let first = fields.next()?;
        let (kind, old_path, new_path) = match status.as_bytes().first()? {
            b'A' => (ChangeKind::Added, None, Some(first)),
            b'D' => (ChangeKind::Deleted, Some(first), None),
            b'R' => (ChangeKind::Renamed, Some(first), Some(fields.next()?)),
            // A file with conflicts is told once more, by what is in the worktree.
            b'U' => continue,
            _ => (ChangeKind::Modified, Some(first), Some(first)),
        };
        let old = side(old_path, old_mode, old_oid)?;
        let new = side(new_path, new_mode, new_oid)?;
        changes.push(Change { kind, old, new });
    }
    Some(changes)
}

/// None outside when it cannot be read, inside when there is no file.
fn side(path: Option<&[u8]>, mode: &str, oid: &str) -> Option<Option<Side>> {
    let Some(path) = path else { return Some(None) };
    let source = if oid.bytes().all(|digit| digit == b'0') {
        Source::File(None)
    } else {
        Source::Object(oid.parse().ok()?)
    };
    let mode = u32::from_str_radix(mode, 8).ok()?;
    Some(Some(Side { path: as_path(path).to_owned(), mode, source }))
}
