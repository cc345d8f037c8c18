//! Adding worktrees: all of one or nothing of it, however many at once.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use forge_git::{Error, NewWorktree};
use forge_testkit::repo::TempRepo;

use crate::kit::{add, git, mark, open, script, traces, wanted};

#[tokio::test]
async fn a_worktree_is_whole_and_git_agrees() {
    let temp = TempRepo::new().with_file("dir/x", "1");
    temp.commit("Second");
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "ab12-fix").await;
    assert_eq!(fs::read_to_string(worktree.path().join("dir/x")).unwrap(), "1");
    assert_eq!(worktree.head().await.unwrap().as_str(), temp.git(&["rev-parse", "main"]));
    assert!(!worktree.is_dirty().await.unwrap());
    assert_eq!(temp.git_in(worktree.path(), &["branch", "--show-current"]), "forge/ab12-fix");
    assert_eq!(temp.git(&["config", "branch.forge/ab12-fix.forge-attempt"]), "id-ab12-fix");
    let listed = temp.git(&["worktree", "list", "--porcelain"]);
    assert!(listed.contains(&format!("worktree {}\n", worktree.path().display())), "{listed}");
    assert!(!listed.contains("prunable") && !listed.contains("locked"), "{listed}");
    assert_eq!(temp.git(&["worktree", "prune", "--verbose"]), "");
    temp.git(&["fsck", "--strict"]);
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&temp.path().join(".git/worktrees/ab12-fix")), mode(worktree.path()));
    // Everyday git works in it.
    fs::write(worktree.path().join("new"), "").unwrap();
    temp.git_in(worktree.path(), &["add", "new"]);
    temp.git_in(worktree.path(), &["commit", "-q", "-m", "In the worktree"]);
    temp.git_in(worktree.path(), &["stash", "list"]);
    temp.git(&["worktree", "remove", worktree.path().to_str().unwrap()]);
    assert!(!worktree.path().exists());
}

#[tokio::test]
async fn fifty_at_once_all_succeed() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let mut starts = tokio::task::JoinSet::new();
    for number in 0..50 {
        let (repo, new) = (repo.clone(), wanted(&temp, &repo, &format!("{number:04}-same-title")).await);
        starts.spawn(async move { repo.add_worktree(&new).await });
    }
    let made = starts.join_all().await;
    assert!(made.iter().all(Result::is_ok), "{made:?}");
    let listed = temp.git(&["worktree", "list", "--porcelain"]);
    assert_eq!(listed.matches("branch refs/heads/forge/").count(), 50, "{listed}");
    let marks = temp.git(&["config", "--get-regexp", r"^branch\..*\.forge-attempt$"]);
    assert_eq!(marks.lines().count(), 50, "{marks}");
}

#[tokio::test]
async fn starts_and_removals_and_listings_do_not_disturb_each_other() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let mut turns = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (repo, trash) = (repo.clone(), temp.beside("trash"));
        let root = temp.beside("worktrees");
        let base = repo.resolve("main").await.unwrap().oid;
        turns.spawn(async move {
            for round in 0..3 {
                let name = format!("{number}-{round}");
                let new = NewWorktree {
                    path: root.join(&name),
                    branch: format!("forge/{name}"),
                    base: base.clone(),
                    trusted: None,
                    mark: mark(&name),
                    submodules: forge_git::Submodules::Local,
                };
                let worktree = repo.add_worktree(&new).await?;
                repo.branches().await?;
                let fate = forge_git::BranchFate::Delete(new.branch);
                repo.remove_worktree(worktree.path(), &trash.join(&name), fate).await?;
            }
            Ok::<_, Error>(())
        });
    }
    let ended = turns.join_all().await;
    assert!(ended.iter().all(Result::is_ok), "{ended:?}");
    assert_eq!(temp.git(&["for-each-ref", "--format=%(refname)"]), "refs/heads/main");
    assert!(!temp.git(&["config", "--local", "--list"]).contains("forge"));
}

