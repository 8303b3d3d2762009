//! Profiles and tables for other tools: each adds up to the snapshot, and all of them agree.
#![cfg(feature = "pprof")]

use std::collections::BTreeMap;

use crate::support::profiles::{Pprof, Sums, firefox, speedscope, timed};
use crate::support::{bytes, empty, folded, page, random, tree};
use diagnose_reports::model::SiteKind;
use diagnose_reports::{Format, Snapshot, View, fold};
use proptest::prelude::*;

fn pprof(snapshot: &Snapshot, view: View) -> Pprof {
    Pprof::read(&bytes(snapshot, Format::Pprof, view))
}

/// The times of a folded view, by the last frame that is no leaf.
fn by_function(snapshot: &Snapshot, view: View) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for stack in fold(snapshot, view) {
        *sums.entry(stack.frames[stack.frames.len() - 2].clone()).or_default() += stack.value_ns;
    }
    sums
}

/// The times of a folded view, by leaf.
fn by_leaf(snapshot: &Snapshot, view: View) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for stack in fold(snapshot, view) {
        *sums.entry(stack.frames.last().unwrap().clone()).or_default() += stack.value_ns;
    }
    sums
}

#[test]
fn a_sample_has_a_path_labels_and_the_kind_of_its_time() {
    let mut snapshot = tree(
        "
handle | busy=30 polls=4 calls=2 label=user:7
  read | busy=10 self_idle=50 idle=50 polls=3 calls=2
",
    );
    snapshot.nodes[0].idle_ns = 70;
    snapshot.nodes[0].queued_ns = 5;
    snapshot.nodes[1].wall_ns = 50;
    snapshot.captured_unix_ms = 1_000_002_000;
    let profile = pprof(&snapshot, View::Wall);
    assert_eq!(profile.types, ["busy", "wall", "idle", "queued", "polls", "calls"]);
    let label = |text: &str| ("label".to_owned(), text.to_owned());
    let state = |text: &str| ("state".to_owned(), text.to_owned());
    let handle = vec!["handle".to_owned()];
    let read = vec!["handle".to_owned(), "read".to_owned()];
    assert_eq!(
        profile.samples,
        [
            (handle.clone(), vec![20, 20, 0, 0, 4, 2], vec![label("user:7"), state("busy")]),
            (handle.clone(), vec![0, 15, 0, 0, 0, 0], vec![label("user:7"), state("waiting")]),
            (handle, vec![0, 5, 0, 5, 0, 0], vec![label("user:7"), state("queued")]),
            (read.clone(), vec![10, 10, 0, 0, 3, 2], vec![label("user:7"), state("busy")]),
            (read, vec![0, 50, 50, 0, 0, 0], vec![label("user:7"), state("waiting")]),
        ]
    );
    assert_eq!(profile.strings[0], "");
    for text in ["server", "src/main.rs", "server::handle", "diagnose 0.1.0, recording on"] {
        assert!(profile.strings.iter().any(|it| it == text), "{text}");
    }
    let integer = |number: u64| profile.message.iter().find(|(field, _)| *field == number).cloned();
    let started_ns = crate::support::profiles::Field::Integer(1_000_000_000_000_000);
    assert_eq!(integer(9), Some((9, started_ns)), "time_nanos is the start");
}

#[test]
fn a_view_is_what_a_reader_shows_first() {
    let snapshot = tree("main | busy=5 self_idle=3");
    for (view, first, index) in
        [(View::Wall, "wall", 0), (View::Time, "wall", 0), (View::Busy, "busy", 1), (View::Idle, "idle", 2)]
    {
        let profile = pprof(&snapshot, view);
        let (_, default) = profile.message.iter().find(|(field, _)| *field == 14).unwrap();
        let number = profile.strings.iter().position(|text| text == first).unwrap() as u64;
        assert_eq!(*default, crate::support::profiles::Field::Integer(number));
        let json =
            |format| serde_json::from_str::<serde_json::Value>(&page(&snapshot, format, view)).unwrap();
        assert_eq!(json(Format::Speedscope)["activeProfileIndex"], index);
        assert_eq!(json(Format::Firefox)["meta"]["initialSelectedThreads"][0], index);
    }
}

#[test]
fn nothing_recorded_is_an_empty_profile() {
    let snapshot = empty();
    assert_eq!(pprof(&snapshot, View::Wall).samples, []);
    assert_eq!(speedscope(&page(&snapshot, Format::Speedscope, View::Wall), 0).1, 0);
    assert_eq!(firefox(&page(&snapshot, Format::Firefox, View::Wall), 0), BTreeMap::new());
    assert_eq!(page(&snapshot, Format::Csv, View::Wall).lines().count(), 1);
}

