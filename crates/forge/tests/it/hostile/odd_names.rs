//! Names of files, branches and tree entries that programs stumble over.

use super::Hostile;

#[tokio::test]
async fn odd_file_names_are_committed_and_restored() {
    let names = "mkdir -p ./-d '..a' '. .' '...'
        for name in \"$(printf 'a\\nb')\" -rf --help '-d/--x' ':(top)x' ':!x' '*' '?[a]' 'a b ' '..a/x' '. ./x' '.../x' \\
            'quote\"s' \"it's\" 'back\\slash' '$(touch x)' '`x`' '%s%n' \"$(printf 'caf\\351')\" \"$(printf 'a\\tb\\033[31m')\" \\
            \"$(printf '\\357\\274\\216\\357\\274\\216')\" \"$(printf '\\342\\200\\256txt')\" '~' '@{-1}' 'HEAD' 'FETCH_HEAD'; do
            echo \"$n\" > \"./$name\"; done; touch \"$(head -c 255 /dev/zero | tr '\\0' n)\"";
    Hostile::repository(&format!("n=1; {names}; git add -A; git commit -qm x"))
        .turn(&format!("n=2; {names}; rm -- -rf"))
        .follow_up(&format!("n=3; {names}; rm -- --help"))
        .live()
        .await;
}

#[tokio::test]
async fn case_collisions_are_kept_apart() {
    Hostile::repository("mkdir A a; echo 1 > A/x; echo 2 > a/x; echo 1 > README.MD; echo 1 > .FORGE; git add -A; git commit -qm x")
        .turn("echo 3 > readme.md; echo 4 > a/X; echo 5 > .GITIGNORE; echo 6 > .GITMODULES")
        .live()
        .await;
}

/// Git refuses to add these, and everything else of the turn with them.
#[tokio::test]
async fn names_like_git_folder_do_not_break_turn() {
    Hostile::agent(
        "mkdir -p sub/.GIT 'x/.git ' 'git~1' \"$(printf '.g\\342\\200\\214it')\"
         echo '[core]' > sub/.GIT/config; echo 1 > 'x/.git /config'; echo 1 > git~1/config; echo 1 > .git.; echo 1 > '.git::$INDEX_ALLOCATION'",
    )
.refuses("restore delete-file delete", "work_not_saved")
    .live()
    .await;
}

#[tokio::test]
async fn ambiguous_refs_do_not_mislead() {
    Hostile::repository(
        "git commit -q --allow-empty -m y; git tag main HEAD~1; git branch heads/main HEAD~1; git update-ref refs/heads/HEAD HEAD~1
         git update-ref refs/heads/refs/heads/main HEAD~1; git update-ref refs/remotes/main HEAD~1
         git update-ref 'refs/heads/x;$(id)' HEAD; git update-ref refs/forge/attempts/x/turn HEAD",
    )
    .live()
    .await;
}

/// Trees that no working git makes, but any sender of objects.
#[tokio::test]
async fn hostile_tree_entries_are_not_checked_out() {
    for entry in ["..", ".", ".git", ".GIT", "git~1"] {
        Hostile::repository(&format!(
            "blob=$(echo evil | git hash-object -w --stdin); inner=$(printf \"100644 blob $blob\\tconfig\\n\" | git mktree)
             tree=$(printf \"040000 tree $inner\\t{entry}\\n\" | git mktree)
             git update-ref refs/heads/main $(git commit-tree -m evil -p HEAD $tree)"
        ))
.refuses("start", "repository_damaged")
        .live()
        .await;
    }
}
