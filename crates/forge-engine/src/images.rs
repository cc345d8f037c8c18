//! Images: taken in, kept once under `<data>/images/`, given to tasks and shown to their agents.
//!
//! A file is whole and has its name before a row tells of it. What a crash leaves behind is a file that no row knows. It
//! may as well belong to another database, so it is kept as long as the folder of such a process.

mod place;
mod upload;

pub use upload::{MOST_IMAGE_BYTES, Upload};

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::PathBuf;

use forge_model::{Attempt, Image, ImageId, ImageKind, TaskId, Timestamp};
use forge_store::StoreError;
use tokio::fs::File;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::{folder, orphans};

/// How long an image may lie here before a task has it: whoever writes a task takes less.
const UNUSED_KEPT_MS: i64 = 24 * 60 * 60 * 1000;

/// How the mark of a file ends that no row knows.
const ORPHANED: &str = ".orphaned";

/// No task has more: each is copied to every worktree.
const MOST_IMAGES: usize = 100;

impl Engine {
    /// Begins to take an image in.
    ///
    /// # Errors
    /// When nothing can be written.
    pub async fn begin_upload(&self) -> Result<Upload> {
        let folder = self.inner.folder.incoming_images();
        folder::make(&folder)?;
        // Here and not by the clock: who sends nothing needs no room.
        self.prune_images().await?;
        Upload::begin(&folder).await
    }

    /// Keeps what was taken in, unless it is here already, and gives it to the task. `name` is what the file is called
    /// where it comes from.
    ///
    /// # Errors
    /// When it is no image, its name says another kind than its bytes, or the task is not there. Nothing is kept then.
    pub async fn finish_upload(
        &self,
        upload: Upload,
        name: Option<&str>,
        task: Option<TaskId>,
    ) -> Result<Image> {
        let (image, draft) = upload.finish(name).await?;
        let path = self.image_file(&image);
        let kept = draft.keep(path.clone()).await?;
        let counts = self.inner.store.add_image(&image, task).await?;
        if counts.id == image.id {
            kept.leave();
        } else {
            // Somebody may have cleared the folder: the bytes are here, so the image has them again.
            let known = self.image_file(&counts);
            if !known.exists() {
                fs::rename(&path, &known).map_err(|source| unwritable(&source))?;
                kept.leave();
            }
        }
        Ok(counts)
    }

