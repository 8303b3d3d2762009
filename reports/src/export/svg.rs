//! The flame graph, drawn by inferno. No other file names that crate.
//!
//! Callers are above what they call. Every box is a function on a call path and as wide as its busy
//! and idle time; the leaves say which is which. Colors are Okabe and Ito's, which all kinds of
//! color vision can distinguish: `[busy]` orange, `[idle]` sky blue, `[queued]` yellow; a function
//! has the color of its largest part, paled. They are equal in every run. A box below 0.01 % of the
//! width is not drawn; the text report and the JSON have it.
//!
//! inferno adds `u64`s unchecked and its script computes in `f64`s. So times come in the finest
//! decimal unit in which the total is safe in both. [`frames`] and [`dress`] add what inferno
//! cannot draw: titles with calls and quantiles, the legend, the footer and a dark mode.

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
/// How many characters of the process' name are in the title.
const MAX_NAME: usize = 32;

/// The largest total in which the page's script still tells neighbors apart: 2^53.
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
    // The notes are inside a comment, which two hyphens would end for a strict parser.
    options.notes = footer.join("; ").replace('-', "\u{2010}");
    options.direction = Direction::Inverted;
    options.font_size = FONT_SIZE;
    options.frame_height = usize::from(FRAME_HEIGHT);
    options.deterministic = true;
    // Its order is that of bytes, unless it draws a chart, whose lines it reverses.
    options.flame_chart = true;
    options.bgcolors = Some(BackgroundColor::Flat(color(dress::BACKGROUND)));
    options.text_truncate_direction = TextTruncateDirection::Right;
    let page = draw(options, &lines)?;
    let page = String::from_utf8(page).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    // A longer line would be cut at the edge of the page.
    let footer: Vec<String> = wrap(&footer.join("\n")).lines().map(str::to_owned).collect();
    Ok(dress::dress(boxes.edit(&page), &footer))
}

thread_local! {
    /// Whether this thread has drawn.
    static HAS_DRAWN: Cell<bool> = const { Cell::new(false) };
    static STORAGE: Storage = const { Storage };
}

/// Destroyed when inferno's own values of this thread are, which it needs, and cannot do without.
struct Storage;

impl Drop for Storage {
    fn drop(&mut self) {
        // A value without a drop would not be destroyed.
    }
}

/// Draws the folded lines. A thread whose storage is being destroyed lets another one draw: a
/// value of the program that is dropped there may write a report, and so may a function that runs
/// at exit.
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
    // After the first drawing, so that it is destroyed before what inferno has made there.
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

/// The name of the lowest frame, which is as wide as all the time.
fn root(snapshot: &Snapshot, view: View, total_ns: u64) -> String {
    let explained = match view {
        View::Wall => frames::tasks(snapshot, total_ns),
        View::Busy => frames::mean_threads(total_ns, snapshot.elapsed_ns)
            .map(|threads| format!("{threads} threads busy for {}", time(snapshot.elapsed_ns))),
        View::Time | View::Idle => None,
    };
    explained.unwrap_or_else(|| "all".to_owned())
}

/// The title: whose time, how much, and how it adds up.
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

/// The power of ten, in ns, in which the total is small enough.
fn unit(total_ns: u128) -> u64 {
    let mut unit_ns = 1;
    while total_ns / u128::from(unit_ns) > MAX_TOTAL {
        unit_ns *= 10;
    }
    unit_ns
}

/// Sorts a function's own time after its callees, as on the page.
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
