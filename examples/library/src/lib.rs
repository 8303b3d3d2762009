//! A library that is annotated, and costs its users nothing.
//!
//! It depends on `diagnose` without features: the attribute then leaves every function as it is,
//! and no further crate is compiled. An application that depends on `diagnose` with its default
//! features records this library too, since Cargo unifies the features of a dependency.
//! ```text
//! cargo test -p diagnose-example-library                       as users without diagnose have it
//! cargo test -p diagnose-example-library --features diagnose   as part of an application that records
//! ```

use diagnose::diagnose;

/// Parses lines of `name = number`, and skips all others.
#[derive(Debug, Default)]
pub struct Parser {
    skipped: usize,
}

#[diagnose]
impl Parser {
    /// Parses one line. Returns `None` for a line that it skips.
    pub async fn parse(&mut self, line: &str) -> Option<(String, u64)> {
        let parsed = line.split_once('=').and_then(|(name, number)| {
            let number = number.trim().parse().ok()?;
            Some((name.trim().to_owned(), number))
        });
        self.skipped += usize::from(parsed.is_none());
        parsed
    }

    /// Parses a text. Returns its numbers, and how many lines were skipped.
    pub async fn parse_all(&mut self, text: &str) -> (Vec<(String, u64)>, usize) {
        let mut numbers = Vec::new();
        for line in text.lines() {
            numbers.extend(self.parse(line).await);
        }
        (numbers, self.skipped)
    }
}
