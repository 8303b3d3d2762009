//! How long lists are saved: what is alike once, and the numbers in which the records differ as columns.
//!
//! A million tasks of one spawn site have the same fields, the same texts and the same flags; what differs are numbers, most
//! of them by one from record to record. A list of a thousand records or more is saved as
//! ```text
//! {"shapes": [{"like": "{\"id\":#,\"state\":\"waiting\",\"since_ns\":#}",   a record with its numbers left out
//!              "columns": ["1*1000000", "7000 -12*3 45 …"]}],             each number, as the step from the one before
//!  "order": "0*1000000"}                                                   which shape comes when
//! ```
//! A step that comes `n` times in a row is `step*n`; the first is one from zero. In the order `s*n` is the shape `s` and the
//! `n − 1` records after it, each of the shape that came last time after the one before it. Nothing is rounded or left out.
//! Lists in which little is alike are saved record by record, and so are short ones.
//!
//! ```text
//! folded   lists   columns   numbers as steps   split   records without their numbers   text   records put together again
//! ```

mod columns;
mod folded;
mod split;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use folded::{deserialize, serialize};
