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
