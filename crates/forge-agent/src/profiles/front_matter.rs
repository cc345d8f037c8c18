//! What stands between two `---` lines at the top of a file of Markdown: as much of YAML as people write there.
//!
//! Maps, lists, both in brackets too, quoted and plain texts, numbers, switches, `|` and `>` for texts of several lines.
//! Anchors, tags and several documents are not read: a file that needs them is told to be unreadable, not misread.

use serde_json::{Map, Value};

/// How deep things may lie in each other.
const DEEPEST: usize = 16;

/// The front matter of a text, none where it has none, and what comes after it.
///
/// # Errors
/// When there is one that cannot be read: the line, and what is wrong.
pub(super) fn split(text: &str) -> Result<(Option<Value>, &str), String> {
    let text = text.trim_start_matches('\u{feff}');
    let Some(rest) = text.strip_prefix("---").and_then(after_line_end) else { return Ok((None, text)) };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            let (matter, body) = (rest.get(..at), rest.get(at + line.len()..));
            return Ok((Some(parse(matter.unwrap_or_default())?), body.unwrap_or_default()));
        }
        at += line.len();
    }
    Err("line 1: the front matter has no `---` at its end".to_owned())
}

fn after_line_end(text: &str) -> Option<&str> {
    let (line, rest) = text.split_once('\n')?;
    line.trim().is_empty().then_some(rest)
}

fn parse(text: &str) -> Result<Value, String> {
    // The line of the opening `---` counts.
    let mut reader = Reader { lines: text.lines().collect(), at: 0 };
    let Some(indent) = reader.next_indent() else { return Ok(Value::Object(Map::new())) };
    let value = reader.block(indent, 0)?;
    match reader.next_indent() {
        None => Ok(value),
        Some(_) => Err(reader.wrong("it is indented less than what is before it")),
    }
}

struct Reader<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> Reader<'a> {
    fn wrong(&self, what: &str) -> String {
        format!("line {}: {what}", self.at + 2)
    }

    fn line(&self) -> &'a str {
        self.lines.get(self.at).copied().unwrap_or_default()
    }

    /// How far the next line that says something is indented. Those that say nothing are passed over.
    fn next_indent(&mut self) -> Option<usize> {
        while let Some(line) = self.lines.get(self.at) {
            let said = line.trim_start();
            if !said.is_empty() && !said.starts_with('#') {
                return Some(line.len() - said.len());
            }
            self.at += 1;
        }
        None
    }

    /// A map or a list whose lines are indented so far.
    fn block(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err(self.wrong("it lies too deep"));
        }
        if is_item(self.line().trim_start()) { self.list(indent, depth) } else { self.map(indent, depth) }
    }

    fn list(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut list = Vec::new();
        while self.next_indent() == Some(indent) && is_item(self.line().trim_start()) {
            let rest = self.line().trim_start().strip_prefix('-').unwrap_or_default().trim_start();
            let rest = without_comment(rest);
            list.push(self.value(rest, indent, depth)?);
        }
        Ok(Value::Array(list))
    }

    fn map(&mut self, indent: usize, depth: usize) -> Result<Value, String> {
        let mut map = Map::new();
        while self.next_indent() == Some(indent) {
            let line = self.line().trim_start();
            if line.starts_with('\t') || self.line().starts_with('\t') {
                return Err(self.wrong("it is indented with a tab"));
            }
            let (key, rest) = key(line).ok_or_else(|| self.wrong("it is no `key: value`"))?;
            let rest = without_comment(rest);
            let value = self.value(rest, indent, depth)?;
            if map.insert(key.clone(), value).is_some() {
                self.at = self.at.saturating_sub(1);
                return Err(self.wrong(&format!("`{key}` stands there twice")));
            }
        }
        if self.next_indent().is_some_and(|next| next > indent) {
            return Err(self.wrong("it is indented more than what is before it"));
        }
        Ok(Value::Object(map))
    }

    /// What begins with `rest`, on a line that is indented so far.
    fn value(&mut self, rest: &str, indent: usize, depth: usize) -> Result<Value, String> {
        if let Some(style @ ('|' | '>')) = rest.chars().next()
            && rest.chars().skip(1).all(|char| matches!(char, '-' | '+'))
        {
            self.at += 1;
            return Ok(self.text_of_lines(indent, style == '>', rest).into());
        }
        if rest.starts_with(['&', '*', '!', '%', '@', '`']) {
            return Err(self.wrong("what begins so has to be quoted"));
        }
        if rest.starts_with(['[', '{', '"', '\'']) {
            return self.flow(rest);
        }
        self.at += 1;
        if rest.is_empty() {
            return match self.next_indent() {
                Some(deeper) if deeper > indent => self.block(deeper, depth + 1),
                // A list may stand right under its key.
                Some(same) if same == indent && is_item(self.line().trim_start()) => {
                    self.list(same, depth + 1)
                }
                _ => Ok(Value::Null),
            };
        }
        let mut text = rest.to_owned();
        while self.next_indent().is_some_and(|next| next > indent) {
            text.push(' ');
            text.push_str(without_comment(self.line().trim()));
            self.at += 1;
        }
        Ok(plain(&text))
    }

    /// A value in brackets or quotes, which may go on over several lines. It is parsed once, when its end is found.
    fn flow(&mut self, rest: &str) -> Result<Value, String> {
        let (mut all, mut extent) = (rest.to_owned(), Extent::default());
        let mut has_ended = extent.ends_in(rest);
        while !has_ended && self.at + 1 < self.lines.len() {
            self.at += 1;
            let line = without_comment(self.line().trim());
            all.push(' ');
            all.push_str(line);
            has_ended = extent.ends_in(" ") || extent.ends_in(line);
        }
        match Flow::read(&all) {
            Ok(value) => {
                self.at += 1;
                Ok(value)
            }
            Err(Unread::Wrong(what)) => Err(self.wrong(what)),
            Err(Unread::Unended) => Err(self.wrong("it has no end")),
        }
    }

    /// A text of several lines, which are indented more than its key.
    fn text_of_lines(&mut self, indent: usize, folded: bool, style: &str) -> String {
        let mut lines = Vec::new();
        let mut own = None;
        while let Some(line) = self.lines.get(self.at) {
            let said = line.trim_start();
            let here = line.len() - said.len();
            if !said.is_empty() && here <= indent {
                break;
            }
            if !said.is_empty() {
                own.get_or_insert(here);
            }
            lines.push(line.get(own.unwrap_or_default().min(here)..).unwrap_or_default().trim_end());
            self.at += 1;
        }
        let mut text = String::new();
        for line in lines {
            match (folded, line.is_empty(), text.ends_with('\n') || text.is_empty()) {
                (true, false, true) | (false, _, _) => text.push_str(line),
                (true, false, false) => {
                    text.push(' ');
                    text.push_str(line);
                }
                (true, true, _) => text.push('\n'),
            }
            if !folded {
                text.push('\n');
            }
        }
        let text = text.trim_end_matches('\n');
        if style.contains('-') || text.is_empty() { text.to_owned() } else { format!("{text}\n") }
    }
}

