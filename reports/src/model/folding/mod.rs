//! The saved form of long lists: shapes for equal parts, and columns for the numbers.
//!
//! A million tasks of one spawn site have the same fields, texts and flags. They differ only in
//! numbers, most of which grow by one from record to record. This is the saved form of a list of a
//! thousand records or more:
//! ```text
//! {"shapes": [{"like": "{\"id\":#,\"state\":\"waiting\",\"since_ns\":#}",   a record without its numbers
//!              "columns": ["1*1000000", "7000 -12*3 45 …"]}],             each number, as a step
//!  "order": "0*1000000"}                                                   the shape of each record
//! ```
//! A step is the difference from the number in the previous record; the first step is the
//! difference from zero. `step*n` stands for a step that occurs `n` times in a row. In the order,
//! `s*n` stands for a record of shape `s` and the `n − 1` records after it. Each of these has the
//! shape that came after the previous shape the last time. Nothing is rounded or left out.
//!
//! Short lists, and lists with few equal parts, are saved record by record.
//! [`Json`](crate::json::Json) separates the numbers from the text. If a record has the class and
//! fields of the expected shape, its text is not written at all; see [`Record::push_shape`].
//!
//! ```text
//! written by   folded     lists   columns   numbers as steps
//! read by      unfolded   lists   steps     numbers            text    records put together again
//! ```

mod columns;
mod folded;
#[cfg(test)]
mod shape_tests;
#[cfg(feature = "read")]
mod steps;
#[cfg(all(test, feature = "read"))]
mod tests;
#[cfg(feature = "read")]
mod text;
#[cfg(feature = "read")]
mod unfolded;

#[cfg(feature = "read")]
pub(crate) use folded::serialize;
pub(crate) use folded::{MIN, Record, write_json};
#[cfg(feature = "read")]
pub(crate) use unfolded::deserialize;
