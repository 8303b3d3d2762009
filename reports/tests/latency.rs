//! Latency of calls: quantiles, merging, sums by function and label.

use crate::support::latency::durations;
use crate::support::{bucket, page, tree};
use diagnose_reports::model::{Durations, RunState, SiteKind, Span, Worker};
use diagnose_reports::{Format, FunctionLatency, Snapshot, View, rows};
use proptest::prelude::*;

const HOUR_NS: u64 = 3_600_000_000_000;

/// Durations of all magnitudes, with many equal ones.
fn lengths() -> impl Strategy<Value = Vec<u64>> {
    let length = prop_oneof![
        1 => Just(0),
        1 => Just(1),
        1 => Just(u64::MAX),
        2 => 0..100_u64,
        2 => 0..1_000_000_u64,
        2 => 990_000..1_010_000_u64,
        2 => HOUR_NS..1_000 * HOUR_NS,
        4 => (any::<u64>(), 0..64_u32).prop_map(|(bits, shift)| bits >> shift),
    ];
    prop::collection::vec(length, 0..150)
}

/// The smallest of the sorted durations that at least `per_mille` of 1000 do not exceed.
fn exact(sorted: &[u64], per_mille: u16) -> Option<u64> {
    let enough = |at: usize| (at + 1) * 1000 >= sorted.len() * usize::from(per_mille);
    (0..sorted.len()).find(|&at| enough(at)).map(|at| sorted[at])
}

proptest! {
    #[test]
    fn a_quantile_is_within_four_percent(mut lengths in lengths(), per_mille in 0..=1000_u16) {
        lengths.sort_unstable();
        let histogram = durations(&lengths);
        for per_mille in [0, 1, 500, 900, 990, 999, 1000, per_mille] {
            let (found, exact) = (histogram.quantile(per_mille), exact(&lengths, per_mille));
            prop_assert_eq!(found.is_some(), exact.is_some());
            let (Some(found), Some(exact)) = (found, exact) else { continue };
            let off = u128::from(found.abs_diff(exact)) * 100;
            prop_assert!(off <= u128::from(exact) * 4, "{per_mille}: {found}, exactly {exact}");
        }
    }

    #[test]
    fn the_last_duration_is_exact(lengths in lengths()) {
        prop_assert_eq!(durations(&lengths).quantile(1000), lengths.iter().copied().max());
    }

    #[test]
    fn quantiles_ascend(lengths in lengths()) {
        let quantiles = durations(&lengths).quantiles();
        let ascending = [quantiles.p50_ns, quantiles.p90_ns, quantiles.p99_ns, quantiles.p999_ns, quantiles.max_ns];
        prop_assert!(ascending.is_sorted(), "{quantiles:?}");
        prop_assert_eq!(quantiles.count, lengths.len() as u64);
    }

    #[test]
    fn merging_is_the_histogram_of_the_union(parts in prop::collection::vec(lengths(), 0..5)) {
        let mut merged = Durations::default();
        for part in &parts {
            merged.merge(&durations(part));
        }
        prop_assert_eq!(merged, durations(&parts.concat()));
    }

    #[test]
    fn any_histogram_can_be_merged_and_has_quantiles_up_to_its_longest(
        bounds in prop::collection::vec((any::<u64>(), any::<u64>(), any::<u64>()), 0..9),
        longest_ns: u64,
        per_mille: u16,
    ) {
        let mut odd = Durations::default();
        odd.longest_ns = longest_ns;
        odd.buckets = bounds.iter().map(|&(from, to, count)| bucket(from, to, count)).collect();
        prop_assert!(odd.quantile(per_mille).is_none_or(|found| found <= longest_ns));
        let mut twice = odd.clone();
        twice.merge(&odd);
        prop_assert_eq!(twice.longest_ns, odd.longest_ns);
    }
}