#[test]
fn a_path_without_an_end_is_cut_in_every_profile() {
    let depth =
        |level: usize| format!("{}f{level} | busy={} self_idle=1\n", "  ".repeat(level), 2_000 - level);
    let snapshot = tree(&(0..2_000).map(depth).collect::<String>());
    let profile = pprof(&snapshot, View::Wall);
    assert_eq!(profile.samples.iter().map(|(stack, ..)| stack.len()).max(), Some(513));
    assert_eq!(profile.sum("busy"), 2_000);
    assert_eq!(profile.sum("idle"), 2_000);
    let (times, end) = speedscope(&page(&snapshot, Format::Speedscope, View::Wall), 1);
    assert_eq!((times["[deeper]"], end), (2_000 - 512, 2_000));
    assert_eq!(firefox(&page(&snapshot, Format::Firefox, View::Wall), 1)["[deeper]"], 2_000 - 512);
}

#[test]
fn a_table_is_read_back_field_by_field() {
    let mut snapshot = tree("main | busy=10 calls=1 polls=2\n  read | self_idle=7 idle=7 calls=3");
    snapshot.sites[1].name = "=cmd|'/c calc'!A1, \"x\"".to_owned();
    let table = page(&snapshot, Format::Csv, View::Wall);
    let lines: Vec<&str> = table.split_terminator("\r\n").collect();
    assert!(lines[0].starts_with("function,module,kind,file,line,calls,polls,"), "{}", lines[0]);
    assert!(lines[1].starts_with("main,server,fn,src/main.rs,1,1,2,"), "{}", lines[1]);
    assert!(
        lines[2].starts_with("\"'=cmd|'/c calc'!A1, \"\"x\"\"\",server,fn,src/main.rs,2,3,"),
        "{}",
        lines[2]
    );
    assert_eq!(lines.len(), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pprof_adds_up_to_the_snapshot(snapshot in timed(40)) {
        let (sums, profile) = (Sums::of(&snapshot), pprof(&snapshot, View::Wall));
        prop_assert_eq!(profile.sum("busy"), sums.busy);
        prop_assert_eq!(profile.sum("wall"), sums.wall);
        prop_assert_eq!(profile.sum("idle"), sums.idle);
        prop_assert_eq!(profile.sum("queued"), sums.queued);
        let mut counts = (0, 0);
        // As in the header of the text report: polls of awaits are those of their functions.
        for node in snapshot.nodes.iter().filter(|node| snapshot.site(node.site).unwrap().kind != SiteKind::Await) {
            counts = (counts.0 + node.polls, counts.1 + node.calls);
        }
        prop_assert_eq!((profile.sum("polls"), profile.sum("calls")), counts);
        let mut wall = BTreeMap::<String, u64>::new();
        for (stack, values, _) in &profile.samples {
            *wall.entry(stack.last().unwrap().clone()).or_default() += values[1];
        }
        wall.retain(|_, ns| *ns > 0);
        prop_assert_eq!(wall, by_function(&snapshot, View::Wall));
    }

    #[test]
    fn speedscope_and_firefox_add_up_to_the_folded_stacks(snapshot in timed(40)) {
        let pages = [Format::Speedscope, Format::Firefox].map(|format| page(&snapshot, format, View::Wall));
        for (index, view) in [View::Wall, View::Busy, View::Idle].into_iter().enumerate() {
            let expected = if index == 0 { by_leaf(&snapshot, view) } else { by_function(&snapshot, view) };
            let (mut times, end) = speedscope(&pages[0], index);
            times.retain(|_, ns| *ns > 0);
            prop_assert_eq!(end, expected.values().sum::<u64>());
            prop_assert_eq!(&times, &expected);
            prop_assert_eq!(firefox(&pages[1], index), expected);
        }
        let sums = Sums::of(&snapshot);
        prop_assert_eq!(by_leaf(&snapshot, View::Wall).values().sum::<u64>(), sums.wall);
        prop_assert_eq!(by_leaf(&snapshot, View::Wall).get("[queued]").copied().unwrap_or_default(), sums.queued);
    }

    #[test]
    fn the_self_times_of_the_table_add_up(snapshot in timed(40)) {
        let table = page(&snapshot, Format::Csv, View::Wall);
        let header: Vec<&str> = table.lines().next().unwrap().trim_end().split(',').collect();
        let sum = |column: &str| -> u64 {
            let from_end = header.len() - header.iter().position(|name| *name == column).unwrap();
            // Only texts have commas, and they come first.
            table.lines().skip(1).map(|line| line.trim_end().rsplit(',').nth(from_end - 1).unwrap().parse::<u64>().unwrap()).sum()
        };
        let sums = Sums::of(&snapshot);
        prop_assert_eq!(sum("self_busy_ns"), sums.busy);
        prop_assert_eq!(sum("self_idle_ns"), sums.idle);
    }

    #[test]
    fn any_name_is_one_frame_in_all_profiles(snapshot in random::snapshot(25)) {
        let lines = folded(&snapshot, View::Busy);
        let profile = pprof(&snapshot, View::Busy);
        let stack = |(stack, values, _): &(Vec<String>, Vec<u64>, _)| (values[0] > 0).then(|| stack.join(";") + ";[busy]");
        let mut stacks: Vec<String> = profile.samples.iter().filter_map(stack).collect();
        stacks.sort();
        stacks.dedup();
        prop_assert_eq!(stacks, lines.lines().map(|line| line.rsplit_once(' ').unwrap().0.to_owned()).collect::<Vec<_>>());
    }
}
