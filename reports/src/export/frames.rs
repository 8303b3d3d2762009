//! Sets the titles and colors of the boxes in the flame graph.
//!
//! ```text
//! lookup (2.87 s, 8.92 %; 5,957 calls of 482 µs; 6,747 polls: p50 5.60 µs, p99 32.1 µs, longest 15.5 ms)
//! ```
//! A function has a pale form of the color of its largest part: busy, waiting or queued. Black text
//! is readable on all of these colors. inferno knows only names, so its page is edited afterwards.
//! Each box is identified by its depth and its start. A box without a match keeps the title and
//! color from inferno.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use crate::analysis::fold::Stack;
use crate::analysis::paths::{Labels, Paths, paths};
use crate::analysis::quantile::Histogram;
use crate::analysis::tree::is_task;
use crate::export::dress::{BUSY_COLOR, IDLE_COLOR, OTHER_COLOR, QUEUED_COLOR, Rgb, escape};
use crate::model::{Durations, Snapshot};
use crate::names::{BUSY, DEEPER, IDLE, OTHER, QUEUED};
use crate::units::{count, counted, percent, time};

/// The text with which inferno marks a cut.
const CUT: &str = "..";

/// Calls, polls and durations of one path, summed over its nodes.
#[derive(Debug, Default)]
struct PathCounts {
    calls: u64,
    polls: u64,
    longest_poll_ns: u64,
    poll_durations: Histogram,
    latency: Durations,
}

/// A box, with its title and color.
#[derive(Debug)]
struct FrameBox {
    path: String,
    name: String,
    /// ns of the leaves `[busy]`, `[idle]` and `[queued]` in it.
    leaves_ns: [u128; 3],
}

/// All boxes, by depth and start. The root has depth 0.
#[derive(Debug)]
pub(crate) struct Boxes {
    by_place: HashMap<(u64, u64), FrameBox>,
    counts: HashMap<String, PathCounts>,
    total_ns: u128,
}

impl Boxes {
    /// Lays out stacks as inferno does. Times are multiples of `unit_ns`. `root` is the name of the
    /// root frame.
    pub(crate) fn new(snapshot: &Snapshot, stacks: &[Stack], unit_ns: u64, root: String) -> Self {
        let value_ns = |stack: &Stack| stack.value_ns / unit_ns * unit_ns;
        let total_ns: u128 = stacks.iter().map(|stack| u128::from(value_ns(stack))).sum();
        let mut by_place = HashMap::new();
        // A box that is too narrow to be drawn needs no title.
        let mut close = |((depth, start), frame): ((u64, u64), FrameBox)| {
            if frame.total_ns().saturating_mul(20_000) >= total_ns {
                by_place.insert((depth, start), frame);
            }
        };
        let mut open = vec![((0, 0), FrameBox { path: String::new(), name: root, leaves_ns: [0; 3] })];
        let (mut start, mut before): (u64, &[String]) = (0, &[]);
        for stack in stacks.iter().filter(|stack| stack.value_ns >= unit_ns) {
            let common = stack.frames.iter().zip(before).take_while(|(a, b)| a == b).count();
            open.drain((common + 1).min(open.len())..).for_each(&mut close);
            for depth in common..stack.frames.len() {
                let path = stack.frames[..=depth].join(";");
                let name = stack.frames[depth].clone();
                open.push(((depth as u64 + 1, start), FrameBox { path, name, leaves_ns: [0; 3] }));
            }
            let leaf = stack.frames.last().map_or("", String::as_str);
            let leaf = [BUSY, IDLE, QUEUED].iter().position(|it| *it == leaf).unwrap_or(0);
            for (_, frame) in &mut open {
                frame.leaves_ns[leaf] += u128::from(value_ns(stack));
            }
            start = start.saturating_add(stack.value_ns / unit_ns);
            before = &stack.frames;
        }
        open.into_iter().for_each(&mut close);
        let wanted: HashSet<&str> = by_place.values().map(|frame: &FrameBox| frame.path.as_str()).collect();
        let counts = counts(snapshot, &wanted);
        Self { by_place, counts, total_ns }
    }

