//! Display names of sites in every report, and the characters that a name may contain.
//!
//! A site has its plain name if that name is unique in the snapshot. Sites that share a name are
//! all qualified in the first of these styles that distinguishes them:
//! ```text
//! get                    alone
//! server::get            by module
//! get (src/a.rs:3)       by line; unnamed blocks and awaits start here
//! get (src/a.rs:3:14)    by column
//! ```
//! A name then becomes a *frame*, which every format can show: see [`sanitize`]. Frames that are
//! still equal get numbers, as in `get (2)`, so that each frame belongs to one site. The names in
//! brackets below are reserved for reports.

use crate::clean::printable;
use crate::model::{Site, SiteIndex, SiteKind, Snapshot};
use crate::ordered::{OrderedMap, OrderedSet};

/// The frame for a path's own time inside `poll`.
pub(crate) const BUSY: &str = "[busy]";
/// The frame for a path's own time between polls.
pub(crate) const IDLE: &str = "[idle]";
/// The frame for a task's time between wakes and polls.
pub(crate) const QUEUED: &str = "[queued]";
/// The frame for paths that the recorder could not distinguish.
pub(crate) const OTHER: &str = "[other]";
/// The frame for paths below the maximum depth.
pub(crate) const DEEPER: &str = "[deeper]";
/// The name that the macro gives to an unnamed block.
pub(crate) const UNNAMED: &str = "{block}";

/// The styles of a site name, shortest first.
const STYLES: [fn(&Site) -> String; 4] = [
    |site| site.name.clone(),
    |site| if site.module.is_empty() { site.name.clone() } else { format!("{}::{}", site.module, site.name) },
    |site| format!("{} ({})", site.name, location(site)),
    |site| format!("{} ({})", site.name, site.place),
];

/// The frame of every used site, by site index.
#[derive(Debug)]
pub(crate) struct Names {
    frames: Vec<String>,
}

impl Names {
    /// Names the sites that the nodes of the snapshot use. Equal sites in equal order get equal
    /// names.
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        Self::of_sites(snapshot, snapshot.nodes.iter().map(|node| node.site))
    }

    /// Names only the sites in `used`.
    pub(crate) fn of_sites(snapshot: &Snapshot, used: impl Iterator<Item = SiteIndex>) -> Self {
        let mut is_used = vec![false; snapshot.sites.len()];
        for site in used {
            if let Some(is_used) = is_used.get_mut(site.get()) {
                *is_used = true;
            }
        }
        let mut namesakes = OrderedMap::<&str, Vec<usize>>::new();
        let mut frames = vec![OTHER.to_owned(); snapshot.sites.len()];
        for (index, site) in snapshot.sites.iter().enumerate() {
            if is_used[index] && site.kind != SiteKind::Other {
                namesakes.entry(&site.name).or_default().push(index);
            }
        }
        for group in namesakes.values() {
            let style = distinguishing_style(snapshot, group);
            for &index in group {
                frames[index] = sanitize(&style(&snapshot.sites[index]));
            }
        }
        number_equals(snapshot, &is_used, &mut frames);
        Self { frames }
    }

    /// Returns the frame of a site, or [`OTHER`] if the index is out of range.
    pub(crate) fn frame(&self, site: SiteIndex) -> &str {
        self.frames.get(site.get()).map_or(OTHER, String::as_str)
    }
}

/// Returns file and line: `src/a.rs:3`.
pub(crate) fn location(site: &Site) -> String {
    format!("{}:{}", site.place.file.as_str(), site.place.line)
}

/// Returns the first style in which all sites of the group differ, or else the most precise style.
fn distinguishing_style(snapshot: &Snapshot, group: &[usize]) -> fn(&Site) -> String {
    let by_place = |site: &Site| site.name == UNNAMED || site.kind == SiteKind::Await;
    let by_place = group.iter().any(|&index| by_place(&snapshot.sites[index]));
    let styles = if by_place { &STYLES[2..] } else { &STYLES[..] };
    let differ = |style: &&fn(&Site) -> String| {
        let mut texts = OrderedSet::new();
        group.iter().all(|&index| texts.insert(style(&snapshot.sites[index])))
    };
    *styles.iter().find(differ).unwrap_or(&STYLES[3])
}

/// Appends ` (2)`, ` (3)` … to frames that are taken, in the order of the sites.
fn number_equals(snapshot: &Snapshot, is_used: &[bool], frames: &mut [String]) {
    // Unnumbered frames are assigned first, so a site named `a (2)` keeps its name even if a second
    // `a` would get that name.
    let mut taken: OrderedSet<String> =
        [BUSY, IDLE, QUEUED, OTHER, DEEPER].map(str::to_owned).into_iter().collect();
    let mut late = Vec::new();
    for (index, site) in snapshot.sites.iter().enumerate() {
        if is_used[index] && site.kind != SiteKind::Other && !taken.insert(frames[index].clone()) {
            late.push(index);
        }
    }
    let mut numbers = OrderedMap::<String, u64>::new();
    for index in late {
        let number = numbers.entry(frames[index].clone()).or_insert(1);
        frames[index] = loop {
            *number += 1;
            let numbered = format!("{} ({number})", frames[index]);
            if taken.insert(numbered.clone()) {
                break numbered;
            }
        };
    }
}

/// Turns a text into a frame that folded lines and inferno show correctly, with few changes. First
/// the text is made [`printable`]. Then:
/// - `;`, which separates frames, becomes `:`;
/// - a numeric last word is joined with `_` (`worker 3` to `worker_3`), because readers would
///   interpret it as a second count;
/// - `# ` at the start, which marks a comment, becomes `#_`;
/// - an ending such as `_[k]`, which inferno hides, gets a `_`;
/// - an empty text becomes `_`.
pub(crate) fn sanitize(text: &str) -> String {
    let mut frame = printable(text).replace(';', ":");
    if let Some(space) = frame.rfind(' ').filter(|space| is_number(&frame[space + 1..])) {
        frame.replace_range(space..=space, "_");
    }
    if frame.starts_with("# ") {
        frame.replace_range(1..2, "_");
    }
    if ["_[k]", "_[w]", "_[i]", "_[j]"].iter().any(|suffix| frame.ends_with(suffix)) || frame.is_empty() {
        frame.push('_');
    }
    frame
}

/// Returns whether a reader of folded lines could interpret the word as a count: digits, possibly
/// with dots.
fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit() || c == '.')
}
