//! Hooks that the agent wrote, changed or configured.

use super::Hostile;

const HUSKY: &str = "mkdir .husky scripts; printf '#!/bin/sh\\nsh scripts/lint.sh\\n' > .husky/pre-commit; chmod +x .husky/pre-commit
    echo true > scripts/lint.sh; git add -A; git commit -qm x; git config core.hooksPath .husky";

#[tokio::test]
async fn tracked_hook_changed_by_agent_does_not_run() {
    Hostile::repository(HUSKY)
        .turn("cp \"$TRIP\" .husky/pre-commit; echo 1 > a")
        .control("git add a; git commit -qm x")
        .live()
        .await;
}

#[tokio::test]
async fn script_of_hook_changed_by_agent_does_not_run() {
    Hostile::repository(HUSKY)
        .turn("cp \"$TRIP\" scripts/lint.sh; echo 1 > a")
        .control("git add a; git commit -qm x")
        .live()
        .await;
}

#[tokio::test]
async fn hooks_added_by_agent_do_not_run() {
    Hostile::agent(
        "mkdir -p \"$COMMON/hooks\"
         for hook in pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-index-change pre-auto-gc \\
            reference-transaction post-merge post-rewrite fsmonitor-watchman pre-push; do
            cp \"$TRIP\" \"$COMMON/hooks/$hook\"; done; echo 1 > a",
    )
    .control("git add a; git commit -qm x")
    .live()
    .await;
}

#[tokio::test]
async fn discard_runs_no_hooks() {
    Hostile::agent("mkdir -p \"$COMMON/hooks\"; cp \"$TRIP\" \"$COMMON/hooks/reference-transaction\"")
        .control("git branch x")
        .discarded()
        .live()
        .await;
}

#[tokio::test]
async fn hook_linked_by_agent_does_not_run() {
    Hostile::repository("mkdir -p \"$COMMON/hooks\"; printf '#!/bin/sh\\n' > \"$COMMON/hooks/pre-commit\"; chmod +x \"$COMMON/hooks/pre-commit\"")
        .turn("ln -sf \"$TRIP\" \"$COMMON/hooks/pre-commit\"; echo 1 > a")
        .control("git add a; git commit -qm x")
        .live()
        .await;
}

#[tokio::test]
async fn hooks_path_set_by_agent_is_not_used() {
    Hostile::agent("mkdir hooks; cp \"$TRIP\" hooks/pre-commit; cp \"$TRIP\" hooks/post-index-change; git config core.hooksPath \"$PWD/hooks\"")
        .control("git add -A; git commit -qm x")
        .live()
        .await;
}

#[tokio::test]
async fn hooks_folder_linked_by_agent_is_not_used() {
    Hostile::repository(HUSKY)
        .turn("rm -r .husky; mkdir evil; cp \"$TRIP\" evil/pre-commit; ln -s evil .husky; echo 1 > a")
        .control("git add a; git commit -qm x")
        .live()
        .await;
}

#[tokio::test]
async fn script_named_by_detour_does_not_run() {
    for hook in ["sh .husky/../scripts/lint.sh", "cd scripts; sh lint.sh", "sh \"$PWD/scripts/lint.sh\""] {
        Hostile::repository(&format!(
            "{HUSKY}; echo '{hook}' > .husky/pre-commit; git add -A; git -c core.hooksPath= commit -qm y"
        ))
        .turn("cp \"$TRIP\" scripts/lint.sh; echo 1 > a")
        .control("git add a; git commit -qm x")
        .live()
        .await;
    }
}

#[tokio::test]
async fn changed_library_of_hooks_does_not_run() {
    Hostile::repository(
        "mkdir -p \"$COMMON/hooks/lib\"; printf '#!/bin/sh\n. \"$(dirname \"$0\")/lib/all.sh\"\n' > \"$COMMON/hooks/pre-commit\"
         chmod +x \"$COMMON/hooks/pre-commit\"; echo true > \"$COMMON/hooks/lib/all.sh\"",
    )
    .turn("echo \"$TRIP\" > \"$COMMON/hooks/lib/all.sh\"; echo 1 > a")
    .control("git add a; git commit -qm x")
    .live()
    .await;
}
