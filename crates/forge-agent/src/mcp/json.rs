//! Settings in JSON. The text is cut at the value of one key, so that order, spaces and numbers of everything else stay
//! as somebody wrote them.

use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{BadFile, Servers};

/// The keys at the top, in order, each with the text of its value.
struct Top<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Top<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Top<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Top<'de>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Top(entries))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

fn top(text: &str) -> Result<Top<'_>, BadFile> {
    serde_json::from_str(text).map_err(unreadable)
}

#[expect(clippy::needless_pass_by_value, reason = "what map_err gives")]
fn unreadable(error: serde_json::Error) -> BadFile {
    // What it says after the place may quote the file, and the file may hold keys.
    let why = format!("it goes wrong at line {}, column {}", error.line(), error.column());
    BadFile::Unreadable { format: "JSON", why }
}

pub(super) fn read(key: &str, text: &str) -> Result<Servers, BadFile> {
    if text.trim().is_empty() {
        return Ok(Servers::new());
    }
    // Of a key that stands twice, programs take the last.
    let Top(entries) = top(text)?;
    let Some((_, raw)) = entries.iter().rev().find(|(name, _)| name == key) else {
        return Ok(Servers::new());
    };
    match serde_json::from_str(raw.get()).map_err(unreadable)? {
        Value::Object(servers) => Ok(servers),
        Value::Null => Ok(Servers::new()),
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Err(BadFile::NotServers { key: key.to_owned() })
        }
    }
}

pub(super) fn write(key: &str, text: &str, servers: &Servers) -> Result<String, BadFile> {
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let Top(entries) = top(text)?;
    // Indented by one step; a line break inside a text is written as `\n` and is none.
    let value = serde_json::to_string_pretty(servers).map_err(unreadable)?.replace('\n', "\n  ");
    if let Some((_, raw)) = entries.iter().rev().find(|(name, _)| name == key) {
        return Ok(spliced(text, place(text, raw), &value));
    }
    let key = Value::from(key);
    Ok(match entries.last() {
        Some((_, raw)) => {
            let end = place(text, raw).end;
            spliced(text, end..end, &format!(",\n  {key}: {value}"))
        }
        None => format!("{{\n  {key}: {value}\n}}\n"),
    })
}

/// Where a value stands in the text that it was read from.
fn place(text: &str, raw: &RawValue) -> Range<usize> {
    let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + raw.get().len()
}

fn spliced(text: &str, place: Range<usize>, new: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(place, new);
    text
}