fn is_item(line: &str) -> bool {
    line == "-" || line.starts_with("- ")
}

/// `key: rest`, where the key may be quoted.
fn key(line: &str) -> Option<(String, &str)> {
    if let Some(quote @ ('"' | '\'')) = line.chars().next() {
        let (key, rest) = line.get(1..)?.split_once(quote)?;
        let rest = rest.trim_start().strip_prefix(':')?;
        return Some((key.to_owned(), rest.trim()));
    }
    let (key, rest) = match line.split_once(": ") {
        Some(parts) => parts,
        None => (line.trim_end().strip_suffix(':')?, ""),
    };
    Some((key.trim().to_owned(), rest.trim()))
}

/// A comment begins with `#` after a blank, outside of quotes.
fn without_comment(text: &str) -> &str {
    if text.starts_with('#') {
        return "";
    }
    let (mut quote, mut before) = (None, ' ');
    for (at, char) in text.char_indices() {
        match quote {
            Some(open) if char == open && before != '\\' => quote = None,
            Some(_) => {}
            None if matches!(char, '"' | '\'') && matches!(before, ' ' | '[' | '{' | ',') => {
                quote = Some(char);
            }
            None if char == '#' && before == ' ' => return text.get(..at).unwrap_or_default().trim_end(),
            None => {}
        }
        before = char;
    }
    text
}

/// What a text without quotes is.
fn plain(text: &str) -> Value {
    match text {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        _ => {
            let is_number = text.starts_with(|char: char| char.is_ascii_digit() || char == '-');
            let number = serde_json::from_str::<Value>(text).ok().filter(|_| is_number);
            number.filter(Value::is_number).unwrap_or_else(|| text.into())
        }
    }
}

/// Finds the end of a value in brackets or quotes without parsing it again for each line.
struct Extent {
    /// The open brackets.
    open: Vec<Bracket>,
    /// The quote that is open.
    quote: Option<char>,
    /// Whether the last character was a backslash in double quotes, or a single quote that may be one of two.
    pending: Option<char>,
    /// Whether a bracket or a quote would begin a value here; inside a word it is a character.
    at_start: bool,
}

/// A bracket that is open.
#[derive(PartialEq)]
enum Bracket {
    List,
    /// A map, before the `:` of an entry.
    Key,
    /// A map, after it.
    MapValue,
}

impl Default for Extent {
    fn default() -> Self {
        Self { open: Vec::new(), quote: None, pending: None, at_start: true }
    }
}

