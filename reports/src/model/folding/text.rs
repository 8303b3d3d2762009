//! Rebuilds records from a text without numbers and the numbers. A mark inside a string is text,
//! not a number.

use std::io::Write as _;

use crate::json::NUMBER;

/// The length of the string at the start of the text, with its quotes.
fn string(text: &[u8]) -> usize {
    let mut is_escaped = false;
    for (at, &byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The parts of the text before, between and after the marks.
pub(super) fn parts(like: &[u8]) -> Vec<&[u8]> {
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(&byte) = like.get(at) {
        if byte == NUMBER {
            parts.push(&like[from..at]);
            from = at + 1;
        }
        at += if byte == b'"' { string(&like[at..]) } else { 1 };
    }
    parts.push(&like[from..]);
    parts
}

/// Appends a number to a record.
pub(super) fn push_number(record: &mut Vec<u8>, number: u64) {
    // Writing to a vector cannot fail.
    let _ = write!(record, "{number}");
}
