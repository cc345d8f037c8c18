//! The token that a caller from beyond this machine has to show. It lives in a file that only its owner reads.

use std::fs::{self, File, OpenOptions, Permissions};
use std::hint::black_box;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use forge_engine::SecretKeys;

use crate::error::Error;

/// A secret. It has no `Debug` and no `Display`, so that it cannot be logged by accident.
#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    /// The token in `path`; it is made when it is not there.
    pub(crate) fn load_or_create(path: &Path) -> Result<Self, Error> {
        let failed = |source| Error::File { path: path.to_owned(), source };
        create(path).map_err(failed)?;
        let mode = fs::metadata(path).map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            tracing::warn!(path = %path.display(), "others could read the token: its file is closed to them now");
            fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
        }
        let token = fs::read_to_string(path).map_err(failed)?.trim().to_owned();
        if token.is_empty() { Err(Error::EmptyToken { path: path.to_owned() }) } else { Ok(Self(token)) }
    }

    #[cfg(test)]
    pub(crate) fn fixed(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// Adds it to what must not be written down.
    pub(crate) fn add_to(&self, keys: &mut SecretKeys) {
        keys.add("FORGE_TOKEN", self.0.as_bytes());
    }

    /// Marks what stands for secrets with it, in place of their values.
    pub(crate) fn mark(&self, keys: &mut SecretKeys) {
        keys.mark_with("FORGE_MARK_KEY", self.0.as_bytes());
    }

    /// Whether `text` is this token, in a time that does not tell how much of it was right.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), text.as_bytes());
        let difference = ours.iter().zip(theirs).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        ours.len() == theirs.len() && difference == 0
    }
}

/// Makes the file whole under another name first, so that nobody ever reads half a token.
fn create(path: &Path) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    let mut random = [0_u8; 32];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    let text: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    // A link and not a rename: whoever came first wins.
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_once_long_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let first = Token::load_or_create(&path).unwrap();
        let second = Token::load_or_create(&path).unwrap();
        assert_eq!(first.0.len(), 64);
        assert!(second.matches(&first.0));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn a_token_that_others_could_read_is_closed_to_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, "secret\n").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        assert!(Token::load_or_create(&path).unwrap().matches("secret"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn only_the_whole_token_matches() {
        let token = Token::fixed("abc");
        assert!(token.matches("abc"));
        for text in ["", "ab", "abcd", "abd", "ABC"] {
            assert!(!token.matches(text), "{text}");
        }
    }

    #[test]
    fn an_empty_token_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, "\n").unwrap();
        assert!(matches!(Token::load_or_create(&path), Err(Error::EmptyToken { .. })));
    }
}
