//! What the crate says on stderr. Whoever has closed it hears nothing, and nothing fails. What a program's names and labels
//! would do to a terminal is taken out.

/// A line on stderr. `eprintln!` would panic if it cannot be written.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), "{}", diagnose_reports::clean_lines(&format!($($part)*)));
    }};
}
pub(crate) use say;
