//! Macros with arguments that cannot be read: their awaits are one site, and everything else about
//! them is unchanged.

use diagnose::diagnose;
use diagnose::model::{NodeIndex, SiteIndex, SiteKind};
use diagnose_macros_tests::{Noisy, drops, note, pause, run};

macro_rules! defines {
    ($name:ident = $value:expr) => {
        let $name = $value;
    };
}

macro_rules! place {
    ($of:expr, $field:ident, $before:expr) => {
        *{
            $before;
            &mut $of.$field
        }
    };
}

macro_rules! value {
    ($($tokens:tt)*) => {{ $($tokens)* }};
}

struct Pair {
    left: String,
    right: String,
}

async fn text(value: &str) -> String {
    pause().await;
    value.to_owned()
}

async fn fails() -> Result<u32, String> {
    pause().await;
    Err("no".to_owned())
}

#[diagnose]
#[allow(clippy::semicolon_if_nothing_returned)]
async fn in_every_position(pair: &mut Pair) -> Result<String, String> {
    defines!(one = text("one").await);
    value! { let two = text("two").await; note("block"); drop(two) }
    place!(pair, left, pause().await) = value!(text("left").await);
    let borrowed = &place!(pair, left, pause().await);
    let length = place!(pair, right, pause().await).len();
    match place!(pair, right, pause().await) {
        ref right if right.len() == length => note("place"),
        _ => {}
    }
    let made = value!(async { text("later").await });
    let all = format!("{one} {borrowed} {length} {} {}", value!(made.await), value!(text("value").await));
    if value!(text("").await).is_empty() {
        value!(pause().await; drop(Noisy("left")); return Ok(all))
    }
    value!(fails().await?);
    value! { text("last").await; Ok(all) }
}

#[test]
fn a_macro_keeps_its_meaning_in_every_position() {
    let mut pair = Pair { left: "?".to_owned(), right: "right".to_owned() };
    assert_eq!(run(in_every_position(&mut pair)).unwrap(), "one left 5 later value");
    assert_eq!(drops(), ["block", "place", "left"]);
}

#[diagnose]
#[allow(clippy::semicolon_if_nothing_returned)]
async fn told(n: u32) -> u32 {
    let mut sum = 0;
    loop {
        sum += value!(pause().await; 1);
        if sum == n {
            value!(pause().await; break);
        }
    }
    if sum > n {
        value!(pause().await; return 0)
    }
    value! { sum + 1 }
}

#[test]
fn a_macro_is_a_site_only_if_it_awaits() {
    assert_eq!(run(told(3)), 4);
    let snapshot = diagnose::snapshot();
    let body = snapshot.sites.iter().position(|site| site.name == "told").unwrap();
    let body = snapshot.nodes.iter().position(|node| node.site == SiteIndex::new(body)).unwrap();
    let awaits = snapshot.nodes.iter().filter(|node| node.parent == Some(NodeIndex::new(body)));
    let told = awaits.map(|node| {
        let site = &snapshot.sites[node.site];
        (site.kind, site.name.as_str(), node.calls, node.completed, node.polls)
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            (SiteKind::Await, "value!(pause().await; 1)", 3, 3, 6),
            (SiteKind::Await, "value!(pause().await; break)", 1, 1, 2),
        ]
    );
}

macro_rules! give_up {
    ($value:expr) => {
        return Err($value)
    };
}

/// Ends with a macro that has no value.
#[diagnose]
#[allow(clippy::semicolon_if_nothing_returned)]
async fn of_no_value() {
    assert!(text("printed").await == "printed");
    value!(pause().await)
}

#[test]
fn a_macro_may_have_no_value() {
    run(of_no_value());
}

#[diagnose]
#[deny(unreachable_code)]
async fn never_comes_back(really: bool) -> Result<u32, String> {
    if really {
        give_up!(text("given up").await);
    }
    Ok(1)
}

#[test]
fn a_diverging_macro_causes_no_warning() {
    assert_eq!(run(never_comes_back(true)), Err("given up".to_owned()));
    assert_eq!(run(never_comes_back(false)), Ok(1));
}

