//! Turns a body or a query into a type, and says what is wrong with it in a person's words: which field, and what it
//! has to be.

use std::fmt;

use axum::http::Uri;
use serde::de::value::SeqDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::problem::Problem;
use super::tolerated;

const UNKNOWN: &str = "unknown_field";
const TEXT: &str = "text";
const SWITCH: &str = "true or false";
const NUMBER: &str = "a whole number";
const OBJECT: &str = "an object";
const ID: &str = "an id such as 35a403e3-1f0c-4b6e-9a51-0c2d7a1f9b42";

/// What a body of JSON says.
pub(super) fn of_body<T: DeserializeOwned>(body: &[u8]) -> Result<T, Problem> {
    if body.trim_ascii().is_empty() {
        return Err(bad_json("the body is empty".into()));
    }
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        bad_json(format!("the body is not valid JSON: it goes wrong at {place}"))
    })?;
    of_value(value)
}

/// What JSON says that was read already.
pub(super) fn of_value<T: DeserializeOwned>(value: Value) -> Result<T, Problem> {
    if !value.is_object() {
        return Err(Problem::invalid("wrong_shape", "an object is expected")
            .hint("send the fields between braces, such as {\"name\": \"…\"}"));
    }
    T::deserialize(Field::whole(value, false)).map_err(|wrong| {
        let (code, hint) = match wrong.what {
            What::Missing => ("wrong_shape", "add the field to the body".to_owned()),
            What::HasToBe(_) | What::Said(_) => {
                ("wrong_shape", "mend the field, or leave it out where it is not needed".to_owned())
            }
            What::Unknown(known) => (UNKNOWN, suggestion(last_name(&wrong.field), known)),
        };
        Problem::invalid(code, wrong.to_string()).hint(hint)
    })
}

/// What was meant by a name that is not known, or which names are.
fn suggestion(name: &str, known: &[&str]) -> String {
    match forge_model::nearest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "leave it out: there are none here".to_owned(),
        None => format!("leave it out; there are: {}", known.join(", ")),
    }
}

fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

/// Refuses names in the query that an operation does not know.
pub(super) fn check_query(uri: &Uri, known: &[&str]) -> Result<(), Problem> {
    let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri);
    // What cannot be read is refused by who reads it.
    let names = pairs.map(|pairs| pairs.0).unwrap_or_default().into_iter().map(|(name, _)| name);
    for name in names {
        if !known.contains(&name.as_str()) && !tolerated::in_query(&name) {
            let message = format!("`{}` is not known in the query here", short(&name));
            return Err(Problem::malformed("unknown_parameter", message).hint(suggestion(&name, known)));
        }
    }
    Ok(())
}

fn bad_json(message: String) -> Problem {
    Problem::malformed("bad_json", message).hint("the body has to be whole and valid JSON")
}

/// What a query says.
pub(super) fn of_query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    let bad = |message: String| Problem::malformed("bad_query", message);
    let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri).map_err(|_source| {
        bad("the query cannot be read".into()).hint("write it as ?name=value&other=value")
    })?;
    let mut fields = Map::new();
    for (name, text) in pairs.0 {
        if fields.insert(name.clone(), Value::String(text)).is_some() {
            return Err(bad(format!("`{}` stands twice", short(&name))).hint("name it once"));
        }
    }
    T::deserialize(Field::whole(Value::Object(fields), true)).map_err(|wrong| {
        let field = wrong.field.clone();
        bad(wrong.to_string()).hint(format!("write it behind the path, as in ?{field}=…"))
    })
}

fn short(text: &str) -> String {
    text.chars().take(80).collect()
}

/// One value and where it stands.
struct Field {
    /// Empty for the whole.
    path: String,
    value: Value,
    /// In a query everything is text.
    is_query: bool,
    /// The type that it stands in; none where any name may stand.
    within: Option<Known>,
    /// The type that is read from it.
    itself: Option<Known>,
}

/// A type that is read, and its fields.
#[derive(Clone, Copy)]
struct Known {
    name: &'static str,
    fields: &'static [&'static str],
}

/// What is wrong with a field.
#[derive(Debug)]
struct Wrong {
    field: String,
    what: What,
    /// Whether `field` is its whole path.
    is_placed: bool,
}

#[derive(Debug)]
enum What {
    Missing,
    /// There is no such field; these there are.
    Unknown(&'static [&'static str]),
    HasToBe(&'static str),
    Said(String),
}

impl Wrong {
    fn new(field: &str, what: What) -> Self {
        Self { field: field.to_owned(), what, is_placed: false }
    }

    fn at(mut self, path: &str) -> Self {
        if !self.is_placed {
            self.field = match (path, self.field.as_str()) {
                ("", field) => field.to_owned(),
                (path, "") => path.to_owned(),
                (path, field) => format!("{path}.{field}"),
            };
            self.is_placed = true;
        }
        self
    }
}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, what, .. } = self;
        match what {
            What::Missing => write!(f, "`{field}` is missing"),
            What::Unknown(_) => write!(f, "`{field}` is not a field here"),
            What::HasToBe(expected) => write!(f, "`{field}` has to be {expected}"),
            What::Said(text) => write!(f, "`{field}`: {text}"),
        }
    }
}

