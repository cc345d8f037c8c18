//! Which files differ, and what is in them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use forge_git::{BranchFate, Change, ChangeKind, Content, Diff, Error, FileDiff, LARGEST_SHOWN, path_text};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, fifo, open};

/// Every file that differs, by the text of its path.
async fn shown(diff: &Diff) -> BTreeMap<String, FileDiff> {
    let mut contents = diff.contents();
    let mut left: &[Change] = &diff.changes;
    let mut files = BTreeMap::new();
    while !left.is_empty() {
        let page = contents.page(left).await.unwrap();
        assert!(!page.is_empty(), "a page holds at least one file");
        let (read, rest) = left.split_at(page.len());
        for (change, file) in read.iter().zip(page) {
            files.extend(file.map(|file| (path_text::write(change.path()), file)));
        }
        left = rest;
    }
    files
}

fn text(text: &str) -> Content {
    Content::Text(text.to_owned())
}

#[tokio::test]
async fn every_kind_of_change_is_told() {
    let temp = TempRepo::new().with_file("changed", "1\n2\n3\n").with_file("gone", "a\nb\n");
    temp.write("run", "#!\n");
    temp.write("moved", "one\ntwo\nthree\nfour\nfive\n");
    temp.write("touched", "same\n");
    temp.write("was-file", "file\n");
    temp.write("undone", "before\n");
    temp.write(".gitignore", "ignored\n");
    temp.commit("Files");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let at = |name: &str| worktree.path().join(name);
    // Committed, then undone in the files.
    fs::write(at("undone"), "after\n").unwrap();
    worktree.commit_all("Change").await.unwrap().unwrap();
    fs::write(at("undone"), "before\n").unwrap();
    fs::write(at("changed"), "1\nzwei\n3\n4\n").unwrap();
    fs::remove_file(at("gone")).unwrap();
    fs::set_permissions(at("run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::rename(at("moved"), at("new place")).unwrap();
    fs::write(at("touched"), "same\n").unwrap();
    fs::remove_file(at("was-file")).unwrap();
    fs::create_dir(at("was-file")).unwrap();
    fs::write(at("was-file/now"), "x\ny\n").unwrap();
    fs::write(at("line\nbreak \"q\""), "n\n").unwrap();
    fs::write(worktree.path().join(OsStr::from_bytes(b"caf\xe9")), "latin\n").unwrap();
    fs::write(at("bytes"), [0, 1, 2]).unwrap();
    fs::write(at("latin"), b"caf\xe9\n").unwrap();
    fs::write(at("ignored"), "no\n").unwrap();
    symlink("/etc/passwd", at("link")).unwrap();
    fs::write(at("staged"), "s\n").unwrap();
    temp.git_in(worktree.path(), &["add", "staged"]);
    let index = fs::read(temp.path().join(".git/worktrees/a/index")).unwrap();

    let files = shown(&worktree.diff("main").await.unwrap()).await;

    let kinds: Vec<_> = files.iter().map(|(path, file)| (path.as_str(), file.kind)).collect();
    let added = |name| (name, ChangeKind::Added);
    let expected = [
        added("\"caf\\351\""),
        added("bytes"),
        ("changed", ChangeKind::Modified),
        ("gone", ChangeKind::Deleted),
        added("latin"),
        added("line\nbreak \"q\""),
        added("link"),
        ("new place", ChangeKind::Renamed),
        ("run", ChangeKind::PermissionChange),
        added("staged"),
        ("was-file", ChangeKind::Deleted),
        added("was-file/now"),
    ];
    assert_eq!(kinds, expected);
    let changed = &files["changed"];
    assert_eq!((&changed.old, &changed.new), (&text("1\n2\n3\n"), &text("1\nzwei\n3\n4\n")));
    assert_eq!(changed.lines, Some((2, 1)));
    assert_eq!((&files["gone"].old, &files["gone"].new), (&text("a\nb\n"), &Content::Absent));
    assert_eq!(files["gone"].lines, Some((0, 2)));
    assert_eq!(files["was-file/now"].lines, Some((2, 0)));
    let moved = &files["new place"];
    assert_eq!(
        (moved.old_path.as_deref(), moved.new_path.as_deref()),
        (Some(Path::new("moved")), Some(Path::new("new place")))
    );
    assert_eq!(moved.lines, Some((0, 0)));
    assert_eq!(files["run"].lines, Some((0, 0)));
    assert_eq!(files["bytes"].new, Content::Binary);
    assert_eq!(files["latin"].new, Content::Binary);
    assert_eq!(files["latin"].lines, None);
    // Where the link leads is told, and not what is there.
    assert_eq!(files["link"].new, text("/etc/passwd"));
    assert_eq!(
        fs::read(temp.path().join(".git/worktrees/a/index")).unwrap(),
        index,
        "looking changes nothing"
    );

    // Committed, and without a worktree, the diff is the same.
    worktree.commit_all("Work").await.unwrap().unwrap();
    assert_eq!(shown(&worktree.diff("main").await.unwrap()).await, files);
    let repo = worktree.repo();
    repo.remove_worktree(worktree.path(), &temp.beside("worktrees/trash"), BranchFate::Keep).await.unwrap();
    assert_eq!(shown(&repo.diff_branch("forge/a", "main").await.unwrap()).await, files);
}

#[tokio::test]
async fn what_is_compared_with_is_where_the_branch_left_its_target() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    temp.write("theirs", "later\n");
    temp.commit("Later");
    fs::write(worktree.path().join("ours"), "o\n").unwrap();
    let diff = worktree.diff("main").await.unwrap();
    assert_eq!(shown(&diff).await.into_keys().collect::<Vec<_>>(), ["ours"]);
    assert!(worktree.diff("nowhere").await.is_err());
    // A branch that has nothing in common is compared as a whole.
    temp.git(&["checkout", "--quiet", "--orphan", "other"]);
    temp.commit("Other");
    let keys = shown(&worktree.diff("other").await.unwrap()).await.into_keys().collect::<Vec<_>>();
    assert_eq!(keys, ["ours", "theirs"]);
}

#[tokio::test]
async fn a_file_that_was_changed_again_is_another_change() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("new"), "1\n").unwrap();
    let first = worktree.diff("main").await.unwrap().changes;
    assert_eq!(worktree.diff("main").await.unwrap().changes, first);
    fs::write(worktree.path().join("new"), "2\n").unwrap();
    assert_ne!(worktree.diff("main").await.unwrap().changes, first);
}

