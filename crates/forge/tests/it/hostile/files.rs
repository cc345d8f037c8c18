//! Special, huge, deep and many files.

use std::os::unix::net::UnixListener;

use super::Hostile;

#[tokio::test]
async fn pipes_and_devices_in_settings_are_not_read() {
    Hostile::repository(
        "mkdir -p .forge .genie/x/agents; mkfifo .forge/profiles.json; ln -s /dev/zero .genie/x/AGENTS.md
         mkfifo .genie/x/agents/a.md; ln -s /dev/zero .genie/x/agents/b.md",
    )
    .live()
    .await;
}

#[tokio::test]
async fn endless_profiles_file_is_not_read() {
    let lines = "mkdir .forge; ln -s /dev/zero .forge/profiles.json; git add -A; git commit -qm x";
    Hostile::repository(lines).live().await;
}

#[tokio::test]
async fn pipes_written_by_agent_are_not_read() {
    Hostile::repository("echo 1 > tracked; mkdir d; echo 1 > d/a; git add -A; git commit -qm x")
        .turn("mkfifo pipe .gitmodules; rm -r tracked d; mkfifo tracked d")
        .follow_up("mkdir sub; mkfifo sub/.git sub/.gitmodules")
        .refuses("restore delete-file delete", "work_not_saved")
        .live()
        .await;
}

/// Git itself would wait without end.
#[tokio::test]
async fn pipe_in_place_of_git_file_is_refused() {
    Hostile::agent("mkdir sub; echo 1 > sub/a; mkfifo .gitignore sub/.gitattributes")
        .commits_nothing()
        .refuses("branch-status diff delete-file delete", "pipe_in_worktree")
        .refuses("restore", "not_found")
        .live()
        .await;
}

#[tokio::test]
async fn sockets_in_checkout_are_left_alone() {
    let hostile = Hostile::repository("mkdir -p .forge .genie/agents");
    let bind = |path: &str| UnixListener::bind(hostile.repo.path().join(path)).unwrap();
    let _sockets = [".forge/profiles.json", ".genie/agents/a.md", "socket"].map(bind);
    hostile.live().await;
}

#[tokio::test]
async fn huge_files_are_not_read() {
    Hostile::repository(
        "mkdir -p .forge .genie/agents; truncate -s 3G .forge/profiles.json .genie/agents/a.md",
    )
    .turn("truncate -s 20G huge.bin; mkdir d; truncate -s 3G d/huge.bin")
    .refuses("restore delete-file delete", "work_not_saved")
    .live()
    .await;
}

#[tokio::test]
async fn huge_git_files_are_survived() {
    let huge = "yes 'a*b*c*d*e*f/**/g[a-z]*?' | head -n 100000";
    Hostile::repository(&format!(
        "{huge} > .gitignore; yes '*.x*y*z filter=x diff=x' | head -n 100000 > .gitattributes
        git add -A; git commit -qm x"
    ))
    .turn(&format!("mkdir sub; {huge} > sub/.gitignore; truncate -s 200M sub/.gitattributes; echo 1 > sub/a"))
    .refuses("restore delete-file delete", "work_not_saved")
    .live()
    .await;
}

#[tokio::test]
async fn ignored_everything_is_survived() {
    Hostile::agent("printf '*\\n!zz-work.txt\\n' > .gitignore; echo 1 > a; mkdir d; echo 1 > d/b")
        .follow_up("printf '!*\\n!.git\\n' > .gitignore; rm -r d; mkdir d; echo 2 > d/b")
        .live()
        .await;
}

#[tokio::test]
async fn deep_folders_are_committed_and_removed() {
    let deep = "path=.; for n in $(seq 300); do path=$path/d; done; mkdir -p $path; echo 1 > $path/file";
    Hostile::repository(&format!("{deep}; git add -A; git commit -qm x"))
        .turn(&format!("mkdir e; cd e; {deep}"))
        .live()
        .await;
}

/// No single call of the system can name these folders.
#[tokio::test]
async fn folders_beyond_path_limit_are_survived() {
    let name = "n".repeat(200);
    Hostile::agent(&format!("for n in $(seq 30); do mkdir {name}; cd -P {name}; done; echo 1 > file"))
        .live()
        .await;
}

#[tokio::test]
async fn unreadable_files_are_survived() {
    Hostile::agent("mkdir closed; echo 1 > closed/a; echo 1 > secret; chmod 000 closed secret").live().await;
}

#[tokio::test]
async fn git_file_replaced_by_anything_is_refused() {
    for lines in ["mkfifo .git", "ln -s /dev/zero .git", "mkdir .git", "truncate -s 20G .git"] {
        Hostile::agent(&format!("rm .git; {lines}"))
            .commits_nothing()
            .refuses("follow-up delete-file", "worktree_gone")
            .refuses("delete", "worktree_unknown")
            .refuses("restore", "not_found")
            .live()
            .await;
    }
}

#[tokio::test]
async fn pipes_in_registration_are_refused() {
    // A lock that cannot be read is a lock.
    Hostile::agent("mkfifo \"$(git rev-parse --git-dir)/locked\"")
        .refuses("delete discard delete-project", "worktree_locked")
        .live()
        .await;
    Hostile::agent(
        "dir=$(git rev-parse --git-dir); mkdir \"$dir/sequencer\"; mkfifo \"$dir/sequencer/todo\"",
    )
    .commits_nothing()
    .refuses("branch-status", "pipe_in_worktree")
    .live()
    .await;
}
