//! Reads ids, queries, bodies and headers out of requests, and says in the envelope what is wrong with them.

use std::str::FromStr;
use std::time::Duration;

use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use forge_model::{ParseIdError, ProcessId, ProjectId};
use futures::StreamExt as _;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::problem::{Problem, only};
use super::shape;
use super::spec::{Draft, Input};

/// How long a body may take to arrive. What is done with it afterwards takes as long as it takes.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);
/// The largest body that is taken.
const MOST_BODY_BYTES: usize = 2 * 1024 * 1024;
/// How much of a larger one is read before the caller is told.
const MOST_DISCARDED_BYTES: usize = 64 * 1024 * 1024;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
pub(super) const MOST_KEY_BYTES: usize = 255;
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The id in the path, or the first of them.
pub(super) struct Id<T>(pub(super) T);

impl<S: Send + Sync, T: FromStr<Err = ParseIdError>> FromRequestParts<S> for Id<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        id_at(parts, state, 0).await.map(Self)
    }
}

impl<T> Input for Id<T> {
    fn describe(draft: &mut Draft<'_>) {
        draft.in_path(0, &json!({ "type": "string", "format": "uuid" }));
    }
}

async fn id_at<T: FromStr<Err = ParseIdError>, S: Send + Sync>(
    parts: &mut Parts,
    state: &S,
    index: usize,
) -> Result<T, Problem> {
    let bad = |message: String| Problem::malformed("bad_id", message);
    let params = RawPathParams::from_request_parts(parts, state)
        .await
        .map_err(|rejection| bad(rejection.body_text()))?;
    let (_name, text) = params.iter().nth(index).ok_or_else(|| bad("the path holds no id".into()))?;
    text.parse().map_err(|error: ParseIdError| bad(error.to_string()))
}

/// The name in the path.
pub(super) struct Name(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|rejection| Problem::malformed("bad_name", rejection.body_text()))?;
        Ok(Self(params.iter().next().map(|(_, name)| name.to_owned()).unwrap_or_default()))
    }
}

impl Input for Name {
    fn describe(draft: &mut Draft<'_>) {
        draft.in_path(0, &json!({ "type": "string" }));
    }
}

/// An id, a project's where nothing else is said, and the id of something below it.
pub(super) struct IdBelow<T, P = ProjectId>(pub(super) P, pub(super) T);

impl<S, T, P> FromRequestParts<S> for IdBelow<T, P>
where
    S: Send + Sync,
    T: FromStr<Err = ParseIdError>,
    P: FromStr<Err = ParseIdError> + Send,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Id(above) = Id::from_request_parts(parts, state).await?;
        Ok(Self(above, id_at(parts, state, 1).await?))
    }
}

impl<T, P> Input for IdBelow<T, P> {
    fn describe(draft: &mut Draft<'_>) {
        Id::<P>::describe(draft);
        draft.in_path(1, &json!({ "type": "string", "format": "uuid" }));
    }
}

/// A process's id and a number below it.
pub(super) struct NumberBelow(pub(super) ProcessId, pub(super) u64);

impl<S: Send + Sync> FromRequestParts<S> for NumberBelow {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Id(id) = Id::from_request_parts(parts, state).await?;
        let bad = || Problem::malformed("bad_number", "the path does not end with a number");
        let params = RawPathParams::from_request_parts(parts, state).await.map_err(|_rejection| bad())?;
        let number = params.iter().nth(1).and_then(|(_name, text)| text.parse().ok());
        Ok(Self(id, number.ok_or_else(bad)?))
    }
}

impl Input for NumberBelow {
    fn describe(draft: &mut Draft<'_>) {
        Id::<ProcessId>::describe(draft);
        draft.in_path(1, &json!({ "type": "integer", "minimum": 0 }));
    }
}

/// What the query says.
pub(super) struct Query<T>(pub(super) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        shape::of_query(&parts.uri).map(Self)
    }
}

impl<T: JsonSchema> Input for Query<T> {
    fn describe(draft: &mut Draft<'_>) {
        draft.query::<T>();
    }
}

/// A body of JSON.
pub(super) struct Body<T>(pub(super) T);

