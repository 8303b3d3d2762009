//! Writes data as JSON. The bytes equal those of `serde_json`.
//!
//! The code for each type is compiled once, and without serde, because every dependent program
//! waits for its compilation. The derive macro `ToJson` interprets the attributes of serde, so that
//! serde can read the output (feature `read`).

use std::borrow::Cow;
use std::io::{self, Write as _};

pub(crate) use diagnose_macros::ToJson;

/// The mark that replaces a separated number in the text.
pub(crate) const NUMBER: u8 = b'#';

/// Number of bytes that are written at once.
const BUFFER: usize = 64 << 10;

/// Data that can be written as JSON.
pub(crate) trait ToJson {
    /// Writes the value. The default implementation writes an object.
    fn write_json(&self, json: &mut Json<'_>) {
        json.open(b'{');
        self.write_fields(json);
        json.close(b'}');
    }

    /// Writes the fields of an object, without its braces.
    fn write_fields(&self, _json: &mut Json<'_>) {}
}

/// A writer of JSON.
#[derive(Default)]
pub(crate) struct Json<'a> {
    /// The text so far; if there is an output, the part that has not been written to it yet.
    pub(crate) text: Vec<u8>,
    /// The separated numbers. Each has a mark in the text.
    pub(crate) numbers: Vec<u64>,
    pub(crate) parts: Parts,
    out: Option<&'a mut dyn io::Write>,
    error: Option<io::Error>,
    is_indented: bool,
    depth: usize,
    /// Whether the next item is the first of its list or object.
    is_first: bool,
}

/// The parts of the JSON that a writer produces.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Parts {
    #[default]
    Whole,
    /// The text without its numbers, and the numbers.
    Split,
    /// Only the numbers, because the text is known.
    Numbers,
}

impl<'a> Json<'a> {
    /// Creates a writer that writes one line.
    pub(crate) fn new(out: &'a mut dyn io::Write) -> Self {
        Self { out: Some(out), ..Self::default() }
    }

    /// Creates a writer that writes one line per item, indented.
    pub(crate) fn indented(out: &'a mut dyn io::Write) -> Self {
        Self { is_indented: true, ..Self::new(out) }
    }

    /// Creates a writer that collects the text without its numbers, and the numbers.
    pub(crate) fn split() -> Self {
        Self { parts: Parts::Split, ..Self::default() }
    }

