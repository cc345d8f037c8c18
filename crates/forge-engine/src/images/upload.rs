//! An image that is being taken in: written to a file of its own as it comes, never held in memory.

use std::fs;
use std::path::{Path, PathBuf};

use forge_model::{Image, ImageId, ImageKind, Timestamp};
use sha2::{Digest as _, Sha256};
use tokio::fs::{File, OpenOptions};
use tokio::io::AsyncWriteExt as _;
use uuid::Uuid;

use super::unwritable;
use crate::error::{Error, ErrorKind, Result};

/// The largest image that is taken.
pub const MOST_IMAGE_BYTES: u64 = 20 * 1024 * 1024;

/// What a person reads of a file's name.
const MOST_NAME_CHARS: usize = 200;

/// An image of which some has come. Dropped, nothing of it is left.
#[derive(Debug)]
pub struct Upload {
    file: File,
    draft: Draft,
    hash: Sha256,
    head: Vec<u8>,
    length: u64,
}

/// A file that goes, unless it is left.
#[derive(Debug)]
pub(super) struct Draft {
    path: Option<PathBuf>,
}

impl Upload {
    pub(super) async fn begin(folder: &Path) -> Result<Self> {
        let path = folder.join(Uuid::new_v4().to_string());
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600);
        let file = options.open(&path).await.map_err(|source| unwritable(&source))?;
        let draft = Draft { path: Some(path) };
        Ok(Self { file, draft, hash: Sha256::new(), head: Vec::new(), length: 0 })
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// When it gets too large, or cannot be written.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.length = self.length.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        if self.length > MOST_IMAGE_BYTES {
            return Err(Error::new(
                ErrorKind::TooLarge,
                "image_too_large",
                "the image is larger than 20 MiB",
            )
            .hint("make it smaller: an agent sees no more in a larger one"));
        }
        let more = ImageKind::LOOKED_AT.saturating_sub(self.head.len());
        self.head.extend(bytes.iter().take(more));
        self.hash.update(bytes);
        self.file.write_all(bytes).await.map_err(|source| unwritable(&source))
    }

    /// What has come, if it is an image.
    pub(super) async fn finish(mut self, name: Option<&str>) -> Result<(Image, Draft)> {
        let name = name.map(plain).filter(|name| !name.is_empty());
        let kind = kind(name.as_deref(), &self.head)?;
        self.file.flush().await.map_err(|source| unwritable(&source))?;
        self.file.sync_all().await.map_err(|source| unwritable(&source))?;
        let now = Timestamp::now();
        let image = Image {
            id: ImageId::random(),
            kind,
            original_name: name.unwrap_or_else(|| format!("image.{}", kind.extension())),
            size_bytes: i64::try_from(self.length).unwrap_or(i64::MAX),
            hash: self.hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect(),
            created_at: now,
            updated_at: now,
        };
        Ok((image, self.draft))
    }
}

impl Draft {
    /// Gives the file its name. It still goes unless it is left.
    pub(super) async fn keep(mut self, name: PathBuf) -> Result<Self> {
        if let Some(path) = &self.path {
            tokio::fs::rename(path, &name).await.map_err(|source| unwritable(&source))?;
            // The name has to outlive a loss of power, as the row that tells of it does.
            if let Some(folder) = name.parent() {
                let folder = File::open(folder).await.map_err(|source| unwritable(&source))?;
                folder.sync_all().await.map_err(|source| unwritable(&source))?;
            }
            self.path = Some(name);
        }
        Ok(self)
    }

    /// It is somebody's now.
    pub(super) fn leave(mut self) {
        self.path = None;
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(path) = self.path.take() {
            // One that cannot be removed is removed at the next start.
            drop(fs::remove_file(path));
        }
    }
}

/// The last part of what a file is called elsewhere, for people to read. It is never used as a path.
fn plain(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.chars().filter(|char| !char.is_control()).take(MOST_NAME_CHARS).collect::<String>().trim().to_owned()
}

/// The kind that name and bytes agree on.
fn kind(name: Option<&str>, head: &[u8]) -> Result<ImageKind> {
    const TAKEN: &str = "png, jpg, gif, webp, bmp and svg are taken";
    if head.is_empty() {
        return Err(Error::invalid("image_empty", "the image is empty").hint(TAKEN));
    }
    let unknown =
        || Error::invalid("image_type_unsupported", "this type of file is not supported").hint(TAKEN);
    let bytes = ImageKind::of_bytes(head);
    let Some(name) = name else { return bytes.ok_or_else(unknown) };
    let named = ImageKind::of_name(name).ok_or_else(unknown)?;
    if bytes != Some(named) {
        let message = format!("the file is called .{}, but its bytes say otherwise", named.extension());
        return Err(Error::invalid("image_type_mismatch", message).hint("send the file as it is called"));
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_word_and_never_a_path() {
        for (sent, kept) in [
            ("../../x.png", "x.png"),
            ("C:\\Users\\me\\x.png", "x.png"),
            ("/etc/passwd/", ""),
            ("a\0b\n.png", "ab.png"),
            ("..", ".."),
        ] {
            assert_eq!(plain(sent), kept);
        }
        assert_eq!(plain(&"é".repeat(1000)).chars().count(), MOST_NAME_CHARS);
    }

    #[tokio::test]
    async fn what_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let files = || fs::read_dir(folder.path()).unwrap().count();
        let mut upload = Upload::begin(folder.path()).await.unwrap();
        upload.write(b"\x89PNG\r\n\x1a\n").await.unwrap();
        assert_eq!(files(), 1);
        drop(upload);
        assert_eq!(files(), 0);
        for (name, bytes, code) in [
            (Some("x.png"), &b""[..], "image_empty"),
            (None, b"MZ", "image_type_unsupported"),
            (Some("x.exe"), b"\x89PNG\r\n\x1a\n", "image_type_unsupported"),
            (Some("x.png"), b"\xff\xd8\xff", "image_type_mismatch"),
        ] {
            let mut upload = Upload::begin(folder.path()).await.unwrap();
            upload.write(bytes).await.unwrap();
            assert_eq!(upload.finish(name).await.unwrap_err().code(), code);
        }
        let mut upload = Upload::begin(folder.path()).await.unwrap();
        let chunk = vec![0; 1024 * 1024];
        for _ in 0..20 {
            upload.write(&chunk).await.unwrap();
        }
        assert_eq!(upload.write(&[0]).await.unwrap_err().kind(), ErrorKind::TooLarge);
        drop(upload);
        assert_eq!(files(), 0);
    }
}
