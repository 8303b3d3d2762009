//! Removes harmful characters from all text that leaves the process.
//!
//! Names and labels come from the program and its operator, and labels may contain input from
//! clients. Unfiltered, such text could move the cursor of a terminal, change the direction of
//! other text, hide text, or forge lines of a report. Two filters prevent this, both based on
//! [`is_harmful`]:
//!
//! ```text
//! a name, a label, …  ─▶ printable: one line of text ─▶ a page ─▶ Clean ─▶ file, writer, string
//!                        at each place that shows it              behind all formats, lest one was forgotten
//! ```
//! A saved snapshot keeps every character. `Clean` writes harmful characters as JSON escapes, so a
//! reader gets the original text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;

/// The replacement for a harmful character.
const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;

/// Returns whether a character affects the display of other characters: control characters (of both
/// ranges), direction controls, zero-width characters, line separators and noncharacters. The two
/// variation selectors that choose between the text and picture forms of an emoji are allowed.
#[must_use]
pub(crate) fn is_harmful(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    matches!(c,
        '\u{80}'..='\u{9F}'
        | '\u{AD}' | '\u{34F}' | '\u{600}'..='\u{605}' | '\u{61C}' | '\u{6DD}' | '\u{70F}' | '\u{8E2}'
        | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{3164}' | '\u{FE00}'..='\u{FE0D}' | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}'
        | '\u{110BD}' | '\u{110CD}' | '\u{13430}'..='\u{1343F}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}'
    ) || u32::from(c) & 0xFFFE == 0xFFFE
}

/// Turns a text into one line that every format can show. Each run of white space and control
/// characters becomes one space, and both ends are trimmed. Every other harmful character becomes
/// `\u{FFFD}`.
///
/// # Examples
/// ```
/// assert_eq!(diagnose_reports::clean_line("user=7\nverdict:\u{202E} none"), "user=7 verdict:\u{FFFD} none");
/// ```
#[must_use]
pub fn printable(text: &str) -> String {
    // Most names need no change.
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return text.to_owned();
    }
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().map(|c| if is_harmful(c) { REPLACEMENT } else { c }));
    }
    line
}

/// Cleans multi-line text for a terminal. Line breaks and tabs stay, and every other harmful
/// character becomes `\u{FFFD}`.
///
/// # Examples
/// ```
/// assert_eq!(diagnose_reports::clean_lines("one\ntwo \u{1B}[2J"), "one\ntwo \u{FFFD}[2J");
/// ```
#[must_use]
pub fn clean_lines(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_removed) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|c| if is_removed(c) { REPLACEMENT } else { c }).collect())
}

/// Cleans JSON text. Every harmful character becomes an escape, such as `\u009b`, so that a parser
/// reads an equal value.
///
/// # Examples
/// ```
/// assert_eq!(diagnose_reports::clean_json("\"a\u{202E}b\""), "\"a\\u202eb\"");
/// ```
#[must_use]
pub fn clean_json(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    // Writing to a vector cannot fail, and text is never cut inside a character here.
    let _ = Clean::new(&mut bytes, How::Escape).text(text);
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns whether a character is harmful in multi-line text.
fn is_removed(c: char) -> bool {
    is_harmful(c) && c != '\n' && c != '\t'
}

/// The treatment of a harmful character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Replaces it by `\u{FFFD}`.
    Replace,
    /// Writes its JSON escape, such as `\u001b`. In JSON, such characters occur only in strings.
    Escape,
    /// Keeps it, because the format is not text, or has its own line ends. All text in such a
    /// format is made [`printable`] before it is encoded.
    Keep,
}

/// A writer that removes harmful characters from UTF-8 text, which may arrive in pieces of any
/// size.
#[derive(Debug)]
pub(crate) struct Clean<W> {
    out: W,
    how: How,
    /// The start of a character that is split between two pieces.
    cut: Vec<u8>,
    /// A buffer for the cleaned text of a piece.
    cleaned: String,
}

