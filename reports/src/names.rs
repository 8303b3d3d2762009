//! Names: what a site is called in every report, and what a name may contain.
//!
//! A site goes by its plain name where that is enough. Where several sites of the snapshot share one, all of
//! them are qualified in the same way, by the first of these that tells them apart:
//! ```text
//! get                    alone
//! server::get            by module
//! get (src/a.rs:3)       by line; unnamed blocks and awaits start here
//! get (src/a.rs:3:14)    by column
//! ```
//! A name then becomes a *frame*, which every format can carry: see [`sanitize`]. What is still equal after
//! that gets a number, `get (2)`, so that one frame is always one site. The names in brackets below belong to
//! the reports.

use std::collections::{BTreeMap, BTreeSet};

use crate::clean::printable;
use crate::model::{Site, SiteKind, Snapshot};

/// The leaf that holds a path's own time inside `poll`.
pub(crate) const BUSY: &str = "[busy]";
/// The leaf that holds a path's own time between polls.
pub(crate) const IDLE: &str = "[idle]";
/// The leaf that holds a task's time between wakes and polls.
pub(crate) const QUEUED: &str = "[queued]";
/// The frame of what the recorder did not tell apart.
pub(crate) const OTHER: &str = "[other]";
/// The frame of what is too deep to be told apart.
pub(crate) const DEEPER: &str = "[deeper]";
/// What the macro calls a block without a name.
const UNNAMED: &str = "{block}";

/// The ways to write a site, from the shortest to the most exact.
const STYLES: [fn(&Site) -> String; 4] = [
    |site| site.name.clone(),
    |site| if site.module.is_empty() { site.name.clone() } else { format!("{}::{}", site.module, site.name) },
    |site| format!("{} ({})", site.name, location(site)),
    |site| format!("{} ({})", site.name, site.place),
];

/// The frame of every site in use, by its index.
#[derive(Debug)]
pub(crate) struct Names {
    frames: Vec<String>,
}

impl Names {
    /// Names the sites that the snapshot's nodes use. The same sites in the same order give the same names.
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        let used: BTreeSet<usize> = snapshot.nodes.iter().map(|node| node.site).collect();
        let mut namesakes = BTreeMap::<&str, Vec<usize>>::new();
        let mut frames = vec![OTHER.to_owned(); snapshot.sites.len()];
        for (index, site) in snapshot.sites.iter().enumerate() {
            if used.contains(&index) && site.kind != SiteKind::Other {
                namesakes.entry(&site.name).or_default().push(index);
            }
        }
        for group in namesakes.values() {
            let style = distinguishing_style(snapshot, group);
            for &index in group {
                frames[index] = sanitize(&style(&snapshot.sites[index]));
            }
        }
        number_equals(snapshot, &used, &mut frames);
        Self { frames }
    }

    /// The frame of a site; of an index that is no site, the one for everything else.
    pub(crate) fn frame(&self, site: usize) -> &str {
        self.frames.get(site).map_or(OTHER, String::as_str)
    }
}

/// `src/a.rs:3`.
pub(crate) fn location(site: &Site) -> String {
    format!("{}:{}", site.place.file.as_str(), site.place.line)
}

/// The first style in which the sites of the group all differ, else the most exact one.
fn distinguishing_style(snapshot: &Snapshot, group: &[usize]) -> fn(&Site) -> String {
    let by_place = |site: &Site| site.name == UNNAMED || site.kind == SiteKind::Await;
    let by_place = group.iter().any(|&index| by_place(&snapshot.sites[index]));
    let styles = if by_place { &STYLES[2..] } else { &STYLES[..] };
    let differ = |style: &&fn(&Site) -> String| {
        let mut seen = BTreeSet::new();
        group.iter().all(|&index| seen.insert(style(&snapshot.sites[index])))
    };
    *styles.iter().find(differ).unwrap_or(&STYLES[3])
}

/// Appends ` (2)`, ` (3)` … to frames that are taken, in the order of the sites.
fn number_equals(snapshot: &Snapshot, used: &BTreeSet<usize>, frames: &mut [String]) {
    // Frames that are nobody's second choice go first: `a (2)` keeps its name even where a second `a` would
    // like it.
    let mut taken: BTreeSet<String> = [BUSY, IDLE, QUEUED, OTHER, DEEPER].map(str::to_owned).into();
    let mut late = Vec::new();
    for (index, site) in snapshot.sites.iter().enumerate() {
        if used.contains(&index) && site.kind != SiteKind::Other && !taken.insert(frames[index].clone()) {
            late.push(index);
        }
    }
    let mut numbers = BTreeMap::<String, u64>::new();
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

/// Turns any text into a frame that folded lines and inferno carry unharmed, changing as little as possible.
/// First it is made [`printable`], then:
/// - `;`, which separates frames, becomes `:`;
/// - a last word that is a number is tied with `_` (`worker 3` to `worker_3`): readers take it for a second
///   count;
/// - a `# ` at the start, which makes a line a comment, becomes `#_`;
/// - an ending such as `_[k]`, which inferno hides, gets a `_`;
/// - nothing at all becomes `_`.
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

/// Whether a reader of folded lines could take the word for a count: digits, and dots among them.
fn is_number(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_digit() || c == '.')
}
