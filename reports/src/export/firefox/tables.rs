//! Writes tables in the form of the profiler: one JSON array per column.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::json::quoted;

/// The strings of a thread. Columns refer to strings by index.
#[derive(Debug, Default)]
pub(super) struct Strings {
    list: Vec<String>,
    numbers: FxHashMap<String, usize>,
}

impl Strings {
    /// Returns the index of a string, and adds the string if it is new.
    pub(super) fn number(&mut self, text: &str) -> usize {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.list.len();
        self.list.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    pub(super) fn list(&self) -> &[String] {
        &self.list
    }
}

/// Writes ns as a number of milliseconds, without rounding: `1.000001`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ms(pub(super) u64);

impl fmt::Display for Ms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 1_000_000, self.0 % 1_000_000) {
            (whole, 0) => write!(f, "{whole}"),
            (whole, rest) => write!(f, "{whole}.{rest:06}"),
        }
    }
}

/// Writes `"name":[…]`.
pub(super) fn column<T: fmt::Display>(
    out: &mut dyn Write,
    name: &str,
    cells: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, "\"{name}\":[")?;
    for (index, cell) in cells.into_iter().enumerate() {
        write!(out, "{}{cell}", if index > 0 { "," } else { "" })?;
    }
    out.write_all(b"]")
}

/// Writes `"name":[…]` with one value in all cells.
pub(super) fn constant(out: &mut dyn Write, name: &str, value: &str, length: usize) -> io::Result<()> {
    column(out, name, std::iter::repeat_n(value, length))
}

/// Formats a cell that may be missing.
pub(super) fn nullable(cell: Option<usize>) -> String {
    cell.map_or_else(|| "null".to_owned(), |cell| cell.to_string())
}

/// Builds a JSON object with string values.
pub(super) fn object(fields: &[(&str, &str)]) -> String {
    let mut object = String::from("{");
    for (index, (name, value)) in fields.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(object, "{}\"{name}\":{}", if index > 0 { "," } else { "" }, quoted(value));
    }
    object.push('}');
    object
}
