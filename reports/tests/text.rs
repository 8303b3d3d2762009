//! The report for a terminal, as a whole page.

use crate::support::{empty, node, page, site, tree};
use diagnose_reports::{Format, View};

fn text(drawing: &str) -> String {
    page(&tree(drawing), Format::Text, View::Time)
}

/// 50 calls wait at the same time in one caller, and 10 of another one in turn.
#[test]
fn calls_that_overlap_have_no_share_of_their_caller() {
    let page = text(
        "join | calls=1 polls=60 idle=1_000_000_000
  fetch | calls=50 polls=100 idle=49_000_000_000 self_idle=49_000_000_000
serial | calls=1 polls=20 idle=1_000_000_000
  query | calls=10 polls=20 idle=1_004_000_000 self_idle=1_004_000_000
",
    );
    let lines_of = |name: &str| page.lines().filter(|line| line.contains(name)).collect::<Vec<_>>();
    for (name, share) in [("fetch", "> 100 %"), ("query", "100 %")] {
        let lines = lines_of(name);
        let has_share = |line: &&str| line.contains(&format!("s  {share:>9}  "));
        assert_eq!(lines.iter().filter(|line| has_share(line)).count(), 2, "{name}: {page}");
    }
}

#[test]
fn a_server_under_load() {
    insta::assert_snapshot!(text(
        "
main | busy=412_000_000 idle=1_500_000_000 self_idle=3_000_000 calls=1 polls=120 pending=1 max=9_000_000
  accept | busy=20_000_000 idle=300_000_000 self_idle=300_000_000 calls=40 polls=80 max=900_000 polls@262144..524288=60 polls@524288..1048576=20
  handle | busy=200_000_000 idle=500_000_000 self_idle=90_000_000 calls=30 polls=300 cancelled=3 max=9_000_000 label=user:7
    read | busy=80_000_000 idle=400_000_000 self_idle=400_000_000 calls=30 polls=160 max=2_000_000
      {block} | busy=1_500 calls=1 polls=1 max=1_500
  handle | busy=150_000_000 idle=690_000_000 self_idle=690_000_000 calls=10 polls=100 max=8_000_000 label=user:8
worker 3 | busy=900_000_000 idle=200_000_000 self_idle=200_000_000 calls=2 polls=90 never_polled=2 max=50_000_000
  other | busy=90_000_000 calls=12 polls=12
"
    ), @r"
    server (pid 4711), recorded 2.00 s
    126 calls, 863 polls, 1.31 s busy on 1 thread

    FINDINGS none; no recorded task is alive, and hangs and full channels show only while tasks wait

    VERDICTS none, ALARMS none

    FUNCTIONS, most self busy first
      calls  cancelled  never polled  self busy  self idle  of caller  max poll  function
          2          0             2     810 ms     200 ms          -   50.0 ms  worker_3 (src/main.rs:6)
         40          3             0     270 ms     780 ms     80.5 %   9.00 ms  handle (src/main.rs:3)
         12          0             0    90.0 ms       0 ns     8.18 %      0 ns  [other]
         30          0             0    80.0 ms     400 ms     68.6 %   2.00 ms  read (src/main.rs:4)
          1          0             0    42.0 ms    3.00 ms          -   9.00 ms  main (src/main.rs:1)
         40          0             0    20.0 ms     300 ms     16.7 %    900 µs  accept (src/main.rs:2)
          1          0             0    1.50 µs       0 ns   < 0.01 %   1.50 µs  {block} (src/main.rs:5)

    LABELS, most busy first
        busy    idle  calls  max poll  function  label
      200 ms  500 ms     30   9.00 ms  handle    user:7
      150 ms  690 ms     10   8.00 ms  handle    user:8

    CALL TREE, busy and idle with everything below
         busy    idle  of caller  calls  polls  pending  max poll  call path
       900 ms  200 ms          -      2     90        0   50.0 ms  worker_3
      90.0 ms    0 ns     8.18 %     12     12        0      0 ns  └─ [other]
       412 ms  1.50 s          -      1    120        1   9.00 ms  main
       200 ms  500 ms     36.6 %     30    300        0   9.00 ms  ├─ handle user:7
      80.0 ms  400 ms     68.6 %     30    160        0   2.00 ms  │  └─ read
      1.50 µs    0 ns   < 0.01 %      1      1        0   1.50 µs  │     └─ {block} (src/main.rs:5)
       150 ms  690 ms     43.9 %     10    100        0   8.00 ms  ├─ handle user:8
      20.0 ms  300 ms     16.7 %     40     80        0    900 µs  └─ accept

    nothing dropped
    clock manual; cost of recording ≈ 60.0 µs (< 0.01 % of busy): 1,500 polls 60.0 µs
    diagnose 0.1.0, recording on
    ");
}

#[test]
fn long_polls_are_listed_where_no_child_explains_them() {
    let mut snapshot = tree(
        "
main | busy=400_000_000 calls=1 polls=120 max=200_000_000 polls@262144..524288=1 polls@134217728..268435456=2
  handle | busy=380_000_000 calls=30 polls=300 max=200_000_000 polls@134217728..268435456=2 polls@64..128=298
    read | busy=1_000_000 calls=30 polls=160 max=100_000 polls@65536..131072=3 polls@32768..65536=7
worker 3 | busy=300_000 calls=2 polls=9 max=60_000 polls@32768..65536=9
",
    );
    snapshot.long_poll_ns = 100_000;
    let page = page(&snapshot, Format::Text, View::Time);
    let table = page.split("\nLONG POLLS").nth(1).unwrap().split("\n\n").next().unwrap();
    insta::assert_snapshot!(table, @r"
    , 65.5 µs or longer, most time first
      polls  longest  time at least  of all busy  call path
          3   200 ms         334 ms       83.6 %  main
          2   200 ms         334 ms       83.5 %  main > handle
          3   100 µs         231 µs       0.06 %  main > handle > read
    ");
    snapshot.nodes.retain(|node| node.parent.is_none());
    snapshot.nodes[0].longest_poll_ns = 390_000_000;
    let running = crate::support::page(&snapshot, Format::Text, View::Time);
    assert!(
        running.contains("\n      4   390 ms         400 ms "),
        "a running poll is at least as long as it is: {running}"
    );
    snapshot.long_poll_ns = 300_000_000;
    assert!(!crate::support::page(&snapshot, Format::Text, View::Time).contains("LONG POLLS"));
    snapshot.nodes[0].running = 1;
    let stuck = crate::support::page(&snapshot, Format::Text, View::Time);
    assert!(stuck.contains("\n      1   390 ms         390 ms "), "no other poll is as long: {stuck}");
}

#[test]
fn columns_without_content_and_labels_are_left_out() {
    insta::assert_snapshot!(text("main | busy=5 calls=1 polls=2 max=3"), @r"
    server (pid 4711), recorded 2.00 s
    1 call, 2 polls, 5 ns busy on 1 thread

    FINDINGS none; no recorded task is alive, and hangs and full channels show only while tasks wait

    VERDICTS none, ALARMS none

    FUNCTIONS, most self busy first
      calls  self busy  self idle  max poll  function
          1       5 ns       0 ns      3 ns  main (src/main.rs:1)

    CALL TREE, busy and idle with everything below
      busy  idle  of caller  calls  polls  pending  max poll  call path
      5 ns  0 ns          -      1      2        0      3 ns  main

    nothing dropped
    clock manual; cost of recording ≈ 60.0 µs (1200000 % of busy): 1,500 polls 60.0 µs
    diagnose 0.1.0, recording on
    ");
}

#[test]
fn a_large_tree_shows_its_heaviest_paths_and_counts_the_rest() {
    // 1200 roots with a child each; the last root is the heaviest.
    let mut snapshot = empty();
    for number in 0..1200 {
        snapshot.sites.push(site(&format!("root{number}"), "m", "a.rs", number + 1, 1));
        snapshot.sites.push(site(&format!("leaf{number}"), "m", "b.rs", number + 1, 1));
        let root = snapshot.nodes.len();
        snapshot.nodes.push(node(root, None));
        snapshot.nodes.push(node(root + 1, Some(root)));
        snapshot.nodes[root].busy_ns = 10 * u64::from(number) + 10;
        snapshot.nodes[root + 1].busy_ns = 1;
    }
    let page = page(&snapshot, Format::Text, View::Time);
    let tree = page.split("\nCALL TREE").nth(1).unwrap();
    let shown: Vec<&str> =
        tree.lines().filter(|line| line.contains("root") || line.contains("leaf")).collect();
    assert_eq!(shown.len(), 60);
    assert!(shown[0].ends_with("root1199") && shown[59].ends_with("root1140"), "{shown:?}");
    assert!(tree.contains("\n  … and 2,340 call paths more (the full report has them)\n"));
    assert!(page.contains("\n  … and 2,380 functions more (the full report has them)\n"));
    let full = self::page(&snapshot, Format::FullText, View::Time);
    assert_eq!(full.lines().filter(|line| line.ends_with("root0")).count(), 1);
    assert_eq!(full.lines().filter(|line| line.ends_with("root0 (a.rs:1)")).count(), 1);
    assert!(!full.contains("the full report"), "nothing is folded");
}

#[test]
fn a_heavy_path_is_shown_with_its_ancestors_however_light() {
    // 1500 roots of 5 ns, and one without any time above a leaf of 9 ns.
    let mut snapshot = empty();
    for name in ["root", "light", "heavy"] {
        snapshot.sites.push(site(name, "m", "a.rs", 1, 1));
    }
    for index in 0..1500 {
        snapshot.nodes.push(node(0, None));
        snapshot.nodes[index].busy_ns = 5;
    }
    snapshot.nodes.extend([node(1, None), node(2, Some(1500))]);
    snapshot.nodes[1501].busy_ns = 9;
    let page = page(&snapshot, Format::Text, View::Time);
    let tree = page.split("\nCALL TREE").nth(1).unwrap();
    assert!(tree.contains("  light\n") && tree.contains("  └─ heavy\n"), "{tree}");
}

#[test]
fn a_label_counts_once_within_itself_and_fully_within_others() {
    let page = text(
        "
walk | busy=9 calls=1 label=a
  walk | busy=6 calls=1 label=b
    walk | busy=4 calls=1 label=a
",
    );
    let labels: Vec<&str> = page.split("\nLABELS").nth(1).unwrap().lines().skip(2).take(2).collect();
    assert_eq!(
        labels,
        ["  9 ns  0 ns      2      0 ns  walk      a", "  6 ns  0 ns      1      0 ns  walk      b"]
    );
}

#[test]
fn at_most_twenty_labels_are_shown() {
    let drawing: Vec<String> =
        (0..60).map(|number| format!("handle | busy={} label=user:{number}", 100 - number)).collect();
    let page = text(&drawing.join("\n"));
    let labels = page.split("\nLABELS").nth(1).unwrap().split("\n\n").next().unwrap();
    assert_eq!(labels.lines().filter(|line| line.contains("user:")).count(), 20);
    assert!(labels.contains("user:19\n  … and 40 labels more"), "{labels}");
}

#[test]
fn a_path_deeper_than_any_stack_is_drawn() {
    let mut snapshot = empty();
    snapshot.sites.push(site("walk", "m", "a.rs", 1, 1));
    for depth in 0..100_000_usize {
        snapshot.nodes.push(node(0, depth.checked_sub(1)));
    }
    assert!(page(&snapshot, Format::Text, View::Time).contains("… and 99,940 call paths more"));
}

#[test]
fn names_and_labels_cannot_break_a_line() {
    let mut snapshot = tree("main | busy=5 label=x");
    snapshot.sites[0].name = "a\nb\tc".into();
    snapshot.sites[0].place.file = "a\nb.rs".into();
    snapshot.nodes[0].label = Some("user\n=\u{1b}[31m7".into());
    let page = page(&snapshot, Format::Text, View::Time);
    assert!(page.contains("  a b c (a b.rs:1)\n") && page.contains("  a b c user = [31m7\n"), "{page}");
}
