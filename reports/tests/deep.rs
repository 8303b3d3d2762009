//! A path of thousands of nodes: its reports grow with it, not with its square, and no time is
//! lost.

use crate::support::hangs::Program;
use crate::support::{empty, node, page, site};
use diagnose_reports::model::{SpanIndex, TaskId};
use diagnose_reports::{Format, Snapshot, View, fold};

/// A path of `depth` nodes, each busy for 1 ns outside of its child.
fn deep(depth: usize) -> Snapshot {
    let mut snapshot = empty();
    snapshot.sites = vec![site("even", "m", "a.rs", 1, 1), site("odd", "m", "a.rs", 2, 1)];
    for level in 0..depth {
        let mut node = node(level % 2, level.checked_sub(1));
        node.busy_ns = u64::try_from(depth - level).unwrap();
        node.self_idle_ns = 2;
        node.idle_ns = 2;
        snapshot.nodes.push(node);
    }
    snapshot
}

#[test]
fn spans_that_are_too_deep_are_one_frame_with_all_their_time() {
    let stacks = fold(&deep(20_000), View::Time);
    let sum = |leaf: &str| {
        let of_leaf = stacks.iter().filter(|stack| stack.frames.last().is_some_and(|frame| frame == leaf));
        of_leaf.map(|stack| stack.value_ns).sum::<u64>()
    };
    assert_eq!((sum("[busy]"), sum("[idle]")), (20_000, 40_000));
    assert_eq!(stacks.iter().map(|stack| stack.frames.len()).max(), Some(512 + 2));
    let deeper = stacks.iter().find(|stack| stack.frames.contains(&"[deeper]".to_owned())).unwrap();
    assert_eq!(deeper.value_ns, 20_000 - 512);
}

#[test]
fn paths_of_recordable_depth_are_not_cut() {
    assert!(fold(&deep(512), View::Time).iter().all(|stack| !stack.frames.contains(&"[deeper]".to_owned())));
}

#[test]
fn the_size_of_pages_is_not_quadratic() {
    for format in [Format::Folded, Format::Text, Format::Dot] {
        let (short, long) = (page(&deep(2_000), format, View::Time), page(&deep(16_000), format, View::Time));
        assert!(long.len() < 9 * short.len(), "{format:?}: {} and {} bytes", short.len(), long.len());
    }
    #[cfg(feature = "svg")]
    assert!(page(&deep(16_000), Format::Svg, View::Time).len() < 2_000_000);
}

/// A task with `depth` spans, each below the one before.
fn nested(depth: usize) -> Program {
    let mut program = Program::new();
    let task = program.task("recursive");
    let mut below = None;
    for _ in 0..depth {
        below = Some(program.span(task, below, 9));
    }
    program.snapshot.tasks[1].span = Some(SpanIndex::new(0));
    program
}

#[test]
fn a_future_nested_ten_thousand_levels_deep_has_lines_that_fit_a_terminal() {
    let text = page(&nested(10_000).snapshot, Format::FullText, View::Wall);
    assert_eq!(text.matches("└─ [level ").count(), 10_000 - 1 - 24);
    assert!(text.contains("└─ [level 9999] span"));
    let longest = text.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(120), "{longest:?}");
}

#[test]
fn a_span_below_another_is_drawn_once_even_if_it_is_called_detached() {
    let mut program = nested(1_000);
    for span in &mut program.snapshot.spans[1..] {
        span.is_detached = true;
    }
    let text = page(&program.snapshot, Format::FullText, View::Wall);
    assert_eq!(text.matches("└─ ").count(), 1_000 - 1, "{text}");
}

#[test]
fn a_span_is_not_drawn_in_another_task_than_its_own() {
    let mut program = nested(2);
    let other = program.task("other");
    program.snapshot.spans[1].task = Some(TaskId::new(other));
    program.snapshot.tasks[2].span = Some(SpanIndex::new(1));
    let text = page(&program.snapshot, Format::FullText, View::Wall);
    assert!(!text.contains("└─"), "{text}");
}
