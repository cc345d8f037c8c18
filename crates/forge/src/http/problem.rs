//! What went wrong, as callers are told: a status, a code for programs, a sentence and a hint for people.

use std::any::Any;
use std::error::Error as _;
use std::sync::Arc;

use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use forge_engine::ErrorKind;
use serde_json::{Map, Value};

use crate::error::{causes, on_one_line};

/// Why a request was not done. As a response it is empty: [`super::request::answer`] writes the body, because
/// that alone knows the request's id.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(super) status: StatusCode,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) hint: Option<String>,
    /// What programs may want to know beside the code.
    pub(super) details: Map<String, Value>,
    /// What is for the log and not for the caller.
    pub(super) cause: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), hint: None, details: Map::new(), cause: None }
    }

    /// The request cannot be read.
    pub(super) fn malformed(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    /// The request can be read, but does not say what is needed.
    pub(super) fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    pub(super) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    /// The contract has it, this server does not do it yet.
    pub(super) fn not_yet(what: &str, hint: impl Into<String>) -> Self {
        Self::invalid("not_available_yet", format!("{what} is not available yet")).hint(hint)
    }

    /// A fault of ours: the cause goes to the log.
    pub(super) fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            status: StatusCode::INTERNAL_SERVER_ERROR,
            code: "internal",
            message: "internal error".into(),
            hint: Some("the server's log tells more under the request's id".into()),
            details: Map::new(),
            cause: Some(Arc::from(cause.into())),
        }
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Tells programs more, in `error_data`.
    pub(super) fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// The causes, outermost first, on one line: they may quote what a caller sent.
    pub(super) fn chain(&self) -> String {
        let Some(cause) = self.cause.as_deref() else { return on_one_line(&self.message) };
        let mut chain = vec![cause.to_string()];
        chain.extend(causes(cause));
        on_one_line(&chain.join(": "))
    }
}

impl From<forge_engine::Error> for Problem {
    fn from(error: forge_engine::Error) -> Self {
        let status = match error.kind() {
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Conflict => StatusCode::CONFLICT,
            ErrorKind::Gone => StatusCode::GONE,
            ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Internal => return Self::internal(error),
        };
        Self {
            status,
            code: error.code(),
            message: error.to_string(),
            hint: error.hint_text().or_else(|| usual_hint(error.kind())).map(str::to_owned),
            details: Map::new(),
            cause: error.source().is_some().then(|| Arc::new(error) as Arc<_>),
        }
    }
}

fn usual_hint(kind: ErrorKind) -> Option<&'static str> {
    (kind == ErrorKind::NotFound).then_some("it may have been deleted: ask for the list to see what there is")
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        if self.status == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// The answer to a path that is not there.
pub(super) async fn unknown_path(uri: Uri) -> Problem {
    let path: String = uri.path().chars().take(200).collect();
    Problem::new(StatusCode::NOT_FOUND, "unknown_path", format!("there is nothing at {path}"))
}

/// The answer to a path that is there, but not for this method.
pub(super) async fn wrong_method(method: Method, uri: Uri) -> Problem {
    let path: String = uri.path().chars().take(200).collect();
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "wrong_method", format!("{method} is not for {path}"))
        .hint("the Allow header names the methods that are")
}

/// The answer when answering panicked.
#[expect(clippy::needless_pass_by_value, reason = "the signature is the layer's")]
pub(super) fn panicked(panic: Box<dyn Any + Send + 'static>) -> Response {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message");
    Problem::internal(format!("panicked: {text}")).into_response()
}

/// The only value of a header that must not come twice.
pub(super) fn only<'a>(
    headers: &'a HeaderMap,
    name: &header::HeaderName,
) -> Result<Option<&'a str>, Problem> {
    let mut values = headers.get_all(name).iter();
    let bad = || Problem::malformed("bad_header", format!("the header {name} cannot be read"));
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_source| bad()),
        (Some(_), Some(_)) => Err(bad()),
    }
}