/// Three paths of `read`, two of them with a label, and an await.
fn served() -> Snapshot {
    let mut snapshot = tree(
        "
serve | busy=1_000_000_000 idle=3_000_000_000 calls=1 completed=1
  read | busy=10 idle=100 self_idle=100 calls=3 completed=3
  read | busy=10 idle=100 self_idle=100 calls=2 completed=1 cancelled=1 label=user:7
  then().await | idle=900 calls=1 completed=1
other_way | busy=5
  read | busy=30 idle=500 calls=1 completed=1 label=user:7
",
    );
    snapshot.sites[2].kind = SiteKind::Await;
    let ends: [(usize, &[u64], &[u64]); 4] =
        [(0, &[4_000_000_000], &[]), (1, &[10, 20, 30], &[]), (2, &[60], &[50]), (5, &[530], &[])];
    for (node, completed, cancelled) in ends {
        snapshot.nodes[node].latency.completed = durations(completed);
        snapshot.nodes[node].latency.cancelled = durations(cancelled);
    }
    snapshot
}

#[test]
fn paths_of_a_function_and_label_are_one() {
    let latencies = served().latencies();
    let line = |function: &FunctionLatency| {
        let FunctionLatency { name, label, completed, cancelled, in_flight_ns, .. } = function;
        let label = label.as_deref().unwrap_or("-");
        format!(
            "{name} {label}: {} ended, median {}, longest {}; {} cancelled, longest {}; {in_flight_ns} in flight",
            completed.count, completed.p50_ns, completed.max_ns, cancelled.count, cancelled.max_ns
        )
    };
    assert_eq!(
        latencies.iter().map(line).collect::<Vec<_>>(),
        [
            "other_way -: 0 ended, median 0, longest 0; 0 cancelled, longest 0; 5 in flight",
            "read -: 3 ended, median 20, longest 30; 0 cancelled, longest 0; 110 in flight",
            "read user:7: 2 ended, median 60, longest 530; 1 cancelled, longest 50; 640 in flight",
            "serve -: 1 ended, median 4000000000, longest 4000000000; 0 cancelled, longest 0; 4000000000 in flight",
        ]
    );
}

#[test]
fn concurrency_is_the_time_in_flight_over_the_time_elapsed() {
    let snapshot = served();
    let rows = rows(&snapshot);
    let of = |name: &str| rows.iter().find(|row| row.name == name).unwrap();
    assert_eq!(of("serve").mean_concurrency(snapshot.elapsed_ns).to_bits(), 2.0_f64.to_bits());
    assert_eq!(of("serve").mean_concurrency(0).to_bits(), 0.0_f64.to_bits());
    let mut awaits = rows.iter().filter(|row| snapshot.site(row.site).unwrap().kind == SiteKind::Await);
    assert_eq!(awaits.next().map(|row| row.in_flight_ns), Some(0));
    assert_eq!(of("read").completed_latency.count, 5);
    assert_eq!(of("read").cancelled_latency.max_ns, 50);
}

#[test]
fn functions_have_columns_for_latency_if_any_is_known() {
    let page = |snapshot: &Snapshot| page(snapshot, Format::Text, View::Time);
    let mut snapshot = served();
    assert!(page(&snapshot).contains("p50 call  p99 call"));
    for node in &mut snapshot.nodes {
        node.latency = diagnose_reports::model::Latency::default();
    }
    assert!(!page(&snapshot).contains(" call  ") && !page(&snapshot).contains("LATENCY"));
}

