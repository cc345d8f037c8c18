//! The four keys around every answer: `success`, `data`, `error_data`, `message`.

use std::io;
use std::marker::PhantomData;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::pieces::pieces;
use super::problem::Problem;
use super::spec::{Draft, Output, Wire};

/// What a request comes to: `T` in the envelope, with this status unless the operation says otherwise.
pub(super) type Answer<T, const STATUS: u16 = 200> = Result<Reply<T, STATUS>, Problem>;

/// An answer that is written already, and what it is documented as.
pub(super) struct Reply<T, const STATUS: u16 = 200>(Response, PhantomData<fn() -> T>);

impl<T, const STATUS: u16> Reply<T, STATUS> {
    /// With a header.
    pub(super) fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers_mut().insert(name, value);
        self
    }
}

impl<T, const STATUS: u16> IntoResponse for Reply<T, STATUS> {
    fn into_response(self) -> Response {
        self.0
    }
}

impl<T: JsonSchema, const STATUS: u16> Output for Reply<T, STATUS> {
    fn describe(draft: &mut Draft<'_>) {
        draft.answers::<T>(STATUS);
    }
}

/// JSON without the envelope, where clients expect it so.
pub(super) struct Bare<T>(pub(super) T);

impl<T: Serialize> IntoResponse for Bare<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

impl<T: JsonSchema> Output for Bare<T> {
    fn describe(draft: &mut Draft<'_>) {
        draft.answers_bare::<T>(200);
    }
}

impl<T: JsonSchema> Output for (StatusCode, Bare<T>) {
    fn describe(draft: &mut Draft<'_>) {
        Bare::<T>::describe(draft);
    }
}

/// What is not JSON: bytes, text, server-sent events.
pub(super) struct Plain(pub(super) Response);

impl IntoResponse for Plain {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Output for Plain {
    fn describe(draft: &mut Draft<'_>) {
        draft.answers_plain();
    }
}

/// A WebSocket, each frame of which is an `F`.
pub(super) struct Frames<F>(Response, PhantomData<fn() -> F>);

impl<F> From<Response> for Frames<F> {
    fn from(response: Response) -> Self {
        Self(response, PhantomData)
    }
}

impl<F> IntoResponse for Frames<F> {
    fn into_response(self) -> Response {
        self.0
    }
}

impl<F: JsonSchema> Output for Frames<F> {
    fn describe(draft: &mut Draft<'_>) {
        draft.streams::<F>();
    }
}

#[derive(Serialize)]
struct Envelope<T> {
    success: bool,
    data: Option<T>,
    error_data: Option<ErrorData>,
    message: Option<String>,
}

/// What programs read of a problem.
#[derive(Serialize)]
pub(super) struct ErrorData {
    code: &'static str,
    hint: Option<String>,
    request_id: String,
    #[serde(flatten)]
    details: Map<String, Value>,
}

impl ErrorData {
    pub(super) fn of(problem: &Problem, request_id: &str) -> Self {
        Self {
            code: problem.code,
            hint: problem.hint.clone(),
            request_id: request_id.to_owned(),
            details: problem.details.clone(),
        }
    }
}

/// 200 with `data`.
pub(super) fn ok<T: Wire>(data: T) -> Answer<T::Shape> {
    answer(StatusCode::OK, data)
}

/// Success with `data`.
pub(super) fn answer<T: Wire, const STATUS: u16>(status: StatusCode, data: T) -> Answer<T::Shape, STATUS> {
    let envelope = Envelope { success: true, data: Some(data), error_data: None, message: None };
    let body = serde_json::to_vec(&envelope).map_err(Problem::internal)?;
    Ok(Reply(json(status, body), PhantomData))
}

/// 200 with a list as `data`, written while it is sent.
pub(super) fn list_in_pieces<I, S, W>(items: Vec<I>, write: W) -> Answer<Vec<S>>
where
    I: Send + 'static,
    W: Fn(&I, &mut Vec<u8>) -> serde_json::Result<()> + Send + 'static,
{
    let (head, tail) = (r#"{"success":true,"data":["#, r#"],"error_data":null,"message":null}"#);
    let mut pieces = pieces(head.to_owned(), items, tail.to_owned(), write).peekable();
    let first = pieces.next().transpose()?.unwrap_or_default();
    let body = if pieces.peek().is_none() {
        Body::from(first)
    } else {
        let rest = pieces.map(|piece| piece.map_err(|problem| io::Error::other(problem.chain())));
        Body::from_stream(futures::stream::iter(std::iter::once(Ok(first)).chain(rest)))
    };
    Ok(Reply(json(StatusCode::OK, body), PhantomData))
}

/// Success without anything to tell.
pub(super) fn done<const STATUS: u16>() -> Answer<(), STATUS> {
    answer(StatusCode::from_u16(STATUS).map_err(Problem::internal)?, ())
}

/// A problem's body.
pub(super) fn problem(problem: &Problem, request_id: &str) -> Vec<u8> {
    let envelope = Envelope {
        success: false,
        data: None::<()>,
        error_data: Some(ErrorData::of(problem, request_id)),
        message: Some(problem.message.clone()),
    };
    // Strings, a bool and JSON: there is nothing in it that could not be written.
    serde_json::to_vec(&envelope).unwrap_or_default()
}

/// A response of JSON that is written already.
pub(super) fn json(status: StatusCode, body: impl Into<Body>) -> Response {
    let body = body.into();
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
}
