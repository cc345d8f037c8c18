//! Images: taken in once, shown safely, and found by agents where the prompt says.

use std::fs;
use std::path::Path;

use forge_testkit::repo::TempRepo;
use forge_testkit::server::{Setup, TestServer};
use futures::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::database::{Database, on_each_database};
use crate::ground::{Ground, Held, Started, comes_true, names};
use crate::{FORGE, code, data};

const NOWHERE: &str = "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\nnot much of a picture";
const GIF: &[u8] = b"GIF89a not much either";
const SVG: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
const KIND: &str = "multipart/form-data; boundary=XX";

on_each_database! {
    fifty_who_send_the_same_at_once_have_one_image;
}

/// A form with one file in it.
fn form(field: &str, name: &str, bytes: &[u8]) -> Vec<u8> {
    let head =
        format!("--XX\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\r\n");
    [head.as_bytes(), bytes, b"\r\n--XX--\r\n"].concat()
}

async fn send(server: &TestServer, path: &str, kind: &str, body: Vec<u8>) -> (u16, Value) {
    let request = server.request(Method::POST, path).header("content-type", kind).body(body);
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

pub(crate) async fn upload(server: &TestServer, name: &str, bytes: &[u8]) -> Value {
    data(send(server, "/api/images/upload", KIND, form("image", name, bytes)).await)
}

/// The files of images, and those that are coming.
fn files(server: &TestServer) -> Vec<String> {
    let folder = server.data().join("images");
    let coming = names(&folder.join(".incoming")).into_iter().map(|name| format!(".incoming/{name}"));
    names(&folder).into_iter().filter(|name| name != ".incoming").chain(coming).collect()
}

fn ids(images: &Value) -> Vec<&str> {
    images.as_array().unwrap().iter().map(|image| image["id"].as_str().unwrap()).collect()
}

async fn images_of(server: &TestServer, task: &str) -> Value {
    data(server.get(&format!("/api/images/task/{task}")).await)
}

#[tokio::test]
async fn an_image_is_sent_shown_given_to_a_task_and_deleted() {
    let ground = Ground::new().await;
    let server = &ground.server;
    let image = upload(server, "x.png", PNG).await;
    let id = image["id"].as_str().unwrap();
    assert_eq!(image["file_path"], format!(".forge-images/{id}.png"));
    assert_eq!((&image["original_name"], &image["mime_type"]), (&json!("x.png"), &json!("image/png")));
    assert_eq!(image["size_bytes"], PNG.len());
    assert_eq!(image["hash"].as_str().unwrap().len(), 64);
    assert!(image["created_at"].is_string() && image["updated_at"].is_string());
    // The field's other name, another file name: the same bytes are the same image.
    let again = form("file", "y.PNG", PNG);
    assert_eq!(data(send(server, "/api/images/upload", KIND, again).await), image);
    assert_eq!(files(server), [format!("{id}.png")]);

    let response = server.request(Method::GET, &format!("/api/images/{id}/file")).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "image/png");
    assert_eq!(header("content-length"), PNG.len().to_string());
    assert!(header("cache-control").contains("max-age=31536000"));
    assert_eq!(response.bytes().await.unwrap(), PNG);

    let body = json!({"project_id": ground.project["id"], "title": "t"});
    let task = data(server.post("/api/tasks", body).await)["id"].as_str().unwrap().to_owned();
    assert_eq!(images_of(server, &task).await, json!([]));
    let path = format!("/api/images/task/{task}/upload");
    let other = data(send(server, &path, KIND, form("file", "z.gif", GIF)).await);
    assert_eq!(data(send(server, &path, KIND, form("image", "x.png", PNG)).await), image);
    assert_eq!(images_of(server, &task).await, json!([other, image]));
    for _ in 0..2 {
        assert_eq!(
            data(server.delete(&format!("/api/images/{id}")).await),
            Value::Null,
            "also a second time"
        );
    }
    assert_eq!(images_of(server, &task).await, json!([other]));
    let (status, body) = server.get(&format!("/api/images/{id}/file")).await;
    assert_eq!((status, code(&body)), (404, "not_found"));
    assert_eq!(files(server).len(), 1);
    for path in [format!("/api/images/task/{NOWHERE}/upload"), format!("/api/images/task/{NOWHERE}")] {
        let (status, body) = if path.ends_with("upload") {
            send(server, &path, KIND, form("image", "x.png", PNG)).await
        } else {
            server.get(&path).await
        };
        assert_eq!((status, code(&body)), (404, "not_found"), "{path}");
    }
    assert_eq!(files(server).len(), 1, "what was refused left nothing");
}

