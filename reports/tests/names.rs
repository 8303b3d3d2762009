//! The names of sites in reports, and names that must not break a report.

use crate::support::{random, roots, site};
use diagnose_reports::model::Site;
use diagnose_reports::{View, fold, rows};
use proptest::prelude::*;

/// The frame of each site, in the order of the sites.
fn frames(sites: Vec<Site>) -> Vec<String> {
    let mut rows = rows(&roots(sites));
    rows.sort_by_key(|row| row.site);
    rows.into_iter().map(|row| row.name).collect()
}

/// The frame of a site with this name, which no other site has.
fn frame(name: &str) -> String {
    frames(vec![site(name, "m", "a.rs", 1, 1)]).remove(0)
}

#[test]
fn a_unique_name_stays_plain() {
    let sites = vec![site("get", "server", "a.rs", 1, 1), site("put", "server", "a.rs", 2, 1)];
    assert_eq!(frames(sites), ["get", "put"]);
}

#[test]
fn a_name_that_only_an_unused_site_shares_stays_plain() {
    let mut snapshot = roots(vec![site("get", "server", "a.rs", 1, 1), site("get", "client", "b.rs", 2, 1)]);
    snapshot.nodes.pop();
    assert_eq!(fold(&snapshot, View::Time)[0].frames[0], "get");
}

#[test]
fn namesakes_are_told_apart_by_module() {
    let sites = vec![site("get", "server", "a.rs", 1, 1), site("get", "client::pool", "b.rs", 2, 1)];
    assert_eq!(frames(sites), ["server::get", "client::pool::get"]);
}

#[test]
fn namesakes_in_one_module_are_told_apart_by_line() {
    let sites = vec![
        site("get", "server", "a.rs", 1, 1),
        site("get", "server", "a.rs", 9, 1),
        site("get", "client", "b.rs", 2, 1),
    ];
    assert_eq!(frames(sites), ["get (a.rs:1)", "get (a.rs:9)", "get (b.rs:2)"]);
}

#[test]
fn namesakes_in_one_line_are_told_apart_by_column() {
    let sites = vec![site("get", "server", "a.rs", 1, 5), site("get", "server", "a.rs", 1, 30)];
    assert_eq!(frames(sites), ["get (a.rs:1:5)", "get (a.rs:1:30)"]);
}

#[test]
fn namesakes_in_one_place_are_numbered() {
    let sites = vec![site("get", "server", "a.rs", 1, 5), site("get", "server", "a.rs", 1, 5)];
    assert_eq!(frames(sites), ["get (a.rs:1:5)", "get (a.rs:1:5) (2)"]);
}

#[test]
fn a_numbered_name_avoids_an_existing_one() {
    let sites = vec![
        site("a;b", "m", "a.rs", 1, 1),
        site("a:b", "m", "a.rs", 2, 1),
        site("a:b (2)", "m", "a.rs", 3, 1),
    ];
    assert_eq!(frames(sites), ["a:b", "a:b (3)", "a:b (2)"]);
}

#[test]
fn unnamed_blocks_always_say_where_they_are() {
    assert_eq!(frame("{block}"), "{block} (a.rs:1)");
    let sites = vec![site("{block}", "m", "a.rs", 1, 5), site("{block}", "m", "a.rs", 1, 30)];
    assert_eq!(frames(sites), ["{block} (a.rs:1:5)", "{block} (a.rs:1:30)"]);
}

#[test]
fn frames_are_fit_for_folded_lines() {
    assert_eq!(frame("[u8; 8]"), "[u8: 8]");
    assert_eq!(frame(" a \t b\r\nc\u{7}d\u{2028}e "), "a b c d e");
    assert_eq!(frame("worker 3"), "worker_3");
    assert_eq!(frame("took 1 2.5"), "took 1_2.5");
    assert_eq!(frame("# 1"), "#_1");
    assert_eq!(frame("# of tries"), "#_of tries");
    assert_eq!(frame("x_[k]"), "x_[k]_");
    assert_eq!(frame("\n"), "_");
    assert_eq!(frame("a\u{FFFF}\u{202E}b"), "a\u{FFFD}\u{FFFD}b");
}

#[test]
fn frames_keep_what_is_harmless() {
    for name in ["naïve", "測試 🦀", "Foo<'a>::bar", "a \"b\" & <c>", "#tag", "v2", "42", "(all)"] {
        assert_eq!(frame(name), name);
    }
}

#[test]
fn names_of_the_reports_cannot_be_taken() {
    assert_eq!(frame("[busy]"), "[busy] (2)");
    assert_eq!(frame("[idle]"), "[idle] (2)");
    assert_eq!(frame("[other]"), "[other] (2)");
}

proptest! {
    #[test]
    fn different_sites_are_different_frames(
        places in prop::collection::vec((random::name(), 0..3_u32, 0..3_u32, 0..3_u32), 1..20),
    ) {
        let sites: Vec<Site> = places
            .iter()
            .map(|(name, module, line, column)| site(name, ["", "a", "b"][*module as usize], "a.rs", *line, *column))
            .collect();
        let frames = frames(sites);
        let mut different = frames.clone();
        different.sort();
        different.dedup();
        prop_assert_eq!(different.len(), frames.len(), "{:?}", frames);
    }

    #[test]
    fn no_name_makes_a_bad_frame(name in random::name()) {
        let frame = frame(&name);
        prop_assert!(!frame.is_empty());
        prop_assert_eq!(frame.trim(), &frame[..]);
        prop_assert!(!frame.contains([';', '\n', '\r', '\t']) && !frame.contains("  "));
        prop_assert!(!frame.chars().any(char::is_control));
        prop_assert!(!frame.starts_with("# "));
        prop_assert!(!["[busy]", "[idle]", "[other]"].contains(&&frame[..]));
        let (_, last) = frame.rsplit_once(' ').unwrap_or(("", "a word without a space in front"));
        prop_assert!(last.parse::<f64>().is_err() || last.contains(|c: char| c.is_alphabetic() || c == '-' || c == '+'), "{frame}");
    }
}
