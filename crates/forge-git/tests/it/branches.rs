//! Listing branches and resolving the one to start from.

use forge_git::{BaseKind, Error};
use forge_testkit::repo::TempRepo;

use crate::kit::{git, open};

#[tokio::test]
async fn branches_come_current_first_then_newest() {
    let temp = TempRepo::new();
    temp.git(&["branch", "old"]);
    temp.git(&["checkout", "-q", "-b", "newer"]);
    temp.commit("Second");
    temp.git(&["checkout", "-q", "main"]);
    let clone = temp.beside("clone");
    temp.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    let repo = git(&temp).await.open(&clone).await.unwrap();
    let branches = repo.branches().await.unwrap();
    let shown: Vec<_> = branches.iter().map(|b| (b.name.as_str(), b.is_current, b.is_remote)).collect();
    assert_eq!(shown.first(), Some(&("main", true, false)));
    assert_eq!(shown.get(1), Some(&("origin/newer", false, true)));
    assert_eq!(shown.len(), 4, "{shown:?}");
    assert!(!shown.iter().any(|(name, ..)| name.contains("HEAD")), "{shown:?}");
    let newest: i64 = temp.git(&["log", "-1", "--format=%ct", "newer"]).parse().unwrap();
    assert_eq!(branches[1].last_commit_at_ms, newest * 1000);
}

#[tokio::test]
async fn a_detached_head_has_no_current_branch() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    assert_eq!(repo.current_branch().await.unwrap().as_deref(), Some("main"));
    temp.git(&["checkout", "-q", "--detach"]);
    assert_eq!(repo.current_branch().await.unwrap(), None);
    assert!(!repo.branches().await.unwrap().iter().any(|branch| branch.is_current));
}

#[tokio::test]
async fn a_local_branch_wins_over_a_remote_one() {
    let temp = TempRepo::new();
    let first = temp.git(&["rev-parse", "HEAD"]);
    temp.git(&["update-ref", "refs/remotes/origin/x", "HEAD"]);
    let second = temp.commit("Second");
    let repo = open(&temp).await;
    let base = repo.resolve("origin/x").await.unwrap();
    assert_eq!((base.oid.as_str(), base.kind), (first.as_str(), BaseKind::RemoteBranch));
    temp.git(&["update-ref", "refs/heads/origin/x", "HEAD"]);
    let base = repo.resolve("origin/x").await.unwrap();
    assert_eq!((base.oid.as_str(), base.kind), (second.as_str(), BaseKind::Branch));
}

#[tokio::test]
async fn a_missing_branch_is_named_with_near_ones() {
    let temp = TempRepo::new();
    let error = open(&temp).await.resolve("mian").await.unwrap_err();
    assert_eq!(error.to_string(), "branch `mian` does not exist; did you mean `main`?");
}

#[tokio::test]
async fn hostile_branch_names_are_just_not_found() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    for name in
        ["--upload-pack=x", "..", "", "main\nx", "main~1", "@{-1}", "HEAD", "/etc/passwd", "main^{tree}"]
    {
        assert!(matches!(repo.resolve(name).await, Err(Error::BranchNotFound { .. })), "{name:?}");
        assert!(matches!(repo.resolve_start(name).await, Err(Error::BranchNotFound { .. })), "{name:?}");
    }
}

#[tokio::test]
async fn a_repository_without_commits_says_so_and_offers_the_first() {
    let temp = TempRepo::empty().with_file("staged", "x");
    temp.git(&["add", "staged"]);
    let repo = open(&temp).await;
    assert!(matches!(repo.resolve("main").await, Err(Error::NoCommits { .. })));
    repo.first_commit().await.unwrap();
    repo.first_commit().await.unwrap();
    assert_eq!(temp.git(&["log", "--format=%s|%an", "main"]), "Initial commit|Test");
    // What was staged is neither committed nor lost.
    assert_eq!(temp.git(&["status", "--porcelain"]), "A  staged");
    assert!(repo.resolve("main").await.is_ok());
}

