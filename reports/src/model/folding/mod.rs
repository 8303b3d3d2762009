//! The saved form of long lists: a shape for equal parts, and columns for the numbers that differ.
//!
//! A million tasks of one spawn site have the same fields, texts and flags. They differ in numbers,
//! most of which grow by one from record to record. The saved form of a list of a thousand records
//! or more:
//! ```text
//! {"shapes": [{"like": "{\"id\":#,\"state\":\"waiting\",\"since_ns\":#}",   a record without its numbers
//!              "columns": ["1*1000000", "7000 -12*3 45 …"]}],             each number, as a step
//!  "order": "0*1000000"}                                                   the shape of each record
//! ```
//! A step is the difference to the number of the record before; the first is the difference to
//! zero. `step*n` stands for a step that occurs `n` times in a row. In the order, `s*n` stands for
//! a record of shape `s` and the `n − 1` records after it, each of the shape that followed the
//! shape before it the last time. Nothing is rounded or left out. Short lists, and lists with few
//! equal parts, are saved record by record. [`Json`](crate::json::Json) takes the numbers out. The
//! text of a record is not even written if the record has the class and the fields of the one that
//! is expected there: see [`Record::push_shape`].
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
