//! Submodules that are not where their address says.

use std::fs;

use forge_git::{Error, NewWorktree, Repo, Submodules};
use forge_testkit::repo::TempRepo;

use crate::kit::{open, wanted};

/// A repository with the submodule `lib`, and the repository that this is a clone of.
fn with_submodule() -> (TempRepo, TempRepo) {
    let library = TempRepo::new().with_file("lib.txt", "1");
    library.commit("Library");
    let temp = TempRepo::new();
    temp.git(&["config", "--global", "protocol.file.allow", "always"]);
    temp.git(&["submodule", "--quiet", "add", library.path().to_str().unwrap(), "lib"]);
    temp.commit("Submodule");
    (temp, library)
}

/// Commits in the submodule, and that commit in the repository.
fn commit_in_submodule(temp: &TempRepo) {
    temp.write("lib/lib.txt", "2");
    temp.git_in(&temp.path().join("lib"), &["commit", "-qam", "Not pushed"]);
    temp.commit("Newer submodule");
}

async fn fetching(temp: &TempRepo, repo: &Repo, name: &str) -> NewWorktree {
    NewWorktree { submodules: Submodules::Fetch, ..wanted(temp, repo, name).await }
}

#[tokio::test]
async fn unpushed_commit_is_taken_from_repository() {
    let (temp, library) = with_submodule();
    commit_in_submodule(&temp);
    let url = library.path().display().to_string();
    let repo = open(&temp).await;
    let worktree = repo.add_worktree(&fetching(&temp, &repo, "a").await).await.unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("lib/lib.txt")).unwrap(), "2");
    assert_eq!(temp.git_in(&worktree.path().join("lib"), &["config", "remote.origin.url"]), url);
    assert!(!worktree.is_dirty().await.unwrap());
    // Nor does it need its address.
    drop(library);
    let worktree = repo.add_worktree(&fetching(&temp, &repo, "b").await).await.unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("lib/lib.txt")).unwrap(), "2");
}

#[tokio::test]
async fn newer_commit_is_fetched_after_local_try() {
    let (temp, library) = with_submodule();
    library.write("lib.txt", "3");
    let newer = library.commit("Newer");
    temp.git(&["update-index", "--cacheinfo", &format!("160000,{newer},lib")]);
    temp.git(&["commit", "-qm", "Newer submodule"]);
    let repo = open(&temp).await;
    let worktree = repo.add_worktree(&fetching(&temp, &repo, "a").await).await.unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("lib/lib.txt")).unwrap(), "3");
}

#[tokio::test]
async fn commit_that_is_nowhere_is_named() {
    let (temp, _library) = with_submodule();
    commit_in_submodule(&temp);
    fs::remove_dir_all(temp.path().join(".git/modules/lib")).unwrap();
    let repo = open(&temp).await;
    let error = repo.add_worktree(&fetching(&temp, &repo, "a").await).await.unwrap_err();
    assert!(matches!(error, Error::SubmoduleCommitMissing { .. }), "{error:?}");
}

#[tokio::test]
async fn submodule_with_own_git_folder_is_local() {
    let (temp, library) = with_submodule();
    let (lib, module) = (temp.path().join("lib"), temp.path().join(".git/modules/lib"));
    fs::remove_file(lib.join(".git")).unwrap();
    fs::rename(module, lib.join(".git")).unwrap();
    temp.git(&["config", "--file", "lib/.git/config", "--unset", "core.worktree"]);
    drop(library);
    let repo = open(&temp).await;
    let worktree = repo.add_worktree(&wanted(&temp, &repo, "a").await).await.unwrap();
    assert_eq!(fs::read_to_string(worktree.path().join("lib/lib.txt")).unwrap(), "1");
}

#[tokio::test]
async fn missing_lfs_has_error_and_warning() {
    let temp =
        TempRepo::new().with_file(".gitattributes", "*.bin filter=lfs\n").with_file("a.bin", "pointer");
    temp.commit("Large files");
    let repo = open(&temp).await;
    let worktree = repo.add_worktree(&wanted(&temp, &repo, "a").await).await.unwrap();
    let warnings = worktree.warnings().await.unwrap().concat();
    assert!(warnings.contains("git lfs install"), "{warnings}");
    for (key, command) in [("clean", "git-lfs clean -- %f"), ("smudge", "git-lfs smudge -- %f")] {
        // Also where git-lfs is installed.
        temp.git(&["config", &format!("filter.lfs.{key}"), &format!("PATH=/nowhere; {command}")]);
    }
    temp.git(&["config", "filter.lfs.required", "true"]);
    let error = repo.add_worktree(&wanted(&temp, &repo, "b").await).await.unwrap_err();
    assert!(matches!(error, Error::LfsMissing { .. }), "{error:?}");
}
