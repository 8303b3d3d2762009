//! Reads numbers that were written as steps.

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
    /// Number of times that this step is still to be applied.
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
