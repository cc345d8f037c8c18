//! A field of an update: left out, cleared or set. JSON's missing and `null` are not the same.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer};

/// What an update says about one field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// The field was not named: it stays as it is.
    #[default]
    Keep,
    /// The field was named as `null`: it becomes empty.
    Clear,
    /// The field has a new value.
    Set(T),
}

impl<T> Patch<T> {
    /// Changes `field` as this patch says.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }

    /// The same for a field that always has a value: cleared, it has its default.
    pub fn apply_or_default(self, field: &mut T)
    where
        T: Default,
    {
        match self {
            Self::Keep => {}
            Self::Clear => *field = T::default(),
            Self::Set(value) => *field = value,
        }
    }
}

/// Needs `#[serde(default)]` on the field: a missing field never reaches this and is [`Patch::Keep`].
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Clear, Self::Set))
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("Patch_{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Update {
        #[serde(default)]
        name: Patch<String>,
    }

    #[test]
    fn missing_null_and_a_value_are_three_things() {
        let read = |json| serde_json::from_str::<Update>(json).unwrap().name;
        assert_eq!(read("{}"), Patch::Keep);
        assert_eq!(read(r#"{"name":null}"#), Patch::Clear);
        assert_eq!(read(r#"{"name":"x"}"#), Patch::Set("x".into()));
    }
}