    /// An image, and its bytes to read.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn open_image(&self, id: ImageId) -> Result<(Image, File)> {
        let image = self.inner.store.get_image(id).await?;
        let file = File::open(self.image_file(&image)).await.map_err(|source| {
            let message = format!("the image cannot be read: {source}");
            // Deleted in this moment, or by hand: in either case there is none.
            Error::lacking(&message).unwrap_or_else(|| Error::not_found("image", id)).because(source)
        })?;
        Ok((image, file))
    }

    /// A task's images, in the order in which it got them.
    ///
    /// # Errors
    /// When the task is not there.
    pub async fn list_task_images(&self, task: TaskId) -> Result<Vec<Image>> {
        self.get_task(task).await?;
        Ok(self.inner.store.list_task_images(task).await?)
    }

    /// Deletes an image, and takes it from the tasks that have it. One that is not there is deleted already. Worktrees
    /// that have it keep it.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn delete_image(&self, id: ImageId) -> Result<()> {
        let image = match self.inner.store.get_image(id).await {
            Err(StoreError::NotFound { .. }) => return Ok(()),
            found => found?,
        };
        if self.inner.store.delete_image(id).await? {
            self.remove_file(&image);
        }
        Ok(())
    }

    /// Copies images to where an attempt's agent finds them. One that cannot be copied is told in the log: the agent
    /// goes without, unless there is no room, which would stop it too.
    pub(crate) async fn place_images(&self, attempt: &Attempt, images: Vec<Image>) -> Result<()> {
        if images.is_empty() {
            return Ok(());
        }
        let (worktree, id) = (PathBuf::from(&attempt.worktree), attempt.id);
        let files = images.into_iter().map(|image| (self.image_file(&image), image.file_name())).collect();
        let placing = tokio::task::spawn_blocking(move || place::place(&worktree, files));
        let failed =
            placing.await.map_err(|failed| Error::internal("copying ended badly").because(failed))?;
        for (name, error) in failed {
            if let Some(lacking) = Error::lacking(&format!("an image cannot be copied: {error}")) {
                return Err(lacking.because(error));
            }
            tracing::warn!(attempt.id = %id, image = name, %error, "attempt {id}: an image was not copied");
        }
        Ok(())
    }

    /// The images with these ids, as far as they are there still.
    pub(crate) async fn find_images(&self, ids: &[ImageId]) -> Result<Vec<Image>> {
        let mut images = Vec::new();
        for id in ids {
            match self.inner.store.get_image(*id).await {
                Err(StoreError::NotFound { .. }) => {}
                found => images.push(found?),
            }
        }
        Ok(images)
    }

    /// Removes images that nobody has used for a day.
    async fn prune_images(&self) -> Result<()> {
        let before = Timestamp::from_millis(Timestamp::now().as_millis() - UNUSED_KEPT_MS);
        for image in self.inner.store.prune_images(before).await? {
            self.remove_file(&image);
        }
        Ok(())
    }

    /// Removes what an upload left that a crash ended, images that nobody has used for a day, and files that no row has
    /// known for the retention period.
    pub(crate) async fn recover_images(&self) -> Result<()> {
        self.prune_images().await?;
        self.discard(&self.inner.folder.incoming_images()).await?;
        let folder = self.inner.folder.images();
        let Ok(listed) = fs::read_dir(&folder) else { return Ok(()) };
        let images = self.inner.store.list_images().await?;
        let known: HashSet<String> = images.iter().map(Image::file_name).collect();
        for entry in listed.flatten() {
            // Only what has the name of an image is ours.
            let Ok(name) = entry.file_name().into_string() else { continue };
            if is_image_name(&name) {
                let mark = folder.join(format!("{name}{ORPHANED}"));
                if known.contains(&name) {
                    // Its row is back.
                    drop(fs::remove_file(mark));
                } else {
                    orphans::mark_orphan(&mark)?;
                }
            }
        }
        self.expire_images();
        Ok(())
    }

    /// Removes the files that are marked as known by no row and whose retention period is over.
    pub(crate) fn expire_images(&self) {
        let folder = self.inner.folder.images();
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(mark) = entry.file_name().into_string() else { continue };
            let Some(name) = mark.strip_suffix(ORPHANED).filter(|name| is_image_name(name)) else { continue };
            if orphans::is_over(self.inner.options.orphans, &entry.path()) {
                told(fs::remove_file(folder.join(name)), name);
                told(fs::remove_file(entry.path()), &mark);
            }
        }
    }

    pub(crate) fn image_file(&self, image: &Image) -> PathBuf {
        self.inner.folder.images().join(image.file_name())
    }

    fn remove_file(&self, image: &Image) {
        told(fs::remove_file(self.image_file(image)), &image.file_name());
    }
}

/// That a task gets no more images than one may have; each once.
pub(crate) fn checked(ids: Vec<ImageId>) -> Result<Vec<ImageId>> {
    let mut seen = HashSet::new();
    let ids: Vec<ImageId> = ids.into_iter().filter(|id| seen.insert(*id)).collect();
    if ids.len() > MOST_IMAGES {
        return Err(Error::invalid("too_many_images", "a task has at most 100 images")
            .hint("leave some out, or put them into the repository"));
    }
    Ok(ids)
}

fn is_image_name(name: &str) -> bool {
    name.split_once('.').is_some_and(|(id, extension)| {
        id.parse::<ImageId>().is_ok() && ImageKind::ALL.iter().any(|kind| kind.extension() == extension)
    })
}

/// A file that stays costs room and nothing else: a later start removes it.
fn told(removed: io::Result<()>, name: &str) {
    if let Err(error) = removed {
        tracing::debug!(image = name, %error, "an image's file was not removed");
    }
}

fn unwritable(source: &io::Error) -> Error {
    let message = format!("the image cannot be written: {source}");
    Error::lacking(&message).unwrap_or_else(|| {
        Error::unavailable("folder_not_writable", message)
            .hint("see who owns the data folder, and whether the disk is full")
    })
}

#[cfg(test)]
#[path = "images_tests.rs"]
mod tests;
