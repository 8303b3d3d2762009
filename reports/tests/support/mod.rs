//! Snapshots for tests, from a drawing of their call tree, or at random.
#![allow(dead_code, reason = "every test file uses its own part")]

pub(crate) mod hangs;
pub(crate) mod latency;
pub(crate) mod profiles;
pub(crate) mod random;

use diagnose_reports::model::{
    Activity, Bucket, Cost, Node, NodeIndex, Place, Site, SiteIndex, SiteKind, Thread, VERSION,
};
use diagnose_reports::{Format, Report, Snapshot, View, write};

/// A snapshot with one node per line: two spaces of indent per level, the name, `|`, and fields
/// such as `busy=10`. A repeated name is the same site. Sites are in `src/main.rs`, one per line,
/// in the order of their first appearance.
pub(crate) fn tree(drawing: &str) -> Snapshot {
    let mut snapshot = empty();
    let mut path: Vec<usize> = Vec::new();
    for line in drawing.lines().filter(|line| !line.trim().is_empty()) {
        let (name, fields) = line.split_once('|').unwrap_or((line, ""));
        let depth = (name.len() - name.trim_start().len()) / 2;
        path.truncate(depth);
        assert_eq!(path.len(), depth, "no parent for {line:?}");
        let site = site_named(&mut snapshot, name.trim());
        let mut node = node(site, path.last().copied());
        fields.split_whitespace().for_each(|field| set(&mut node, field));
        path.push(snapshot.nodes.len());
        snapshot.nodes.push(node);
    }
    snapshot
}

pub(crate) fn cost(work: Activity, count: u64, ns: u64) -> Cost {
    let mut cost = Cost::default();
    (cost.activity, cost.count, cost.ns) = (work, count, ns);
    cost
}

/// A snapshot of a process of which nothing was recorded.
pub(crate) fn empty() -> Snapshot {
    let mut snapshot = Snapshot::default();
    snapshot.version = VERSION;
    snapshot.producer = "diagnose 0.1.0".into();
    snapshot.process.name = "server".into();
    snapshot.process.pid = 4711;
    snapshot.elapsed_ns = 2_000_000_000;
    snapshot.enabled = true;
    snapshot.clock.name = "manual".into();
    snapshot.costs = vec![cost(Activity::Polls, 1_500, 60_000)];
    snapshot.threads = vec![Thread::default()];
    snapshot.threads[0].name = "main".into();
    snapshot.threads[0].alive = true;
    snapshot
}

/// `src/main.rs:line:column`.
pub(crate) fn place_at(line: u32, column: u32) -> Place {
    let mut place = Place::default();
    place.file = "src/main.rs".into();
    (place.line, place.column) = (line, column);
    place
}

pub(crate) fn site(name: &str, module: &str, file: &str, line: u32, column: u32) -> Site {
    let mut site = Site::default();
    site.name = name.into();
    site.module = module.into();
    site.place.file = file.into();
    (site.place.line, site.place.column) = (line, column);
    site
}

pub(crate) fn node(site: usize, parent: Option<usize>) -> Node {
    let mut node = Node::default();
    node.site = SiteIndex::new(site);
    node.parent = parent.map(NodeIndex::new);
    node
}

/// A snapshot with these sites, each of them a root that was busy for 1 ns.
pub(crate) fn roots(sites: Vec<Site>) -> Snapshot {
    let mut snapshot = empty();
    for (index, site) in sites.into_iter().enumerate() {
        snapshot.sites.push(site);
        snapshot.nodes.push(node(index, None));
        snapshot.nodes[index].busy_ns = 1;
        snapshot.nodes[index].polls = 1;
    }
    snapshot
}

/// The report as text.
pub(crate) fn page(snapshot: &Snapshot, format: Format, view: View) -> String {
    String::from_utf8(bytes(snapshot, format, view)).unwrap()
}

