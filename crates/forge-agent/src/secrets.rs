//! Secrets that must not be stored: found in the environment of a program, and hidden in everything that is written.
//!
//! Each is replaced by a placeholder with its name and a mark, a keyed digest of its value. Forge may send the placeholder
//! back to the program, in a permission that repeats the agent's own command. The host then puts the value back, but only
//! a value that the program's own environment contains: a placeholder copied from a log reveals nothing new.

mod names;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::base64;
pub(crate) use names::is_unwritten;

/// Shorter values occur in ordinary text.
const SHORTEST: usize = 6;

/// The shortest piece of base64 that is hidden.
const SHORTEST_ENCODED: usize = 12;

/// Everything that is to be hidden.
#[derive(Debug, Default)]
pub struct Secrets {
    /// The longest first: one may hold another.
    forms: Vec<Form>,
    /// The two bytes that forms begin with, each pair a bit.
    begins: Vec<u64>,
    longest: usize,
}

/// A value as it may stand in a text.
struct Form {
    bytes: Vec<u8>,
    hidden: Vec<u8>,
    /// Whether it is how the value stands in JSON.
    in_json: bool,
    /// Whether the program has the value anyway, so that it may be put back.
    may_reveal: bool,
}

impl std::fmt::Debug for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.hidden))
    }
}

/// The end of a stream's last piece that may be the beginning of a secret.
#[derive(Debug, Default)]
pub struct Held(Vec<u8>);

/// Values that are secret, by name, and the key of their marks. Its `Debug` output has the names only.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Handed", into = "Handed")]
pub struct SecretKeys {
    keys: Vec<(String, Vec<u8>)>,
    mark_key: Vec<u8>,
}

/// What a host is given in one variable.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Handed {
    Marked {
        mark_key: Vec<u8>,
        keys: Vec<(String, Written)>,
    },
    /// By an older server, whose program was replaced while it ran.
    Unmarked(Vec<(String, Written)>),
}

/// A value on its way to the host, in one variable with all others, which has a limit: numbers would take four times the
/// room of a text, so only what is no text is written as such.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<SecretKeys> for Handed {
    fn from(SecretKeys { keys, mark_key }: SecretKeys) -> Self {
        let written = |value| match String::from_utf8(value) {
            Ok(text) => Written::Text(text),
            Err(other) => Written::Bytes(other.into_bytes()),
        };
        let keys = keys.into_iter().map(|(name, value)| (name, written(value))).collect();
        Self::Marked { mark_key, keys }
    }
}

impl From<Handed> for SecretKeys {
    fn from(handed: Handed) -> Self {
        let (mark_key, keys) = match handed {
            Handed::Marked { mark_key, keys } => (mark_key, keys),
            Handed::Unmarked(keys) => (Vec::new(), keys),
        };
        let value = |written| match written {
            Written::Text(text) => text.into_bytes(),
            Written::Bytes(bytes) => bytes,
        };
        Self { keys: keys.into_iter().map(|(name, written)| (name, value(written))).collect(), mark_key }
    }
}

impl SecretKeys {
    /// The variables among these that hold secrets, by their names and values.
    pub fn among<N: AsRef<OsStr>, V: AsRef<OsStr>>(variables: impl IntoIterator<Item = (N, V)>) -> Self {
        let key = |(name, value): (N, V)| {
            let (name, value) = (name.as_ref().to_str()?, value.as_ref().as_bytes());
            names::holds_secret(name, value).then(|| (name.to_owned(), value.to_owned()))
        };
        Self { keys: variables.into_iter().filter_map(key).collect(), mark_key: Vec::new() }
    }

    /// Marks placeholders with this key, and hides it like a secret.
    pub fn mark_with(&mut self, name: impl Into<String>, key: impl Into<Vec<u8>>) {
        self.mark_key = key.into();
        self.keys.push((name.into(), self.mark_key.clone()));
    }

    /// Adds one, whatever it is called.
    pub fn add(&mut self, name: impl Into<String>, value: impl Into<Vec<u8>>) {
        self.keys.push((name.into(), value.into()));
    }

    /// These and others, marked with the key of the others.
    #[must_use]
    pub fn and(mut self, others: &Self) -> Self {
        self.keys.extend(others.keys.iter().cloned());
        self.mark_key.clone_from(&others.mark_key);
        self
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

impl std::fmt::Debug for SecretKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.keys.iter().map(|(name, _)| name)).finish()
    }
}