    /// Writes titles and colors into inferno's page.
    pub(crate) fn edit(&self, page: &str) -> String {
        let Some(frames) = page.find("<svg id=\"frames\"") else { return page.to_owned() };
        let (head, rest) = page.split_at(frames);
        let tops = || rest.split("<title>").skip(1).filter_map(|frame| attribute(frame, "y"));
        let (top, height) = (tops().min().unwrap_or(0), u64::from(super::svg::FRAME_HEIGHT));
        let mut edited = head.to_owned();
        for (index, part) in rest.split("<title>").enumerate() {
            if index == 0 {
                edited.push_str(part);
                continue;
            }
            edited.push_str("<title>");
            let place = attribute(part, "y").zip(attribute(part, "fg:x"));
            let found = place.and_then(|(y, start)| self.by_place.get(&((y - top) / height, start)));
            match found.zip(part.split_once("</title>")) {
                Some((frame, (_, rest))) => self.edit_frame(frame, rest, &mut edited),
                None => edited.push_str(part),
            }
        }
        edited
    }

    fn edit_frame(&self, frame: &FrameBox, rest: &str, page: &mut String) {
        page.push_str(&escape(&self.title(frame)));
        page.push_str("</title>");
        let [red, green, blue] = frame.color();
        let fill =
            rest.split_once(" fill=\"").and_then(|(start, rest)| Some((start, rest.split_once('"')?.1)));
        let rest = match fill {
            Some((start, rest)) => format!("{start} fill=\"rgb({red},{green},{blue})\"{rest}"),
            None => rest.to_owned(),
        };
        page.push_str(&frame.with_text(&rest));
    }

    /// The title of a box. It ends with a part in parentheses that contains no further parentheses,
    /// because the script of the page takes everything before that part as the name.
    fn title(&self, frame: &FrameBox) -> String {
        // If the total exceeds `u64`, the share is computed in larger units.
        let scaled =
            |ns: u128| u64::try_from(ns >> (64 - self.total_ns.leading_zeros().min(64))).unwrap_or(u64::MAX);
        let share = percent(scaled(frame.total_ns()), scaled(self.total_ns));
        let total_ns = u64::try_from(frame.total_ns()).unwrap_or(u64::MAX);
        let mut title = format!("{} ({}, {share}", frame.name, time(total_ns));
        let meaning = match frame.name.as_str() {
            BUSY => "; inside poll",
            IDLE => "; waiting, between polls",
            QUEUED => "; woken, not polled yet",
            _ => "",
        };
        title.push_str(meaning);
        if let Some(counts) = self.counts.get(&frame.path) {
            counts.write(&mut title, total_ns);
        }
        title.push(')');
        title
    }
}

impl FrameBox {
    /// The box with its text cut in the middle. inferno would cut the end, which contains the line
    /// number.
    fn with_text(&self, rest: &str) -> String {
        let Some((head, (text, tail))) = rest
            .rsplit_once("</text>")
            .and_then(|(rest, tail)| rest.rsplit_once('>').map(|(head, text)| (head, (text, tail))))
        else {
            return rest.to_owned();
        };
        let text = match text.strip_suffix(CUT) {
            // inferno leaves the text of the root to the script of the page, but scripts do not run
            // in a GitHub issue.
            None if self.path.is_empty() => escape(&self.name),
            Some(start) if escape(&self.name) != text => escape(&self.cut(letters(start))),
            _ => text.to_owned(),
        };
        format!("{head}>{text}</text>{tail}")
    }

