//! The flame graph, drawn by inferno. No other file names that crate.
//!
//! Callers are above their callees. Every box is a function on a call path, and is as wide as its
//! busy and idle time. The leaves show the parts. `[busy]` is orange, `[idle]` is sky blue, and
//! `[queued]` is yellow. These colors are from the palette of Okabe and Ito, which people with any
//! kind of color vision can distinguish. A function has a pale form of the color of its largest
//! part. Colors do not change between runs. Boxes below 0.01 % of the width are not drawn, but the
//! text report and the JSON list them.
//!
//! inferno adds `u64`s without overflow checks, and its script computes with `f64`s. So times use
//! the finest decimal unit in which the total is exact for both. [`frames`] and [`dress`] add the
//! parts that inferno cannot draw: titles with calls and quantiles, the legend, the footer and a
//! dark mode.

use std::cell::Cell;
use std::io;
use std::thread;

use inferno::flamegraph::color::{BackgroundColor, Color};
use inferno::flamegraph::{Direction, Options, TextTruncateDirection, from_lines};

use crate::analysis::fold::{Stack, fold};
use crate::clean::printable;
use crate::export::frames::{self, Boxes};
use crate::export::wrap::wrap;
use crate::export::{dress, empty, footer::footer};
use crate::model::Snapshot;
use crate::names::{BUSY, IDLE, QUEUED};
use crate::sort::sort_by;
use crate::units::time;
use crate::view::View;

/// The height of a frame in pixels.
pub(crate) const FRAME_HEIGHT: u8 = 18;
/// The size of its text in pixels.
const FONT_SIZE: usize = 12;
/// Maximum number of characters of the process name in the title.
const MAX_NAME: usize = 32;

/// The largest total for which the script of the page is exact: 2^53.
const MAX_TOTAL: u128 = 1 << 53;

/// Renders the flame graph of the view, or the page with the reason why there is none.
pub(crate) fn render(snapshot: &Snapshot, view: View) -> io::Result<String> {
    let mut stacks = fold(snapshot, view);
    sort_by(&mut stacks, |a, b| order(a).cmp(order(b)));
    let total_ns: u128 = stacks.iter().map(|stack| u128::from(stack.value_ns)).sum();
    let unit_ns = unit(total_ns);
    let lines: Vec<String> = lines(&stacks, unit_ns);
    if lines.is_empty() {
        return Ok(empty::svg(snapshot, view));
    }
    let total_ns = u64::try_from(total_ns).unwrap_or(u64::MAX);
    let boxes = Boxes::new(snapshot, &stacks, unit_ns, root(snapshot, view, total_ns));
    let footer = footer(snapshot);
    let mut options = Options::default();
    options.title = title(snapshot, view, total_ns);
    options.subtitle = Some(dress::legend(view));
    // The notes are inside an XML comment, which must not contain two hyphens.
    options.notes = footer.join("; ").replace('-', "\u{2010}");
    options.direction = Direction::Inverted;
    options.font_size = FONT_SIZE;
    options.frame_height = usize::from(FRAME_HEIGHT);
    options.deterministic = true;
    // inferno sorts lines by bytes, except for a chart, for which it reverses the lines.
    options.flame_chart = true;
    options.bgcolors = Some(BackgroundColor::Flat(color(dress::BACKGROUND)));
    options.text_truncate_direction = TextTruncateDirection::Right;
    let page = draw(options, &lines)?;
    let page = String::from_utf8(page).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    // Longer lines would be cut at the edge of the page.
    let footer: Vec<String> = wrap(&footer.join("\n")).lines().map(str::to_owned).collect();
    Ok(dress::dress(boxes.edit(&page), &footer))
}

thread_local! {
    /// Whether this thread has drawn a flame graph before.
    static HAS_DRAWN: Cell<bool> = const { Cell::new(false) };
    static STORAGE: Storage = const { Storage };
}

/// A thread-local value that is destroyed when inferno's own thread-local values are. inferno
/// cannot draw without its values.
struct Storage;

impl Drop for Storage {
    fn drop(&mut self) {
        // Without a `Drop` implementation, the value would have no destructor.
    }
}

/// Draws the folded lines. While the thread-local storage of this thread is being destroyed,
/// another thread draws. That happens if a thread-local value of the program, or a function that
/// runs at exit, writes a report.
fn draw(mut options: Options<'_>, lines: &[String]) -> io::Result<Vec<u8>> {
    let mut here = || {
        let mut page = Vec::new();
        from_lines(&mut options, lines.iter().rev().map(String::as_str), &mut page)?;
        HAS_DRAWN.set(true);
        Ok(page)
    };
    if HAS_DRAWN.get() && STORAGE.try_with(|_| ()).is_err() {
        return elsewhere(here);
    }
    let page = here();
    // This value is created after inferno's values, so it is destroyed before them.
    let _ = STORAGE.try_with(|_| ());
    page
}

