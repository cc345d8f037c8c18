//! Repositories inside the worktree, and git files that lead to another repository.

use super::Hostile;

const INNER: &str = "git init -q sub; cd sub; echo 1 > a; git add a
    git -c user.name=a -c user.email=a@b commit -qm x; echo 2 > a; cd ..";

#[tokio::test]
async fn nested_fsmonitor_does_not_run() {
    Hostile::agent(&format!("{INNER}; git -C sub config core.fsmonitor \"$TRIP\""))
        .control("git -C sub status; git status")
        .refuses("restore delete-file delete", "work_not_saved")
        .live()
        .await;
}

#[tokio::test]
async fn nested_filters_and_hooks_do_not_run() {
    Hostile::agent(&format!(
        "{INNER}; (cd sub; mkdir -p .git/info .git/hooks; echo '* filter=x' > .git/info/attributes
         for key in filter.x.clean filter.x.smudge core.sshCommand core.pager; do git config $key \"$TRIP\"; done
         for hook in pre-commit post-index-change reference-transaction post-checkout; do cp \"$TRIP\" .git/hooks/$hook; done)"
    ))
    .control("git -C sub add -A")
.refuses("restore delete-file delete", "work_not_saved")
    .live()
    .await;
}

#[tokio::test]
async fn staged_nested_repository_does_not_run() {
    Hostile::agent(&format!("{INNER}; git add sub 2>&1; git -C sub config core.fsmonitor \"$TRIP\""))
        .control("git status")
        .refuses("restore delete-file delete", "work_not_saved")
        .live()
        .await;
}

#[tokio::test]
async fn nested_git_file_is_not_followed() {
    Hostile::repository("git init -q \"$OUTSIDE/repo\"; cd \"$OUTSIDE/repo\"; git commit -q --allow-empty -m x; git config core.fsmonitor \"$TRIP\"")
        .turn("mkdir sub; echo \"gitdir: $OUTSIDE/repo/.git\" > sub/.git; echo 1 > sub/a")
        .control("git -C sub status")
        .probed_by_git()
.refuses("restore delete-file delete", "work_not_saved")
        .live()
        .await;
}

#[tokio::test]
async fn rewritten_git_file_is_not_followed() {
    Hostile::agent(
        "git clone -q --bare \"$COMMON\" fake; git -C fake config core.fsmonitor \"$TRIP\"
         git -C fake config core.bare false; echo 'gitdir: fake' > .git",
    )
    .control("git status")
    .commits_nothing()
    .refuses("follow-up delete-file", "worktree_gone")
    .refuses("delete", "worktree_unknown")
    .refuses("restore", "not_found")
    .live()
    .await;
}

#[tokio::test]
async fn git_folder_in_place_of_file_is_not_used() {
    Hostile::agent("rm .git; git init -q .; git config core.fsmonitor \"$TRIP\"")
        .control("git status")
        .commits_nothing()
        .refuses("follow-up delete-file", "worktree_gone")
        .refuses("delete", "worktree_unknown")
        .refuses("restore", "not_found")
        .live()
        .await;
}

#[tokio::test]
async fn embedded_bare_repository_is_plain_files() {
    Hostile::repository(
        "git init -q --bare evil.git; git -C evil.git config core.fsmonitor \"$TRIP\"; git -C evil.git config core.bare false
         git -C evil.git config core.worktree ..; git add -A; git commit -qm x",
    )
    .turn("echo 1 > evil.git/a")
    .control("mkdir -p evil.git/refs evil.git/objects; cd evil.git; git status")
    .live()
    .await;
}

#[tokio::test]
async fn worktree_made_by_agent_is_not_entered() {
    Hostile::agent(
        "git worktree add -q --detach inner; cp \"$TRIP\" inner/a; echo \"gitdir: $OUTSIDE\" > inner/.git",
    )
    .live()
    .await;
}