async fn fifty_who_send_the_same_at_once_have_one_image(database: Database) {
    let (setup, _postgres) = database.under(Setup::new(FORGE));
    let ground = Ground::on(setup, TempRepo::new(), json!({})).await;
    let bytes = [PNG, &vec![7; 300_000]].concat();
    let sent = join_all((0..50).map(|_| upload(&ground.server, "x.png", &bytes))).await;
    assert!(sent.iter().all(|image| *image == sent[0]), "{sent:?}");
    let id = sent[0]["id"].as_str().unwrap();
    assert_eq!(files(&ground.server), [format!("{id}.png")]);
    let kept = fs::read(ground.server.data().join(format!("images/{id}.png"))).unwrap();
    assert!(kept == bytes, "all of it was written");
    data(ground.server.post("/api/tags", json!({"tag_name": "last", "content": "c"})).await);
    let mut events = ground.server.events(Some(0)).await;
    let mut told = 0;
    loop {
        let message = events.next().await;
        match message.event.as_str() {
            "image_update" => told += 1,
            "tag_update" => break,
            _ => {}
        }
    }
    assert_eq!(told, 1);
}

#[tokio::test]
async fn what_is_no_image_is_refused_and_leaves_nothing() {
    let server = TestServer::start(FORGE).await;
    let whole = form("image", "x.png", PNG);
    let big = [PNG, &vec![0; 20 * 1024 * 1024]].concat();
    let endless_head = [b"--XX\r\n".to_vec(), vec![b'a'; 30 * 1024 * 1024]].concat();
    let json_kind = "application/json";
    for (what, kind, body, expected) in [
        ("nothing in it", KIND, form("image", "x.png", b""), (422, "image_empty")),
        ("a lie", KIND, form("image", "x.png", GIF), (422, "image_type_mismatch")),
        ("a lie the other way", KIND, form("image", "x.svg", PNG), (422, "image_type_mismatch")),
        ("a program", KIND, form("image", "x.sh", b"#!/bin/sh"), (422, "image_type_unsupported")),
        ("a page", KIND, form("image", "x.html", SVG), (422, "image_type_unsupported")),
        ("no end to its name", KIND, form("image", "png", PNG), (422, "image_type_unsupported")),
        ("too much", KIND, form("image", "x.png", &big), (413, "image_too_large")),
        ("all head", KIND, endless_head, (413, "image_too_large")),
        ("another field", KIND, form("picture", "x.png", PNG), (422, "image_missing")),
        ("no field", KIND, b"--XX--\r\n".to_vec(), (422, "image_missing")),
        ("half of it", KIND, whole[..whole.len() / 2].to_vec(), (400, "bad_multipart")),
        ("no end", KIND, whole[..whole.len() - 8].to_vec(), (400, "bad_multipart")),
        ("nothing at all", KIND, Vec::new(), (400, "bad_multipart")),
        ("noise", KIND, vec![0xff; 1000], (400, "bad_multipart")),
        ("another boundary", "multipart/form-data; boundary=YY", whole.clone(), (400, "bad_multipart")),
        ("no boundary", "multipart/form-data", whole.clone(), (415, "not_multipart")),
        ("JSON", json_kind, b"{}".to_vec(), (415, "not_multipart")),
    ] {
        let (status, body) = send(&server, "/api/images/upload", kind, body).await;
        assert_eq!((status, code(&body)), expected, "{what}: {body}");
        assert_eq!(files(&server), Vec::<String>::new(), "{what}");
    }
}