#[tokio::test]
async fn large_files_are_not_read_and_pages_are_cut_by_bytes() {
    let temp = TempRepo::new();
    let size = usize::try_from(LARGEST_SHOWN).unwrap();
    temp.write("shrunk", vec![b'a'; size + 1]);
    temp.commit("Large");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    for number in 0..5 {
        fs::write(worktree.path().join(format!("full{number}")), vec![b'a'; size]).unwrap();
    }
    fs::write(worktree.path().join("larger"), vec![b'a'; size + 1]).unwrap();
    fs::write(worktree.path().join("shrunk"), "small\n").unwrap();
    let diff = worktree.diff("main").await.unwrap();
    assert!(diff.contents().page(&diff.changes).await.unwrap().len() <= 2);
    let files = shown(&diff).await;
    assert_eq!(files.len(), 7);
    assert_eq!(files["larger"].new, Content::TooBig);
    assert_eq!((&files["shrunk"].old, &files["shrunk"].new), (&Content::TooBig, &text("small\n")));
    assert_eq!(files["shrunk"].lines, None);
    assert!(matches!(&files["full4"].new, Content::Text(text) if text.len() == size));
}

#[tokio::test]
async fn submodules_are_told_by_their_commits() {
    let temp = TempRepo::new();
    let inner = TempRepo::new();
    temp.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        inner.path().to_str().unwrap(),
        "sub",
    ]);
    temp.commit("Submodule");
    temp.set_global_config("[user]\nname = T\nemail = t@example.com\n[protocol \"file\"]\nallow = always\n");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let sub = worktree.path().join("sub");
    assert!(worktree.diff("main").await.unwrap().changes.is_empty());
    let old = temp.git_in(&sub, &["rev-parse", "HEAD"]);
    temp.git_in(&sub, &["commit", "--quiet", "--allow-empty", "-m", "Next"]);
    let new = temp.git_in(&sub, &["rev-parse", "HEAD"]);
    // Another repository that nobody added.
    temp.git_in(worktree.path(), &["init", "--quiet", "nested"]);
    temp.git_in(&worktree.path().join("nested"), &["commit", "--quiet", "--allow-empty", "-m", "First"]);
    let nested = temp.git_in(&worktree.path().join("nested"), &["rev-parse", "HEAD"]);

    let files = shown(&worktree.diff("main").await.unwrap()).await;

    let says = |oid: &str| text(&format!("Subproject commit {oid}\n"));
    assert_eq!((&files["sub"].old, &files["sub"].new), (&says(&old), &says(&new)));
    assert_eq!(files["sub"].lines, Some((1, 1)));
    assert_eq!(files["nested"].new, says(&nested));
    assert_eq!(files.len(), 2);
}

