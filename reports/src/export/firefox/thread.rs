//! Call paths as a thread of the profile: each sample has a path and a weight in milliseconds.
//!
//! ```text
//! wall   [busy], [idle] and [queued] as leaves; adds up to the wall time of all tasks
//! busy   the time inside `poll`, as self time of each function
//! idle   each path's own waits; waits at the same time count once each
//! ```
//! Samples have no recorded time. They are spread over the length of the recording in the order of
//! their paths, each as wide as its share of the total.

use std::io::{self, Write};

use super::markers::Markers;
use super::profile::Category;
use super::tables::{Ms, Strings, column, constant, nullable};
use crate::analysis::paths::{PathSite, Paths, Times};
use crate::clean::printable;
use crate::export::footer::process;
use crate::json::quoted;
use crate::model::Snapshot;
use crate::names::{BUSY, IDLE, QUEUED};

/// One kind of time, as a thread.
pub(super) struct TimeKind {
    name: &'static str,
    /// The times of a path that are drawn as its leaves, in the order of [`LEAVES`].
    leaves_ns: fn(&Times) -> [u64; 3],
    /// The time that is drawn as the path's own.
    self_ns: fn(&Times) -> u64,
    /// The category of functions.
    category: Category,
}

pub(super) const KINDS: [TimeKind; 3] = [
    TimeKind {
        name: "wall",
        leaves_ns: |times| [times.busy_ns, times.waited_ns, times.queued_ns],
        self_ns: |_| 0,
        category: Category::Other,
    },
    TimeKind {
        name: "busy",
        leaves_ns: |_| [0; 3],
        self_ns: |times| times.busy_ns,
        category: Category::Busy,
    },
    TimeKind {
        name: "idle",
        leaves_ns: |_| [0; 3],
        self_ns: |times| times.idle_ns,
        category: Category::Idle,
    },
];

const LEAVES: [(&str, Category); 3] =
    [(BUSY, Category::Busy), (IDLE, Category::Idle), (QUEUED, Category::Queued)];

/// A function with its only frame.
struct FunctionFrame {
    name: usize,
    file: Option<usize>,
    line: u32,
    column: u32,
    category: Category,
}

/// The tables of a thread.
pub(super) struct Thread {
    name: &'static str,
    pub(super) strings: Strings,
    functions: Vec<FunctionFrame>,
    /// The prefix and the function of each stack.
    stacks: Vec<(Option<usize>, usize)>,
    /// The stack and the weight in ns of each sample.
    samples: Vec<(usize, u64)>,
}

impl Thread {
    pub(super) fn new(snapshot: &Snapshot, paths: &Paths<'_>, kind: &TimeKind) -> Self {
        let mut thread = Self {
            name: kind.name,
            strings: Strings::default(),
            functions: Vec::new(),
            stacks: Vec::new(),
            samples: Vec::new(),
        };
        for (name, category) in LEAVES {
            let name = thread.strings.number(name);
            thread.functions.push(FunctionFrame { name, file: None, line: 0, column: 0, category });
        }
        // By site: the index of its function. The last entry is for the frames below the maximum
        // depth.
        let mut by_site: Vec<Option<usize>> = vec![None; snapshot.sites.len() + 1];
        // The stacks of the current path and its prefixes.
        let mut open: Vec<usize> = Vec::new();
        for path in &paths.list {
            let site = match path.site {
                PathSite::Site(site) => site.get().min(snapshot.sites.len()),
                PathSite::Deeper => snapshot.sites.len(),
            };
            let frame = path.site.frame(&paths.names);
            let function = match by_site[site] {
                Some(function) => function,
                None => thread.add_function(snapshot, site, frame, kind.category),
            };
            by_site[site] = Some(function);
            open.truncate(path.depth - 1);
            let stack = thread.push_stack(open.last().copied(), function);
            open.push(stack);
            for (leaf, ns) in (kind.leaves_ns)(&path.times).into_iter().enumerate().filter(|(_, ns)| *ns > 0)
            {
                let leaf = thread.push_stack(Some(stack), leaf);
                thread.samples.push((leaf, ns));
            }
            let self_ns = (kind.self_ns)(&path.times);
            if self_ns > 0 {
                thread.samples.push((stack, self_ns));
            }
        }
        thread
    }

    fn add_function(&mut self, snapshot: &Snapshot, site: usize, frame: &str, category: Category) -> usize {
        let name = self.strings.number(frame);
        let place = snapshot.sites.get(site).map(|site| &site.place);
        let place = place.filter(|place| !place.file.is_empty());
        let file = place.map(|place| self.strings.number(&printable(&place.file)));
        let (line, column) = place.map_or((0, 0), |place| (place.line, place.column));
        self.functions.push(FunctionFrame { name, file, line, column, category });
        self.functions.len() - 1
    }

