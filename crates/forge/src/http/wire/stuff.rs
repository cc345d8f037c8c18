//! Tags, images, standing agents and settings.

use forge_model::{ImageId, ProjectId, RecipientType, StandingAgentId, TagId, TaskId, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::http::spec::documented;

documented!(Tag<'_>, Template<'_>, Image<'_>, StandingAgent<'_>, Settings<'_>);

/// A text that people put into tasks by its name.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Tag<'a> {
    id: TagId,
    tag_name: &'a str,
    description: Option<&'a str>,
    content: &'a str,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a forge_model::Tag> for Tag<'a> {
    fn from(tag: &'a forge_model::Tag) -> Self {
        Self {
            id: tag.id,
            tag_name: &tag.tag_name,
            description: tag.description.as_deref(),
            content: &tag.content,
            created_at: tag.created_at,
            updated_at: tag.updated_at,
        }
    }
}

/// A tag in both spellings.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Template<'a> {
    id: TagId,
    /// The tag's name.
    name: &'a str,
    tag_name: &'a str,
    description: Option<&'a str>,
    /// The text; an object where the text is one, as it was sent.
    task_template: Value,
    content: &'a str,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a forge_model::Tag> for Template<'a> {
    fn from(tag: &'a forge_model::Tag) -> Self {
        let object = serde_json::from_str(&tag.content).ok().filter(Value::is_object);
        Self {
            id: tag.id,
            name: &tag.tag_name,
            tag_name: &tag.tag_name,
            description: tag.description.as_deref(),
            task_template: object.unwrap_or_else(|| Value::String(tag.content.clone())),
            content: &tag.content,
            created_at: tag.created_at,
            updated_at: tag.updated_at,
        }
    }
}

/// An image that was uploaded.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Image<'a> {
    id: ImageId,
    /// Where an agent finds it in its worktree: mention it so in a prompt.
    file_path: String,
    /// What the file was called by whoever sent these bytes first.
    original_name: &'a str,
    mime_type: &'static str,
    size_bytes: i64,
    /// SHA-256, as hex.
    hash: &'a str,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a forge_model::Image> for Image<'a> {
    fn from(image: &'a forge_model::Image) -> Self {
        Self {
            id: image.id,
            file_path: image.file_path(),
            original_name: &image.original_name,
            mime_type: image.kind.mime_type(),
            size_bytes: image.size_bytes,
            hash: &image.hash,
            created_at: image.created_at,
            updated_at: image.updated_at,
        }
    }
}

/// A conversation that a project always has.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct StandingAgent<'a> {
    id: StandingAgentId,
    project_id: ProjectId,
    agent_type: &'a str,
    /// The task whose attempts are the conversation; it is on no board.
    task_id: TaskId,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl<'a> From<&'a forge_model::StandingAgent> for StandingAgent<'a> {
    fn from(agent: &'a forge_model::StandingAgent) -> Self {
        Self {
            id: agent.id,
            project_id: agent.project_id,
            agent_type: &agent.agent_type,
            task_id: agent.task_id,
            created_at: agent.created_at,
            updated_at: agent.updated_at,
        }
    }
}

/// What is set.
#[derive(Serialize, JsonSchema)]
pub(in crate::http) struct Settings<'a> {
    omni_enabled: bool,
    omni_config: Option<OmniConfig<'a>>,
}

/// How Omni is reached.
#[derive(Serialize, JsonSchema)]
struct OmniConfig<'a> {
    enabled: bool,
    host: Option<&'a str>,
    /// A mask where there is a key.
    api_key: Option<&'a str>,
    instance: Option<&'a str>,
    recipient: Option<&'a str>,
    recipient_type: Option<RecipientType>,
}

impl<'a> From<&'a forge_model::Settings> for Settings<'a> {
    fn from(settings: &'a forge_model::Settings) -> Self {
        let omni_config = settings.omni_config.as_ref().map(|omni| OmniConfig {
            enabled: omni.enabled,
            host: omni.host.as_deref(),
            api_key: omni.api_key.as_deref(),
            instance: omni.instance.as_deref(),
            recipient: omni.recipient.as_deref(),
            recipient_type: omni.recipient_type,
        });
        Self { omni_enabled: settings.omni_enabled, omni_config }
    }
}
