//! The tour works on any machine, and leaves nothing behind.

use crate::forge;

#[tokio::test]
async fn the_demo_shows_the_whole_flow_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let output = forge(&["demo"], &[("PATH", &path), ("TMPDIR", folder.path().as_os_str())]).await;
    let (shown, complaint) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{shown}\n{complaint}");
    for part in
        ["create-and-start", "Both files are there.", "follow-up", "echo hello from Forge", "inreview"]
    {
        assert!(shown.contains(part), "{part} is missing:\n{shown}");
    }
    assert!(shown.lines().count() <= 60, "{shown}");
    assert_eq!(complaint, "");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the folder is removed");
}

#[tokio::test]
async fn the_demo_does_not_obey_the_users_settings() {
    let folder = tempfile::tempdir().unwrap();
    let config = folder.path().join("home/.config/forge/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, "this is no configuration\n").unwrap();
    let (home, worktrees) = (folder.path().join("home"), folder.path().join("worktrees"));
    let path = std::env::var_os("PATH").unwrap();
    let env = [
        ("PATH", path.as_os_str()),
        ("TMPDIR", folder.path().as_os_str()),
        ("HOME", home.as_os_str()),
        ("FORGE_WORKTREES", worktrees.as_os_str()),
        ("AUTH_REQUIRED", "true".as_ref()),
        ("HOST", "0.0.0.0".as_ref()),
        ("PORT", "no port".as_ref()),
    ];
    let output = forge(&["demo"], &env).await;
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{complaint}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("inreview"));
    assert!(!worktrees.exists());
}
