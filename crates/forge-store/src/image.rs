//! Images, and which task has which.

use forge_model::{Fact, Image, ImageId, ImageKind, TaskId, Timestamp};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::write::WriteTx;
use crate::{Store, StoreError, draft, start, task};

macro_rules! select_images {
    ($rest:literal) => {
        concat!(
            "SELECT i.id, i.kind, i.original_name, i.size_bytes, i.hash, i.created_at, i.updated_at FROM image i ",
            $rest
        )
    };
}

type ImageRow = (Uuid, String, String, i64, String, i64, i64);

fn read(
    (id, kind, original_name, size_bytes, hash, created_at, updated_at): ImageRow,
) -> Result<Image, StoreError> {
    let known = ImageKind::ALL.into_iter().find(|known| known.extension() == kind);
    Ok(Image {
        id: ImageId::from_uuid(id),
        kind: known.ok_or_else(|| StoreError::corrupt("kind of image")(kind))?,
        original_name,
        size_bytes,
        hash,
        created_at: Timestamp::from_millis(created_at),
        updated_at: Timestamp::from_millis(updated_at),
    })
}

impl Store {
    /// Adds an image, unless one with the same bytes is there, and gives it to `task` behind those that it has. Answers
    /// with the image that counts.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such task.
    pub async fn add_image(&self, image: &Image, task: Option<TaskId>) -> Result<Image, StoreError> {
        let image = image.clone();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let image = match of_hash(tx.db(), &image.hash).await? {
                        Some(found) => found,
                        None => {
                            insert(tx, &image).await?;
                            tx.append(&Fact::ImageCreated(image.clone())).await?;
                            image
                        }
                    };
                    if let Some(task) = task {
                        task::card(tx.db(), task).await?;
                        link(tx, task, &[image.id], Missing::Refuse).await?;
                    }
                    Ok(image)
                })
            })
            .await
    }

    /// The image with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn get_image(&self, id: ImageId) -> Result<Image, StoreError> {
        let mut db = self.read().await?;
        let row: Option<ImageRow> = on!(&mut db, |db| sqlx::query_as(select_images!("WHERE i.id = $1"))
            .bind(id.as_uuid())
            .fetch_optional(db)
            .await)
        .map_err(StoreError::query("get an image"))?;
        read(row.ok_or(StoreError::NotFound { what: "image" })?)
    }

    /// Every image.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_images(&self) -> Result<Vec<Image>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<ImageRow> =
            on!(&mut db, |db| sqlx::query_as(select_images!("ORDER BY i.created_at, i.id"))
                .fetch_all(db)
                .await)
            .map_err(StoreError::query("list images"))?;
        rows.into_iter().map(read).collect()
    }

    /// A task's images, in the order in which it got them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_task_images(&self, task: TaskId) -> Result<Vec<Image>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<ImageRow> = on!(&mut db, |db| sqlx::query_as(select_images!(
            "JOIN task_image t ON t.image_id = i.id WHERE t.task_id = $1 ORDER BY t.ordinal"
        ))
        .bind(task.as_uuid())
        .fetch_all(db)
        .await)
        .map_err(StoreError::query("list a task's images"))?;
        rows.into_iter().map(read).collect()
    }

    /// Gives a task images, behind those that it has.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is no such task or image.
    pub async fn add_task_images(&self, task: TaskId, images: Vec<ImageId>) -> Result<(), StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    task::card(tx.db(), task).await?;
                    link(tx, task, &images, Missing::Refuse).await
                })
            })
            .await
    }

    /// Deletes an image, and takes it from the tasks that have it. Tells whether it was there.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_image(&self, id: ImageId) -> Result<bool, StoreError> {
        self.queue.write(move |tx| Box::pin(async move { delete(tx, id).await })).await
    }

    /// Deletes the images that no task, draft or start has and that were sent before `time`, and tells which.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prune_images(&self, time: Timestamp) -> Result<Vec<Image>, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let rows: Vec<ImageRow> = on!(tx.db(), |db| sqlx::query_as(select_images!(
                        "WHERE i.created_at < $1
                           AND NOT EXISTS (SELECT 1 FROM task_image t WHERE t.image_id = i.id)"
                    ))
                    .bind(time.as_millis())
                    .fetch_all(db)
                    .await)
                    .map_err(StoreError::query("look for images that nobody has"))?;
                    let mut images: Vec<Image> = rows.into_iter().map(read).collect::<Result<_, _>>()?;
                    if !images.is_empty() {
                        let mut wanted = draft::images(tx.db()).await?;
                        wanted.extend(start::intents(tx.db()).await?.into_iter().flat_map(|it| it.images));
                        images.retain(|image| !wanted.contains(&image.id));
                    }
                    for image in &images {
                        delete(tx, image.id).await?;
                    }
                    Ok(images)
                })
            })
            .await
    }
}

/// What to do about an image that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Nothing is done at all.
    Refuse,
    /// It was deleted since it was asked for: the others are meant still.
    Skip,
}

