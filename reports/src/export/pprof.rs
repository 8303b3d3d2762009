//! A profile for `go tool pprof`, Pyroscope and Parca: gzip around Protocol Buffers.
//!
//! ```text
//! sample types   busy, wall, idle, queued in nanoseconds; polls, calls as counts
//! sample         a call path, its own times, and labels
//! labels         label=user=7    of every labeled call on the path
//!                state=busy      or waiting, queued: what this part of the wall time was
//! comments       the footer
//! ```
//! `wall` adds up to the wall time of all tasks, `busy` to the time inside `poll`. `idle` counts
//! each of several concurrent waits, so its sum may exceed the wall time. The view selects the
//! sample type that readers show first.
//!
//! The format is
//! [profile.proto](https://github.com/google/pprof/blob/main/proto/profile.proto).

use std::collections::HashMap;
use std::io::{self, Write};

use flate2::{Compression, GzBuilder};

use crate::analysis::paths::{Labels, Path, PathSite, Paths, paths};
use crate::clean::printable;
use crate::export::footer::{footer, started_unix_ms};
use crate::export::protobuf::Message;
use crate::model::{SiteIndex, Snapshot};
use crate::ordered::OrderedMap;
use crate::view::View;

/// Name and unit of each value of a sample, in order.
const SAMPLE_TYPES: [(&str, &str); 6] = [
    ("busy", "nanoseconds"),
    ("wall", "nanoseconds"),
    ("idle", "nanoseconds"),
    ("queued", "nanoseconds"),
    ("polls", "count"),
    ("calls", "count"),
];

/// Field numbers of `profile.proto`.
mod field {
    pub(super) const SAMPLE_TYPE: u32 = 1;
    pub(super) const SAMPLE: u32 = 2;
    pub(super) const MAPPING: u32 = 3;
    pub(super) const LOCATION: u32 = 4;
    pub(super) const FUNCTION: u32 = 5;
    pub(super) const STRING_TABLE: u32 = 6;
    pub(super) const TIME_NANOS: u32 = 9;
    pub(super) const DURATION_NANOS: u32 = 10;
    pub(super) const PERIOD_TYPE: u32 = 11;
    pub(super) const PERIOD: u32 = 12;
    pub(super) const COMMENT: u32 = 13;
    pub(super) const DEFAULT_SAMPLE_TYPE: u32 = 14;
}

/// Writes the profile.
pub(crate) fn write(snapshot: &Snapshot, view: View, out: &mut dyn Write) -> io::Result<()> {
    // Without a time in the header, equal snapshots give equal bytes. The encoder writes to memory,
    // because it writes its remaining data when it is dropped. After a panic in `out`, that second
    // write would abort the process.
    let mut packed = GzBuilder::new().mtime(0).write(Vec::new(), Compression::fast());
    Profile::new(snapshot, &mut packed).write(view)?;
    out.write_all(&packed.finish()?)
}

struct Profile<'a> {
    snapshot: &'a Snapshot,
    out: &'a mut dyn Write,
    strings: StringTable,
    /// The number of each function, from 1, by site. A location has the same number as its
    /// function.
    functions: OrderedMap<Option<SiteIndex>, u64>,
}

impl<'a> Profile<'a> {
    fn new(snapshot: &'a Snapshot, out: &'a mut dyn Write) -> Self {
        Self { snapshot, out, strings: StringTable::new(), functions: OrderedMap::new() }
    }

    fn write(mut self, view: View) -> io::Result<()> {
        for (name, unit) in SAMPLE_TYPES {
            let message = self.value_type(name, unit);
            self.put(field::SAMPLE_TYPE, &message)?;
        }
        self.samples()?;
        self.mapping()?;
        let mut rest = Message::default();
        let started_ns = started_unix_ms(self.snapshot).saturating_mul(1_000_000);
        rest.integer(field::TIME_NANOS, signed(started_ns));
        rest.integer(field::DURATION_NANOS, signed(self.snapshot.elapsed_ns));
        let period_type = self.value_type("wall", "nanoseconds");
        rest.field(field::PERIOD_TYPE, period_type.bytes());
        rest.integer(field::PERIOD, 1);
        let comments: Vec<u64> = footer(self.snapshot).iter().map(|line| self.strings.number(line)).collect();
        rest.packed(field::COMMENT, &comments);
        let default = match view {
            View::Wall | View::Time => "wall",
            View::Busy => "busy",
            View::Idle => "idle",
        };
        rest.integer(field::DEFAULT_SAMPLE_TYPE, self.strings.number(default));
        self.out.write_all(rest.bytes())?;
        // Strings are written last, because the other messages add strings.
        for text in self.strings.list {
            let mut message = Message::default();
            message.field(field::STRING_TABLE, text.as_bytes());
            self.out.write_all(message.bytes())?;
        }
        Ok(())
    }

