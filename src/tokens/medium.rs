//! What is counted of a file.

/// An image, document, audio, video or other file, as far as counting needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Medium {
    /// 0 image, 1 PDF, 2 audio, 3 video, 4 file.
    pub kind: u32,
    /// The bytes of inline data, or 0 for a reference.
    pub bytes: u64,
    /// The width of an image in pixels, the pages of a PDF, or the seconds of audio or video. 0 if unknown.
    pub width: u32,
    /// The height in pixels, or 0 if unknown.
    pub height: u32,
    /// The bytes of the name of the media type.
    pub type_bytes: u64,
    /// The bytes of the URL or file id, or 0 if inline.
    pub reference_bytes: u64,
}
