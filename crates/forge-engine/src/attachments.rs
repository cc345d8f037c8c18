//! What goes with a prompt: the images that a task has or a prompt names, and the files that a prompt mentions.

use std::path::{Component, Path, PathBuf};

use forge_agent::base64;
use forge_agent::log::MAX_FRAME;
use forge_agent::turn::Attachment;
use forge_model::{Attempt, Image, ImageId, ImageKind};

use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Result};

/// A larger image is named and not sent: models take none that is larger.
const MOST_IMAGE: i64 = 5 << 20;
/// All images that are sent with one prompt.
const MOST_AT_ONCE: i64 = 10 << 20;
/// What stands in a line to the agent beside the prompt and what is in its images: most of all the names of files.
const MOST_AROUND: usize = 1 << 20;
/// Whoever mentions more files than this means something else.
const MOST_MENTIONS: usize = 50;

impl Engine {
    /// What goes with a prompt: the first of an attempt comes with all images of its task, each other with those that it
    /// names. `coming` are images of a task whose rows are not written yet; `room` is how much of images can be sent.
    pub(crate) async fn attachments(
        &self,
        attempt: &Attempt,
        prompt: &str,
        is_first: bool,
        coming: &[ImageId],
        room: i64,
    ) -> Result<Vec<Attachment>> {
        let mut images = match attempt.task_id {
            Some(task) => self.inner.store.list_task_images(task).await?,
            None => Vec::new(),
        };
        images.extend(self.find_images(coming).await?);
        let named = images.into_iter().filter(|image| is_first || prompt.contains(&image.file_path()));
        let images: Vec<_> = named.map(|image| (self.image_file(&image), image)).collect();
        let (worktree, prompt) = (PathBuf::from(&attempt.worktree), prompt.to_owned());
        let reading = tokio::task::spawn_blocking(move || {
            let mut attached = read(images, room);
            let mentioned = mentions(&worktree, &prompt);
            attached.extend(mentioned.into_iter().map(|path| Attachment {
                path,
                mime: "text/plain".to_owned(),
                data: None,
            }));
            attached
        });
        reading.await.map_err(|failed| Error::internal("reading images ended badly").because(failed))
    }
}

/// How many bytes of images fit into one line to the agent with what it is told.
///
/// # Errors
/// When not even that fits: a host takes no longer line.
pub(crate) fn room_beside(told: &str) -> Result<i64> {
    let written = serde_json::to_string(told).map_or(usize::MAX, |written| written.len());
    let Some(left) = (MAX_FRAME - MOST_AROUND).checked_sub(written) else {
        let most = (MAX_FRAME - MOST_AROUND) >> 20;
        let message = format!("what the agent would be told is longer than {most} MiB");
        return Err(Error::new(ErrorKind::TooLarge, "prompt_too_large", message)
            .hint("put what is long into a file of the repository, and name that"));
    };
    // Three bytes are written as four.
    Ok(i64::try_from(left / 4 * 3).unwrap_or(i64::MAX).min(MOST_AT_ONCE))
}

/// Images with what is in them, as far as models take it and there is room.
fn read(images: Vec<(PathBuf, Image)>, room: i64) -> Vec<Attachment> {
    let mut left = room;
    let attach = |(file, image): (PathBuf, Image)| {
        let is_seen = !matches!(image.kind, ImageKind::Bmp | ImageKind::Svg);
        let fits = is_seen && image.size_bytes <= MOST_IMAGE.min(left);
        // One that cannot be read lies in the worktree all the same, or is told of where it is copied.
        let bytes = if fits { std::fs::read(file).ok() } else { None };
        left -= bytes.as_ref().map_or(0, |_| image.size_bytes);
        Attachment {
            path: image.file_path(),
            mime: image.kind.mime_type().to_owned(),
            data: bytes.map(|bytes| base64::encode(&bytes)),
        }
    };
    images.into_iter().map(attach).collect()
}

/// The files of the worktree that a prompt mentions as `@path`, each once. Nothing outside of it is looked at.
fn mentions(worktree: &Path, prompt: &str) -> Vec<String> {
    let Ok(top) = worktree.canonicalize() else { return Vec::new() };
    let mut found = Vec::new();
    for word in prompt.split_whitespace().filter_map(|word| word.strip_prefix('@')) {
        let path = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'']);
        let is_plain = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        let is_inside = || {
            let file = top.join(path).canonicalize();
            file.is_ok_and(|file| file.starts_with(&top) && file.is_file())
        };
        if found.len() < MOST_MENTIONS
            && !path.is_empty()
            && is_plain
            && !found.iter().any(|known| known == path)
            && is_inside()
        {
            found.push(path.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn what_is_told_and_shown_fits_into_one_line_or_is_refused() {
        assert_eq!(room_beside("short").unwrap(), MOST_AT_ONCE);
        let long = "x".repeat(5 << 20);
        let room = room_beside(&long).unwrap();
        assert!(room < MOST_AT_ONCE);
        let line = |images: i64| long.len() + usize::try_from(images).unwrap().div_ceil(3) * 4 + MOST_AROUND;
        assert!(line(room) <= MAX_FRAME && line(room + 6) > MAX_FRAME);
        // What has to be escaped takes more.
        let refused = room_beside(&"\u{1}".repeat(3 << 20)).unwrap_err();
        assert_eq!((refused.code(), refused.kind()), ("prompt_too_large", ErrorKind::TooLarge));
        assert!(refused.to_string().contains("15 MiB"), "{refused}");
    }

    #[test]
    fn files_of_the_worktree_are_mentioned_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let worktree = root.path().join("w");
        fs::create_dir_all(worktree.join("src")).unwrap();
        fs::write(worktree.join("src/a.rs"), "").unwrap();
        fs::write(root.path().join("secret"), "").unwrap();
        symlink(root.path().join("secret"), worktree.join("link")).unwrap();
        let prompt = "Look at @src/a.rs, again @src/a.rs; not @src, @gone, @../secret, @/etc/passwd, @link or me@src/a.rs @";
        assert_eq!(mentions(&worktree, prompt), ["src/a.rs"]);
        assert_eq!(mentions(&root.path().join("gone"), prompt), Vec::<String>::new());
    }
}
