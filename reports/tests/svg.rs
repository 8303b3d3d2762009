//! The flame graph: well-formed, every frame once, nothing lost.
#![cfg(feature = "svg")]

use crate::support::{bucket, cost, empty, page, random, tree};
use diagnose_reports::model::Activity;
use diagnose_reports::{Format, Snapshot, View, fold};
use proptest::prelude::*;
use roxmltree::{Document, ParsingOptions};

/// The page as a browser's strict parser sees it.
fn parse(page: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    Document::parse_with_options(page, options).unwrap()
}

/// The titles of all frames, `name (time, share; …)`, sorted.
fn titles(snapshot: &Snapshot, view: View) -> Vec<String> {
    let page = page(snapshot, Format::Svg, view);
    let mut titles: Vec<String> = parse(&page)
        .descendants()
        .filter(|node| node.has_tag_name("title"))
        .map(|node| text(&node))
        .collect();
    titles.sort();
    titles
}

fn text(node: &roxmltree::Node<'_, '_>) -> String {
    node.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect()
}

#[test]
fn every_frame_is_drawn_once() {
    let snapshot = tree(
        "
main | busy=45
  fetch | busy=14
    poll | busy=4
  fetch::retry | busy=3
  fetch (old) | busy=2
  worker 3 | busy=26
",
    );
    assert_eq!(
        titles(&snapshot, View::Busy),
        [
            "0.00 threads busy for 2.00 s (45 ns, 100 %)",
            "[busy] (10 ns, 22.2 %; inside poll)",
            "[busy] (2 ns, 4.44 %; inside poll)",
            "[busy] (26 ns, 57.8 %; inside poll)",
            "[busy] (3 ns, 6.67 %; inside poll)",
            "[busy] (4 ns, 8.89 %; inside poll)",
            "fetch (14 ns, 31.1 %)",
            "fetch (old) (2 ns, 4.44 %)",
            "fetch::retry (3 ns, 6.67 %)",
            "main (45 ns, 100 %)",
            "poll (4 ns, 8.89 %)",
            "worker_3 (26 ns, 57.8 %)",
        ]
    );
}

#[test]
fn a_title_has_the_time_the_calls_and_the_quantiles() {
    let mut snapshot = tree(
        "
main | busy=6_000_000 idle=11_600_000_000 calls=2 polls=3
  read | busy=2_000_000 calls=4 polls=8 max=900_000 polls@524288..1048576=8
",
    );
    snapshot.nodes[1].wall_ns = 10_000_000_000;
    snapshot.nodes[1].latency.completed.buckets = vec![bucket(2_400_000_000, 2_600_000_000, 4)];
    snapshot.nodes[1].latency.completed.longest_ns = 2_550_000_000;
    let titles = titles(&snapshot, View::Wall);
    for title in [
        "2 tasks × 5.80 s (11.6 s, 100 %)",
        "main (11.6 s, 100 %; 2 calls of 5.80 s; 3 polls)",
        "read (10.0 s, 86.2 %; 4 calls of 2.50 s, latency p50 2.50 s, p99 2.55 s, longest 2.55 s; \
         8 polls: p50 786 µs, p99 900 µs, longest 900 µs)",
        "[idle] (10.0 s, 86.2 %; waiting, between polls)",
    ] {
        assert!(titles.iter().any(|it| it == title), "{title} in {titles:#?}");
    }
}