#[test]
fn the_table_of_latencies_has_a_line_per_function_and_label() {
    let mut snapshot = served();
    snapshot.nodes[0].latency.cancelled = durations(&[1_000]);
    for (age_ns, state) in [(70, RunState::Running), (90, RunState::Waiting), (800, RunState::Unpolled)] {
        let mut span = Span::default();
        (span.site, span.age_ns, span.state) = (snapshot.nodes[0].site, age_ns, state);
        snapshot.spans.push(span);
    }
    let page = page(&snapshot, Format::Text, View::Time);
    let table = page.split("\n\n").find(|part| part.starts_with("LATENCY of calls"));
    assert_eq!(
        table.unwrap(),
        "\
LATENCY of calls, most time in flight first
  ended      p50      p90      p99    p99.9      max  oldest now  mean in flight  function           label
      1   4.00 s   4.00 s   4.00 s   4.00 s   4.00 s       90 ns            2.00  serve
      1  1.00 µs  1.00 µs  1.00 µs  1.00 µs  1.00 µs                              serve (cancelled)
      2    60 ns   530 ns   530 ns   530 ns   530 ns                        0.00  read               user:7
      1    50 ns    50 ns    50 ns    50 ns    50 ns                              read (cancelled)   user:7
      3    20 ns    30 ns    30 ns    30 ns    30 ns                        0.00  read"
    );
}

#[test]
fn functions_with_many_calls_of_which_none_has_ended_have_a_line_if_there_is_room() {
    let line = |pending: u64, functions: usize| {
        let first = format!("pings | calls={pending} pending={pending} idle=5_000_000_000");
        let ended = (0..functions).map(|number| format!("f{number} | calls=1 completed=1 busy=10"));
        let drawing: Vec<String> = std::iter::once(first).chain(ended).collect();
        let mut snapshot = tree(&drawing.join("\n"));
        snapshot.elapsed_ns = 2_000_000_000;
        for node in &mut snapshot.nodes[1..] {
            node.latency.completed = durations(&[10]);
        }
        let mut oldest = Span::default();
        (oldest.site, oldest.age_ns, oldest.state) = (snapshot.nodes[0].site, 900_000_000, RunState::Waiting);
        snapshot.spans.push(oldest);
        let page = page(&snapshot, Format::Text, View::Time);
        let table = page.split("\n\n").find(|part| part.starts_with("LATENCY of calls")).unwrap().to_owned();
        table.lines().find(|line| line.ends_with("pings")).map(|line| {
            assert_eq!(table.lines().nth(2), Some(line), "most time in flight first");
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        })
    };
    assert_eq!(line(594, 3).as_deref(), Some("0 - - - - - 900 ms 2.50 pings"));
    assert_eq!(line(9, 3), None, "loops");
    assert_eq!(line(594, 60), None, "functions whose calls end come first");
}

#[test]
fn latencies_come_before_functions_if_workers_are_parked_and_nothing_is_found() {
    let is_latency_first = |parked_ns: u64, lost: u64| {
        let mut snapshot = served();
        let mut worker = Worker::default();
        (worker.listed_ns, worker.parked_ns) = (1_000, parked_ns);
        snapshot.workers.push(worker);
        snapshot.dropped.over_nodes = lost;
        let page = page(&snapshot, Format::Text, View::Time);
        page.find("\nLATENCY").unwrap() < page.find("\nFUNCTIONS").unwrap()
    };
    assert!(is_latency_first(900, 0));
    assert!(!is_latency_first(899, 0), "it computes");
    assert!(!is_latency_first(900, 41), "there is a finding");
}

#[test]
fn a_saved_snapshot_keeps_the_histograms() {
    let snapshot = served();
    let saved = page(&snapshot, Format::Json, View::Time);
    assert_eq!(Snapshot::read_json(saved.as_bytes()).unwrap(), snapshot);
    assert_eq!(saved.matches("\"latency\"").count(), 4, "nodes without durations say nothing of them");
}

#[test]
fn durations_of_merged_nodes_add_up() {
    let mut snapshot = tree(
        "
a | busy=10
  block | busy=5 completed=1
    read | busy=2 completed=1
  read | busy=3 completed=2
",
    );
    snapshot.sites[1].kind = SiteKind::Block;
    for (node, lengths) in [(1, vec![9]), (2, vec![7]), (3, vec![100, 200])] {
        snapshot.nodes[node].latency.completed = durations(&lengths);
    }
    let shown = snapshot.without(&[SiteKind::Block]);
    assert_eq!(shown.nodes[1].latency.completed, durations(&[7, 100, 200]));
    assert!(shown.nodes[0].latency.is_empty());
}
