//! What is read of Claude Code's messages. Whatever has another shape than expected is as if it were not there.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde_json::value::RawValue;

/// A line, taken apart in one go: most of what agents say is text.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) message: Message<'a>,
    #[serde(borrow)]
    pub(super) parent_tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Text<'a>,
    /// The program's own word for what is wrong with the model's API.
    #[serde(borrow)]
    pub(super) error: Text<'a>,
    #[serde(borrow)]
    pub(super) tool_use_result: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) event: Option<&'a RawValue>,
}

/// A message of the agent or to it.
#[derive(Default)]
pub(super) struct Message<'a> {
    pub(super) model: Option<Cow<'a, str>>,
    pub(super) content: Vec<Block<'a>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MessageFields<'a> {
    #[serde(borrow)]
    model: Text<'a>,
    #[serde(borrow)]
    content: Content<'a>,
}

/// What a message says: parts, or simply a text.
#[derive(Default)]
struct Content<'a>(Vec<Block<'a>>);

/// A part of a message.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Block<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    #[serde(borrow)]
    pub(super) text: Text<'a>,
    #[serde(borrow)]
    pub(super) thinking: Text<'a>,
    #[serde(borrow)]
    pub(super) id: Text<'a>,
    #[serde(borrow)]
    pub(super) name: Text<'a>,
    #[serde(borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub(super) content: Option<&'a RawValue>,
    pub(super) is_error: Option<bool>,
}

/// The parts of a message as they stand there, for those that are not known.
#[derive(Deserialize)]
pub(super) struct RawLine<'a> {
    #[serde(borrow)]
    pub(super) message: RawMessage<'a>,
}

#[derive(Deserialize)]
pub(super) struct RawMessage<'a> {
    #[serde(borrow)]
    pub(super) content: Vec<&'a RawValue>,
}

/// A part of a message while it is being written.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct StreamEvent<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Text<'a>,
    pub(super) index: u64,
    #[serde(borrow)]
    pub(super) delta: Block<'a>,
}

/// A text that is borrowed where it can be; anything else than a text is none.
#[derive(Default)]
pub(super) struct Text<'a>(Option<Cow<'a, str>>);

impl Text<'_> {
    pub(super) fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }

    pub(super) fn or_empty(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = match deserializer.deserialize_any(Any)? {
            Shape::Text(text) => Some(text),
            Shape::Fields(_) | Shape::Parts(_) | Shape::Else => None,
        };
        Ok(Self(text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Message<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match deserializer.deserialize_any(Structured)? {
            Shape::Fields(MessageFields { model, content }) => Self { model: model.0, content: content.0 },
            Shape::Text(_) | Shape::Parts(_) | Shape::Else => Self::default(),
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match deserializer.deserialize_any(Structured)? {
            Shape::Parts(parts) => Self(parts),
            Shape::Text(text) => {
                let kind = Text(Some(Cow::Borrowed("text")));
                Self(vec![Block { kind, text: Text(Some(text)), ..Block::default() }])
            }
            Shape::Fields(_) | Shape::Else => Self::default(),
        })
    }
}

enum Shape<'a> {
    Text(Cow<'a, str>),
    Fields(MessageFields<'a>),
    Parts(Vec<Block<'a>>),
    Else,
}

/// Takes anything, and looks only into texts.
struct Any;

/// Takes anything, and looks into texts, objects and lists.
struct Structured;

/// What both do alike.
macro_rules! takes_scalars {
    () => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }

        fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
            Ok(Shape::Text(Cow::Borrowed(text)))
        }

        fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
            Ok(Shape::Text(Cow::Owned(text.to_owned())))
        }

        fn visit_bool<E>(self, _value: bool) -> Result<Self::Value, E> {
            Ok(Shape::Else)
        }

        fn visit_i64<E>(self, _value: i64) -> Result<Self::Value, E> {
            Ok(Shape::Else)
        }

        fn visit_u64<E>(self, _value: u64) -> Result<Self::Value, E> {
            Ok(Shape::Else)
        }

        fn visit_f64<E>(self, _value: f64) -> Result<Self::Value, E> {
            Ok(Shape::Else)
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Shape::Else)
        }
    };
}

impl<'de> Visitor<'de> for Any {
    type Value = Shape<'de>;

    takes_scalars!();

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Shape::Else)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        while parts.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Shape::Else)
    }
}

impl<'de> Visitor<'de> for Structured {
    type Value = Shape<'de>;

    takes_scalars!();

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        MessageFields::deserialize(MapAccessDeserializer::new(map)).map(Shape::Fields)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        let mut blocks = Vec::with_capacity(parts.size_hint().unwrap_or(1));
        while let Some(block) = parts.next_element()? {
            blocks.push(block);
        }
        Ok(Shape::Parts(blocks))
    }
}