    /// The name, cut in the middle to `length` letters and the mark. A very short text keeps only
    /// the start.
    fn cut(&self, length: usize) -> String {
        let all = self.name.chars().count();
        let head = if length < 12 { length } else { length / 2 };
        let start = self.name.chars().take(head);
        let end = self.name.chars().skip(all.saturating_sub(length - head));
        start.chain(CUT.chars()).chain(end).collect()
    }

    fn total_ns(&self) -> u128 {
        self.leaves_ns.iter().sum()
    }

    fn color(&self) -> Rgb {
        match self.name.as_str() {
            BUSY => BUSY_COLOR,
            IDLE => IDLE_COLOR,
            QUEUED => QUEUED_COLOR,
            OTHER | DEEPER => OTHER_COLOR,
            name => pale(self.leaves_ns, name),
        }
    }
}

impl PathCounts {
    fn write(&self, title: &mut String, total_ns: u64) {
        // Writing to a string cannot fail.
        if let Some(mean_ns) = total_ns.checked_div(self.calls) {
            let _ = write!(title, "; {} of {}", counted(self.calls, "call"), time(mean_ns));
        }
        if !self.latency.is_empty() {
            let latency = self.latency.quantiles();
            let [p50, p99, longest] = [latency.p50_ns, latency.p99_ns, latency.max_ns].map(time);
            let _ = write!(title, ", latency p50 {p50}, p99 {p99}, longest {longest}");
        }
        let quantile = |per_mille| self.poll_durations.quantile(per_mille, self.longest_poll_ns);
        if self.polls > 0 {
            let _ = write!(title, "; {}", counted(self.polls, "poll"));
        }
        if let Some((p50_ns, p99_ns)) = quantile(500).zip(quantile(990)) {
            let [p50, p99, longest] = [p50_ns, p99_ns, self.longest_poll_ns].map(time);
            let _ = write!(title, ": p50 {p50}, p99 {p99}, longest {longest}");
        }
    }
}

/// The counts of the wanted paths, by the frames of each path.
fn counts(snapshot: &Snapshot, wanted: &HashSet<&str>) -> HashMap<String, PathCounts> {
    let Paths { list, names, of_nodes } = paths(snapshot, Labels::Merged);
    let (mut line, mut lengths) = (String::new(), Vec::new());
    // By path: the counts of the first path with these frames.
    let mut found = HashMap::<usize, (String, PathCounts)>::new();
    let mut known = HashSet::new();
    for (index, path) in list.iter().enumerate() {
        lengths.truncate(path.depth - 1);
        line.truncate(lengths.last().copied().unwrap_or_default());
        line.push_str(if line.is_empty() { "" } else { ";" });
        line.push_str(path.site.frame(&names));
        lengths.push(line.len());
        if wanted.contains(line.as_str()) && known.insert(line.clone()) {
            found.insert(index, (line.clone(), PathCounts::default()));
        }
    }
    for (node, path) in snapshot.nodes.iter().zip(of_nodes) {
        let Some((_, counts)) = path.and_then(|path| found.get_mut(&path)) else { continue };
        counts.calls = counts.calls.saturating_add(node.calls);
        counts.polls = counts.polls.saturating_add(node.polls);
        counts.longest_poll_ns = counts.longest_poll_ns.max(node.longest_poll_ns);
        counts.poll_durations.merge(&node.polls_histogram);
        counts.latency.merge(&node.latency.completed);
    }
    found.into_values().collect()
}

