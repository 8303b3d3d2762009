//! Sums that folding must keep, over random trees with random names.

use crate::support::{folded, random};
use diagnose_reports::{Snapshot, View, fold};
use proptest::prelude::*;

fn total_of(snapshot: &Snapshot, view: View, leaf: &str) -> u64 {
    let stacks = fold(snapshot, view);
    stacks.iter().filter(|stack| stack.frames.last().unwrap() == leaf).map(|stack| stack.value_ns).sum()
}

proptest! {
    #[test]
    fn busy_leaves_sum_up_to_the_roots_less_what_is_nested(snapshot in random::snapshot(60)) {
        let roots: u64 = snapshot.nodes.iter().filter(|node| node.parent.is_none()).map(|node| node.busy_ns).sum();
        let nested: u64 = snapshot.nodes.iter().map(|node| node.nested_ns).sum();
        prop_assert_eq!(total_of(&snapshot, View::Time, "[busy]"), roots - nested);
        prop_assert_eq!(total_of(&snapshot, View::Busy, "[busy]"), roots - nested);
        prop_assert_eq!(total_of(&snapshot, View::Idle, "[busy]"), 0);
    }

    #[test]
    fn idle_leaves_sum_up_to_all_own_waits(snapshot in random::snapshot(60)) {
        let waits: u64 = snapshot.nodes.iter().map(|node| node.self_idle_ns).sum();
        prop_assert_eq!(total_of(&snapshot, View::Time, "[idle]"), waits);
        prop_assert_eq!(total_of(&snapshot, View::Idle, "[idle]"), waits);
        prop_assert_eq!(total_of(&snapshot, View::Busy, "[idle]"), 0);
    }

    #[test]
    fn a_stack_has_a_frame_per_node_of_its_path_and_a_leaf(snapshot in random::snapshot(30)) {
        let depth = |mut index: usize| {
            let mut depth = 1;
            while let Some(parent) = snapshot.nodes[index].parent {
                index = parent.get();
                depth += 1;
            }
            depth
        };
        let deepest = (0..snapshot.nodes.len()).filter(|&index| snapshot.nodes[index].self_idle_ns > 0).map(depth).max();
        let stacks = fold(&snapshot, View::Idle);
        prop_assert_eq!(stacks.iter().map(|stack| stack.frames.len() - 1).max(), deepest);
    }

    #[test]
    fn every_line_parses_back(snapshot in random::snapshot(60)) {
        let stacks = fold(&snapshot, View::Time);
        let page = folded(&snapshot, View::Time);
        prop_assert_eq!(page.lines().count(), stacks.len());
        for (line, stack) in page.lines().zip(&stacks) {
            let (frames, value) = line.rsplit_once(' ').unwrap();
            prop_assert_eq!(frames.split(';').collect::<Vec<_>>(), stack.frames.iter().collect::<Vec<_>>());
            prop_assert_eq!(value.parse::<u64>().unwrap(), stack.value_ns);
        }
    }

    #[test]
    fn stacks_are_sorted_and_none_comes_twice(snapshot in random::snapshot(60)) {
        let lines: Vec<String> = fold(&snapshot, View::Time).iter().map(|stack| stack.frames.join(";")).collect();
        prop_assert!(lines.windows(2).all(|pair| pair[0] < pair[1]), "{lines:#?}");
    }
}
