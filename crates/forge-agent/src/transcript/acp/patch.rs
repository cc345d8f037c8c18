//! Changes of files in the form in which models are taught to write them: `*** Begin Patch`.

use std::fmt::Write as _;

use crate::transcript::entry::FileChange;
use crate::transcript::text::{MOST_OUTPUT, MOST_TEXT, below, cut};

/// The first file of a patch, and what is different in all of them.
pub(in crate::transcript) fn read(patch: &str, root: &str) -> Option<(String, Vec<FileChange>)> {
    let mut lines = patch.lines().skip_while(|line| *line != "*** Begin Patch").skip(1).peekable();
    let (mut first, mut changes) = (None, Vec::new());
    while let Some(line) = lines.next() {
        let file = |kind: &str| line.strip_prefix(kind).map(|path| below(path.trim(), Some(root)));
        let mut body = String::new();
        let mut follows = |body: &mut String, mark: &str| {
            while let Some(line) = lines.next_if(|line| !line.starts_with("*** ")) {
                let line = line.strip_prefix(mark).unwrap_or(line);
                // A string takes everything.
                let _taken = writeln!(body, "{line}");
            }
        };
        let (path, change) = if let Some(path) = file("*** Add File: ") {
            follows(&mut body, "+");
            (path, FileChange::Write { content: cut(&body, MOST_TEXT) })
        } else if let Some(path) = file("*** Delete File: ") {
            (path, FileChange::Delete)
        } else if let Some(path) = file("*** Update File: ") {
            let _taken = writeln!(body, "--- a/{path}\n+++ b/{path}");
            follows(&mut body, "");
            (path, FileChange::Edit { unified_diff: cut(&body, MOST_TEXT), has_line_numbers: false })
        } else {
            continue;
        };
        first.get_or_insert_with(|| cut(path, MOST_OUTPUT));
        changes.push(change);
    }
    Some((first?, changes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_added_changed_and_deleted() {
        let patch = "*** Begin Patch\n*** Add File: a.txt\n+one\n*** Update File: /repo/b.txt\n@@\n-x\n+y\n\
                     *** Delete File: c.txt\n*** End Patch\n";
        let (path, changes) = read(patch, "/repo").unwrap();
        assert_eq!(path, "a.txt");
        let diff = "--- a/b.txt\n+++ b/b.txt\n@@\n-x\n+y\n".to_owned();
        let expected = [
            FileChange::Write { content: "one\n".into() },
            FileChange::Edit { unified_diff: diff, has_line_numbers: false },
            FileChange::Delete,
        ];
        assert_eq!(changes, expected);
        assert_eq!(read("no patch", "/repo"), None);
    }
}
