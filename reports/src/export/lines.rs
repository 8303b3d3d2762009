//! The target of a long part of a report, which is written some lines at a time.
//!
//! A part may be larger than all else in memory: it has a paragraph for each of a million
//! resources.

use std::io;

/// Takes the next lines.
pub(crate) type Lines<'a> = &'a mut dyn FnMut(&str) -> io::Result<()>;

/// Puts all lines into one text.
pub(crate) fn lines_to_string(write: impl FnOnce(Lines<'_>) -> io::Result<()>) -> String {
    let mut text = String::new();
    // Appending to a string cannot fail.
    let _ = write(&mut |lines| {
        text.push_str(lines);
        Ok(())
    });
    text
}