    /// Writes the remaining text.
    ///
    /// # Errors
    /// The first error of the output.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush();
        self.error.map_or(Ok(()), Err)
    }

    /// Returns whether the text is left out.
    fn is_silent(&self) -> bool {
        self.parts == Parts::Numbers
    }

    fn flush(&mut self) {
        let Some(out) = self.out.as_mut() else { return };
        if self.error.is_none() {
            self.error = out.write_all(&self.text).err();
        }
        self.text.clear();
    }

    /// Begins an object or a list.
    pub(crate) fn open(&mut self, bracket: u8) {
        if self.is_silent() {
            return;
        }
        self.text.push(bracket);
        self.depth += 1;
        self.is_first = true;
    }

    /// Ends an object or a list.
    pub(crate) fn close(&mut self, bracket: u8) {
        if self.is_silent() {
            return;
        }
        self.depth -= 1;
        if !std::mem::take(&mut self.is_first) {
            self.line();
        }
        self.text.push(bracket);
    }

    fn line(&mut self) {
        if self.is_indented {
            self.text.push(b'\n');
            self.text.resize(self.text.len() + 2 * self.depth, b' ');
        }
    }

    /// Begins the next item of a list, or the next field.
    pub(crate) fn separate(&mut self) {
        if self.is_silent() {
            return;
        }
        if self.text.len() >= BUFFER {
            self.flush();
        }
        if !std::mem::take(&mut self.is_first) {
            self.text.push(b',');
        }
        self.line();
    }

    /// Writes the name of the field whose value is written next. It needs no escapes.
    pub(crate) fn key(&mut self, name: &'static str) {
        if self.is_silent() {
            return;
        }
        self.separate();
        self.text.push(b'"');
        self.text.extend_from_slice(name.as_bytes());
        self.word(if self.is_indented { b"\": " } else { b"\":" });
    }

    /// Writes `true`, a sign, or other text that needs no quotes.
    fn word(&mut self, word: &[u8]) {
        if !self.is_silent() {
            self.text.extend_from_slice(word);
        }
    }

    /// Writes a field whose name needs no escapes.
    pub(crate) fn field(&mut self, name: &'static str, value: &dyn ToJson) {
        self.key(name);
        value.write_json(self);
    }

    /// Writes a field with any name.
    pub(crate) fn entry(&mut self, name: &str, value: &dyn ToJson) {
        self.separate();
        self.string(name);
        self.word(if self.is_indented { b": " } else { b":" });
        value.write_json(self);
    }

    /// Writes an item of a list.
    pub(crate) fn item(&mut self, item: &dyn ToJson) {
        self.separate();
        item.write_json(self);
    }

    /// Writes a list.
    pub(crate) fn list<T: ToJson>(&mut self, items: impl IntoIterator<Item = T>) {
        self.open(b'[');
        for item in items {
            // If the output is closed, the remaining items, maybe a million, are not computed.
            if self.error.is_some() {
                break;
            }
            self.item(&item);
        }
        self.close(b']');
    }

    /// Writes a number, or adds it to the list of separated numbers.
    pub(crate) fn number(&mut self, number: u64) {
        if self.parts == Parts::Whole {
            return push_decimal(&mut self.text, number);
        }
        self.word(&[NUMBER]);
        self.numbers.push(number);
    }

    /// Writes a number with its sign. The sign stays in the text.
    pub(crate) fn signed(&mut self, number: i64) {
        if number < 0 {
            self.word(b"-");
        }
        self.number(number.unsigned_abs());
    }

    /// Writes text in quotes.
    pub(crate) fn string(&mut self, text: &str) {
        if self.is_silent() {
            return;
        }
        self.text.push(b'"');
        let mut from = 0;
        // Most texts need no escape. The loop has no early exit, so the compiler can compare many
        // bytes at once.
        let is_special = |byte| matches!(byte, 0..0x20 | b'"' | b'\\');
        let needs_escape = text.bytes().fold(false, |found, byte| found | is_special(byte));
        let bytes = if needs_escape { text.bytes() } else { "".bytes() };
        for (at, byte) in bytes.enumerate() {
            let escape: &[u8] = match byte {
                b'"' => b"\\\"",
                b'\\' => b"\\\\",
                b'\n' => b"\\n",
                b'\r' => b"\\r",
                b'\t' => b"\\t",
                0x08 => b"\\b",
                0x0c => b"\\f",
                0..0x20 => b"",
                _ => continue,
            };
            self.text.extend_from_slice(&text.as_bytes()[from..at]);
            self.text.extend_from_slice(escape);
            if escape.is_empty() {
                // Writing to a vector cannot fail.
                let _ = write!(self.text, "\\u{byte:04x}");
            }
            from = at + 1;
        }
        self.text.extend_from_slice(&text.as_bytes()[from..]);
        self.text.push(b'"');
    }
}

/// Appends a number in decimal. A dump of a million tasks contains so many numbers that `write!`
/// would be noticeably slow.
pub(crate) fn push_decimal(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b"0123456789"[usize::try_from(number % 10).unwrap_or(0)];
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[first..]);
}

/// Returns the text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut json = Json::default();
    json.string(text);
    String::from_utf8(json.text).unwrap_or_default()
}

macro_rules! values {
    ($($type:ty: |$value:ident, $json:ident| $write:expr;)*) => {$(
        impl ToJson for $type {
            fn write_json(&self, $json: &mut Json<'_>) {
                let $value = self;
                $write;
            }
        }
    )*};
}

values! {
    bool: |value, json| json.word(if *value { b"true" } else { b"false" });
    u32: |value, json| json.number(u64::from(*value));
    u64: |value, json| json.number(*value);
    usize: |value, json| json.number(*value as u64);
    i64: |value, json| json.signed(*value);
    str: |value, json| json.string(value);
    String: |value, json| json.string(value);
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write_json(&self, json: &mut Json<'_>) {
        (**self).write_json(json);
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write_json(&self, json: &mut Json<'_>) {
        match self {
            Some(value) => value.write_json(json),
            None => json.word(b"null"),
        }
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write_json(&self, json: &mut Json<'_>) {
        json.list(self);
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write_json(&self, json: &mut Json<'_>) {
        self.as_slice().write_json(json);
    }
}

impl<T: ToJson + ToOwned + ?Sized> ToJson for Cow<'_, T> {
    fn write_json(&self, json: &mut Json<'_>) {
        (**self).write_json(json);
    }
}