impl<T: JsonSchema> Input for Body<T> {
    fn describe(draft: &mut Draft<'_>) {
        draft.json_body::<T>(true);
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let is_json = says_json(request.headers());
        let body = whole(request).await?;
        if !is_json {
            return Err(not_json());
        }
        shape::of_body(&body).map(Self)
    }
}

/// A body of JSON that may be left out, empty or `null`: then it is as if it were an empty object.
pub(super) struct OptionalBody<T>(pub(super) T);

impl<T: JsonSchema> Input for OptionalBody<T> {
    fn describe(draft: &mut Draft<'_>) {
        draft.json_body::<T>(false);
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for OptionalBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let is_json = says_json(request.headers());
        let body = whole(request).await?;
        match body.trim_ascii() {
            b"" | b"null" => shape::of_body(b"{}").map(Self),
            _ if !is_json => Err(not_json()),
            _ => shape::of_body(&body).map(Self),
        }
    }
}

/// A body of text, whatever kind it says it is.
pub(super) struct Text(pub(super) String);

impl Input for Text {
    fn describe(draft: &mut Draft<'_>) {
        draft.body_of("application/json", &schemars::json_schema!({ "type": "object" }), true);
        draft.or_body_of("text/plain", &schemars::json_schema!({ "type": "string" }));
    }
}

impl<S: Send + Sync> FromRequest<S> for Text {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let body = whole(request).await?;
        let text = String::from_utf8(body);
        text.map(Self).map_err(|_source| Problem::malformed("bad_text", "the body is not UTF-8"))
    }
}

pub(super) fn not_json() -> Problem {
    let message = "the body does not say that it is JSON";
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message)
        .hint("send Content-Type: application/json")
}

/// The body, when all of it came in time.
pub(super) async fn whole(request: Request) -> Result<Vec<u8>, Problem> {
    let body = tokio::time::timeout(BODY_TIMEOUT, read(request.into_body())).await;
    body.unwrap_or_else(|_elapsed| {
        Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "slow_body", "the body took too long to arrive"))
    })
}

/// A page of another site can send forms and plain text without asking, but not this.
pub(super) fn says_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

/// The whole body. One that is too large is read to its end all the same, as far as that is reasonable: an answer
/// that is sent while the caller still sends gets lost.
async fn read(body: axum::body::Body) -> Result<Vec<u8>, Problem> {
    let mut chunks = body.into_data_stream();
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_gone| Problem::malformed("bad_body", "the body ended early"))?;
        length += chunk.len();
        if length <= MOST_BODY_BYTES {
            bytes.extend_from_slice(&chunk);
        } else if length > MOST_DISCARDED_BYTES {
            break;
        }
    }
    if length > MOST_BODY_BYTES {
        let message = "the body is larger than 2 MiB";
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
            .hint("long texts belong in a file of the repository"));
    }
    Ok(bytes)
}

/// Where a reader of server-sent events was when its connection broke.
pub(super) struct LastEventId(pub(super) Option<String>);

impl Input for LastEventId {
    fn describe(draft: &mut Draft<'_>) {
        let about =
            "The `id` of the last event that was heard: goes on after it. Browsers send it by themselves.";
        draft.header(LAST_EVENT_ID.as_str(), about, &json!({ "type": "string" }));
    }
}

impl<S: Send + Sync> FromRequestParts<S> for LastEventId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let text = only(&parts.headers, &LAST_EVENT_ID)?.filter(|text| !text.is_empty());
        Ok(Self(text.map(str::to_owned)))
    }
}

/// The key under which a repeated call gives the same answer.
pub(super) struct IdempotencyKey(pub(super) Option<String>);

impl Input for IdempotencyKey {
    fn describe(draft: &mut Draft<'_>) {
        let about = "Repeating a call with the same key and body gives the same answer.";
        draft.header(
            IDEMPOTENCY_KEY.as_str(),
            about,
            &json!({ "type": "string", "maxLength": MOST_KEY_BYTES }),
        );
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let key = only(&parts.headers, &IDEMPOTENCY_KEY)?.map(str::trim).filter(|key| !key.is_empty());
        if key.is_some_and(|key| key.len() > MOST_KEY_BYTES) {
            return Err(Problem::malformed("bad_header", "Idempotency-Key is longer than 255 characters"));
        }
        Ok(Self(key.map(str::to_owned)))
    }
}