/// Gives a task images behind those that it has, and tells so if there are others than before.
pub(crate) async fn link(
    tx: &mut WriteTx,
    task: TaskId,
    images: &[ImageId],
    missing: Missing,
) -> Result<(), StoreError> {
    let (mut added, now) = (0, tx.now().as_millis());
    for image in images {
        if missing == Missing::Refuse {
            check(tx, *image).await?;
        }
        added += on!(tx.db(), |db| sqlx::query(
            "INSERT INTO task_image (task_id, image_id, ordinal, created_at)
             SELECT $1, i.id, (SELECT coalesce(max(ordinal), 0) + 1 FROM task_image WHERE task_id = $1), $3
             FROM image i WHERE i.id = $2
             ON CONFLICT DO NOTHING",
        )
        .bind(task.as_uuid())
        .bind(image.as_uuid())
        .bind(now)
        .execute(db)
        .await
        .map(|done| done.rows_affected()))
        .map_err(StoreError::query("give a task an image"))?;
    }
    if added == 0 {
        return Ok(());
    }
    let image_ids = ids_of(tx, task).await?;
    tx.append(&Fact::TaskImagesChanged { task_id: task, image_ids }).await
}

/// Gives a task these images in place of those that it has, and tells so if they are others.
pub(crate) async fn replace(tx: &mut WriteTx, task: TaskId, images: &[ImageId]) -> Result<(), StoreError> {
    let before = ids_of(tx, task).await?;
    let mut wanted: Vec<ImageId> = Vec::new();
    for image in images.iter().copied() {
        if !wanted.contains(&image) {
            wanted.push(image);
        }
    }
    if wanted == before {
        return Ok(());
    }
    on!(tx.db(), |db| sqlx::query("DELETE FROM task_image WHERE task_id = $1")
        .bind(task.as_uuid())
        .execute(db)
        .await
        .map(drop))
    .map_err(StoreError::query("take a task's images"))?;
    if wanted.is_empty() {
        return tx.append(&Fact::TaskImagesChanged { task_id: task, image_ids: wanted }).await;
    }
    link(tx, task, &wanted, Missing::Refuse).await
}

/// That an image is there.
pub(crate) async fn check(tx: &mut WriteTx, id: ImageId) -> Result<(), StoreError> {
    let found = on!(tx.db(), |db| sqlx::query("SELECT 1 FROM image WHERE id = $1")
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await
        .map(|row| row.is_some()))
    .map_err(StoreError::query("look for an image"))?;
    StoreError::unless_found(found.into(), "image")
}

async fn ids_of(tx: &mut WriteTx, task: TaskId) -> Result<Vec<ImageId>, StoreError> {
    let rows: Vec<(Uuid,)> = on!(tx.db(), |db| sqlx::query_as(
        "SELECT image_id FROM task_image WHERE task_id = $1 ORDER BY ordinal"
    )
    .bind(task.as_uuid())
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("list a task's images"))?;
    Ok(rows.into_iter().map(|(id,)| ImageId::from_uuid(id)).collect())
}

async fn of_hash(db: &mut Connection, hash: &str) -> Result<Option<Image>, StoreError> {
    let row: Option<ImageRow> =
        on!(db, |db| sqlx::query_as(select_images!("WHERE i.hash = $1")).bind(hash).fetch_optional(db).await)
            .map_err(StoreError::query("look for an image"))?;
    row.map(read).transpose()
}

async fn insert(tx: &mut WriteTx, image: &Image) -> Result<(), StoreError> {
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO image (id, kind, original_name, size_bytes, hash, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(image.id.as_uuid())
    .bind(image.kind.extension())
    .bind(&image.original_name)
    .bind(image.size_bytes)
    .bind(&image.hash)
    .bind(image.created_at.as_millis())
    .bind(image.updated_at.as_millis())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("add an image"))
}

async fn delete(tx: &mut WriteTx, id: ImageId) -> Result<bool, StoreError> {
    let tasks: Vec<(Uuid,)> = on!(tx.db(), |db| sqlx::query_as(
        "SELECT task_id FROM task_image WHERE image_id = $1 ORDER BY task_id"
    )
    .bind(id.as_uuid())
    .fetch_all(db)
    .await)
    .map_err(StoreError::query("list the tasks that have an image"))?;
    let gone = on!(tx.db(), |db| sqlx::query("DELETE FROM image WHERE id = $1")
        .bind(id.as_uuid())
        .execute(db)
        .await
        .map(|done| done.rows_affected() > 0))
    .map_err(StoreError::query("delete an image"))?;
    for (task,) in tasks {
        let task_id = TaskId::from_uuid(task);
        let image_ids = ids_of(tx, task_id).await?;
        tx.append(&Fact::TaskImagesChanged { task_id, image_ids }).await?;
    }
    if gone {
        tx.append(&Fact::ImageDeleted { id }).await?;
    }
    Ok(gone)
}
