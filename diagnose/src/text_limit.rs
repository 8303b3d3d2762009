//! The maximum length of names, labels and attributes that a program makes at run time, so that a
//! whole request body as one of them neither stays in memory nor fills the reports.

/// The maximum length, in bytes. Longer texts are cut.
pub(crate) const MAX_BYTES: usize = 256;

/// Cuts a text to the maximum length, between characters.
pub(crate) fn cut(text: &str) -> &str {
    cut_to(text, MAX_BYTES)
}

/// Cuts a text to a length in bytes, between characters.
pub(crate) fn cut_to(text: &str, length: usize) -> &str {
    // `str::floor_char_boundary` is newer than the oldest supported compiler.
    let end = (0..=length.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, cut, cut_to};

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!((cut_to("aé", 0), cut_to("aé", 2), cut_to("aé", 3)), ("", "a", "aé"));
        assert_eq!(cut(&"é".repeat(MAX_BYTES)), "é".repeat(MAX_BYTES / 2));
        assert_eq!(cut("name"), "name");
    }
}
