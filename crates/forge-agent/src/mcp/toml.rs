//! Settings in TOML. Comments and the layout of everything that is not changed stay.

use serde_json::{Number, Value};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value as Toml};

use super::{BadFile, Servers};

fn document(text: &str) -> Result<DocumentMut, BadFile> {
    text.parse::<DocumentMut>().map_err(|error| {
        // What it shows of the file may hold keys.
        let line = error.span().and_then(|span| text.get(..span.start)).map(|before| before.lines().count());
        let why = line.map_or_else(String::new, |line| format!("it goes wrong at line {}", line.max(1)));
        BadFile::Unreadable { format: "TOML", why }
    })
}

pub(super) fn read(key: &str, text: &str) -> Result<Servers, BadFile> {
    match document(text)?.get(key) {
        None => Ok(Servers::new()),
        Some(item) => match json_of_item(item) {
            Value::Object(servers) => Ok(servers),
            _ => Err(BadFile::NotServers { key: key.to_owned() }),
        },
    }
}

pub(super) fn write(key: &str, text: &str, servers: &Servers) -> Result<String, BadFile> {
    let mut document = document(text)?;
    let before = read(key, text)?;
    let there = document.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        // Its name alone on a line would say nothing.
        table.set_implicit(true);
        Item::Table(table)
    });
    let there = there.as_table_like_mut().ok_or(BadFile::NotServers { key: key.to_owned() })?;
    for name in before.keys().filter(|name| !servers.contains_key(*name)) {
        there.remove(name);
    }
    for (name, server) in servers {
        if before.get(name) != Some(server) {
            there.insert(name, Item::Table(table_of(name, server)?));
        }
    }
    Ok(document.to_string())
}

fn json_of_item(item: &Item) -> Value {
    match item {
        Item::None => Value::Null,
        Item::Value(value) => json_of(value),
        Item::Table(table) => {
            Value::Object(table.iter().map(|(name, item)| (name.to_owned(), json_of_item(item))).collect())
        }
        Item::ArrayOfTables(tables) => Value::Array(
            tables
                .iter()
                .map(|table| {
                    Value::Object(
                        table.iter().map(|(name, item)| (name.to_owned(), json_of_item(item))).collect(),
                    )
                })
                .collect(),
        ),
    }
}

fn json_of(value: &Toml) -> Value {
    match value {
        Toml::String(text) => text.value().as_str().into(),
        Toml::Integer(number) => (*number.value()).into(),
        Toml::Float(number) => Number::from_f64(*number.value()).map_or(Value::Null, Value::Number),
        Toml::Boolean(on) => (*on.value()).into(),
        Toml::Datetime(time) => time.value().to_string().into(),
        Toml::Array(values) => Value::Array(values.iter().map(json_of).collect()),
        Toml::InlineTable(table) => {
            Value::Object(table.iter().map(|(name, value)| (name.to_owned(), json_of(value))).collect())
        }
    }
}

fn table_of(name: &str, server: &Value) -> Result<Table, BadFile> {
    let fields = server.as_object().ok_or_else(|| BadFile::CannotSay(name.to_owned()))?;
    let mut table = Table::new();
    for (field, value) in fields {
        table.insert(field, Item::Value(toml_of(&format!("{name}.{field}"), value)?));
    }
    Ok(table)
}

fn toml_of(place: &str, value: &Value) -> Result<Toml, BadFile> {
    let cannot = || BadFile::CannotSay(place.chars().take(200).collect());
    Ok(match value {
        Value::Null => return Err(cannot()),
        Value::Bool(on) => Toml::from(*on),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Toml::from(whole),
            None => Toml::from(number.as_f64().filter(|_| number.is_f64()).ok_or_else(cannot)?),
        },
        Value::String(text) => Toml::from(text.as_str()),
        Value::Array(values) => {
            let mut array = Array::new();
            for (at, value) in values.iter().enumerate() {
                array.push(toml_of(&format!("{place}[{at}]"), value)?);
            }
            Toml::Array(array)
        }
        Value::Object(fields) => {
            let mut table = InlineTable::new();
            for (field, value) in fields {
                table.insert(field, toml_of(&format!("{place}.{field}"), value)?);
            }
            Toml::InlineTable(table)
        }
    })
}