#[tokio::test]
async fn files_with_conflicts_and_pipes_in_their_place_are_told() {
    let temp = TempRepo::new().with_file("a", "1\n").with_file("pipe", "p\n");
    temp.commit("Base");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    temp.write("a", "theirs\n");
    temp.commit("Theirs");
    fs::write(worktree.path().join("a"), "ours\n").unwrap();
    worktree.commit_all("Ours").await.unwrap().unwrap();
    assert!(!temp.try_git_in(worktree.path(), &["merge", "main"]).status.success());
    fs::remove_file(worktree.path().join("pipe")).unwrap();
    fifo(&worktree.path().join("pipe"));
    let files = shown(&worktree.diff("main").await.unwrap()).await;
    assert!(matches!(&files["a"].new, Content::Text(text) if text.contains("<<<<<<<")), "{files:?}");
    assert_eq!(files["pipe"].new, Content::Absent);
}

#[tokio::test]
async fn many_files_come_whole() {
    let temp = TempRepo::new();
    for number in 0..1500 {
        temp.write(format!("d{}/old{number}", number % 40), format!("line\n{number}\n"));
    }
    temp.commit("Many");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    for number in 0..1500 {
        fs::write(worktree.path().join(format!("d{}/old{number}", number % 40)), format!("LINE\n{number}\n"))
            .unwrap();
        fs::write(worktree.path().join(format!("new{number}")), format!("{number}\n")).unwrap();
    }
    let began = std::time::Instant::now();
    let diff = worktree.diff("main").await.unwrap();
    let listed = began.elapsed();
    let files = shown(&diff).await;
    println!("3,000 files: listed after {listed:?}, read after {:?}", began.elapsed());
    assert_eq!(files.len(), 3000);
    assert_eq!(files["d7/old1487"].old, text("line\n1487\n"));
    assert_eq!(files["d7/old1487"].new, text("LINE\n1487\n"));
    assert_eq!(files["new1499"].new, text("1499\n"));
}

#[tokio::test]
async fn pipe_in_place_of_object_is_reported() {
    let temp = TempRepo::new().with_file("a", "1\n");
    temp.commit("File");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("a"), "2\n").unwrap();
    let diff = worktree.diff("main").await.unwrap();
    let oid = temp.git(&["rev-parse", "HEAD:a"]);
    let (folder, name) = oid.split_at(2);
    let object = temp.path().join(".git/objects").join(folder).join(name);
    fs::remove_file(&object).unwrap();
    fifo(&object);
    let mut contents = diff.contents();
    let error = contents.page(&diff.changes).await.unwrap_err();
    assert!(matches!(&error, Error::Blocked { path } if *path == object), "{error}");
}
