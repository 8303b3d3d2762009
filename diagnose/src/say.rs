//! What the crate says on stderr. Whoever has closed it hears nothing, and nothing fails.

/// A line on stderr. `eprintln!` would panic if it cannot be written.
macro_rules! say {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}
pub(crate) use say;
