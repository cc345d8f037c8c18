//! Tags.

use forge_model::{Fact, Tag, TagId, Timestamp, UpdateTag};
use uuid::Uuid;

use crate::backend::{Connection, on};
use crate::write::WriteTx;
use crate::{Store, StoreError};

const TAKEN: &str = "another tag has this name";

macro_rules! select_tags {
    ($rest:literal) => {
        concat!("SELECT id, tag_name, description, content, created_at, updated_at FROM tag ", $rest)
    };
}

type TagRow = (Uuid, String, Option<String>, String, i64, i64);

fn read((id, tag_name, description, content, created_at, updated_at): TagRow) -> Tag {
    Tag {
        id: TagId::from_uuid(id),
        tag_name,
        description,
        content,
        created_at: Timestamp::from_millis(created_at),
        updated_at: Timestamp::from_millis(updated_at),
    }
}

impl Store {
    /// Every tag, by name. The order is the same whatever the database takes for an alphabet.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_tags(&self) -> Result<Vec<Tag>, StoreError> {
        let mut db = self.read().await?;
        let rows: Vec<TagRow> = on!(&mut db, |db| sqlx::query_as(select_tags!("")).fetch_all(db).await)
            .map_err(StoreError::query("list tags"))?;
        let mut tags: Vec<Tag> = rows.into_iter().map(read).collect();
        tags.sort_by(|one, other| one.tag_name.cmp(&other.tag_name));
        Ok(tags)
    }

    /// The tag with this id.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn get_tag(&self, id: TagId) -> Result<Tag, StoreError> {
        get(&mut self.read().await?, id).await
    }

    /// Adds a tag.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when another has its name.
    pub async fn create_tag(&self, tag: &Tag) -> Result<(), StoreError> {
        let tag = tag.clone();
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    insert(tx, &tag).await?;
                    tx.append(&Fact::TagCreated(tag)).await
                })
            })
            .await
    }

    /// Changes a tag as it stands when its turn comes.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none, [`StoreError::Conflict`] when another has the name.
    pub async fn update_tag(&self, id: TagId, change: UpdateTag, now: Timestamp) -> Result<Tag, StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let mut tag = get(tx.db(), id).await?;
                    change.apply(&mut tag, now);
                    update(tx, &tag).await?;
                    tx.append(&Fact::TagUpdated(tag.clone())).await?;
                    Ok(tag)
                })
            })
            .await
    }

    /// Deletes a tag.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none.
    pub async fn delete_tag(&self, id: TagId) -> Result<(), StoreError> {
        self.queue
            .write(move |tx| {
                Box::pin(async move {
                    let gone = on!(tx.db(), |db| sqlx::query("DELETE FROM tag WHERE id = $1")
                        .bind(id.as_uuid())
                        .execute(db)
                        .await
                        .map(|done| done.rows_affected()))
                    .map_err(StoreError::query("delete a tag"))?;
                    StoreError::unless_found(gone, "tag")?;
                    tx.append(&Fact::TagDeleted { id }).await
                })
            })
            .await
    }
}

async fn get(db: &mut Connection, id: TagId) -> Result<Tag, StoreError> {
    let row: Option<TagRow> = on!(db, |db| sqlx::query_as(select_tags!("WHERE id = $1"))
        .bind(id.as_uuid())
        .fetch_optional(db)
        .await)
    .map_err(StoreError::query("get a tag"))?;
    row.map(read).ok_or(StoreError::NotFound { what: "tag" })
}

async fn insert(tx: &mut WriteTx, tag: &Tag) -> Result<(), StoreError> {
    on!(tx.db(), |db| sqlx::query(
        "INSERT INTO tag (id, tag_name, description, content, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(tag.id.as_uuid())
    .bind(&tag.tag_name)
    .bind(&tag.description)
    .bind(&tag.content)
    .bind(tag.created_at.as_millis())
    .bind(tag.updated_at.as_millis())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("add a tag"))
    .map_err(|error| error.or_conflict(TAKEN))
}

async fn update(tx: &mut WriteTx, tag: &Tag) -> Result<(), StoreError> {
    on!(tx.db(), |db| sqlx::query(
        "UPDATE tag SET tag_name = $2, description = $3, content = $4, updated_at = $5 WHERE id = $1",
    )
    .bind(tag.id.as_uuid())
    .bind(&tag.tag_name)
    .bind(&tag.description)
    .bind(&tag.content)
    .bind(tag.updated_at.as_millis())
    .execute(db)
    .await
    .map(drop))
    .map_err(StoreError::query("change a tag"))
    .map_err(|error| error.or_conflict(TAKEN))
}
