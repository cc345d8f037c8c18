//! Prompts in every spelling: follow-ups, turns that take the place of others, drafts.

use forge_engine::{ChangeFollowUp, ReplaceProcess, SendFollowUp, WhenDirty};
use forge_model::{
    DraftKind, How, ImageId, Patch, ProcessId, Profile, QueueDraft, Queueing, SaveDraft, WorktreeReset,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use super::{AnyProfile, blank_clears, keep_or_set, missing};
use crate::http::problem::Problem;

/// What the agent is told next.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct FollowUpBody {
    prompt: Option<String>,
    /// An older client's name for it.
    follow_up_prompt: Option<String>,
    /// The variant to use from here on; left out, it stays.
    variant: Option<String>,
    /// The model to use from here on, as the agent offers it; left out, it stays.
    model: Option<String>,
    /// The mode to work in from here on, as the agent offers it; left out, it stays.
    mode: Option<String>,
    /// Whether the turn that runs is interrupted for it. Else it waits until that is over.
    interrupt: Option<bool>,
    /// Whether a turn that the account's limit ends goes on by itself when the limit is reset.
    wait_for_limit: Option<bool>,
    /// Images that go with the prompt.
    image_ids: Option<Vec<ImageId>>,
    /// The process whose turn this one takes the place of.
    retry_process_id: Option<ProcessId>,
    /// With `retry_process_id`: false refuses when something in the worktree is not committed. Left out or true, it is
    /// saved as a snapshot.
    force_when_dirty: Option<bool>,
    /// With `retry_process_id`: false leaves the worktree as it is.
    perform_git_reset: Option<bool>,
}

/// What a follow-up asks for.
pub(in crate::http) enum Wanted {
    Next(SendFollowUp),
    Instead(ReplaceProcess),
}

impl FollowUpBody {
    pub(in crate::http) fn into_command(self) -> Result<Wanted, Problem> {
        let prompt = self.prompt.or(self.follow_up_prompt).ok_or_else(|| missing("prompt"))?;
        let variant = named(self.variant);
        let image_ids = self.image_ids.unwrap_or_default();
        Ok(match self.retry_process_id {
            None => Wanted::Next(SendFollowUp {
                prompt,
                variant,
                how: How {
                    model: named(self.model),
                    mode: named(self.mode),
                    wait_for_limit: self.wait_for_limit.unwrap_or_default(),
                },
                interrupt: self.interrupt.unwrap_or_default(),
                image_ids,
            }),
            Some(process) => Wanted::Instead(ReplaceProcess {
                process_id: Some(process),
                prompt,
                variant,
                profile: None,
                image_ids,
                worktree: worktree(self.perform_git_reset),
                when_dirty: when_dirty(self.force_when_dirty),
            }),
        })
    }
}

/// Changes of a queued prompt. A field that is left out keeps its value; `null` and a blank text clear it.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(default)]
pub(in crate::http) struct FollowUpChange {
    prompt: Option<String>,
    variant: Patch<String>,
    model: Patch<String>,
    mode: Patch<String>,
    /// True interrupts the turn that runs, at once.
    interrupt: Option<bool>,
}

impl FollowUpChange {
    pub(in crate::http) fn into_command(self) -> ChangeFollowUp {
        ChangeFollowUp {
            prompt: self.prompt,
            variant: blank_clears(self.variant),
            model: blank_clears(self.model),
            mode: blank_clears(self.mode),
            interrupt: self.interrupt,
        }
    }
}

/// A turn that takes the place of another.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct ReplaceBody {
    /// The agent's process of that turn; left out, it is the newest.
    process_id: Option<ProcessId>,
    prompt: Option<String>,
    /// An older client's name for it.
    follow_up_prompt: Option<String>,
    /// The variant to use from here on; left out, it stays.
    variant: Option<String>,
    /// The attempt's executor, perhaps with another variant.
    executor_profile_id: Option<AnyProfile>,
    /// Images that go with the prompt.
    image_ids: Option<Vec<ImageId>>,
    /// False refuses when something in the worktree is not committed. Left out or true, it is saved as a snapshot.
    force_when_dirty: Option<bool>,
    /// False leaves the worktree as it is.
    perform_git_reset: Option<bool>,
}

impl ReplaceBody {
    pub(in crate::http) fn into_command(self) -> Result<ReplaceProcess, Problem> {
        Ok(ReplaceProcess {
            process_id: self.process_id,
            prompt: self.prompt.or(self.follow_up_prompt).ok_or_else(|| missing("prompt"))?,
            variant: named(self.variant),
            profile: self.executor_profile_id.map(|AnyProfile(profile)| profile),
            image_ids: self.image_ids.unwrap_or_default(),
            worktree: worktree(self.perform_git_reset),
            when_dirty: when_dirty(self.force_when_dirty),
        })
    }
}