impl Secrets {
    /// Hides these, and puts each back where a program is sent its placeholder.
    #[must_use]
    pub fn new(keys: &SecretKeys) -> Self {
        Self::revealing(keys, |_, _| true)
    }

    /// Hides these, and puts back only those that pass a test of name and value.
    pub(crate) fn revealing(keys: &SecretKeys, may_reveal: impl Fn(&str, &[u8]) -> bool) -> Self {
        let mut this = Self::default();
        for (name, value) in &keys.keys {
            let may_reveal = may_reveal(name, value);
            let value = value.trim_ascii();
            if value.len() >= SHORTEST {
                this.add_forms(name, value, &mark(&keys.mark_key, name, value), may_reveal);
            }
        }
        // A value of several names is hidden under the first of them, in whatever order they came.
        this.forms.sort_by(|one, other| {
            other.bytes.len().cmp(&one.bytes.len()).then_with(|| one.hidden.cmp(&other.hidden))
        });
        this.longest = this.forms.first().map_or(0, |form| form.bytes.len());
        this.begins = vec![0; if this.forms.is_empty() { 0 } else { 1024 }];
        for form in &this.forms {
            if let Some((word, bit)) = pair(&form.bytes)
                && let Some(word) = this.begins.get_mut(word)
            {
                *word |= bit;
            }
        }
        this
    }

    /// Adds the value as it is, as it stands in JSON, and its base64 at each of the three offsets it can have.
    fn add_forms(&mut self, name: &str, value: &[u8], mark: &str, may_reveal: bool) {
        let hidden = format!("[hidden {name} {mark}]").into_bytes();
        let is_known =
            |form: &Form| form.bytes == value && form.hidden == hidden && form.may_reveal >= may_reveal;
        if self.forms.iter().any(is_known) {
            return;
        }
        for shift in 0..3 {
            // The bytes at both ends share their digits with whatever stands beside the value.
            let whole = value.get(shift..).unwrap_or_default();
            let whole = whole.get(..whole.len() / 3 * 3).unwrap_or_default();
            let bytes = base64::encode(whole).into_bytes();
            if bytes.len() >= SHORTEST_ENCODED {
                let hidden = format!("[hidden {name} base64+{shift} {mark}]").into_bytes();
                self.forms.push(Form { bytes, hidden, in_json: false, may_reveal });
            }
        }
        let escaped = std::str::from_utf8(value).ok().and_then(|text| serde_json::to_string(text).ok());
        let escaped = escaped.as_deref().map(|text| text.trim_start_matches('"'));
        let escaped = escaped.and_then(|text| text.strip_suffix('"')).unwrap_or_default().as_bytes();
        if escaped.len() > value.len() {
            let (bytes, hidden) = (escaped.to_owned(), hidden.clone());
            self.forms.push(Form { bytes, hidden, in_json: true, may_reveal });
        }
        self.forms.push(Form { bytes: value.to_owned(), hidden, in_json: false, may_reveal });
    }

    /// The text without secrets.
    #[must_use]
    pub fn hide_text(&self, text: String) -> String {
        match self.hide(text.as_bytes()) {
            Cow::Borrowed(_) => text,
            // Secrets are found where they begin and end, so what is left is text.
            Cow::Owned(hidden) => String::from_utf8_lossy(&hidden).into_owned(),
        }
    }

