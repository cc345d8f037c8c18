//! Committing with the user's identity, hooks and signing.

use std::fs;
use std::path::PathBuf;

use forge_git::{CommitRules, Error};
use forge_testkit::repo::TempRepo;
use tokio_util::sync::CancellationToken;

use crate::kit::{add, fifo, open, script};

#[tokio::test]
async fn everything_that_changed_is_committed() {
    let temp =
        TempRepo::new().with_file("gone", "").with_file("exec", "").with_file(".gitignore", "ignored\n");
    temp.commit("Second");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let path = worktree.path();
    assert_eq!(worktree.commit_all("Nothing").await.unwrap(), None);
    fs::remove_file(path.join("gone")).unwrap();
    fs::write(path.join("README.md"), "changed").unwrap();
    for name in ["new\nline", "-dash", "ü", "ignored"] {
        fs::write(path.join(name), "x").unwrap();
    }
    assert!(worktree.is_dirty().await.unwrap());
    let message = "Say it\n\n# not a comment\nhéllo";
    let commit = worktree.commit_all(message).await.unwrap().unwrap();
    assert_eq!(worktree.head().await.unwrap(), commit);
    assert_eq!(temp.git_in(path, &["log", "-1", "--format=%B%an"]), format!("{message}\nTest"));
    let names =
        temp.git_in(path, &["-c", "core.quotePath=false", "show", "--format=", "--name-status", "-z"]);
    assert_eq!(names, "A\0-dash\0M\0README.md\0D\0gone\0A\0new\nline\0A\0ü\0");
    assert!(!worktree.is_dirty().await.unwrap());
    fs::write(path.join("x"), "").unwrap();
    worktree.commit_all(" \n").await.unwrap().unwrap();
    assert_eq!(temp.git_in(path, &["log", "-1", "--format=%B"]), "Save changes");
}

#[tokio::test]
async fn commit_writes_nothing_through_links() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let admin = temp.path().join(".git/worktrees/a");
    for name in ["FORGE_COMMIT_MSG", "COMMIT_EDITMSG", "forge-lock"] {
        let outside = temp.beside(name);
        fs::write(&outside, "kept").unwrap();
        let _missing = fs::remove_file(admin.join(name));
        std::os::unix::fs::symlink(&outside, admin.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(temp.beside("made"), admin.join("forge-programs.new")).unwrap();
    fs::write(worktree.path().join("x"), "").unwrap();
    worktree.commit_all("Message").await.unwrap().unwrap();
    for name in ["FORGE_COMMIT_MSG", "COMMIT_EDITMSG", "forge-lock"] {
        assert_eq!(fs::read_to_string(temp.beside(name)).unwrap(), "kept", "{name}");
    }
    assert!(!temp.beside("made").exists());
    assert_eq!(temp.git_in(worktree.path(), &["log", "-1", "--format=%s"]), "Message");
}

#[tokio::test]
async fn a_commit_without_an_identity_is_forges_and_writes_no_config() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    temp.set_global_config("");
    fs::write(worktree.path().join("x"), "").unwrap();
    worktree.commit_all("x").await.unwrap().unwrap();
    let who = temp.git_in(worktree.path(), &["log", "-1", "--format=%an <%ae>|%cn <%ce>"]);
    assert_eq!(who, "Forge <forge@localhost>|Forge <forge@localhost>");
    assert!(!temp.git(&["config", "--list"]).contains("user."));
}