    /// Writes a sample for each state of each path, then the functions and locations of all paths.
    fn samples(&mut self) -> io::Result<()> {
        let Paths { list, names, .. } = paths(self.snapshot, Labels::Kept);
        let key = |number: &mut StringTable, text| number.number(text);
        let (label_key, state_key) = (key(&mut self.strings, "label"), key(&mut self.strings, "state"));
        // The locations and label numbers of the current path and its prefixes.
        let (mut stack, mut labels): (Vec<u64>, Vec<Option<u64>>) = (Vec::new(), Vec::new());
        let mut leaf_first = Vec::new();
        let (mut sample, mut label) = (Message::default(), Message::default());
        for path in &list {
            stack.truncate(path.depth - 1);
            labels.truncate(path.depth - 1);
            stack.push(self.function(path.site));
            labels.push(path.label.map(|label| self.strings.number(&printable(label))));
            leaf_first.clear();
            leaf_first.extend(stack.iter().rev());
            for (state, values) in states(path) {
                if values == [0; 6] {
                    continue;
                }
                sample.clear();
                sample.packed(1, &leaf_first);
                sample.packed(2, &values.map(signed));
                let state = self.strings.number(state);
                let labels = labels.iter().flatten().map(|&value| (label_key, value));
                for (key, value) in labels.chain([(state_key, state)]) {
                    label.clear();
                    label.integer(1, key);
                    label.integer(2, value);
                    sample.field(3, label.bytes());
                }
                self.put(field::SAMPLE, &sample)?;
            }
        }
        for (site, number) in std::mem::take(&mut self.functions) {
            let path_site = site.map_or(PathSite::Deeper, PathSite::Site);
            self.location(site, number, path_site.frame(&names))?;
        }
        Ok(())
    }

    /// The number of the function at a site.
    fn function(&mut self, site: PathSite) -> u64 {
        let next = self.functions.len() as u64 + 1;
        let site = match site {
            PathSite::Site(site) => Some(site),
            PathSite::Deeper => None,
        };
        *self.functions.entry(site).or_insert(next)
    }

    /// Writes a function and its only location.
    fn location(&mut self, site: Option<SiteIndex>, number: u64, frame: &str) -> io::Result<()> {
        let mut function = Message::default();
        function.integer(1, number);
        function.integer(2, self.strings.number(frame));
        let mut line = Message::default();
        line.integer(1, number);
        if let Some(site) = site.and_then(|site| self.snapshot.site(site)) {
            let path = printable(&format!("{}::{}", site.module, site.name));
            function.integer(3, self.strings.number(&path));
            function.integer(4, self.strings.number(&printable(&site.place.file)));
            function.integer(5, u64::from(site.place.line));
            line.integer(2, u64::from(site.place.line));
        }
        self.put(field::FUNCTION, &function)?;
        let mut location = Message::default();
        location.integer(1, number);
        location.integer(2, 1);
        location.field(4, line.bytes());
        self.put(field::LOCATION, &location)
    }

    /// Writes the program as the only mapping, and declares all symbols known, so that no reader
    /// looks for them.
    fn mapping(&mut self) -> io::Result<()> {
        let mut mapping = Message::default();
        mapping.integer(1, 1);
        mapping.integer(5, self.strings.number(&printable(&self.snapshot.process.name)));
        mapping.integer(6, self.strings.number(&printable(&self.snapshot.process.build)));
        (7..=10).for_each(|has_symbols| mapping.integer(has_symbols, 1));
        self.put(field::MAPPING, &mapping)
    }

    fn value_type(&mut self, name: &str, unit: &str) -> Message {
        let mut message = Message::default();
        message.integer(1, self.strings.number(name));
        message.integer(2, self.strings.number(unit));
        message
    }

    fn put(&mut self, field: u32, message: &Message) -> io::Result<()> {
        let mut outer = Message::default();
        outer.field(field, message.bytes());
        self.out.write_all(outer.bytes())
    }
}

/// The parts of the wall time of a path, each with the values of one sample.
fn states(path: &Path<'_>) -> [(&'static str, [u64; 6]); 3] {
    let times = &path.times;
    [
        ("busy", [times.busy_ns, times.busy_ns, 0, 0, times.polls, times.calls]),
        ("waiting", [0, times.waited_ns, times.idle_ns, 0, 0, 0]),
        ("queued", [0, times.queued_ns, 0, times.queued_ns, 0, 0]),
    ]
}

/// Readers take values as signed integers.
fn signed(value: u64) -> u64 {
    value.min(i64::MAX.unsigned_abs())
}

/// The string table. The first string is empty.
struct StringTable {
    list: Vec<String>,
    numbers: HashMap<String, u64>,
}

impl StringTable {
    fn new() -> Self {
        Self { list: vec![String::new()], numbers: HashMap::from([(String::new(), 0)]) }
    }

    fn number(&mut self, text: &str) -> u64 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.list.len() as u64;
        self.list.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}
