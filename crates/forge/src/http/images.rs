//! Images over REST.

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use forge_engine::Engine;
use forge_model::{Image, ImageId, ImageKind, TaskId};
use futures::stream;
use tokio::io::AsyncReadExt as _;

use super::envelope::{Answer, Plain, done, ok};
use super::extract::Id;
use super::form::ImageForm;
use super::problem::Problem;
use super::spec::Operation;
use super::wire;

/// How much of a file is held for a reader.
const PAGE: usize = 64 * 1024;

/// An SVG can hold scripts and ask for things: opened by itself, it may do neither, nor is it of this site.
const CONFINED: &str = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/// Its bytes never change. Kept by whoever was let in, and by nobody in between.
const KEPT: &str = "private, max-age=31536000, immutable";

pub(super) fn operations() -> Vec<Operation> {
    const OF_TASK: &str = "/api/images/task/{task_id}";
    vec![
        Operation::post(
            "uploadImage",
            "/api/images/upload",
            "Takes an image in; the same bytes are one",
            upload,
        ),
        Operation::post(
            "uploadTaskImage",
            "/api/images/task/{task_id}/upload",
            "Takes an image in and gives it to a task",
            upload_for_task,
        ),
        Operation::get("getTaskImages", OF_TASK, "A task's images, in order", list_of_task),
        Operation::get("getImageFile", "/api/images/{id}/file", "The image itself", file).media("image/*"),
        Operation::delete("deleteImage", "/api/images/{id}", "Deletes an image, also from its tasks", delete),
    ]
}

async fn upload(State(engine): State<Engine>, form: ImageForm) -> Answer<wire::Image<'static>> {
    let (upload, name) = form.read(&engine).await?;
    ok(wire::Image::from(&engine.finish_upload(upload, name.as_deref(), None).await?))
}

async fn upload_for_task(
    State(engine): State<Engine>,
    Id(task): Id<TaskId>,
    form: ImageForm,
) -> Answer<wire::Image<'static>> {
    if let Err(error) = engine.get_task(task).await {
        form.discard().await;
        return Err(error.into());
    }
    let (upload, name) = form.read(&engine).await?;
    ok(wire::Image::from(&engine.finish_upload(upload, name.as_deref(), Some(task)).await?))
}

async fn list_of_task(
    State(engine): State<Engine>,
    Id(task): Id<TaskId>,
) -> Answer<Vec<wire::Image<'static>>> {
    let images = engine.list_task_images(task).await?;
    ok(images.iter().map(wire::Image::from).collect::<Vec<_>>())
}

/// One that is not there is deleted already: clients repeat themselves.
async fn delete(State(engine): State<Engine>, Id(id): Id<ImageId>) -> Answer<()> {
    engine.delete_image(id).await?;
    done()
}

async fn file(State(engine): State<Engine>, Id(id): Id<ImageId>) -> Result<Plain, Problem> {
    let (image, file) = engine.open_image(id).await?;
    // Whoever goes away drops the stream, and with it the file.
    let pages = stream::try_unfold(file, |mut file| async move {
        let mut page = vec![0; PAGE];
        let length = file.read(&mut page).await?;
        page.truncate(length);
        Ok::<_, std::io::Error>((length > 0).then_some((page, file)))
    });
    Ok(Plain(with_headers(Body::from_stream(pages).into_response(), &image)))
}

fn with_headers(mut response: Response, image: &Image) -> Response {
    // In a page it is shown all the same; opened by itself, an SVG is saved and not run.
    let disposition = if image.kind == ImageKind::Svg { "attachment" } else { "inline" };
    let disposition = format!("{disposition}; filename=\"{}\"", image.file_name());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(image.kind.mime_type()));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(KEPT));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(CONFINED));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(image.size_bytes));
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    response
}
