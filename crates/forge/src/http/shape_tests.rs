//! What is wrong is told by the field's name, in words that are not a program's.

use forge_model::{TaskId, TaskStatus};
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Deserialize)]
struct Sample {
    title: String,
    id: Option<TaskId>,
    #[serde(default)]
    force: bool,
    after: Option<u64>,
    status: Option<TaskStatus>,
    inner: Option<Inner>,
    list: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct Inner {
    name: String,
}

const UUID: &str = "35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";

fn told(body: &Value) -> String {
    let problem = of_body::<Sample>(body.to_string().as_bytes()).unwrap_err();
    assert_eq!((problem.code, problem.status.as_u16()), ("wrong_shape", 422));
    assert!(problem.hint.is_some());
    problem.message
}

fn told_of_query(query: &str) -> String {
    let uri = format!("/x?{query}").parse().unwrap();
    let problem = of_query::<Sample>(&uri).unwrap_err();
    assert_eq!((problem.code, problem.status.as_u16()), ("bad_query", 400));
    assert!(problem.hint.is_some());
    problem.message
}

#[test]
fn a_body_that_is_right_is_read() {
    let body = json!({
        "title": "t", "id": UUID, "force": true, "after": 7, "status": "in-review", "inner": {"name": "n"},
        "list": ["a", "b"],
    });
    let sample: Sample = of_body(body.to_string().as_bytes()).unwrap();
    assert_eq!((sample.title.as_str(), sample.force, sample.after), ("t", true, Some(7)));
    assert_eq!((sample.id.unwrap().to_string().as_str(), sample.status), (UUID, Some(TaskStatus::InReview)));
    assert_eq!((sample.inner.unwrap().name.as_str(), sample.list.unwrap().len()), ("n", 2));
    let sample: Sample = of_body(br#"{"title": "t", "id": null}"#).unwrap();
    assert!(sample.id.is_none() && sample.after.is_none());
}

#[test]
fn what_is_wrong_with_a_body_is_told_by_the_fields_name() {
    let id = format!("`id` has to be an id such as {UUID}");
    let cases = [
        (json!({}), "`title` is missing"),
        (json!({"title": 7}), "`title` has to be text"),
        (json!({"title": null}), "`title` has to be text"),
        (json!({"title": "a\0b"}), "`title` has to be text without NUL characters"),
        (json!({"title": "t", "id": "x"}), &id),
        (json!({"title": "t", "force": "yes"}), "`force` has to be true or false"),
        (json!({"title": "t", "after": "7"}), "`after` has to be a whole number"),
        (json!({"title": "t", "after": -1}), "`after` has to be a whole number"),
        (json!({"title": "t", "after": 1.5}), "`after` has to be a whole number"),
        (json!({"title": "t", "inner": []}), "`inner` has to be an object"),
        (json!({"title": "t", "inner": {}}), "`inner.name` is missing"),
        (json!({"title": "t", "inner": {"name": 1}}), "`inner.name` has to be text"),
        (json!({"title": "t", "list": ["a", 1]}), "`list.1` has to be text"),
        (json!([]), "an object is expected"),
        (json!(["t"]), "an object is expected"),
        (json!(null), "an object is expected"),
    ];
    for (body, message) in cases {
        assert_eq!(told(&body), message, "{body}");
    }
    let status = told(&json!({"title": "t", "status": "later"}));
    assert!(status.starts_with("`status`: `later` is not a task status"), "{status}");
}

#[test]
fn what_is_wrong_with_a_query_is_told_by_the_fields_name() {
    let cases = [
        ("", "`title` is missing"),
        ("title=t&after=x", "`after` has to be a whole number"),
        ("title=t&after=-1", "`after` has to be a whole number"),
        ("title=t&after=", "`after` has to be a whole number"),
        ("title=t&after=18446744073709551616", "`after` has to be a whole number"),
        ("title=t&force=yes", "`force` has to be true or false"),
        ("title=t&title=u", "`title` stands twice"),
    ];
    for (query, message) in cases {
        assert_eq!(told_of_query(query), message, "{query}");
    }
    assert!(told_of_query("title=t&id=x").starts_with("`id` has to be an id"));
}

#[test]
fn in_a_query_numbers_and_switches_are_written_as_text() {
    let uri = format!("/x?title=a%20b&after={}&force=true&other=1", u64::MAX).parse().unwrap();
    let sample: Sample = of_query(&uri).unwrap();
    assert_eq!((sample.title.as_str(), sample.after, sample.force), ("a b", Some(u64::MAX), true));
}

#[test]
fn what_is_no_json_is_told_with_its_place() {
    for body in ["", " \n", "{", "{\"a\":1}}", "{'a': 1}"] {
        let problem = of_body::<Sample>(body.as_bytes()).unwrap_err();
        assert_eq!((problem.code, problem.status.as_u16()), ("bad_json", 400), "{body}");
    }
    let message = of_body::<Sample>(b"{\n  7").unwrap_err().message;
    assert_eq!(message, "the body is not valid JSON: it goes wrong at line 2, column 3");
}
