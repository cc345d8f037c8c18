//! Settings of Forge as a whole and of single projects: whom to tell, through Omni, that something is done.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};

use crate::Patch;

/// What stands in place of a secret that is told. Sent back, it means the secret that is kept.
pub const MASK: &str = "********";

/// What is set.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Settings {
    /// Whether messages are sent.
    pub omni_enabled: bool,
    /// Where to, and as whom.
    pub omni_config: Option<OmniConfig>,
}

/// How to reach Omni.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct OmniConfig {
    /// Whether messages are sent.
    pub enabled: bool,
    /// Where it is.
    pub host: Option<String>,
    /// Its key, a secret.
    pub api_key: Option<String>,
    /// Which of its instances sends.
    pub instance: Option<String>,
    /// To whom.
    pub recipient: Option<String>,
    /// What `recipient` is.
    pub recipient_type: Option<RecipientType>,
}

/// What a recipient is named by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub enum RecipientType {
    /// A telephone number.
    PhoneNumber,
    /// A user's id.
    UserId,
}

/// From text, so that a wrong one is told with the words that there are.
impl<'de> Deserialize<'de> for RecipientType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "PhoneNumber" => Ok(Self::PhoneNumber),
            "UserId" => Ok(Self::UserId),
            _ => Err(de::Error::custom("a recipient is a PhoneNumber or a UserId")),
        }
    }
}

/// Changes settings; what is not named stays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UpdateSettings {
    /// See [`Settings::omni_enabled`].
    pub omni_enabled: Option<bool>,
    /// See [`Settings::omni_config`].
    pub omni_config: Patch<UpdateOmni>,
}

/// Changes how to reach Omni; what is not named stays.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct UpdateOmni {
    /// See [`OmniConfig::enabled`].
    pub enabled: Option<bool>,
    /// See [`OmniConfig::host`].
    pub host: Patch<String>,
    /// See [`OmniConfig::api_key`]. The [`MASK`] keeps the one that is there.
    pub api_key: Patch<String>,
    /// See [`OmniConfig::instance`].
    pub instance: Patch<String>,
    /// See [`OmniConfig::recipient`].
    pub recipient: Patch<String>,
    /// See [`OmniConfig::recipient_type`].
    pub recipient_type: Patch<RecipientType>,
}

impl Settings {
    /// The settings as they may be told: without the secret.
    #[must_use]
    pub fn masked(mut self) -> Self {
        if let Some(key) = self.omni_config.as_mut().and_then(|omni| omni.api_key.as_mut()) {
            MASK.clone_into(key);
        }
        self
    }
}

impl UpdateSettings {
    /// The settings as they are afterwards.
    pub fn apply(self, settings: &mut Settings) {
        if let Some(enabled) = self.omni_enabled {
            settings.omni_enabled = enabled;
        }
        match self.omni_config {
            Patch::Keep => {}
            Patch::Clear => settings.omni_config = None,
            Patch::Set(change) => change.apply(settings.omni_config.get_or_insert_default()),
        }
    }
}

impl UpdateOmni {
    fn apply(self, omni: &mut OmniConfig) {
        if let Some(enabled) = self.enabled {
            omni.enabled = enabled;
        }
        self.host.apply(&mut omni.host);
        if self.api_key != Patch::Set(MASK.to_owned()) {
            self.api_key.apply(&mut omni.api_key);
        }
        self.instance.apply(&mut omni.instance);
        self.recipient.apply(&mut omni.recipient);
        self.recipient_type.apply(&mut omni.recipient_type);
    }
}

/// Leaves the secret out: what is printed for debugging ends up in logs.
impl fmt::Debug for OmniConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OmniConfig")
            .field("enabled", &self.enabled)
            .field("host", &self.host)
            .field("api_key", &self.api_key.as_ref().map(|_secret| MASK))
            .field("instance", &self.instance)
            .field("recipient", &self.recipient)
            .field("recipient_type", &self.recipient_type)
            .finish()
    }
}

impl fmt::Debug for UpdateOmni {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpdateOmni").field("host", &self.host).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_that_comes_back_keeps_the_secret() {
        let with_key = |api_key| UpdateSettings {
            omni_enabled: None,
            omni_config: Patch::Set(UpdateOmni { api_key, ..UpdateOmni::default() }),
        };
        let mut settings = Settings::default();
        with_key(Patch::Set(MASK.into())).apply(&mut settings);
        assert_eq!(settings.omni_config, Some(OmniConfig::default()), "a mask of nothing");
        with_key(Patch::Set("s3cret".into())).apply(&mut settings);
        for kept in [Patch::Set(MASK.into()), Patch::Keep] {
            with_key(kept).apply(&mut settings);
            assert_eq!(settings.omni_config.as_ref().unwrap().api_key.as_deref(), Some("s3cret"));
        }
        let masked = settings.clone().masked();
        assert_eq!(masked.omni_config.unwrap().api_key.as_deref(), Some(MASK));
        assert!(!format!("{settings:?}").contains("s3cret"));
        with_key(Patch::Clear).apply(&mut settings);
        assert_eq!(settings.omni_config.unwrap().api_key, None);
    }
}
