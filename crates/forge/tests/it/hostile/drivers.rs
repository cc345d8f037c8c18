//! Filters, diff and merge drivers, and other settings that name programs.

use super::Hostile;

/// What a person configured runs; what an agent adds does not.
const ATTRIBUTES: &str =
    "echo '*.txt filter=x diff=x merge=x' > .gitattributes; echo 1 > a.txt; git add -A; git commit -qm x";

#[tokio::test]
async fn filter_configured_by_agent_does_not_run() {
    Hostile::repository(ATTRIBUTES)
        .turn("echo 2 > a.txt; for key in clean smudge; do git config filter.x.$key \"$TRIP\"; done; git config filter.x.required true")
        .control("git add a.txt")
        .live()
        .await;
}

#[tokio::test]
async fn filter_process_configured_by_agent_does_not_run() {
    Hostile::agent("mkdir -p \"$COMMON/info\"; echo '* filter=y' > \"$COMMON/info/attributes\"; git config filter.y.process \"$TRIP\"; echo 2 > a")
        .control("git add a")
        .live()
        .await;
}

#[tokio::test]
async fn filter_of_unconfigured_driver_does_nothing() {
    Hostile::repository("printf '* filter=x diff=x merge=x ident text eol=crlf\\n*.u working-tree-encoding=UTF-16\\n' > .gitattributes; git add -A; git commit -qm x")
        .turn("echo '[filter \"x\"] clean = \"'$TRIP'\"' > .gitconfig; cp .gitconfig .git-config")
        .live()
        .await;
}

#[tokio::test]
async fn filter_script_changed_by_agent_does_not_run() {
    Hostile::repository(&format!(
        "{ATTRIBUTES}; mkdir tools; echo cat > tools/clean.sh; git add -A; git commit -qm y
        git config filter.x.clean 'sh tools/clean.sh'"
    ))
    .turn("cp \"$TRIP\" tools/clean.sh; echo 2 > a.txt")
    .control("git add a.txt")
    .live()
    .await;
}

#[tokio::test]
async fn diff_programs_do_not_run() {
    Hostile::repository(ATTRIBUTES)
        .turn("git config diff.x.textconv \"$TRIP\"; git config diff.external \"$TRIP\"; git config diff.x.command \"$TRIP\"; echo 2 > a.txt")
        .control("git --no-pager diff")
        .live()
        .await;
}

#[tokio::test]
async fn merge_driver_does_not_run() {
    Hostile::repository(ATTRIBUTES)
        .turn("git config merge.x.driver \"$TRIP\"; git config merge.x.recursive \"$TRIP\"; echo 2 > a.txt")
        .control("git commit -qam two; git checkout -q -b three main; echo 3 > a.txt; git commit -qam three; git merge control")
        .live()
        .await;
}

#[tokio::test]
async fn included_settings_do_not_run() {
    Hostile::repository(ATTRIBUTES)
        .turn(
            "printf '[core]\\n\\tfsmonitor = %s\\n[filter \"x\"]\\n\\tclean = %s\\n' \"$TRIP\" \"$TRIP\" > evil
             git config includeIf.gitdir:/**.path \"$PWD/evil\"; echo 2 > a.txt",
        )
        .control("git add a.txt")
        .live()
        .await;
}

#[tokio::test]
async fn worktree_settings_do_not_run() {
    Hostile::repository(ATTRIBUTES)
        .turn(
            "git config extensions.worktreeConfig true; git config --worktree filter.x.clean \"$TRIP\"
             git config --worktree core.fsmonitor \"$TRIP\"; echo 2 > a.txt",
        )
        .control("git add a.txt")
        .live()
        .await;
}

#[tokio::test]
async fn signing_program_does_not_run() {
    Hostile::agent("git config gpg.program \"$TRIP\"; git config commit.gpgSign true; echo 1 > a")
        .control("git add a; git commit -qm x")
        .commits_nothing()
        .live()
        .await;
}

#[tokio::test]
async fn other_programs_in_settings_do_not_run() {
    Hostile::agent(
        "for key in core.sshCommand core.editor core.pager core.askPass core.gitProxy core.alternateRefsCommand \\
            credential.helper sequence.editor pager.status pager.diff trailer.x.command trailer.x.cmd hook.x.command \\
            gpg.ssh.program gpg.ssh.defaultKeyCommand interactive.diffFilter browser.x.cmd uploadpack.packObjectsHook; do
            git config $key \"$TRIP\"; done
         for alias in status add commit rev-parse write-tree; do git config alias.$alias \"!$TRIP\"; done
         git config hook.x.event pre-commit; git config trailer.x.key x; echo 1 > a",
    )
    .control("unset GIT_EDITOR; git commit --allow-empty")
    .live()
    .await;
}

#[tokio::test]
async fn fsmonitor_of_repository_does_not_run() {
    Hostile::repository("git config core.fsmonitor \"$TRIP\"").control("git status").live().await;
}
