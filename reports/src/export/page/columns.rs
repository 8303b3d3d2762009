//! The nodes as columns. A million nodes take a fifth of the space of a million objects.
//!
//! ```text
//! "site": [0, 1, …]      index into the sites          "parent": [-1, 0, …]   -1 for a root
//! "labels": ["user=7"]   the distinct labels           "label": [0, 1, …]     0: none, 1: the first
//! "calls": [3, 3, …]     and so on, a column for each counter and time
//! "bounds": [[512, 1024], …]   the distinct buckets of all histograms, ascending
//! "polls_histogram": [2, 0, 9, 1, 3, …]   per node: number of buckets, then index and count of each
//! ```

use crate::json::{Json, ToJson};
use crate::model::{Bucket, Node};
use crate::ordered::{OrderedMap, OrderedSet};

/// The name of a column, and its number in a node.
type Number = (&'static str, fn(&Node) -> u64);
/// The name of a column, and its histogram in a node.
type Buckets = (&'static str, fn(&Node) -> &[Bucket]);

/// The counters and times of a node, by name.
const NUMBERS: [Number; 19] = [
    ("calls", |node| node.calls),
    ("polls", |node| node.polls),
    ("completed", |node| node.completed),
    ("cancelled", |node| node.cancelled),
    ("panicked", |node| node.panicked),
    ("never_polled", |node| node.never_polled),
    ("pending", |node| node.pending),
    ("running", |node| node.running),
    ("busy_ns", |node| node.busy_ns),
    ("nested_ns", |node| node.nested_ns),
    ("idle_ns", |node| node.idle_ns),
    ("self_idle_ns", |node| node.self_idle_ns),
    ("queued_ns", |node| node.queued_ns),
    ("wall_ns", |node| node.wall_ns),
    ("unpolled_ns", |node| node.unpolled_ns),
    ("longest_poll_ns", |node| node.longest_poll_ns),
    ("last_seen_ns", |node| node.last_seen_ns),
    ("latency_longest_ns", |node| node.latency.completed.longest_ns),
    ("latency_cancelled_longest_ns", |node| node.latency.cancelled.longest_ns),
];

/// The histograms of a node, by name.
const HISTOGRAMS: [Buckets; 3] = [
    ("polls_histogram", |node| &node.polls_histogram),
    ("latency", |node| &node.latency.completed.buckets),
    ("latency_cancelled", |node| &node.latency.cancelled.buckets),
];

/// Writes nodes as columns.
pub(super) struct Columns<'a>(pub(super) &'a [Node]);

impl ToJson for Columns<'_> {
    fn write_fields(&self, json: &mut Json<'_>) {
        self.column("site", &|json, node| node.site.write_json(json), json);
        self.column("parent", &|json, node| parent(node).write_json(json), json);
        for (name, number) in NUMBERS {
            self.column(name, &|json, node| json.number(number(node)), json);
        }
        self.labels(json);
        self.histograms(json);
    }
}

impl Columns<'_> {
    /// Writes one value of each node.
    fn column(&self, name: &'static str, value: &dyn Fn(&mut Json<'_>, &Node), json: &mut Json<'_>) {
        json.key(name);
        json.open(b'[');
        for node in self.0 {
            json.separate();
            value(json, node);
        }
        json.close(b']');
    }

    fn labels(&self, json: &mut Json<'_>) {
        let texts: OrderedSet<&str> = self.0.iter().filter_map(|node| node.label.as_deref()).collect();
        let number: OrderedMap<&str, u64> = texts.iter().copied().zip(1..).collect();
        json.key("labels");
        json.list(texts.iter());
        let of = |node: &Node| node.label.as_deref().map_or(0, |text| number[text]);
        self.column("label", &|json, node| json.number(of(node)), json);
    }

    fn histograms(&self, json: &mut Json<'_>) {
        let key = |bucket: &Bucket| [bucket.from_ns, bucket.to_ns];
        let mut bounds = OrderedSet::<[u64; 2]>::new();
        for (_, buckets) in HISTOGRAMS {
            bounds.extend(self.0.iter().flat_map(buckets).map(key));
        }
        json.key("bounds");
        json.list(bounds.iter().map(<[u64; 2]>::as_slice));
        let number: OrderedMap<[u64; 2], u64> = bounds.into_iter().zip(0..).collect();
        for (name, buckets) in HISTOGRAMS {
            json.key(name);
            json.open(b'[');
            for buckets in self.0.iter().map(buckets) {
                json.item(&buckets.len());
                for bucket in buckets {
                    json.item(&number[&key(bucket)]);
                    json.item(&bucket.count);
                }
            }
            json.close(b']');
        }
    }
}

/// The index of a parent, or -1.
fn parent(node: &Node) -> i64 {
    node.parent.map_or(-1, |index| i64::from(u32::from(index)))
}