#[test]
fn a_page_explains_its_total_without_a_script() {
    let mut snapshot = tree("main | busy=6_000_000 idle=31_994_000_000 calls=16");
    snapshot.process.name = "a_service_with_a_name_that_is_far_too_long".to_owned();
    let page = page(&snapshot, Format::Svg, View::Wall);
    let document = parse(&page);
    let texts: Vec<String> =
        document.descendants().filter(|node| node.has_tag_name("text")).map(|node| text(&node)).collect();
    let title = "a_service_with_a_name_that_is_fa: 32.0 s of wall time = 16 tasks × 2.00 s, recorded in 2.00 s, by async call path";
    assert!(texts.iter().any(|text| text == title), "{texts:#?}");
    assert!(texts.iter().any(|text| text == "16 tasks × 2.00 s"), "{texts:#?}");
    // What runs outside of tasks is not theirs.
    let mut outside =
        tree("main | busy=6_000_000 idle=31_994_000_000 calls=16\nhash | busy=1_000_000_000 calls=99");
    outside.sites[1].kind = diagnose_reports::model::SiteKind::Sync;
    let outside = crate::support::page(&outside, Format::Svg, View::Wall);
    assert!(
        outside.contains(": 33.0 s of wall time = 16 tasks × 2.00 s + 1.00 s outside of tasks, recorded")
    );
    // Tasks that it polls, at any depth, are not its time.
    let mut blocks = tree(
        "
main | busy=10_000_000_000
  run | busy=10_000_000_000 nested=10_000_000_000
work | busy=10_000_000_000 calls=1
",
    );
    blocks.sites[0].kind = diagnose_reports::model::SiteKind::Sync;
    blocks.sites[1].kind = diagnose_reports::model::SiteKind::Sync;
    let blocks = crate::support::page(&blocks, Format::Svg, View::Wall);
    assert!(blocks.contains(": 10.0 s of wall time = 1 task × 10.0 s, recorded"), "{blocks}");
    assert!(
        page.contains("height=\"17\"") && page.contains("font-size:12px"),
        "frames are tall enough to read"
    );
}

/// Neither in the drawing nor in the page's script, which cuts texts when it is resized.
#[test]
fn a_long_name_keeps_its_line_and_own_time_is_drawn_last() {
    let snapshot = tree(
        "
main | busy=1000
  tokio::time::sleep(Duration::from_millis(20)).await (src/main.rs:12) | busy=300
  worker_of_all (src/a.rs:3) | busy=100
",
    );
    let page = page(&snapshot, Format::Svg, View::Busy);
    let document = parse(&page);
    let nodes = document.descendants().filter(|node| node.has_tag_name("text"));
    let texts: Vec<String> = nodes.map(|node| text(&node)).collect();
    let name = "tokio::time::sleep(Durat..).await (src/main.rs:12)";
    assert!(texts.iter().any(|text| text == name), "{texts:#?}");
    let own = page.split("<title>[busy] (600 ns").nth(1).unwrap().split("</g>").next().unwrap();
    assert!(own.contains("fg:x=\"400\""), "{own}");
    for part in
        ["function cut(txt, length)", "[newX, cut(txt, substringLength)]", "t.textContent = cut(txt, x);"]
    {
        assert_eq!(page.matches(part).count(), 1, "{part}");
    }
}

#[test]
fn title_legend_and_footer_are_on_the_page() {
    let snapshot = tree("main | busy=5 polls=2");
    for (view, title, legend) in [
        (
            View::Time,
            "server: 5 ns of busy and idle time in 2.00 s, by async call path",
            "■ [busy] inside poll\u{A0}\u{A0}\u{A0}■ [idle] between polls, waiting\u{A0}\u{A0}\u{A0}\
             functions: the pale color of their largest part",
        ),
        (
            View::Busy,
            "server: 5 ns inside poll in 2.00 s, by async call path",
            "■ [busy] inside poll, each function's own",
        ),
    ] {
        let page = page(&snapshot, Format::Svg, view);
        let document = parse(&page);
        let by_id = |id| text(&document.descendants().find(|node| node.attribute("id") == Some(id)).unwrap());
        assert_eq!(by_id("title"), title);
        assert_eq!(by_id("subtitle"), legend);
        let footer = document.descendants().filter(|node| node.attribute("class") == Some("footer"));
        assert_eq!(
            footer.map(|line| text(&line)).collect::<Vec<_>>(),
            [
                "server (pid 4711): 2.00 s recorded on 1 thread; 0 calls, 2 polls, 5 ns busy",
                "nothing dropped",
                "clock manual; cost of recording ≈ 60.0 µs (1200000 % of busy): 1,500 polls 60.0 µs",
                "diagnose 0.1.0, recording on",
            ]
        );
    }
}

