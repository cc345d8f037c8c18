//! The server's own log in files: bounded, and without anybody's secrets.

use std::fs;
use std::path::Path;

use forge_testkit::server::Setup;

use crate::ground::names;
use crate::{FORGE, forge, is_finished, project, started};

const SECRET: &str = "correct-horse-battery-staple";

/// What the files of a folder hold. One may get another name while it is looked.
fn everything(folder: &Path) -> String {
    names(folder).iter().map(|name| fs::read_to_string(folder.join(name)).unwrap_or_default()).collect()
}

#[tokio::test]
async fn a_log_file_makes_way_for_the_next_and_holds_no_secret() {
    let setup = Setup::new(FORGE).config("[log]\nfile = 'logs/forge.log'\nmax_bytes = '32 KiB'\nolder = 2\n");
    // Beyond what anybody would set, so that it is all there.
    let setup = setup.arg("--auth").env("FORGE_LOG", "debug").env("ANTHROPIC_API_KEY", SECRET);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("forge.log");
    let mut server = setup.arg("--log-file").arg(&file).start().await;
    server.use_token();
    let token = fs::read_to_string(server.data().join("token")).unwrap();
    let project = project(&server).await;
    let started = started(&server, &project, &format!("@say {SECRET}")).await;
    server.until_attempt(started["attempt_id"].as_str().unwrap(), is_finished).await;
    let mut all = everything(folder.path());
    assert!(all.contains("serving") && all.contains(started["attempt_id"].as_str().unwrap()), "{all}");
    // Every request is told, so the files fill up.
    while !folder.path().join("forge.log.2").exists() {
        assert_eq!(server.get("/api/projects").await.0, 200);
    }
    assert!(server.terminate().await.success());
    assert_eq!(names(folder.path()), ["forge.log", "forge.log.1", "forge.log.2"]);
    assert!(
        names(folder.path())
            .iter()
            .all(|name| folder.path().join(name).metadata().unwrap().len() <= 32 << 10)
    );
    all.push_str(&everything(folder.path()));
    for secret in [token.trim(), SECRET] {
        assert!(!all.contains(secret), "{all}");
    }
    assert_eq!(server.log(), "", "it goes to the file alone");
}

#[tokio::test]
async fn a_log_file_that_cannot_be_made_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("missing/forge.log"));
    let args = ["serve", "--data", data.to_str().unwrap(), "--log-file", file.to_str().unwrap()];
    let output = forge(&args, &[]).await;
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains(file.to_str().unwrap()) && said.contains("No such file"), "{said}");
}
