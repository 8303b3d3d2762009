//! Metrics: the text of both dialects, and sums that agree with the snapshot.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::profiles::{Sums, timed};
use crate::support::{bucket, empty, page, site, tree};
use diagnose_reports::model::{RunState, SiteIndex, SiteKind, Task, TaskId};
use diagnose_reports::{Format, Snapshot, View};
use proptest::prelude::*;

/// The value 1 of a sample.
const ONE: u128 = 1_000_000_000;

/// The samples of a text: each has a name with labels, once, and a number, here in billionths.
fn samples(page: &str) -> BTreeMap<String, u128> {
    let mut samples = BTreeMap::new();
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        let (name, value) = line.rsplit_once(' ').unwrap();
        let (whole, rest) = value.split_once('.').unwrap_or((value, ""));
        let billionths = format!("{whole}{rest:0<9}").parse().unwrap();
        assert!(samples.insert(name.to_owned(), billionths).is_none(), "{name} comes twice");
    }
    samples
}

fn sum(samples: &BTreeMap<String, u128>, name: &str) -> u128 {
    let of_name = |sample: &str| sample.split('{').next() == Some(name);
    samples.iter().filter(|(sample, _)| of_name(sample)).map(|(_, value)| value).sum()
}

fn open_metrics(snapshot: &Snapshot) -> String {
    page(snapshot, Format::OpenMetrics, View::Wall)
}

#[test]
fn a_wait_belongs_to_the_function_that_awaits() {
    let mut snapshot =
        tree("handle | busy=30 calls=2 polls=4\n  sleep | self_idle=2_500_000_000 polls=3 calls=2");
    snapshot.sites[1].kind = SiteKind::Await;
    let samples = samples(&open_metrics(&snapshot));
    assert_eq!(samples["diagnose_idle_seconds_total{function=\"handle\",module=\"server\"}"], 2_500_000_000);
    assert_eq!(samples["diagnose_busy_seconds_total{function=\"handle\",module=\"server\"}"], 30);
    assert_eq!(sum(&samples, "diagnose_polls_total"), 4 * ONE);
    assert_eq!(sum(&samples, "diagnose_calls_total"), 2 * ONE);
}

#[test]
fn a_running_poll_is_not_in_the_sum_of_those_that_have_ended() {
    let mut snapshot = tree("handle | busy=3_600_000_000_000 polls=5 running=1");
    snapshot.nodes[0].polls_histogram = vec![bucket(524_288, 1_048_576, 4)];
    let samples = samples(&open_metrics(&snapshot));
    assert_eq!(sum(&samples, "diagnose_poll_seconds_sum"), 4 * 1_048_576);
    assert_eq!(sum(&samples, "diagnose_busy_seconds_total"), 3_600 * ONE);
}

#[test]
fn a_namesake_in_another_module_does_not_rename_a_series() {
    let mut snapshot = tree("get | calls=1\nput | calls=2\nlist | calls=3\n{block} | calls=4");
    let module = |snapshot: &mut Snapshot, site: usize, name: &str, module: &str| {
        (snapshot.sites[site].name, snapshot.sites[site].module) = (name.into(), module.into());
    };
    module(&mut snapshot, 1, "get", "cache");
    let of = |snapshot: &Snapshot| samples(&open_metrics(snapshot));
    let calls = |function: &str, module: &str| {
        format!("diagnose_calls_total{{function=\"{function}\",module=\"{module}\"}}")
    };
    let found = of(&snapshot);
    assert_eq!(found[&calls("get", "server")], ONE);
    assert_eq!(found[&calls("get", "cache")], 2 * ONE);
    assert_eq!(found[&calls("{block} (src/main.rs:4)", "server")], 4 * ONE);
    // Two of one module are told apart by their lines.
    module(&mut snapshot, 2, "get", "cache");
    let found = of(&snapshot);
    assert_eq!(found[&calls("get", "server")], ONE);
    assert_eq!(found[&calls("get (src/main.rs:2)", "cache")], 2 * ONE);
    assert_eq!(found[&calls("get (src/main.rs:3)", "cache")], 3 * ONE);
}

