//! The flame graph, drawn by inferno. No other file names that crate.
//!
//! Stacks grow upwards from `all`. Every box is a function on a call path and as wide as its busy
//! and idle time; the leaves say which is which. Colors are Okabe and Ito's, which all kinds of
//! color vision can tell apart: `[busy]` orange, `[idle]` sky blue, functions pale beige. They are
//! equal in every run. A box below 0.01 % of the width is not drawn; the text report and the JSON
//! have it.
//!
//! inferno adds `u64`s unchecked and its script computes in `f64`s. So times come in the finest
//! decimal unit in which the total is safe in both. [`dress`] adds what inferno cannot draw: the
//! legend, the footer and a dark mode.

use std::io;

use inferno::flamegraph::color::{BackgroundColor, Color, PaletteMap};
use inferno::flamegraph::{Options, TextTruncateDirection, from_lines};

use crate::analysis::fold::{Stack, fold};
use crate::export::{dress, empty, footer::footer};
use crate::model::Snapshot;
use crate::names::{BUSY, DEEPER, IDLE, OTHER, QUEUED};
use crate::view::View;

/// The largest total in which the page's script still tells neighbors apart: 2^53.
const MAX_TOTAL: u128 = 1 << 53;
/// Below this total the page counts in nanoseconds, above in microseconds.
const MIN_TOTAL_FOR_MICROS_NS: u128 = 1_000_000;

/// Renders the flame graph of the view, or the page with the reason why there is none.
pub(crate) fn render(snapshot: &Snapshot, view: View) -> io::Result<String> {
    let stacks = fold(snapshot, view);
    let total_ns: u128 = stacks.iter().map(|stack| u128::from(stack.value_ns)).sum();
    let (unit_ns, factor_to_ns) = unit(total_ns);
    let lines: Vec<String> = lines(&stacks, unit_ns);
    if lines.is_empty() {
        return Ok(empty::svg(snapshot, view));
    }
    let (count_name, factor) = if total_ns < MIN_TOTAL_FOR_MICROS_NS {
        ("ns", factor_to_ns)
    } else {
        ("µs", factor_to_ns / 1000.0)
    };
    let footer = footer(snapshot);
    let mut palette = palette(&stacks);
    let mut options = Options::default();
    title(view).clone_into(&mut options.title);
    options.subtitle = Some(dress::legend(view));
    // The notes are inside a comment, which two hyphens would end for a strict parser.
    options.notes = footer.join("; ").replace('-', "\u{2010}");
    count_name.clone_into(&mut options.count_name);
    options.factor = factor;
    options.deterministic = true;
    options.no_sort = true;
    options.palette_map = Some(&mut palette);
    options.bgcolors = Some(BackgroundColor::Flat(color(dress::BACKGROUND)));
    options.text_truncate_direction = TextTruncateDirection::Right;
    let mut page = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut page)?;
    let page = String::from_utf8(page).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    Ok(dress::dress(page, &footer))
}

fn title(view: View) -> &'static str {
    match view {
        View::Wall => "Wall-clock time of all tasks, by async call path",
        View::Time => "Busy and idle time by async call path",
        View::Busy => "Busy time by async call path",
        View::Idle => "Idle time by async call path (not additive under join!)",
    }
}

/// The power of ten, in ns, in which the total is small enough; as an integer and as a factor.
fn unit(total_ns: u128) -> (u64, f64) {
    let mut unit = (1, 1.0);
    while total_ns / u128::from(unit.0) > MAX_TOTAL {
        unit = (unit.0 * 10, unit.1 * 10.0);
    }
    unit
}

/// Folded lines sorted by bytes, as inferno needs them, without stacks below one unit.
fn lines(stacks: &[Stack], unit_ns: u64) -> Vec<String> {
    let line = |stack: &Stack| match stack.value_ns / unit_ns {
        0 => None,
        value => Some(format!("{} {value}", stack.frames.join(";"))),
    };
    stacks.iter().filter_map(line).collect()
}

/// A color for every frame. Neighboring functions get different shades, by their names alone.
fn palette(stacks: &[Stack]) -> PaletteMap {
    let mut palette = PaletteMap::default();
    for frame in stacks.iter().flat_map(|stack| &stack.frames) {
        palette.insert(frame, color(shade(frame)));
    }
    palette.insert("", color(dress::SHADES[0]));
    palette.insert(BUSY, color(dress::BUSY_COLOR));
    palette.insert(IDLE, color(dress::IDLE_COLOR));
    palette.insert(QUEUED, color(dress::QUEUED_COLOR));
    palette.insert(OTHER, color(dress::OTHER_COLOR));
    palette.insert(DEEPER, color(dress::OTHER_COLOR));
    palette
}

fn shade(frame: &str) -> dress::Rgb {
    let sum = frame.bytes().fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    dress::SHADES[sum % dress::SHADES.len()]
}

fn color([r, g, b]: dress::Rgb) -> Color {
    Color { r, g, b }
}
