//! Making repositories.

use std::fs;

use forge_git::Error;
use forge_testkit::repo::TempRepo;

use crate::kit::{git, script};

#[tokio::test]
async fn a_new_repository_has_main_and_an_empty_first_commit() {
    let temp = TempRepo::new();
    let path = temp.beside("made/by us");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join("notes"), "kept").unwrap();
    let repo = git(&temp).await.create(&path).await.unwrap();
    assert_eq!(repo.current_branch().await.unwrap().as_deref(), Some("main"));
    assert_eq!(temp.git_in(&path, &["log", "--format=%s|%ae"]), "Initial commit|test@example.com");
    assert_eq!(temp.git_in(&path, &["ls-tree", "HEAD"]), "");
    assert_eq!(fs::read_to_string(path.join("notes")).unwrap(), "kept");
}

#[tokio::test]
async fn an_existing_repository_is_not_made_again() {
    let temp = TempRepo::new();
    let head = temp.git(&["rev-parse", "HEAD"]);
    assert!(matches!(git(&temp).await.create(temp.path()).await, Err(Error::AlreadyARepository { .. })));
    assert_eq!(temp.git(&["rev-parse", "HEAD"]), head);
}

#[tokio::test]
async fn without_an_identity_forge_stands_in_and_writes_no_config() {
    let temp = TempRepo::new();
    temp.set_global_config("");
    let path = temp.beside("made");
    git(&temp).await.create(&path).await.unwrap();
    assert_eq!(temp.git_in(&path, &["log", "--format=%an <%ae>"]), "Forge <forge@localhost>");
    assert!(!temp.git_in(&path, &["config", "--local", "--list"]).contains("user."));
}

#[tokio::test]
async fn half_an_identity_is_completed_not_replaced() {
    let temp = TempRepo::new();
    temp.set_global_config("[user]\n\temail = me@example.com\n");
    let path = temp.beside("made");
    git(&temp).await.create(&path).await.unwrap();
    assert_eq!(temp.git_in(&path, &["log", "--format=%an <%ae>"]), "Forge <me@example.com>");
}

#[tokio::test]
async fn first_commit_runs_no_program_of_repository() {
    let temp = TempRepo::empty();
    let ran = temp.beside("ran");
    let run = temp.beside("run");
    script(&run, &format!("echo \"$0\" >> '{}'; exit 1", ran.display()));
    for hook in ["reference-transaction", "post-index-change"] {
        fs::copy(&run, temp.path().join(".git/hooks").join(hook)).unwrap();
    }
    let path = run.to_str().unwrap();
    for (key, value) in [("commit.gpgSign", "true"), ("gpg.program", path), ("core.fsmonitor", path)] {
        temp.git(&["config", key, value]);
    }
    let repo = git(&temp).await.open(temp.path()).await.unwrap();
    repo.first_commit().await.unwrap();
    assert!(!ran.exists(), "{}", fs::read_to_string(&ran).unwrap_or_default());
    assert_eq!(repo.branches().await.unwrap().len(), 1);
}

#[tokio::test]
async fn first_commit_is_signed_by_program_of_user() {
    let temp = TempRepo::empty();
    let signer = temp.beside("signer");
    script(&signer, "echo no key >&2; exit 1");
    temp.set_global_config(&format!(
        "[user]\n\tname = T\n\temail = t@e.x\n[commit]\n\tgpgsign = yes\n[gpg]\n\tprogram = {}\n",
        signer.display()
    ));
    temp.git(&["config", "gpg.program", "true"]);
    let repo = git(&temp).await.open(temp.path()).await.unwrap();
    let error = repo.first_commit().await.unwrap_err();
    assert!(matches!(&error, Error::SigningFailed { output } if output.contains("no key")), "{error:?}");
}

#[tokio::test]
async fn a_failure_leaves_nothing() {
    let temp = TempRepo::new();
    let signer = temp.beside("signer");
    script(&signer, "echo no key >&2; exit 1");
    temp.set_global_config(&format!(
        "[user]\n\tname = T\n\temail = t@e.x\n[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {}\n",
        signer.display()
    ));
    let git = git(&temp).await;
    let error = git.create(&temp.beside("deep/er")).await.unwrap_err();
    assert!(matches!(error, Error::SigningFailed { .. }), "{error:?}");
    assert!(!temp.beside("deep").exists());

    let existing = temp.beside("existing");
    fs::create_dir(&existing).unwrap();
    fs::write(existing.join("notes"), "kept").unwrap();
    assert!(git.create(&existing).await.is_err());
    assert!(!existing.join(".git").exists());
    assert_eq!(fs::read_to_string(existing.join("notes")).unwrap(), "kept");
}

#[tokio::test]
async fn detached_head_without_branches_has_commits() {
    let temp = TempRepo::new();
    temp.git(&["checkout", "-q", "--detach"]);
    temp.git(&["branch", "-D", "main"]);
    let repo = git(&temp).await.open(temp.path()).await.unwrap();
    assert!(repo.has_commits().await.unwrap());
    repo.first_commit().await.unwrap();
    assert_eq!(temp.git(&["for-each-ref"]), "");
    assert!(matches!(repo.resolve("main").await, Err(Error::BranchNotFound { .. })));
}