impl<W: io::Write> Clean<W> {
    pub(crate) fn new(out: W, how: How) -> Self {
        Self { out, how, cut: Vec::new(), cleaned: String::new() }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        if !text.chars().any(is_removed) {
            return self.out.write_all(text.as_bytes());
        }
        self.cleaned.clear();
        for c in text.chars() {
            match self.how {
                _ if !is_removed(c) => self.cleaned.push(c),
                How::Keep => self.cleaned.push(c),
                How::Replace => self.cleaned.push(REPLACEMENT),
                How::Escape => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        // Writing to a string cannot fail.
                        let _ = write!(self.cleaned, "\\u{unit:04x}");
                    }
                }
            }
        }
        self.out.write_all(self.cleaned.as_bytes())
    }

    /// Writes a piece that begins at a character boundary.
    fn piece(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        loop {
            let error = match std::str::from_utf8(bytes) {
                Ok(text) => return self.text(text),
                Err(error) => error,
            };
            let (valid, rest) = bytes.split_at(error.valid_up_to());
            self.text(std::str::from_utf8(valid).unwrap_or_default())?;
            let Some(invalid) = error.error_len() else {
                self.cut.extend_from_slice(rest);
                return Ok(());
            };
            self.text("\u{FFFD}")?;
            bytes = &rest[invalid..];
        }
    }
}

impl<W: io::Write> io::Write for Clean<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        /// Pieces are large enough for few system calls, and small enough that cleaning one costs
        /// little.
        const PIECE: usize = 64 << 10;
        if self.how == How::Keep {
            return self.out.write(bytes);
        }
        let bytes = &bytes[..bytes.len().min(PIECE)];
        if bytes.iter().fold(self.cut.is_empty(), |is_plain, &byte| is_plain & is_plain_byte(byte)) {
            self.out.write_all(bytes)?;
        } else if self.cut.is_empty() {
            self.piece(bytes)?;
        } else {
            let mut joined = std::mem::take(&mut self.cut);
            joined.extend_from_slice(bytes);
            self.piece(&joined)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns whether a byte is a harmless character by itself.
fn is_plain_byte(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\t' | 0x20..=0x7E)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::{Clean, How, clean_lines, is_harmful, printable};

    fn through(text: &str, how: How, size: usize) -> String {
        let mut bytes = Vec::new();
        let mut clean = Clean::new(&mut bytes, how);
        for piece in text.as_bytes().chunks(size) {
            clean.write_all(piece).unwrap();
        }
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn characters_that_harm_terminals_or_readers_are_replaced() {
        for c in
            "\u{1B}\u{7F}\u{85}\u{9B}\u{61C}\u{200B}\u{200F}\u{202E}\u{2028}\u{2069}\u{FEFF}\u{FFFF}\u{E0041}"
                .chars()
        {
            assert!(is_harmful(c), "{c:?}");
            assert!(!printable(&format!("a{c}b")).contains(c), "{c:?}");
        }
        for c in "aé測é\u{0301}ש🦀\u{FE0F} \u{FFFD}".chars() {
            assert!(!is_harmful(c), "{c:?}");
        }
    }

    #[test]
    fn a_label_is_one_line() {
        assert_eq!(printable(" a\r\nverdict: none\u{85}\tb\u{2029}"), "a verdict: none b");
    }

    #[test]
    fn json_keeps_every_character() {
        assert_eq!(through("\"\u{9B}\u{E0041}\"", How::Escape, 100), "\"\\u009b\\udb40\\udc41\"");
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_give_the_same(text in any::<String>(), size in 1..7_usize) {
            prop_assert_eq!(through(&text, How::Replace, size), clean_lines(&text));
            let json = format!("{{\"text\": {}}}", serde_json::to_string(&text).unwrap());
            let cleaned = through(&json, How::Escape, size);
            let value: serde_json::Value = serde_json::from_str(&cleaned).unwrap();
            prop_assert_eq!(value["text"].as_str(), Some(&text[..]));
            prop_assert!(!cleaned.contains(is_harmful));
        }
    }
}