    fn push_stack(&mut self, prefix: Option<usize>, function: usize) -> usize {
        self.stacks.push((prefix, function));
        self.stacks.len() - 1
    }

    /// Writes the thread as a JSON object.
    pub(super) fn write(
        &self,
        snapshot: &Snapshot,
        index: usize,
        markers: &Markers,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        write!(
            out,
            "{{\"name\":\"{}\",\"isMainThread\":{},\"processType\":\"default\",",
            self.name,
            index == 0
        )?;
        write!(out, "\"processName\":{},\"pid\":\"{}\",", quoted(&process(snapshot)), snapshot.process.pid)?;
        write!(out, "\"tid\":{},\"registerTime\":0,\"unregisterTime\":null,", index + 1)?;
        out.write_all(b"\"processStartupTime\":0,\"processShutdownTime\":null,\"pausedRanges\":[],\n")?;
        self.write_samples(snapshot.elapsed_ns, out)?;
        self.write_stacks(out)?;
        self.write_functions(out)?;
        out.write_all(b"\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},")?;
        out.write_all(b"\"nativeSymbols\":{\"length\":0,\"address\":[],\"functionSize\":[],\"libIndex\":[],\"name\":[]},\n")?;
        markers.write(out)?;
        out.write_all(b",\n")?;
        column(out, "stringArray", self.strings.list().iter().map(|text| quoted(text)))?;
        out.write_all(b"}")
    }

    fn write_samples(&self, elapsed_ns: u64, out: &mut dyn Write) -> io::Result<()> {
        let total_ns: u128 = self.samples.iter().map(|(_, ns)| u128::from(*ns)).sum();
        let mut before_ns = 0_u128;
        let times = self.samples.iter().map(|(_, ns)| {
            let at_ns = (before_ns.saturating_mul(u128::from(elapsed_ns))) / total_ns.max(1);
            before_ns += u128::from(*ns);
            Ms(u64::try_from(at_ns).unwrap_or(u64::MAX))
        });
        write!(out, "\"samples\":{{\"length\":{},\"weightType\":\"tracing-ms\",", self.samples.len())?;
        column(out, "time", times)?;
        out.write_all(b",")?;
        column(out, "stack", self.samples.iter().map(|(stack, _)| stack))?;
        out.write_all(b",")?;
        column(out, "weight", self.samples.iter().map(|(_, ns)| Ms(*ns)))?;
        out.write_all(b"},\n")
    }

    fn write_stacks(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "\"stackTable\":{{\"length\":{},", self.stacks.len())?;
        column(out, "prefix", self.stacks.iter().map(|(prefix, _)| nullable(*prefix)))?;
        out.write_all(b",")?;
        column(out, "frame", self.stacks.iter().map(|(_, function)| function))?;
        out.write_all(b"},\n")
    }

    fn write_functions(&self, out: &mut dyn Write) -> io::Result<()> {
        let length = self.functions.len();
        let functions = || self.functions.iter();
        let line = |line: u32| nullable((line > 0).then_some(line as usize));
        write!(out, "\"frameTable\":{{\"length\":{length},")?;
        constant(out, "address", "-1", length)?;
        for (name, value) in
            [("inlineDepth", "0"), ("subcategory", "0"), ("nativeSymbol", "null"), ("innerWindowID", "0")]
        {
            out.write_all(b",")?;
            constant(out, name, value, length)?;
        }
        out.write_all(b",")?;
        column(out, "category", functions().map(|function| function.category as usize))?;
        out.write_all(b",")?;
        column(out, "func", 0..length)?;
        out.write_all(b",")?;
        column(out, "line", functions().map(|function| line(function.line)))?;
        out.write_all(b",")?;
        column(out, "column", functions().map(|function| line(function.column)))?;
        write!(out, "}},\n\"funcTable\":{{\"length\":{length},")?;
        column(out, "name", functions().map(|function| function.name))?;
        for (name, value) in [("isJS", "false"), ("relevantForJS", "false"), ("resource", "-1")] {
            out.write_all(b",")?;
            constant(out, name, value, length)?;
        }
        out.write_all(b",")?;
        column(out, "fileName", functions().map(|function| nullable(function.file)))?;
        out.write_all(b",")?;
        column(out, "lineNumber", functions().map(|function| line(function.line)))?;
        out.write_all(b",")?;
        column(out, "columnNumber", functions().map(|function| line(function.column)))?;
        out.write_all(b"},\n")
    }
}
