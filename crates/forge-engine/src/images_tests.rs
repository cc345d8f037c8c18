use std::path::Path;

use super::*;
use crate::{Caps, EventRetention, Limits, Options, PoolOptions, Retention};

fn options(data: &Path) -> Options {
    Options {
        data: data.to_owned(),
        database: None,
        worktrees: data.join("worktrees"),
        host_command: Vec::new(),
        agents: crate::Agents::built_in().unwrap(),
        downloads: false,
        executors: std::collections::BTreeMap::new(),
        path: std::ffi::OsString::new(),
        home: None,
        config_home: None,
        data_home: None,
        variables: std::collections::BTreeSet::new(),
        api_url: String::new(),
        branch_prefix: "forge".into(),
        grace: std::time::Duration::ZERO,
        approval_timeout: std::time::Duration::ZERO,
        first_port: 1,
        last_port: 1,
        snapshot_max_file: 1 << 20,
        git_limit: std::time::Duration::from_secs(60),
        pool: PoolOptions { size: 0, max_spares: 0, max_bytes: 0, min_files: 0 },
        limits: Limits::default(),
        retention: Retention { idle: None, closed: None, snapshots: None },
        events: EventRetention { newest: 0, younger_than: None },
        orphans: None,
        caps: Caps::default(),
        keep: crate::Keeping { most: 0, idle: std::time::Duration::ZERO },
        secrets: crate::SecretKeys::default(),
        crash_at: None,
    }
}

/// An image that was sent so long ago.
async fn sent(engine: &Engine, hash: &str, ago_ms: i64) -> Image {
    let at = Timestamp::from_millis(Timestamp::now().as_millis() - ago_ms);
    let image = Image {
        id: ImageId::random(),
        kind: ImageKind::ALL[0],
        original_name: "x".into(),
        size_bytes: 1,
        hash: hash.into(),
        created_at: at,
        updated_at: at,
    };
    fs::write(engine.image_file(&image), "x").unwrap();
    engine.inner.store.add_image(&image, None).await.unwrap()
}

#[tokio::test]
async fn an_upload_makes_room_by_what_nobody_has_used_for_a_day() {
    let data = tempfile::tempdir().unwrap();
    let engine = Engine::open(options(data.path())).await.unwrap();
    folder::make(&engine.inner.folder.images()).unwrap();
    let old = sent(&engine, "old", UNUSED_KEPT_MS + 1000).await;
    let young = sent(&engine, "young", UNUSED_KEPT_MS / 2).await;
    drop(engine.begin_upload().await.unwrap());
    assert!(engine.open_image(old.id).await.is_err() && !engine.image_file(&old).exists());
    assert!(engine.open_image(young.id).await.is_ok(), "whoever writes a task takes less");
    engine.shutdown().await;
}

#[tokio::test]
async fn orphans_expire_while_server_runs() {
    let data = tempfile::tempdir().unwrap();
    let options = Options { orphans: Some(std::time::Duration::ZERO), ..options(data.path()) };
    let engine = Engine::open(options).await.unwrap();
    let images = engine.inner.folder.images();
    folder::make(&images).unwrap();
    let [expired, unseen] = [(); 2].map(|()| {
        let name = format!("{}.{}", ImageId::random(), ImageKind::ALL[0].extension());
        let process = engine.inner.folder.process(forge_model::ProcessId::random());
        fs::write(images.join(&name), "x").unwrap();
        folder::make(&process).unwrap();
        (images.join(name), process)
    });
    orphans::mark_orphan(&PathBuf::from(format!("{}{ORPHANED}", expired.0.display()))).unwrap();
    orphans::mark_orphan(&expired.1.join("orphaned")).unwrap();
    engine.expire_orphans().await.unwrap();
    assert!(!expired.0.exists() && !expired.1.exists());
    // It may be an agent that waits for its next turn, or an upload whose row is about to be written.
    assert!(unseen.0.exists() && unseen.1.exists());
    assert_eq!(fs::read_dir(images).unwrap().count(), 1);
    engine.shutdown().await;
}
