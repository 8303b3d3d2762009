//! A record as text without its numbers, and back: `{"id":7}` is `{"id":#}` and 7.
//!
//! Whole numbers that fit stand in columns; a minus, a fraction and an exponent stay in the text. Nothing in a string is a
//! number.

use std::io::Write as _;

/// In the place of a number.
const NUMBER: u8 = b'#';

/// Splits a record of JSON without white space.
pub(super) fn split(record: &[u8], like: &mut Vec<u8>, numbers: &mut Vec<u64>) {
    like.clear();
    numbers.clear();
    let mut rest = record;
    while let Some(&byte) = rest.first() {
        let length = match byte {
            b'"' => string(rest),
            b'0'..=b'9' => {
                let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                match whole(&rest[..digits], rest.get(digits)) {
                    Some(number) => {
                        numbers.push(number);
                        like.push(NUMBER);
                        rest = &rest[digits..];
                        continue;
                    }
                    // A fraction or an exponent: all of it is text.
                    None => rest.iter().take_while(|byte| is_of_number(**byte)).count(),
                }
            }
            _ => 1,
        };
        like.extend_from_slice(&rest[..length]);
        rest = &rest[length..];
    }
}

/// The number, if it is written as it would be here and nothing follows that belongs to it.
fn whole(digits: &[u8], next: Option<&u8>) -> Option<u64> {
    let is_plain = (digits.len() == 1 || digits[0] != b'0') && !next.is_some_and(|byte| is_of_number(*byte));
    let text = std::str::from_utf8(digits).ok().filter(|_| is_plain)?;
    text.parse().ok()
}

fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-')
}

/// The length of the string that it begins with, quotes included.
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

/// What stands before, between and after the numbers that were taken out.
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

/// Puts the next number behind its part.
pub(super) fn push_number(record: &mut Vec<u8>, number: u64) {
    // Writing to a vector cannot fail.
    let _ = write!(record, "{number}");
}
