//! The destination of long report parts, which are written a few lines at a time.
//!
//! Such a part may need more memory than everything else, because it has a paragraph for each of a
//! million resources.

use std::io;

/// A function that receives the next lines.
pub(crate) type Lines<'a> = &'a mut dyn FnMut(&str) -> io::Result<()>;

/// Collects all lines into one text.
pub(crate) fn lines_to_string(write: impl FnOnce(Lines<'_>) -> io::Result<()>) -> String {
    let mut text = String::new();
    // Appending to a string cannot fail.
    let _ = write(&mut |lines| {
        text.push_str(lines);
        Ok(())
    });
    text
}