    /// The text without secrets.
    #[must_use]
    pub fn hide<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut none = Held::default();
        match self.hide_next(bytes, &mut none, true) {
            Some(hidden) => Cow::Owned(hidden),
            None => Cow::Borrowed(bytes),
        }
    }

    /// The next piece of a stream without secrets. The end of it that may go on as one is held back.
    pub(crate) fn hide_piece<'a>(&self, bytes: &'a [u8], held: &mut Held) -> Cow<'a, [u8]> {
        match self.hide_next(bytes, held, false) {
            Some(hidden) => Cow::Owned(hidden),
            None => Cow::Borrowed(bytes),
        }
    }

    /// What was held back, now that the stream is over.
    pub(crate) fn hide_rest(&self, held: &mut Held) -> Vec<u8> {
        let rest = std::mem::take(&mut held.0);
        self.hide(&rest).into_owned()
    }

    /// The text with the secrets put back for which it has the words.
    pub(crate) fn reveal<'a>(&self, bytes: &'a [u8]) -> Cow<'a, [u8]> {
        let mut text = Cow::Borrowed(bytes);
        let is_json = bytes.trim_ascii_start().first() == Some(&b'{');
        for form in self.forms.iter().filter(|form| form.may_reveal) {
            let twice = self.forms.iter().any(|other| other.in_json && other.hidden == form.hidden);
            if (!twice || form.in_json == is_json)
                && let Some(put_back) = replace(&text, &form.hidden, &form.bytes)
            {
                text = Cow::Owned(put_back);
            }
        }
        text
    }

    /// None where nothing is different and nothing is held back.
    fn hide_next(&self, bytes: &[u8], held: &mut Held, is_last: bool) -> Option<Vec<u8>> {
        if self.forms.is_empty() {
            return None;
        }
        let joined = (!held.0.is_empty()).then(|| [std::mem::take(&mut held.0).as_slice(), bytes].concat());
        let (text, mut hidden) = (joined.as_deref().unwrap_or(bytes), Vec::new());
        let (mut from, mut at) = (0, 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let near_end = !is_last && rest.len() < self.longest;
            if !self.may_begin(rest) {
                at += 1;
            } else if near_end
                && self.forms.iter().any(|form| form.bytes.len() > rest.len() && form.bytes.starts_with(rest))
            {
                held.0 = rest.to_owned();
                break;
            } else if let Some(form) = self.forms.iter().find(|form| rest.starts_with(&form.bytes)) {
                hidden.extend_from_slice(text.get(from..at).unwrap_or_default());
                hidden.extend_from_slice(&form.hidden);
                at += form.bytes.len();
                from = at;
            } else {
                at += 1;
            }
        }
        if from == 0 && at == text.len() && joined.is_none() {
            return None;
        }
        hidden.extend_from_slice(text.get(from..at).unwrap_or_default());
        Some(hidden)
    }

    /// Whether a secret may begin here: by its first two bytes, or by the only one that is left.
    fn may_begin(&self, rest: &[u8]) -> bool {
        match pair(rest) {
            Some((word, bit)) => self.begins.get(word).is_some_and(|word| word & bit != 0),
            None => self.forms.iter().any(|form| form.bytes.starts_with(rest)),
        }
    }
}

/// The bit of the two first bytes.
fn pair(bytes: &[u8]) -> Option<(usize, u64)> {
    let [first, second, ..] = bytes else { return None };
    let number = usize::from(*first) << 8 | usize::from(*second);
    Some((number / 64, 1 << (number % 64)))
}

