//! Commits, and the files that a search looks through.

use std::path::{Path, PathBuf};

use forge_git::{Divergence, Error, Listing};
use forge_testkit::repo::TempRepo;

use crate::kit::{oid, open};

#[tokio::test]
async fn a_commit_says_what_it_is() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    temp.write("a", "1\n");
    let full = temp.commit("Äpfel, and more\n\nThe rest.");
    let info = repo.commit_info(&full).await.unwrap();
    assert_eq!((info.subject.as_str(), info.author.as_str()), ("Äpfel, and more", "Test"));
    assert_eq!((info.author_email.as_str(), info.oid.as_str()), ("test@example.com", full.as_str()));
    assert!(info.authored_at_ms >= 1_700_000_000_000);
    assert_eq!(repo.commit_info(&full.get(..8).unwrap().to_uppercase()).await.unwrap(), info);
    let blob = temp.git(&["rev-parse", "HEAD:a"]);
    for unknown in ["0123456789012345678901234567890123456789", "00000000", &blob] {
        assert!(matches!(repo.commit_info(unknown).await, Err(Error::CommitNotFound { .. })), "{unknown}");
    }
    for odd in ["", "main", "HEAD", "--all", "abc", "-n 1 HEAD", &"a".repeat(65)] {
        assert!(matches!(repo.commit_info(odd).await, Err(Error::NotACommitName { .. })), "{odd}");
    }
}

#[tokio::test]
async fn two_commits_are_compared() {
    let temp = TempRepo::new().with_file("a\tb", "1\n2\n").with_file("moved", "x\ny\nz\n");
    let first = oid(&temp.commit("First"));
    temp.git(&["mv", "moved", "place"]);
    temp.write("a\tb", "1\ntwo\n3\n");
    temp.write("bytes", [0, 1]);
    let second = oid(&temp.commit("Second"));
    let repo = open(&temp).await;
    let later = repo.compare(&first, &second).await.unwrap();
    assert_eq!(later.divergence, Divergence { ahead: 1, behind: 0 });
    assert_eq!((later.files_changed, later.insertions, later.deletions), (3, 2, 1));
    let earlier = repo.compare(&second, &first).await.unwrap();
    assert_eq!(earlier.divergence, Divergence { ahead: 0, behind: 1 });
    assert_eq!((earlier.files_changed, earlier.insertions, earlier.deletions), (3, 1, 2));
}

#[tokio::test]
async fn files_are_listed_without_the_ignored_ones() {
    let temp = TempRepo::new().with_file("src/main.rs", "").with_file(".gitignore", "target\n.env\n");
    temp.commit("Old");
    temp.write("src/new.rs", "");
    temp.commit("New");
    temp.write("draft", "");
    temp.write(".env", "SECRET");
    temp.write("target/x", "");
    let repo = open(&temp).await;
    let mut known = repo.files(Listing::Known).await.unwrap();
    known.sort();
    let expected = [".gitignore", "README.md", "draft", "src/main.rs", "src/new.rs"].map(PathBuf::from);
    assert_eq!(known, expected);
    let all = repo.files(Listing::All).await.unwrap();
    assert!(all.contains(&PathBuf::from(".env")) && all.contains(&PathBuf::from("target/x")));
    let touched = repo.touched_lately().await.unwrap();
    assert!(touched[Path::new("src/new.rs")] < touched[Path::new("src/main.rs")]);
    assert!(touched[Path::new("src/main.rs")] < touched[Path::new("README.md")]);
    let empty = TempRepo::empty();
    assert!(open(&empty).await.touched_lately().await.unwrap().is_empty());
}