#[test]
fn no_line_of_the_footer_is_cut_at_the_edge() {
    let mut snapshot = tree("main | busy=5");
    snapshot.costs = [Activity::Calls, Activity::Awaits, Activity::Polls, Activity::Uses, Activity::Waits]
        .map(|activity| cost(activity, 1_000_000, 100_000_000))
        .into();
    let page = page(&snapshot, Format::Svg, View::Time);
    let document = parse(&page);
    let footer = document.descendants().filter(|node| node.attribute("class") == Some("footer"));
    let lines: Vec<String> = footer.map(|line| text(&line)).collect();
    assert!(lines.len() > 4 && lines.iter().all(|line| line.chars().count() <= 120), "{lines:#?}");
}

#[test]
fn the_page_is_tall_enough_for_its_footer() {
    let page = page(&tree("main | busy=5"), Format::Svg, View::Time);
    let document = parse(&page);
    let height: f64 = document.root_element().attribute("height").unwrap().parse().unwrap();
    let bottoms = document.descendants().filter(|node| node.attribute("class") == Some("footer"));
    let lowest = bottoms.map(|line| line.attribute("y").unwrap().parse::<f64>().unwrap()).fold(0.0, f64::max);
    assert!(lowest > 0.0 && lowest < height, "{lowest} {height}");
    assert_eq!(document.root_element().attribute("viewBox"), Some(&format!("0 0 1200 {height}")[..]));
}

#[test]
fn leaves_have_their_colors_and_functions_none_of_them() {
    let page = page(&tree("main | busy=5 self_idle=6\n  [busy] | busy=1"), Format::Svg, View::Time);
    let document = parse(&page);
    for frame in document.descendants().filter(|node| node.has_tag_name("g")) {
        let child = |name| frame.children().find(|node| node.has_tag_name(name)).unwrap();
        let fill = child("rect").attribute("fill").unwrap();
        match text(&child("title")).split(" (").next().unwrap() {
            "[busy]" if !text(&child("title")).starts_with("[busy] (2)") => {
                assert_eq!(fill, "rgb(230,159,0)");
            }
            "[idle]" => assert_eq!(fill, "rgb(86,180,233)"),
            _ => assert!(!["rgb(230,159,0)", "rgb(86,180,233)"].contains(&fill)),
        }
    }
    assert!(page.contains("@media (prefers-color-scheme: dark)"));
}

#[test]
fn times_too_long_to_add_up_are_drawn_all_the_same() {
    let mut snapshot = tree("a | self_idle=1\nb | self_idle=1\nc | self_idle=1");
    snapshot.nodes.iter_mut().for_each(|node| node.self_idle_ns = u64::MAX);
    let titles = titles(&snapshot, View::Idle);
    assert_eq!(titles.len(), 7);
    assert_eq!(titles[0], "[idle] (213504 d, 33.3 %; waiting, between polls)");
}

#[test]
fn an_empty_snapshot_gives_a_page_with_the_reason() {
    let page = page(&empty(), Format::Svg, View::Time);
    let document = parse(&page);
    assert!(text(&document.root_element()).contains("no annotated future was polled yet"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_names_give_well_formed_pages_with_every_stack(snapshot in random::snapshot(25)) {
        let stacks = fold(&snapshot, View::Time);
        // Every prefix of a stack is one box, and `all` is one more.
        let mut boxes: Vec<&[String]> = stacks.iter().flat_map(|stack| (1..=stack.frames.len()).map(|n| &stack.frames[..n])).collect();
        boxes.sort();
        boxes.dedup();
        let titles = titles(&snapshot, View::Time);
        prop_assert_eq!(titles.len(), if stacks.is_empty() { 0 } else { boxes.len() + 1 });
        let mut drawn: Vec<&str> = titles.iter().map(|title| title.rsplit_once(" (").unwrap().0).filter(|name| *name != "all").collect();
        let mut expected: Vec<&str> = boxes.iter().map(|frames| &frames.last().unwrap()[..]).filter(|name| *name != "all").collect();
        drawn.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(drawn, expected);
    }

    #[test]
    fn any_process_name_gives_well_formed_pages(name in random::name(), producer in random::name()) {
        let mut snapshot = tree("main | busy=5");
        snapshot.process.name = name;
        snapshot.producer = producer;
        parse(&page(&snapshot, Format::Svg, View::Time));
        snapshot.nodes.clear();
        parse(&page(&snapshot, Format::Svg, View::Time));
    }
}