/// The name of the root, which explains the total wall time: that of tasks, and that of synchronous
/// functions and the like outside of all tasks. `None` without tasks.
pub(crate) fn tasks(snapshot: &Snapshot, total_ns: u64) -> Option<String> {
    let roots = || snapshot.nodes.iter().filter(|node| node.parent.is_none());
    let others = roots().filter(|root| !is_task(snapshot, root));
    let others_ns =
        others.fold(0, |sum: u64, root| sum.saturating_add(root.busy_ns).saturating_add(root.idle_ns));
    // The tasks that they poll, at any depth, are roots of their own.
    let mut are_others: Vec<bool> = Vec::with_capacity(snapshot.nodes.len());
    let mut nested_ns: u64 = 0;
    for node in &snapshot.nodes {
        let of_parent = node.parent.map(|parent| are_others.get(parent.get()).copied().unwrap_or_default());
        let is_other = of_parent.unwrap_or_else(|| !is_task(snapshot, node));
        are_others.push(is_other);
        if is_other {
            nested_ns = nested_ns.saturating_add(node.nested_ns);
        }
    }
    let others_ns = others_ns.saturating_sub(nested_ns).min(total_ns);
    let tasks = roots().filter(|root| is_task(snapshot, root));
    let tasks = tasks.fold(0, |sum: u64, root| sum.saturating_add(root.calls));
    let mean_ns = (total_ns - others_ns).checked_div(tasks)?;
    let outside =
        if others_ns == 0 { String::new() } else { format!(" + {} outside of tasks", time(others_ns)) };
    Some(format!("{} × {}{outside}", counted(tasks, "task"), time(mean_ns)))
}

/// The mean number of threads that are busy at a time, such as `1.51`.
pub(crate) fn mean_threads(total_ns: u64, elapsed_ns: u64) -> Option<String> {
    let hundredths = (u128::from(total_ns) * 100).checked_div(u128::from(elapsed_ns))?;
    let whole = u64::try_from(hundredths / 100).unwrap_or(u64::MAX);
    Some(format!("{}.{:02}", count(whole), hundredths % 100))
}

/// A pale form of the color of the largest part. The shade depends only on the name, so that
/// neighbors usually differ.
fn pale(leaves_ns: [u128; 3], name: &str) -> Rgb {
    let hash = name.bytes().fold(0_u16, |sum, byte| sum.wrapping_mul(31).wrapping_add(u16::from(byte)));
    // Between 45 % and 66 % of the mix is white.
    let white = 45 + hash % 4 * 7;
    let leaves = [BUSY_COLOR, IDLE_COLOR, QUEUED_COLOR].into_iter().zip(leaves_ns);
    // Among equal parts, the first one wins.
    let largest = leaves.rev().max_by_key(|(_, ns)| *ns).map_or(OTHER_COLOR, |(color, _)| color);
    largest.map(|channel| {
        let paled = (u16::from(channel) * (100 - white) + 255 * white) / 100;
        u8::try_from(paled).unwrap_or(u8::MAX)
    })
}

/// The number of letters of an escaped text.
fn letters(text: &str) -> usize {
    let mut is_inside = false;
    let is_letter = |c: char| {
        let was_inside = is_inside;
        is_inside = c == '&' || (is_inside && c != ';');
        !was_inside
    };
    text.chars().map(is_letter).filter(|is_letter| *is_letter).count()
}

/// The integer part of an attribute, from the first tag that has it.
fn attribute(text: &str, name: &str) -> Option<u64> {
    let (_, rest) = text.split_once(&format!(" {name}=\""))?;
    rest.split(['"', '.']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{mean_threads, pale};

    #[test]
    fn black_is_readable_on_every_color() {
        for leaves_ns in [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0], [u128::MAX / 3; 3]] {
            for name in ["a", "b", "c", "d", "handle", "測試"] {
                let [red, green, blue] = pale(leaves_ns, name).map(|channel| f64::from(channel) / 255.0);
                let luminance = 0.2126 * red.powf(2.2) + 0.7152 * green.powf(2.2) + 0.0722 * blue.powf(2.2);
                assert!((luminance + 0.05) / 0.05 > 7.0, "{leaves_ns:?} {name}");
            }
        }
    }

    #[test]
    fn mean_numbers_of_threads_have_two_decimals() {
        assert_eq!(mean_threads(3_120, 2_060).unwrap(), "1.51");
        assert_eq!(mean_threads(1, 0), None);
    }
}
