//! One request: about something that is there or not, as the description wants it or not.

use std::collections::BTreeMap;

use forge_testkit::server::TestServer;
use reqwest::header;
use serde_json::{Value, json};

use super::{schema, words};
use crate::dice::Dice;

pub(super) struct Request {
    pub(super) path: String,
    headers: Vec<(&'static str, Vec<u8>)>,
    pub(super) body: String,
    bytes: Vec<u8>,
}

/// What came back.
pub(super) struct Sent {
    pub(super) status: u16,
    pub(super) media: String,
    pub(super) text: String,
}

/// The smallest picture there is.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

impl Request {
    pub(super) fn random(
        document: &Value,
        operation: &Value,
        template: &str,
        ids: &BTreeMap<String, Vec<String>>,
        folder: &str,
        dice: &mut Dice,
    ) -> Self {
        let all: Vec<String> = ids.values().flatten().cloned().collect();
        let path =
            path(operation, template, ids, &all, dice) + &query(document, operation, ids, folder, dice);
        let mut headers = Vec::new();
        if dice.roll(10) == 0 {
            let name = *dice
                .pick(&[
                    "idempotency-key",
                    "last-event-id",
                    "range",
                    "accept",
                    "if-none-match",
                    "x-request-id",
                ])
                .unwrap();
            let value: Vec<u8> = words::hostile(dice)
                .bytes()
                .filter(|byte| *byte >= 0x20 && *byte != 0x7f)
                .take(300)
                .collect();
            headers.push((name, value));
        }
        let (media, bytes) = body(document, operation, ids, folder, dice);
        if let Some(media) = media {
            headers.push(("content-type", media.into_bytes()));
        }
        let body = String::from_utf8_lossy(&bytes).chars().take(2_000).collect();
        Self { path, headers, body, bytes }
    }

    pub(super) async fn send(&self, server: &TestServer, method: &str) -> Sent {
        let mut request = server.request(method.to_uppercase().parse().unwrap(), &self.path);
        for (name, value) in &self.headers {
            request = request.header(*name, header::HeaderValue::from_bytes(value).unwrap());
        }
        let answer = request.body(self.bytes.clone()).send().await.unwrap();
        let status = answer.status().as_u16();
        let media = answer.headers().get(header::CONTENT_TYPE);
        let media = media.map(|media| media.to_str().unwrap().to_owned()).unwrap_or_default();
        // A stream of events has no end to wait for.
        let text = if media == "text/event-stream" {
            String::new()
        } else {
            String::from_utf8_lossy(&answer.bytes().await.unwrap()).into_owned()
        };
        Sent { status, media, text }
    }
}

/// The path with something in place of each name in braces.
fn path(
    operation: &Value,
    template: &str,
    ids: &BTreeMap<String, Vec<String>>,
    all: &[String],
    dice: &mut Dice,
) -> String {
    let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
    let words_of = |segment: &str| {
        let is_it = |parameter: &&Value| {
            parameter["in"] == "path" && format!("{{{}}}", parameter["name"].as_str().unwrap()) == segment
        };
        parameters.iter().find(is_it).and_then(|parameter| parameter["schema"]["enum"].as_array())
    };
    let mut path = String::new();
    let mut collection = "";
    for segment in template.split('/').skip(1) {
        path.push('/');
        if segment.starts_with('{') {
            let own = ids.get(collection).map_or(all, Vec::as_slice);
            let known = words_of(segment).and_then(|words| dice.pick(words)).and_then(Value::as_str);
            let word = match dice.roll(10) {
                1.. if known.is_some() => known.unwrap_or_default().to_owned(),
                0 => words::id(all, dice),
                _ if segment == "{task_id}" => words::id(ids.get("tasks").map_or(all, Vec::as_slice), dice),
                _ => words::id(own, dice),
            };
            path.push_str(&percent(&word));
        } else {
            path.push_str(segment);
            // `/api/images/task/{task_id}` is about a task.
            collection = if segment == "task" { "tasks" } else { segment };
        }
    }
    path
}

fn query(
    document: &Value,
    operation: &Value,
    ids: &BTreeMap<String, Vec<String>>,
    folder: &str,
    dice: &mut Dice,
) -> String {
    let all: Vec<String> = ids.values().flatten().cloned().collect();
    let mut pairs = Vec::new();
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        if parameter["in"] != "query" {
            continue;
        }
        let is_needed = parameter["required"] == true;
        if dice.roll(10) >= if is_needed { 9 } else { 5 } {
            continue;
        }
        let name = parameter["name"].as_str().unwrap();
        let value = match dice.roll(6) {
            0 => words::hostile(dice),
            _ if name == "path" || name == "ref" => folder.to_owned(),
            _ => {
                let mut fields = json!({ name: schema::make(document, &parameter["schema"], &all, dice, 0) });
                words::aim(&mut fields, ids, dice);
                match fields[name].take() {
                    Value::String(text) => text,
                    Value::Null => String::new(),
                    other => other.to_string(),
                }
            }
        };
        pairs.push(format!("{}={}", percent(name), percent(&value)));
    }
    if dice.roll(20) == 0 {
        pairs.push(percent(&words::hostile(dice)));
    }
    if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
}