#[tokio::test]
async fn a_name_from_elsewhere_is_never_a_path() {
    let server = TestServer::start(FORGE).await;
    for (name, kept) in [
        ("../../x.png", "x.png"),
        ("/etc/cron.d/x.png", "x.png"),
        ("..\\\\..\\\\x.png", "x.png"),
        ("%2e%2e%2fx.png", "%2e%2e%2fx.png"),
    ] {
        // Bytes of its own, so that it is not taken for the one before.
        let image = upload(&server, name, &[PNG, name.as_bytes()].concat()).await;
        assert_eq!(image["original_name"], kept, "{name}");
        let id = image["id"].as_str().unwrap();
        assert_eq!(image["file_path"], format!(".forge-images/{id}.png"));
        assert!(server.data().join(format!("images/{id}.png")).is_file());
    }
    assert_eq!(files(&server).len(), 4);
    let beside = names(server.folder());
    assert!(!beside.iter().any(|name| name.ends_with(".png")), "{beside:?}");
    for path in ["/api/images/..%2f..%2ftoken/file", "/api/images/x/file"] {
        let (status, body) = server.get(path).await;
        assert_eq!((status, code(&body)), (400, "bad_id"), "{path}");
    }
}

#[tokio::test]
async fn a_drawing_with_a_script_in_it_cannot_run_it() {
    let server = TestServer::start(FORGE).await;
    let image = upload(&server, "x.svg", SVG).await;
    let path = format!("/api/images/{}/file", image["id"].as_str().unwrap());
    let response = server.request(Method::GET, &path).send().await.unwrap();
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "image/svg+xml");
    let policy = header("content-security-policy");
    assert!(policy.contains("sandbox") && policy.contains("default-src 'none'"), "{policy}");
    assert!(!policy.contains("allow-scripts") && !policy.contains("script-src"), "{policy}");
    assert!(header("content-disposition").starts_with("attachment"));
    assert_eq!(header("x-content-type-options"), "nosniff");
}

#[tokio::test]
async fn a_server_that_dies_during_an_upload_leaves_nothing_that_counts() {
    let mut server = Setup::new(FORGE).config("[gc]\norphan_days = 0.0\n").start().await;
    let kept = upload(&server, "x.png", PNG).await["id"].as_str().unwrap().to_owned();
    let body = form("image", "y.png", &[PNG, &vec![1; 1_000_000]].concat());
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.unwrap();
    let head = format!(
        "POST /api/images/upload HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: {KIND}\r\nContent-Length: {}\r\n\r\n",
        server.port(),
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body[..500_000]).await.unwrap();
    comes_true("some of it came", || files(&server).iter().any(|name| name.starts_with(".incoming/"))).await;
    server.kill_9().await;
    // As if it had died between giving the file its name and writing the row; and something that is not ours.
    let images = server.data().join("images");
    fs::write(images.join(format!("{NOWHERE}.png")), PNG).unwrap();
    fs::write(images.join("notes.txt"), "mine").unwrap();
    server.restart().await;
    assert_eq!(files(&server), [format!("{kept}.png"), "notes.txt".to_owned()]);
    let response = server.request(Method::GET, &format!("/api/images/{kept}/file")).send().await.unwrap();
    assert_eq!(response.bytes().await.unwrap(), PNG, "a young image that no task has stays");
}

#[tokio::test]
async fn a_client_that_hangs_up_leaves_nothing() {
    let server = TestServer::start(FORGE).await;
    let body = form("image", "y.png", PNG);
    let mut stream = TcpStream::connect(("127.0.0.1", server.port())).await.unwrap();
    let head = format!(
        "POST /api/images/upload HTTP/1.1\r\nHost: localhost:{}\r\nContent-Type: {KIND}\r\nContent-Length: 9000\r\n\r\n",
        server.port(),
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body[..body.len() - 10]).await.unwrap();
    comes_true("it is being read", || !files(&server).is_empty()).await;
    drop(stream);
    comes_true("nothing is left", || files(&server).is_empty()).await;
}

#[tokio::test]
async fn an_image_whose_file_was_lost_has_it_again_when_it_is_sent_again() {
    let server = TestServer::start(FORGE).await;
    let image = upload(&server, "x.png", PNG).await;
    let id = image["id"].as_str().unwrap();
    let (file, path) = (server.data().join(format!("images/{id}.png")), format!("/api/images/{id}/file"));
    fs::remove_file(&file).unwrap();
    assert_eq!(server.get(&path).await.0, 404);
    assert_eq!(upload(&server, "x.png", PNG).await, image);
    assert_eq!(files(&server), [format!("{id}.png")]);
    assert_eq!(fs::read(&file).unwrap(), PNG);
}

