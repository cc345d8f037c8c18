//! Changes of files as `diff -u` shows them.

use std::fmt::Write as _;

use serde::Deserialize;

/// A part of a file before and after.
pub(super) struct Edit<'a> {
    pub(super) before: &'a str,
    pub(super) after: &'a str,
}

/// A part of a diff with its place in the file, as Claude Code tells it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Hunk {
    old_start: u64,
    old_lines: u64,
    new_start: u64,
    new_lines: u64,
    lines: Vec<String>,
}

/// The edits as a diff whose line numbers say nothing: nobody knows where in the file they are.
pub(super) fn of_edits(path: &str, edits: &[Edit<'_>]) -> String {
    let mut diff = head(path);
    for Edit { before, after } in edits {
        let (old, new) = (before.lines().count(), after.lines().count());
        let start = |count: usize| usize::from(count > 0);
        write(&mut diff, format_args!("@@ -{},{old} +{},{new} @@\n", start(old), start(new)));
        before.lines().for_each(|line| write(&mut diff, format_args!("-{line}\n")));
        after.lines().for_each(|line| write(&mut diff, format_args!("+{line}\n")));
    }
    diff
}

/// The parts as a diff with the file's own line numbers.
pub(super) fn of_hunks(path: &str, hunks: &[Hunk]) -> String {
    let mut diff = head(path);
    for Hunk { old_start, old_lines, new_start, new_lines, lines } in hunks {
        write(&mut diff, format_args!("@@ -{old_start},{old_lines} +{new_start},{new_lines} @@\n"));
        lines.iter().for_each(|line| write(&mut diff, format_args!("{line}\n")));
    }
    diff
}

fn head(path: &str) -> String {
    let path = path.trim_start_matches('/');
    format!("--- a/{path}\n+++ b/{path}\n")
}

fn write(diff: &mut String, text: std::fmt::Arguments<'_>) {
    // A string takes everything.
    let _taken = diff.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_hunks_one_after_the_other() {
        let edits = [Edit { before: "a\nb", after: "a\nc\n" }, Edit { before: "", after: "new" }];
        let expected = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n-b\n+a\n+c\n@@ -0,0 +1,1 @@\n+new\n";
        assert_eq!(of_edits("x", &edits), expected);
    }
}
