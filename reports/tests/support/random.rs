//! Random snapshots with consistent times, and names that formats have to escape.

use diagnose_reports::Snapshot;
use diagnose_reports::model::SiteKind;
use proptest::prelude::*;

use super::{bucket, empty, node, site};

/// Names that some format could mistake for its own syntax.
pub(crate) fn name() -> impl Strategy<Value = String> {
    let nasty = prop::sample::select(vec![
        "fetch",
        "fetch::retry",
        "worker 3",
        "worker_3",
        "[u8; 8]",
        "[busy]",
        "[idle]",
        "[other]",
        "# note",
        "a;b",
        "a:b",
        "Vec<&'a \"str\">",
        "line\nbreak",
        "tab\there",
        "bell\u{7}",
        "nul\0",
        "1 2",
        "3.14 2.7",
        "x 1.5",
        "",
        "  ",
        "naïve",
        "測試",
        "\u{FFFF}",
        "\u{2028}",
        "]]>",
        "--",
        "---",
        "-",
        "{block}",
        "f (2)",
        "f",
        "x_[k]",
        "&amp;",
        "<svg>",
        "\u{202E}abc",
    ]);
    prop_oneof![3 => nasty.prop_map(str::to_owned), 1 => any::<String>()]
}

/// A tree of up to `size` nodes over sites with nasty names. Every busy time is the sum of its
/// parts.
pub(crate) fn snapshot(size: usize) -> impl Strategy<Value = Snapshot> {
    let sites = prop::collection::vec((name(), 0..3_u32, 0..3_u32), 1..8);
    let raw_node =
        (any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3_u8, 0..50_u64, 0..50_u64, 0..9_u64);
    (sites, prop::collection::vec(raw_node, 0..size)).prop_map(|(sites, raw_nodes)| {
        let mut snapshot = empty();
        for (name, module, line) in sites {
            snapshot.sites.push(site(&name, ["", "a", "b"][module as usize], "src/a.rs", line, 1));
        }
        snapshot.sites[0].kind = SiteKind::Block;
        for (number, (site, parent, roots, self_busy_ns, self_idle_ns, nested_ns)) in
            raw_nodes.into_iter().enumerate()
        {
            let parent = if number == 0 || roots == 0 { None } else { Some(parent.index(number)) };
            let mut node = node(site.index(snapshot.sites.len()), parent);
            node.label = (self_idle_ns % 3 == 0).then(|| format!("label {nested_ns}"));
            node.polls = 1 + nested_ns;
            node.calls = 1;
            node.nested_ns = nested_ns;
            node.self_idle_ns = self_idle_ns;
            node.idle_ns = self_idle_ns;
            node.busy_ns = self_busy_ns + nested_ns;
            node.longest_poll_ns = node.busy_ns;
            node.polls_histogram = vec![bucket(0, 64, node.polls)];
            snapshot.nodes.push(node);
        }
        for child in (0..snapshot.nodes.len()).rev() {
            if let Some(parent) = snapshot.nodes[child].parent {
                snapshot.nodes[parent.get()].busy_ns += snapshot.nodes[child].busy_ns;
            }
        }
        snapshot
    })
}
