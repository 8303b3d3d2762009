//! Comparisons of functions that share a name.

use crate::merge::two_namesakes;
use crate::support::{empty, tree};
use diagnose_reports::model::SiteIndex;
use diagnose_reports::{Diff, DiffOptions, Presence, diff};

#[test]
fn sites_with_one_name_stay_apart() {
    let mut both = tree("get | busy=10 calls=1 completed=1\nput | busy=20 calls=1 completed=1");
    both.sites[1].name = "get".into();
    let names = |diff: Diff| diff.functions.into_iter().map(|function| function.name).collect::<Vec<_>>();
    let numbered = ["server::get (src/main.rs) #2", "server::get (src/main.rs) #1"];
    assert_eq!(names(diff(&[both.clone()], &[], DiffOptions::default())), numbered);
    both.sites[1].module = "cache".into();
    assert_eq!(names(diff(&[both.clone()], &[], DiffOptions::default())), ["cache::get", "server::get"]);
    assert_eq!(names(diff(&[empty()], &[empty()], DiffOptions::default())), [""; 0]);
}

#[test]
fn a_namesake_that_only_one_side_has_reached_is_compared_with_itself() {
    let sides = two_namesakes();
    let [mut old, mut new] = sides.clone();
    // Another process of the same build.
    new.process.pid = 2;
    let of = |diff: Diff| diff.functions.into_iter().map(|it| (it.name, it.presence)).collect::<Vec<_>>();
    let [upper, lower] = ["server::{block} (src/main.rs) #1", "server::{block} (src/main.rs) #2"];
    let expected = [(upper.to_owned(), Presence::Added), (lower.to_owned(), Presence::Both)];
    let sorted = |mut names: Vec<(String, Presence)>| {
        names.sort_by(|a, b| a.0.cmp(&b.0));
        names
    };
    assert_eq!(sorted(of(diff(&[old.clone()], &[new.clone()], DiffOptions::default()))), expected);
    // One process: the second side counts from the first.
    assert_eq!(sorted(of(diff(&sides[..1], &sides[1..], DiffOptions::default()))), expected);
    // In another build, both functions stand three lines further down.
    for site in &mut new.sites {
        site.place.line += 3;
    }
    old.sites.insert(0, new.sites[0].clone());
    old.sites[0].place.line -= 3;
    let mut unreached = old.nodes[0].clone();
    old.nodes[0].site = SiteIndex::new(1);
    unreached.site = SiteIndex::new(0);
    old.nodes.insert(0, unreached);
    let names = sorted(of(diff(&[old], &[new], DiffOptions::default())));
    assert_eq!(names, [(upper.to_owned(), Presence::Both), (lower.to_owned(), Presence::Both)]);
}

#[test]
fn namesakes_of_one_build_are_told_apart_by_their_places() {
    let side = |pid: u32, lines: [u32; 2], build: &str| {
        let mut snapshot = tree("upper | busy=5 calls=1\nlower | busy=70 calls=7");
        snapshot.process.pid = pid;
        snapshot.process.build = build.into();
        for (site, line) in snapshot.sites.iter_mut().zip(lines) {
            site.name = "{block}".into();
            site.place.line = line;
        }
        [snapshot]
    };
    let both = |build: &str| {
        let diff = diff(&side(1, [10, 50], build), &side(2, [50, 90], build), DiffOptions::default());
        diff.functions.iter().filter(|it| it.presence == Presence::Both).count()
    };
    assert_eq!(both("v1.2"), 1, "only line 50 has run on both sides");
    assert_eq!(both(""), 2, "without a build, the lines may have moved");
}