/// 128 bits of a keyed digest: whoever lacks key or value can neither make it nor test a guess of the value.
fn mark(key: &[u8], name: &str, value: &[u8]) -> String {
    let mut digest = Sha256::new();
    for part in [key, name.as_bytes(), value] {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    }
    digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

/// The text with `to` in each place of `what`; none where it has none.
fn replace(text: &[u8], what: &[u8], to: &[u8]) -> Option<Vec<u8>> {
    let (mut new, mut from) = (Vec::new(), 0);
    let mut places = text
        .windows(what.len())
        .enumerate()
        .filter(|(_, window)| *window == what)
        .map(|(at, _)| at)
        .peekable();
    places.peek()?;
    for at in places {
        new.extend_from_slice(text.get(from..at).unwrap_or_default());
        new.extend_from_slice(to);
        from = at + what.len();
    }
    new.extend_from_slice(text.get(from..).unwrap_or_default());
    Some(new)
}

/// Whether a text is what the other is once secrets are hidden in it. What is hidden is anything.
pub(crate) fn is_hidden_form(shown: &[u8], plain: &[u8]) -> bool {
    let mut rest = plain;
    let mut pieces = pieces(shown).peekable();
    let Some(first) = pieces.next() else { return plain.is_empty() };
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    while let Some(piece) = pieces.next() {
        if pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.windows(piece.len().max(1)).position(|window| window.starts_with(piece)) else {
            return false;
        };
        rest = rest.get(at + piece.len()..).unwrap_or_default();
    }
    rest.is_empty()
}

/// What stands between the words for secrets.
fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    const WORD: &[u8] = b"[hidden ";
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let word = text.windows(WORD.len()).position(|window| window == WORD);
        let end =
            word.and_then(|at| Some((at, at + text.get(at..)?.iter().position(|byte| *byte == b']')? + 1)));
        let (piece, after) = match end {
            Some((at, end)) => (text.get(..at), text.get(end..)),
            None => (Some(text), None),
        };
        rest = after;
        piece
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "sk-ant-0123456789";
    const LONG: &str = "sk-ant-0123456789-and-more";
    const HARD: &str = "line one\n\"two\"";

    fn secrets() -> Secrets {
        Secrets::new(&SecretKeys::among([
            ("ANTHROPIC_API_KEY", KEY),
            ("OTHER_TOKEN", LONG),
            ("A_PASSWORD", HARD),
            ("SHORT_TOKEN", "12345"),
            ("GOOGLE_CREDENTIALS", "/home/me/key.json"),
            ("PATH", "/usr/bin:/usr/local/bin"),
        ]))
    }

    fn hidden(text: &str) -> String {
        String::from_utf8(secrets().hide(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn keys_are_hidden_under_their_names_and_nothing_else_is() {
        let text = "12345 /home/me/key.json /usr/bin:/usr/local/bin sk-ant-012345678 sk-ant-";
        assert_eq!(hidden(text), text);
        let told = hidden(&format!("a {KEY}b{LONG}{KEY}"));
        assert!(!told.contains("0123456789"), "{told}");
        assert_eq!(told.matches("[hidden ANTHROPIC_API_KEY ").count(), 2);
        assert_eq!(told.matches("[hidden OTHER_TOKEN ").count(), 1);
        let json = serde_json::to_string(&HARD).unwrap();
        assert_eq!(hidden(&json).matches("[hidden A_PASSWORD ").count(), 1);
        assert_eq!(hidden(HARD).matches("[hidden A_PASSWORD ").count(), 1);
        assert!(!format!("{:?}", secrets()).contains("0123456789"));
    }

    #[test]
    fn the_program_gets_back_what_it_said_and_words_of_others_stay_words() {
        let json = serde_json::json!({"command": format!("curl -H {KEY} {LONG} {HARD}")}).to_string();
        let told = hidden(&json);
        assert_eq!(secrets().reveal(told.as_bytes()), json.as_bytes());
        assert_eq!(secrets().reveal(hidden(HARD).as_bytes()), HARD.as_bytes());
        let forged = b"{[hidden ANTHROPIC_API_KEY 0000] [hidden ANTHROPIC_API_KEY]".as_slice();
        assert_eq!(secrets().reveal(forged), forged);
    }

    #[test]
    fn mark_depends_on_key_name_and_value() {
        let hidden = |key: &str, name: &str, value: &str| {
            let mut keys = SecretKeys::default();
            keys.add(name, value);
            keys.mark_with("MARK_KEY", key);
            Secrets::new(&keys).hide_text(value.to_owned()).replace(name, "")
        };
        let one = hidden("key-of-one", "A_TOKEN", KEY);
        assert_eq!(one.len(), "[hidden  ]".len() + 32, "{one}");
        assert_eq!(one, hidden("key-of-one", "A_TOKEN", KEY));
        for other in [
            hidden("key-of-two", "A_TOKEN", KEY),
            hidden("key-of-one", "B_TOKEN", KEY),
            hidden("key-of-one", "A_TOKEN", LONG),
        ] {
            assert_ne!(one, other);
        }
        let mut keys = SecretKeys::default();
        keys.mark_with("MARK_KEY", "the-key-itself");
        assert!(!Secrets::new(&keys).hide_text("the-key-itself".to_owned()).contains("itself"));
    }

    #[test]
    fn secret_outside_the_programs_environment_is_never_revealed() {
        let mut keys = SecretKeys::among([("ANTHROPIC_API_KEY", KEY)]);
        keys.add("FORGE_TOKEN", LONG);
        let secrets = Secrets::revealing(&keys, |name, _| name == "ANTHROPIC_API_KEY");
        let shown = secrets.hide_text(format!("{KEY} {LONG}"));
        assert!(!shown.contains("0123456789"), "{shown}");
        let revealed = String::from_utf8(secrets.reveal(shown.as_bytes()).into_owned()).unwrap();
        assert!(revealed.starts_with(KEY) && revealed.contains("[hidden FORGE_TOKEN "), "{revealed}");
    }

    #[test]
    fn base64_of_secret_is_hidden_at_every_offset() {
        for before in ["", "x", "xy", "user:", "xyz-x"] {
            let encoded = base64::encode(format!("{before}{KEY}\n").as_bytes());
            let shown = hidden(&encoded);
            assert!(shown.contains("[hidden ANTHROPIC_API_KEY base64+"), "{before}: {shown}");
            assert_eq!(secrets().reveal(shown.as_bytes()), encoded.as_bytes());
        }
    }

    #[test]
    fn a_value_of_two_names_is_put_back_for_either() {
        let keys = |names: &[&str]| Secrets::new(&SecretKeys::among(names.iter().map(|name| (name, HARD))));
        let names = ["OPENAI_API_KEY", "CODEX_API_KEY"];
        let both = keys(&names);
        for name in names {
            let told = keys(&[name]).hide_text(HARD.to_owned());
            assert!(told.contains(name), "{told}");
            assert_eq!(both.reveal(told.as_bytes()), HARD.as_bytes());
        }
        let json = serde_json::json!({ "key": HARD }).to_string();
        let told = both.hide_text(json.clone());
        assert_eq!(told, keys(&["CODEX_API_KEY", "OPENAI_API_KEY"]).hide_text(json.clone()));
        assert_eq!(both.reveal(told.as_bytes()), json.as_bytes());
    }

    #[test]
    fn keys_are_written_as_texts_where_they_are_and_read_as_they_were() {
        let mut keys = SecretKeys::default();
        keys.add("A", KEY);
        keys.add("B", b"\xff\xfe\"".as_slice());
        let written = serde_json::to_string(&keys).unwrap();
        assert!(written.contains(KEY), "{written}");
        assert!(serde_json::from_str::<SecretKeys>(&written).unwrap() == keys);
        // As a host was told by an older Forge.
        let numbers = serde_json::json!([["A", KEY.as_bytes()], ["B", [255, 254, 34]]]);
        assert!(serde_json::from_value::<SecretKeys>(numbers).unwrap() == keys);
    }

    #[test]
    fn what_was_sent_is_known_again_in_its_hidden_form() {
        for plain in [
            KEY.to_owned(),
            format!("{KEY}{LONG}"),
            format!("a{KEY}b"),
            format!("{KEY} x {LONG}\n"),
            "plain".into(),
        ] {
            assert!(is_hidden_form(hidden(&plain).as_bytes(), plain.as_bytes()), "{plain}");
        }
        let shown = hidden(&format!("to {KEY} and {LONG}\n"));
        for other in ["", "to you", "to a and b", "to a or b\n", "from a and b\n"] {
            assert!(!is_hidden_form(shown.as_bytes(), other.as_bytes()), "{other}");
        }
        assert!(!is_hidden_form(b"plain", b"plains") && !is_hidden_form(b"plain", b"plai"));
    }

    proptest! {
        #[test]
        fn however_a_stream_is_cut_the_same_is_hidden(
            parts in prop::collection::vec(prop_oneof![
                Just(KEY.to_owned()), Just(LONG.to_owned()), Just(HARD.to_owned()),
                Just("sk-ant-".to_owned()), "[a-z\\-0-9]{0,6}",
            ], 0..12),
            sizes in prop::collection::vec(1_usize..30, 1..6),
        ) {
            let (secrets, text) = (secrets(), parts.concat());
            let (mut held, mut told, mut rest) = (Held::default(), Vec::new(), text.as_bytes());
            for size in sizes.iter().cycle() {
                let (piece, after) = rest.split_at((*size).min(rest.len()));
                told.extend_from_slice(&secrets.hide_piece(piece, &mut held));
                prop_assert!(held.0.len() < secrets.longest);
                rest = after;
                if rest.is_empty() {
                    break;
                }
            }
            told.extend_from_slice(&secrets.hide_rest(&mut held));
            let told = String::from_utf8(told).unwrap();
            prop_assert_eq!(&told, &secrets.hide_text(text.clone()));
            prop_assert_eq!(secrets.reveal(told.as_bytes()), text.as_bytes());
        }
    }
}
