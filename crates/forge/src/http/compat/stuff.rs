//! Tags, which an older client calls templates; standing agents and settings.

use forge_model::{CreateTag, Patch, ProjectId, RecipientType, UpdateOmni, UpdateSettings, UpdateTag};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{blank_clears, keep_clear_or_set, missing};
use crate::http::problem::Problem;

/// Which tags are asked for. An older client says whose templates it wants; tags are everybody's.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct TagSearch {
    /// Part of the name, in capital letters or not.
    pub(in crate::http) search: Option<String>,
}

/// A tag to make.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CreateTag")]
pub(in crate::http) struct NewTag {
    /// One word, under which it is put into texts.
    tag_name: String,
    description: Option<String>,
    /// The text that is put in.
    content: String,
}

impl From<NewTag> for CreateTag {
    fn from(tag: NewTag) -> Self {
        Self { tag_name: tag.tag_name, description: tag.description, content: tag.content }
    }
}

/// Changes of a tag. A field that is left out or `null` keeps its value.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct TagChange {
    tag_name: Option<String>,
    /// `""` clears it.
    description: Option<String>,
    content: Option<String>,
}

impl From<TagChange> for UpdateTag {
    fn from(change: TagChange) -> Self {
        let description = keep_clear_or_set(change.description);
        Self { tag_name: change.tag_name, description, content: change.content }
    }
}

/// A template to make: a tag, as an older client spells it.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CreateTemplate")]
pub(in crate::http) struct NewTemplate {
    /// Spaces become `_`, because a tag is one word.
    name: Option<String>,
    tag_name: Option<String>,
    description: Option<String>,
    task_template: Option<TemplateText>,
    content: Option<String>,
}

impl NewTemplate {
    pub(in crate::http) fn into_command(self) -> Result<CreateTag, Problem> {
        let name = self.tag_name.or_else(|| self.name.as_deref().map(one_word));
        Ok(CreateTag {
            tag_name: name.ok_or_else(|| missing("name"))?,
            description: self.description,
            content: self
                .content
                .or_else(|| self.task_template.map(TemplateText::into_text))
                .ok_or_else(|| missing("task_template"))?,
        })
    }
}

/// Changes of a template. A field that is left out or `null` keeps its value.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct TemplateChange {
    name: Option<String>,
    tag_name: Option<String>,
    /// `""` clears it.
    description: Option<String>,
    task_template: Option<TemplateText>,
    content: Option<String>,
}

impl From<TemplateChange> for UpdateTag {
    fn from(change: TemplateChange) -> Self {
        Self {
            tag_name: change.tag_name.or_else(|| change.name.as_deref().map(one_word)),
            description: keep_clear_or_set(change.description),
            content: change.content.or_else(|| change.task_template.map(TemplateText::into_text)),
        }
    }
}

/// A text, or the fields of a task, which are kept as a text too.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum TemplateText {
    Text(String),
    Fields(Map<String, Value>),
}

impl TemplateText {
    fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Fields(fields) => Value::Object(fields).to_string(),
        }
    }
}

/// People gave templates names of several words.
fn one_word(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join("_")
}

/// A standing agent to make, or to be told about if it is there.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "CreateStandingAgent")]
pub(in crate::http) struct NewStandingAgent {
    pub(in crate::http) project_id: ProjectId,
    /// A word such as `wish`, `forge` or `review`.
    pub(in crate::http) agent_type: String,
}

/// Changes of the settings. A field that is left out keeps its value; `null` and a blank text clear it.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct SettingsChange {
    omni_enabled: Option<bool>,
    /// `null` forgets it.
    #[serde(default)]
    omni_config: Patch<OmniChange>,
}

/// How Omni is reached. A field that is left out keeps its value; `null` and a blank text clear it.
#[derive(Deserialize, JsonSchema)]
struct OmniChange {
    enabled: Option<bool>,
    #[serde(default)]
    host: Patch<String>,
    /// The mask that stood in the answer keeps the key that is there.
    #[serde(default)]
    api_key: Patch<String>,
    #[serde(default)]
    instance: Patch<String>,
    #[serde(default)]
    recipient: Patch<String>,
    #[serde(default)]
    recipient_type: Patch<RecipientType>,
}

impl From<SettingsChange> for UpdateSettings {
    fn from(change: SettingsChange) -> Self {
        let omni_config = match change.omni_config {
            Patch::Keep => Patch::Keep,
            Patch::Clear => Patch::Clear,
            Patch::Set(omni) => Patch::Set(UpdateOmni {
                enabled: omni.enabled,
                host: blank_clears(omni.host),
                api_key: blank_clears(omni.api_key),
                instance: blank_clears(omni.instance),
                recipient: blank_clears(omni.recipient),
                recipient_type: omni.recipient_type,
            }),
        };
        Self { omni_enabled: change.omni_enabled, omni_config }
    }
}