#[test]
fn a_histogram_is_cumulative_and_ends_with_all() {
    let mut snapshot = tree("handle | busy=3_000_000 polls=10");
    snapshot.nodes[0].polls_histogram = vec![bucket(0, 8_192, 4), bucket(524_288, 1_048_576, 6)];
    let samples = samples(&open_metrics(&snapshot));
    let up_to = |le: &str| {
        samples[&format!("diagnose_poll_seconds_bucket{{function=\"handle\",module=\"server\",le=\"{le}\"}}")]
    };
    assert_eq!(
        ["0.00001", "0.0005", "0.001", "0.005", "10.0", "+Inf"].map(up_to),
        [4, 4, 9, 10, 10, 10].map(|count| count * ONE)
    );
    assert_eq!(sum(&samples, "diagnose_poll_seconds_count"), 10 * ONE);
    assert_eq!(sum(&samples, "diagnose_poll_seconds_sum"), 3_000_000);
}

#[test]
fn the_two_dialects_differ_in_their_families_only() {
    let snapshot = tree("handle | busy=30 calls=2");
    let (open, old) = (open_metrics(&snapshot), page(&snapshot, Format::Prometheus, View::Wall));
    assert!(open.ends_with("\n# EOF\n"));
    assert!(!old.contains("# EOF") && !old.contains("# UNIT"));
    assert!(open.contains("# TYPE diagnose_calls counter\n"));
    assert!(old.contains("# TYPE diagnose_calls_total counter\n"));
    assert!(open.contains("# UNIT diagnose_busy_seconds seconds\n"));
    assert_eq!(samples(&open), samples(&old));
}

#[test]
fn the_number_of_series_is_bounded() {
    let mut snapshot = empty();
    for index in 0..5_000_usize {
        snapshot.sites.push(site(&format!("f{index}"), "server", "src/main.rs", 1, 1));
        snapshot.nodes.push(crate::support::node(index, None));
        snapshot.nodes[index].busy_ns = index as u64 + 1;
        snapshot.nodes[index].label = Some(format!("user {index}"));
        let mut task = Task::default();
        (task.id, task.site) = (TaskId::new(index as u64 + 1), SiteIndex::new(index));
        task.state = RunState::Waiting;
        task.spawned_at = Some(crate::support::place_at(u32::try_from(index).unwrap(), 1));
        snapshot.tasks.push(task);
    }
    let text = open_metrics(&snapshot);
    let samples = samples(&text);
    assert!(samples.len() < 3_000, "{}", samples.len());
    assert!(!text.contains("user 4999"));
    assert_eq!(samples["diagnose_functions_left_out"], 4_800 * ONE);
    assert_eq!(samples["diagnose_tasks{state=\"waiting\"}"], 5_000 * ONE);
    let heaviest = "diagnose_busy_seconds_total{function=\"f4999\",module=\"server\"}";
    assert_eq!(samples[heaviest], 5_000);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn metrics_add_up_to_the_snapshot(snapshot in timed(40)) {
        let samples = samples(&open_metrics(&snapshot));
        let sums = Sums::of(&snapshot);
        for (name, ns) in [("busy", sums.busy), ("idle", sums.idle), ("queued", sums.queued)] {
            prop_assert_eq!(sum(&samples, &format!("diagnose_{name}_seconds_total")), u128::from(ns), "{}", name);
        }
    }

    #[test]
    fn names_and_labels_are_valid(snapshot in timed(20)) {
        let text = open_metrics(&snapshot);
        let mut families = BTreeSet::new();
        let mut family = String::new();
        for line in text.lines() {
            if let Some(named) = line.strip_prefix("# HELP ") {
                family = named.split(' ').next().unwrap().to_owned();
                prop_assert!(families.insert(family.clone()), "{} comes twice", family);
            } else if !line.starts_with('#') {
                prop_assert!(line.starts_with(&family[..]), "{} in {}", line, family);
                let name = line.split(['{', ' ']).next().unwrap();
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'));
                let mut text = String::new();
                // Collects the text outside of quotes.
                let (mut is_quoted, mut is_escaped) = (false, false);
                for c in line.chars() {
                    match (is_quoted, is_escaped, c) {
                        (true, true, _) => is_escaped = false,
                        (true, false, '\\') => is_escaped = true,
                        (_, false, '"') => is_quoted = !is_quoted,
                        (false, ..) => text.push(c),
                        _ => {}
                    }
                }
                prop_assert!(!is_quoted && !text.contains('\\'), "{}", line);
            }
        }
    }
}
