//! Profiles for <https://www.speedscope.app>: the wall, busy and idle time of each call path.
//!
//! ```text
//! wall   [busy], [idle] and [queued] as leaves; adds up to the wall time of all tasks
//! busy   the time inside `poll`, as self time of each function
//! idle   each path's own waits; waits at the same time count once each
//! ```
//! Each profile is a list of events: a frame opens, stays open for its own time and for its
//! children, and closes. The axis is a sum of times, not a clock. The view selects the profile that
//! is shown first.
//!
//! The format is
//! [file-format-schema.json](https://www.speedscope.app/file-format-schema.json).

use std::io::{self, BufWriter, Write};

use crate::analysis::paths::{Labels, PathSite, Paths, Times, paths};
use crate::clean::printable;
use crate::export::footer::process;
use crate::json::quoted;
use crate::model::{SiteIndex, Snapshot};
use crate::names::{BUSY, IDLE, QUEUED};
use crate::ordered::OrderedMap;
use crate::view::View;

/// The leaves in the wall profile. They come first in the list of frames.
const LEAVES: [&str; 3] = [BUSY, IDLE, QUEUED];

/// A profile: its name, and the times of a path that are drawn as its leaves and as its self time.
struct ProfileKind {
    name: &'static str,
    leaves_ns: fn(&Times) -> [u64; 3],
    self_ns: fn(&Times) -> u64,
}

const KINDS: [ProfileKind; 3] = [
    ProfileKind {
        name: "wall",
        leaves_ns: |times| [times.busy_ns, times.waited_ns, times.queued_ns],
        self_ns: |_| 0,
    },
    ProfileKind { name: "busy", leaves_ns: |_| [0; 3], self_ns: |times| times.busy_ns },
    ProfileKind { name: "idle", leaves_ns: |_| [0; 3], self_ns: |times| times.idle_ns },
];

/// Writes the profiles.
pub(crate) fn write(snapshot: &Snapshot, view: View, out: &mut dyn Write) -> io::Result<()> {
    let out = &mut BufWriter::new(out);
    let paths = paths(snapshot, Labels::Merged);
    let active = match view {
        View::Wall | View::Time => 0,
        View::Busy => 1,
        View::Idle => 2,
    };
    out.write_all(b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",")?;
    write!(out, "\"exporter\":{},", quoted(&printable(&snapshot.producer)))?;
    write!(out, "\"name\":{},\"activeProfileIndex\":{active},", quoted(&process(snapshot)))?;
    let numbers = write_frames(snapshot, &paths, out)?;
    out.write_all(b",\n\"profiles\":[")?;
    for (index, kind) in KINDS.iter().enumerate() {
        out.write_all(if index > 0 { b",\n" } else { b"\n" })?;
        Events::new(out).write(kind, &paths, &numbers)?;
    }
    out.write_all(b"]}\n")?;
    out.flush()
}

/// Writes the list of frames. Returns their numbers by site; `None` is [`PathSite::Deeper`].
fn write_frames(
    snapshot: &Snapshot,
    paths: &Paths<'_>,
    out: &mut dyn Write,
) -> io::Result<OrderedMap<Option<SiteIndex>, usize>> {
    let mut numbers = OrderedMap::new();
    out.write_all(b"\"shared\":{\"frames\":[")?;
    for (number, leaf) in LEAVES.iter().enumerate() {
        write!(out, "{}\n{{\"name\":{}}}", if number > 0 { "," } else { "" }, quoted(leaf))?;
    }
    for path in &paths.list {
        let next = LEAVES.len() + numbers.len();
        if *numbers.entry(number_key(path.site)).or_insert(next) != next {
            continue;
        }
        write!(out, ",\n{{\"name\":{}", quoted(path.site.frame(&paths.names)))?;
        let site = number_key(path.site).and_then(|site| snapshot.site(site));
        if let Some(place) = site.map(|site| &site.place).filter(|place| !place.file.is_empty()) {
            let file = quoted(&printable(&place.file));
            write!(out, ",\"file\":{file},\"line\":{},\"col\":{}", place.line, place.column)?;
        }
        out.write_all(b"}")?;
    }
    out.write_all(b"]}")?;
    Ok(numbers)
}

fn number_key(site: PathSite) -> Option<SiteIndex> {
    match site {
        PathSite::Site(site) => Some(site),
        PathSite::Deeper => None,
    }
}

/// Writes the events of one profile.
struct Events<'a> {
    out: &'a mut dyn Write,
    at_ns: u64,
    is_first: bool,
}

impl<'a> Events<'a> {
    fn new(out: &'a mut dyn Write) -> Self {
        Self { out, at_ns: 0, is_first: true }
    }

    fn write(
        mut self,
        kind: &ProfileKind,
        paths: &Paths<'_>,
        numbers: &OrderedMap<Option<SiteIndex>, usize>,
    ) -> io::Result<()> {
        let name = quoted(kind.name);
        write!(self.out, "{{\"type\":\"evented\",\"name\":{name},\"unit\":\"nanoseconds\",")?;
        self.out.write_all(b"\"startValue\":0,\"events\":[")?;
        let mut open: Vec<usize> = Vec::new();
        for path in &paths.list {
            while open.len() >= path.depth {
                self.close(open.pop())?;
            }
            let frame = numbers[&number_key(path.site)];
            self.event("O", frame)?;
            open.push(frame);
            for (leaf, ns) in (kind.leaves_ns)(&path.times).into_iter().enumerate() {
                if ns > 0 {
                    self.event("O", leaf)?;
                    self.at_ns = self.at_ns.saturating_add(ns);
                    self.event("C", leaf)?;
                }
            }
            self.at_ns = self.at_ns.saturating_add((kind.self_ns)(&path.times));
        }
        while !open.is_empty() {
            self.close(open.pop())?;
        }
        write!(self.out, "],\"endValue\":{}}}", self.at_ns)
    }

    fn close(&mut self, frame: Option<usize>) -> io::Result<()> {
        frame.map_or(Ok(()), |frame| self.event("C", frame))
    }

    fn event(&mut self, kind: &str, frame: usize) -> io::Result<()> {
        let comma = if std::mem::take(&mut self.is_first) { "" } else { "," };
        write!(self.out, "{comma}{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{}}}", self.at_ns)
    }
}