#[tokio::test]
async fn a_hook_that_refuses_is_quoted_and_the_work_stays() {
    let temp = TempRepo::new();
    for hook in ["pre-commit", "commit-msg"] {
        let (name, hook) = (hook, temp.path().join(".git/hooks").join(hook));
        script(&hook, "! git diff --cached | grep -q work || { echo tests are red >&2; exit 7; }");
        let worktree = add(&temp, &open(&temp).await, name).await;
        fs::write(worktree.path().join("x"), "work").unwrap();
        let head = worktree.head().await.unwrap();
        let error = worktree.commit_all("x").await.unwrap_err();
        assert!(matches!(&error, Error::HookRefused { output } if output == "tests are red"), "{error:?}");
        assert_eq!(worktree.head().await.unwrap(), head);
        assert_eq!(fs::read_to_string(worktree.path().join("x")).unwrap(), "work");
        // Once the hook is content, the same call succeeds.
        fs::write(worktree.path().join("x"), "good").unwrap();
        assert!(worktree.commit_all("x").await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_commit_leaves_no_git_behind_that_tidies_up_in_the_worktree() {
    let temp = TempRepo::new();
    let told = temp.beside("told");
    let body = format!("git config maintenance.auto > '{}'", told.display());
    script(&temp.path().join(".git/hooks/pre-commit"), &body);
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("x"), "").unwrap();
    assert!(worktree.commit_all("x").await.unwrap().is_some());
    assert_eq!(fs::read_to_string(told).unwrap(), "false\n");
}

#[tokio::test]
async fn a_hook_that_leaves_a_process_behind_does_not_hold_up_the_commit() {
    let temp = TempRepo::new();
    let fifo = temp.beside("fifo");
    script(&temp.path().join(".git/hooks/pre-commit"), &format!("mkfifo '{0}'\ncat '{0}' &", fifo.display()));
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("x"), "").unwrap();
    assert!(worktree.commit_all("x").await.unwrap().is_some());
    fs::write(worktree.path().join("y"), "").unwrap();
    fs::remove_file(temp.path().join(".git/hooks/pre-commit")).unwrap();
    assert!(worktree.commit_all("y").await.unwrap().is_some());
    fs::write(fifo, "").unwrap();
}

#[tokio::test]
async fn a_commit_that_is_told_to_stop_kills_its_hook_and_leaves_the_work() {
    let temp = TempRepo::new();
    let (began, hook) = (temp.beside("began"), temp.path().join(".git/hooks/pre-commit"));
    fifo(&began);
    script(&hook, &format!("echo > '{}'\nsleep 600", began.display()));
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("x"), "work").unwrap();
    let head = worktree.head().await.unwrap();
    let stop = CancellationToken::new();
    let began = tokio::task::spawn_blocking(move || fs::read(began));
    let until = worktree.until(&stop);
    let (error, ()) = tokio::join!(until.commit_all("x"), async {
        began.await.unwrap().unwrap();
        stop.cancel();
    });
    assert!(matches!(error, Err(Error::Stopped)), "{error:?}");
    assert_eq!(worktree.head().await.unwrap(), head);
    fs::remove_file(hook).unwrap();
    assert!(worktree.commit_all("x").await.unwrap().is_some(), "the killed git is in nobody's way");
}

#[tokio::test]
async fn a_signature_is_made_or_its_failure_is_told() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let signer = temp.beside("signer");
    temp.git(&["config", "commit.gpgSign", "true"]);
    temp.git(&["config", "gpg.program", signer.to_str().unwrap()]);
    fs::write(worktree.path().join("x"), "").unwrap();
    script(&signer, "echo no secret key >&2; exit 2");
    let error = worktree.commit_all("x").await.unwrap_err();
    assert!(
        matches!(&error, Error::SigningFailed { output } if output.contains("no secret key")),
        "{error:?}"
    );

    script(
        &signer,
        "cat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\nprintf -- '-----BEGIN PGP SIGNATURE-----\\n\\nx\\n-----END PGP SIGNATURE-----\\n'",
    );
    let commit = worktree.commit_all("x").await.unwrap().unwrap();
    assert!(temp.git(&["cat-file", "commit", commit.as_str()]).contains("BEGIN PGP SIGNATURE"));
}

#[tokio::test]
async fn conflicts_are_not_committed() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    conflict(&temp, worktree.path());
    let error = worktree.commit_all("x").await.unwrap_err();
    assert!(
        matches!(&error, Error::Unmerged { paths } if *paths == [PathBuf::from("README.md")]),
        "{error:?}"
    );
}