#[tokio::test]
async fn a_taken_branch_or_folder_is_told_and_left_alone() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    add(&temp, &repo, "a").await;
    let before = traces(&temp);

    let mut same_branch = wanted(&temp, &repo, "a").await;
    same_branch.path = temp.beside("worktrees/b");
    same_branch.mark = mark("other");
    let error = repo.add_worktree(&same_branch).await.unwrap_err();
    assert!(matches!(&error, Error::NameTaken { name } if name == "forge/a"), "{error:?}");

    let mut same_folder = wanted(&temp, &repo, "a").await;
    same_folder.branch = "forge/b".to_owned();
    let error = repo.add_worktree(&same_folder).await.unwrap_err();
    assert!(matches!(error, Error::NameTaken { .. }), "{error:?}");
    assert_eq!(traces(&temp), before);

    // Even an empty folder is somebody's.
    fs::create_dir(temp.beside("worktrees/c")).unwrap();
    let error = repo.add_worktree(&wanted(&temp, &repo, "c").await).await.unwrap_err();
    assert!(matches!(error, Error::NameTaken { .. }), "{error:?}");
    assert!(temp.beside("worktrees/c").exists());
}

#[tokio::test]
async fn a_branch_in_the_way_of_the_prefix_is_named() {
    let temp = TempRepo::new();
    temp.git(&["branch", "forge"]);
    let repo = open(&temp).await;
    let before = traces(&temp);
    let error = repo.add_worktree(&wanted(&temp, &repo, "a").await).await.unwrap_err();
    assert!(
        matches!(&error, Error::PrefixTaken { branch, existing } if branch == "forge/a" && existing == "forge"),
        "{error:?}"
    );
    assert_eq!(traces(&temp), before);

    temp.git(&["branch", "-m", "forge", "deep/er"]);
    let mut short = wanted(&temp, &repo, "a").await;
    short.branch = "deep".to_owned();
    let error = repo.add_worktree(&short).await.unwrap_err();
    assert!(matches!(&error, Error::PrefixTaken { existing, .. } if existing == "deep/er"), "{error:?}");
}

#[tokio::test]
async fn hostile_names_and_unknown_commits_leave_nothing() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let before = traces(&temp);
    for branch in ["--upload-pack=x", "-f", "..", "a..b", "a\nb", "HEAD", "", "/a", "a.lock", "a b"] {
        let new = NewWorktree { branch: branch.to_owned(), ..wanted(&temp, &repo, "a").await };
        assert!(matches!(repo.add_worktree(&new).await, Err(Error::InvalidName { .. })), "{branch:?}");
    }
    for path in ["relative", "/", "/tmp/.."] {
        let new = NewWorktree { path: PathBuf::from(path), ..wanted(&temp, &repo, "a").await };
        assert!(matches!(repo.add_worktree(&new).await, Err(Error::InvalidName { .. })), "{path:?}");
    }
    let unknown = NewWorktree { base: crate::kit::oid(&"1".repeat(40)), ..wanted(&temp, &repo, "a").await };
    assert!(matches!(repo.add_worktree(&unknown).await, Err(Error::Failed { .. })));
    assert_eq!(traces(&temp), before);
}

#[tokio::test]
async fn a_config_lock_left_by_somebody_fails_the_start_and_leaves_nothing() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    let before = traces(&temp);
    let lock = temp.path().join(".git/config.lock");
    fs::write(&lock, "").unwrap();
    let error = repo.add_worktree(&wanted(&temp, &repo, "a").await).await.unwrap_err();
    assert!(matches!(&error, Error::Locked { path } if *path == lock), "{error:?}");
    assert_eq!(traces(&temp), before);
}

#[tokio::test]
async fn folders_may_hold_spaces_line_breaks_dashes_and_any_letters() {
    let temp = TempRepo::new();
    let repo = open(&temp).await;
    for (number, name) in
        [" a  b ", "line\nbreak", "größe-日本", "-dash", "..x", "quote'\"$`", "---"].iter().enumerate()
    {
        let new = NewWorktree {
            path: temp.beside("worktrees").join(name),
            branch: format!("forge/{number}"),
            ..wanted(&temp, &repo, "a").await
        };
        let worktree = repo.add_worktree(&new).await.unwrap();
        assert!(worktree.path().join("README.md").exists(), "{name:?}");
        assert!(!worktree.is_dirty().await.unwrap(), "{name:?}");
        assert_eq!(temp.git_in(worktree.path(), &["branch", "--show-current"]), new.branch);
        fs::write(worktree.path().join("x"), "").unwrap();
        assert!(worktree.commit_all("x").await.unwrap().is_some(), "{name:?}");
    }
    assert!(!temp.git(&["worktree", "list", "--porcelain"]).contains("prunable"));
}

