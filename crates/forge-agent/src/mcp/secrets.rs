//! Keys among what a server or an agent is started with: told as a mask, and put back where the mask comes back.

use forge_model::preferences::MASK;
use serde_json::Value;

use super::Servers;

/// Everything in these is somebody's business only.
const CLOSED: [&str; 4] = ["env", "environment", "headers", "http_headers"];
/// What names of keys hold.
const SECRET: [&str; 10] = [
    "token",
    "secret",
    "password",
    "passwd",
    "api_key",
    "apikey",
    "api-key",
    "authorization",
    "credential",
    "access-key",
];

/// A mask was sent where nothing is known that it could stand for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{place}` is masked, and nothing is known in its place")]
pub struct NotKnown {
    /// Where it stands.
    pub place: String,
}

/// The servers as everybody may see them.
#[must_use]
pub fn mask(servers: &Servers) -> Servers {
    servers.iter().map(|(name, server)| (name.clone(), masked(server, false))).collect()
}

/// Puts back what was masked.
///
/// # Errors
/// When a mask stands where there was nothing.
pub fn unmask(servers: &mut Servers, before: &Servers) -> Result<(), NotKnown> {
    for (name, server) in servers {
        let before = before.get(name);
        put_back(server, before, before.map(|before| masked(before, false)).as_ref(), name)?;
    }
    Ok(())
}

fn masked(value: &Value, is_closed: bool) -> Value {
    match value {
        Value::String(text) if is_closed && !text.is_empty() => MASK.into(),
        Value::String(text) => masked_text(text).into(),
        Value::Array(values) => {
            let mut after_secret = false;
            let mut each = |value: &Value| {
                let hidden = masked(value, is_closed || after_secret);
                after_secret = value.as_str().is_some_and(is_secret_flag);
                hidden
            };
            Value::Array(values.iter().map(&mut each).collect())
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                let closed = is_closed || CLOSED.contains(&name.as_str()) || is_secret(name);
                (name.clone(), masked(value, closed))
            };
            Value::Object(fields.iter().map(field).collect())
        }
        Value::Number(_) if is_closed => MASK.into(),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// A text that is one setting, or a line of words: of a command, each may be one.
fn masked_text(text: &str) -> String {
    if let Some(hidden) = masked_setting(text) {
        return hidden;
    }
    let mut after_secret = false;
    let pieces = text.split_inclusive(char::is_whitespace).map(|piece| {
        let word = piece.trim_end();
        if word.is_empty() {
            return piece.to_owned();
        }
        let blank = piece.strip_prefix(word).unwrap_or_default();
        let hidden = if after_secret {
            MASK.to_owned()
        } else {
            masked_setting(word).unwrap_or_else(|| masked_address(word))
        };
        after_secret = is_secret_flag(word);
        hidden + blank
    });
    pieces.collect()
}

/// `--api-key=…` and `API_KEY=…`.
fn masked_setting(text: &str) -> Option<String> {
    let (name, value) = text.split_once('=')?;
    let is_name = name.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_'));
    (is_name && is_secret(name) && !value.is_empty()).then(|| format!("{name}={MASK}"))
}

/// `https://user:…@host` and `https://host?token=…`.
fn masked_address(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else { return text.to_owned() };
    let (rest, query) = match rest.split_once('?') {
        Some((rest, query)) if is_secret(query) || query.to_ascii_lowercase().contains("key=") => {
            (rest, format!("?{MASK}"))
        }
        Some((rest, query)) => (rest, format!("?{query}")),
        None => (rest, String::new()),
    };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rsplit_once('@') {
        Some((who, host)) if !who.is_empty() => {
            let path = rest.strip_prefix(authority).unwrap_or_default();
            format!("{scheme}://{MASK}@{host}{path}{query}")
        }
        _ => format!("{scheme}://{rest}{query}"),
    }
}

/// A flag whose value is the next word.
fn is_secret_flag(word: &str) -> bool {
    word.starts_with('-') && !word.contains(['=', ' ']) && is_secret(word)
}

/// Whether what has this name is a key.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // The name of a variable is not what is in it.
    !name.ends_with("env_var") && SECRET.iter().any(|secret| name.contains(secret))
}

fn put_back(
    value: &mut Value,
    before: Option<&Value>,
    shown: Option<&Value>,
    place: &str,
) -> Result<(), NotKnown> {
    match value {
        Value::String(text) if text.contains(MASK) => match (before, shown) {
            (Some(before), Some(shown)) if shown.as_str() == Some(text) => *value = before.clone(),
            _ => return Err(NotKnown { place: place.chars().take(200).collect() }),
        },
        Value::Array(values) => {
            for (at, value) in values.iter_mut().enumerate() {
                let of = |whole: Option<&Value>| whole.and_then(|whole| whole.get(at)).cloned();
                put_back(value, of(before).as_ref(), of(shown).as_ref(), &format!("{place}[{at}]"))?;
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let of = |whole: Option<&Value>| whole.and_then(|whole| whole.get(name)).cloned();
                put_back(value, of(before).as_ref(), of(shown).as_ref(), &format!("{place}.{name}"))?;
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}
