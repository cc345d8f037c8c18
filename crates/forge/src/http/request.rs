//! What happens to every request: it gets an id, its problem a body, its end a line in the log; and what it
//! began is finished though its caller may have gone.

use std::time::Instant;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::Instrument as _;
use uuid::Uuid;

use super::envelope;
use super::problem::Problem;
use super::spec::{Draft, Input};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id under which the log tells more of a request, for who does not answer in the envelope.
#[derive(Clone)]
pub(super) struct RequestId(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for RequestId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts.extensions.get().cloned().ok_or_else(|| Problem::internal("a request without an id"))
    }
}

impl Input for RequestId {
    fn describe(_draft: &mut Draft<'_>) {}
}

/// Tells that the caller is gone, for who would go on only for its sake.
#[derive(Clone)]
pub(super) struct HungUp(pub(super) CancellationToken);

impl<S: Send + Sync> FromRequestParts<S> for HungUp {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parts
            .extensions
            .get()
            .cloned()
            .ok_or_else(|| Problem::internal("a request that ends with its caller"))
    }
}

impl Input for HungUp {
    fn describe(_draft: &mut Draft<'_>) {}
}

/// Answers every request in the envelope, with an id under which the log tells more.
pub(super) async fn answer(mut request: Request, next: Next) -> Response {
    let id = Uuid::new_v4().to_string();
    let began = Instant::now();
    let span = tracing::info_span!(
        "request",
        request.id = %id,
        http.method = %request.method(),
        http.path = request.uri().path(),
    );
    request.extensions_mut().insert(RequestId(id.clone()));
    let mut response = next.run(request).instrument(span.clone()).await;
    let _entered = span.entered();
    if let Some(problem) = response.extensions_mut().remove::<Problem>() {
        log(&problem);
        let (mut parts, _empty) = response.into_parts();
        parts.headers.remove(header::CONTENT_LENGTH);
        let body = envelope::json(parts.status, envelope::problem(&problem, &id));
        response = Response::from_parts(parts, body.into_body());
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    // No page of another site may embed an answer or read it as anything but what it is, unless it was allowed to.
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if !headers.contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN) {
        headers.insert(
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("same-origin"),
        );
    }
    let took = began.elapsed().as_millis();
    tracing::debug!(http.status = response.status().as_u16(), http.millis = took, "answered");
    response
}

/// The one place where it is written how a problem is logged. What a caller got wrong is told by its code alone: the
/// sentence may quote what it sent. What the machine lacks is a warning, only a fault of ours is an error.
pub(super) fn log(problem: &Problem) {
    if problem.status == StatusCode::SERVICE_UNAVAILABLE {
        tracing::warn!(error.code = problem.code, error.chain = %problem.chain(), "could not be done");
    } else if problem.status.is_server_error() {
        tracing::error!(error.code = problem.code, error.chain = %problem.chain(), "failed");
    } else {
        tracing::debug!(error.code = problem.code, "refused");
    }
}

/// Lets what changes something run to its end when the caller hangs up: half a start must not be left behind
/// because a connection broke. What only looks can tell by [`HungUp`].
pub(super) async fn finish(State(tasks): State<TaskTracker>, mut request: Request, next: Next) -> Response {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let hung_up = CancellationToken::new();
    request.extensions_mut().insert(HungUp(hung_up.clone()));
    let _guard = hung_up.drop_guard();
    let running = tasks.spawn(next.run(request).in_current_span());
    running.await.unwrap_or_else(|error| Problem::internal(error).into_response())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use tokio::sync::mpsc;
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn who_runs_on_is_told_that_its_caller_hung_up() {
        let (began, mut begun) = mpsc::channel(1);
        let (told, mut heard) = mpsc::channel(1);
        let route = post(async move |HungUp(hung_up): HungUp| {
            began.send(()).await.unwrap();
            hung_up.cancelled().await;
            told.send(()).await.unwrap();
        });
        let routes = Router::new().route("/", route);
        let routes = routes.layer(from_fn_with_state(TaskTracker::new(), finish));
        let called = routes.oneshot(Request::post("/").body(Body::empty()).unwrap());
        // Whoever is not waited for any more has hung up.
        tokio::select! {
            answer = called => panic!("{answer:?}"),
            _began = begun.recv() => {}
        }
        tokio::time::timeout(Duration::from_secs(60), heard.recv()).await.expect("it is told").unwrap();
    }
}
