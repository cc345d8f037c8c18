//! Ignored files that a reset would overwrite or expose.

use std::fs;
use std::path::{Path, PathBuf};

use forge_git::{AtRisk, Oid, Rewind, Worktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, oid, open};

fn write(worktree: &Worktree, path: &str, content: &str) {
    let file = worktree.path().join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

fn read(worktree: &Worktree, path: &str) -> Option<String> {
    fs::read_to_string(worktree.path().join(path)).ok()
}

fn names(risk: &AtRisk) -> Vec<&Path> {
    let mut names: Vec<&Path> = risk.files.iter().map(PathBuf::as_path).collect();
    names.sort();
    names
}

/// A worktree whose second commit ignores what the first one does not, and one file that the first one tracks.
async fn ignoring() -> (TempRepo, Worktree, Oid) {
    let temp = TempRepo::new().with_file("data.db", "first").with_file(".gitignore", "always\n");
    temp.write("sub/.gitignore", "kept.log\n");
    temp.commit("Files");
    let first = oid(&temp.git(&["rev-parse", "HEAD"]));
    let worktree = add(&temp, &open(&temp).await, "a").await;
    temp.git_in(worktree.path(), &["rm", "--quiet", "--cached", "data.db"]);
    write(&worktree, ".gitignore", "always\n.env\nnode_modules/\ndata.db\n");
    temp.git_in(worktree.path(), &["add", ".gitignore"]);
    temp.git_in(worktree.path(), &["commit", "--quiet", "-m", "Ignore"]);
    write(&worktree, "data.db", "precious");
    write(&worktree, ".env", "SECRET=1");
    write(&worktree, "node_modules/a/x.js", "x");
    write(&worktree, "node_modules/odd\nname*", "y");
    write(&worktree, "always", "stays");
    write(&worktree, "sub/kept.log", "stays");
    write(&worktree, ".venv/.gitignore", "*\n");
    write(&worktree, ".venv/bin", "stays");
    (temp, worktree, first)
}

#[tokio::test]
async fn at_risk_lists_overwritten_and_exposed_files_only() {
    let (_temp, worktree, first) = ignoring().await;
    let risk = worktree.at_risk(&first, &first).await.unwrap();
    let expected = [".env", "data.db", "node_modules/a/x.js", "node_modules/odd\nname*"];
    assert_eq!(names(&risk), expected.map(Path::new));
    assert_eq!((risk.bytes, risk.repositories.len()), (18, 0));
    let here = worktree.head().await.unwrap();
    assert_eq!(worktree.at_risk(&here, &here).await.unwrap(), AtRisk::default());
}

#[tokio::test]
async fn rewind_saves_and_removes_exposed_files() {
    let (temp, worktree, first) = ignoring().await;
    let risk = worktree.at_risk(&first, &first).await.unwrap();
    let saved = worktree.snapshot_with("refs/forge/a/1", "Before", &risk).await.unwrap();
    assert_eq!(saved.unsaved, None);
    let to = Rewind {
        branch: "forge/a".into(),
        files: first.clone(),
        commit: first.clone(),
        tip: "refs/forge/a/tip".into(),
        risk,
    };
    worktree.rewind(&to).await.unwrap();
    assert_eq!(temp.git_in(worktree.path(), &["status", "--porcelain"]), "");
    assert_eq!(read(&worktree, "data.db").as_deref(), Some("first"));
    for gone in [".env", "node_modules/a/x.js"] {
        assert_eq!(read(&worktree, gone), None);
    }
    for kept in ["always", "sub/kept.log", ".venv/bin"] {
        assert_eq!(read(&worktree, kept).as_deref(), Some("stays"));
    }
    worktree.restore(&saved.oid, &AtRisk::default()).await.unwrap();
    assert_eq!(read(&worktree, "data.db").as_deref(), Some("precious"));
    assert_eq!(read(&worktree, ".env").as_deref(), Some("SECRET=1"));
    assert_eq!(read(&worktree, "node_modules/odd\nname*").as_deref(), Some("y"));
}

#[tokio::test]
async fn at_risk_includes_folder_that_a_file_replaces() {
    let temp = TempRepo::new().with_file("out", "a file").with_file("in/deep", "tracked");
    let first = oid(&temp.commit("Files"));
    let worktree = add(&temp, &open(&temp).await, "a").await;
    temp.git_in(worktree.path(), &["rm", "--quiet", "-r", "out", "in"]);
    write(&worktree, ".gitignore", "out\nin\n");
    worktree.commit_all("Ignore").await.unwrap();
    write(&worktree, "out/deep/file", "precious");
    write(&worktree, "in", "precious");
    let risk = worktree.at_risk(&first, &first).await.unwrap();
    assert_eq!(names(&risk), [Path::new("in"), Path::new("out/deep/file")]);
    let saved = worktree.snapshot_with("refs/forge/a/1", "Before", &risk).await.unwrap();
    worktree.restore(&first, &risk).await.unwrap();
    assert_eq!(read(&worktree, "out").as_deref(), Some("a file"));
    assert_eq!(read(&worktree, "in/deep").as_deref(), Some("tracked"));
    assert_eq!(temp.git(&["show", &format!("{}:out/deep/file", saved.oid)]), "precious");
    assert_eq!(temp.git(&["show", &format!("{}:in", saved.oid)]), "precious");
}

#[tokio::test]
async fn snapshot_reports_exposed_repository_as_unsaved() {
    let (temp, worktree, first) = ignoring().await;
    let inner = worktree.path().join("node_modules/inner");
    fs::create_dir_all(&inner).unwrap();
    temp.git_in(&inner, &["init", "--quiet"]);
    write(&worktree, "node_modules/inner/file", "work");
    let risk = worktree.at_risk(&first, &first).await.unwrap();
    assert_eq!(risk.repositories, [PathBuf::from("node_modules/inner/")]);
    let saved = worktree.snapshot_with("refs/forge/a/1", "Before", &risk).await.unwrap();
    assert!(saved.unsaved.unwrap().contains("node_modules/inner"));
}
