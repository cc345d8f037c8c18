//! A tag: a piece of text that people put into tasks by its name.

use serde::{Deserialize, Serialize};

use crate::{Patch, TagId, Timestamp};

/// Text under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tag {
    /// Its id.
    pub id: TagId,
    /// The one word it is called by.
    pub tag_name: String,
    /// What it is for, in a person's words.
    pub description: Option<String>,
    /// The text that it stands for.
    pub content: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Asks for a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateTag {
    /// See [`Tag::tag_name`].
    pub tag_name: String,
    /// See [`Tag::description`].
    pub description: Option<String>,
    /// See [`Tag::content`].
    pub content: String,
}

/// Changes a tag; what is not named stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateTag {
    /// A new name.
    pub tag_name: Option<String>,
    /// Another description.
    pub description: Patch<String>,
    /// Another text.
    pub content: Option<String>,
}

impl UpdateTag {
    /// The tag as it is afterwards.
    pub fn apply(self, tag: &mut Tag, now: Timestamp) {
        if let Some(name) = self.tag_name {
            tag.tag_name = name;
        }
        if let Some(content) = self.content {
            tag.content = content;
        }
        self.description.apply(&mut tag.description);
        tag.updated_at = now;
    }
}
