//! The nodes as columns: a million of them take a fifth of the space of as many objects.
//!
//! ```text
//! "site": [0, 1, …]      index into the sites          "parent": [-1, 0, …]   -1 for a root
//! "labels": ["user=7"]   the distinct labels           "label": [0, 1, …]     0: none, 1: the first
//! "calls": [3, 3, …]     and so on, a column for each counter and time
//! "bounds": [[512, 1024], …]   the distinct buckets of all histograms, ascending
//! "polls_histogram": [2, 0, 9, 1, 3, …]   per node: number of buckets, then index and count of each
//! ```

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::model::{Bucket, Node, NodeIndex};
use crate::ordered::{OrderedMap, OrderedSet};

/// A number of a node, and the name of its column.
type Number = (&'static str, fn(&Node) -> u64);
/// A histogram of a node, and the name of its column.
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

/// Serializes nodes as columns.
pub(super) struct Columns<'a>(pub(super) &'a [Node]);

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes = self.0;
        let mut columns = serializer.serialize_map(None)?;
        columns.serialize_entry("site", &NodeColumn(nodes, |node: &Node| node.site))?;
        columns.serialize_entry("parent", &NodeColumn(nodes, |node: &Node| Parent(node.parent)))?;
        for (name, number) in NUMBERS {
            columns.serialize_entry(name, &NodeColumn(nodes, number))?;
        }
        self.labels(&mut columns)?;
        self.histograms(&mut columns)?;
        columns.end()
    }
}

impl Columns<'_> {
    fn labels<M: SerializeMap>(&self, columns: &mut M) -> Result<(), M::Error> {
        let texts: OrderedSet<&str> = self.0.iter().filter_map(|node| node.label.as_deref()).collect();
        let number: OrderedMap<&str, usize> =
            texts.iter().enumerate().map(|(index, text)| (*text, index + 1)).collect();
        let of = |node: &Node| node.label.as_deref().map_or(0, |text| number[text]);
        columns.serialize_entry("labels", &texts.iter().collect::<Vec<_>>())?;
        columns.serialize_entry("label", &NodeColumn(self.0, of))
    }

    fn histograms<M: SerializeMap>(&self, columns: &mut M) -> Result<(), M::Error> {
        let key = |bucket: &Bucket| (bucket.from_ns, bucket.to_ns);
        let mut bounds = OrderedSet::<(u64, u64)>::new();
        for (_, buckets) in HISTOGRAMS {
            bounds.extend(self.0.iter().flat_map(buckets).map(key));
        }
        columns.serialize_entry("bounds", &bounds.iter().collect::<Vec<_>>())?;
        let number: OrderedMap<(u64, u64), u64> = bounds.into_iter().zip(0..).collect();
        for (name, buckets) in HISTOGRAMS {
            let pairs = |bucket: &Bucket| [number[&key(bucket)], bucket.count];
            let of_node = |node| {
                std::iter::once(buckets(node).len() as u64).chain(buckets(node).iter().flat_map(pairs))
            };
            let flat: Vec<u64> = self.0.iter().flat_map(of_node).collect();
            columns.serialize_entry(name, &flat)?;
        }
        Ok(())
    }
}

/// One value of each node.
struct NodeColumn<'a, F>(&'a [Node], F);

impl<T: Serialize, F: Fn(&Node) -> T> Serialize for NodeColumn<'_, F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(&self.1))
    }
}

/// The index of a parent, or -1.
struct Parent(Option<NodeIndex>);

impl Serialize for Parent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Some(index) => index.serialize(serializer),
            None => serializer.serialize_i64(-1),
        }
    }
}