#[tokio::test]
async fn valid_names_are_gits_valid_names() {
    let temp = TempRepo::new();
    let names = [
        "a",
        "a/b",
        "a.b",
        "ü",
        "a-b",
        "-a",
        "a..b",
        "a b",
        "a~",
        "a^",
        "a:",
        "a?",
        "a*",
        "a[",
        "a\\b",
        "a\t",
        "a\u{7f}",
        "/a",
        "a/",
        "a//b",
        ".a",
        "a/.b",
        "a.",
        "a.lock",
        "a.lock/b",
        "a@{b",
        "a@b",
        "HEAD",
        "a/HEAD",
        "refs/heads/a",
        "{",
        "a,b",
        "a=b",
        "#",
        "--",
        "a/-b",
    ];
    for name in names {
        let git = temp.try_git_in(temp.path(), &["check-ref-format", "--branch", name]).status.success();
        assert_eq!(forge_git::names::check_branch(name).is_ok(), git, "{name:?}");
    }
}

#[tokio::test]
async fn start_takes_tags_and_commits() {
    let temp = TempRepo::new();
    let first = temp.git(&["rev-parse", "HEAD"]);
    temp.git(&["tag", "light"]);
    temp.git(&["tag", "-a", "v1.0", "-m", "One"]);
    temp.git(&["update-ref", "refs/remotes/origin/x", "HEAD"]);
    let second = temp.commit("Second");
    temp.git(&["branch", "light"]);
    temp.git(&["tag", "tree", "HEAD^{tree}"]);
    let repo = open(&temp).await;
    let upper = first.to_uppercase();
    for (name, oid, kind) in [
        ("v1.0", &first, BaseKind::Tag),
        ("light", &second, BaseKind::Branch),
        ("origin/x", &first, BaseKind::RemoteBranch),
        (first.as_str(), &first, BaseKind::Commit),
        (first.get(..8).unwrap(), &first, BaseKind::Commit),
        (upper.as_str(), &first, BaseKind::Commit),
    ] {
        let base = repo.resolve_start(name).await.unwrap();
        assert_eq!((base.oid.as_str(), base.kind), (oid.as_str(), kind), "{name}");
    }
    let blob = temp.git(&["rev-parse", "HEAD:README.md"]);
    for name in ["tree", blob.as_str(), &"0".repeat(40), "abc"] {
        assert!(matches!(repo.resolve_start(name).await, Err(Error::BranchNotFound { .. })), "{name}");
    }
}

#[tokio::test]
async fn ambiguous_commit_is_refused() {
    let temp = TempRepo::new();
    let tree = temp.git(&["rev-parse", "HEAD^{tree}"]);
    let mut seen = std::collections::HashMap::new();
    // Among 700 commits, two begin with the same four digits in all likelihood; dates are fixed, so it is always so.
    let twice = (0..2000).find_map(|number| {
        let oid = temp.git(&["commit-tree", "-m", &number.to_string(), &tree]);
        let short = oid.get(..4)?.to_owned();
        seen.insert(short.clone(), oid).map(|_| short)
    });
    let error = open(&temp).await.resolve_start(&twice.unwrap()).await.unwrap_err();
    assert!(matches!(error, Error::AmbiguousCommit { .. }), "{error:?}");
}

#[tokio::test]
async fn damaged_branch_blocks_no_other_start() {
    let temp = TempRepo::new();
    temp.git(&["tag", "v1.0"]);
    let head = temp.git(&["rev-parse", "HEAD"]);
    std::fs::write(temp.path().join(".git/refs/heads/broken"), format!("{}\n", "1".repeat(40))).unwrap();
    let repo = open(&temp).await;
    for name in ["v1.0", &head] {
        assert_eq!(repo.resolve_start(name).await.unwrap().oid.as_str(), head, "{name}");
    }
    let error = repo.resolve_start("missing").await.unwrap_err();
    assert!(matches!(error, Error::BranchNotFound { .. }), "{error:?}");
}
