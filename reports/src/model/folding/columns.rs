//! Writes numbers as steps from one to the next: `7000 -12*3 45`.

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
