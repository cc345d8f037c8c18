//! Names of branches and worktree folders, cut from an attempt's id and a task's title.

use crate::{Error, Result};

/// Longest slug, in characters.
const SLUG_LENGTH: usize = 16;

/// What stands for the title when nothing of it survives, so that no name ends in a dash.
const EMPTY_SLUG: &str = "task";

/// Cuts a title down to at most 16 characters of `[a-z0-9-]`; may be empty.
pub fn slug(title: &str) -> String {
    let mut slug = String::new();
    for char in title.to_lowercase().chars() {
        if char.is_ascii_lowercase() || char.is_ascii_digit() {
            slug.push(char);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
        if slug.len() == SLUG_LENGTH {
            break;
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// The worktree folder's name: `<first four hex digits of the id>-<slug>`.
pub fn folder(id: &str, title: &str) -> String {
    let short = digits(id, 4);
    let slug = slug(title);
    let slug = if slug.is_empty() { EMPTY_SLUG } else { &slug };
    format!("{short}-{slug}")
}

/// The branch's name: the folder's name under the prefix, or alone when the prefix is empty.
pub fn branch(prefix: &str, folder: &str) -> String {
    if prefix.is_empty() { folder.to_owned() } else { format!("{prefix}/{folder}") }
}

/// What the worktree folder of work without a title is called: `run-<first eight hex digits of the id>`, as its branch.
pub fn run_folder(id: &str) -> String {
    format!("run-{}", digits(id, 8))
}

/// What its branch is called: `run/<first eight hex digits of the id>`. No prefix: the contract has this one.
pub fn run_branch(id: &str) -> String {
    format!("run/{}", digits(id, 8))
}

fn digits(id: &str, count: usize) -> String {
    id.chars().filter(|char| *char != '-').take(count).collect()
}

/// Whether branches may be named under this prefix: empty, or one component of a valid branch name.
pub fn is_valid_prefix(prefix: &str) -> bool {
    prefix.is_empty() || (!prefix.contains('/') && check_branch(&branch(prefix, "x")).is_ok())
}

/// The longest name of a branch: no filesystem has room for the file of a longer one.
const LONGEST_BRANCH: usize = 1000;

/// Refuses a name that is too long to be a branch, before anything is compared with it. The error has its beginning.
pub(crate) fn check_branch_length(name: &str) -> Result<()> {
    if name.len() <= LONGEST_BRANCH {
        return Ok(());
    }
    Err(Error::InvalidName { name: name.chars().take(80).chain(['…']).collect() })
}

/// Refuses what `git check-ref-format --branch` refuses, without starting git.
pub fn check_branch(name: &str) -> Result<()> {
    check_branch_length(name)?;
    let forbidden = |char: char| {
        char.is_ascii_control() || matches!(char, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\')
    };
    let bad_component = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    let invalid = name.starts_with('-')
        || name == "HEAD"
        || name == "@"
        || name.ends_with('.')
        || name.contains("..")
        || name.contains("@{")
        || name.contains(forbidden)
        || name.split('/').any(bad_component);
    if invalid { Err(Error::InvalidName { name: name.to_owned() }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_slug_is_the_contracts_slug() {
        assert_eq!(slug("[TEST] Forge Metadata Investigation - x"), "test-forge-metad");
        assert_eq!(slug("genie: analyze, analyze-mode"), "genie-analyze-an");
        assert_eq!(slug("Fifteen letters and more"), "fifteen-letters");
        assert_eq!(slug("  --Add  login!! "), "add-login");
        assert_eq!(slug("日本語"), "");
        // The Kelvin sign lower-cases to an ASCII `k`.
        assert_eq!(slug("\u{212A}elvin"), "kelvin");
    }

    #[test]
    fn names_never_end_in_a_dash() {
        assert_eq!(folder("35a403e3-0000-4000-8000-000000000000", "日本語"), "35a4-task");
        assert_eq!(folder("35-a403e3", "Add login"), "35a4-add-login");
        assert_eq!(branch("forge", "35a4-task"), "forge/35a4-task");
        assert_eq!(branch("", "35a4-task"), "35a4-task");
    }

    #[test]
    fn a_run_is_named_by_its_id_alone() {
        assert_eq!(run_folder("35a403e3-0000-4000-8000-000000000000"), "run-35a403e3");
        assert_eq!(run_branch("35a403e3-0000-4000-8000-000000000000"), "run/35a403e3");
        assert!(check_branch(&run_branch("35a403e3")).is_ok());
    }

    #[test]
    fn a_prefix_is_one_component() {
        for good in ["", "forge", "my.team", "ü"] {
            assert!(is_valid_prefix(good), "{good}");
        }
        for bad in ["a/b", "-x", "a b", ".x", "x.lock", "a..b", "a\n"] {
            assert!(!is_valid_prefix(bad), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn any_title_gives_a_valid_slug_folder_and_branch(title in ".{0,80}") {
            let slug = slug(&title);
            prop_assert!(slug.len() <= SLUG_LENGTH);
            prop_assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            prop_assert!(!slug.starts_with('-') && !slug.ends_with('-') && !slug.contains("--"));
            prop_assert!(check_branch(&branch("forge", &folder("abcd", &title))).is_ok());
        }

        #[test]
        fn a_slug_is_the_cut_of_the_dashed_title(title in "[ -~]{0,40}") {
            let dashed: String =
                title.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
            let parts: Vec<_> = dashed.split('-').filter(|part| !part.is_empty()).collect();
            let cut: String = parts.join("-").chars().take(SLUG_LENGTH).collect();
            prop_assert_eq!(slug(&title), cut.trim_end_matches('-'));
        }
    }
}
