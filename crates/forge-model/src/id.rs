//! Typed ids: a random UUID each, so that a task's id cannot be passed for an attempt's.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id: a UUID such as 35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42 is expected")]
pub struct ParseIdError {
    text: String,
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A new random id. Random and not ordered by time, because branch names are cut from its first digits.
            #[must_use]
            pub fn random() -> Self {
                Self(Uuid::new_v4())
            }

            /// The id that was stored as this UUID.
            #[must_use]
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID to store.
            #[must_use]
            pub const fn as_uuid(self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }

        impl JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "format": "uuid" })
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let uuid = Uuid::parse_str(text)
                    .map_err(|_| ParseIdError { text: text.chars().take(80).collect() })?;
                Ok(Self(uuid))
            }
        }
    };
}

id_type!(
    /// Names a project.
    ProjectId
);
id_type!(
    /// Names a task.
    TaskId
);
id_type!(
    /// Names an attempt.
    AttemptId
);
id_type!(
    /// Names a process.
    ProcessId
);
id_type!(
    /// Names a follow-up that waits in an attempt's queue.
    FollowUpId
);
id_type!(
    /// Names a draft.
    DraftId
);
id_type!(
    /// Names an approval.
    ApprovalId
);

id_type!(
    /// Names a tag.
    TagId
);
id_type!(
    /// Names an image.
    ImageId
);
id_type!(
    /// Names a node: one installation, with a data folder of its own.
    NodeId
);
id_type!(
    /// Names a standing agent.
    StandingAgentId
);

impl AttemptId {
    /// The first four hex digits, from which branch and folder names are cut.
    #[must_use]
    pub fn short(self) -> String {
        self.0.simple().to_string().chars().take(4).collect()
    }
}
impl ApprovalId {
    /// The id of the question that an agent's process asks under a name of its own: the same whenever its log is read.
    #[must_use]
    pub fn of(process: ProcessId, question: &str) -> Self {
        Self(Uuid::new_v5(&process.as_uuid(), question.as_bytes()))
    }
}
