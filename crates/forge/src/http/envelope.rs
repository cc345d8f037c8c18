//! The four keys around every answer: `success`, `data`, `error_data`, `message`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::problem::Problem;

/// What a request comes to.
pub(super) type Answer = Result<Response, Problem>;

#[derive(Serialize)]
struct Envelope<T> {
    success: bool,
    data: Option<T>,
    error_data: Option<ErrorData<'static>>,
    message: Option<String>,
}

/// What programs read of a problem.
#[derive(Serialize)]
struct ErrorData<'a> {
    code: &'a str,
    hint: Option<String>,
    request_id: String,
}

/// 200 with `data`.
pub(super) fn ok(data: impl Serialize) -> Answer {
    answer(StatusCode::OK, data)
}

/// Success with `data`.
pub(super) fn answer(status: StatusCode, data: impl Serialize) -> Answer {
    let envelope = Envelope { success: true, data: Some(data), error_data: None, message: None };
    let body = serde_json::to_vec(&envelope).map_err(Problem::internal)?;
    Ok(json(status, body))
}

/// Success without anything to tell.
pub(super) fn done(status: StatusCode) -> Answer {
    answer(status, ())
}

/// A problem's body.
pub(super) fn problem(problem: &Problem, request_id: &str) -> Vec<u8> {
    let envelope = Envelope {
        success: false,
        data: None::<()>,
        error_data: Some(ErrorData {
            code: problem.code,
            hint: problem.hint.clone(),
            request_id: request_id.to_owned(),
        }),
        message: Some(problem.message.clone()),
    };
    // Strings and a bool: there is nothing in it that could not be written.
    serde_json::to_vec(&envelope).unwrap_or_default()
}

/// A response of JSON that is written already.
pub(super) fn json(status: StatusCode, body: Vec<u8>) -> Response {
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}
