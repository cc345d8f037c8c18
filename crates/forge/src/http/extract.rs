//! Reads ids, queries, bodies and headers out of requests, and says in the envelope what is wrong with them.

use std::str::FromStr;
use std::time::Duration;

use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use forge_model::ParseIdError;
use serde::de::DeserializeOwned;

use super::problem::{Problem, only};

/// How long a body may take to arrive. What is done with it afterwards takes as long as it takes.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The id in the path; no path has more than one.
pub(super) struct Id<T>(pub(super) T);

impl<S: Send + Sync, T: FromStr<Err = ParseIdError>> FromRequestParts<S> for Id<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let bad = |message: String| Problem::malformed("bad_id", message);
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|rejection| bad(rejection.body_text()))?;
        let (_name, text) = params.iter().next().ok_or_else(|| bad("the path holds no id".into()))?;
        text.parse().map(Self).map_err(|error: ParseIdError| bad(error.to_string()))
    }
}

/// What the query says.
pub(super) struct Query<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|query| Self(query.0))
            .map_err(|rejection| Problem::malformed("bad_query", rejection.body_text()))
    }
}

/// A body of JSON.
pub(super) struct Body<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let read = axum::Json::from_request(request, state);
        match tokio::time::timeout(BODY_TIMEOUT, read).await {
            Ok(Ok(axum::Json(value))) => Ok(Self(value)),
            Ok(Err(rejection)) => Err(unreadable(&rejection)),
            Err(_elapsed) => Err(Problem::new(
                StatusCode::REQUEST_TIMEOUT,
                "slow_body",
                "the body took too long to arrive",
            )),
        }
    }
}

fn unreadable(rejection: &JsonRejection) -> Problem {
    let status = rejection.status();
    let (code, hint) = match status {
        StatusCode::PAYLOAD_TOO_LARGE => ("too_large", "a body may have 2 MiB"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ("not_json", "send Content-Type: application/json"),
        StatusCode::UNPROCESSABLE_ENTITY => ("wrong_shape", "a field is missing or has another type"),
        _ => ("bad_json", "the body has to be whole and valid JSON"),
    };
    Problem::new(status, code, rejection.body_text()).hint(hint)
}

/// The key under which a repeated call gives the same answer.
pub(super) struct IdempotencyKey(pub(super) Option<String>);

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let key = only(&parts.headers, &IDEMPOTENCY_KEY)?.map(str::trim).filter(|key| !key.is_empty());
        if key.is_some_and(|key| key.len() > 255) {
            return Err(Problem::malformed("bad_header", "Idempotency-Key is longer than 255 characters"));
        }
        Ok(Self(key.map(str::to_owned)))
    }
}