impl Extent {
    /// Whether the value ends in this text, which continues the texts before it.
    fn ends_in(&mut self, text: &str) -> bool {
        text.chars().any(|char| self.passes_end(char)) || self.is_closed()
    }

    fn is_closed(&self) -> bool {
        self.open.is_empty() && self.quote.is_none() && !self.at_start
    }

    /// Takes the next character; true when it is beyond the end.
    fn passes_end(&mut self, char: char) -> bool {
        match (self.quote, self.pending.take()) {
            (Some(_), Some('\\')) => return false,
            (None, Some('\'')) if char == '\'' => {
                self.quote = Some(char);
                return false;
            }
            (Some('"'), None) if char == '\\' => {
                self.pending = Some(char);
                return false;
            }
            (Some(quote), _) => {
                if char == quote {
                    self.quote = None;
                    self.pending = (quote == '\'').then_some(char);
                }
                return false;
            }
            (None, _) => {}
        }
        if self.is_closed() {
            return true;
        }
        match char {
            _ if char.is_whitespace() => {}
            '[' | '{' if self.at_start => {
                self.open.push(if char == '[' { Bracket::List } else { Bracket::Key });
            }
            '"' | '\'' if self.at_start => (self.quote, self.at_start) = (Some(char), false),
            ']' | '}' => (_, self.at_start) = (self.open.pop(), false),
            ',' => {
                self.at_start = true;
                if let Some(value @ Bracket::MapValue) = self.open.last_mut() {
                    *value = Bracket::Key;
                }
            }
            ':' if self.open.last() == Some(&Bracket::Key) => {
                self.at_start = true;
                if let Some(key) = self.open.last_mut() {
                    *key = Bracket::MapValue;
                }
            }
            _ => self.at_start = false,
        }
        false
    }
}

enum Unread {
    /// More may come.
    Unended,
    Wrong(&'static str),
}

/// Values in brackets and quotes.
struct Flow<'a> {
    rest: &'a str,
}

impl<'a> Flow<'a> {
    fn read(text: &'a str) -> Result<Value, Unread> {
        let mut flow = Self { rest: text };
        let value = flow.value(0)?;
        match flow.peek() {
            None => Ok(value),
            Some(_) => Err(Unread::Wrong("there is something after its end")),
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn pass(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }

    fn value(&mut self, depth: usize) -> Result<Value, Unread> {
        if depth > DEEPEST {
            return Err(Unread::Wrong("it lies too deep"));
        }
        match self.peek().ok_or(Unread::Unended)? {
            '[' => self.list(depth),
            '{' => self.map(depth),
            quote @ ('"' | '\'') => self.quoted(quote).map(Value::String),
            _ => Ok(plain(self.word(&[',', ']', '}']).trim())),
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, Unread> {
        self.pass();
        let mut list = Vec::new();
        loop {
            match self.peek().ok_or(Unread::Unended)? {
                ']' => {
                    self.pass();
                    return Ok(Value::Array(list));
                }
                ',' => self.pass(),
                '}' => return Err(Unread::Wrong("a list ends with `]`")),
                _ => list.push(self.value(depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, Unread> {
        self.pass();
        let mut map = Map::new();
        loop {
            match self.peek().ok_or(Unread::Unended)? {
                '}' => {
                    self.pass();
                    return Ok(Value::Object(map));
                }
                ',' => self.pass(),
                char => {
                    let key = match char {
                        quote @ ('"' | '\'') => self.quoted(quote)?,
                        _ => self.word(&[':', ',', '}', ']']).trim().to_owned(),
                    };
                    match self.peek().ok_or(Unread::Unended)? {
                        ':' => self.pass(),
                        _ => return Err(Unread::Wrong("it is no `key: value`")),
                    }
                    let value = match self.peek().ok_or(Unread::Unended)? {
                        ',' | '}' => Value::Null,
                        _ => self.value(depth + 1)?,
                    };
                    map.insert(key, value);
                }
            }
        }
    }

    fn word(&mut self, ends: &[char]) -> &'a str {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn quoted(&mut self, quote: char) -> Result<String, Unread> {
        self.pass();
        let mut text = String::new();
        let mut chars = self.rest.chars();
        while let Some(char) = chars.next() {
            match char {
                '\\' if quote == '"' => match chars.next().ok_or(Unread::Unended)? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    other => text.push(other),
                },
                // Twice is one.
                '\'' if quote == '\'' && chars.as_str().starts_with('\'') => {
                    chars.next();
                    text.push('\'');
                }
                char if char == quote => {
                    self.rest = chars.as_str();
                    return Ok(text);
                }
                char => text.push(char),
            }
        }
        Err(Unread::Unended)
    }
}

#[cfg(test)]
#[path = "front_matter_tests.rs"]
mod tests;
