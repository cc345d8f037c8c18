//! Repositories whose own files lead elsewhere or are broken.

use super::Hostile;

#[tokio::test]
async fn alternates_outside_are_not_copied() {
    Hostile::repository("mkdir -p \"$COMMON/objects/info\"; echo \"$OUTSIDE\" > \"$COMMON/objects/info/alternates\"")
        .turn("echo \"$OUTSIDE/sub\" >> \"$COMMON/objects/info/alternates\"; echo \"/proc/self\" >> \"$COMMON/objects/info/alternates\"")
        .live()
        .await;
}

#[tokio::test]
async fn core_worktree_outside_is_not_used() {
    Hostile::repository("git config core.worktree \"$OUTSIDE\"").live().await;
}

#[tokio::test]
async fn core_worktree_set_by_agent_is_not_used() {
    Hostile::agent(
        "git config core.worktree \"$OUTSIDE\"; git config extensions.worktreeConfig true; git config --worktree core.worktree \"$OUTSIDE\"",
    )
    .live()
    .await;
}

#[tokio::test]
async fn separate_git_folder_is_used_as_is() {
    Hostile::repository(
        "mv .git ../elsewhere; echo 'gitdir: ../elsewhere' > .git; cd ../elsewhere; ln -s . .git",
    )
    .live()
    .await;
}

#[tokio::test]
async fn index_broken_by_agent_is_reported() {
    Hostile::agent("echo garbage > \"$(git rev-parse --git-dir)/index\"")
        .commits_nothing()
        .refuses("branch-status diff delete-file delete", "repository_damaged")
        .refuses("restore", "not_found")
        .live()
        .await;
}

#[tokio::test]
async fn locks_left_by_agent_are_reported() {
    Hostile::agent(
        "touch \"$(git rev-parse --git-dir)/index.lock\" \"$(git rev-parse --git-dir)/HEAD.lock\"",
    )
    .commits_nothing()
    .refuses("restore", "repository_locked")
    .live()
    .await;
}

#[tokio::test]
async fn broken_settings_are_reported() {
    Hostile::agent("echo '[core' >> \"$COMMON/config\"")
        .commits_nothing()
        .refuses(
            "branch-status diff snapshots follow-up restore delete-file delete discard",
            "repository_damaged",
        )
        .refuses(
            "/api/projects/id/branches /api/projects/id/search?q=secret /api/projects/id/search?q=passwd",
            "repository_damaged",
        )
        .refuses("/api/forge/projects/id/branch-status delete-project", "repository_damaged")
        .live()
        .await;
}

#[tokio::test]
async fn registration_redirected_by_agent_is_not_followed() {
    Hostile::repository(
        "git init -q \"$OUTSIDE/repo\"; git -C \"$OUTSIDE/repo\" commit -q --allow-empty -m x",
    )
    .turn("echo \"$OUTSIDE/repo/.git\" > \"$(git rev-parse --git-dir)/commondir\"")
    .commits_nothing()
    .refuses("follow-up delete-file", "worktree_gone")
    .refuses("delete", "worktree_unknown")
    .refuses("restore", "not_found")
    .live()
    .await;
}

#[tokio::test]
async fn replaced_and_grafted_commits_are_survived() {
    Hostile::agent(
        "git replace HEAD $(git commit-tree -m other HEAD^{tree}); mkdir -p \"$COMMON/info\"
         git rev-parse HEAD > \"$COMMON/shallow\"; git rev-parse HEAD > \"$COMMON/info/grafts\"",
    )
    .live()
    .await;
}