/// Expands to statements, as `cfg_if!` does.
macro_rules! statements {
    ($($tokens:tt)*) => {
        $($tokens)*
    };
}

#[diagnose]
#[deny(unreachable_code)]
async fn ends_blocks(early: bool) -> Result<Box<dyn Fn(&str) -> usize>, String> {
    for word in ["a", "b"] {
        let _outer = Noisy("outer");
        statements! { let _inner = Noisy("inner"); let text = text(word).await; drop(text); }
    }
    if early {
        statements! { let first = text("early").await; return Ok(Box::new(move |_| first.len())); }
    }
    loop {
        statements! { let text = text("c").await; if text.is_empty() { continue; } break; }
    }
    {
        statements! { let text = text("d").await; drop(text); fails().await.or(Ok::<_, String>(1))?; }
    }
    let length = statements! { text("ef").await.len() };
    statements! { let last = text("last").await; Ok(Box::new(move |more| last.len() + length + more.len())) }
}

#[test]
fn a_macro_at_the_end_of_a_block_may_expand_to_statements() {
    let length = run(ends_blocks(true)).unwrap();
    assert_eq!(length(""), 5);
    assert_eq!(drops(), ["inner", "outer", "inner", "outer"]);
    assert_eq!(run(ends_blocks(false)).unwrap()("?"), 7);
    let snapshot = diagnose::snapshot();
    let awaits = snapshot.nodes.iter().filter(|node| {
        let site = &snapshot.sites[node.site];
        site.kind == SiteKind::Await && site.name.starts_with("statements!")
    });
    let calls: Vec<_> = awaits.map(|node| (node.calls, node.completed, node.pending)).collect();
    assert_eq!(calls, [(4, 4, 0), (1, 1, 0), (1, 1, 0), (1, 1, 0), (1, 1, 0), (1, 1, 0)]);
}

#[diagnose]
async fn ends_by_configuration() -> u32 {
    let one = {
        #[cfg(test)]
        statements! { std::future::ready(1).await }
        #[cfg(not(test))]
        statements! { std::future::ready(2).await }
    };
    #[cfg(test)]
    {
        one + 2
    }
    #[cfg(not(test))]
    statements! { std::future::ready(4).await }
}

#[test]
fn a_macro_may_be_the_end_of_a_block_in_another_configuration() {
    assert_eq!(run(ends_by_configuration()), 3);
}

macro_rules! borrow {
    ($value:expr) => {
        &$value
    };
}

#[diagnose]
async fn keeps_temporaries() -> String {
    let kept = borrow!(text("kept").await);
    let Some(first) = value!(text("first").await.chars().next()) else { return String::new() };
    let all = format_args!("{kept} {first} {}", text("shown").await).to_string();
    let arguments = format_args!("{all} {}", text("arguments").await);
    arguments.to_string()
}

#[test]
fn a_temporary_in_a_macro_lives_as_long_as_its_variable() {
    assert_eq!(run(keeps_temporaries()), "kept f shown arguments");
    let snapshot = diagnose::snapshot();
    for text in [
        "borrow!(text(\"kept\").await)",
        "value!(text(\"first\").await.chars().next())",
        "text(\"shown\").await",
        "text(\"arguments\").await",
    ] {
        let of_text = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == text);
        assert_eq!(of_text.map(|node| node.completed).collect::<Vec<_>>(), [1], "{text}");
    }
}

#[diagnose]
async fn is_checked() {
    #[cfg(test)]
    value!(text("tested").await);
    #[cfg(not(test))]
    value!(text("removed").await);
}

#[test]
fn a_macro_that_another_configuration_has_is_no_await() {
    run(is_checked());
    let snapshot = diagnose::snapshot();
    let calls = |text: &str| {
        let of_text = snapshot.nodes.iter().filter(|node| snapshot.sites[node.site].name == text);
        of_text.map(|node| node.calls).sum::<u64>()
    };
    assert_eq!(calls("value!(text(\"tested\").await)"), 1);
    assert_eq!(calls("value!(text(\"removed\").await)"), 0);
}
