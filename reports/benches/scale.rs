//! Measures the time and memory of each report of a large program.
//!
//! ```text
//! cargo bench -p diagnose-reports --bench scale
//! cargo bench -p diagnose-reports --bench scale -- 1000000 100000 pb.gz  # nodes, tasks, format
//! ```
//! Each report is written by its own process, from a snapshot that the process builds first. The
//! memory is the peak of that process, snapshot included. The default is a million nodes and a
//! hundred thousand tasks.

use std::io::{self, Write};
use std::process::Command;
use std::time::Instant;

use diagnose_reports::model::{
    Bucket, Node, NodeIndex, Place, RunState, Site, SiteIndex, SiteKind, Task, TaskId, Thread, VERSION,
};
use diagnose_reports::{Format, Report, Snapshot, write};

/// The number of functions in the program. Each node is a call path to one of them.
const SITES: usize = 2_000;
/// The length of the longest call path, in nodes.
const DEPTH: usize = 12;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let number = |index: usize, or: usize| arguments.get(index).and_then(|it| it.parse().ok()).unwrap_or(or);
    let (nodes, tasks) = (number(0, 1_000_000), number(1, 100_000));
    if let Some(format) = arguments.get(2) {
        return one(nodes, tasks, format);
    }
    println!("{nodes} nodes, {tasks} tasks");
    println!("{:<18} {:>9} {:>12} {:>12}", "report", "time", "size", "memory");
    let program = std::env::current_exe().expect("a program has a path");
    for format in Format::all() {
        let arguments = [nodes.to_string(), tasks.to_string(), format.extension().to_owned()];
        let status = Command::new(&program).args(arguments).status().expect("it starts");
        assert!(status.success(), "{format:?}");
    }
}

/// Writes one report, and prints its time, size and memory.
fn one(nodes: usize, tasks: usize, format: &str) {
    let snapshot = program(nodes, tasks);
    let before = Instant::now();
    let mut out = Size(0);
    let report: Report = format.parse().expect("a format");
    write(&snapshot, report, &mut out).expect("it can be counted");
    println!(
        "{format:<18} {:>7.2} s {:>9} kB {:>9} MB",
        before.elapsed().as_secs_f64(),
        out.0 / 1_000,
        peak_kb() / 1_000,
    );
}

/// A writer that counts bytes and discards them.
struct Size(u64);

impl Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The peak memory of this process, in kB; 0 if unknown.
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Creates a snapshot with that many call paths and live tasks. The busy time of a node includes
/// its children's.
fn program(nodes: usize, tasks: usize) -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.version = VERSION;
    snapshot.producer = "diagnose".into();
    snapshot.process.name = "scale".into();
    snapshot.elapsed_ns = 60_000_000_000;
    snapshot.enabled = true;
    snapshot.threads = vec![Thread::default()];
    snapshot.sites = (0..SITES).map(site).collect();
    snapshot.nodes.reserve_exact(nodes);
    let mut path: Vec<usize> = Vec::new();
    for index in 0..nodes {
        // One level down, or back up by any number of levels.
        path.truncate(scattered(index) % DEPTH);
        snapshot.nodes.push(node(index, path.last().copied()));
        path.push(index);
    }
    for index in (0..nodes).rev() {
        let (busy_ns, wall_ns) = (snapshot.nodes[index].busy_ns, snapshot.nodes[index].wall_ns);
        if let Some(parent) = snapshot.nodes[index].parent {
            snapshot.nodes[parent.get()].busy_ns += busy_ns;
            snapshot.nodes[parent.get()].idle_ns += wall_ns;
        }
    }
    snapshot.tasks = (0..tasks).map(task).collect();
    snapshot
}

fn site(index: usize) -> Site {
    let mut site = Site::default();
    site.name = format!("function_{index}");
    site.module = format!("service::module_{}", index % 40);
    site.place = place(index);
    site.kind = if index % 5 == 0 { SiteKind::Await } else { SiteKind::Fn };
    site
}

fn place(line: usize) -> Place {
    let mut place = Place::default();
    place.file = "src/service/handlers.rs".into();
    place.line = u32::try_from(line).unwrap_or(u32::MAX);
    place
}

fn node(index: usize, parent: Option<usize>) -> Node {
    let mut node = Node::default();
    // Scattered, so that nearly every node is a different call path.
    node.site = SiteIndex::new(scattered(index) / DEPTH % SITES);
    node.parent = parent.map(NodeIndex::new);
    let number = index as u64;
    (node.calls, node.polls, node.completed) = (1 + number % 7, 3 + number % 11, 1 + number % 7);
    (node.busy_ns, node.self_idle_ns, node.wall_ns) = (1_000 + number % 997, number % 9_973, number % 9_973);
    node.idle_ns = node.self_idle_ns;
    node.longest_poll_ns = 900;
    node.polls_histogram = [(512, 1_024), (1_024, 2_048)].into_iter().map(bucket).collect();
    node
}

/// A pseudo-random number, always the same for an index.
fn scattered(index: usize) -> usize {
    let mixed = (index as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    usize::try_from((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33).unwrap_or(0)
}

fn bucket((from_ns, to_ns): (u64, u64)) -> Bucket {
    let mut bucket = Bucket::default();
    (bucket.from_ns, bucket.to_ns, bucket.count) = (from_ns, to_ns, 2);
    bucket
}

fn task(index: usize) -> Task {
    let mut task = Task::default();
    task.id = TaskId::new(index as u64 + 1);
    task.site = SiteIndex::new(index % SITES);
    task.state = RunState::Waiting;
    task.spawned_at = Some(place(index % SITES));
    (task.since_ns, task.age_ns, task.polls) = (1_000_000 * (index as u64 % 100), 1_000_000_000, 5);
    (task.wakers, task.opaque_wakers) = (Some(1), Some(1));
    task
}