/// The report as bytes.
pub(crate) fn bytes(snapshot: &Snapshot, format: Format, view: View) -> Vec<u8> {
    let mut page = Vec::new();
    write(snapshot, Report::new(format).view(view), &mut page).unwrap();
    page
}

/// The folded report without its footer.
pub(crate) fn folded(snapshot: &Snapshot, view: View) -> String {
    let page = page(snapshot, Format::Folded, view);
    page.split_inclusive('\n').filter(|line| !line.starts_with("# ")).collect()
}

fn site_named(snapshot: &mut Snapshot, name: &str) -> usize {
    if let Some(index) = snapshot.sites.iter().position(|site| site.name == name) {
        return index;
    }
    let line = u32::try_from(snapshot.sites.len()).unwrap() + 1;
    let mut site = site(name, "server", "src/main.rs", line, 1);
    site.kind = if name == "other" { SiteKind::Other } else { SiteKind::Fn };
    snapshot.sites.push(site);
    snapshot.sites.len() - 1
}

/// Sets a field, such as `busy=10`, `label=user:7`, or `polls@0..8=3` for a bucket.
fn set(node: &mut Node, field: &str) {
    let (key, value) = field.split_once('=').unwrap();
    if key == "label" {
        node.label = Some(value.into());
        return;
    }
    let number = value.replace('_', "").parse().unwrap();
    if let Some((from, to)) = key.strip_prefix("polls@").and_then(|bounds| bounds.split_once("..")) {
        node.polls_histogram.push(bucket(from.parse().unwrap(), to.parse().unwrap(), number));
        return;
    }
    let counter = match key {
        "busy" => &mut node.busy_ns,
        "queued" => &mut node.queued_ns,
        "nested" => &mut node.nested_ns,
        "idle" => &mut node.idle_ns,
        "self_idle" => &mut node.self_idle_ns,
        "unpolled" => &mut node.unpolled_ns,
        "max" => &mut node.longest_poll_ns,
        "calls" => &mut node.calls,
        "polls" => &mut node.polls,
        "completed" => &mut node.completed,
        "cancelled" => &mut node.cancelled,
        "panicked" => &mut node.panicked,
        "never_polled" => &mut node.never_polled,
        "pending" => &mut node.pending,
        "running" => &mut node.running,
        unknown => panic!("no field {unknown:?}"),
    };
    *counter = number;
}

pub(crate) fn bucket(from_ns: u64, to_ns: u64, count: u64) -> Bucket {
    let mut bucket = Bucket::default();
    bucket.from_ns = from_ns;
    bucket.to_ns = to_ns;
    bucket.count = count;
    bucket
}

/// Divides the calls of a node, and of all below it, between `parts` nodes with a label each.
pub(crate) fn split(snapshot: &mut Snapshot, at: usize, parts: u64) {
    let mut own = vec![at];
    for (index, node) in snapshot.nodes.iter().enumerate().skip(at + 1) {
        if node.parent.is_some_and(|parent| own.contains(&parent.get())) {
            own.push(index);
        }
    }
    for &index in &own {
        let node = &mut snapshot.nodes[index];
        for counter in [
            &mut node.calls,
            &mut node.completed,
            &mut node.cancelled,
            &mut node.pending,
            &mut node.polls,
            &mut node.busy_ns,
            &mut node.idle_ns,
            &mut node.self_idle_ns,
        ] {
            *counter /= parts;
        }
    }
    snapshot.nodes[at].label = Some("part 0".to_owned());
    for part in 1..parts {
        let first = snapshot.nodes.len();
        for &index in &own {
            let mut copy = snapshot.nodes[index].clone();
            match copy.parent.and_then(|parent| own.iter().position(|&it| it == parent.get())) {
                Some(place) => copy.parent = Some(NodeIndex::new(first + place)),
                None => copy.label = Some(format!("part {part}")),
            }
            snapshot.nodes.push(copy);
        }
    }
}
