//! Numbers as steps from one to the next: `7000 -12*3 45`.

use std::fmt::{self, Write as _};

/// Writes a column.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    last: u64,
    step: i64,
    /// How many times in a row that step has occurred.
    count: u64,
    text: String,
}

impl Column {
    pub(super) fn push(&mut self, number: u64) {
        let step = 0_i64.wrapping_add_unsigned(number.wrapping_sub(self.last));
        if step != self.step {
            self.end_run();
            self.step = step;
        }
        self.count += 1;
        self.last = number;
    }

    fn end_run(&mut self) {
        if self.count > 0 {
            push_run(&mut self.text, self.step, self.count);
            self.count = 0;
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.end_run();
        self.text
    }
}

/// Writes `item*count`, or `item` for a count of one.
pub(super) fn push_run(text: &mut String, item: impl fmt::Display, count: u64) {
    if !text.is_empty() {
        text.push(' ');
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "{item}");
    if count > 1 {
        let _ = write!(text, "*{count}");
    }
}

/// Reads all runs of a text.
pub(super) fn runs(text: &str) -> Result<Vec<(i64, u64)>, String> {
    text.split_ascii_whitespace().map(run).collect()
}

/// `item*count`.
fn run(text: &str) -> Result<(i64, u64), String> {
    let (item, count) = text.split_once('*').unwrap_or((text, "1"));
    let run = item.parse().ok().zip(count.parse().ok().filter(|count| *count > 0));
    run.ok_or_else(|| format!("`{text}` is no step of a column"))
}

/// Reads a column.
pub(super) struct Steps<'a> {
    runs: std::str::SplitAsciiWhitespace<'a>,
    last: u64,
    step: i64,
    /// How many times that step is still to be applied.
    left: u64,
}

impl<'a> Steps<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { runs: text.split_ascii_whitespace(), last: 0, step: 0, left: 0 }
    }

    /// The next number.
    pub(super) fn next(&mut self) -> Result<u64, String> {
        if self.left == 0 {
            let next = self.runs.next().ok_or("a column is shorter than its shape comes often")?;
            (self.step, self.left) = run(next)?;
        }
        self.left -= 1;
        self.last = self.last.wrapping_add_signed(self.step);
        Ok(self.last)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.left == 0 && self.runs.clone().next().is_none()
    }
}
