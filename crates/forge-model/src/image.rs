//! An image: what people show an agent.

use serde::{Deserialize, Serialize};

use crate::{ImageId, Timestamp};

/// The folder of a worktree in which an agent finds images.
pub const IMAGE_FOLDER: &str = ".forge-images";

/// An image that was uploaded. The same bytes are the same image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// Its id.
    pub id: ImageId,
    /// What it is.
    pub kind: ImageKind,
    /// What the file was called by whoever sent it first. A word for people, never a path.
    pub original_name: String,
    /// How long it is.
    pub size_bytes: i64,
    /// SHA-256 of its bytes, as hex.
    pub hash: String,
    /// When it was sent.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Image {
    /// The name of its file, here and in worktrees: nothing in it comes from whoever sent it.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.{}", self.id, self.kind.extension())
    }

    /// Where an agent finds it, from the top of its worktree.
    #[must_use]
    pub fn file_path(&self) -> String {
        format!("{IMAGE_FOLDER}/{}", self.file_name())
    }
}

/// The kinds of image that are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ImageKind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    Webp,
    /// A Windows bitmap.
    Bmp,
    /// SVG, which can hold scripts.
    Svg,
}

impl ImageKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [Self::Png, Self::Jpeg, Self::Gif, Self::Webp, Self::Bmp, Self::Svg];

    /// How many bytes from the front of a file [`ImageKind::of_bytes`] looks at.
    pub const LOOKED_AT: usize = 4096;

    /// How names of such files end; the store's word for it too.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Gif => "gif",
            Self::Webp => "webp",
            Self::Bmp => "bmp",
            Self::Svg => "svg",
        }
    }

    /// As browsers call it.
    #[must_use]
    pub const fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Bmp => "image/bmp",
            Self::Svg => "image/svg+xml",
        }
    }

    /// The kind that the end of a file's name says.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        let extension = extension.to_ascii_lowercase();
        match extension.as_str() {
            "jpeg" => Some(Self::Jpeg),
            extension => Self::ALL.into_iter().find(|kind| kind.extension() == extension),
        }
    }

    /// The kind that a file's first bytes say.
    #[must_use]
    pub fn of_bytes(head: &[u8]) -> Option<Self> {
        match head {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::Webp),
            [b'B', b'M', ..] => Some(Self::Bmp),
            head => is_svg(head).then_some(Self::Svg),
        }
    }
}

/// Markup whose first element, or what leads up to it, says SVG. What comes before it may be long: the beginning is
/// looked at, and the rest is the browser's, which gets it in a sandbox.
fn is_svg(head: &[u8]) -> bool {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    text.starts_with(b"<") && !text.contains(&0) && text.windows(4).any(|word| word == b"<svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_told_by_name_and_by_bytes() {
        let jpeg: &[u8] = b"\xff\xd8\xff\xe0";
        let samples: [(&str, &[u8], ImageKind); 7] = [
            ("a.png", b"\x89PNG\r\n\x1a\n....", ImageKind::Png),
            ("a.b.JPG", jpeg, ImageKind::Jpeg),
            ("a.jpeg", jpeg, ImageKind::Jpeg),
            ("a.gif", b"GIF89a", ImageKind::Gif),
            ("a.WebP", b"RIFF\0\0\0\0WEBPVP8 ", ImageKind::Webp),
            ("a.bmp", b"BM\0\0", ImageKind::Bmp),
            ("a.svg", b"\xef\xbb\xbf <?xml version='1.0'?>\n<!-- x --><svg/>", ImageKind::Svg),
        ];
        for (name, bytes, kind) in samples {
            assert_eq!(ImageKind::of_name(name), Some(kind), "{name}");
            assert_eq!(ImageKind::of_bytes(bytes), Some(kind), "{name}");
        }
        for name in ["png", "a.exe", "a.", "", "a.png/", "a.png\0"] {
            assert_eq!(ImageKind::of_name(name), None, "{name:?}");
        }
        for bytes in [&b""[..], b"<html><svg", b"<svg\0", b"#!/bin/sh", b"\x89PN", b"GIF88a"] {
            let kind = ImageKind::of_bytes(bytes);
            // Markup with a picture in it is a picture to us: it is never served as anything else.
            assert_eq!(kind.is_some(), bytes == b"<html><svg", "{bytes:?}");
        }
    }
}
