//! Tags: texts that people put into tasks by name.

use forge_model::{CreateTag, Patch, Tag, TagId, Timestamp, UpdateTag};

use crate::engine::Engine;
use crate::error::{Error, Result};

/// A name that somebody types is not longer.
const MOST_NAME_CHARS: usize = 100;

impl Engine {
    /// Every tag by name, or those whose name has `search` in it, however that is written.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn list_tags(&self, search: Option<&str>) -> Result<Vec<Tag>> {
        let mut tags = self.inner.store.list_tags().await?;
        if let Some(search) = search.map(|search| search.trim().to_lowercase()) {
            tags.retain(|tag| tag.tag_name.to_lowercase().contains(&search));
        }
        Ok(tags)
    }

    /// One tag.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn get_tag(&self, id: TagId) -> Result<Tag> {
        Ok(self.inner.store.get_tag(id).await?)
    }

    /// Makes a tag.
    ///
    /// # Errors
    /// When its name is no word or its text is empty, or another has the name.
    pub async fn create_tag(&self, command: CreateTag) -> Result<Tag> {
        let now = Timestamp::now();
        let tag = Tag {
            id: TagId::random(),
            tag_name: named(command.tag_name)?,
            description: command.description.filter(|text| !text.trim().is_empty()),
            content: filled(command.content)?,
            created_at: now,
            updated_at: now,
        };
        self.inner.store.create_tag(&tag).await?;
        Ok(tag)
    }

    /// Changes a tag.
    ///
    /// # Errors
    /// When it is not there, its name would be no word or its text empty, or another has the name.
    pub async fn update_tag(&self, id: TagId, command: UpdateTag) -> Result<Tag> {
        self.get_tag(id).await?;
        let command = UpdateTag {
            tag_name: command.tag_name.map(named).transpose()?,
            description: match command.description {
                Patch::Set(text) if text.trim().is_empty() => Patch::Clear,
                description => description,
            },
            content: command.content.map(filled).transpose()?,
        };
        Ok(self.inner.store.update_tag(id, command, Timestamp::now()).await?)
    }

    /// Deletes a tag. Tasks that it was put into keep its text.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn delete_tag(&self, id: TagId) -> Result<()> {
        Ok(self.inner.store.delete_tag(id).await?)
    }
}

/// A tag is put into a text as `@name`, so its name is one word.
fn named(name: String) -> Result<String> {
    let wrong = |message: &str| {
        Error::invalid("tag_name_invalid", message)
            .hint("use letters, digits and _, such as bug_analysis: it is written as @bug_analysis")
    };
    if name.is_empty() {
        return Err(wrong("a tag needs a name"));
    }
    if name.chars().any(|char| char.is_whitespace() || char.is_control()) {
        return Err(wrong("a tag's name has no spaces"));
    }
    if name.chars().nth(MOST_NAME_CHARS).is_some() {
        return Err(wrong("a tag's name is not longer than 100 characters"));
    }
    Ok(name)
}

fn filled(content: String) -> Result<String> {
    if content.trim().is_empty() {
        return Err(Error::invalid("tag_content_empty", "a tag needs a text")
            .hint("say what shall be put in where the tag is used"));
    }
    Ok(content)
}