#[tokio::test]
async fn any_kind_of_repository_can_be_the_source() {
    let temp = TempRepo::new();
    let git = git(&temp).await;
    let bare = temp.beside("b.git");
    temp.git(&["clone", "--quiet", "--bare", ".", bare.to_str().unwrap()]);
    let linked = temp.beside("linked\nproject");
    temp.git(&["worktree", "add", "--quiet", "-b", "side", linked.to_str().unwrap()]);
    temp.git(&["checkout", "-q", "--detach"]);
    for (source, name) in [(bare.as_path(), "bare"), (&linked, "linked"), (temp.path(), "detached")] {
        let repo = git.open(source).await.unwrap();
        let worktree = add(&temp, &repo, name).await;
        assert!(worktree.path().join("README.md").exists(), "{name}");
        assert_eq!(temp.git_in(worktree.path(), &["status", "--porcelain"]), "", "{name}");
        assert_eq!(
            temp.git_in(source, &["config", &format!("branch.forge/{name}.forge-attempt")]),
            format!("id-{name}")
        );
        let reopened = git.open(source).await.unwrap().open_worktree(worktree.path()).await.unwrap();
        assert_eq!(reopened.head().await.unwrap(), worktree.head().await.unwrap());
    }
}

#[tokio::test]
async fn a_sparse_checkout_stays_sparse() {
    let temp = TempRepo::new().with_file("in/a", "a").with_file("out/b", "b");
    temp.commit("Second");
    temp.git(&["sparse-checkout", "set", "in"]);
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    assert!(worktree.path().join("in/a").exists());
    assert!(!worktree.path().join("out").exists());
    assert!(!worktree.is_dirty().await.unwrap());
    let taken = NewWorktree { path: temp.beside("worktrees/b"), ..wanted(&temp, &repo, "a").await };
    assert!(matches!(repo.add_worktree(&taken).await, Err(Error::NameTaken { .. })));

    // Work outside the sparse part is work all the same, and what is left out is not deleted.
    fs::create_dir(worktree.path().join("out")).unwrap();
    fs::write(worktree.path().join("out/new"), "n").unwrap();
    let saved = worktree.snapshot("refs/forge/s", "Save").await.unwrap();
    let files = "README.md\nin/a\nout/b\nout/new";
    assert_eq!(temp.git(&["ls-tree", "-r", "--name-only", saved.oid.as_str()]), files);
    let commit = worktree.commit_all("Outside").await.unwrap().unwrap();
    assert_eq!(temp.git(&["ls-tree", "-r", "--name-only", commit.as_str()]), files);
}

#[tokio::test]
async fn another_ref_storage_is_left_to_git() {
    let temp = TempRepo::new();
    let path = temp.beside("tables");
    fs::create_dir(&path).unwrap();
    if !temp.try_git_in(&path, &["init", "-q", "--ref-format=reftable"]).status.success() {
        return; // This git is older than that storage.
    }
    let repo = git(&temp).await.open(&path).await.unwrap();
    repo.first_commit().await.unwrap();
    let worktree = add(&temp, &repo, "a").await;
    assert_eq!(temp.git_in(worktree.path(), &["branch", "--show-current"]), "forge/a");
}

#[tokio::test]
async fn the_post_checkout_hook_runs_as_git_runs_it() {
    let temp = TempRepo::new();
    let seen = temp.beside("seen");
    // It leaves something behind that keeps its output open; that must not hold up the start.
    script(
        &temp.path().join(".git/hooks/post-checkout"),
        &format!(
            "echo \"$1 $2 $3 $(pwd)\" > '{}'\nmkfifo '{0}.fifo'\ncat '{0}.fifo' &\nexit 3",
            seen.display()
        ),
    );
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    let expected =
        format!("{} {} 1 {}\n", "0".repeat(40), temp.git(&["rev-parse", "main"]), worktree.path().display());
    assert_eq!(fs::read_to_string(&seen).unwrap(), expected);
    fs::write(seen.with_extension("fifo"), "").unwrap();
}

#[tokio::test]
async fn a_relative_hooks_path_is_the_worktrees_own() {
    let temp = TempRepo::new();
    script(&temp.path().join(".hooks/post-checkout"), "echo ran > ran");
    temp.commit("Hooks");
    temp.git(&["config", "core.hooksPath", ".hooks"]);
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    assert_eq!(fs::read_to_string(worktree.path().join("ran")).unwrap(), "ran\n");
}

