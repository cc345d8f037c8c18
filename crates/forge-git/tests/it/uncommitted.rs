//! Uncommitted changes of the repository's own checkout as a commit.

use std::fs;

use forge_git::{Error, GitOptions, Oid};
use forge_testkit::repo::TempRepo;

use crate::kit::open;

fn head(temp: &TempRepo) -> Oid {
    temp.git(&["rev-parse", "HEAD"]).parse().unwrap()
}

#[tokio::test]
async fn commit_has_all_changes_and_checkout_stays() {
    let temp =
        TempRepo::new().with_file(".gitignore", "ignored\n").with_file("gone", "").with_file("staged", "");
    let temp = temp.with_file(".gitattributes", "*.up filter=up\n");
    temp.commit("Second");
    let repo = open(&temp).await;
    assert_eq!(repo.commit_uncommitted(&head(&temp)).await.unwrap(), None);
    temp.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    fs::remove_file(temp.path().join("gone")).unwrap();
    temp.write("staged", "1");
    temp.git(&["add", "staged"]);
    temp.write("staged", "2");
    for name in ["README.md", "new\nline", "ignored", "deep/x.up"] {
        temp.write(name, "changed");
    }
    let (status, index) =
        (temp.git(&["status", "--porcelain", "-z"]), fs::read(temp.path().join(".git/index")).unwrap());
    let refs = temp.git(&["for-each-ref"]);
    let commit = repo.commit_uncommitted(&head(&temp)).await.unwrap().unwrap();
    let shown = temp.git(&["show", "--format=%s|%an|%P|", "--name-status", "-z", commit.as_str()]);
    let (about, files) = shown.split_once("|\0").unwrap();
    assert_eq!(about, format!("Uncommitted changes of the project's folder|Test|{}", head(&temp)));
    assert_eq!(files.trim_start(), "M\0README.md\0A\0deep/x.up\0D\0gone\0A\0new\nline\0M\0staged\0");
    assert_eq!(temp.git(&["show", &format!("{commit}:staged")]), "2");
    assert_eq!(temp.git(&["show", &format!("{commit}:deep/x.up")]), "CHANGED");
    assert_eq!(fs::read(temp.path().join(".git/index")).unwrap(), index);
    assert_eq!(temp.git(&["status", "--porcelain", "-z"]), status);
    assert_eq!(temp.git(&["for-each-ref"]), refs);
}

#[tokio::test]
async fn what_cannot_be_included_is_named() {
    let temp = TempRepo::new();
    let options = GitOptions { env: temp.env(), largest_untracked: 10, ..GitOptions::default() };
    let repo = forge_git::Git::find_with(options).await.unwrap().open(temp.path()).await.unwrap();
    temp.write("large", "more than ten bytes");
    temp.write("small", "few");
    let commit = repo.commit_uncommitted(&head(&temp)).await.unwrap().unwrap();
    let message = temp.git(&["show", "-s", "--format=%B", commit.as_str()]);
    assert!(message.contains("Not included: large"), "{message}");
    assert_eq!(temp.git(&["diff", "--name-only", "HEAD", commit.as_str()]), "small");
}

#[tokio::test]
async fn conflicts_and_bare_repositories_are_refused() {
    let temp = TempRepo::new();
    temp.git(&["checkout", "-qb", "other"]);
    temp.write("README.md", "theirs");
    temp.commit("Theirs");
    temp.git(&["checkout", "-q", "main"]);
    temp.write("README.md", "ours");
    temp.commit("Ours");
    assert!(!temp.try_git_in(temp.path(), &["merge", "-q", "other"]).status.success());
    let error = open(&temp).await.commit_uncommitted(&head(&temp)).await.unwrap_err();
    assert!(matches!(&error, Error::Unmerged { paths } if paths.len() == 1), "{error:?}");
    let bare = temp.beside("bare");
    temp.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    let repo = crate::kit::git(&temp).await.open(&bare).await.unwrap();
    let error = repo.commit_uncommitted(&head(&temp)).await.unwrap_err();
    assert!(matches!(error, Error::NoCheckout { .. }), "{error:?}");
}