impl std::error::Error for Wrong {}

impl de::Error for Wrong {
    fn custom<T: fmt::Display>(text: T) -> Self {
        let text = text.to_string();
        // The only thing that ids tell about themselves.
        let what = if text.starts_with("UUID parsing failed") { What::HasToBe(ID) } else { What::Said(text) };
        Self::new("", what)
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(field, What::Missing)
    }
}

impl IntoDeserializer<'_, Wrong> for Field {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl Field {
    const fn whole(value: Value, is_query: bool) -> Self {
        Self { path: String::new(), value, is_query, within: None, itself: None }
    }

    fn has_to_be<T>(&self, expected: &'static str) -> Result<T, Wrong> {
        Err(Wrong::new("", What::HasToBe(expected)).at(&self.path))
    }

    /// The fields below this one.
    fn below(&self, name: &str, value: Value) -> Self {
        let path = if self.path.is_empty() { short(name) } else { format!("{}.{}", self.path, short(name)) };
        Self { path, value, is_query: self.is_query, within: self.itself, itself: None }
    }

    /// The number that it is, or that its text spells in a query.
    fn number<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let number = match &self.value {
            Value::Number(number) => {
                number.as_i64().map_or_else(|| number.as_u64().map(Err), |n| Some(Ok(n)))
            }
            Value::String(text) if self.is_query => {
                text.parse().map_or_else(|_| text.parse().ok().map(Err), |n| Some(Ok(n)))
            }
            _ => None,
        };
        // What does not fit is refused by the visitor, in words about bits.
        let read = match number {
            Some(Ok(signed)) => visitor.visit_i64::<Wrong>(signed),
            Some(Err(unsigned)) => visitor.visit_u64(unsigned),
            None => return self.has_to_be(NUMBER),
        };
        read.or_else(|_bits| self.has_to_be(NUMBER))
    }
}

impl<'de> Deserializer<'de> for Field {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Wrong> {
        let path = self.path.clone();
        let read = match std::mem::take(&mut self.value) {
            Value::Null => visitor.visit_unit(),
            Value::Bool(bool) => visitor.visit_bool(bool),
            // Whoever takes anything takes this too; who wants a whole number asks for one.
            Value::Number(number) if number.is_f64() => {
                visitor.visit_f64(number.as_f64().unwrap_or_default())
            }
            Value::Number(number) => Self { value: Value::Number(number), ..self }.number(visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(values) => {
                let values = values.into_iter().enumerate();
                let mut fields =
                    SeqDeserializer::new(values.map(|(index, value)| self.below(&index.to_string(), value)));
                visitor.visit_seq(&mut fields)
            }
            Value::Object(fields) => {
                visitor.visit_map(Below { within: self, fields: fields.into_iter(), next: None })
            }
        };
        read.map_err(|wrong| wrong.at(&path))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match &self.value {
            Value::Bool(bool) => visitor.visit_bool(*bool),
            Value::String(text) if self.is_query => {
                text.parse().map_or_else(|_| self.has_to_be(SWITCH), |bool| visitor.visit_bool(bool))
            }
            _ => self.has_to_be(SWITCH),
        }
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.number(visitor)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.number(visitor)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.number(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match &self.value {
            // Neither a path nor a database holds one.
            Value::String(text) if text.contains('\0') => self.has_to_be("text without NUL characters"),
            Value::String(_) => self.deserialize_any(visitor),
            _ => self.has_to_be(TEXT),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        mut self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        self.itself = Some(Known { name, fields });
        if self.value.is_object() { self.deserialize_any(visitor) } else { self.has_to_be(OBJECT) }
    }

    /// What a type does not know. A query is read in parts: another part may know it, see [`check_query`].
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.within {
            Some(known) if !self.is_query && !tolerated::in_body(known.name, last_name(&self.path)) => {
                Err(Wrong::new("", What::Unknown(known.fields)).at(&self.path))
            }
            _ => visitor.visit_unit(),
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u16 u128 f32 f64 char bytes byte_buf unit unit_struct seq tuple tuple_struct map enum
        identifier
    }
}

/// The fields of an object. Whatever a type says about its value is said of the field.
struct Below {
    within: Field,
    fields: serde_json::map::IntoIter,
    next: Option<Field>,
}

impl<'de> MapAccess<'de> for Below {
    type Error = Wrong;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Wrong> {
        let Some((name, value)) = self.fields.next() else { return Ok(None) };
        self.next = Some(self.within.below(&name, value));
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Wrong> {
        let field = self.next.take().ok_or_else(|| <Wrong as de::Error>::custom("has no value"))?;
        let path = field.path.clone();
        seed.deserialize(field).map_err(|wrong| wrong.at(&path))
    }
}

#[cfg(test)]
#[path = "shape_tests.rs"]
mod tests;