/// Calls `draw` on another thread.
fn elsewhere(draw: impl FnMut() -> io::Result<Vec<u8>> + Send) -> io::Result<Vec<u8>> {
    thread::scope(|scope| {
        let thread = thread::Builder::new().name("diagnose-draw".to_owned()).spawn_scoped(scope, draw)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the report panicked")))
    })
}

/// The name of the root frame, which is as wide as the total time.
fn root(snapshot: &Snapshot, view: View, total_ns: u64) -> String {
    let explained = match view {
        View::Wall => frames::tasks(snapshot, total_ns),
        View::Busy => frames::mean_threads(total_ns, snapshot.elapsed_ns)
            .map(|threads| format!("{threads} threads busy for {}", time(snapshot.elapsed_ns))),
        View::Time | View::Idle => None,
    };
    explained.unwrap_or_else(|| "all".to_owned())
}

/// The title: the process, the total time, and how it adds up.
fn title(snapshot: &Snapshot, view: View, total_ns: u64) -> String {
    let name: String = printable(&snapshot.process.name).chars().take(MAX_NAME).collect();
    let name = if name.is_empty() { "process".to_owned() } else { name };
    let total = time(total_ns);
    let recorded = time(snapshot.elapsed_ns);
    match (view, frames::tasks(snapshot, total_ns)) {
        (View::Wall, Some(tasks)) => {
            format!("{name}: {total} of wall time = {tasks}, recorded in {recorded}, by async call path")
        }
        (View::Wall, None) => format!("{name}: {total} of wall time in {recorded}, by async call path"),
        (View::Time, _) => format!("{name}: {total} of busy and idle time in {recorded}, by async call path"),
        (View::Busy, _) => format!("{name}: {total} inside poll in {recorded}, by async call path"),
        (View::Idle, _) => {
            format!("{name}: {total} between polls in {recorded}; waits at the same time all count")
        }
    }
}

/// The smallest power of ten, in ns, as a unit in which the total is small enough.
fn unit(total_ns: u128) -> u64 {
    let mut unit_ns = 1;
    while total_ns / u128::from(unit_ns) > MAX_TOTAL {
        unit_ns *= 10;
    }
    unit_ns
}

/// The sort key of a stack, which places a function's own time after its callees, as on the page.
fn order(stack: &Stack) -> impl Iterator<Item = (bool, &str)> {
    let is_leaf = |frame: &str| [BUSY, IDLE, QUEUED].contains(&frame);
    stack.frames.iter().map(move |frame| (is_leaf(frame), frame.as_str()))
}

/// Folded lines, without stacks below one unit.
fn lines(stacks: &[Stack], unit_ns: u64) -> Vec<String> {
    let line = |stack: &Stack| match stack.value_ns / unit_ns {
        0 => None,
        value => Some(format!("{} {value}", stack.frames.join(";"))),
    };
    stacks.iter().filter_map(line).collect()
}

fn color([r, g, b]: dress::Rgb) -> Color {
    Color { r, g, b }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::mpsc::{Sender, channel};
    use std::thread;

    use inferno::flamegraph::Options;

    use super::draw;

    struct DrawsWhenDropped(Sender<Result<Vec<u8>, String>>);

    impl Drop for DrawsWhenDropped {
        fn drop(&mut self) {
            let drawn = draw(Options::default(), &["a 1".to_owned()]);
            self.0.send(drawn.map_err(|error| error.to_string())).unwrap();
        }
    }

    thread_local! {
        static BEFORE: RefCell<Option<DrawsWhenDropped>> = const { RefCell::new(None) };
        static AFTER: RefCell<Option<DrawsWhenDropped>> = const { RefCell::new(None) };
    }

    #[test]
    fn a_value_of_a_thread_that_has_drawn_can_draw_while_it_is_destroyed() {
        let (send, drawn) = channel();
        let other = send.clone();
        let ends = thread::spawn(move || {
            BEFORE.set(Some(DrawsWhenDropped(send)));
            draw(Options::default(), &["a 1".to_owned()]).unwrap();
            AFTER.set(Some(DrawsWhenDropped(other)));
        });
        ends.join().unwrap();
        let drawn: Vec<_> = drawn.iter().collect();
        assert_eq!(drawn.len(), 2);
        for page in drawn {
            assert!(String::from_utf8(page.unwrap()).unwrap().contains("<svg"));
        }
    }
}