/// What is sent, and what it is said to be.
fn body(
    document: &Value,
    operation: &Value,
    ids: &BTreeMap<String, Vec<String>>,
    folder: &str,
    dice: &mut Dice,
) -> (Option<String>, Vec<u8>) {
    let all: Vec<String> = ids.values().flatten().cloned().collect();
    let contents = operation["requestBody"]["content"].as_object();
    let Some((media, content)) = contents.and_then(|contents| contents.iter().next()) else {
        return (None, Vec::new());
    };
    if media == "multipart/form-data" {
        return multipart(dice);
    }
    let mut value = schema::make(document, &content["schema"], &all, dice, 0);
    words::aim(&mut value, ids, dice);
    if dice.roll(3) == 0 {
        words::spoil(&mut value, dice);
    }
    words::tame(&mut value, folder, dice);
    let mut bytes = value.to_string().into_bytes();
    let mut media = media.clone();
    match dice.roll(24) {
        0 => bytes.truncate(dice.roll(bytes.len() + 1)),
        1 => bytes = b"[".repeat(dice.roll(2_000)),
        2 => bytes.extend([0xff, 0xfe]),
        3 => media = "text/plain".into(),
        4 => bytes.clear(),
        5 => bytes = b"null".to_vec(),
        _ => {}
    }
    (Some(media), bytes)
}

fn multipart(dice: &mut Dice) -> (Option<String>, Vec<u8>) {
    let field = *dice.pick(&["image", "file", "other", ""]).unwrap();
    let name: String = match dice.roll(3) {
        0 => words::hostile(dice).chars().filter(|c| !matches!(c, '"' | '\r' | '\n' | '\0')).collect(),
        _ => "picture.png".into(),
    };
    let mut bytes =
        format!("--edge\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\r\n")
            .into_bytes();
    if dice.roll(4) > 0 {
        bytes.extend(PNG);
        bytes.extend(words::ordinary(dice).bytes());
    }
    bytes.extend(b"\r\n--edge--\r\n");
    if dice.roll(6) == 0 {
        bytes.truncate(dice.roll(bytes.len()));
    }
    let media = *dice
        .pick(&[
            "multipart/form-data; boundary=edge",
            "multipart/form-data; boundary=edge",
            "multipart/form-data",
            "multipart/form-data; boundary=other",
        ])
        .unwrap();
    (Some(media.to_owned()), bytes)
}

fn percent(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let mut written = String::new();
    for byte in text.bytes() {
        if is_plain(byte) {
            written.push(char::from(byte));
        } else {
            written.push_str(&format!("%{byte:02X}"));
        }
    }
    written
}