/// The images in a worktree.
fn placed(worktree: &Path) -> Vec<String> {
    names(&worktree.join(".forge-images")).into_iter().filter(|name| name != ".gitignore").collect()
}

fn name(image: &Value) -> String {
    image["file_path"].as_str().unwrap().strip_prefix(".forge-images/").unwrap().to_owned()
}

#[tokio::test]
async fn an_agent_finds_the_images_and_git_does_not() {
    let repo = TempRepo::new();
    let seen = tempfile::tempdir().unwrap();
    let script = format!("cp .forge-images/* {}", seen.path().display());
    let ground = Ground::on(Setup::new(FORGE), repo, json!({"setup_script": script})).await;
    let (png, gif) = (upload(&ground.server, "x.png", PNG).await, upload(&ground.server, "y.gif", GIF).await);
    let held = Held::at(ground.own("held"));
    let steps =
        format!("Look at {}\n@edit a.txt a\n@commit all of it\n@wait-fifo {}", png["file_path"], held.path());
    let mut body = ground.body(&steps);
    body["task"]["image_ids"] = json!([png["id"], png["id"]]);
    let started = Started { answer: data(ground.try_start(body).await) };
    let worktree = started.worktree();
    comes_true("the agent works", || worktree.join("a.txt").exists()).await;
    assert_eq!(names(seen.path()), [name(&png)], "it was there before anything ran");
    assert_eq!(fs::read(worktree.join(png["file_path"].as_str().unwrap())).unwrap(), PNG);
    assert_eq!(ids(&images_of(&ground.server, started.task()).await), [png["id"].as_str().unwrap()]);
    held.let_go();
    ground.finished(&started).await;
    let committed = ground.git_in(&started, &["ls-files"]);
    assert!(committed.contains("a.txt") && !committed.contains("forge-images"), "{committed}");
    assert_eq!(ground.git_in(&started, &["status", "--porcelain"]), "");
    assert_eq!(ground.repo.git(&["status", "--porcelain"]), "", "the user's own folder is as it was");

    // More of them with a follow-up; those that were lost are there again.
    fs::remove_dir_all(worktree.join(".forge-images")).unwrap();
    let path = format!("/api/task-attempts/{}/follow-up", started.attempt());
    let unknown = json!({"prompt": "@say no", "image_ids": [NOWHERE]});
    let (status, refused) = ground.server.post(&path, unknown).await;
    assert_eq!((status, code(&refused)), (404, "not_found"));
    let body = json!({"follow_up_prompt": "@edit b.txt b", "image_ids": [gif["id"]]});
    assert_eq!(ground.server.post(&path, body).await.0, 200);
    ground.finished(&started).await;
    let mut both = [name(&png), name(&gif)];
    both.sort();
    assert_eq!(placed(&worktree), both);
    let committed = ground.git_in(&started, &["ls-files"]);
    assert!(committed.contains("b.txt") && !committed.contains("forge-images"), "{committed}");
    let images = images_of(&ground.server, started.task()).await;
    assert_eq!(ids(&images), [png["id"].as_str().unwrap(), gif["id"].as_str().unwrap()]);

    // Another attempt of the task is shown all of them.
    let body =
        json!({"task_id": started.task(), "executor_profile_id": "CLAUDE_CODE", "base_branch": "main"});
    let attempt = data(ground.server.post("/api/task-attempts", body).await);
    assert_eq!(placed(Path::new(attempt["container_ref"].as_str().unwrap())), both);
    ground.server.until_attempt(attempt["id"].as_str().unwrap(), crate::is_finished).await;
}