pub(super) fn named(variant: Option<String>) -> Option<String> {
    variant.filter(|variant| !variant.trim().is_empty())
}

const fn worktree(perform_git_reset: Option<bool>) -> WorktreeReset {
    match perform_git_reset {
        Some(false) => WorktreeReset::Keep,
        Some(true) | None => WorktreeReset::Reset,
    }
}

/// Who does not say is not asked: what is in the worktree is saved whichever it is.
const fn when_dirty(force: Option<bool>) -> WhenDirty {
    match force {
        Some(false) => WhenDirty::Refuse,
        Some(true) | None => WhenDirty::Save,
    }
}

/// An agent to be set up.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct SetupBody {
    executor_profile_id: Option<AnyProfile>,
}

impl SetupBody {
    pub(in crate::http) fn into_profile(self) -> Result<Profile, Problem> {
        let AnyProfile(profile) = self.executor_profile_id.ok_or_else(|| missing("executor_profile_id"))?;
        Ok(profile)
    }
}

/// Which draft of an attempt.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct WhichDraft {
    /// `follow_up`, which is meant when it is left out, or `retry`.
    #[serde(rename = "type")]
    kind: Option<AnyDraftKind>,
}

impl WhichDraft {
    pub(in crate::http) fn kind(&self) -> DraftKind {
        self.kind.as_ref().map_or(DraftKind::FollowUp, |AnyDraftKind(kind)| *kind)
    }
}

struct AnyDraftKind(DraftKind);

impl JsonSchema for AnyDraftKind {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "DraftType".into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": DraftKind::ALL.map(DraftKind::as_str) })
    }
}

impl<'de> Deserialize<'de> for AnyDraftKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?.to_ascii_lowercase().replace('-', "_");
        match text.as_str() {
            "follow_up" | "followup" => Ok(Self(DraftKind::FollowUp)),
            "retry" => Ok(Self(DraftKind::Retry)),
            _ => Err(de::Error::custom("`follow_up` or `retry` is expected")),
        }
    }
}

/// Changes of a draft. A field that is left out or `null` keeps its value, but for `variant`.
#[derive(Deserialize, JsonSchema)]
#[serde(default)]
#[derive(Default)]
pub(in crate::http) struct DraftBody {
    /// The text; `""` clears it.
    prompt: Option<String>,
    /// Deprecated: use `prompt`.
    follow_up_prompt: Option<String>,
    /// The variant to send it with. `null` and `""` clear it: the original front end sends `null` when a person chooses
    /// the default variant, and leaves the field out otherwise.
    variant: Patch<String>,
    /// Its images; `[]` clears them.
    image_ids: Option<Vec<ImageId>>,
    /// The process whose turn it replaces, in a draft of type `retry`.
    retry_process_id: Option<ProcessId>,
    /// The version that was read; when there is another meanwhile, nothing is changed.
    version: Option<i64>,
}

impl DraftBody {
    pub(in crate::http) fn into_command(self) -> SaveDraft {
        SaveDraft {
            prompt: keep_or_set(self.prompt.or(self.follow_up_prompt)),
            variant: blank_clears(self.variant),
            image_ids: keep_or_set(self.image_ids),
            retry_process_id: keep_or_set(self.retry_process_id),
            version: self.version,
        }
    }
}

/// Whether a draft shall be sent as soon as nothing runs.
#[derive(Deserialize, JsonSchema)]
pub(in crate::http) struct QueueBody {
    queued: Option<bool>,
    /// An older client's name for it.
    execute: Option<bool>,
    /// A new text, saved first.
    prompt: Option<String>,
    /// Whether the caller takes it for queued; when it is not so, nothing is changed.
    expected_queued: Option<bool>,
    /// The version that was read; when there is another meanwhile, nothing is changed.
    expected_version: Option<i64>,
}

impl QueueBody {
    pub(in crate::http) fn into_command(self) -> Result<QueueDraft, Problem> {
        let queued = self.queued.or(self.execute).ok_or_else(|| missing("queued"))?;
        Ok(QueueDraft {
            wanted: if queued { Queueing::Send } else { Queueing::Hold },
            expected_queued: self.expected_queued,
            expected_version: self.expected_version,
            prompt: self.prompt,
        })
    }
}
