//! Paths as text. One that is not UTF-8 is written as git prints it: in quotes, with its odd bytes in octal.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The path as text that [`read`] understands; different for different paths.
#[must_use]
pub fn write(path: &Path) -> String {
    if let Some(text) = path.to_str()
        && !is_odd(text.as_bytes())
    {
        return text.to_owned();
    }
    let mut text = String::from("\"");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            // Writing to a string cannot fail.
            _ => drop(write!(text, "\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}

/// The path that a text stands for: in quotes only if it could not be written without.
#[must_use]
pub fn read(text: &str) -> PathBuf {
    match unquoted(text) {
        Some(bytes) if is_odd(&bytes) => PathBuf::from(OsStr::from_bytes(&bytes)),
        Some(_) | None => PathBuf::from(text),
    }
}

/// Whether a path is written in quotes: it is not UTF-8, or it looks like one that is not.
fn is_odd(path: &[u8]) -> bool {
    str::from_utf8(path).map_or(true, |text| unquoted(text).is_some_and(|inner| is_odd(&inner)))
}

fn unquoted(text: &str) -> Option<Vec<u8>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            mark @ (b'"' | b'\\') => bytes.push(mark),
            first @ b'0'..=b'3' => {
                let digits = [first, rest.next()?, rest.next()?];
                bytes.push(u8::from_str_radix(str::from_utf8(&digits).ok()?, 8).ok()?);
            }
            _ => return None,
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_comes_back_as_it_was() {
        let paths: [&[u8]; 6] =
            [b"a b", b"caf\xe9 \"x\\y\".txt", b"\"quoted\"", b"\"\\351\"", b"line\nbreak", b"\xff\n"];
        for path in paths {
            let path = Path::new(OsStr::from_bytes(path));
            assert_eq!(read(&write(path)), path, "{}", write(path));
        }
        assert_eq!(write(Path::new(OsStr::from_bytes(b"caf\xe9"))), r#""caf\351""#);
    }
}