#[tokio::test]
async fn filters_run_and_a_failing_one_leaves_nothing() {
    let temp =
        TempRepo::new().with_file(".gitattributes", "*.big filter=big\n").with_file("a.big", "pointer\n");
    temp.commit("Filtered");
    temp.git(&["config", "filter.big.smudge", "sed s/pointer/content/"]);
    temp.git(&["config", "filter.big.clean", "sed s/content/pointer/"]);
    temp.git(&["config", "filter.big.required", "true"]);
    let repo = open(&temp).await;
    let worktree = add(&temp, &repo, "a").await;
    assert_eq!(fs::read_to_string(worktree.path().join("a.big")).unwrap(), "content\n");
    assert!(!worktree.is_dirty().await.unwrap());

    temp.git(&["config", "filter.big.smudge", "false"]);
    let before = traces(&temp);
    let error = repo.add_worktree(&wanted(&temp, &repo, "b").await).await.unwrap_err();
    assert!(error.to_string().contains("smudge filter big failed"), "{error}");
    assert_eq!(traces(&temp), before);
}

#[tokio::test]
async fn submodules_are_fetched_when_allowed_or_start_fails() {
    let library = TempRepo::new().with_file("lib.txt", "lib");
    library.commit("Library");
    let temp = TempRepo::new();
    temp.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        library.path().to_str().unwrap(),
        "lib",
    ]);
    temp.commit("Submodule");
    fs::remove_dir_all(temp.path().join(".git/modules/lib")).unwrap();
    let repo = open(&temp).await;
    let before = traces(&temp);
    let fetching = async |name: &str| NewWorktree {
        submodules: forge_git::Submodules::Fetch,
        ..wanted(&temp, &repo, name).await
    };
    let error = repo.add_worktree(&fetching("a").await).await.unwrap_err();
    assert!(
        matches!(&error, Error::SubmodulesFailed { output } if output.contains("not allowed")),
        "{error:?}"
    );
    assert_eq!(traces(&temp), before);

    temp.git(&["config", "--global", "protocol.file.allow", "always"]);
    let mut starts = tokio::task::JoinSet::new();
    for number in 0..4 {
        let (repo, new) = (repo.clone(), fetching(&format!("s{number}")).await);
        starts.spawn(async move { repo.add_worktree(&new).await });
    }
    for worktree in starts.join_all().await {
        let worktree = worktree.unwrap();
        assert_eq!(fs::read_to_string(worktree.path().join("lib/lib.txt")).unwrap(), "lib");
        assert!(!worktree.is_dirty().await.unwrap());
    }
}

#[tokio::test]
async fn submodules_are_not_fetched_unless_allowed() {
    let library = TempRepo::new().with_file("lib.txt", "lib");
    library.commit("Library");
    let temp = TempRepo::new();
    temp.git(&["config", "--global", "protocol.file.allow", "always"]);
    temp.git(&["submodule", "--quiet", "add", library.path().to_str().unwrap(), "lib"]);
    temp.commit("Submodule");
    // What the repository has is checked out, also when its origin is gone.
    let url = temp.git(&["config", "submodule.lib.url"]);
    drop(library);
    let repo = open(&temp).await;
    let worktree = repo.add_worktree(&wanted(&temp, &repo, "a").await).await.unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("lib/lib.txt")).unwrap(), "lib");
    assert_eq!(temp.git_in(&worktree.path().join("lib"), &["config", "remote.origin.url"]), url);
    assert_eq!(worktree.warnings().await.unwrap(), Vec::<String>::new());
    // What it does not have is left out, and that is said.
    fs::remove_dir_all(temp.path().join(".git/modules/lib")).unwrap();
    let worktree = repo.add_worktree(&wanted(&temp, &repo, "b").await).await.unwrap();
    assert!(!worktree.path().join("lib/lib.txt").exists());
    assert!(worktree.warnings().await.unwrap().concat().contains("submodule lib"));
    assert!(!worktree.is_dirty().await.unwrap());
}

#[tokio::test]
async fn a_start_goes_on_when_its_caller_does_not_wait() {
    let temp = TempRepo::new();
    let git = git(&temp).await;
    let repo = git.open(temp.path()).await.unwrap();
    let new = wanted(&temp, &repo, "a").await;
    {
        let start = std::pin::pin!(repo.add_worktree(&new));
        let mut start = start;
        let polled =
            std::future::poll_fn(|context| std::task::Poll::Ready(start.as_mut().poll(context))).await;
        assert!(polled.is_pending());
    }
    git.finish().await;
    let worktree = repo.open_worktree(&new.path).await.unwrap();
    assert!(worktree.path().join("README.md").exists());
    assert_eq!(temp.git(&["config", "branch.forge/a.forge-attempt"]), "id-a");
}
