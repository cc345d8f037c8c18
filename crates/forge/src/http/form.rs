//! An image in a multipart form, read as it comes.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{BodyDataStream, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{StatusCode, header};
use forge_engine::{Engine, MOST_IMAGE_BYTES, Upload};
use futures::{Stream, StreamExt as _};
use multer::{Constraints, Multipart, SizeLimit};
use schemars::json_schema;

use super::problem::Problem;
use super::spec::{Draft, Input};

/// What the field with the image is called; clients differ.
const FIELDS: [&str; 2] = ["image", "file"];

/// What a form may have around its image: heads, boundaries, other fields.
const MOST_AROUND: u64 = 1024 * 1024;

/// How long it may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(300);

/// How much of a form that was refused is read before the caller is told: an answer that is sent while the caller still
/// sends gets lost.
const MOST_DISCARDED_BYTES: usize = 64 * 1024 * 1024;

/// A form of which nothing was read yet.
pub(super) struct ImageForm {
    body: Shared,
    boundary: Option<String>,
}

/// The body, which is still at hand when reading it as a form has failed.
#[derive(Clone)]
struct Shared(Arc<Mutex<BodyDataStream>>);

impl Stream for Shared {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).poll_next_unpin(context)
    }
}

impl Input for ImageForm {
    fn describe(draft: &mut Draft<'_>) {
        let image = json_schema!({
            "type": "object",
            "description": "The image under `image`, or under `file`.",
            "properties": {
                "image": { "type": "string", "format": "binary" },
                "file": { "type": "string", "format": "binary" },
            },
        });
        draft.body_of("multipart/form-data", &image, true);
    }
}

impl<S: Send + Sync> FromRequest<S> for ImageForm {
    type Rejection = Problem;

    async fn from_request(request: Request, _state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let boundary = kind.and_then(|kind| multer::parse_boundary(kind).ok());
        let body = Shared(Arc::new(Mutex::new(request.into_body().into_data_stream())));
        Ok(Self { body, boundary })
    }
}

impl ImageForm {
    /// Takes the image in, and tells what its file is called where it comes from.
    pub(super) async fn read(self, engine: &Engine) -> Result<(Upload, Option<String>), Problem> {
        let Self { body, boundary } = self;
        let reading = read(engine, body.clone(), boundary);
        let read = tokio::time::timeout(TIMEOUT, reading).await.unwrap_or_else(|_elapsed| {
            Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "slow_body", "the image took too long to arrive"))
        });
        if read.is_err() {
            discard(body).await;
        }
        read
    }

    /// Lets the caller finish, for an answer that does not need the image.
    pub(super) async fn discard(self) {
        discard(self.body).await;
    }
}

async fn read(
    engine: &Engine,
    body: Shared,
    boundary: Option<String>,
) -> Result<(Upload, Option<String>), Problem> {
    let boundary = boundary.ok_or_else(|| {
        let message = "the body does not say that it is a multipart form";
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_multipart", message)
            .hint("send Content-Type: multipart/form-data with a boundary")
    })?;
    let most = SizeLimit::new().whole_stream(MOST_IMAGE_BYTES + MOST_AROUND);
    let mut form = Multipart::with_constraints(body, boundary, Constraints::new().size_limit(most));
    let mut found = None;
    while let Some(mut field) = form.next_field().await.map_err(|error| wrong(&error))? {
        let is_image = field.name().is_some_and(|name| FIELDS.contains(&name));
        if found.is_some() || !is_image {
            continue;
        }
        let mut upload = engine.begin_upload().await?;
        while let Some(bytes) = field.chunk().await.map_err(|error| wrong(&error))? {
            upload.write(&bytes).await?;
        }
        found = Some((upload, field.file_name().map(str::to_owned)));
    }
    found.ok_or_else(|| {
        Problem::invalid("image_missing", "the form has no image")
            .hint("send it in the field `image` or `file`")
    })
}

/// All that can be wrong with a form is the caller's.
fn wrong(error: &multer::Error) -> Problem {
    match error {
        multer::Error::StreamSizeExceeded { .. } | multer::Error::FieldSizeExceeded { .. } => {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "image_too_large", "the image is larger than 20 MiB")
                .hint("make it smaller: an agent sees no more in a larger one")
        }
        _ => Problem::malformed("bad_multipart", "the form cannot be read: it is broken or ended early")
            .hint("send the file again, in one piece"),
    }
}

async fn discard(mut body: Shared) {
    let rest = async {
        let mut length = 0_usize;
        while let Some(Ok(bytes)) = body.next().await {
            length = length.saturating_add(bytes.len());
            if length > MOST_DISCARDED_BYTES {
                break;
            }
        }
    };
    // Whoever takes longer is not waited for.
    drop(tokio::time::timeout(TIMEOUT, rest).await);
}
