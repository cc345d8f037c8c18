//! Symbolic links that lead out of the repository.

use serde_json::json;

use super::Hostile;

#[tokio::test]
async fn linked_profiles_file_is_not_read() {
    let lines =
        "mkdir .forge; ln -s \"$OUTSIDE/secret.txt\" .forge/profiles.json; git add -A; git commit -qm x";
    Hostile::repository(lines).live().await;
}

#[tokio::test]
async fn linked_forge_and_genie_folders_are_not_read() {
    Hostile::repository(
        "mkdir \"$OUTSIDE/agents\"; cp \"$OUTSIDE/secret.txt\" \"$OUTSIDE/profiles.json\"
         cp \"$OUTSIDE/secret.txt\" \"$OUTSIDE/agents/a.md\"; cp \"$OUTSIDE/secret.txt\" \"$OUTSIDE/AGENTS.md\"
         ln -s \"$OUTSIDE\" .forge; ln -s \"$OUTSIDE\" .genie; git add -A; git commit -qm x",
    )
    .live()
    .await;
}

#[tokio::test]
async fn linked_agent_texts_are_not_read() {
    Hostile::repository(
        "mkdir -p .genie/x/agents .genie/y/agents; ln -s \"$OUTSIDE/secret.txt\" .genie/x/AGENTS.md
         ln -s \"$OUTSIDE/secret.txt\" .genie/x/agents/linked.md; ln -s /proc/self/environ .genie/y/AGENTS.md
         printf -- '---\\nforge_profile_name: GENIE\\n---\\nhello\\n' > .genie/x/agents/a.md
         printf -- '---\\nname: b\\n---\\nhello\\n' > .genie/y/agents/b.md; git add -A; git commit -qm x",
    )
    .live()
    .await;
}

#[tokio::test]
async fn tracked_links_are_not_followed() {
    let lines = "ln -s /etc/passwd passwd; ln -s \"$OUTSIDE/secret.txt\" secret; ln -s \"$OUTSIDE\" folder
        ln -s loop loop; ln -s two one; ln -s one two; ln -s /proc/self/environ environ; git add -A; git commit -qm x";
    let change =
        "rm passwd secret; ln -s \"$OUTSIDE/sub/file.txt\" passwd; ln -s /etc secret; ln -s \"$OUTSIDE\" new";
    Hostile::repository(lines).turn(change).follow_up("rm folder; ln -s ../../../../etc folder").live().await;
}

#[tokio::test]
async fn restore_does_not_write_through_link() {
    Hostile::repository(
        "mkdir -p src/sub; echo 1 > src/secret.txt; echo 1 > src/sub/file.txt; git add -A; git commit -qm x",
    )
    .turn("echo 2 > src/secret.txt; echo 2 > src/sub/file.txt; echo 2 > src/new.txt")
    .follow_up("rm -r src; ln -s \"$OUTSIDE\" src")
    .live()
    .await;
}

#[tokio::test]
async fn folder_replaces_tracked_link() {
    Hostile::repository("ln -s \"$OUTSIDE\" src; git add -A; git commit -qm x")
        .follow_up("rm src; mkdir src; echo 2 > src/secret.txt; echo 2 > src/new.txt")
        .live()
        .await;
}

#[tokio::test]
async fn worktree_replaced_by_link_is_not_followed() {
    Hostile::agent("here=$(pwd); mv \"$here\" \"$here.aside\"; ln -s \"$OUTSIDE\" \"$here\"")
        .commits_nothing()
        .refuses("follow-up delete-file", "worktree_gone")
        .refuses("delete", "worktree_unknown")
        .refuses("restore", "not_found")
        .live()
        .await;
}

#[tokio::test]
async fn linked_git_files_are_not_read() {
    Hostile::repository(
        "for name in .gitignore .gitattributes .mailmap; do ln -s \"$OUTSIDE/secret.txt\" $name; done
         git add -A; git commit -qm x",
    )
    .turn("mkdir sub; ln -s \"$OUTSIDE/secret.txt\" sub/.gitignore; ln -s \"$OUTSIDE/secret.txt\" sub/.gitattributes; echo 1 > sub/a")
    .live()
    .await;
}

#[tokio::test]
async fn images_are_not_written_through_link() {
    let lines = "ln -s \"$OUTSIDE\" .forge-images; git add -A; git commit -qm x";
    Hostile::repository(lines).with_image().live().await;
}

#[tokio::test]
async fn copied_files_do_not_leave_through_links() {
    // The base commit has a link where the user's checkout has a folder.
    Hostile::repository(
        "ln -s \"$OUTSIDE\" conf; ln -s \"$OUTSIDE\" read; git add -A; git commit -qm x
         rm conf; mkdir conf; echo 1 > conf/secret.txt; echo 1 > conf/a.toml",
    )
    .project(json!({"copy_files": "conf/*, read/*, conf/secret.txt, read/secret.txt"}))
    .live()
    .await;
}

#[tokio::test]
async fn commit_message_is_not_written_through_link() {
    Hostile::agent(
        "dir=$(git rev-parse --git-dir)
         for name in FORGE_COMMIT_MSG COMMIT_EDITMSG; do ln -sf \"$OUTSIDE/secret.txt\" \"$dir/$name\"; done
         ln -sf \"$OUTSIDE/new\" \"$dir/forge-lock\"",
    )
    .live()
    .await;
}
