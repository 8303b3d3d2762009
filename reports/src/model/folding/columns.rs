//! Writes numbers as steps from one to the next: `7000 -12*3 45`.

use crate::json::push_decimal;

/// A column that is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct Column {
    last: u64,
    step: i64,
    /// Number of times in a row that this step has occurred.
    count: u64,
    text: Vec<u8>,
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
            let is_negative = self.step < 0;
            push_run(&mut self.text, is_negative, self.step.unsigned_abs(), self.count);
            self.count = 0;
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.end_run();
        String::from_utf8(self.text).unwrap_or_default()
    }
}

/// Writes `item*count`, or `item` for a count of one.
pub(super) fn push_run(text: &mut Vec<u8>, is_negative: bool, item: u64, count: u64) {
    if !text.is_empty() {
        text.push(b' ');
    }
    if is_negative {
        text.push(b'-');
    }
    push_decimal(text, item);
    if count > 1 {
        text.push(b'*');
        push_decimal(text, count);
    }
}