#[tokio::test]
async fn a_repository_with_a_link_in_place_of_the_folder_is_not_followed() {
    let (repo, outside) = (TempRepo::new(), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(outside.path(), repo.path().join(".forge-images")).unwrap();
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-m", "a trap"]);
    let ground = Ground::on(Setup::new(FORGE), repo, json!({})).await;
    let png = upload(&ground.server, "x.png", PNG).await;
    let mut body = ground.body("@say hello");
    body["image_ids"] = json!([png["id"]]);
    let started = Started { answer: data(ground.try_start(body).await) };
    assert_eq!(ground.finished(&started).await["status"], "completed");
    assert_eq!(names(outside.path()), Vec::<String>::new());
    assert!(ground.server.log().contains("an image was not copied"));
}

#[tokio::test]
async fn a_task_has_the_images_that_it_was_given_last() {
    let ground = Ground::new().await;
    let server = &ground.server;
    let (png, gif) = (upload(server, "x.png", PNG).await, upload(server, "y.gif", GIF).await);
    let (png, gif) = (png["id"].as_str().unwrap(), gif["id"].as_str().unwrap());
    let body = json!({"project_id": ground.project["id"], "title": "t", "image_ids": [gif, png, gif]});
    let task = data(server.post("/api/tasks", body).await)["id"].as_str().unwrap().to_owned();
    let path = format!("/api/tasks/{task}");
    for (change, expected) in [
        (json!({"title": "u"}), vec![gif, png]),
        (json!({"image_ids": null}), vec![gif, png]),
        (json!({"image_ids": [png]}), vec![png]),
        (json!({"image_ids": [png, gif]}), vec![png, gif]),
        (json!({"image_ids": []}), vec![]),
    ] {
        data(server.put(&path, change.clone()).await);
        assert_eq!(ids(&images_of(server, &task).await), expected, "{change}");
    }
    let before = data(server.get(&path).await);
    for (change, expected) in [
        (json!({"title": "v", "image_ids": [png, NOWHERE]}), (404, "not_found")),
        (json!({"title": "v", "image_ids": ["x"]}), (422, "wrong_shape")),
        (json!({"title": "v", "image_ids": "x"}), (422, "wrong_shape")),
        (json!({"title": "v", "image_ids": many()}), (422, "too_many_images")),
    ] {
        let (status, body) = server.put(&path, change).await;
        assert_eq!((status, code(&body)), expected);
    }
    assert_eq!(data(server.get(&path).await), before);
    assert_eq!(images_of(server, &task).await, json!([]));
}

fn many() -> Vec<String> {
    (0..101).map(|_| uuid::Uuid::new_v4().to_string()).collect()
}

#[tokio::test]
async fn a_start_with_an_image_that_is_not_there_leaves_nothing() {
    let ground = Ground::new().await;
    for images in [json!([NOWHERE]), json!(many())] {
        let mut body = ground.body("@say hello");
        body["task"]["image_ids"] = images;
        let (status, body) = ground.try_start(body).await;
        assert!(matches!((status, code(&body)), (404, "not_found") | (422, "too_many_images")), "{body}");
    }
    ground.nothing_is_left().await;
}

/// What goes with the prompt of a process: paths, and whether what is in them does too.
fn attached(server: &TestServer, process: &str) -> Vec<(String, bool)> {
    let turn: Value =
        serde_json::from_str(&crate::read(server.data().join("processes").join(process).join("turn.json")))
            .unwrap();
    let all = turn["attachments"].as_array().unwrap().iter();
    all.map(|one| (one["path"].as_str().unwrap().to_owned(), one["data"].is_string())).collect()
}

#[tokio::test]
async fn an_agent_is_shown_the_images_of_its_task_once_and_what_a_prompt_names() {
    let ground = Ground::new().await;
    let (picture, drawing) =
        (upload(&ground.server, "a.png", PNG).await, upload(&ground.server, "b.svg", SVG).await);
    let mut body = ground.body("@edit notes.txt one");
    body["task"]["image_ids"] = json!([picture["id"], drawing["id"]]);
    let started = Started { answer: data(ground.try_start(body).await) };
    ground.finished(&started).await;
    let path = |image: &Value| format!(".forge-images/{}", name(image));
    // Models do not take drawings.
    let first = [(path(&picture), true), (path(&drawing), false)];
    assert_eq!(attached(&ground.server, started.process()), first);
    for (prompt, expected) in [
        ("@say again".to_owned(), vec![]),
        (format!("look at ![it]({})", path(&picture)), vec![(path(&picture), true)]),
        ("see @notes.txt, not @gone.txt".to_owned(), vec![("notes.txt".to_owned(), false)]),
    ] {
        let (status, process) = ground.follow_up(&started, &prompt).await;
        assert_eq!(status, 200, "{process}");
        assert_eq!(attached(&ground.server, process["data"]["id"].as_str().unwrap()), expected, "{prompt}");
        ground.finished(&started).await;
    }
}
