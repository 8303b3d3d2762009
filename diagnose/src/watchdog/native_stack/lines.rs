//! Turns a thread's native stack into lines, without the frames that do not matter.
//!
//! ```text
//! clock_nanosleep                 ┐ the innermost frames of any origin: the call in which
//! std::thread::sleep              ┘ the program's own code is
//! app::parse (src/parse.rs:5)     ┐ the program's own code and its dependencies
//! <diagnose::Timed as Future>     ┤ not shown: this crate, the runtime, the standard library
//! app::conn (src/main.rs:14)      ┘
//! tokio::runtime::task …          ┐ not shown: the callers of all of it
//! clone3                          ┘
//! ```

use super::{interrupt, unwind};

/// Maximum number of lines. `MAX_INNERMOST` bounds the innermost ones that are not the program's
/// own.
const MAX_LINES: usize = 32;
const MAX_INNERMOST: usize = 6;

/// A function on a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Frame {
    name: String,
    /// For example `src/main.rs:14`; empty if unknown.
    place: String,
}

/// Returns the stack of a thread as lines, innermost first. Empty if the thread does not answer.
pub(in crate::watchdog) fn of(thread_id: u64) -> Vec<String> {
    shown(addresses_of(thread_id).into_iter().flat_map(functions).collect())
}

/// Returns the code addresses on a thread's stack, innermost first. Empty if the thread does not
/// answer.
#[must_use]
pub fn addresses_of(thread_id: u64) -> Vec<usize> {
    interrupt::copy_of(thread_id).map(|copied| unwind::addresses(&copied)).unwrap_or_default()
}

/// Returns the functions at an address, innermost first. Inlined functions share one address.
fn functions(address: usize) -> Vec<Frame> {
    let folder = std::env::current_dir().ok();
    let mut frames = Vec::new();
    backtrace::resolve(std::ptr::without_provenance_mut(address), |symbol| {
        let Some(name) = symbol.name() else { return };
        let place = symbol.filename().zip(symbol.lineno()).map(|(file, line)| {
            let inside = folder.as_deref().and_then(|folder| file.strip_prefix(folder).ok());
            format!("{}:{line}", inside.unwrap_or(file).display())
        });
        frames.push(Frame { name: format!("{name:#}"), place: place.unwrap_or_default() });
    });
    frames
}

/// Copies the stack of the thread without unwinding it. Returns the number of words copied; 0 if
/// the thread does not answer.
#[must_use]
pub fn interrupt_thread(thread_id: u64) -> usize {
    interrupt::copy_of(thread_id).map_or(0, |copied| copied.stack.len())
}

fn shown(frames: Vec<Frame>) -> Vec<String> {
    let first_own = frames.iter().position(Frame::is_own);
    let last_own = frames.iter().rposition(Frame::is_own);
    let (Some(first), Some(last)) = (first_own, last_own) else {
        // No frame is the program's own: show any.
        return frames.into_iter().take(MAX_INNERMOST).map(Frame::line).collect();
    };
    let mut lines = Vec::new();
    for (number, frame) in frames.into_iter().enumerate() {
        let is_shown = if number < first { number < MAX_INNERMOST } else { !frame.is_internal() };
        let line = frame.line();
        if number <= last && is_shown && lines.last() != Some(&line) {
            lines.push(line);
        }
    }
    if lines.len() > MAX_LINES {
        let rest = lines.len() - MAX_LINES;
        lines.truncate(MAX_LINES);
        lines.push(format!("… and {rest} more"));
    }
    lines
}

impl Frame {
    /// Returns whether it belongs to this crate, a runtime or the standard library.
    fn is_internal(&self) -> bool {
        const INTERNAL: [&str; 10] = [
            "alloc",
            "async_std",
            "backtrace",
            "core",
            "diagnose",
            "parking_lot_core",
            "smol",
            "async_executor",
            "std",
            "tokio",
        ];
        INTERNAL.contains(&self.krate())
    }

    /// Returns whether it is any other Rust function.
    fn is_own(&self) -> bool {
        self.name.contains("::") && !self.is_internal()
    }

    /// Returns the crate's name, or "" if there is none: `tokio` of
    /// `<tokio::task::Task<T> as core::future::Future>::poll`.
    fn krate(&self) -> &str {
        let name = self.name.trim_start_matches(['<', '&', '(', '[']);
        name.strip_prefix("dyn ").unwrap_or(name).split("::").next().unwrap_or(name)
    }

    fn line(self) -> String {
        // A place inside the standard library does not help the reader.
        let has_place = !self.place.is_empty() && !self.is_internal();
        let Self { mut name, place } = self;
        while let Some(outside) = name.strip_suffix("::{{closure}}") {
            name.truncate(outside.len());
        }
        if has_place { format!("{name} ({place})") } else { name }
    }
}

#[cfg(test)]
mod tests {
    use super::{Frame, MAX_LINES, shown};

    fn frames(names: &[&str]) -> Vec<Frame> {
        let frame = |name: &&str| Frame { name: (*name).to_owned(), place: String::new() };
        names.iter().map(frame).collect()
    }

    #[test]
    fn the_programs_own_code_is_shown_and_what_it_is_in() {
        let stack = [
            "clock_nanosleep",
            "std::thread::sleep",
            "app::parse::{{closure}}",
            "<diagnose::timed::Timed<F> as core::future::future::Future>::poll",
            "library_in_c",
            "<app::Conn as core::future::future::Future>::poll::{{closure}}::{{closure}}",
            "tokio::runtime::task::raw::poll",
            "start_thread",
        ];
        let expected = [
            "clock_nanosleep",
            "std::thread::sleep",
            "app::parse",
            "library_in_c",
            "<app::Conn as core::future::future::Future>::poll",
        ];
        assert_eq!(shown(frames(&stack)), expected);
    }

    #[test]
    fn a_stack_without_code_of_its_own_shows_where_it_is() {
        assert_eq!(shown(frames(&["read", "std::io::read"])), ["read", "std::io::read"]);
        assert!(shown(Vec::new()).is_empty());
    }

    #[test]
    fn a_deep_stack_says_how_much_is_left_out() {
        let names: Vec<String> = (0..100).map(|depth| format!("app::f{depth}")).collect();
        let lines = shown(frames(&names.iter().map(String::as_str).collect::<Vec<_>>()));
        assert_eq!(lines.len(), MAX_LINES + 1);
        assert_eq!(lines[MAX_LINES], format!("… and {} more", 100 - MAX_LINES));
    }
}