/// Leaves the worktree in the middle of a merge that conflicts in `README.md`.
pub(crate) fn conflict(temp: &TempRepo, worktree: &std::path::Path) {
    fs::write(worktree.join("README.md"), "theirs").unwrap();
    temp.git_in(worktree, &["commit", "-q", "-a", "-m", "Theirs"]);
    temp.write("README.md", "ours");
    temp.commit("Ours");
    assert!(!temp.try_git_in(worktree, &["merge", "main"]).status.success());
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn the_index_lock_of_a_dead_git_does_not_block() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(temp.path().join(".git/worktrees/a/index.lock"), "").unwrap();
    fs::write(worktree.path().join("x"), "").unwrap();
    assert!(worktree.commit_all("x").await.unwrap().is_some());
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn the_index_lock_of_a_live_git_is_waited_for() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    let (started, go) = (temp.beside("started"), temp.beside("go"));
    // A commit of the agent's own that stands in its hook, holding the index.
    script(
        &temp.path().join(".git/hooks/pre-commit"),
        &format!("mkfifo '{}' && echo > '{}' && cat '{0}' > /dev/null", go.display(), started.display()),
    );
    fifo(&started);
    fs::write(worktree.path().join("x"), "").unwrap();
    temp.git_in(worktree.path(), &["add", "x"]);
    let agent = std::thread::spawn({
        let path = worktree.path().to_owned();
        let env = temp.env();
        move || foreign_commit(&path, env)
    });
    tokio::task::spawn_blocking(move || fs::read(started).unwrap()).await.unwrap();
    fs::write(worktree.path().join("y"), "").unwrap();
    let mut commit = std::pin::pin!(worktree.commit_all("Ours"));
    let polled = std::future::poll_fn(|context| std::task::Poll::Ready(commit.as_mut().poll(context))).await;
    assert!(polled.is_pending());
    fs::remove_file(temp.path().join(".git/hooks/pre-commit")).unwrap();
    tokio::task::spawn_blocking(move || fs::write(go, "").unwrap()).await.unwrap();
    assert!(commit.await.unwrap().is_some());
    assert!(agent.join().unwrap());
    assert_eq!(temp.git_in(worktree.path(), &["log", "-2", "--format=%s"]), "Ours\nAgent's");
}

#[cfg(target_os = "linux")]
#[expect(clippy::disallowed_methods, reason = "an agent's own git, run beside the one under test")]
fn foreign_commit(path: &std::path::Path, env: Vec<(std::ffi::OsString, std::ffi::OsString)>) -> bool {
    let mut command = std::process::Command::new("git");
    command.envs(env).current_dir(path).args(["commit", "-q", "-a", "-m", "Agent's"]);
    command.status().unwrap().success()
}

#[tokio::test]
async fn rules_skip_hooks_and_signing() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    temp.git(&["config", "--global", "commit.gpgSign", "true"]);
    temp.git(&["config", "--global", "gpg.program", "false"]);
    fs::write(worktree.path().join("x"), "").unwrap();
    assert!(matches!(worktree.commit_all("x").await, Err(Error::SigningFailed { .. })));
    let unsigned = CommitRules { skip_signing: true, ..CommitRules::default() };
    assert!(worktree.with_rules(unsigned.clone()).commit_all("x").await.unwrap().is_some());

    let temp = TempRepo::new();
    script(&temp.path().join(".git/hooks/pre-commit"), "exit 1");
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("x"), "").unwrap();
    assert!(matches!(worktree.with_rules(unsigned).commit_all("x").await, Err(Error::HookRefused { .. })));
    let unchecked = CommitRules { skip_hooks: true, ..CommitRules::default() };
    assert!(worktree.with_rules(unchecked).commit_all("x").await.unwrap().is_some());
}

#[tokio::test]
async fn author_is_who_git_knows_in_checkout() {
    let temp = TempRepo::new();
    let (folder, own) = (temp.path().join(".git"), temp.beside("own"));
    fs::write(&own, "[user]\n\tname = At Work\n\temail = me@work.example\n").unwrap();
    temp.git(&[
        "config",
        "--global",
        &format!("includeIf.gitdir:{}.path", folder.display()),
        own.to_str().unwrap(),
    ]);
    let worktree = add(&temp, &open(&temp).await, "a").await;
    fs::write(worktree.path().join("x"), "").unwrap();
    worktree.commit_all("x").await.unwrap().unwrap();
    let by = temp.git_in(worktree.path(), &["log", "-1", "--format=%an %ae %cn %ce"]);
    assert_eq!(by, "At Work me@work.example At Work me@work.example");
    assert_eq!(worktree.warnings().await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn missing_identity_is_warned_of() {
    let temp = TempRepo::new();
    let worktree = add(&temp, &open(&temp).await, "a").await;
    temp.set_global_config("[user]\n\tname = Half\n");
    fs::write(worktree.path().join("x"), "").unwrap();
    worktree.commit_all("x").await.unwrap().unwrap();
    let by = temp.git_in(worktree.path(), &["log", "-1", "--format=%an %ae"]);
    assert_eq!(by, "Half forge@localhost");
    let warnings = worktree.warnings().await.unwrap().concat();
    assert!(warnings.contains("git config --global user.name"), "{warnings}");
}
